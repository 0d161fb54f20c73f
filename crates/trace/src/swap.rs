//! Proof by experiment: swap one number between two particles of different outcome, and bisect to the value where the
//! outcome changes.
//!
//! ```text
//! (1)  pair       the nearest two particles of different outcome, in standardised numbers
//! (2)  swap       particle a with only number i of particle b: does its outcome change to b's?
//! (3)  threshold  bisection of number i between the values of a and b until the bracket is 2⁻²⁰ of its width
//! ```

use crate::run::{TraceError, rerun};
use crate::{Particle, attribution::Ranked};
use serde::Serialize;
use veracity_engine::EngineSpec;
use veracity_lab::Lab;
use veracity_measure::statistics::{Interval, clopper_pearson};
use veracity_scenario::TraceSetup;

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
pub fn swap(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    particles: &[Particle],
    outcome: &str,
    feature: &Ranked,
) -> Result<Swapped, TraceError> {
    let pairs = nearest_pairs(particles, outcome);
    let (mut changed, mut threshold) = (0, None);
    for (a, b) in &pairs {
        let (a, b) = (&particles[*a], &particles[*b]);
        let mut values = a.values.clone();
        for &i in &feature.numbers {
            values[i] = b.values[i];
        }
        let after = rerun(lab, setup, engine, a.number, &values)?;
        if after.outcome().is_some() && has(&after, outcome) != has(a, outcome) {
            changed += 1;
            if threshold.is_none()
                && let [number] = feature.numbers[..]
            {
                threshold = bisect(lab, setup, engine, a, &after, number)?;
            }
        }
    }
    let share = clopper_pearson(changed as u64, pairs.len() as u64, 0.95);
    Ok(Swapped { feature: feature.feature.clone(), changed, pairs: pairs.len(), share, threshold })
}

/// (3)
fn bisect(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    from: &Particle,
    to: &Particle,
    number: usize,
) -> Result<Option<Threshold>, TraceError> {
    let (mut near, mut far) = (from.values[number], to.values[number]);
    let start = from.outcome().cloned();
    let (mut near_outcome, mut far_outcome) = (start.clone(), to.outcome().cloned());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (near + far);
        let mut values = from.values.clone();
        values[number] = middle;
        let found = rerun(lab, setup, engine, from.number, &values)?.outcome().cloned();
        // An outcome that is neither of the two is another boundary: the one next to the particle is followed.
        if found == start { (near, near_outcome) = (middle, found) } else { (far, far_outcome) = (middle, found) }
    }
    let (Some(near_name), Some(far_name)) = (near_outcome, far_outcome) else { return Ok(None) };
    let (below, above) = if near < far { (near_name, far_name) } else { (far_name, near_name) };
    Ok(Some(Threshold {
        particle: from.number,
        value: 0.5 * (near + far),
        error: 0.5 * (near - far).abs(),
        below: below.to_string(),
        above: above.to_string(),
    }))
}

/// (1): pairs of indices, the particle with the outcome first; no particle in two pairs.
fn nearest_pairs(particles: &[Particle], outcome: &str) -> Vec<(usize, usize)> {
    let spread = spreads(particles);
    let known = |has_it: bool| {
        particles.iter().enumerate().filter(move |(_, p)| p.outcome().is_some() && has(p, outcome) == has_it)
    };
    let distance = |a: &Particle, b: &Particle| -> f64 {
        a.values.iter().zip(&b.values).zip(&spread).map(|((a, b), s)| ((a - b) / s).powi(2)).sum()
    };
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    // The rarer kind against the first thousand of the other: the cost stays linear.
    for (i, a) in known(true).take(1000) {
        for (j, b) in known(false).take(1000) {
            all.push((distance(a, b), i, j));
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

/// Standard deviation of each number over the particles; one where it does not vary.
pub fn spreads(particles: &[Particle]) -> Vec<f64> {
    let numbers = particles.first().map_or(0, |p| p.values.len());
    let column = |i: usize| particles.iter().map(|p| p.values[i]).collect::<Vec<f64>>();
    let spread = |i| veracity_measure::statistics::standard_deviation(&column(i));
    (0..numbers).map(spread).map(|s| if s > 0.0 { s } else { 1.0 }).collect()
}
