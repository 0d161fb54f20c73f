//! Exit code, terminal, JSON and JUnit agree, because one place decides: `lab::Conclusion`.
//!
//! Before: JUnit was green and the terminal reported success with exit code 1 when `--baseline` found a regression; a
//! scenario without checks was a failure; README's own order of commands failed.

use std::path::PathBuf;
use std::process::{Command, Output};

const SCENARIO: &str = r#"schema = 1
name = "slide"
title = "A block slides"
text = "A block with a speed on a floor."
source = "made for this test"
duration_s = 0.5
step_s = 0.001

[world]
model = "block.xml"

[start]
bodies.block = { velocity_m_s = [1, 0, 0] }

[record]
rate_hz = 100
"#;

const CHECK: &str = r#"
[[references]]
name = "truth"
kind = "converged"

[[checks]]
name = "place"
metric = "position_error"
of = "block"
reference = "truth"
bound = 0.001
reason = "a millimetre"
"#;

const MODEL: &str = r#"<mujoco model="floor"><worldbody>
  <geom name="floor" type="plane" size="5 5 0.1" friction="0.4 0 0"/>
  <body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1" friction="0.4 0 0"/></body>
</worldbody></mujoco>
"#;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("conclusion-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let place = Self(path);
        place.write("block.xml", MODEL);
        place.write("slide.toml", &format!("{SCENARIO}{CHECK}"));
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
        command.args(arguments).current_dir(&self.0).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
        let output: Output = command.output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
        // A document is alone on standard output; progress goes to standard error.
        let text = if arguments.contains(&"--json") { out } else { out + &err };
        (output.status.code().expect("ended by itself"), text)
    }
}

#[test]
fn a_regression_is_red_everywhere() {
    let place = Place::new("regression");
    let compare = ["compare", "slide.toml", "--engines", "native", "--no-report"];
    let (code, text) = place.run(&[&compare[..], &["--json", "--out", "a"]].concat());
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!((code, old["exit_code"].as_i64()), (0, Some(0)), "{text}");
    assert!(old["conclusion"].as_str().is_some_and(|c| c.starts_with("accepted: ")), "{text}");
    // An older run with a thousandth of the error.
    let check = &mut old["trials"][0]["checks"][0];
    let value = check["value"].as_f64().unwrap();
    check["value"] = (1e-3 * value).into();
    check["uncertainty"] = 0.0.into();
    place.write("old.json", &old.to_string());
    let worse = [&compare[..], &["--out", "b", "--baseline", "old.json", "--junit", "out.xml"]].concat();
    let (code, text) = place.run(&worse);
    let junit = place.read("out.xml");
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("worse than the baseline: "), "{text}");
    assert!(!text.contains("accepted: "), "{text}");
    assert!(junit.contains("failures=\"1\"") && junit.contains("worse than the baseline"), "{junit}");
    let (code, text) = place.run(&[&worse[..], &["--json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, document["exit_code"].as_i64()), (1, Some(1)));
    assert!(document["conclusion"].as_str().is_some_and(|c| c.contains("1 worse than the baseline")), "{text}");
    // The baseline file says by how much a check may get worse: by a factor, or in its own unit.
    let allow = |tolerance: serde_json::Value| {
        let mut allowing = old.clone();
        allowing["tolerances"] = serde_json::json!([tolerance]);
        place.write("old.json", &allowing.to_string());
        place.run(&[&worse[..], &["--json"]].concat())
    };
    let (code, text) = allow(serde_json::json!({ "check": "place", "factor": 2000 }));
    assert_eq!(code, 0, "{text}");
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["tolerances"][0]["factor"], 2000.0, "the next baseline keeps its tolerances");
    let (code, text) = allow(serde_json::json!({ "check": "place", "engine": "native", "absolute": 1.0 }));
    assert_eq!(code, 0, "{text}");
    let (code, text) = allow(serde_json::json!({ "check": "place", "factor": 10 }));
    assert_eq!(code, 1, "{text}");
    // One that could never apply is a mistake.
    assert_eq!(allow(serde_json::json!({ "check": "plaice", "factor": 10 })).0, 2);
    assert_eq!(allow(serde_json::json!({ "check": "place" })).0, 2);
    // A trial missing in the new results is a failed case of its own.
    let (code, _) = place.run(&["compare", "slide.toml", "--engines", "native,rapier", "--no-report", "--out", "c"]);
    assert!(code < 2);
    let (code, text) = place.run(&[&compare[..], &["--out", "d", "--baseline", "c", "--junit", "out.xml"]].concat());
    assert_eq!(code, 1, "{text}");
    let junit = place.read("out.xml");
    assert!(junit.contains("classname=\"baseline\"") && junit.contains("is missing"), "{junit}");
}

#[test]
fn the_order_of_commands_in_the_readme_works() {
    let readme = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, after) = readme.split_once("## Your own robot").unwrap();
    let (_, block) = after.split_once("```sh\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let place = Place::new("readme");
    let mut folder = ".".to_string();
    let mut ran = 0;
    for line in block.lines().filter(|l| l.starts_with("veracity ")) {
        let line = line.split(" #").next().unwrap().trim();
        for part in line.split(" && ") {
            if let Some(to) = part.strip_prefix("cd ") {
                folder = to.to_string();
                continue;
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
            command.args(part.split_whitespace().skip(1)).current_dir(place.0.join(&folder));
            let output = command.env("NO_COLOR", "1").env("VERACITY_WORKERS", "").output().unwrap();
            let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
            assert_eq!(output.status.code(), Some(0), "{part}: {text}");
            ran += 1;
        }
    }
    assert!(ran >= 5, "{ran} commands");
}

#[test]
fn a_baseline_of_another_study_is_named_and_not_compared() {
    let place = Place::new("other");
    place.write("bare.toml", &SCENARIO.replace("name = \"slide\"", "name = \"bare\""));
    assert_eq!(place.run(&["run", "bare.toml", "--no-report"]).0, 0);
    let (code, text) = place.run(&["run", "slide.toml", "--no-report", "--baseline", "veracity-results"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no finished run of 'slide'; it holds bare"), "{text}");
}

#[test]
fn a_scenario_without_checks_is_no_failure() {
    let place = Place::new("bare");
    place.write("bare.toml", SCENARIO);
    let (code, text) = place.run(&["run", "bare.toml", "--no-report", "--junit", "out.xml"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("nothing was checked: 1 trial, 1 without a check"), "{text}");
    assert!(place.read("out.xml").contains("failures=\"0\" errors=\"0\" skipped=\"1\""));
}

/// A solver with a single sweep has a small error and solves nothing: the terminal says so and it is not accepted.
#[test]
fn an_engine_that_did_not_solve_is_not_accepted() {
    let place = Place::new("unsolved");
    place.write("slide.toml", &format!("{SCENARIO}{CHECK}").replace("bound = 0.001", "bound = 1"));
    let spec = "native:paradigm=stepping,solver=pgs,iters=1,residual=1e-15";
    let (code, text) = place.run(&["run", "slide.toml", "--no-report", "--engine", spec]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("read before trusting these numbers"), "{text}");
    assert!(text.contains("did not reach its residual in"), "{text}");
    assert!(text.contains("cannot tell") && text.contains("beyond 1 % nothing is accepted"), "{text}");
}

/// What a study expects of one check is compared with that check.
#[test]
fn an_expectation_of_one_check_is_consulted() {
    let place = Place::new("expect");
    let study = |answer: &str| {
        format!(
            "schema = 1\nname = \"s\"\nscenarios = [\"slide.toml\"]\nengines = [\"native\"]\n\n[[expect]]\n\
             scenarios = [\"slide\"]\nengines = [\"native\"]\ncheck = \"place\"\nanswer = \"{answer}\"\nwhy = \"because\"\n"
        )
    };
    place.write("good.toml", &study("accepted"));
    place.write("bad.toml", &study("rejected"));
    let (code, text) = place.run(&["study", "good.toml", "--no-report"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = place.run(&["study", "bad.toml", "--no-report"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("expected 'place' rejected: because"), "{text}");
}

/// The converged reference of a world whose bodies touch is not the run itself at its own step.
#[test]
fn a_contact_scene_is_held_to_a_reference_that_converged() {
    let place = Place::new("reference");
    let (code, text) = place.run(&["run", "slide.toml", "--no-report", "--json"]);
    assert_eq!(code, 0, "{text}");
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let check = &document["trials"][0]["checks"][0];
    let against = check["against"].as_str().unwrap();
    assert!(against.starts_with("converged: event driven") && against.contains("confirmed to"), "{against}");
    assert!(check["uncertainty"].as_f64().is_some_and(|u| u > 0.0), "{check}");
    place.write(
        "named.toml",
        "schema = 1\nname = \"s\"\nscenarios = [\"slide.toml\"]\nengines = [\"native\"]\nconverged = \"rapier\"\n",
    );
    let (_, text) = place.run(&["study", "named.toml", "--no-report", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let against = document["trials"][0]["checks"][0]["against"].as_str().unwrap();
    assert!(against.starts_with("reference engine rapier"), "{against}");
}

/// Nothing was run: that is neither a success nor a rejection.
#[test]
fn a_study_that_no_engine_can_express_could_not_run() {
    let place = Place::new("inexpressible");
    let compare = ["compare", "four_bar_2", "--engines", "rapier", "--no-report", "--junit", "out.xml"];
    let (code, text) = place.run(&compare);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("nothing could be run: 1 trial, 1 not expressible"), "{text}");
    assert!(place.read("out.xml").contains("errors=\"1\""));
}

/// A block on a slope of tan 0.30983 with friction around it.
const SLOPE: &str = r#"<mujoco model="slope"><option gravity="2.9 0 -9.36"/><worldbody>
  <geom name="floor" type="plane" size="5 5 0.1" friction="0 0 0"/>
  <body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1" friction="0.4 0 0"/></body>
</worldbody></mujoco>
"#;

const VARIED: &str = r#"schema = 1
name = "slopes"
scenarios = ["slope.toml"]
engines = ["native"]
steps_s = [0.001, 0.002]

[[vary]]
path = "world/slope/materials/surface1/friction/0"
also = ["world/slope/materials/surface1/friction/1"]
name = "friction"
values = [0.1, 0.2, 0.3, 0.4]
boundary = 0.005
"#;

/// Friction against step: named axes, a map, a ranking over the range, and the boundary where theory puts it.
#[test]
fn a_varied_study_has_a_map_and_a_boundary_at_the_angle_of_friction() {
    let place = Place::new("slopes");
    place.write("block.xml", SLOPE);
    let check = "\n[[checks]]\nname = \"stays\"\nmetric = \"displacement\"\nof = \"block\"\nbound = 0.0001\nreason = \"it holds\"\n";
    let scenario =
        SCENARIO.replace("name = \"slide\"", "name = \"slope\"").replace("duration_s = 0.5", "duration_s = 0.2");
    let (head, tail) = scenario.split_once("[start]").unwrap();
    let (_, tail) = tail.split_once("[record]").unwrap();
    place.write("slope.toml", &format!("{head}[record]{tail}{check}"));
    place.write("slopes.toml", VARIED);
    let (code, text) = place.run(&["study", "slopes.toml", "--json"]);
    assert_eq!(code, 1, "{text}");
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(document["axes"][0]["name"], "friction");
    let map = &document["maps"][0];
    assert_eq!((&map["columns"]["name"], &map["rows"]["name"]), (&"friction".into(), &"step".into()), "{map}");
    let verdicts = |row: usize| (0..4).map(|c| map["cells"][row][c]["verdict"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(verdicts(0), ["rejected", "rejected", "rejected", "accepted"], "{map}");
    let place_of = &document["range_leaderboards"][0]["places"][0];
    assert_eq!((place_of["accepted"].as_i64(), place_of["trials"].as_i64()), (Some(1), Some(4)));
    let boundaries = document["boundaries"].as_array().unwrap();
    assert_eq!(boundaries.len(), 2, "one for each step: {boundaries:?}");
    for found in boundaries {
        let [good, bad] = ["accepted", "not_accepted"].map(|key| found[key].as_f64().unwrap());
        // It holds from tan = 2.9 / 9.36 on; 0.1 mm in 0.2 s is an acceleration of 5 mm/s², 5e-4 of friction below it.
        assert!(bad < 2.9 / 9.36 && good > 2.9 / 9.36 - 6e-4, "{found}");
        assert!(good - bad <= 0.005 && found["located"] == true && found["trials_run"] == 5, "{found}");
    }
    // The terminal names the axis everywhere, and what was seen becomes what is expected.
    let (code, text) = place.run(&["study", "slopes.toml", "--no-report", "--write-expect", "slopes.toml"]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "varied: friction: 0.1, 0.2, 0.3, 0.4",
        "friction against step",
        "where acceptance ends",
        "with friction 0.1",
    ] {
        assert!(text.contains(part), "no '{part}' in {text}");
    }
    assert!(text.contains("8 [[expect]] entries written"), "{text}");
    let (code, text) = place.run(&["study", "slopes.toml", "--no-report", "--label", "first"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("all verdicts as expected"), "{text}");
    assert!(place.run(&["runs"]).1.contains("[first] 8 trials"));
    // Each run keeps its report.
    assert_eq!(place.run(&["report", "--run", "1"]).0, 0);
    let (code, text) = place.run(&["report", "--run", "first"]);
    assert!(code == 2 && text.contains("--no-report"), "{text}");
}

/// `compare --set` ranks the engines of the changed scenario, and its verdicts can become a study.
#[test]
fn a_changed_scenario_has_a_leaderboard_and_becomes_a_study() {
    let place = Place::new("set");
    let set = ["--set", "world/gravity/z=-3.7", "--no-report", "--write-expect", "gate.toml"];
    let (_, text) = place.run(&[&["compare", "slide.toml", "--engines", "native,rapier"][..], &set].concat());
    assert!(text.contains("slide with world/gravity/z=-3.7: position error"), "{text}");
    let (code, text) = place.run(&["study", "gate.toml", "--no-report"]);
    assert_eq!(code, 0, "{text}{}", place.read("gate.toml"));
    assert!(text.contains("all verdicts as expected: 2 trials"), "{text}");
}

/// Before the first trial: a controller that the step does not divide stops the study.
#[test]
fn a_step_that_a_controller_cannot_divide_stops_the_study_before_it_runs() {
    let place = Place::new("step");
    let (code, text) =
        place.run(&["compare", "ur10_control", "--engines", "native", "--step-s", "0.002", "--no-report"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("is not a whole number of the engine's steps"), "{text}");
    assert!(place.run(&["runs"]).1.lines().all(|line| !line.contains("ur10_control")), "a run was begun");
}
