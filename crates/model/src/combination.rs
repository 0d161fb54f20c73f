//! Combining the surface coefficients of two bodies in contact into those of the pair.
//!
//! The world states the rule, so that every engine simulates the same pair: with friction 0.1 on 0.6 the rules below
//! give 0.1 (min), 0.35 (average), 0.245 (geometric_mean), 0.06 (multiply) or 0.6 (max). Engines have different
//! built-in rules; an adapter sets its engine to the world's rule, passes per-pair values, or rejects the world as not
//! expressible.

use serde::{Deserialize, Serialize};

/// How two coefficients are combined into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CombineRule {
    /// Arithmetic mean.
    Average,
    /// The smaller of the two.
    Min,
    /// The product.
    Multiply,
    /// The larger of the two.
    Max,
    /// The square root of the product.
    GeometricMean,
}

impl CombineRule {
    /// Every rule, in the order of the numbers in `veracity_shim.h`.
    pub const ALL: &[CombineRule] = &[
        CombineRule::Average,
        CombineRule::Min,
        CombineRule::Multiply,
        CombineRule::Max,
        CombineRule::GeometricMean,
    ];

    /// The coefficient of the pair.
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            CombineRule::Average => 0.5 * (a + b),
            CombineRule::Min => a.min(b),
            CombineRule::Multiply => a * b,
            CombineRule::Max => a.max(b),
            CombineRule::GeometricMean => (a * b).sqrt(),
        }
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            CombineRule::Average => "average",
            CombineRule::Min => "min",
            CombineRule::Multiply => "multiply",
            CombineRule::Max => "max",
            CombineRule::GeometricMean => "geometric_mean",
        }
    }

    /// Parses the name used in files.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == word)
    }
}

/// The combination rules of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Combination {
    /// Rule for friction: sliding, torsional and rolling.
    pub friction: CombineRule,
    /// Rule for restitution.
    pub restitution: CombineRule,
}

impl Default for Combination {
    /// The smaller friction, as in Gazebo with ODE and DART: a frictionless surface stays frictionless against any
    /// other. The larger restitution, as in Gazebo with ODE.
    fn default() -> Self {
        Self { friction: CombineRule::Min, restitution: CombineRule::Max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_their_formulas_and_words() {
        let of = |rule: CombineRule| rule.of(0.1, 0.6);
        assert_eq!(of(CombineRule::Min), 0.1);
        assert_eq!(of(CombineRule::Max), 0.6);
        assert_eq!(of(CombineRule::Average), 0.35);
        // Rounding of one product and one square root.
        assert!((of(CombineRule::Multiply) - 0.06).abs() < 1e-16);
        assert!((of(CombineRule::GeometricMean) - 0.06f64.sqrt()).abs() < 1e-16);
        for rule in CombineRule::ALL {
            assert_eq!(CombineRule::parse(rule.name()), Some(*rule));
            // Equal surfaces: every rule except the product keeps the value.
            let kept = (rule.of(0.3, 0.3) - 0.3).abs() < 1e-16;
            assert_eq!(kept, *rule != CombineRule::Multiply, "{}", rule.name());
        }
        assert_eq!(CombineRule::parse("mean"), None);
    }
}
