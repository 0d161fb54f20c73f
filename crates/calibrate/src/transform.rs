//! Coordinates of the search: every parameter between 0 and 1.
//!
//! ```text
//! (1)  linear:  x = low + u (high - low)
//! (2)  log:     x = low (high / low)^u           low and high of one sign, neither zero
//! ```
//!
//! Friction, damping, stiffness and masses are positive and uncertain by factors: (2) makes a factor of two the same
//! distance everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a parameter is spaced between its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// (1)
    #[default]
    Linear,
    /// (2)
    Log,
}

/// Bounds and spacing of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Spacing.
    pub scale: Scale,
}

impl Range {
    /// What is wrong with it, as a sentence.
    pub fn fault(&self) -> Option<String> {
        let Self { low, high, scale } = *self;
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Some(format!("the bounds {low} and {high} are not in order; `low` must be below `high`"));
        }
        let log = scale == Scale::Log;
        (log && low * high <= 0.0).then(|| {
            format!("a logarithmic scale needs bounds of one sign, not {low} and {high}; use scale = \"linear\"")
        })
    }

    /// The parameter at `u`.
    pub fn value(&self, u: f64) -> f64 {
        let u = u.clamp(0.0, 1.0);
        match self.scale {
            Scale::Linear => self.low + u * (self.high - self.low),
            Scale::Log => self.low * libm::pow(self.high / self.low, u),
        }
    }

    /// `u` of a parameter.
    pub fn place(&self, x: f64) -> f64 {
        match self.scale {
            Scale::Linear => (x - self.low) / (self.high - self.low),
            Scale::Log => libm::log(x / self.low) / libm::log(self.high / self.low),
        }
    }

    /// Change of `ln x` or of `x` from one end to the other: the unit of a direction in words.
    pub fn span(&self) -> f64 {
        match self.scale {
            Scale::Linear => self.high - self.low,
            Scale::Log => libm::log(self.high / self.low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_places_are_inverse_and_bad_bounds_are_named() {
        for (low, high, scale) in [(0.01, 10.0, Scale::Log), (-12.0, -3.0, Scale::Log), (-1.0, 3.0, Scale::Linear)] {
            let range = Range { low, high, scale };
            assert!(range.fault().is_none());
            for u in [0.0, 0.3, 1.0] {
                // Rounding of a power and a logarithm.
                assert!((range.place(range.value(u)) - u).abs() < 1e-13);
            }
        }
        let fault = |low, high, scale| Range { low, high, scale }.fault().unwrap();
        assert!(fault(2.0, 1.0, Scale::Linear).contains("not in order"));
        assert!(fault(-1.0, 1.0, Scale::Log).contains("one sign"));
        assert!(fault(0.0, f64::NAN, Scale::Linear).contains("not in order"));
    }
}
