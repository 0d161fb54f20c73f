//! Combination of two different surfaces: whether the engine uses the world's rule and not its own.
//!
//! ```text
//! (1)  µ = (F - m Δv / Δt) / (m g)     a box of friction 0.3 pushed along ground of friction 0.6
//! (2)  e = - v after / v before        a ball of restitution 0.6 against ground of restitution 0.2, nothing else acts
//! ```

use super::bounce;
use super::friction;
use crate::experiment::{Experiment, SMOOTHED, Tolerated};
use veracity_model::{Combination, CombineRule};

/// Of the box and of the ground. No two rules give the same number.
const FRICTION: [f64; 2] = [0.3, 0.6];
/// Of the ball and of the ground.
const RESTITUTION: [f64; 2] = [0.6, 0.2];

macro_rules! friction_rule {
    ($name:literal, $rule:ident, $given:expr) => {
        Experiment {
            name: $name,
            group: "combination",
            unit: "",
            given: $given,
            formula: "(F - m Δv / Δt) / (m g) of a box of friction 0.3 pushed along ground of friction 0.6",
            tolerated: SMOOTHED,
            read: |bench| {
                let rules = Combination { friction: CombineRule::$rule, ..Combination::default() };
                friction::pushed_on_other_ground(bench, FRICTION, rules)
            },
        }
    };
}

macro_rules! restitution_rule {
    ($name:literal, $rule:ident, $given:expr) => {
        Experiment {
            name: $name,
            group: "combination",
            unit: "",
            given: $given,
            formula: "-v' / v of a ball of restitution 0.6 against ground of restitution 0.2, without gravity",
            tolerated: Some(Tolerated { within: bounce::CLOSE, why: bounce::SOFT_BOUNCE }),
            read: |bench| {
                let rules = Combination { restitution: CombineRule::$rule, ..Combination::default() };
                bounce::rebound(bench, RESTITUTION, rules, $given)
            },
        }
    };
}

pub const FRICTION_MIN: Experiment = friction_rule!("friction-rule-min", Min, 0.3);
pub const FRICTION_AVERAGE: Experiment = friction_rule!("friction-rule-average", Average, 0.45);
pub const FRICTION_MULTIPLY: Experiment = friction_rule!("friction-rule-multiply", Multiply, 0.18);
pub const FRICTION_MAX: Experiment = friction_rule!("friction-rule-max", Max, 0.6);
/// √0.18.
pub const FRICTION_MEAN: Experiment =
    friction_rule!("friction-rule-geometric-mean", GeometricMean, 0.424_264_068_711_928_5);
pub const RESTITUTION_MIN: Experiment = restitution_rule!("restitution-rule-min", Min, 0.2);
pub const RESTITUTION_AVERAGE: Experiment = restitution_rule!("restitution-rule-average", Average, 0.4);
pub const RESTITUTION_MULTIPLY: Experiment = restitution_rule!("restitution-rule-multiply", Multiply, 0.12);
pub const RESTITUTION_MAX: Experiment = restitution_rule!("restitution-rule-max", Max, 0.6);
/// √0.12.
pub const RESTITUTION_MEAN: Experiment =
    restitution_rule!("restitution-rule-geometric-mean", GeometricMean, 0.346_410_161_513_775_46);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_rules() {
        let friction = [FRICTION_AVERAGE, FRICTION_MIN, FRICTION_MULTIPLY, FRICTION_MAX, FRICTION_MEAN];
        let restitution =
            [RESTITUTION_AVERAGE, RESTITUTION_MIN, RESTITUTION_MULTIPLY, RESTITUTION_MAX, RESTITUTION_MEAN];
        for (i, rule) in CombineRule::ALL.iter().enumerate() {
            // Roundings of a product and a root.
            assert!((rule.of(FRICTION[0], FRICTION[1]) - friction[i].given).abs() < 1e-15);
            assert!((rule.of(RESTITUTION[0], RESTITUTION[1]) - restitution[i].given).abs() < 1e-15);
        }
    }
}
