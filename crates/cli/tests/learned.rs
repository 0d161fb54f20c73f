//! `veracity regress` and `veracity mocap score` through the binary: verdicts, exit codes, JSON validated against its
//! schema.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn full() -> bool {
    std::env::var("VERACITY_FULL").is_ok()
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("learned-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Without this machine's workers and recordings, unless the full size is requested.
fn veracity(arguments: &[&str], everything: bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).env("NO_COLOR", "1");
    if !everything {
        command.env("VERACITY_WORKERS", "").env_remove("VERACITY_DATA");
    }
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn document(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)))
}

/// Validates a document against a schema of docs/schema, and shows that the schema rejects it without one of its parts.
fn held_to_schema(folder: &Path, document: &serde_json::Value, schema: &str, without: &str) {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which makes the environment");
    };
    let file = folder.join("document.json");
    std::fs::write(&file, document.to_string()).unwrap();
    let script = "
import json, sys, jsonschema
schema, document = (json.load(open(p)) for p in sys.argv[1:3])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(document, schema)
way = sys.argv[3].split('/')
inner = document
for part in way[:-1]:
    inner = inner[int(part) if part.isdigit() else part]
del inner[way[-1]]
try:
    jsonschema.validate(document, schema)
    sys.exit(sys.argv[3] + ' is missing and was let through')
except jsonschema.ValidationError:
    pass
";
    let schema = Path::new(ROOT).join("docs/schema").join(schema);
    let checked = Command::new(python).args(["-c", script]).arg(schema).arg(file).arg(without).output().unwrap();
    assert!(checked.status.success(), "{}", said(&checked));
}

/// The shipped study with a known truth, reduced: five offsets, a plane instead of a map of support vectors.
fn small_study(folder: &Path, friction: f64) -> String {
    let text = std::fs::read_to_string(Path::new(ROOT).join("studies/weazelball/known_truth.toml")).unwrap();
    let scenario = Path::new(ROOT).join("studies/weazelball/scenario/weazelball_rolls.toml");
    let text = text
        .replace("scenario/weazelball_rolls.toml", &scenario.display().to_string())
        .replace("values = [-4, -3, -2, -1, 0, 1, 2, 3, 4]\nruns = 3", "values = [-4, -2, 0, 2, 4]\nruns = 2\nduration_s = 15")
        .replace(
            "values = [1.5]\nruns = 2",
            &format!("values = [1.5]\nruns = 1\nduration_s = 15\nset = {{ \"world/weazelball/materials/shell~1ball/friction/0\" = {friction}, \"world/weazelball/materials/shell~1ball/friction/1\" = {friction} }}"),
        )
        .replace("permutations = 19", "permutations = 0")
        .replace(
            "kind = \"svr\"\ngamma = 0.05\nc = 10\nepsilon = 0.1\ntolerance = 1e-2",
            "kind = \"linear\"\nridge = 1e-3",
        );
    let file = folder.join("study.toml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn a_regression_answers_with_a_verdict_a_page_and_a_document() {
    let folder = folder("regress");
    let study = small_study(&folder, 0.5);
    let page = folder.join("page");
    let output = veracity(&["regress", &study, "--json", "--out", &page.display().to_string()], false);
    let found = document(&output);
    let assessment = &found["assessment"];
    // Two runs of 15 s of five values say little, but correctly: the interval contains the truth, or it cannot be
    // determined.
    let (low, high) = (assessment["estimate"]["low"].as_f64(), assessment["estimate"]["high"].as_f64());
    assert!(low.is_some_and(|x| x < 1.5) && high.is_some_and(|x| x > 1.5), "{assessment}");
    let accepted = assessment["verdict"] == "accepted";
    assert_eq!(output.status.code(), Some(if accepted { 0 } else { 1 }), "{}", said(&output));
    assert_eq!(found["behaviour"].as_array().unwrap().len(), 5);
    held_to_schema(&folder, &found, "regress.json", "assessment/verdict");
    let html = std::fs::read_to_string(page.join("index.html")).unwrap();
    for part in ["Held-out pieces", "Distributions", "<svg", "leakage"] {
        assert!(html.contains(part), "the page has no '{part}'");
    }
    let printed = said(&veracity(&["regress", &study], false));
    for part in ["held out by", "leakage", "support:", "wobble"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn the_tutorial_of_calibration_finds_the_truth_and_goes_on_where_it_stopped() {
    let folder = folder("calibrate");
    let file = Path::new(ROOT).join("studies/pendulum_damping/calibration.toml").display().to_string();
    let store = folder.join("store").display().to_string();
    let output = veracity(&["calibrate", &file, "--out", &store, "--json"], false);
    let found = document(&output);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Damping and length the recordings were made with, by another program.
    for (k, truth) in [(0, 0.12), (1, 1.05)] {
        let parameter = &found["fit"]["parameters"][k];
        let (low, high) = (parameter["low"].as_f64().unwrap(), parameter["high"].as_f64().unwrap());
        assert!(low < truth && truth < high && high / low < 1.2, "{parameter}");
    }
    assert_eq!(found["fit"]["scores"].as_array().unwrap().len(), 3);
    let again = veracity(&["calibrate", &file, "--out", &store], false);
    let printed = said(&again);
    assert!(
        printed.starts_with("accepted: all recordings are reproduced") && printed.contains(" 0 trials run"),
        "{printed}"
    );
    // What cannot be run is said with exit code 2.
    let wrong = veracity(&["calibrate", &file, "--out", &store, "--engine", "nobody"], false);
    assert!(wrong.status.code() == Some(2) && said(&wrong).contains("nobody"), "{}", said(&wrong));
}

#[test]
fn what_a_regression_cannot_do_is_said_with_exit_code_2() {
    let folder = folder("regress-errors");
    let shipped = |name: &str| Path::new(ROOT).join("studies/weazelball").join(name).display().to_string();
    let study = small_study(&folder, 0.5);
    let text = std::fs::read_to_string(&study).unwrap();
    let broken = |name: &str, from: &str, to: &str| {
        let file = folder.join(name);
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        file.display().to_string()
    };
    for (file, says) in [
        (shipped("published_ode.toml"), "--data or VERACITY_DATA"),
        (broken("key.toml", "permutations", "permutation"), "key.toml:"),
        (broken("engine.toml", "native:paradigm=stepping", "nobody"), "there is no engine 'nobody'"),
        (broken("path.toml", "parameters/offset", "parameters/ofset"), "parameters/ofset"),
        (folder.join("nothing.toml").display().to_string(), "nothing.toml"),
    ] {
        let output = veracity(&["regress", &file], false);
        assert!(output.status.code() == Some(2) && said(&output).contains(says), "{file}: {}", said(&output));
    }
    // An engine other than the study's: one that is not installed, and one for training data that is not simulated.
    for (file, engine, says) in [
        (study, "nobody", "there is no engine 'nobody'"),
        (shipped("published_ode.toml"), "rapier", "leave --engine out"),
    ] {
        let output = veracity(&["regress", &file, "--engine", engine], false);
        assert!(output.status.code() == Some(2) && said(&output).contains(says), "{file}: {}", said(&output));
    }
}

/// Tosses by our engine, written as a table like the recorded one: the truth is known.
fn made_up_tosses(folder: &Path) -> String {
    let data = folder.join("data/cube-toss");
    std::fs::create_dir_all(&data).unwrap();
    // Flights only, each cut where a corner may touch: what follows is simulated below, and scored against itself.
    let mut table = String::from("toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
    for toss in 0..4 {
        let spin = [2.0 - f64::from(toss), 3.0, -1.5 + f64::from(toss)];
        let rate = (spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]).sqrt();
        for k in 0..40 {
            let t = f64::from(k) / 148.0;
            let z = 0.25 + 0.3 * t - 4.905 * t * t;
            let (s, c) = (0.5 * rate * t).sin_cos();
            let q = [c, s * spin[0] / rate, s * spin[1] / rate, s * spin[2] / rate];
            let vz = 0.3 - 9.81 * t;
            table += &format!(
                "{toss},{t:.9},{:.12},{:.12},{z:.12},{:.12},{:.12},{:.12},{:.12},0.8,-0.3,{vz:.12},{},{},{}\n",
                0.8 * t,
                -0.3 * t,
                q[0],
                q[1],
                q[2],
                q[3],
                spin[0],
                spin[1],
                spin[2]
            );
        }
    }
    std::fs::write(data.join("tosses.csv"), table).unwrap();
    folder.join("data").display().to_string()
}

#[test]
fn tosses_are_scored_on_every_engine() {
    let folder = folder("tosses");
    let study = Path::new(ROOT).join("studies/cube_toss/engines.toml").display().to_string();
    let out = folder.join("results").display().to_string();
    let data = made_up_tosses(&folder);
    let small = ["mocap", "score", &study, "--out", &out, "--json", "--data", &data];
    let engines =
        ["--engine", "native:paradigm=stepping", "--engine", "native:paradigm=penalty", "--engine", "rapier"];
    let output = veracity(&[&small[..], &engines].concat(), false);
    let found = document(&output);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let scores = &found["scores"];
    assert_eq!((scores["tosses"].as_u64(), scores["left_out"].as_array().map(Vec::len)), (Some(4), Some(0)));
    // The table's cubes fly on through the floor; while they fly, a simulation with the given start agrees with them:
    // with the protocol's own start the three samples before the table cost nothing, and what follows is known to be
    // wrong.
    let rows = scores["engines"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let errors = |k: usize| rows[k]["position_percent"]["estimate"].as_f64().unwrap();
    let stays = scores["stays"]["position_percent"]["estimate"].as_f64().unwrap();
    for (k, row) in rows.iter().enumerate() {
        assert_eq!(row["finished"], 4, "{row}");
        assert!(errors(k) > 0.0 && errors(k) < stays, "{k}: {} of {stays}", errors(k));
    }
    held_to_schema(&folder, &found, "tosses.json", "scores/engines/0/position_percent");
    // Everything is stored: a second run runs nothing and gives the same result.
    let again = document(&veracity(&[&small[..], &engines].concat(), false));
    assert_eq!(again["scores"]["engines"][0]["of_toss"], found["scores"]["engines"][0]["of_toss"]);

    let none = veracity(&["mocap", "score", &study, "--out", &out], false);
    assert!(none.status.code() == Some(2) && said(&none).contains("--data or VERACITY_DATA"), "{}", said(&none));
    let absent =
        veracity(&[&small[..5], &["--data", &data, "--engine", "nobody", "--engine", "rapier"]].concat(), false);
    assert!(absent.status.code() == Some(0) && said(&absent).contains("not installed:"), "{}", said(&absent));
}

#[test]
fn every_engine_is_scored_on_the_recorded_tosses() {
    if !full() {
        return;
    }
    let data = std::env::var("VERACITY_DATA").expect("VERACITY_DATA names the folder of recorded data");
    let folder = folder("recorded-tosses");
    let study = Path::new(ROOT).join("studies/cube_toss/engines.toml").display().to_string();
    let out = folder.join("results").display().to_string();
    let output = veracity(&["mocap", "score", &study, "--out", &out, "--json", "--data", &data], true);
    let found = document(&output);
    let scores = &found["scores"];
    let stays = scores["stays"]["position_percent"]["estimate"].as_f64().unwrap();
    for row in scores["engines"].as_array().unwrap() {
        let number = |part: &str| row[part]["estimate"].as_f64().or(row[part].as_f64()).unwrap_or(f64::NAN);
        let (position, rotation) = (number("position_percent"), number("rotation_deg"));
        println!(
            "ACCEPT toss-scores: {} {} on {} tosses: {position:.1} ± {:.1} % of the width, {rotation:.1} ± {:.1} degrees",
            row["engine"].as_str().unwrap(),
            row["label"].as_str().unwrap(),
            row["finished"],
            number("position_std"),
            number("rotation_std")
        );
        assert_eq!(row["finished"], scores["tosses"], "{}", row["failures"]);
        // Not a ranking: an engine that does no better than a cube that stays in the air does not model the scene.
        assert!(position < 0.5 * stays, "{position} of {stays}");
    }
    assert!(scores["engines"].as_array().unwrap().len() >= 5, "{scores}");
}
