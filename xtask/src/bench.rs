//! `cargo xtask bench dynamics`: our RK4 compared with MuJoCo's, on the same robots, in the same run, on one thread.
//!
//! Ours is `crates/dynamics/examples/rk4_speed.rs`, theirs is `bench/mujoco_rk4.c`, compiled here against the library
//! and headers of MuJoCo's wheel. The two alternate, so that a busy machine slows both, and the best round of each
//! counts: noise only ever reduces speed. Neither side has contacts, limits, damping or sensors.

use crate::bench_contact;
use crate::bench_lab;
use crate::bench_mocap;
use crate::bench_regress;
use crate::bench_report;
use crate::bench_tempo;
use crate::bench_workers;
use crate::machine;
use crate::process;
use crate::table::Table;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A robot that both sides simulate.
struct Subject {
    name: &'static str,
    urdf: &'static str,
    /// `fixed`: at rest in the zero position under gravity. `free`: floating without gravity, every joint turning.
    base: &'static str,
}

const SUBJECTS: &[Subject] = &[
    Subject { name: "10-link chain", urdf: "scenarios/chain/chain10.urdf", base: "fixed" },
    // With locked fingers: without limits, free fingers would fly off.
    Subject { name: "UR10, hand locked", urdf: "scenarios/ur10/ur10_welded.urdf", base: "fixed" },
    Subject { name: "Nao H25, floating", urdf: "scenarios/nao/nao_h25.urdf", base: "free" },
];

/// Steps of 1 ms in a round: 10 s of motion.
const STEPS: &str = "10000";
const ROUNDS: usize = 41;

/// The speed ratio we want to reach, at an energy error no larger than MuJoCo's.
const WANTED_RATIO: f64 = 3.0;

/// Both sides use the same method, so their errors differ by rounding only: up to this ratio they count as equal.
const EQUAL_ERROR: f64 = 1.01;

/// Both sides integrate the same smooth motion with the same method: after 0.2 s the kinetic energies differ by rounding
/// only. A different mass, axis or gravity exceeds this bound.
const SAME_MOTION: f64 = 1e-9;

/// The numbers one side prints.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    dofs: f64,
    steps_per_s: f64,
    early_error: f64,
    energy_error: f64,
    kinetic_at_probe: f64,
}

/// Files that differ from the commit, as `git status` lists them.
fn tree_changes(workspace: &Workspace) -> Result<String> {
    let mut git = Command::new("git");
    process::output_of(git.args(["status", "--porcelain"]).current_dir(&workspace.root))
}

/// A table names the commit it was measured on: with uncommitted changes that would be false.
fn refuse_dirty(changes: &str) -> Result<()> {
    let files = changes.lines().count();
    if files > 0 {
        let first = changes.lines().next().unwrap_or_default().trim();
        bail!("{files} file(s) differ from the commit, the first `{first}`; commit or stash them before --write");
    }
    Ok(())
}

/// Runs the named benchmark.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|a| a == "--write") {
        refuse_dirty(&tree_changes(workspace)?)?;
    }
    let write = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["dynamics"] => false,
        ["dynamics", "--write"] => true,
        ["lab"] => return bench_lab::run(workspace, false),
        ["lab", "--write"] => return bench_lab::run(workspace, true),
        ["contact"] => return bench_contact::run(workspace, false),
        ["contact", "--write"] => return bench_contact::run(workspace, true),
        ["regress"] => return bench_regress::run(workspace, false),
        ["regress", "--write"] => return bench_regress::run(workspace, true),
        ["tempo"] => return bench_tempo::run(workspace, false),
        ["tempo", "--write"] => return bench_tempo::run(workspace, true),
        ["mocap"] => return bench_mocap::run(workspace, false),
        ["mocap", "--write"] => return bench_mocap::run(workspace, true),
        ["report"] => return bench_report::run(workspace, false),
        ["report", "--write"] => return bench_report::run(workspace, true),
        ["workers"] => return bench_workers::run(workspace, false),
        ["workers", "--write"] => return bench_workers::run(workspace, true),
        _ => bail!("usage: cargo xtask bench dynamics|lab|contact|regress|mocap|report|tempo|workers [--write]"),
    };
    let python = venv::ensure(workspace)?;
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    let ours = build_ours(workspace)?;
    let theirs = build_against_mujoco(workspace, &python, &folder, "mujoco_rk4")?;

    let mut table = Table::new(&[
        "robot",
        "velocities",
        "ours, steps/s",
        "MuJoCo, steps/s",
        "ratio",
        "energy error in 2 s, ours",
        "MuJoCo",
        "in 10 s, ours",
        "MuJoCo",
        "3x at no larger error",
    ]);
    for subject in SUBJECTS {
        println!("{}: {ROUNDS} rounds of {STEPS} steps each", subject.name);
        let (our_best, their_best) = measure(workspace, &python, &folder, &ours, &theirs, subject)?;
        let ratio = our_best.steps_per_s / their_best.steps_per_s;
        let reached = ratio >= WANTED_RATIO && our_best.early_error <= EQUAL_ERROR * their_best.early_error;
        table.row([
            subject.name.to_owned(),
            format!("{}", our_best.dofs),
            format!("{:.0}", our_best.steps_per_s),
            format!("{:.0}", their_best.steps_per_s),
            format!("{ratio:.2}"),
            format!("{:.1e}", our_best.early_error),
            format!("{:.1e}", their_best.early_error),
            format!("{:.1e}", our_best.energy_error),
            format!("{:.1e}", their_best.energy_error),
            if reached { "yes" } else { "no" }.to_owned(),
        ]);
    }
    println!("\n{}", table.text());
    if write {
        write_section(workspace, "Dynamics", &section(workspace, &table)?)?;
    }
    Ok(())
}

/// Runs the rounds, alternating. The speed is each side's best; the other numbers must be the same in every round.
fn measure(
    workspace: &Workspace,
    python: &Path,
    folder: &Path,
    ours: &Path,
    theirs: &Path,
    subject: &Subject,
) -> Result<(Measured, Measured)> {
    let urdf = workspace.root.join(subject.urdf);
    let stem = urdf.file_stem().context("a robot's file has a name")?.to_string_lossy().into_owned();
    let (mjb, start) = (folder.join(format!("{stem}.mjb")), folder.join(format!("{stem}-start.txt")));
    let script = workspace.root.join("bench/compile_for_mujoco.py");
    // In the folder of the benchmark, because MuJoCo writes its log to the current folder.
    process::run(Command::new(python).current_dir(folder).arg(script).args([&urdf, &mjb, &start]).arg(subject.base))?;

    let mut best: Option<(Measured, Measured)> = None;
    for _ in 0..ROUNDS {
        let our = Measured::read(&process::output_of(Command::new(ours).arg(&urdf).args([subject.base, STEPS]))?)?;
        let their = Measured::read(&process::output_of(
            Command::new(theirs).current_dir(folder).args([&mjb, &start]).arg(STEPS),
        )?)?;
        println!("  ours {:.0}, MuJoCo {:.0} steps/s", our.steps_per_s, their.steps_per_s);
        let (our_best, their_best) = best.get_or_insert((our, their));
        our_best.take_faster(our).with_context(|| format!("ours on {}", subject.name))?;
        their_best.take_faster(their).with_context(|| format!("MuJoCo on {}", subject.name))?;
    }
    let (our, their) = best.context("at least one round")?;
    same_motion(&our, &their).with_context(|| format!("the two sides give different motions of {}", subject.name))?;
    Ok((our, their))
}

fn same_motion(our: &Measured, their: &Measured) -> Result<()> {
    ensure!(our.dofs == their.dofs, "{} velocities against {}", our.dofs, their.dofs);
    let (ours, theirs) = (our.kinetic_at_probe, their.kinetic_at_probe);
    let apart = (ours - theirs).abs() / theirs;
    // Written so that a NaN fails.
    ensure!(apart <= SAME_MOTION, "kinetic energy after 0.2 s is {ours} J against {theirs} J");
    Ok(())
}

impl Measured {
    /// From the one line of JSON both programs print.
    fn read(line: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        Ok(Self {
            dofs: number("dofs")?,
            steps_per_s: number("steps_per_s")?,
            early_error: number("early_error")?,
            energy_error: number("energy_error")?,
            kinetic_at_probe: number("kinetic_at_probe")?,
        })
    }

    fn take_faster(&mut self, other: Self) -> Result<()> {
        let same = self.energy_error == other.energy_error && self.kinetic_at_probe == other.kinetic_at_probe;
        ensure!(same, "two rounds gave different motions: {self:?} and {other:?}");
        self.steps_per_s = self.steps_per_s.max(other.steps_per_s);
        Ok(())
    }
}

fn build_ours(workspace: &Workspace) -> Result<PathBuf> {
    let arguments = ["build", "--release", "--locked", "-p", "veracity-dynamics", "--example", "rk4_speed"];
    process::run(&mut workspace.cargo(&arguments))?;
    Ok(workspace.target().join("release/examples/rk4_speed"))
}

/// Compiles `bench/NAME.c` against the library and headers of MuJoCo's wheel.
pub fn build_against_mujoco(workspace: &Workspace, python: &Path, folder: &Path, name: &str) -> Result<PathBuf> {
    let wheel = venv::site_packages(python)?.join("mujoco");
    let library = library_in(&wheel)?;
    let program = folder.join(name);
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-I"]).arg(wheel.join("include"));
    compiler.arg(workspace.root.join(format!("bench/{name}.c"))).arg("-o").arg(&program).arg(library).arg("-lm");
    compiler.arg(format!("-Wl,-rpath,{}", wheel.display()));
    process::run(&mut compiler).context("compiling MuJoCo's side needs a C compiler named `cc`")?;
    Ok(program)
}

/// `libmujoco.so.4.0.1`: the wheel has only the versioned name.
fn library_in(wheel: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(wheel).with_context(|| format!("no MuJoCo in {}", wheel.display()))?;
    let is_library =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libmujoco.so"));
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(is_library)
        .with_context(|| format!("no libmujoco.so in {}", wheel.display()))
}

/// Replaces the section of this name in docs/benchmarks.md, or appends it.
pub fn write_section(workspace: &Workspace, name: &str, text: &str) -> Result<()> {
    let path = workspace.root.join("docs/benchmarks.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|_| "# Benchmarks\n".to_owned());
    std::fs::write(&path, with_section(&page, name, text))?;
    println!("wrote docs/benchmarks.md, section {name}");
    Ok(())
}

fn with_section(page: &str, name: &str, text: &str) -> String {
    let heading = format!("## {name}\n");
    let (before, after) = match page.split_once(&heading) {
        Some((before, rest)) => (before, rest.find("\n## ").map_or("", |at| &rest[at + 1..])),
        None => (page, ""),
    };
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{}\n\n{heading}\n{}\n{gap}{after}", before.trim_end(), text.trim_end())
}

fn section(workspace: &Workspace, table: &Table) -> Result<String> {
    let mujoco = venv::PINNED.iter().find(|line| line.starts_with("mujoco-core==")).context("MuJoCo is pinned")?;
    let explanation = format!(
        "RK4 at 1 ms on both sides, the same URDF, one thread, {STEPS} steps, {ROUNDS} alternating rounds, the best round \
         of each. No contacts,\nlimits, couplings, damping or sensors. Speed is steps over CPU time. The energy error is the \
         largest change of total energy\nover the largest kinetic energy, evaluated after every step in a separate \
         run. The chain and the UR10 fall from rest in the zero\nposition; the Nao floats without gravity, every joint \
         starting at 1 rad/s. The run fails unless both sides have the same kinetic\nenergy after 0.2 s to \
         {SAME_MOTION:e}. The last column compares the errors of the first 2 s: the chain's motion is chaotic, and after \
         some\nseconds the two motions differ, so that their errors compare in order of magnitude only."
    );
    Ok(format!(
        "Written by `cargo xtask bench dynamics --write` on {}, commit {}, on {}; {mujoco}.\n\n\
         {explanation}\n\n{}",
        machine::today()?,
        machine::commit(workspace)?,
        machine::description()?,
        table.markdown()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"dofs": 10, "steps_per_s": 1e5, "early_error": 1e-7, "energy_error": 1e-6, "kinetic_at_probe": 17.5}"#;

    #[test]
    fn best_speed_is_kept_and_a_changed_motion_is_an_error() {
        let mut best = Measured::read(LINE).unwrap();
        best.take_faster(Measured { steps_per_s: 2e5, ..best }).unwrap();
        assert_eq!(best.steps_per_s, 2e5);
        best.take_faster(Measured { steps_per_s: 1.0, ..best }).unwrap();
        assert_eq!(best.steps_per_s, 2e5);
        assert!(best.take_faster(Measured { energy_error: 2e-6, ..best }).is_err());
    }

    #[test]
    fn a_heavier_robot_is_a_different_motion() {
        let ours = Measured::read(LINE).unwrap();
        assert!(same_motion(&ours, &ours).is_ok());
        let heavier = Measured { kinetic_at_probe: 17.5001, ..ours };
        assert!(same_motion(&heavier, &ours).is_err());
        assert!(same_motion(&Measured { kinetic_at_probe: f64::NAN, ..ours }, &ours).is_err());
    }

    #[test]
    fn a_section_replaces_the_old_one_and_nothing_else() {
        let page = with_section("# Benchmarks\n", "A", "one");
        let page = with_section(&page, "B", "two");
        assert_eq!(page, "# Benchmarks\n\n## A\n\none\n\n## B\n\ntwo\n");
        assert_eq!(with_section(&page, "A", "three"), "# Benchmarks\n\n## A\n\nthree\n\n## B\n\ntwo\n");
        assert_eq!(with_section(&page, "B", "four"), "# Benchmarks\n\n## A\n\none\n\n## B\n\nfour\n");
    }

    #[test]
    fn no_table_is_written_from_a_tree_with_changes() {
        assert!(refuse_dirty("").is_ok());
        let error = refuse_dirty(" M crates/lcp/src/lib.rs\n?? new.rs\n").unwrap_err().to_string();
        assert!(error.contains("2 file(s)") && error.contains("crates/lcp/src/lib.rs"), "{error}");
    }

    #[test]
    fn line_without_a_number_is_rejected() {
        assert!(Measured::read(r#"{"dofs": 10}"#).is_err());
        assert!(Measured::read("steps").is_err());
    }
}
