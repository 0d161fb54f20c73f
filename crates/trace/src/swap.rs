//! Proof by experiment: swap one number between two particles of different outcome, and bisect to the value where the
//! outcome changes.
//!
//! ```text
//! (1)  pair       the nearest two particles of different outcome, in standardised numbers
//! (2)  swap       particle a with only number i of particle b: does its outcome change to b's?
//! (3)  threshold  bisection of number i between the values of a and b until the bracket is 2⁻²⁰ of its width
//! ```

use crate::attribution::Ranked;
use crate::bundle::Bundle;
use crate::particle::Particle;
use crate::run::{Runner, TraceError};
use serde::Serialize;
use veracity_measure::statistics::{Interval, clopper_pearson};

/// Pairs that are tried.
const PAIRS: usize = 10;
/// Halvings of a bracket.
const HALVINGS: usize = 20;

/// What swapping a feature's numbers showed.
#[derive(Clone, Debug, Serialize)]
pub struct Swapped {
    /// The feature.
    pub feature: String,
    /// Pairs in which the swap changed the outcome.
    pub changed: usize,
    /// Pairs tried.
    pub pairs: usize,
    /// Probability that a swap changes the outcome, exact 95 % interval.
    pub share: Interval,
    /// Where the outcome changes along one number, for the first pair in which it does.
    pub threshold: Option<Threshold>,
}

/// The value of a number at which the outcome changes.
#[derive(Clone, Debug, Serialize)]
pub struct Threshold {
    /// Particle that was changed.
    pub particle: u64,
    /// Middle of the bracket, in the number's unit.
    pub value: f64,
    /// Half of its width.
    pub error: f64,
    /// Outcome below.
    pub below: String,
    /// Outcome above.
    pub above: String,
}

/// Swaps the numbers of a ranked feature in the nearest pairs of particles with and without an outcome.
pub fn swap(runner: &Runner<'_>, bundle: &Bundle, outcome: &str, feature: &Ranked) -> Result<Swapped, TraceError> {
    let pairs = nearest_pairs(bundle, outcome);
    let swapped = |(a, b): &(usize, usize)| {
        let mut values = bundle.values(*a).to_vec();
        for &i in &feature.numbers {
            values[i] = bundle.values(*b)[i];
        }
        (*a as u64, values)
    };
    let after = runner.batch(&pairs.iter().map(swapped).collect::<Vec<_>>())?;
    let (mut changed, mut threshold) = (0, None);
    for ((a, _), after) in pairs.iter().zip(&after) {
        if after.outcome().is_some() && has(after, outcome) != is(bundle, *a, outcome) {
            changed += 1;
            if threshold.is_none()
                && let [number] = feature.numbers[..]
            {
                threshold = bisect(runner, bundle, *a, after, number)?;
            }
        }
    }
    let share = clopper_pearson(changed as u64, pairs.len() as u64, 0.95);
    Ok(Swapped { feature: feature.feature.clone(), changed, pairs: pairs.len(), share, threshold })
}

/// (3)
fn bisect(
    runner: &Runner<'_>,
    bundle: &Bundle,
    from: usize,
    to: &Particle,
    number: usize,
) -> Result<Option<Threshold>, TraceError> {
    let (mut near, mut far) = (bundle.values(from)[number], to.values[number]);
    let start = bundle.outcome(from).cloned();
    let (mut near_outcome, mut far_outcome) = (start.clone(), to.outcome().cloned());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (near + far);
        let mut values = bundle.values(from).to_vec();
        values[number] = middle;
        let found = runner.rerun(from as u64, &values)?.outcome().cloned();
        // An outcome that is neither of the two is another boundary: the one next to the particle is followed.
        if found == start { (near, near_outcome) = (middle, found) } else { (far, far_outcome) = (middle, found) }
    }
    let (Some(near_name), Some(far_name)) = (near_outcome, far_outcome) else { return Ok(None) };
    let (below, above) = if near < far { (near_name, far_name) } else { (far_name, near_name) };
    Ok(Some(Threshold {
        particle: from as u64,
        value: 0.5 * (near + far),
        error: 0.5 * (near - far).abs(),
        below: below.to_string(),
        above: above.to_string(),
    }))
}

/// (1): pairs of indices, the particle with the outcome first; no particle in two pairs.
fn nearest_pairs(bundle: &Bundle, outcome: &str) -> Vec<(usize, usize)> {
    let spread = bundle.spreads();
    let known = |has_it: bool| {
        (0..bundle.len()).filter(move |&i| bundle.outcome(i).is_some() && is(bundle, i, outcome) == has_it)
    };
    let distance = |a: usize, b: usize| -> f64 {
        let pair = bundle.values(a).iter().zip(bundle.values(b)).zip(&spread);
        pair.map(|((a, b), s)| ((a - b) / s).powi(2)).sum()
    };
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    // The first of each kind: the cost stays bounded.
    for i in known(true).take(400) {
        for j in known(false).take(400) {
            all.push((distance(i, j), i, j));
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (_, i, j) in all {
        if out.len() == PAIRS {
            break;
        }
        if !out.iter().any(|(a, b)| *a == i || *b == j) {
            out.push((i, j));
        }
    }
    out
}

fn has(particle: &Particle, outcome: &str) -> bool {
    particle.outcome().is_some_and(|o| **o == *outcome)
}

fn is(bundle: &Bundle, i: usize, outcome: &str) -> bool {
    bundle.outcome(i).is_some_and(|o| **o == *outcome)
}
