//! Comparison of a result with what the scenario expects.

use crate::analysis::{CycleAnalysis, Stability};
use crate::map::StrideMap;
use crate::spectrum::distance;
use nalgebra::Complex;
use veracity_measure::Verdict;
use veracity_scenario::{CycleExpect, CycleVerdictWord};

/// One number compared with its expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Name of the number.
    pub what: &'static str,
    /// Distance from the expected value.
    pub distance: f64,
    /// Largest distance allowed.
    pub bound: f64,
}

impl Deviation {
    /// Whether it is within its bound.
    pub fn is_good(&self) -> bool {
        self.distance <= self.bound
    }
}

/// Result of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Expected stability.
    pub expected: Stability,
    /// Stability found.
    pub found: Stability,
    /// Numbers of the cycle, where there is one.
    pub held: Vec<Deviation>,
}

impl Judgement {
    /// Whether everything is as expected.
    pub fn is_good(&self) -> bool {
        self.expected == self.found && self.held.iter().all(Deviation::is_good)
    }
}

/// The verdict on a walker: whether it is as the scenario expects or, without an expectation, whether its cycle is
/// stable.
pub fn verdict(outcome: &CycleAnalysis, judgement: Option<&Judgement>) -> Verdict {
    match (judgement.map(Judgement::is_good), outcome.stability()) {
        (Some(true), _) | (None, Stability::Stable) => Verdict::Accepted,
        (_, Stability::CannotTell) => Verdict::CannotTell,
        _ => Verdict::Rejected,
    }
}

/// Compares an outcome with what is expected of it; `start` is the scenario's.
pub fn judge<M: StrideMap + ?Sized>(
    map: &M,
    start: &[f64],
    outcome: &CycleAnalysis,
    expect: &CycleExpect,
) -> Judgement {
    let expected = match expect.verdict {
        CycleVerdictWord::Stable => Stability::Stable,
        CycleVerdictWord::Unstable => Stability::Unstable,
        CycleVerdictWord::NoCycle => Stability::NoCycle,
    };
    let mut held = Vec::new();
    if let Some(cycle) = outcome.cycle() {
        if let Some(bound) = expect.start_bound {
            let mut apart = vec![0.0; map.size()];
            map.difference(start, &cycle.state, &mut apart);
            map.cyclic().iter().for_each(|c| apart[*c] = 0.0);
            held.push(Deviation { what: "start", distance: crate::manifold::size(&apart), bound });
        }
        if let Some((period, bound)) = expect.period_s {
            held.push(Deviation { what: "period_s", distance: (cycle.period_s.value - period).abs(), bound });
        }
        if let Some((values, bound)) = &expect.multipliers {
            let mut right: Vec<Complex<f64>> = values.iter().map(|[re, im]| Complex::new(*re, *im)).collect();
            // Multipliers that are zero may be left out.
            right.resize(right.len().max(cycle.multipliers.len()), Complex::new(0.0, 0.0));
            let found: Vec<Complex<f64>> = cycle.multipliers.iter().map(|m| m.value).collect();
            held.push(Deviation { what: "multipliers", distance: distance(&right, &found), bound: *bound });
            if let Some(saltation) = &cycle.saltation {
                let distance = distance(&right, &saltation.multipliers);
                held.push(Deviation { what: "multipliers by saltation", distance, bound: *bound });
            }
        }
        if let Some((radius, bound)) = expect.radius {
            held.push(Deviation { what: "radius", distance: (cycle.radius.value - radius).abs(), bound });
        }
    }
    Judgement { expected, found: outcome.stability(), held }
}
