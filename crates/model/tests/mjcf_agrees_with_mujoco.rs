//! MuJoCo defines the meaning of an MJCF file: masses, frames, joints, shapes, actuators and contact pairs of every
//! file must equal those of MuJoCo's compiled model.
//!
//! Needs a Python with `mujoco`, `pybullet` and `gymnasium`, named by `VERACITY_PYTHON`; without it the tests print
//! that and pass.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use veracity_model::import::{ImportOptions, load};

mod mjcf_comparison;
use mjcf_comparison::differences;

/// Both sides compute in f64 from the same decimal numbers; sums over geoms and eigenvector products leave some
/// roundings, far below this.
const EXACT: f64 = 1e-9;
/// MuJoCo stores mesh vertices in f32.
const MESH: f64 = 3e-7;
/// MuJoCo uses a difference of 1e-6 m, on radii of 0.1 m; this importer uses the derivative.
const ELLIPSOID_SHELL: f64 = 1e-5;

#[test]
fn every_mjcf_in_the_wheels_loads_as_in_mujoco_or_is_refused_by_both() {
    let Some(peers) = ask_mujoco(&["--wheels".into()]) else { return };
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    for peer in &peers {
        let key = peer["key"].as_str().unwrap();
        let ours = load(Path::new(peer["file"].as_str().unwrap()), &ImportOptions::default());
        let verdict = match (&ours.world, peer.get("refused")) {
            (None, Some(reason)) => format!("refused by both ({})", reason.as_str().unwrap().lines().next().unwrap()),
            (Some(_), Some(_)) => "WRONG: loads here, MuJoCo refuses".into(),
            (None, None) => format!("WRONG: MuJoCo loads it, here: {}", ours.findings),
            (Some(world), None) => match differences(world, peer, EXACT) {
                list if list.is_empty() => match peer["repaired"].as_str() {
                    Some(repair) => format!("agrees, after a repair MuJoCo needs ({repair})"),
                    None => "agrees".into(),
                },
                list => format!("WRONG:\n    {}", list.join("\n    ")),
            },
        };
        lines.push(format!("{key}: {verdict}"));
        if verdict.starts_with("WRONG") {
            failures.push(lines.last().unwrap().clone());
        }
    }
    println!("{}", lines.join("\n"));
    // 26 files in pybullet_data and 14 in gymnasium: fewer means that the wheels were not found.
    assert!(lines.len() >= 40, "only {} files were found", lines.len());
    assert!(failures.is_empty(), "{} of {} files differ:\n{}", failures.len(), lines.len(), failures.join("\n"));
}

#[test]
fn our_own_documents_mean_the_same_to_mujoco() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "xml"));
    files.sort();
    assert!(!files.is_empty());
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let Some(peers) = ask_mujoco(&names) else { return };
    for (file, peer) in files.iter().zip(&peers) {
        let ours = load(file, &ImportOptions::default());
        let world = ours.world.unwrap_or_else(|| panic!("{}", ours.findings));
        assert_eq!(peer.get("refused"), None, "{}", file.display());
        let tolerance = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("meshes") => MESH,
            Some("inertia_ellipsoid_shell") => ELLIPSOID_SHELL,
            _ => EXACT,
        };
        let list = differences(&world, peer, tolerance);
        assert!(list.is_empty(), "{}:\n{}", file.display(), list.join("\n"));
    }
}

#[test]
fn made_up_documents_mean_the_same_to_mujoco() {
    let count = if std::env::var_os("VERACITY_FULL").is_some() { 1000 } else { 40 };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mjcf-random");
    std::fs::create_dir_all(&folder).unwrap();
    let arguments = ["--random".into(), count.to_string(), folder.display().to_string()];
    let Some(peers) = ask_mujoco(&arguments) else { return };
    // MuJoCo rejects a few of them, because of a moving body without mass.
    assert!(peers.len() > count * 9 / 10, "only {} of {count} were made", peers.len());
    for peer in &peers {
        let file = peer["file"].as_str().unwrap();
        let ours = load(Path::new(file), &ImportOptions::default());
        let list = differences(&ours.world.unwrap_or_else(|| panic!("{}", ours.findings)), peer, EXACT);
        assert!(list.is_empty(), "{file}:\n{}", list.join("\n"));
    }
}

#[test]
fn a_changed_mass_or_frame_is_noticed() {
    // The comparison itself must be able to fail.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf/joints.xml");
    let Some(peers) = ask_mujoco(&[file.display().to_string()]) else { return };
    let text = std::fs::read_to_string(&file).unwrap();
    for (old, new) in [("mass=\"2\"", "mass=\"2.0001\""), ("ref=\"20\"", "ref=\"20.01\""), ("damping=\"0.3\"", "")] {
        assert!(text.contains(old), "{old}");
        let changed = text.replace(old, new);
        let ours = veracity_model::import::load_bytes(changed.as_bytes(), &file, &ImportOptions::default());
        let list = differences(&ours.world.unwrap(), &peers[0], EXACT);
        assert!(!list.is_empty(), "{old} -> {new}");
    }
}

/// MuJoCo's description of these files; `None` without a Python.
fn ask_mujoco(arguments: &[String]) -> Option<Vec<Value>> {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        println!("VERACITY_PYTHON is not set: not compared with MuJoCo");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mujoco_model.py");
    let output = Command::new(python).arg(script).args(arguments).output().expect("VERACITY_PYTHON can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}
