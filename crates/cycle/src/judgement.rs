//! What was found, held to what the scenario expects.

use crate::analysis::{Outcome, Stability};
use crate::map::StrideMap;
use crate::spectrum::distance;
use nalgebra::Complex;
use veracity_scenario::{CycleExpect, CycleVerdictWord};

/// One number held to its bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Which.
    pub what: &'static str,
    /// How far it is from what is expected.
    pub distance: f64,
    /// How far it may be.
    pub bound: f64,
}

impl Held {
    /// Whether it is within its bound.
    pub fn is_good(&self) -> bool {
        self.distance <= self.bound
    }
}

/// What is right and what is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What was expected to become of it.
    pub expected: Stability,
    /// What became of it.
    pub found: Stability,
    /// Numbers, where there is a cycle.
    pub held: Vec<Held>,
}

impl Judgement {
    /// Whether everything is as expected.
    pub fn is_good(&self) -> bool {
        self.expected == self.found && self.held.iter().all(Held::is_good)
    }
}

/// Holds an outcome to what is expected of it; `start` is the scenario's.
pub fn judge<M: StrideMap + ?Sized>(map: &M, start: &[f64], outcome: &Outcome, expect: &CycleExpect) -> Judgement {
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
            held.push(Held { what: "start", distance: crate::manifold::size(&apart), bound });
        }
        if let Some((period, bound)) = expect.period_s {
            held.push(Held { what: "period_s", distance: (cycle.period_s.value - period).abs(), bound });
        }
        if let Some((values, bound)) = &expect.multipliers {
            let mut right: Vec<Complex<f64>> = values.iter().map(|[re, im]| Complex::new(*re, *im)).collect();
            // Zero ones may be left out.
            right.resize(right.len().max(cycle.multipliers.len()), Complex::new(0.0, 0.0));
            let found: Vec<Complex<f64>> = cycle.multipliers.iter().map(|m| m.value).collect();
            held.push(Held { what: "multipliers", distance: distance(&right, &found), bound: *bound });
            if let Some(saltation) = &cycle.saltation {
                let distance = distance(&right, &saltation.multipliers);
                held.push(Held { what: "multipliers by saltation", distance, bound: *bound });
            }
        }
        if let Some((radius, bound)) = expect.radius {
            held.push(Held { what: "radius", distance: (cycle.radius.value - radius).abs(), bound });
        }
    }
    Judgement { expected, found: outcome.stability(), held }
}
