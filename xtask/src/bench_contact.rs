//! `cargo xtask bench contact`: scenes with contact, on every installed engine, in the same run on one thread.
//!
//! All run through the engine contract in `crates/lab/examples/contact_speed.rs`: ours and Rapier in the process, the others
//! through their workers, the whole scene in one batch. MuJoCo also runs bare, by `bench/mujoco_contact.c` against its wheel.
//! They alternate, and the best round of each counts. Each speed is shown with its accuracy: how deep bodies overlap at the
//! end, and how far the body that should stay has moved. Bare MuJoCo's depth is that of its own contacts, all others' is
//! measured from the poses. The row of an engine that cannot express a scene, or fails, gives the reason.

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

/// A scene that all engines simulate.
struct Scene {
    title: &'static str,
    scenario: &'static str,
    /// The model file compiled for bare MuJoCo.
    file: &'static str,
    /// Actuation, as `bench/compile_contact_for_mujoco.py` reads it.
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

/// Specs that run in the process: ours with its defaults, and Rapier with its defaults and with stiff contacts.
const SPECS: &[&str] = &[
    "native:paradigm=stepping",
    "rapier:impulse",
    "rapier:contact_hz=1000,static_contact_hz=1000,allowed_error_m=1e-5",
    "rapier:multibody",
];

/// Specs of engines in workers; run if the worker was built.
const WORKERS: &[&str] = &[
    "ode:solver=world",
    "ode:solver=quick,iters=20",
    "bullet:coordinates=multibody",
    "bullet:coordinates=maximal",
    "dart:solver=dantzig",
    "dart:solver=pgs",
    "simbody",
    "mujoco:cone=elliptic",
    "mujoco:integrator=implicitfast,cone=elliptic,impratio=100",
    "mujoco@3.17:cone=elliptic",
    "physx:solver=pgs",
    "physx:solver=tgs",
    "physx:solver=tgs,iters=16",
];

/// Options of bare MuJoCo: its defaults with the elliptic cone, and the settings recommended for a firm grip.
const MUJOCO: &[&str] = &["cone=elliptic", "integrator=implicitfast,cone=elliptic,impratio=100"];

const ROUNDS: usize = 3;

/// Time limit of one run of one side [s]; the others need at most 15. Stiff contact integrated to an accuracy would take hours.
const MOST_S: u32 = 60;

/// Exit code of the coreutils' `timeout` when it ended a program.
const ENDED_BY_TIMEOUT: i32 = 124;

/// The numbers one side prints.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    steps_per_s: f64,
    penetration: f64,
    slip: f64,
    /// Whether every round gave the same motion.
    repeats: bool,
}

/// One line of the table, and how it is run.
struct Side {
    name: String,
    command: Command,
    /// Ours must repeat; a foreign engine that does not gets a remark in its row.
    must_repeat: bool,
    best: Option<Result<Measured, String>>,
}

/// Runs the benchmark; with `write`, updates the page.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let python = venv::ensure(workspace)?;
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    // The whole workspace, so that dependencies are not rebuilt with other features.
    let mut example = workspace.cargo(&["build", "--release", "--locked", "--example", "contact_speed"]);
    process::run(example.args(crate::engines::workspace_arguments(workspace)))?;
    let workers = workspace.target().join("release");
    let ours = workers.join("examples/contact_speed");
    let theirs = bench::build_against_mujoco(workspace, &python, &folder, "mujoco_contact")?;

    let mut table = Table::new(&["scene", "engine", "steps/s", "penetration at the end, m", "slip, m"]);
    for scene in SCENES {
        println!("{}: {ROUNDS} rounds", scene.title);
        let mut sides: Vec<Side> = Vec::new();
        let built = WORKERS.iter().filter(|spec| is_built(&workers, spec));
        for spec in SPECS.iter().chain(built) {
            let mut command = Command::new("timeout");
            command.arg(MOST_S.to_string()).arg(&ours).env("VERACITY_WORKERS", &workers);
            command.args([scene.scenario, spec, scene.body, scene.simulated_s]);
            sides.push(Side::new(*spec, command, SPECS.contains(spec)));
        }
        for (i, options) in MUJOCO.iter().enumerate() {
            let mjb = folder.join(format!("{}-{i}.mjb", scene.scenario));
            compile(workspace, &python, &folder, scene, options, &mjb)?;
            let mut command = Command::new(&theirs);
            command.current_dir(&folder).arg(&mjb).args([scene.body, scene.steps]);
            sides.push(Side::new(format!("bare mujoco:{options}"), command, true));
        }
        for _ in 0..ROUNDS {
            for side in &mut sides {
                side.round().with_context(|| format!("{} on {}", side.name, scene.title))?;
            }
        }
        for side in sides {
            let [speed, penetration, slip] = side.cells()?;
            table.row([scene.title.to_owned(), side.name, speed, penetration, slip]);
        }
    }
    let absent: Vec<&str> = WORKERS.iter().filter(|spec| !is_built(&workers, spec)).copied().collect();
    if !absent.is_empty() {
        println!("not installed: {}; run `cargo xtask engines` to build them", absent.join(", "));
    }
    println!("\n{}", table.text());
    if write {
        bench::write_section(workspace, "Contact", &section(workspace, &table)?)?;
    }
    Ok(())
}

/// Whether the worker of a spec was built: `mujoco@3.17` of `mujoco@3.17:cone=elliptic`.
fn is_built(workers: &Path, spec: &str) -> bool {
    let engine = spec.split_once(':').map_or(spec, |(engine, _)| engine);
    workers.join(format!("veracity-engine-{engine}")).is_file()
}

impl Side {
    fn new(name: impl Into<String>, command: Command, must_repeat: bool) -> Self {
        Self { name: name.into(), command, must_repeat, best: None }
    }

    /// Runs one more round, unless an earlier one failed: an engine that rejects a scene rejects it every time.
    fn round(&mut self) -> Result<()> {
        if matches!(self.best, Some(Err(_))) {
            return Ok(());
        }
        let (text, status) = process::output_and_status_of(&mut self.command)?;
        if status.code() == Some(ENDED_BY_TIMEOUT) {
            self.best = Some(Err(format!("too slow: not done after {MOST_S} s")));
            return Ok(());
        }
        ensure!(status.success(), "exit status: {status}");
        self.best = Some(match (self.best.take(), Measured::read(&text)?) {
            (Some(Ok(mut known)), Ok(now)) => {
                known.take_faster(&now);
                ensure!(
                    known.repeats || !self.must_repeat,
                    "two rounds gave different motions: {known:?} and {now:?}"
                );
                Ok(known)
            }
            (_, now) => now,
        });
        Ok(())
    }

    fn cells(&self) -> Result<[String; 3]> {
        Ok(match self.best.as_ref().context("at least one round")? {
            Ok(m) => {
                let speed = if m.repeats { String::new() } else { " (a different motion every round)".to_owned() };
                [format!("{:.0}{speed}", m.steps_per_s), format!("{:.1e}", m.penetration), format!("{:.1e}", m.slip)]
            }
            Err(why) => [why.clone(), String::new(), String::new()],
        })
    }
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
    let mujoco = venv::PINNED.iter().find(|line| line.starts_with("mujoco-core==")).context("MuJoCo is pinned")?;
    Ok(format!(
        "Written by `cargo xtask bench contact --write` on {}, commit {}, on {}; {mujoco}.\n\nSteps of 1 ms, one thread, {ROUNDS} \
         alternating rounds, the best of each; speed is steps over CPU time. Penetration is the deepest overlap of any two bodies \
         at\nthe end, measured from the poses (bare MuJoCo: the deepest of its own contacts); slip is the distance of the cube, or of the \
         Nao's torso, from its start.\nContact models differ: a soft contact is fast and deep. Engines other than ours \
         and Rapier run in their workers, the whole scene in one\nbatch, and the CPU time is that of both processes; bare MuJoCo \
         is a loop in C.\n\n{}",
        machine::today()?,
        machine::commit(workspace)?,
        machine::description()?,
        table.markdown()
    ))
}

impl Measured {
    /// The numbers, or the reason for their absence.
    fn read(line: &str) -> Result<Result<Self, String>> {
        let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
        if let Some(why) = json["no"].as_str() {
            // A cell of a table is one line.
            return Ok(Err(why.replace(['\n', '|'], " ")));
        }
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        let (steps_per_s, penetration, slip) = (number("steps_per_s")?, number("penetration")?, number("slip")?);
        Ok(Ok(Self { steps_per_s, penetration, slip, repeats: true }))
    }

    fn take_faster(&mut self, other: &Self) {
        self.repeats &= self.penetration == other.penetration && self.slip == other.slip;
        self.steps_per_s = self.steps_per_s.max(other.steps_per_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_round_is_kept_and_a_different_motion_is_detected() {
        let line = r#"{"steps_per_s": 1e5, "penetration": 1e-7, "slip": 2e-6, "spec": "native"}"#;
        let mut best = Measured::read(line).unwrap().unwrap();
        best.take_faster(&Measured { steps_per_s: 2e5, ..best.clone() });
        assert_eq!((best.steps_per_s, best.repeats), (2e5, true));
        best.take_faster(&Measured { slip: 1.0, ..best.clone() });
        assert!(!best.repeats);
        assert!(Measured::read("{}").is_err());
    }

    #[test]
    fn a_scene_an_engine_cannot_express_is_reported_in_its_row() {
        let mut echo = Command::new("echo");
        echo.arg(r#"{"no": "not expressible: contact"}"#);
        let mut side = Side::new("simbody", echo, false);
        side.round().unwrap();
        side.round().unwrap();
        assert_eq!(side.cells().unwrap()[0], "not expressible: contact");
    }

    #[test]
    fn a_timeout_is_reported_in_the_row() {
        let mut sleep = Command::new("timeout");
        sleep.args(["0.01", "sleep", "10"]);
        let mut side = Side::new("simbody", sleep, false);
        side.round().unwrap();
        assert!(side.cells().unwrap()[0].starts_with("too slow"));
    }

    #[test]
    fn a_different_motion_is_an_error_for_ours_and_a_remark_for_others() {
        let line = |slip: f64| format!(r#"{{"steps_per_s": 1e5, "penetration": 1e-7, "slip": {slip:e}}}"#);
        let two_rounds = |must_repeat: bool| {
            let mut echo = Command::new("echo");
            echo.arg(line(1e-6));
            let mut side = Side::new("x", echo, must_repeat);
            side.round().unwrap();
            side.command = Command::new("echo");
            side.command.arg(line(2e-6));
            side.round().and_then(|()| side.cells())
        };
        assert!(two_rounds(true).is_err());
        assert!(two_rounds(false).unwrap()[0].contains("a different motion"));
    }
}
