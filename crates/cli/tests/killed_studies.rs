//! `kill -9` of a study at any moment, then `--resume`: the result equals that of an uninterrupted study.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const STUDY: &str = r#"schema = 1
name = "killed"
title = "Killed"
scenarios = ["swing.toml"]
engines = [{ spec = "native:integrator=rk4" }, { spec = "native:integrator=euler" }]
seeds = [SEEDS]
"#;

const SCENARIO: &str = r#"schema = 1
name = "swing"
title = "A swing"
text = "One rod from horizontal."
source = "made for this test"
duration_s = 0.5
step_s = 0.001

[world]
model = "swing.urdf"
contact = false

[record]
rate_hz = 100

[[references]]
name = "exact"
kind = "closed_form"
form = "pendulum"
parameters = { joint = "hinge" }

[[checks]]
name = "angle"
metric = "joint_error"
of = "hinge"
reference = "exact"
bound = 1e-2
reason = "made for this test"
"#;

const MODEL: &str = r#"<robot name="swing">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="1e-3" iyy="0.0833" izz="0.0833" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

fn place() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("killed-studies");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let seeds: Vec<String> = (0..40).map(|i| i.to_string()).collect();
    std::fs::write(folder.join("swing.urdf"), MODEL).unwrap();
    std::fs::write(folder.join("swing.toml"), SCENARIO).unwrap();
    std::fs::write(folder.join("killed.toml"), STUDY.replace("SEEDS", &seeds.join(", "))).unwrap();
    folder
}

fn command(folder: &Path, results: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(["study", "killed.toml", "--out", results, "--no-report", "--json", "--threads", "2"]).args(more);
    command.current_dir(folder).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
    command
}

/// The digest of all deterministic parts.
fn digest(folder: &Path, results: &str, more: &[&str]) -> String {
    let output = command(folder, results, more).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    document["digest"].as_str().unwrap().to_string()
}

#[test]
#[allow(clippy::disallowed_methods)] // The duration of a run only decides when to kill it.
fn a_killed_study_goes_on_to_the_same_result() {
    let kills = if std::env::var_os("VERACITY_FULL").is_some() { 200 } else { 5 };
    let folder = place();
    let begun = std::time::Instant::now();
    let whole = digest(&folder, "whole", &[]);
    let took_ms = begun.elapsed().as_millis() as u64;
    let (mut in_time, mut dice) = (0, 1u64);
    for kill in 0..kills {
        let results = "parts";
        let _ = std::fs::remove_dir_all(folder.join(results));
        let mut child = command(&folder, results, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Anywhere from before its first write to its end.
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((dice >> 33) % took_ms.max(1)));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        in_time += u32::from(status.code().is_none());
        // If it was killed before it started or after it ended there is nothing to resume: use the plain command.
        let began = folder.join(results).join("store.sqlite").is_file();
        let resumed = command(&folder, results, &["--resume"]).output().unwrap();
        let refused = String::from_utf8_lossy(&resumed.stderr).contains("nothing to resume");
        assert!(resumed.status.code() == Some(0) || refused, "{}", String::from_utf8_lossy(&resumed.stderr));
        assert!(!refused || !began || status.code().is_some() || resumed.status.code() == Some(2));
        assert_eq!(digest(&folder, results, &[]), whole, "kill {kill}");
        let left = std::fs::read_dir(folder.join(results)).unwrap().flatten();
        let unfinished = left.filter(|f| f.file_name().to_string_lossy().ends_with(".unfinished")).count();
        assert_eq!(unfinished, 0, "kill {kill} left half a file");
    }
    println!(
        "ACCEPT killed-studies: {kills} kills, {in_time} of them before the end; 80 trials, one digest after each"
    );
}
