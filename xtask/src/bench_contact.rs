//! `cargo xtask bench contact`: scenes whose bodies touch, on our engine, on Rapier and on MuJoCo, in the same run on one thread.
//!
//! Ours and Rapier are `crates/lab/examples/contact_speed.rs`, through the one contract; MuJoCo is `bench/mujoco_contact.c`
//! against its wheel. They take turns, and the best round of each counts. A speed stands beside what it is worth: how deep
//! bodies are in each other at the end, and how far the body that should stay has moved. MuJoCo's depth is that of its own
//! contacts, the others' is measured from the poses.

use crate::bench;
use crate::machine;
use crate::process;
use crate::table::Table;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A scene all engines move.
struct Scene {
    title: &'static str,
    scenario: &'static str,
    /// What MuJoCo is compiled from.
    file: &'static str,
    /// What acts, as `bench/compile_contact_for_mujoco.py` reads it.
    commands: &'static str,
    /// The body that should stay, or `-`.
    body: &'static str,
    simulated_s: &'static str,
    steps: &'static str,
}

const SCENES: &[Scene] = &[
    Scene {
        title: "125 spheres",
        scenario: "balls_125",
        file: "scenarios/balls/balls_125.sdf",
        commands: "{}",
        body: "-",
        simulated_s: "2",
        steps: "2000",
    },
    Scene {
        title: "pinch",
        scenario: "pinch",
        file: "scenarios/pinch/pinch.sdf",
        commands: r#"{"forces": {"left_slider": 100, "right_slider": -100}}"#,
        body: "cube",
        simulated_s: "10",
        steps: "10000",
    },
    Scene {
        title: "Nao standing",
        scenario: "nao_standing",
        file: "scenarios/nao/nao_h25.urdf",
        commands: include_str!("../../bench/nao_stand.json"),
        body: "torso",
        simulated_s: "10",
        steps: "10000",
    },
];

/// Specs that run through the contract: ours as it stands by default, and Rapier as it comes and with stiff contacts.
const SPECS: &[&str] = &[
    "native:paradigm=stepping",
    "rapier:impulse",
    "rapier:contact_hz=1000,static_contact_hz=1000,allowed_error_m=1e-5",
    "rapier:multibody",
];

/// Options of MuJoCo: its own, with the true cone, and what its users are told to set for a firm grip.
const MUJOCO: &[&str] = &["cone=elliptic", "integrator=implicitfast,cone=elliptic,impratio=100"];

const ROUNDS: usize = 3;

/// What one side prints.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    steps_per_s: f64,
    penetration: f64,
    slip: f64,
}

/// Runs it; with `write` the page is updated.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let python = venv::ensure(workspace)?;
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    // The whole workspace, so that no other set of features is built for it.
    let mut example = workspace.cargo(&["build", "--release", "--locked", "--example", "contact_speed"]);
    process::run(example.args(crate::engines::workspace_arguments(workspace)))?;
    let ours = workspace.target().join("release/examples/contact_speed");
    let theirs = bench::build_against_mujoco(workspace, &python, &folder, "mujoco_contact")?;

    let mut table = Table::new(&["scene", "engine", "steps/s", "penetration at the end, m", "slip, m"]);
    for scene in SCENES {
        println!("{}: {ROUNDS} rounds", scene.title);
        let mut sides: Vec<(String, Command)> = Vec::new();
        for spec in SPECS {
            let mut command = Command::new(&ours);
            command.args([scene.scenario, spec, scene.body, scene.simulated_s]);
            sides.push(((*spec).to_owned(), command));
        }
        for (i, options) in MUJOCO.iter().enumerate() {
            let mjb = folder.join(format!("{}-{i}.mjb", scene.scenario));
            compile(workspace, &python, &folder, scene, options, &mjb)?;
            let mut command = Command::new(&theirs);
            command.current_dir(&folder).arg(&mjb).args([scene.body, scene.steps]);
            sides.push((format!("mujoco:{options}"), command));
        }
        let mut best: Vec<Option<Result<Measured, String>>> = vec![None; sides.len()];
        for _ in 0..ROUNDS {
            for ((name, command), best) in sides.iter_mut().zip(&mut best) {
                // What an engine refuses it refuses every time.
                if matches!(best, Some(Err(_))) {
                    continue;
                }
                let (text, status) = process::output_and_status_of(command)?;
                if !status.success() {
                    *best = Some(Err("refused or broke down; see above".to_owned()));
                    continue;
                }
                let now = Measured::read(&text)?;
                match best {
                    Some(Ok(known)) => {
                        known.take_faster(&now).with_context(|| format!("{name} on {}", scene.title))?
                    }
                    _ => *best = Some(Ok(now)),
                }
            }
        }
        for ((name, _), best) in sides.iter().zip(best) {
            let cells = match best.context("at least one round")? {
                Ok(m) => {
                    [format!("{:.0}", m.steps_per_s), format!("{:.1e}", m.penetration), format!("{:.1e}", m.slip)]
                }
                Err(why) => [why, String::new(), String::new()],
            };
            let [speed, penetration, slip] = cells;
            table.row([scene.title.to_owned(), name.clone(), speed, penetration, slip]);
        }
    }
    println!("\n{}", table.text());
    if write {
        bench::write_section(workspace, "Contact", &section(workspace, &table)?)?;
    }
    Ok(())
}

fn compile(
    workspace: &Workspace,
    python: &Path,
    folder: &Path,
    scene: &Scene,
    options: &str,
    mjb: &Path,
) -> Result<()> {
    let script = workspace.root.join("bench/compile_contact_for_mujoco.py");
    let mut command = Command::new(python);
    command
        .current_dir(folder)
        .arg(script)
        .arg(workspace.root.join(scene.file))
        .arg(mjb)
        .args([options, scene.commands]);
    process::run(&mut command).map(drop)
}

fn section(workspace: &Workspace, table: &Table) -> Result<String> {
    let mujoco = venv::PINNED.iter().find(|line| line.starts_with("mujoco==")).context("MuJoCo is pinned")?;
    Ok(format!(
        "Written by `cargo xtask bench contact --write` on {}, commit {}, on {}; {mujoco}.\n\nSteps of 1 ms, one thread, {ROUNDS} \
         rounds in turn, the best of each; speed is steps over CPU time. Penetration is the deepest overlap of any two bodies \
         at\nthe end, measured from the poses (MuJoCo: the deepest of its own contacts); slip is how far the cube, or the \
         Nao's torso, is from where it\nbegan. Contact models differ: a soft contact is fast and deep.\n\n{}",
        machine::today()?,
        machine::commit(workspace)?,
        machine::description()?,
        table.markdown()
    ))
}

impl Measured {
    fn read(line: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        Ok(Self { steps_per_s: number("steps_per_s")?, penetration: number("penetration")?, slip: number("slip")? })
    }

    fn take_faster(&mut self, other: &Self) -> Result<()> {
        let same = self.penetration == other.penetration && self.slip == other.slip;
        ensure!(same, "two rounds gave different motions: {self:?} and {other:?}");
        self.steps_per_s = self.steps_per_s.max(other.steps_per_s);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_round_counts_and_another_motion_is_an_error() {
        let line = r#"{"steps_per_s": 1e5, "penetration": 1e-7, "slip": 2e-6, "spec": "native"}"#;
        let mut best = Measured::read(line).unwrap();
        best.take_faster(&Measured { steps_per_s: 2e5, ..best.clone() }).unwrap();
        assert_eq!(best.steps_per_s, 2e5);
        assert!(best.take_faster(&Measured { slip: 1.0, ..best.clone() }).is_err());
        assert!(Measured::read("{}").is_err());
    }
}
