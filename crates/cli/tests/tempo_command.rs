//! `veracity tempo run` through the binary: every option, no timing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn veracity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_veracity")).args(arguments).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tempo-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The pendulum study, shortened.
fn short(folder: &Path) -> String {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/tempo/pendulum.toml");
    let text = std::fs::read_to_string(study).unwrap().replace("duration_s = 10", "duration_s = 0.1");
    let file = folder.join("pendulum.toml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_string()
}

/// The whole workspace is built before its tests run; a test of this crate alone has no programs to start.
fn program_is_there() -> bool {
    let there = Path::new(env!("CARGO_BIN_EXE_veracity")).with_file_name("tempo-client").is_file();
    assert!(there || std::env::var_os("VERACITY_PYTHON").is_none(), "tempo-client is beside veracity");
    there
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).to_string() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn every_option_of_the_page() {
    if !program_is_there() {
        return;
    }
    let folder = folder("options");
    let file = short(&folder);
    let at = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (schedule, mcap, report, printed) = (at("s.jsonl"), at("m.mcap"), at("r.html"), at("printed"));

    let first = veracity(&[
        "tempo",
        "run",
        &file,
        "--json",
        "--schedule",
        &schedule,
        "--mcap",
        &mcap,
        "--report",
        &report,
        "--output",
        &printed,
    ]);
    // 1 if this machine stalled: then the controller was late, and the verdict says so.
    assert!(matches!(first.status.code(), Some(0 | 1)), "{}", text(&first));
    let document: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(document["schema"], "veracity-tempo/2");
    assert_eq!(document["clients"].as_array().map(Vec::len), Some(2));
    std::fs::write(folder.join("first.json"), &first.stdout).unwrap();
    let page = std::fs::read_to_string(&report).unwrap();
    for says in ["simple_pendulum", "planner", "The first ten steps", "Delta - h", "</html>"] {
        assert!(page.contains(says), "{says}");
    }
    assert!(
        page.matches("<svg").count() == 3 && page.matches("<rect").count() >= 10,
        "slices of ten steps are drawn"
    );
    assert!(folder.join("printed/pd.stdout").is_file());
    let bytes = std::fs::read(&mcap).unwrap();
    assert!(bytes.windows(12).any(|w| w == b"/tempo/steps"), "the programs' steps are a channel of the file");

    let again = veracity(&["tempo", "run", &file, "--json", "--replay-schedule", &schedule]);
    let replayed: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(replayed["mode"], "replay");
    assert_eq!(replayed["digest"], document["digest"], "the same motion, bit for bit");

    for (options, says) in [
        (vec!["--mode", "callback"], "the world stood still while they computed"),
        (vec!["--cpu-scale", "0.3"], "meets its rate on a CPU 0.3 times as fast"),
        (vec!["--no-real-time"], "without CAP_SYS_NICE"),
    ] {
        let mut arguments = vec!["tempo", "run", &file];
        arguments.extend(&options);
        let output = veracity(&arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{options:?}: {}", text(&output));
        assert!(text(&output).contains(says), "{options:?}: {}", text(&output));
    }
}

#[test]
fn the_json_is_as_its_schema_says() {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which makes the environment");
    };
    let folder = folder("schema");
    let output = veracity(&["tempo", "run", &short(&folder), "--json"]);
    std::fs::write(folder.join("it.json"), &output.stdout).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/tempo.json");
    let code = "import json, jsonschema, sys\n\
                schema, it = (json.load(open(p)) for p in sys.argv[1:])\n\
                jsonschema.Draft202012Validator.check_schema(schema)\n\
                jsonschema.validate(it, schema)\n\
                it['clients'][0]['misses'] = 'many'\n\
                try: jsonschema.validate(it, schema)\n\
                except jsonschema.ValidationError: sys.exit(0)\n\
                sys.exit('a wrong document passed')\n";
    let said = Command::new(python).args(["-c", code]).arg(schema).arg(folder.join("it.json")).output().unwrap();
    assert!(said.status.success(), "{}", text(&said));
}

#[test]
fn channels_are_listed_with_their_units() {
    let folder = folder("channels");
    let listed = veracity(&["tempo", "channels", &short(&folder)]);
    let printed = text(&listed);
    assert!(listed.status.success(), "{printed}");
    for name in ["pendulum/hinge/position", "efforts/pendulum/hinge", "drives/pendulum/hinge/target_speed", "forces/"]
    {
        assert!(printed.contains(name), "{name}: {printed}");
    }
    let json = veracity(&["tempo", "channels", &short(&folder), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let first = &json["commands"][0];
    assert!(first["name"].as_str().unwrap().starts_with("efforts/") && first["unit"] == "N m", "{first}");
}
