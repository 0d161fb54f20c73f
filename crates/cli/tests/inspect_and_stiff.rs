//! `veracity inspect` compared with closed forms and with MuJoCo, start velocities of `run`, and stiff models through
//! the binary.

use std::path::PathBuf;
use std::process::{Command, Output};

/// An arm of two hinges and a slider, next to a ball that penetrates the floor slightly.
const ARM: &str = r#"<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="upper" pos="0 0 1">
      <inertial pos="0.2 0.01 -0.03" mass="2.5" diaginertia="0.03 0.05 0.04"/>
      <joint name="shoulder" type="hinge" axis="0 1 0" damping="0.3" armature="0.01"/>
      <body name="lower" pos="0.4 0.1 0">
        <inertial pos="0.15 -0.02 0.01" mass="1.2" diaginertia="0.01 0.02 0.02"/>
        <joint name="elbow" type="hinge" axis="1 0 0" damping="0.1"/>
        <body name="rod" pos="0.3 0 0.05">
          <inertial pos="0.05 0 0" mass="0.4" diaginertia="0.001 0.002 0.002"/>
          <joint name="slide" type="slide" axis="0 0 1"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="1.5 0 0.0995">
      <freejoint name="free"/>
      <inertial pos="0.01 0 0" mass="0.7" diaginertia="0.003 0.003 0.003"/>
      <geom name="ball" type="sphere" size="0.1"/>
    </body>
  </worldbody>
  <keyframe>
    <key name="bent" qpos="0.3 -0.4 0.05 1.5 0 0.0995 1 0 0 0" qvel="0.5 -0.7 0.2 0.1 0.2 0.3 -0.4 0.6 0.8"/>
  </keyframe>
</mujoco>
"#;

/// MuJoCo's values for the keyframe, as JSON.
const MUJOCO: &str = r#"
import json, sys
import mujoco, numpy
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
full = numpy.zeros((model.nv, model.nv))
try:
    mujoco.mj_fullM(model, full, data.qM)
except (TypeError, AttributeError):
    mujoco.mj_fullM(model, data, full)
contacts = [{"gap": data.contact[i].dist, "pos": data.contact[i].pos.tolist(), "normal": data.contact[i].frame[:3].tolist()}
            for i in range(data.ncon)]
bodies = {model.body(i).name: {"pos": data.xpos[i].tolist(), "quat": data.xquat[i].tolist()} for i in range(1, model.nbody)}
print(json.dumps({"mass": full.tolist(), "bias": data.qfrc_bias.tolist(), "bodies": bodies, "contacts": contacts}))
"#;

fn write(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn veracity(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).env("NO_COLOR", "1").env("VERACITY_WORKERS", "").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = veracity(arguments);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Index in MuJoCo's velocities of each of ours: a free joint's rotation comes first here and last there.
const MUJOCO_OF_OURS: [usize; 9] = [0, 1, 2, 6, 7, 8, 3, 4, 5];

#[test]
fn inspect_agrees_with_mujoco() {
    let file = write("inspected.xml", ARM);
    let ours = json(&["inspect", &file, "--at", "bent", "--json"]);
    assert_eq!(ours["schema"], "veracity-inspect/1");
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        println!("VERACITY_PYTHON is not set: not compared with MuJoCo");
        return;
    };
    let output = Command::new(python).args(["-c", MUJOCO, &file]).output().expect("VERACITY_PYTHON runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let theirs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Entries of order one from inertias given with three digits; both sides are double precision.
    let near = |a: f64, b: f64, what: &str| assert!((a - b).abs() < 1e-11, "{what}: {a} and {b}");
    let mut mass = vec![vec![0.0; 9]; 9];
    for block in ours["mass_matrix"].as_array().unwrap() {
        let first = block["first"].as_u64().unwrap() as usize;
        for (i, row) in block["rows"].as_array().unwrap().iter().enumerate() {
            numbers(row).into_iter().enumerate().for_each(|(j, x)| mass[first + i][first + j] = x);
        }
    }
    let (bias, their_bias) = (numbers(&ours["bias"]), numbers(&theirs["bias"]));
    for i in 0..9 {
        near(bias[i], their_bias[MUJOCO_OF_OURS[i]], &format!("bias {i}"));
        for j in 0..9 {
            let row = numbers(&theirs["mass"][MUJOCO_OF_OURS[i]]);
            near(mass[i][j], row[MUJOCO_OF_OURS[j]], &format!("mass {i} {j}"));
        }
    }
    for body in ours["bodies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|b| theirs["bodies"].get(b["name"].as_str().unwrap()).is_some())
    {
        let name = body["name"].as_str().unwrap();
        let other = &theirs["bodies"][name];
        let (place, turn) = (numbers(&body["position_m"]), numbers(&body["rotation_wxyz"]));
        numbers(&other["pos"]).iter().zip(&place).for_each(|(a, b)| near(*a, *b, name));
        let turned = numbers(&other["quat"]);
        let sign = if turned[0] * turn[0] < 0.0 { -1.0 } else { 1.0 };
        turned.iter().zip(&turn).for_each(|(a, b)| near(*a, sign * b, name));
    }
    let (contacts, their_contacts) = (ours["contacts"].as_array().unwrap(), theirs["contacts"].as_array().unwrap());
    assert_eq!((contacts.len(), their_contacts.len()), (1, 1), "{ours}");
    near(contacts[0]["gap_m"].as_f64().unwrap(), their_contacts[0]["gap"].as_f64().unwrap(), "gap");
    let middle = |k: usize| 0.5 * (numbers(&contacts[0]["point_a_m"])[k] + numbers(&contacts[0]["point_b_m"])[k]);
    (0..3).for_each(|k| near(middle(k), numbers(&their_contacts[0]["pos"])[k], "contact point"));
}

#[test]
fn inspect_tells_what_a_pendulum_is() {
    let model = r#"<robot name="p"><link name="base"/><link name="bob">
      <inertial><origin xyz="2 0 0"/><mass value="3"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
      <dynamics damping="0.5"/></joint></robot>"#;
    let file = write("inspected.urdf", model);
    let found = json(&["inspect", &file, "--velocity", "hinge=2", "--json"]);
    // m l² = 12; gravity pulls with m g l about +y; damping takes 0.5 · 2; m l² ω²/2 = 24 J.
    assert!((found["mass_matrix"][0]["rows"][0][0].as_f64().unwrap() - 12.0).abs() < 1e-13, "{found}");
    assert!((found["bias"][0].as_f64().unwrap().abs() - 6.0 * 9.80665).abs() < 0.1, "{found}");
    assert_eq!(found["passive"][0].as_f64(), Some(-1.0));
    assert!((found["kinetic_energy_j"].as_f64().unwrap() - 24.0).abs() < 1e-12);
    let shown = text(&veracity(&["inspect", &file]).stdout);
    assert!(shown.contains("mass matrix") && shown.contains("contacts: 0 points"), "{shown}");
    let wrong = veracity(&["inspect", &file, "--at", "nowhere"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("--at 'nowhere' is neither a list of numbers nor a keyframe"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn a_run_starts_with_the_velocity_it_is_given() {
    let file = write("thrown.xml", ARM);
    let run = |speeds: &str| {
        json(&["run", &file, "--start", "bent", "--start-velocity", speeds, "--duration-s", "0.01", "--json"])
    };
    let first = |document: &serde_json::Value| numbers(&document["rows"][0]["v"]);
    assert_eq!(first(&run("1,2,3,0,0,0,0,0,4")), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0]);
    // By name: the others keep the keyframe's values.
    let named = first(&run("elbow=-3,free.vz=1"));
    assert_eq!((named[0], named[1], named[8]), (0.5, -3.0, 1.0), "{named:?}");
    for (speeds, why) in
        [("1,2", "has 2 numbers, but this model has 9 velocities"), ("knee=1", "there is no velocity 'knee'")]
    {
        let output = veracity(&["run", &file, "--start-velocity", speeds]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

/// A hinge of 1e-3 kg m² with strong damping.
fn damped(name: &str, damping: &str) -> String {
    let model = r#"<robot name="p"><link name="base"/><link name="rod">
      <inertial><origin xyz="0.1 0 0"/><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="knee" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
      <dynamics damping="DAMPING"/></joint></robot>"#;
    write(name, &model.replace("DAMPING", damping))
}

/// Such a model used to run for hours without a message: 1e9 steps for a second.
#[test]
fn a_stiff_model_is_found_out_and_run_implicitly() {
    let file = damped("stiff.urdf", "1e5");
    let output = veracity(&["run", &file, "--duration-s", "1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("the motion is stiff: the damping of 'knee'"), "{said}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["integrator"], &document["switched"]["from"]), (&"implicit".into(), &"dop853".into()));
    // It creeps down at m g l / d.
    let rows = document["rows"].as_array().unwrap();
    let angle = numbers(&rows[rows.len() - 1]["q"])[0].abs();
    assert!((angle / (0.1 * 9.81 * 0.1 / 1e5) - 1.0).abs() < 1e-2, "{angle}");
    assert!(document["cost"]["steps"].as_u64().unwrap() < 10_000, "{}", document["cost"]);
    // Weak damping is left to the accurate method.
    let soft = json(&["run", &damped("soft.urdf", "0.01"), "--duration-s", "1", "--json"]);
    assert_eq!((&soft["integrator"], soft["switched"].is_null()), (&"dop853".into(), true));
}

#[test]
fn too_much_damping_is_not_blamed_on_the_mass() {
    let file = damped("overdamped.urdf", "1e11");
    let output = veracity(&["run", &file, "--duration-s", "1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("the damping of 'knee', 1.0e11"), "{}", text(&output.stderr));
    // An explicit method chosen by the user: the message names what it cannot follow.
    for integrator in ["rk4", "euler"] {
        let output = veracity(&["run", &file, "--duration-s", "1", "--integrator", integrator, "--json"]);
        let said = text(&output.stdout);
        assert!(said.contains("the damping of 'knee', 1.0e11") && !said.contains("mass"), "{integrator}: {said}");
    }
}
