//! The lab through the binary: exit codes, resuming after `kill -9`, a full disk, baselines, JSON and JUnit.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const SCENARIO: &str = r#"schema = 1
name = "swing"
title = "A swing"
text = "One rod from horizontal."
source = "made for this test"
duration_s = 2.0
step_s = 0.001

[world]
model = "swing.urdf"
contact = false

[record]
rate_hz = 100

[[references]]
name = "exact"
kind = "converged"

[[checks]]
name = "angle"
metric = "joint_error"
of = "hinge"
reference = "exact"
bound = BOUND
reason = "a milliradian cannot be seen"
"#;

const MODEL: &str = r#"<robot name="swing">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="1e-3" iyy="0.0833" izz="0.0833" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

/// A folder of this test with the swing in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("lab-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let place = Self(path);
        place.write("swing.urdf", MODEL);
        place.write("swing.toml", &SCENARIO.replace("BOUND", "1e-3"));
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
        command.args(arguments).current_dir(&self.0).env("NO_COLOR", "1");
        // Ignore this machine's workers: the tests cover what every machine has.
        command.env("VERACITY_WORKERS", "");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command and returns its JSON document.
    fn json(&self, arguments: &[&str]) -> (i32, serde_json::Value) {
        let output = self.run(arguments);
        let document = serde_json::from_slice(&output.stdout);
        (code(&output), document.unwrap_or_else(|e| panic!("{e}: {}{}", out(&output), err(&output))))
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("ended by itself")
}

#[test]
fn a_scenario_beside_a_urdf_is_accepted_rejected_or_refused() {
    let place = Place::new("codes");
    let accepted = place.run(&["run", "swing.toml"]);
    assert_eq!(code(&accepted), 0, "{}{}", out(&accepted), err(&accepted));
    assert!(place.0.join("veracity-results/index.html").is_file());

    place.write("strict.toml", &SCENARIO.replace("BOUND", "1e-30"));
    let rejected = place.run(&["run", "strict.toml", "--engine", "native:integrator=euler"]);
    assert_eq!(code(&rejected), 1, "{}", out(&rejected));
    assert!(out(&rejected).contains("rejected"));

    place.write("wrong.toml", &SCENARIO.replace("BOUND", "1e-3").replace("duration_s", "duration_ms"));
    let refused = place.run(&["run", "wrong.toml", "--out", "nothing"]);
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("wrong.toml:6: error["), "{}", err(&refused));
    assert!(!place.0.join("nothing").exists(), "something was half written");
}

#[test]
fn engines_and_settings_that_do_not_exist_are_named_with_those_that_do() {
    let place = Place::new("specs");
    let unknown = place.run(&["run", "swing.toml", "--engine", "oden"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("unknown engine 'oden'; available: native, rapier"), "{}", err(&unknown));
    let missing = place.run(&["run", "swing.toml", "--engine", "ode"]);
    assert_eq!(code(&missing), 2);
    let how = "the engine ode is not installed; run `veracity engines install ode`";
    assert!(err(&missing).contains(how), "{}", err(&missing));
    let setting = place.run(&["run", "swing.toml", "--engine", "rapier:iterations=4"]);
    assert_eq!(code(&setting), 2);
    assert!(err(&setting).contains("iters="), "{}", err(&setting));
}

#[test]
fn the_quick_suite_gives_every_expected_verdict() {
    let place = Place::new("validate");
    let mut command = place.command(&["validate", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // Read while it runs: a document larger than the pipe's buffer would block it.
    let mut pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || serde_json::from_reader::<_, serde_json::Value>(&mut pipe).unwrap());
    let mut peak_mib = 0.0f64;
    let status = loop {
        peak_mib = peak_mib.max(peak_memory_mib(child.id()).unwrap_or(0.0));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let document = reader.join().unwrap();
    let trials = document["trials"].as_array().unwrap();
    let unexpected: Vec<_> = trials.iter().filter(|t| t["as_expected"] != true).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    assert_eq!(status.code(), Some(0));
    // Our engine fails where the step is too large, and a published error of another engine is reproduced.
    let find = |scenario: &str, engine: &str, step: f64| {
        let fits = |t: &&serde_json::Value| t["scenario"] == scenario && t["engine"] == engine && t["step_s"] == step;
        trials.iter().find(fits).unwrap_or_else(|| panic!("{scenario} on {engine} at {step} s was not run"))
    };
    assert_eq!(find("simple_pendulum", "native", 0.2)["verdict"], "rejected");
    let rapier = find("pendulum_with_ball", "rapier", 0.001);
    let angle = rapier["checks"].as_array().unwrap().iter().find(|c| c["name"] == "angle").unwrap();
    let error = angle["value"].as_f64().unwrap();
    // Known to be 8.3e-2 rad, printed with two digits.
    assert!((error - 8.3e-2).abs() < 1e-3, "{error}");
    println!(
        "ACCEPT validate: {} trials as expected, {peak_mib:.0} MiB, rapier's pendulum off by {error:.3e} rad",
        trials.len()
    );
    assert!(peak_mib > 0.0 && peak_mib <= 1024.0, "{peak_mib} MiB");
    // Six megabytes are acceptable as a mail attachment. With arrays in plain single precision it was 10 MB without a
    // worker and 25 MB with all of them.
    let page = std::fs::metadata(place.0.join("veracity-results/index.html")).unwrap().len();
    println!("ACCEPT report-size: {:.2} MB for {} trials", page as f64 / 1e6, trials.len());
    assert!(page <= 6_000_000, "{page} bytes");
}

/// Peak memory of a process so far, from the kernel [MiB].
fn peak_memory_mib(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

#[test]
fn a_run_that_was_killed_goes_on_and_gives_the_same_table() {
    let place = Place::new("killed");
    let whole = ["validate", "--out", "whole", "--json", "--no-report", "--threads", "2"];
    let (_, expected) = place.json(&whole);

    // Killed as soon as a few trials are stored.
    let mut child = place
        .command(&["validate", "--out", "parts", "--json", "--no-report", "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let index = place.0.join("parts/segments");
    while log_bytes(&index) < 20_000 {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let (_, resumed) = place.json(&["validate", "--out", "parts", "--json", "--no-report", "--resume"]);
    assert_eq!(resumed["digest"], expected["digest"]);
    let verdicts = |document: &serde_json::Value| -> Vec<(String, String)> {
        let trials = document["trials"].as_array().unwrap();
        trials.iter().map(|t| (t["verdict"].to_string(), t["reason"].to_string())).collect()
    };
    assert_eq!(verdicts(&resumed), verdicts(&expected));
    println!("ACCEPT resumes: {} trials, the same table and digest", verdicts(&expected).len());
    // There is nothing left to resume.
    let again = place.run(&["validate", "--out", "parts", "--resume"]);
    assert_eq!(code(&again), 2);
    assert!(err(&again).contains("nothing to resume"), "{}", err(&again));
}

fn log_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum()
}

#[test]
fn a_baseline_catches_a_regression_and_passes_a_repeat() {
    let place = Place::new("baseline");
    let (good, _) =
        place.json(&["compare", "swing.toml", "--engines", "native,rapier:multibody", "--out", "old", "--json"]);
    assert_eq!(good, 0);
    let repeat = place.run(&[
        "compare",
        "swing.toml",
        "--engines",
        "native,rapier:multibody",
        "--out",
        "new",
        "--baseline",
        "old",
    ]);
    assert_eq!(code(&repeat), 0, "{}{}", out(&repeat), err(&repeat));
    assert!(out(&repeat).contains("nothing got worse"));

    // The injected regression: older results in which this engine had half the error.
    place.write(
        "old.json",
        &out(&place.run(&["compare", "swing.toml", "--engines", "rapier:multibody", "--out", "old2", "--json"])),
    );
    let text = std::fs::read_to_string(place.0.join("old.json")).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let value = &mut document["trials"][0]["checks"][0]["value"];
    *value = serde_json::json!(value.as_f64().unwrap() / 2.0);
    place.write("better.json", &document.to_string());
    let worse = place.run(&[
        "compare",
        "swing.toml",
        "--engines",
        "rapier:multibody",
        "--out",
        "new2",
        "--baseline",
        "better.json",
    ]);
    assert_eq!(code(&worse), 1, "{}", out(&worse));
    assert!(out(&worse).contains("worse: swing on rapier"), "{}", out(&worse));

    // A baseline with a trial that no longer runs must not pass.
    let fewer = place.run(&["compare", "swing.toml", "--engines", "native", "--out", "new3", "--baseline", "old"]);
    assert_eq!(code(&fewer), 1);
    assert!(out(&fewer).contains("is missing"), "{}", out(&fewer));
    println!("ACCEPT baseline: exit 0 on a repeat, 1 on an error twice as large and on a trial left out");
}

#[test]
fn a_full_disk_is_a_sentence_and_the_store_stays_whole() {
    let place = Place::new("full");
    let disk = place.0.join("disk");
    std::fs::create_dir(&disk).unwrap();
    // A file system of one megabyte in a separate mount namespace, so that no other process sees it.
    let script = format!(
        "export VERACITY_WORKERS=; mount -t tmpfs -o size=1m tmpfs disk && {{ '{exe}' validate --out disk/r --no-report; echo \"code $?\"; \
         '{exe}' runs --out disk/r; echo \"runs $?\"; mount -o remount,size=1g disk; \
         '{exe}' validate --out disk/r --no-report --resume | grep '^digest' | sed 's/^/resumed /'; \
         '{exe}' validate --out disk/whole --no-report | grep '^digest' | sed 's/^/whole /'; }}",
        exe = env!("CARGO_BIN_EXE_veracity")
    );
    let unshare = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(&place.0)
        .output();
    let output = unshare.expect("this test needs `unshare` of util-linux");
    let (stdout, stderr) = (out(&output), err(&output));
    assert!(stdout.contains("code 2"), "{stdout}{stderr}");
    assert!(stderr.contains("free") && stderr.to_lowercase().contains("space"), "{stderr}");
    let sentence = stderr.lines().find(|line| line.to_lowercase().contains("space"));
    println!("ACCEPT full-disk: {}", sentence.unwrap_or_default());
    assert!(stdout.contains("runs 0"), "the store cannot be read any more: {stdout}{stderr}");
    // Nothing stored before the disk was full is damaged: with space again the run is completed to the same digest.
    let digest = |which: &str| stdout.lines().find_map(|line| line.strip_prefix(which)).map(str::to_owned);
    let (resumed, whole) = (digest("resumed digest"), digest("whole digest"));
    assert!(resumed.is_some() && resumed == whole, "{resumed:?} and {whole:?}\n{stdout}{stderr}");
}

#[test]
fn starter_files_run_as_they_are_and_are_not_overwritten() {
    let place = Place::new("init");
    assert_eq!(code(&place.run(&["init", "mine"])), 0);
    for run in [place.run(&["run", "mine/my_pendulum.toml"]), place.run(&["study", "mine/my_study.toml"])] {
        assert_eq!(code(&run), 0, "{}{}", out(&run), err(&run));
    }
    let again = place.run(&["init", "mine"]);
    assert_eq!(code(&again), 2);
    assert!(err(&again).contains("exists; choose another"));
}

#[test]
fn json_and_junit_hold_to_their_schemas() {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which makes the environment");
    };
    let place = Place::new("schemas");
    let json = place.run(&["compare", "swing.toml", "--engines", "native,rapier", "--json", "--junit", "swing.xml"]);
    place.write("swing.json", &out(&json));
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let script = "
import json, sys, jsonschema, xmlschema
folder = sys.argv[1]
schema = json.load(open(folder + '/results.json'))
jsonschema.Draft202012Validator.check_schema(schema)
document = json.load(open('swing.json'))
jsonschema.validate(document, schema)
# The schema can fail: a document without verdicts is refused.
del document['trials'][0]['verdict']
try:
    jsonschema.validate(document, schema)
    sys.exit('a trial without a verdict was let through')
except jsonschema.ValidationError:
    pass
xmlschema.XMLSchema(folder + '/junit.xsd').validate('swing.xml')
";
    let checked = Command::new(python).args(["-c", script]).arg(schemas).current_dir(&place.0).output().unwrap();
    assert!(checked.status.success(), "{}", err(&checked));
}

#[test]
fn lists_name_scenarios_engines_and_metrics() {
    let place = Place::new("lists");
    for (kind, wanted) in [("scenarios", "simple_pendulum"), ("engines", "rapier"), ("metrics", "position_error")] {
        let listed = place.run(&["list", kind]);
        assert_eq!(code(&listed), 0);
        assert!(out(&listed).contains(wanted), "{kind}: {}", out(&listed));
    }
}
