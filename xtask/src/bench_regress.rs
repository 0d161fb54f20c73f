//! `cargo xtask bench regress`: our support vector regression compared with scikit-learn's, on the same rows, in one run.
//!
//! Ours is `crates/regress/examples/svr_speed.rs`, theirs is `bench/sklearn_svr.py` (LIBSVM, which has one thread). Both have
//! the machine's two cores, the same cache for kernel rows and the same stopping rule; the two alternate and the best
//! round of each counts. Wall time of the fit only. The largest set is run with ours only: it shows that time and memory
//! are bounded.

use crate::bench;
use crate::machine;
use crate::process;
use crate::table::Table;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::process::Command;

const ROUNDS: usize = 3;
const ROWS: &str = "25000";
const TOLERANCE: &str = "1e-3";
const CACHE_MIB: &str = "200";
const THREADS: &str = "2";

/// The speed ratio we want to reach with that many rows.
const WANTED_RATIO: f64 = 5.0;

/// The largest set, its cache, and its limits of time and memory.
const LARGE_ROWS: &str = "250000";
const LARGE_CACHE_MIB: &str = "2048";
const LARGE_MINUTES: f64 = 20.0;
const LARGE_MIB: f64 = 4096.0;

/// With an early stop training errors differ by 0.1 to 0.2 points through rounding; those of a different problem by more.
const SAME_ERROR_POINTS: f64 = 0.5;

/// The numbers one side prints.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    wall_s: f64,
    gap: f64,
    steps: f64,
    supports: f64,
    error_percent: f64,
    peak_mib: f64,
}

/// Runs the benchmark; with `write`, updates the page.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let python = venv::ensure(workspace)?;
    let arguments = ["build", "--release", "--locked", "-p", "veracity-regress", "--example", "svr_speed"];
    process::run(&mut workspace.cargo(&arguments))?;
    let program = workspace.target().join("release/examples/svr_speed");
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    let rows = folder.join("svr-rows.bin");

    let mut table = Table::new(&[
        "rows x features",
        "by",
        "wall, s",
        "ratio",
        "final gap",
        "steps",
        "supports",
        "training error",
        "peak, MiB",
        "wanted",
    ]);
    let mut enter = |rows: &str, by: &str, m: &Measured, ratio: String, wanted: String| {
        table.row([
            format!("{rows} x 30"),
            by.to_owned(),
            format!("{:.2}", m.wall_s),
            ratio,
            format!("{:.3e}", m.gap),
            format!("{}", m.steps),
            format!("{}", m.supports),
            format!("{:.2} %", m.error_percent),
            format!("{:.0}", m.peak_mib),
            wanted,
        ]);
    };
    let yes = |reached: bool, what: String| format!("{what}: {}", if reached { "yes" } else { "no" });
    let published = std::env::var("VERACITY_DATA")
        .map(|data| ("24283 published", format!("{data}/weazelball/svr/ode-30s-trainingset.tar.gz")));
    for (name, source) in [Some((ROWS, ROWS.to_owned())), published.ok()].into_iter().flatten() {
        let mut ours = Command::new(&program);
        ours.args([&source, TOLERANCE, CACHE_MIB, THREADS]).arg(&rows);
        let mut theirs = Command::new(&python);
        theirs.arg(workspace.root.join("bench/sklearn_svr.py")).arg(&rows).args([TOLERANCE, CACHE_MIB]);
        let (our, their) = in_turn(&mut ours, &mut theirs)?;
        let ratio = their.wall_s / our.wall_s;
        enter(name, "ours", &our, format!("{ratio:.1}"), yes(ratio >= WANTED_RATIO, format!("{WANTED_RATIO}x")));
        enter(name, "scikit-learn", &their, "1".to_owned(), String::new());
    }
    std::fs::remove_file(&rows)?;
    println!("{LARGE_ROWS} rows, ours only: takes minutes");
    let large = process::output_of(Command::new(&program).args([LARGE_ROWS, TOLERANCE, LARGE_CACHE_MIB, THREADS]))?;
    let large = Measured::read(&large)?;
    let bounded = large.wall_s <= LARGE_MINUTES * 60.0 && large.peak_mib <= LARGE_MIB;
    enter(LARGE_ROWS, "ours", &large, String::new(), yes(bounded, format!("{LARGE_MINUTES} min, {LARGE_MIB} MiB")));
    println!("\n{}", table.text());
    if write {
        bench::write_section(workspace, "Support vector regression", &section(workspace, &table)?)?;
    }
    Ok(())
}

/// Runs the rounds, alternating; returns each side's best.
fn in_turn(ours: &mut Command, theirs: &mut Command) -> Result<(Measured, Measured)> {
    let mut best: Option<(Measured, Measured)> = None;
    for round in 0..ROUNDS {
        let our = Measured::read(&process::output_of(ours)?)?;
        let their = Measured::read(&process::output_of(theirs)?)?;
        println!("round {}: ours {:.2} s, scikit-learn {:.2} s", round + 1, our.wall_s, their.wall_s);
        let (our_best, their_best) = best.get_or_insert((our.clone(), their.clone()));
        our_best.wall_s = our_best.wall_s.min(our.wall_s);
        their_best.wall_s = their_best.wall_s.min(their.wall_s);
    }
    let (our, their) = best.context("at least one round")?;
    let apart = (our.error_percent - their.error_percent).abs();
    ensure!(apart <= SAME_ERROR_POINTS, "training errors {} and {} %", our.error_percent, their.error_percent);
    Ok((our, their))
}

fn section(workspace: &Workspace, table: &Table) -> Result<String> {
    let sklearn =
        venv::PINNED.iter().find(|line| line.starts_with("scikit-learn==")).context("scikit-learn is pinned")?;
    Ok(format!(
        "Written by `cargo xtask bench regress --write` on {}, commit {}, on {}; {sklearn}.\n\nSynthetic rows in the format of the \
         published ones (30 features, nine values of the target), RBF kernel, gamma 0.1, C 1, epsilon 1e-6, stop at a gap of\n\
         {TOLERANCE} m. Wall time of the fit, {ROUNDS} alternating rounds, the best of each; both have {THREADS} cores and \
         {CACHE_MIB} MiB for kernel rows (LIBSVM uses one core), the large set\n{LARGE_CACHE_MIB} MiB. Training errors in per \
         cent of one offset, 3.312 mm.\n\n{}",
        machine::today()?,
        machine::commit(workspace)?,
        machine::description()?,
        table.markdown()
    ))
}

impl Measured {
    /// From the one line of JSON both programs print.
    fn read(line: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        Ok(Self {
            wall_s: number("wall_s")?,
            gap: number("gap")?,
            steps: number("steps")?,
            supports: number("supports")?,
            error_percent: number("error_percent")?,
            peak_mib: number("peak_mib")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_number_is_rejected() {
        let line = r#"{"wall_s": 1, "gap": 1e-3, "steps": 5, "supports": 3, "error_percent": 4.4, "peak_mib": 30}"#;
        assert_eq!(Measured::read(line).unwrap().error_percent, 4.4);
        assert!(Measured::read("{}").is_err());
    }
}
