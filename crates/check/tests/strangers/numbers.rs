//! Mass, degrees of freedom and mass matrix, compared with a third-party library.

use nalgebra as na;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use veracity_dynamics::{System, Workspace, crba, kinematics};
use veracity_model::{JointId, World};

/// MuJoCo stores mesh vertices in f32, whose volume is a sum of cancelling terms; Pinocchio agrees to 1e-12.
const MASS: f64 = 1e-5;
/// Relative, each entry of the sorted diagonal: inertia is a fifth-order moment of the same f32 vertices.
const DIAGONAL: f64 = 1e-4;
/// Relative to the largest eigenvalue.
const EIGENVALUE: f64 = 1e-5;

/// A peer's answer for a file.
pub struct Peer {
    /// The name of the peer.
    pub name: String,
    /// Its answer.
    pub answer: Value,
}

impl Peer {
    /// Why it has no numbers.
    pub fn refused(&self) -> Option<&str> {
        self.answer["refused"].as_str()
    }
}

/// The independent judge's opinion on a file.
pub struct Opinion {
    /// `possible`, `impossible` or `open`.
    pub label: String,
    /// Its reasons.
    pub why: Vec<String>,
}

/// Asks the judge about files, in order.
pub fn opinions(python: &Path, files: &[PathBuf]) -> Vec<Opinion> {
    let texts = |value: &Value| {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let opinion =
        |answer: Value| Opinion { label: answer["label"].as_str().unwrap_or("").into(), why: texts(&answer["why"]) };
    answers(python, "judge.py", files).into_iter().map(opinion).collect()
}

/// Asks the peers about files, in order.
pub fn ask(python: &Path, files: &[PathBuf]) -> Vec<Peer> {
    let peer = |answer: Value| Peer { name: answer["peer"].as_str().unwrap_or("").to_string(), answer };
    answers(python, "strangers.py", files).into_iter().map(peer).collect()
}

/// Runs a script that reads file names; returns one JSON object for each file.
fn answers(python: &Path, script: &str, files: &[PathBuf]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
    let mut command = Command::new(python);
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("VERACITY_PYTHON runs");
    let mut input = child.stdin.take().expect("a pipe");
    let lines: String = files.iter().map(|f| format!("{}\n", f.display())).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("the peer answers");
    writer.join().expect("no panic").expect("the peer reads");
    let answers: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), files.len(), "the peer did not answer for every file");
    answers
}

/// The differences; empty if everything agrees.
pub fn differences(world: &World, peer: &Peer) -> Vec<String> {
    let mut out = Vec::new();
    let theirs = |key: &str| -> Vec<f64> {
        peer.answer[key].as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
    };
    let mass: f64 = world.placements.iter().map(|p| p.model.mass()).sum();
    let their_mass = peer.answer["mass"].as_f64().unwrap_or(f64::NAN);
    if !within(mass, their_mass, MASS * their_mass.abs() + 1e-12) {
        out.push(format!("mass {mass} kg, {} says {their_mass}", peer.name));
    }
    let system = match System::new(world) {
        Ok(system) => system,
        Err(why) => return vec![format!("no equations of motion: {why}")],
    };
    let dof = peer.answer["dof"].as_u64().unwrap_or(u64::MAX) as usize;
    if system.dof_count() != dof {
        out.push(format!("{} degrees of freedom, {} says {dof}", system.dof_count(), peer.name));
        return out;
    }
    let mut q = positions(world, &peer.answer["joints"]);
    kinematics::normalise(&system, &mut q);
    let mut ws = Workspace::new(&system);
    kinematics::positions(&system, &mut ws, &q);
    let mut rows = vec![0.0; dof * dof];
    crba::mass_matrix(&system, &mut ws, &mut rows);
    let matrix = na::DMatrix::from_row_slice(dof, dof, &rows);
    let mut diagonal: Vec<f64> = matrix.diagonal().iter().copied().collect();
    diagonal.sort_by(f64::total_cmp);
    let mut eigenvalues: Vec<f64> =
        if dof > 0 { matrix.symmetric_eigenvalues().iter().copied().collect() } else { vec![] };
    eigenvalues.sort_by(f64::total_cmp);
    let largest = eigenvalues.last().copied().unwrap_or(0.0).abs();
    for (what, ours, theirs, bound) in [
        ("diagonal", diagonal, theirs("diagonal"), None),
        ("eigenvalue", eigenvalues, theirs("eigenvalues"), Some(EIGENVALUE * largest)),
    ] {
        if ours.len() != theirs.len() {
            out.push(format!("{} numbers of the {what}, {} has {}", ours.len(), peer.name, theirs.len()));
        }
        let bound = |theirs: f64| bound.unwrap_or(DIAGONAL * theirs.abs() + 1e-15);
        let worst = ours.iter().zip(&theirs).find(|(a, b)| !within(**a, **b, bound(**b)));
        if let Some((a, b)) = worst {
            out.push(format!("{what} of the mass matrix {a:e}, {} says {b:e}", peer.name));
        }
    }
    out
}

/// Whether two numbers differ by at most the bound; false for NaN.
fn within(a: f64, b: f64, bound: f64) -> bool {
    (a - b).abs() <= bound
}

/// The file's own pose with the joints that the peer moved.
fn positions(world: &World, joints: &Value) -> Vec<f64> {
    let mut q = Vec::new();
    for placement in &world.placements {
        let model = &placement.model;
        let mut own = model.initial_positions();
        for (i, joint) in model.joints().iter().enumerate() {
            if let Some(value) = joints[joint.name.as_str()].as_f64() {
                own[model.position_offset(JointId(i))] = value;
            }
        }
        q.extend(own);
    }
    q
}
