//! Engines in separate processes as guests of a study: a missing one, one that does not respond, one that is wrong and
//! one that dies affect only their own rows.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODEL: &str = r#"<robot name="swing">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="1e-3" iyy="0.0833" izz="0.0833" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

/// A rod that falls from horizontal, with a given gravity.
fn scenario(name: &str, gravity: f64) -> String {
    format!(
        r#"schema = 1
name = "{name}"
title = "A rod"
text = "One rod from horizontal."
source = "made for this test"
duration_s = 1.0
step_s = 0.001

[world]
model = "swing.urdf"
gravity_m_s2 = [0, 0, {gravity}]
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
bound = 1e-3
reason = "a milliradian cannot be seen"
"#
    )
}

const STUDY: &str = r#"schema = 1
name = "guests"
text = "Who is here?"
scenarios = ["light.toml", "heavy.toml"]
engines = [
    "native",
    { spec = "bullet:maximal", if_present = true },
    { spec = "dart", if_present = true },
    { spec = "ode:quick", if_present = true },
    { spec = "ode:world", if_present = true },
]

[[expect]]
scenarios = ["SCENARIO"]
engines = ["dart"]
answer = "rejected"
why = "It stays where it is."
"#;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("guests-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("workers")).unwrap();
        let place = Self(path);
        place.write("swing.urdf", MODEL);
        place.write("light.toml", &scenario("light", -9.81));
        place.write("heavy.toml", &scenario("heavy", -20.0));
        place.write("study.toml", &STUDY.replace("SCENARIO", "light"));
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Installs a script as the worker of an engine.
    fn worker(&self, engine: &str, script: &str) {
        let name = format!("workers/veracity-engine-{engine}");
        self.write(&name, &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(self.0.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// DART keeps everything in place and dies on heavy worlds; ODE's program does not respond; Bullet is missing.
    fn with_workers(&self) {
        let python = std::env::var("VERACITY_PYTHON").unwrap_or_else(|_| "python3".to_string());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let script = root.join("tests/workers/still_worker.py");
        let protocol = root.join("../../examples/python_worker");
        self.worker("dart", &format!("exec '{python}' '{}' dart '{}'", script.display(), protocol.display()));
        self.worker("ode", "echo 'the library is missing'; exit 3");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
        command.args(arguments).current_dir(&self.0).env("NO_COLOR", "1").env_remove("STILL_LIVES");
        command.env("VERACITY_WORKERS", self.0.join("workers"));
        command
    }

    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        document(&self.command(arguments).output().unwrap())
    }
}

fn document(output: &Output) -> (i32, Value) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let parsed = serde_json::from_slice(&output.stdout);
    let parsed = parsed.unwrap_or_else(|e| panic!("{e}: {}{}", text(&output.stdout), text(&output.stderr)));
    (output.status.code().expect("ended by itself"), parsed)
}

fn row<'a>(document: &'a Value, scenario: &str, engine: &str) -> &'a Value {
    let fits = |t: &&Value| t["scenario"] == scenario && t["engine"] == engine;
    let found = document["trials"].as_array().unwrap().iter().find(fits);
    found.unwrap_or_else(|| panic!("{scenario} on {engine} was not run: {document:#}"))
}

const RUN: &[&str] = &["study", "study.toml", "--json", "--no-report"];

#[test]
fn guests_that_are_not_there_are_named_and_change_nothing() {
    let place = Place::new("absent");
    let (code, found) = place.json(RUN);
    assert_eq!(code, 0);
    assert_eq!(found["trials"].as_array().unwrap().len(), 2);
    assert_eq!(found["absent"], serde_json::json!(["bullet:maximal", "dart", "ode:quick", "ode:world"]));
    let shown = place.command(&["study", "study.toml", "--no-report"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("not installed: bullet:maximal, dart")
            && shown.contains("`veracity engines` lists how to get them"),
        "{shown}"
    );
}

#[test]
fn guests_that_do_not_answer_or_die_cost_their_own_rows_only() {
    let place = Place::new("dying");
    let (_, alone) = place.json(&[RUN, &["--out", "alone"]].concat());
    place.with_workers();
    let (code, found) = place.json(&[RUN, &["--out", "together"]].concat());
    // Nothing is expected of a failed row: it is in the table and decides nothing.
    assert_eq!(code, 0, "{found:#}");
    assert_eq!(found["trials"].as_array().unwrap().len(), 8);
    assert_eq!(found["absent"], serde_json::json!(["bullet:maximal"]));
    for scenario in ["light", "heavy"] {
        let (before, now) = (row(&alone, scenario, "native"), row(&found, scenario, "native"));
        for field in ["verdict", "reason", "digest", "checks"] {
            assert_eq!(before[field], now[field], "{scenario}: {field}");
        }
        // Two specs are two rows even for a program that never reported its settings.
        for spec in ["ode:quick=quick", "ode:world=world"] {
            let ode = row(&found, scenario, spec);
            assert_eq!(ode["verdict"], "failed");
            let reason = ode["reason"].as_str().unwrap();
            assert!(reason.contains("code 3") && reason.contains("the library is missing"), "{reason}");
        }
    }
    // It responds and is wrong: rejected, as this study expects. It dies halfway: that is not a verdict on a motion.
    assert_eq!(row(&found, "light", "dart")["verdict"], "rejected");
    assert_eq!(row(&found, "light", "dart")["as_expected"], true);
    let died = row(&found, "heavy", "dart");
    assert_eq!((&died["verdict"], &died["guest"]), (&"failed".into(), &true.into()));
    assert!(died["reason"].as_str().unwrap().contains("SIGKILL"), "{died:#}");
    // The leaderboard names every spec; a spec without a number has no place.
    let boards = found["leaderboards"].as_array().unwrap();
    let heavy = boards.iter().find(|b| b["scenario"] == "heavy").unwrap()["places"].as_array().unwrap();
    let shown: Vec<String> =
        heavy.iter().map(|p| format!("{} {}", p["rank"], p["engine"].as_str().unwrap())).collect();
    assert_eq!(shown, ["1 native", "null dart", "null ode:quick=quick", "null ode:world=world"]);

    // Once the worker is repaired, the trial it died in runs again; finished trials do not.
    let mut again = place.command(&[RUN, &["--out", "together"]].concat());
    let again = again.env("STILL_LIVES", "1").output().unwrap();
    let stored = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(stored.contains("8 trials, 3 of them stored"), "{stored}");
    assert_eq!(row(&document(&again).1, "heavy", "dart")["verdict"], "rejected");
    let failed = found["trials"].as_array().unwrap().iter().filter(|t| t["verdict"] == "failed").count();
    assert_eq!(failed, 5, "four rows of the one that does not answer, one of the one that dies");
    println!(
        "ACCEPT guests: one is missing, one exits before it answers, one dies in a trial; {failed} rows failed, those of native are the same to the bit"
    );
}

/// A program that died before it could be judged does not satisfy the planned rejection of a motion.
#[test]
fn a_death_is_not_the_rejection_that_was_expected() {
    let place = Place::new("expected");
    place.write("study.toml", &STUDY.replace("SCENARIO", "heavy"));
    place.with_workers();
    let (code, found) = place.json(RUN);
    assert_eq!(row(&found, "heavy", "dart")["as_expected"], false);
    assert_eq!(code, 1);
}

#[test]
fn the_table_of_one_scenario_has_a_leaderboard_and_that_of_several_a_line_each() {
    let place = Place::new("boards");
    let engines = ["--engines", "native,native:integrator=euler,rapier:multibody", "--no-report"];
    let one = place.command(&[&["compare", "light.toml"][..], &engines].concat()).output().unwrap();
    let one = String::from_utf8_lossy(&one.stdout).into_owned();
    let at = |text: &str| one.find(text).unwrap_or_else(|| panic!("no '{text}' in {one}"));
    // The better integrator ranks above the worse.
    assert!(at("light: joint error, at most 1e-3 rad") < at("  1  native  "), "{one}");
    assert!(at("  1  native  ") < at("  3  native:integrator=euler"), "{one}");

    let several = place.command(&["study", "study.toml", "--no-report"]).output().unwrap();
    let several = String::from_utf8_lossy(&several.stdout).into_owned();
    // One engine alone is not ranked.
    assert!(!several.contains("--leaderboard"), "{several}");
    place.with_workers();
    let several = place.command(&["study", "study.toml", "--no-report"]).output().unwrap();
    let several = String::from_utf8_lossy(&several.stdout).into_owned();
    assert!(several.contains("--leaderboard") && several.contains("light  1. native ("), "{several}");
    let all = place.command(&["study", "study.toml", "--no-report", "--leaderboard"]).output().unwrap();
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    assert!(all.contains("heavy: joint error") && all.contains("  -  dart "), "{all}");
}
