//! How an uncertain number is distributed: one type for variations of a study, particles of a trace and priors.
//!
//! A distribution is its quantile function: a number `u` uniform in (0, 1) becomes a value, so that pseudo-random numbers,
//! Latin hypercubes and Sobol points use the same code.
//!
//! ```text
//! (1)  normal, truncated at ±k σ      x = μ + σ Φ⁻¹( Φ(-k) + u (Φ(k) - Φ(-k)) )
//! (2)  log-uniform                    x = low (high / low)^u
//! (3)  skew-normal (Azzalini 1985)    F(z) = Φ(z) - 2 T(z, α),   x = ξ + ω F⁻¹(u)
//! (4)  Owen's function                T(h, a) = 1/2π ∫₀ᵃ exp(-½ h² (1 + t²)) / (1 + t²) dt
//! ```

use veracity_measure::statistics::special::{normal, normal_quantile, student_quantile};

/// How one number is distributed.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// A normal distribution, cut off at `truncate` standard deviations if that is finite.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation before truncation.
        std: f64,
        /// Cut-off in standard deviations; infinite for none.
        truncate: f64,
    },
    /// Equally likely between two values.
    Uniform {
        /// Lowest value.
        low: f64,
        /// Highest value.
        high: f64,
    },
    /// Its logarithm equally likely between those of two positive values.
    LogUniform {
        /// Lowest value.
        low: f64,
        /// Highest value.
        high: f64,
    },
    /// Student's t, scaled and moved: heavy tails.
    StudentT {
        /// Centre.
        mean: f64,
        /// Scale: the standard deviation of the normal distribution it approaches.
        std: f64,
        /// Degrees of freedom.
        dof: f64,
    },
    /// A normal distribution that leans to one side (3).
    SkewNormal {
        /// Location `ξ`.
        location: f64,
        /// Scale `ω`.
        scale: f64,
        /// Shape `α`: positive leans to larger values.
        shape: f64,
    },
    /// One of several values, each with a weight.
    Discrete {
        /// Values with the cumulative share of each.
        steps: Vec<(f64, f64)>,
    },
}

impl Distribution {
    /// Several values with weights; equal weights if there are none.
    pub fn discrete(values: &[f64], weights: &[f64]) -> Result<Self, String> {
        if values.is_empty() {
            return Err("a discrete distribution needs 'values'".to_string());
        }
        if !weights.is_empty() && weights.len() != values.len() {
            return Err(format!("{} 'weights' for {} 'values'; give one each", weights.len(), values.len()));
        }
        let weight = |i: usize| weights.get(i).copied().unwrap_or(1.0);
        let total: f64 = (0..values.len()).map(weight).sum();
        if (0..values.len()).any(|i| weight(i) < 0.0) || !(total > 0.0 && total.is_finite()) {
            return Err("'weights' must not be negative, and their sum must be positive".to_string());
        }
        let mut sum = 0.0;
        let steps = values.iter().enumerate().map(|(i, x)| {
            sum += weight(i) / total;
            (*x, sum)
        });
        Ok(Self::Discrete { steps: steps.collect() })
    }

    /// The value below which a share `u` of all samples lies, for `u` in (0, 1).
    pub fn quantile(&self, u: f64) -> f64 {
        match self {
            Self::Normal { mean, std, truncate } => {
                let tail = normal(-truncate);
                mean + std * normal_quantile(tail + u * (1.0 - 2.0 * tail))
            }
            Self::Uniform { low, high } => low + (high - low) * u,
            Self::LogUniform { low, high } => low * libm::exp(u * libm::log(high / low)),
            Self::StudentT { mean, std, dof } => mean + std * student_quantile(u, *dof),
            Self::SkewNormal { location, scale, shape } => location + scale * skew_quantile(u, *shape),
            Self::Discrete { steps } => {
                let last = steps.last().map_or(f64::NAN, |(x, _)| *x);
                steps.iter().find(|(_, up_to)| u < *up_to).map_or(last, |(x, _)| *x)
            }
        }
    }

    /// The value of the nominal particle: mean, middle, or the most likely value.
    pub fn nominal(&self) -> f64 {
        match self {
            Self::Normal { mean, .. } | Self::StudentT { mean, .. } => *mean,
            Self::Uniform { low, high } => 0.5 * (low + high),
            Self::LogUniform { low, high } => (low * high).sqrt(),
            Self::SkewNormal { location, scale, shape } => location + scale * skew_quantile(0.5, *shape),
            Self::Discrete { steps } => {
                let mut before = 0.0;
                let mut best = (f64::NAN, f64::NEG_INFINITY);
                for (x, up_to) in steps {
                    if up_to - before > best.1 {
                        best = (*x, up_to - before);
                    }
                    before = *up_to;
                }
                best.0
            }
        }
    }
}

/// (3) inverted by bisection.
fn skew_quantile(u: f64, shape: f64) -> f64 {
    let below = |z: f64| normal(z) - 2.0 * owen(z, shape);
    // |z| has the distribution of a normal number's size: 40 is beyond every double below one.
    let (mut low, mut high) = (-40.0f64, 40.0f64);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if below(middle) < u { low = middle } else { high = middle }
    }
}

/// (4) by Gauss and Legendre, in steps short enough for sixteen digits.
fn owen(h: f64, a: f64) -> f64 {
    const NODES: [(f64, f64); 5] = [
        (0.0, 0.568_888_888_888_888_9),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (0.906_179_845_938_664, 0.236_926_885_056_189_1),
        (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    ];
    // Beyond t = 39 / h the integrand is below the smallest double; its width is of the order of 1 / h.
    let end = a.abs().min(39.0 / h.abs().max(1e-300));
    let panels = (8.0 + 8.0 * end * h.abs().max(1.0)).min(4000.0) as usize;
    let width = end / panels as f64;
    let integrand = |t: f64| libm::exp(-0.5 * h * h * (1.0 + t * t)) / (1.0 + t * t);
    let panel = |i: usize| {
        let middle = (i as f64 + 0.5) * width;
        NODES.iter().map(|(x, w)| w * integrand(middle + 0.5 * width * x)).sum::<f64>() * 0.5 * width
    };
    let sum: f64 = (0..panels).map(panel).sum();
    sum.copysign(a) / std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_normal_never_leaves_its_bounds_and_keeps_its_shape() {
        let d = Distribution::Normal { mean: 2.0, std: 0.5, truncate: 3.0 };
        assert!((d.quantile(1e-300) - 0.5).abs() < 1e-9 && (d.quantile(1.0 - 1e-16) - 3.5).abs() < 1e-9);
        assert!((d.quantile(0.5) - 2.0).abs() < 1e-15);
        let whole = Distribution::Normal { mean: 2.0, std: 0.5, truncate: f64::INFINITY };
        assert!((whole.quantile(0.975) - (2.0 + 0.5 * 1.959963984540054)).abs() < 1e-13);
    }

    #[test]
    fn the_skew_normal_has_its_published_moments_and_reduces_to_the_normal() {
        // Azzalini: mean = ω δ √(2/π), variance = ω² (1 - 2 δ²/π), δ = α / √(1 + α²).
        let (shape, n) = (4.0f64, 20_000);
        let d = Distribution::SkewNormal { location: 1.0, scale: 2.0, shape };
        let x: Vec<f64> = (0..n).map(|i| d.quantile((f64::from(i) + 0.5) / f64::from(n))).collect();
        let mean = x.iter().sum::<f64>() / f64::from(n);
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        let delta = shape / (1.0 + shape * shape).sqrt();
        let expected = 2.0 * delta * (2.0 / std::f64::consts::PI).sqrt();
        // The midpoint rule misses the tails: of the order of 1 / n.
        assert!((mean - 1.0 - expected).abs() < 1e-3, "{mean}");
        assert!((variance - 4.0 * (1.0 - 2.0 * delta * delta / std::f64::consts::PI)).abs() < 4e-3, "{variance}");
        for u in [1e-6, 0.2, 0.5, 0.99] {
            let plain = Distribution::SkewNormal { location: 0.0, scale: 1.0, shape: 0.0 };
            assert!((plain.quantile(u) - normal_quantile(u)).abs() < 1e-9);
        }
    }

    #[test]
    fn owens_function_has_its_closed_forms() {
        // T(0, a) = atan(a) / 2π and T(h, 1) = Φ(h) Φ(-h) / 2.
        for a in [0.3, 1.0, 7.0, -2.0] {
            assert!((owen(0.0, a) - libm::atan(a) / std::f64::consts::TAU).abs() < 1e-14, "{a}");
        }
        for h in [0.1, 1.0, 3.0, -2.0, 6.0] {
            assert!((owen(h, 1.0) - 0.5 * normal(h) * normal(-h)).abs() < 1e-14, "{h}");
        }
    }

    #[test]
    fn discrete_values_come_with_their_weights() {
        let d = Distribution::discrete(&[1.0, 2.0, 5.0], &[1.0, 2.0, 1.0]).unwrap();
        assert_eq!([0.1, 0.3, 0.7, 0.8].map(|u| d.quantile(u)), [1.0, 2.0, 2.0, 5.0]);
        assert_eq!(d.nominal(), 2.0);
        assert!(Distribution::discrete(&[1.0], &[0.0]).is_err());
        assert!(Distribution::discrete(&[1.0], &[1.0, 2.0]).is_err());
        assert!(Distribution::discrete(&[], &[]).is_err());
    }

    #[test]
    fn quantiles_rise() {
        let all = [
            Distribution::Normal { mean: 0.0, std: 1.0, truncate: 3.0 },
            Distribution::Uniform { low: -1.0, high: 2.0 },
            Distribution::LogUniform { low: 0.1, high: 10.0 },
            Distribution::StudentT { mean: 0.0, std: 1.0, dof: 3.0 },
            Distribution::SkewNormal { location: 0.0, scale: 1.0, shape: -3.0 },
        ];
        for d in all {
            let x: Vec<f64> = (1..200).map(|i| d.quantile(f64::from(i) / 200.0)).collect();
            assert!(x.windows(2).all(|w| w[0] < w[1]), "{d:?}");
            // Half of the samples lie below the nominal value, except where the mean is not the median.
            let share = x.iter().filter(|x| **x < d.nominal()).count() as f64 / 199.0;
            assert!((share - 0.5).abs() < 0.01, "{d:?} {share}");
        }
    }
}
