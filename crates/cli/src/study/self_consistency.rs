//! Deviation of each engine at a step from itself at its finest step: engine, step, deviation, cost.

use crate::output::Output;
use std::io::{self, Write};
use veracity_lab::answer::span;
use veracity_lab::{Comparison, Row, StudyResult};

/// Name of the comparison in the lab.
pub const NAME: &str = "self_consistency";

/// Prints one table for each scenario that has such comparisons.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let found: Vec<&Comparison> = result.comparisons.iter().filter(|c| c.comparison == NAME).collect();
    let mut scenario = "";
    let width = found.iter().filter_map(|c| c.engines.first()).map(|e| e.chars().count()).max().unwrap_or(0).max(6);
    for c in found {
        let ([fine, step], Some(engine)) = (&c.steps_s[..], c.engines.first()) else { continue };
        if c.scenario != scenario {
            scenario = &c.scenario;
            let title = out.paint().strong(format!("{scenario}: each engine against itself at a fine step"));
            writeln!(out, "\n  {title}")?;
            let [off, cost, speed] = ["off by", "CPU per s", "speed"].map(|t| format!("{t:>10}"));
            writeln!(out, "       {:width$}  {:>8}  {:>8}  {off}  {cost}  {speed}", "engine", "step", "fine")?;
        }
        let of_run = |r: &&Row| r.scenario == c.scenario && r.engine == *engine && r.step_s == *step;
        let cost = result.rows.iter().find(of_run).and_then(Row::cpu_per_simulated_s);
        let off = if c.value.is_finite() { format!("{:.1e} m", c.value) } else { "-".to_string() };
        let cells =
            [off, cost.map_or("-".to_string(), span), cost.map_or("-".to_string(), |s| format!("x{:.0}", 1.0 / s))];
        let [off, cost, speed] = cells.map(|t| format!("{t:>10}"));
        let why = if c.value.is_finite() { String::new() } else { format!("  {}", c.note) };
        let steps = format!("{:>8}  {:>8}", span(*step), span(*fine));
        writeln!(out, "       {engine:width$}  {steps}  {off}  {cost}  {speed}{why}")?;
    }
    Ok(())
}
