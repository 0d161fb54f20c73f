//! `cargo xtask bench lab`: overhead of the lab over the bare engine step, recording at 100 Hz.
//!
//! The baseline is the engine itself, stepped directly through the same contract in the same process and run
//! (`crates/lab/examples/lab_overhead.rs`); the two alternate and the best round of each counts.

use crate::machine;
use crate::process;
use crate::table::Table;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;

/// Built-in scenarios without controllers, from the smallest step to a large one.
const SCENARIOS: &[&str] = &["simple_pendulum", "double_pendulum", "t_handle", "chain_of_ten", "bricard"];
const ROUNDS: &str = "41";

/// Largest overhead we accept.
const WANTED: f64 = 0.05;

/// Runs the benchmark; with `write`, updates the page.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let mut example = workspace.cargo(&["build", "--release", "--locked", "--example", "lab_overhead"]);
    process::run(example.args(crate::engines::workspace_arguments(workspace)))?;
    let program = workspace.target().join("release/examples/lab_overhead");
    let mut table = Table::new(&["scenario", "bare step, us", "with the lab, us", "overhead", "at most 5 %"]);
    for scenario in SCENARIOS {
        let line = process::output_of(Command::new(&program).args([scenario, &ROUNDS]))?;
        let json: Value = serde_json::from_str(&line).with_context(|| format!("not a line of results: {line}"))?;
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        let (bare, lab, overhead) = (number("bare_cpu_s")?, number("lab_cpu_s")?, number("overhead")?);
        // Ten thousand steps per round.
        let micro = |seconds: f64| format!("{:.3}", seconds * 1e6 / 1e4);
        let reached = if overhead <= WANTED { "yes" } else { "no" };
        let shown = format!("{:.1} %", overhead * 100.0);
        table.row([(*scenario).to_owned(), micro(bare), micro(lab), shown, reached.to_owned()]);
    }
    println!("\n{}", table.text());
    if write {
        let text = format!(
            "Written by `cargo xtask bench lab --write` on {}, commit {}, on {}.\n\n\
             Ten seconds at 1 ms on the native engine (its default spec), {ROUNDS} alternating rounds, the best of each: the \
             engine stepped directly through\nthe contract, and a session that records every state, pose and velocity at \
             100 Hz. CPU time of the thread. Both end in identical states.\n\n{}",
            machine::today()?,
            machine::commit(workspace)?,
            machine::description()?,
            table.markdown()
        );
        crate::bench::write_section(workspace, "Overhead of the lab", &text)?;
    }
    Ok(())
}
