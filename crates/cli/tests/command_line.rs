//! The command line through its binary: exit codes, messages, JSON.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The pendulum of the IFToMM benchmark: 1 kg at 1 m, from horizontal.
const PENDULUM: &str = r#"<robot name="pendulum">
  <link name="base"/>
  <link name="bob">
    <inertial><origin xyz="1 0 0"/><mass value="MASS"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>
"#;

fn veracity(arguments: &[&str]) -> Output {
    // Ignore this machine's workers: the tests cover what every machine has.
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).env_remove("NO_COLOR").env("VERACITY_WORKERS", "").output().unwrap()
}

/// Writes a file for one test.
fn write(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn pendulum(name: &str, mass: &str) -> String {
    write(name, &PENDULUM.replace("MASS", mass))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("ended by itself")
}

#[test]
fn a_sound_model_is_accepted_with_exit_code_0() {
    let file = pendulum("sound.urdf", "1");
    let output = veracity(&["check", &file]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 0, "{printed}");
    assert!(printed.contains("accepted"), "{printed}");
    assert!(printed.contains("1 dof, 1 kg"), "{printed}");
    // A pipe is not a terminal: no colours.
    assert!(!printed.contains('\x1b'));
}

#[test]
fn an_impossible_model_is_rejected_with_file_and_line_and_exit_code_1() {
    let file = pendulum("impossible.urdf", "-1");
    let output = veracity(&["check", &file]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 1, "{printed}");
    assert!(printed.contains(&format!("{file}:3: error[mass-not-positive]: body 'bob'")), "{printed}");
    assert!(printed.contains("rejected for"), "{printed}");
}

#[test]
fn what_cannot_be_read_is_exit_code_2() {
    let missing = veracity(&["check", "no/such/robot.urdf"]);
    assert_eq!(code(&missing), 2);
    assert!(text(&missing.stdout).contains("no/such/robot.urdf: error[file-read]: cannot be read"));
    let torn = write("torn.urdf", "<robot name='x'>\n<link");
    let output = veracity(&["check", &torn]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stdout).contains("no model could be read"));
    let other = write("other.urdf", "<html/>");
    assert_eq!(code(&veracity(&["check", &other])), 2);
    // A readable file with nothing to judge used to be rejected with exit code 1.
    let empty = write("empty.urdf", "<robot name='x'></robot>");
    let output = veracity(&["check", &empty]);
    assert_eq!(code(&output), 2, "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("no model could be read for"), "{}", text(&output.stdout));
}

#[test]
fn the_worst_of_several_files_decides() {
    let (good, bad) = (pendulum("good.urdf", "1"), pendulum("bad.urdf", "-1"));
    let output = veracity(&["check", &good, &bad, &good]);
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).contains("3 files: 2 accepted, 1 rejected"), "{}", text(&output.stdout));
    assert_eq!(code(&veracity(&["check", &bad, "no/such/file"])), 2);
}

#[test]
fn check_prints_valid_json_with_the_documented_fields() {
    let (good, bad) = (pendulum("json_good.urdf", "1"), pendulum("json_bad.urdf", "-1"));
    let output = veracity(&["check", "--json", &good, &bad, "no/such/file"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    assert_eq!(document["schema"], "veracity-check/1");
    assert_eq!(document["exit_code"], 2);
    assert_eq!(code(&output), 2);
    let files = document["files"].as_array().unwrap();
    assert_eq!(files[0]["verdict"], "accepted");
    assert_eq!(files[0]["summary"]["dof"], 1);
    assert_eq!(files[0]["findings"].as_array().unwrap().len(), 0);
    assert_eq!(files[1]["verdict"], "rejected");
    let finding = &files[1]["findings"][0];
    assert_eq!(finding["source"]["line"], 3);
    assert_eq!(finding["severity"], "error");
    assert!(finding["known"].is_null() && finding["text"].is_string() && finding["subject"].is_string());
    assert!(files[2]["verdict"].is_null() && files[2]["summary"].is_null());
}

#[test]
fn documented_fields_and_printed_fields_are_the_same() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let page = std::fs::read_to_string(page).unwrap();
    let file = pendulum("fields.urdf", "-1");
    let mut names = Vec::new();
    for arguments in [vec!["check", "--json", &file], vec!["run", "--json", &file, "--set", "bodies/bob/mass=1"]] {
        let output = veracity(&arguments);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
        field_names(&document, &mut names);
    }
    assert!(names.len() > 30);
    for name in names {
        let written = [format!("`{name}`"), format!("[].{name}"), format!("`{name}[]`"), format!("\"{name}\"")];
        assert!(written.iter().any(|w| page.contains(w)), "docs/json.md does not describe '{name}'");
    }
}

fn field_names(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => fields.iter().for_each(|(name, inner)| {
            names.push(name.clone());
            field_names(inner, names);
        }),
        serde_json::Value::Array(items) => items.iter().for_each(|inner| field_names(inner, names)),
        _ => {}
    }
}

#[test]
fn a_run_knows_its_error() {
    let file = pendulum("run.urdf", "1");
    // From horizontal under g = 9.81: the angle at 10 s of the benchmark, as a sine of position.
    let expected_x: f64 = 0.275087462576117;
    // With rows closer than steps the rows are the steps: both runs used to take the same steps and the error was 0.
    let rows_decide = ["--step-s", "0.5", "--every-s", "0.01"];
    for (integrator, steps) in [
        ("rk4", &["--step-s", "0.002"][..]),
        ("dop853", &["--step-s", "0.002"]),
        ("midpoint", &["--step-s", "0.002"]),
        ("euler", &["--step-s", "0.002"]),
        ("rk4", &rows_decide),
        ("midpoint", &rows_decide),
    ] {
        let output = veracity(&[&["run", &file, "--json", "--integrator", integrator], steps].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let last = document["rows"].as_array().unwrap().last().unwrap();
        let angle = last["q"][0].as_f64().unwrap();
        let claimed = last["position_error"].as_f64().unwrap();
        // x = cos(angle), so the error of the angle is that of x over the sine.
        let true_error = ((angle.cos() - expected_x) / angle.sin()).abs();
        // Richardson's estimate is the leading term: correct within a factor of two unless there is only rounding.
        assert!(true_error <= 2.0 * claimed + 1e-12, "{integrator}: {true_error:e} claimed {claimed:e}");
        assert!(claimed <= 2.0 * true_error + 1e-12, "{integrator}: {true_error:e} claimed {claimed:e}");
    }
}

#[test]
fn a_run_prints_a_table_and_writes_a_csv_file() {
    let file = pendulum("table.urdf", "1");
    let csv = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("table.csv").display().to_string();
    let output = veracity(&["run", &file, "--duration-s", "1", "--every-s", "0.25", "--csv", &csv]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(printed.contains("time_s") && printed.contains("hinge") && printed.contains("error:"), "{printed}");
    let rows = std::fs::read_to_string(csv).unwrap();
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines.len(), 6, "{rows}");
    assert!(lines[0].starts_with("time_s,") && lines[0].ends_with("q:hinge,v:hinge"), "{}", lines[0]);
    assert!(lines.iter().all(|l| l.split(',').count() == 8));
    assert!(lines[5].starts_with("1.0,"));
}

#[test]
fn a_run_starts_where_it_is_told_and_with_the_numbers_it_is_given() {
    let file = pendulum("start.urdf", "1");
    let hanging = std::f64::consts::FRAC_PI_2.to_string();
    let output = veracity(&["run", &file, "--json", "--start", &hanging, "--set", "bodies/bob/mass=3"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for row in document["rows"].as_array().unwrap() {
        // Hanging straight down it stays; 3 kg at 1 m below the origin.
        assert!((row["q"][0].as_f64().unwrap() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        assert!((row["energy_j"].as_f64().unwrap() + 3.0 * 9.81).abs() < 1e-9);
    }
}

#[test]
fn what_a_run_cannot_do_is_said_in_a_sentence_with_exit_code_2() {
    let file = pendulum("sentences.urdf", "1");
    for (arguments, sentence) in [
        (vec!["--integrator", "magic"], "there is no integrator 'magic'; there are euler, rk4"),
        (vec!["--start", "1,2"], "--start has 2 numbers, but this model has 1 positions"),
        (vec!["--start", "upright"], "neither a list of numbers nor a keyframe"),
        (vec!["--duration-s", "-1"], "--duration-s is -1; it must be a positive number"),
        (vec!["--set", "bodies/bob/mas=1"], "bodies/bob/mas"),
        (vec!["--set", "mass"], "write PATH=NUMBER"),
        (vec!["--every-s", "1e-9"], "more than a million"),
    ] {
        let output = veracity(&[vec!["run", file.as_str()], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains(sentence), "{said}");
    }
    assert_eq!(code(&veracity(&["run", "no/such/robot.urdf"])), 2);
    // The hinge has no inertia.
    let output = veracity(&["run", &pendulum("massless.urdf", "0")]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("joint 'hinge' (continuous) carries only 'bob', which has no mass"));
}

#[test]
fn a_motion_that_breaks_down_is_exit_code_1() {
    // A spring so stiff that a step of 0.1 s multiplies the motion by millions.
    let file = pendulum("stiff.urdf", "1");
    let stiff = ["--set", "joints/hinge/stiffness=1e9", "--integrator", "rk4", "--step-s", "0.1"];
    let output = veracity(&[vec!["run", file.as_str()], stiff.to_vec()].concat());
    assert_eq!(code(&output), 1, "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("broke down: "), "{}", text(&output.stdout));
}

#[test]
fn a_misspelt_command_gets_a_suggestion_and_help_says_what_there_is() {
    let output = veracity(&["chek"]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("similar subcommand exists: 'check'"));
    let help = text(&veracity(&["--help"]).stdout);
    for word in ["check", "run", "list", "Exit codes"] {
        assert!(help.contains(word), "{help}");
    }
    assert!(text(&veracity(&["--version"]).stdout).starts_with("veracity "));
    assert_eq!(code(&veracity(&[])), 2);
}

#[test]
fn lists_name_every_check_and_integrator_and_the_shipped_models() {
    let checks = text(&veracity(&["list", "checks"]).stdout);
    assert!(checks.lines().count() > 15 && checks.contains("inertia-triangle"), "{checks}");
    let integrators = text(&veracity(&["list", "integrators"]).stdout);
    assert!(integrators.contains("dop853") && integrators.contains("adaptive"), "{integrators}");
    let models = text(&veracity(&["list", "models"]).stdout);
    assert!(models.contains("pendulum.urdf"), "{models}");
    assert_eq!(code(&veracity(&["list", "nothing"])), 2);
    // Every registry is a list: one known entry of each.
    let all = text(&veracity(&["list"]).stdout);
    for (list, entry) in [
        ("solvers", "nsgs"),
        ("sensors", "imu"),
        ("readers", "c3d"),
        ("forms", "pendulum"),
        ("references", "converged"),
        ("comparisons", "self_consistency"),
        ("conditions", "dropped"),
        ("tasks", "grasp"),
        ("experiments", "gravity"),
        ("paradigms", "penalty"),
        ("experiment-checks", "controller-off-step"),
        ("suites", "quick"),
        ("policies", "round_robin"),
        ("splits", "blocks"),
        ("learners", "svr"),
    ] {
        let one = text(&veracity(&["list", list]).stdout);
        assert!(one.lines().any(|line| line.contains(entry)), "{list}: {one}");
        assert!(all.contains(&format!("{list}: ")), "{list} is not among all lists");
    }
}

#[test]
fn a_closed_pipe_is_no_trouble() {
    let file = pendulum("pipe.urdf", "-1");
    let mut child = Command::new(env!("CARGO_BIN_EXE_veracity"))
        .args(["check", "--json"])
        .args(vec![file.as_str(); 200])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // No reader: the pipe is closed before the first byte.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    // The verdict is unchanged.
    assert_eq!(code(&output), 1);
}

#[test]
fn a_walker_has_its_cycle_and_one_that_has_none_says_why() {
    let output = veracity(&["cycle", "rimless_wheel"]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 0, "{printed}{}", text(&output.stderr));
    assert!(printed.contains("rimless_wheel: stable") && printed.contains("as expected"), "{printed}");
    assert!(printed.contains("period 2.31001486"), "{printed}");
    // This scenario expects no cycle: exit code 0, with the reason.
    let output = veracity(&["cycle", "rimless_wheel_shallow"]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 0, "{printed}");
    assert!(printed.contains("no cycle") && printed.contains("does not pass midstance"), "{printed}");
    // A changed world is no longer compared with the expectation, and this one does not walk.
    let output = veracity(&["cycle", "rimless_wheel", "--set", "world/gravity/x=0.05", "--json"]);
    assert_eq!(code(&output), 1, "{}", text(&output.stdout));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["stability"], &document["expected"]), (&"no cycle".into(), &serde_json::Value::Null));
    assert_eq!(document["verdict"], "rejected");
}

#[test]
fn cycles_refuse_what_they_cannot_honour() {
    for (arguments, says) in [
        (&["cycle", "simple_pendulum"][..], "has no [cycle]"),
        (&["cycle", "rimless_wheel", "--engine", "rapier"], "only native locates strikes"),
        (&["cycle", "rimless_wheel", "--guess", "world/gravity/x=1"], "use --set"),
        (&["cycle", "rimless_wheel", "--guess", "start/v"], "write PATH=NUMBER"),
    ] {
        let output = veracity(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
}

#[test]
fn programs_that_cannot_be_run_in_step_are_refused_with_the_reason() {
    let file =
        |name: &str, rest: &str| write(name, &format!("scenario = \"simple_pendulum\"\nduration_s = 0.01\n{rest}"));
    let stranger = "[[clients]]\nname = \"it\"\nprogram = \"true\"\nkind = \"best_effort\"\n";
    for (name, rest, says) in [
        ("tempo_none.toml", "schema = 1\nclients = []\n".to_string(), "no client; add [[clients]]"),
        ("tempo_newer.toml", format!("schema = 9\n{stranger}"), "newer than this program"),
        ("tempo_key.toml", format!("schema = 1\n{stranger}rate = 3\n"), "tempo_key.toml:8: unknown field `rate`"),
        ("tempo_engine.toml", format!("schema = 1\nengine = \"none\"\n{stranger}"), "unknown engine 'none'"),
        ("tempo_stranger.toml", format!("schema = 1\n{stranger}"), "before it connected"),
    ] {
        let output = veracity(&["tempo", "run", &file(name, &rest)]);
        let printed = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(code(&output) == 2 && printed.contains(says), "{name}: {printed}");
    }
}

/// A ball that rolls along x at 0.4 m/s, sampled at 100 Hz, with one sample that is 30 mm off.
fn rolling() -> String {
    let mut text = String::new();
    for k in 0..400 {
        let (x, half) = (0.004 * f64::from(k), 0.5 * 0.004 * f64::from(k) / 0.041);
        let y = if k == 200 { 0.03 } else { 0.0 };
        let (seconds, ms) = (10 + k / 100, 10 * (k % 100));
        text += &format!("time(min:sec:ms): 20:{seconds}:{ms}\npos: {x:.6}, {y}, 0.041\n");
        text += &format!("quat: 0, {:.6}, 0, {:.6}\n\n", half.sin(), half.cos());
    }
    text
}

#[test]
fn a_recording_becomes_a_record_and_every_repair_is_told() {
    let file = write("rolling.txt", &rolling());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mocap-records");
    let (out, page) = (folder.display().to_string(), folder.join("steps.html"));
    std::fs::create_dir_all(&folder).unwrap();
    let report = page.display().to_string();
    let output = veracity(&["mocap", "clean", &file, "--out", &out, "--report", &report, "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["schema"], "veracity-mocap/1");
    assert_eq!(document["files"][0]["records"][0]["rows"], 400);
    let said = document["files"][0]["steps"].to_string();
    assert!(said.contains("samples 200 to 200 were interpolated between 199 and 201"), "{said}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("samples 200 to 200 are wrong"));
    let record = veracity_record::read_mcap(&folder.join("rolling.mcap")).unwrap();
    assert_eq!(record.digest().to_string(), document["files"][0]["records"][0]["digest"].as_str().unwrap());
    let twist = record.track.twist(100, 0);
    // Six digits of a position over two samples.
    assert!((twist[3] - 0.4).abs() < 1e-4 && (twist[1] - 0.4 / 0.041).abs() < 1e-2, "{twist:?}");

    let output = veracity(&["mocap", "inspect", &file]);
    let printed = text(&output.stdout);
    assert!(code(&output) == 0 && printed.contains("samples") && printed.contains("400"), "{printed}");
}

#[test]
fn recordings_that_cannot_be_read_say_why_with_exit_code_2() {
    let empty = write("empty_recording.txt", "");
    let good = write("rolling_too.txt", &rolling());
    for (arguments, says) in [
        (&["mocap", "inspect", &empty][..], "line 1: the file is empty"),
        (&["mocap", "clean", &empty, &good], "line 1: the file is empty"),
        (&["mocap", "clean", &good, "--centre", "l1"], "needs --body"),
        (&["mocap", "clean", &good, "--centre", "height"], "did not rotate about enough axes"),
        (&["mocap", "clean", &good, "--height-m", "5,6"], "no sample is valid"),
        (&["mocap", "clean", &good, "--centre-mm", "1,2"], "write 3 numbers"),
        (&["mocap", "clean", &good, "--most-samples", "10"], "--from-s and --to-s"),
    ] {
        let output = veracity(arguments);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(code(&output) == 2 && said.contains(says), "{arguments:?}: {said}");
    }
}

#[test]
fn an_audit_tells_what_became_of_every_number_as_a_table_and_as_json() {
    let table = veracity(&["audit", "native", "--only", "gravity"]);
    assert_eq!(code(&table), 0, "{}", text(&table.stderr));
    let shown = text(&table.stdout);
    assert!(shown.contains("gravity-z") && shown.contains("honoured") && shown.contains("0 WRONG"), "{shown}");
    assert!(shown.contains("repeatable"), "{shown}");

    let printed = veracity(&["audit", "native", "rapier", "--only", "gravity", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(document["schema"], "veracity-audit/1");
    assert_eq!(document["engines"][1]["engine"], "rapier");
    let gravity = &document["engines"][0]["parameters"][2];
    assert_eq!((gravity["name"].as_str(), gravity["verdict"].as_str()), (Some("gravity-z"), Some("honoured")));
    assert!((gravity["measured"].as_f64().unwrap() / gravity["given"].as_f64().unwrap() - 1.0).abs() < 1e-6);

    let markdown = veracity(&["audit", "native", "--only", "gravity", "--markdown"]);
    assert!(text(&markdown.stdout).contains("| gravity-z |"), "{}", text(&markdown.stdout));
}

#[test]
fn an_audit_of_nothing_is_exit_code_2_with_a_sentence() {
    for (arguments, said) in [
        (vec!["audit", "natve"], "unknown engine 'natve'"),
        (vec!["audit", "native:colour=red"], "has no setting 'colour'"),
        (vec!["audit", "native", "--only", "colour"], "no number has a name"),
    ] {
        let output = veracity(&arguments);
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}
