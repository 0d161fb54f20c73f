//! `cargo xtask bench workers`: overhead of a step through a worker over the bare foreign engine.
//!
//! The baseline is ODE in its own loop (`bench/ode_bare.cpp`), the same scenes and steps; host and worker together
//! (`crates/worker/examples/worker_speed.rs`) record 100 rows a second. The two alternate; the best round of each counts.

use crate::machine;
use crate::process;
use crate::table::Table;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

const SCENES: &[&str] = &["chain", "pinch"];
const STEPS: &str = "50000";
const ROUNDS: usize = 9;
/// Largest overhead of a worker over the bare loop, in batches.
const WANTED: f64 = 0.10;
/// Largest additional time of a call at every step, on one core, in us.
const WANTED_EACH_US: f64 = 4.0;

/// Runs the benchmark; with `write`, updates the page.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let build = ["build", "--release", "--locked", "-p", "veracity-engine-ode", "-p", "veracity-worker"];
    process::run(workspace.cargo(&build).args(["--bins", "--example", "worker_speed"]))?;
    let release = workspace.target().join("release");
    let (ours, worker) = (release.join("examples/worker_speed"), release.join("veracity-engine-ode"));
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    let bare = folder.join("ode_bare");
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17"]).arg(workspace.root.join("bench/ode_bare.cpp")).arg("-o").arg(&bare);
    process::run(compiler.arg("-lode"))?;

    let heads = ["scene", "bare, us", "worker, us", "over", "at most 10 %", "a call a step, us more", "at most 4 us"];
    let mut table = Table::new(&heads);
    for scene in SCENES {
        let (mut alone, mut batched, mut each) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            alone = alone.min(numbers(Command::new(&bare).args([scene, STEPS]))?[0]);
            batched = batched.min(speed(&ours, &worker, scene, "batch")?[0]);
            each = each.min(speed(&ours, &worker, scene, "each")?[1]);
        }
        let steps: f64 = STEPS.parse()?;
        let (alone, batched) = (alone * 1e6 / steps, batched * 1e6 / steps);
        let (over, more) = (batched / alone - 1.0, each - batched);
        let yes = |reached: bool| if reached { "yes" } else { "no" }.to_string();
        table.row([
            (*scene).to_string(),
            format!("{alone:.2}"),
            format!("{batched:.2}"),
            format!("{:.1} %", 100.0 * over),
            yes(over <= WANTED),
            format!("{more:.1}"),
            yes(more <= WANTED_EACH_US),
        ]);
    }
    println!("\n{}", table.text());
    if write {
        let text = format!(
            "Written by `cargo xtask bench workers --write` on {}, commit {}, on {}.\n\n\
             ODE's direct solver, {STEPS} steps of 1 ms, best of {ROUNDS} alternating rounds: its own loop in C++, and through the \
             worker in one batch with\n100 rows a second (CPU time of host and worker); then with a call at every step, both \
             on one core (median wall time of a call minus\nthe step in a batch).\n\n{}",
            machine::today()?,
            machine::commit(workspace)?,
            machine::description()?,
            table.markdown()
        );
        crate::bench::write_section(workspace, "Overhead of workers", &text)?;
    }
    Ok(())
}

/// CPU seconds and the median call in microseconds; pinned to one core, so that a wake-up needs no other core.
fn speed(ours: &Path, worker: &Path, scene: &str, mode: &str) -> Result<Vec<f64>> {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(ours).arg(worker).args(["ode", scene, STEPS, mode]);
    numbers(&mut command)
}

fn numbers(command: &mut Command) -> Result<Vec<f64>> {
    let line = process::output_of(command)?;
    line.split_whitespace().map(|word| word.parse().with_context(|| format!("no numbers: {line}"))).collect()
}
