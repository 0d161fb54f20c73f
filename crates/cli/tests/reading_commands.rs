//! `veracity runs` while a study writes, and in a folder that cannot be written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCENARIO: &str = r#"schema = 1
name = "swing"
title = "A swing"
text = "One rod from horizontal."
source = "made for this test"
duration_s = 0.1
step_s = 0.001

[world]
model = "swing.urdf"
contact = false

[record]
rate_hz = 100

[[checks]]
name = "speed"
metric = "energy_error"
bound = 1.0
reason = "this is about storing"
"#;

const MODEL: &str = r#"<robot name="swing">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="1e-3" iyy="0.0833" izz="0.0833" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

fn place(name: &str) -> PathBuf {
    // Not below the build folder: another user must be able to reach it.
    let path = std::env::temp_dir().join(format!("veracity-reading-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("swing.urdf"), MODEL).unwrap();
    std::fs::write(path.join("swing.toml"), SCENARIO).unwrap();
    path
}

fn veracity(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// `runs` used to take the writer's lock: half of the studies that it polled ended with "another process is writing".
#[test]
fn studies_do_not_notice_that_runs_is_polled() {
    let folder = place("polled");
    let run = ["run", "swing.toml", "--out", "results", "--no-report", "--fresh"];
    assert!(veracity(&folder, &run).output().unwrap().status.code().is_some_and(|c| c < 2));
    let mut ended = 0;
    for _ in 0..4 {
        let mut study = veracity(&folder, &run).stdout(std::process::Stdio::null()).spawn().unwrap();
        loop {
            let listed = veracity(&folder, &["runs", "--out", "results"]).output().unwrap();
            assert_eq!(listed.status.code(), Some(0), "{}", said(&listed));
            if let Some(status) = study.try_wait().unwrap() {
                assert!(status.code().is_some_and(|c| c < 2), "the study ended with {status}");
                ended += 1;
                break;
            }
        }
    }
    assert_eq!(ended, 4);
    let _ = std::fs::remove_dir_all(folder);
}

/// Results on a read-only medium, or of another user.
#[test]
fn a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::process::CommandExt;
    let folder = place("read-only");
    let run = veracity(&folder, &["run", "swing.toml", "--out", "results", "--no-report"]).output().unwrap();
    assert!(run.status.code().is_some_and(|c| c < 2), "{}", said(&run));
    let binary = folder.join("veracity");
    // Copied by another process: a descriptor of this process open for writing would be inherited by a child that the
    // other test starts at that moment, and the copy could not be executed ("text file busy").
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_veracity")).arg(&binary).status().unwrap().success());
    let results = folder.join("results");
    for path in [results.join("segments"), results.clone(), folder.clone()] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut command = Command::new(&binary);
    command.args(["runs", "--out", "results"]).current_dir(&folder).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
    // Root may write anywhere, so another user reads.
    if std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0) {
        command.uid(65534).gid(65534);
    }
    let listed = command.output().unwrap();
    for path in [folder.clone(), results.clone(), results.join("segments")] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(listed.status.code(), Some(0), "{}", said(&listed));
    assert!(said(&listed).contains("1 trial,"), "{}", said(&listed));
    let _ = std::fs::remove_dir_all(folder);
}
