//! Runs made for a question: the probability of a rare failure, and the shares of a margin's variance.

use crate::particle::{Fate, Particle};
use crate::run::{Runner, TraceError};
use crate::sampling::at_point;
use crate::sobol_indices::{Indices, SaltelliValues, points};
use crate::splitting::{MarginScore, Splitting, SplittingRules, split};
use veracity_measure::statistics::special::normal;
use veracity_scenario::TraceSetup;
use veracity_scenario::trace::SplittingSize;

/// First number of the runs made here: no particle of a trace has it, so that noise during a run is drawn anew.
const FIRST: u64 = 1 << 40;

/// The probability that the trace's margin reaches zero, by splitting. Points are standard normal; the quantile of each number's distribution
/// makes them values.
pub fn rare_failure(runner: &Runner<'_>, setup: &TraceSetup, size: &SplittingSize) -> Result<Splitting, TraceError> {
    let rules = SplittingRules {
        population: size.population,
        runs: size.runs,
        moves: size.moves,
        seed: setup.seed,
        ..SplittingRules::default()
    };
    let mut number = FIRST;
    let numbers = setup.paths().len();
    split(numbers, &rules, &mut |batch: &[Vec<f64>]| {
        let wanted: Vec<(u64, Vec<f64>)> = batch
            .iter()
            .map(|z| {
                number += 1;
                (
                    number,
                    at_point(setup, &z.iter().map(|z| normal(*z).clamp(1e-300, 1.0 - 1e-16)).collect::<Vec<_>>()),
                )
            })
            .collect();
        Ok(runner.batch(&wanted)?.iter().map(score).collect())
    })
}

/// A particle without a margin is as far from failure as can be: it is never chosen.
fn score(particle: &Particle) -> MarginScore {
    let margin = match particle.summary.fate {
        Fate::Outcome(_) => particle.summary.margin.unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    // A gap ends at zero, up to the rounding of the engine.
    MarginScore { margin, failed: margin <= 1e-9 }
}

/// Sobol indices of the margin from `count (numbers + 2)` runs; `None` if some run has no margin or it does not vary.
pub fn variance_shares(
    runner: &Runner<'_>,
    setup: &TraceSetup,
    count: usize,
) -> Result<Option<Vec<Indices>>, TraceError> {
    let numbers = setup.paths().len();
    let wanted: Vec<(u64, Vec<f64>)> =
        points(numbers, count, setup.seed).iter().map(|u| (FIRST, at_point(setup, u))).collect();
    let found = runner.batch(&wanted)?;
    let margins: Option<Vec<f64>> = found.iter().map(|p| p.summary.margin).collect();
    Ok(margins.and_then(|m| SaltelliValues::of(numbers, count, &m).indices()))
}
