//! `paths`, `run --set`, `init --model`, task conditions and `[stop]`, through the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of this test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tasks-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_veracity")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &[&str], code: i32) -> serde_json::Value {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

const BALL: &str = r#"<robot name="ball"><link name="ball">
  <inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"#;

const FALL: &str = r#"schema = 1
name = "falling_ball"
duration_s = 2
[world]
models = [{ file = "ball.urdf", base = "free" }]
gravity_m_s2 = [0, 0, -9.81]
[start.bodies.ball]
position_m = [0, 0, 2]
[[checks]]
name = "down"
metric = "fell"
of = "ball"
below_m = 0.5
reason = "Lower than this it cannot be caught."
[stop]
when = ["down"]
"#;

fn falling() -> Place {
    let place = Place::new("fall");
    std::fs::write(place.0.join("ball.urdf"), BALL).unwrap();
    std::fs::write(place.0.join("fall.toml"), FALL).unwrap();
    place
}

#[test]
fn json_says_when_a_condition_came_true_and_what_stopped_the_trial() {
    let place = falling();
    let fell = place.json(&["run", "fall.toml", "--json"], 1);
    let trial = &fell["trials"][0];
    let (check, stopped) = (&trial["checks"][0], &trial["stopped"]);
    // √(2 · 1.5 m / 9.81 m/s²), known to half of the 10 ms between rows.
    let exact = (3.0f64 / 9.81).sqrt();
    let at = check["condition"]["at_s"].as_f64().unwrap();
    assert!((at - exact).abs() <= check["condition"]["error_s"].as_f64().unwrap() + 1e-9, "{check}");
    assert_eq!((&check["condition"]["happened"], &check["bound"]), (&true.into(), &serde_json::Value::Null));
    assert!((stopped["at_s"].as_f64().unwrap() - 0.56).abs() < 1e-9 && stopped["check"] == "down", "{stopped}");
    // A hundredth of the gravity: 2 s are not enough for 1.5 m.
    let floats = place.json(&["run", "fall.toml", "--json", "--set", "world/gravity/z=-0.0981"], 0);
    let trial = &floats["trials"][0];
    assert_eq!((&trial["stopped"], &trial["verdict"]), (&serde_json::Value::Null, &"accepted".into()));
    assert_eq!(trial["checks"][0]["condition"]["followed_until_s"], 2.0);
    assert_eq!(trial["overrides"][0]["path"], "world/gravity/z");
}

#[test]
fn paths_lists_numbers_with_units_and_set_takes_them() {
    let place = falling();
    let all = place.json(&["paths", "fall.toml", "--json"], 0);
    let numbers = all["numbers"].as_array().unwrap();
    let find = |path: &str| numbers.iter().find(|n| n["path"] == path).unwrap_or_else(|| panic!("no {path}"));
    let mass = find("world/ball/bodies/ball/mass");
    assert_eq!((&mass["value"], &mass["unit"], &mass["settable"]), (&1.0.into(), &"kg".into(), &true.into()));
    assert_eq!(find("world/gravity/z")["unit"], "m/s²");
    assert_eq!(find("duration_s")["unit"], "s");
    // Every listed path can be set to the value shown.
    for number in numbers.iter().filter(|n| n["settable"] == true && n["value"].is_number()) {
        let (path, value) = (number["path"].as_str().unwrap(), &number["value"]);
        if path.starts_with("start/q") || path == "duration_s" {
            let set = format!("{path}={value}");
            let output = place.run(&["run", "fall.toml", "--set", &set, "--json"]);
            assert_eq!(output.status.code(), Some(1), "{set}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let some = place.run(&["paths", "ball.urdf", "--grep", "MASS"]);
    let text = String::from_utf8(some.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("bodies/ball/mass") && text.trim_end().ends_with("kg"), "{text}");
    let none = place.run(&["paths", "ball.urdf", "--grep", "wheel"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(1), 0));
    // A path that does not exist is reported with the nearest one; in a world with one model it needs no world/MODEL/.
    let wrong = place.run(&["run", "fall.toml", "--set", "bodies/ball/mas=2"]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(2) && said.contains("bodies/ball/mass"), "{said}");
}

#[test]
fn models_are_listed_outside_the_repository() {
    // The test folder lies inside the repository; the system's temporary folder does not.
    let output = Command::new(env!("CARGO_BIN_EXE_veracity"))
        .args(["list", "models"])
        .current_dir(std::env::temp_dir())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("pendulum/pendulum.urdf"), "{text}");
    assert!(text.contains("used by simple_pendulum"), "{text}");
}

const ARM: &str = r#"<robot name="little arm">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="hand"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="3"/></joint>
  <link name="hand"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.04 0.16 0.1"/></geometry></collision></link>
  <joint name="left" type="prismatic"><parent link="hand"/><child link="left_finger"/><origin xyz="0 0.02 0.2"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.03" effort="100" velocity="1"/></joint>
  <link name="left_finger"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.03 0.01 0.08"/></geometry></collision></link>
  <joint name="right" type="prismatic"><parent link="hand"/><child link="right_finger"/><origin xyz="0 -0.02 0.2"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.03" effort="100" velocity="1"/></joint>
  <link name="right_finger"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.03 0.01 0.08"/></geometry></collision></link>
</robot>"#;

/// The tasks of `init` that this arm can do.
const TASKS: [&str; 3] = ["grasp", "track", "drop"];

#[test]
fn init_writes_scenarios_for_a_model_that_are_accepted_as_they_are() {
    let place = Place::new("init");
    std::fs::write(place.0.join("arm.urdf"), ARM).unwrap();
    for task in TASKS {
        let output = place.run(&["init", task, "--model", "arm.urdf", "--task", task]);
        assert!(output.status.success(), "{task}: {}", String::from_utf8_lossy(&output.stderr));
        let file = Path::new(task).join(format!("little_arm_{task}.toml"));
        let result = place.json(&["run", file.to_str().unwrap(), "--json"], 0);
        let trial = &result["trials"][0];
        assert_eq!(trial["verdict"], "accepted", "{task}: {}", trial["reason"]);
    }
    let walk = place.run(&["init", "walk", "--model", "arm.urdf", "--task", "walk"]);
    let said = String::from_utf8_lossy(&walk.stderr).into_owned();
    assert!(walk.status.code() == Some(2) && said.contains("only 'little arm/base' is on the floor"), "{said}");
    // The grasp can be lost: without a squeeze the block falls.
    let output = place.run(&[
        "run",
        "grasp/little_arm_grasp.toml",
        "--json",
        "--set",
        "controllers/squeeze/efforts/little arm~1left=0",
        "--set",
        "controllers/squeeze/efforts/little arm~1right=0",
    ]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(result["trials"][0]["verdict"], "rejected");
    assert_eq!(result["trials"][0]["stopped"]["check"], "held");
}

/// A gripper with one jaw on a hinge, which closes on a plate of the palm.
const JAW: &str = r#"<robot name="clamp">
  <link name="palm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0.03 0.06"/><geometry><box size="0.03 0.01 0.08"/></geometry></collision>
    <collision><geometry><box size="0.06 0.1 0.02"/></geometry></collision></link>
  <joint name="close" type="revolute"><parent link="palm"/><child link="jaw"/><origin xyz="0 -0.03 0.02"/><axis xyz="1 0 0"/>
    <limit lower="-0.4" upper="1.2" effort="10" velocity="3"/></joint>
  <link name="jaw"><inertial><origin xyz="0 0 0.04"/><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.04"/><geometry><box size="0.03 0.01 0.08"/></geometry></collision></link>
</robot>"#;

#[test]
fn one_jaw_is_opened_until_it_faces_the_palm_and_holds_a_block_there() {
    let place = Place::new("jaw");
    std::fs::write(place.0.join("clamp.urdf"), JAW).unwrap();
    let output = place.run(&["init", "g", "--model", "clamp.urdf", "--task", "grasp"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(place.0.join("g/clamp_grasp.toml")).unwrap();
    assert!(text.contains("\"clamp/jaw\", \"clamp/palm\""), "{text}");
    // Parallel at an angle of zero; the steps of the search are a tenth of the range and the surfaces may be 2 degrees off.
    let close = text.lines().find_map(|l| l.strip_prefix("\"clamp/close\" = ")).unwrap();
    assert!(close.parse::<f64>().unwrap().abs() < 0.06, "{close}");
    let result = place.json(&["run", "g/clamp_grasp.toml", "--json"], 0);
    assert_eq!(result["trials"][0]["verdict"], "accepted", "{}", result["trials"][0]["reason"]);
}

/// Two fingers on sliders with much dry friction and damping, whose pads are 8 mm wide; each pad is on a hinge with a motor of
/// its own.
const NARROW: &str = r#"<robot name="narrow">
  <link name="palm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.06 0.1 0.02"/></geometry></collision></link>
  <joint name="left" type="prismatic"><parent link="palm"/><child link="left_finger"/><origin xyz="0 0.02 0.02"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.03" effort="20" velocity="1"/><dynamics friction="2" damping="100"/></joint>
  <link name="left_finger"><inertial><mass value="0.05"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="left_pad" type="revolute"><parent link="left_finger"/><child link="left_tip"/><origin xyz="0 0 0.04"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="0.5" effort="5" velocity="3"/></joint>
  <link name="left_tip"><inertial><mass value="0.02"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.008 0.006 0.036"/></geometry></collision></link>
  <joint name="right" type="prismatic"><parent link="palm"/><child link="right_finger"/><origin xyz="0 -0.02 0.02"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.03" effort="20" velocity="1"/><dynamics friction="2" damping="100"/></joint>
  <link name="right_finger"><inertial><mass value="0.05"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="right_pad" type="revolute"><parent link="right_finger"/><child link="right_tip"/><origin xyz="0 0 0.04"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="0.5" effort="5" velocity="3"/></joint>
  <link name="right_tip"><inertial><mass value="0.02"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.008 0.006 0.036"/></geometry></collision></link>
</robot>"#;

#[test]
fn narrow_pads_on_stiff_fingers_with_several_motors_hold_a_block() {
    let place = Place::new("narrow");
    std::fs::write(place.0.join("narrow.urdf"), NARROW).unwrap();
    let output = place.run(&["init", "g", "--model", "narrow.urdf", "--task", "grasp"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(place.0.join("g/narrow_grasp.toml")).unwrap();
    // The motors at the palm close; those of the pads hold.
    let (held, squeezed) = text.split_once("name = \"squeeze\"").unwrap();
    let efforts: Vec<f64> = ["left", "right"]
        .iter()
        .filter_map(|side| squeezed.lines().find_map(|l| l.strip_prefix(&format!("\"narrow/{side}\" = "))))
        .map(|effort| effort.parse().unwrap())
        .collect();
    // The dry friction of 2 N is overcome first.
    assert!(efforts.len() == 2 && efforts.iter().all(|effort| *effort < -2.0), "{squeezed}");
    assert!(held.contains("\"narrow/left_pad\" = { kp") && !squeezed.contains("_pad\" ="), "{text}");
    let result = place.json(&["run", "g/narrow_grasp.toml", "--json"], 0);
    assert_eq!(result["trials"][0]["verdict"], "accepted", "{}", result["trials"][0]["reason"]);
}

/// The folder of the Python packages with public robots; `None`, with a message, where they are not installed.
fn public_robots() -> Option<PathBuf> {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        assert!(std::env::var_os("CI").is_none(), "VERACITY_PYTHON is not set; run `cargo xtask test`");
        eprintln!("SKIPPED: VERACITY_PYTHON is not set; `cargo xtask venv` prints what to set it to");
        return None;
    };
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let site = Command::new(python).args(["-c", ask]).output().unwrap();
    let site = String::from_utf8(site.stdout).unwrap();
    Some(PathBuf::from(site.trim()))
}

/// Robots of the packages example-robot-data and pybullet.
const ROBOTS: &str = "cmeel.prefix/share/example-robot-data/robots";
const BULLET: &str = "pybullet_data";

/// What a newcomer gets: a file of a public robot, a task, and `None` if the scenario is accepted as it is written, by the
/// native engine and by Rapier, or part of the sentence that says why this robot cannot do this task.
const NEWCOMER: &[(&str, &str, &str, Option<&str>)] = &[
    (ROBOTS, "panda_description/urdf/panda.urdf", "grasp", None),
    (ROBOTS, "panda_description/urdf/panda.urdf", "track", None),
    (ROBOTS, "panda_description/urdf/panda.urdf", "walk", Some("does not stand on two legs")),
    (ROBOTS, "ur_description/urdf/ur5_robot.urdf", "track", None),
    (ROBOTS, "ur_description/urdf/ur5_robot.urdf", "drop", None),
    (ROBOTS, "ur_description/urdf/ur5_robot.urdf", "grasp", Some("no gripper was found")),
    (ROBOTS, "go2_description/urdf/go2.urdf", "walk", None),
    (ROBOTS, "tiago_description/robots/tiago.urdf", "grasp", Some("no two surfaces face each other")),
    (ROBOTS, "talos_data/robots/talos_reduced.urdf", "walk", None),
    (
        ROBOTS,
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        "walk",
        Some("hang below every collision shape"),
    ),
    (BULLET, "xarm/xarm6_with_gripper.urdf", "grasp", None),
];

#[test]
fn a_newcomer_gets_a_verdict_or_a_reason_for_robots_nobody_here_wrote() {
    let Some(site) = public_robots() else { return };
    // MuJoCo where its worker was built; it cannot express meshes that are not convex; that is not a failure.
    let mujoco = Path::new(env!("CARGO_BIN_EXE_veracity")).with_file_name("veracity-engine-mujoco").is_file();
    let engines = if mujoco { "native,rapier:multibody,mujoco" } else { "native,rapier:multibody" };
    for (package, robot, task, refused) in NEWCOMER {
        let place = Place::new(&format!("newcomer-{}-{task}", robot.split('/').next().unwrap()));
        let model = site.join(package).join(robot);
        let init = place.run(&["init", "mine", "--model", model.to_str().unwrap(), "--task", task]);
        let said = String::from_utf8_lossy(&init.stderr).into_owned();
        if let Some(reason) = refused {
            assert!(init.status.code() == Some(2) && said.contains(reason), "{robot} {task}: {said}");
            assert!(!place.0.join("mine").exists(), "{robot} {task}: a rejected task writes nothing");
            continue;
        }
        assert!(init.status.success(), "{robot} {task}: {said}");
        // The scenario of the command that init prints, as it is: no file is edited.
        let printed = String::from_utf8(init.stdout).unwrap();
        let next = printed.lines().find_map(|line| line.strip_prefix("now: veracity ")).unwrap();
        let scenario = next.split_whitespace().nth(1).unwrap();
        // `compare` does not repeat the trial of `run`; `report` draws the page of the last run again.
        for (arguments, first) in [
            (vec!["run", scenario], "accepted: 1 trial, 1 accepted"),
            (vec!["compare", scenario, "--engines", engines], "accepted: "),
            (vec!["report"], ""),
        ] {
            let output = place.run(&arguments);
            let text = String::from_utf8(output.stdout).unwrap();
            let wrong = String::from_utf8(output.stderr).unwrap();
            let shown = format!("{robot} {task}, {arguments:?}: {text}\n{wrong}");
            assert_eq!(output.status.code(), Some(0), "{shown}");
            assert!(text.lines().next().unwrap_or_default().starts_with(first), "{shown}");
            if arguments[0] == "compare" {
                // Then the answer, which names an accepted engine.
                let answer = text.lines().nth(1).unwrap_or_default();
                assert!(answer.starts_with("for ") && answer.contains(" at 1 ms"), "{shown}");
                assert!(!text.contains("rejected") && !text.contains("failed"), "{shown}");
            }
        }
        let report = place.0.join("veracity-results/index.html");
        assert!(std::fs::metadata(report).is_ok_and(|m| m.len() > 10_000), "{robot} {task}: no report");
    }
}

#[test]
fn engines_says_what_is_installed_and_how_to_get_the_rest() {
    let place = Place::new("engines");
    let run = |workers: &Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
        let output = command.args(arguments).current_dir(&place.0).env("VERACITY_WORKERS", workers).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), text.concat())
    };
    let empty = place.0.join("empty");
    std::fs::create_dir(&empty).unwrap();
    let (code, text) = run(&empty, &["engines"]);
    let line = |text: &str, name: &str| text.lines().find(|l| l.starts_with(name)).unwrap().to_string();
    assert!(code == Some(0) && line(&text, "native").contains("built in"), "{text}");
    assert!(line(&text, "mujoco").contains("not built") && text.contains("cargo xtask engines mujoco"), "{text}");
    // An engine that is missing: the error names the command.
    let (code, text) = run(&empty, &["run", "simple_pendulum", "--engine", "mujoco"]);
    assert!(code == Some(2) && text.contains("run `veracity engines install mujoco`"), "{text}");
    let (code, text) = run(&empty, &["run", "simple_pendulum", "--engine", "nothing"]);
    assert!(code == Some(2) && !text.contains("install"), "{text}");
    let (code, text) = run(&empty, &["engines", "install", "mujoco"]);
    assert!(code == Some(2) && text.contains("has no program veracity-engine-mujoco"), "{text}");
    // A worker that ends at once, as one whose library is missing.
    let broken = place.0.join("broken");
    std::fs::create_dir(&broken).unwrap();
    let copied = Command::new("cp").arg("/bin/false").arg(broken.join("veracity-engine-ode")).status().unwrap();
    assert!(copied.success());
    let (code, text) = run(&broken, &["engines"]);
    let ode = line(&text, "ode");
    assert!(code == Some(1) && ode.contains("does not start") && ode.contains("engines install ode"), "{text}");
}
