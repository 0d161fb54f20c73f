//! `--against`: two traces on the same particles.

use crate::output::Output;
use serde::Serialize;
use std::io::Write;
use veracity_measure::statistics::{Interval, clopper_pearson};
use veracity_trace::paired::{Comparison, compare};
use veracity_trace::{Bundle, TraceSetup};

/// Two traces compared on one engine.
#[derive(Serialize)]
pub struct ComparedTraces {
    engine: String,
    /// The outcome that counts.
    success: String,
    /// Names of the two traces.
    traces: [String; 2],
    /// Successes of each among the pairs, with exact intervals.
    probabilities: [Interval; 2],
    #[serde(flatten)]
    comparison: Comparison,
}

/// An error if the two cannot be paired: particle k must be the same robot and the same noise in both.
pub fn comparable(one: &TraceSetup, other: &TraceSetup, success: &str) -> anyhow::Result<()> {
    let sampled = |s: &TraceSetup| {
        (s.seed, s.particles, s.sampling, s.paths().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    anyhow::ensure!(
        sampled(one) == sampled(other),
        "{} and {} cannot be paired: seed, particles, sampling and the list of uncertain numbers must be equal",
        one.name,
        other.name
    );
    for setup in [one, other] {
        let mut names: Vec<&str> = setup.outcomes.iter().map(|o| o.name.as_str()).collect();
        names.push(&setup.otherwise);
        anyhow::ensure!(
            names.contains(&success),
            "{} has no outcome '{success}'; it has {}",
            setup.name,
            names.join(", ")
        );
    }
    Ok(())
}

pub fn compared(
    one: &TraceSetup,
    other: &TraceSetup,
    engine: &str,
    success: &str,
    ours: &Bundle,
    theirs: &Bundle,
) -> ComparedTraces {
    let succeeds = |bundle: &Bundle, i: usize| bundle.outcome(i).map(|name| **name == *success);
    let pairs: Vec<(bool, bool)> =
        (1..ours.len().min(theirs.len())).filter_map(|i| Some((succeeds(ours, i)?, succeeds(theirs, i)?))).collect();
    let count = |of: &dyn Fn(&(bool, bool)) -> bool| pairs.iter().filter(|p| of(p)).count() as u64;
    let total = pairs.len() as u64;
    ComparedTraces {
        engine: engine.to_string(),
        success: success.to_string(),
        traces: [one.name.clone(), other.name.clone()],
        probabilities: [count(&|p| p.0), count(&|p| p.1)].map(|k| clopper_pearson(k, total, 0.95)),
        comparison: compare(&pairs),
    }
}

pub fn print(out: &mut Output, compared: &ComparedTraces) -> std::io::Result<()> {
    let ComparedTraces { engine, success, traces: [one, other], probabilities: [p, q], comparison: c } = compared;
    let share =
        |p: &Interval| format!("{:.1} % ({:.1} to {:.1} %)", 100.0 * p.estimate, 100.0 * p.low, 100.0 * p.high);
    let decided = match (c.decided_at, c.pairs_needed) {
        (Some(at), _) => format!("decided after {at} pairs"),
        (None, Some(needed)) => format!("not decided; about {needed} pairs would decide it"),
        (None, None) => "not decided".to_string(),
    };
    writeln!(
        out,
        "{engine}: '{success}' in {} of {one}, {} of {other}; only {one} {}, only {other} {} of {} pairs, exact McNemar p = {:.2e}; {decided}",
        share(p),
        share(q),
        c.only_first,
        c.only_second,
        c.pairs,
        c.chance
    )
}
