//! `cargo xtask bench tempo`: the cost of running programs in step and the spread of their times, compared with the limits
//! of this machine, measured in the same process just before.
//!
//! Each case is `crates/tempo/examples/tempo_bench.rs` in a separate process; the median round by coordination is shown
//! with the worst excess of all rounds. It needs a quiet machine and, for real-time classes, CAP_SYS_NICE.

use crate::machine;
use crate::process;
use crate::table::Table;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;

/// A case with its bounds: largest coordination, largest Delta - h at p99 and at the maximum (us).
struct Case {
    name: &'static str,
    what: &'static str,
    coordination: f64,
    p99_us: f64,
    max_us: f64,
}

/// Bounds set before the first measurement: from a prototype on a similar machine, tightened.
const CASES: &[Case] = &[
    Case { name: "pendulum", what: "1 kHz controller", coordination: 0.003, p99_us: 0.0, max_us: 0.0 },
    Case { name: "pendulum-budget", what: "… with a budget", coordination: 0.01, p99_us: 0.0, max_us: 0.0 },
    Case { name: "hog", what: "1 kHz controller and a planner", coordination: 0.03, p99_us: 150.0, max_us: 300.0 },
    Case { name: "hog-budget", what: "… with a budget", coordination: 0.04, p99_us: 150.0, max_us: 300.0 },
    Case {
        name: "hog-10ms",
        what: "100 Hz controller and a planner, h = 10 ms",
        coordination: 0.003,
        p99_us: 150.0,
        max_us: 300.0,
    },
];
const ROUNDS: usize = 3;
const SECONDS: &str = "10";

/// Runs the benchmark; with `write`, updates the page.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let wanted = ["--example", "tempo_bench", "--bin", "tempo-client"];
    let mut build = workspace.cargo(&["build", "--release", "--locked"]);
    process::run(build.args(crate::engines::workspace_arguments(workspace)).args(wanted))?;
    let program = workspace.target().join("release/examples/tempo_bench");
    let mut table = Table::new(&[
        "case",
        "coordination",
        "at most",
        "of wall time",
        "Delta - h p50 / p99 / max, us",
        "at most p99 / max",
        "stalls",
        "round trip p50 (CPU of the waiting side), us",
        "timer p50, us",
        "per cycle, round trips",
        "reached",
    ]);
    for case in CASES {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let line = process::output_of(Command::new(&program).args([case.name, SECONDS]))?;
            let json: Value =
                serde_json::from_str(&line).with_context(|| format!("not a line of results: {line}"))?;
            println!("{line}");
            rounds.push(json);
        }
        let number = |json: &Value, name: &str| json[name].as_f64().with_context(|| format!("no number `{name}`"));
        let first = |json: &Value, name: &str| json[name][0].as_f64().with_context(|| format!("no number `{name}`"));
        rounds.sort_by(|a, b| {
            let of = |j: &Value| j["coordination"].as_f64().unwrap_or(f64::INFINITY);
            of(a).total_cmp(&of(b))
        });
        let middle = &rounds[ROUNDS / 2];
        let worst = |name: &str| -> Result<f64> {
            rounds.iter().try_fold(f64::NEG_INFINITY, |w, j| Ok(f64::max(w, number(j, name)? * 1e-3)))
        };
        let (coordination, p99, max) =
            (number(middle, "coordination")?, worst("excess_p99_ns")?, worst("excess_max_ns")?);
        let round_trip = first(middle, "round_trip_ns")?;
        let per_cycle = coordination * number(middle, "step_ns")? / round_trip;
        let reached = coordination <= case.coordination && p99 <= case.p99_us && max <= case.max_us;
        let stalls: f64 = rounds.iter().map(|j| number(j, "stalls")).sum::<Result<f64>>()?;
        table.row([
            case.what.to_owned(),
            format!("{:.3} %", coordination * 100.0),
            format!("{:.1} %", case.coordination * 100.0),
            format!("{:.1} %", number(middle, "of_wall")? * 100.0),
            format!("{:.1} / {p99:.1} / {max:.1}", number(middle, "excess_p50_ns")? * 1e-3),
            format!("{:.0} / {:.0}", case.p99_us, case.max_us),
            format!("{stalls:.0}"),
            format!("{:.1} ({:.1})", round_trip * 1e-3, number(middle, "round_trip_cpu_ns")? * 1e-3),
            format!("{:.1}", first(middle, "timer_ns")? * 1e-3),
            format!("{per_cycle:.1}"),
            if reached { "yes" } else { "no" }.to_owned(),
        ]);
    }
    println!("\n{}", table.text());
    if write {
        let text = format!(
            "Written by `cargo xtask bench tempo --write` on {}, commit {}, on {}.\n\n\
             {SECONDS} simulated seconds, {ROUNDS} rounds; coordination is CPU time of the coordinator per simulated time in the \
             median round, the excess of Delta over\nthe step is the worst of all rounds outside the counted stalls. The limits of \
             the machine were measured in the same process before each run.\n\n{}",
            machine::today()?,
            machine::commit(workspace)?,
            machine::description()?,
            table.markdown()
        );
        crate::bench::write_section(workspace, "Programs in step", &text)?;
    }
    Ok(())
}
