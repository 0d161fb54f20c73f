//! What a margin or an outcome depends on, all features at once.
//!
//! ```text
//! (1)  margin     m = b₀ + Σ bᵢ zᵢ + ε over standardised features z, by least squares; tᵢ = bᵢ / se(bᵢ)
//! (2)  outcome    log odds = b₀ + Σ bᵢ zᵢ, by the penalised likelihood  ℓ + ½ log |I|           (Firth 1993)
//!                 b ← b + I⁻¹ Xᵀ (y - p + h (½ - p)),   h the diagonal of W½ X I⁻¹ Xᵀ W½
//! (3)  effects    bᵢ with its 95 % interval; probabilities adjusted for the number of features (false discovery rate)
//! ```
//!
//! The penalty keeps (2) finite where a feature separates the outcomes completely. A margin says far more than an outcome: (1) is used where
//! there is one.

use crate::attribution::Feature;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use veracity_measure::statistics::special::{normal, student, student_quantile};
use veracity_measure::statistics::{Interval, false_discovery};

/// A feature and its effect with the others held fixed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The feature.
    pub feature: String,
    /// Change of the margin, or of the log odds, for one standard deviation of the feature.
    pub effect: Interval,
    /// Adjusted probability of an effect this large by chance.
    pub chance: f64,
}

/// (1) for rows of feature values and margins, largest effect first; `None` if there are fewer than two rows for each coefficient.
pub fn margin_effects(features: &[Feature], rows: &[(&[f64], f64)]) -> Option<Vec<Effect>> {
    let x = design(features, rows.iter().map(|r| r.0))?;
    let (n, k) = (x.nrows(), x.ncols());
    if n < 2 * k {
        return None;
    }
    let y = DVector::from_fn(n, |i, _| rows[i].1);
    let inverse = (x.transpose() * &x).try_inverse()?;
    let b = &inverse * x.transpose() * &y;
    let noise = (&y - &x * &b).norm_squared() / (n - k) as f64;
    let t = student_quantile(0.975, (n - k) as f64);
    let chance = |z: f64| 2.0 * student(-z.abs(), (n - k) as f64);
    Some(effects(features, &b, |i| (noise * inverse[(i, i)]).sqrt(), t, chance))
}

/// (2) for rows of feature values and outcomes, largest effect first; `None` if the search does not converge or rows are too few.
pub fn outcome_effects(features: &[Feature], rows: &[(&[f64], bool)]) -> Option<Vec<Effect>> {
    let x = design(features, rows.iter().map(|r| r.0))?;
    let (n, k) = (x.nrows(), x.ncols());
    let hits = rows.iter().filter(|r| r.1).count();
    if n < 2 * k || hits == 0 || hits == n {
        return None;
    }
    let mut b = DVector::zeros(k);
    for _ in 0..200 {
        let p: Vec<f64> = (&x * &b).iter().map(|o| 1.0 / (1.0 + libm::exp(-o))).collect();
        let w: Vec<f64> = p.iter().map(|p| (p * (1.0 - p)).max(1e-12)).collect();
        let weighted = DMatrix::from_fn(n, k, |i, j| x[(i, j)] * w[i].sqrt());
        let inverse = (weighted.transpose() * &weighted).try_inverse()?;
        let projected = &weighted * &inverse;
        let h = |i: usize| projected.row(i).dot(&weighted.row(i));
        let score = DVector::from_fn(n, |i, _| f64::from(u8::from(rows[i].1)) - p[i] + h(i) * (0.5 - p[i]));
        let mut step = &inverse * x.transpose() * score;
        let size = step.amax();
        // A bounded step: the likelihood is flat far away.
        if size > 2.0 {
            step *= 2.0 / size;
        }
        b += &step;
        if size < 1e-8 {
            let chance = |z: f64| 2.0 * normal(-z.abs());
            return Some(effects(features, &b, |i| inverse[(i, i)].sqrt(), 1.959_963_984_540_054, chance));
        }
    }
    None
}

fn effects(
    features: &[Feature],
    b: &DVector<f64>,
    error: impl Fn(usize) -> f64,
    quantile: f64,
    chance: impl Fn(f64) -> f64,
) -> Vec<Effect> {
    let z: Vec<f64> = (0..features.len()).map(|i| b[i + 1] / error(i + 1)).collect();
    let adjusted = false_discovery(&z.iter().map(|z| chance(*z)).collect::<Vec<_>>());
    let mut out: Vec<Effect> = features
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let (estimate, reach) = (b[i + 1], quantile * error(i + 1));
            Effect {
                feature: f.name.clone(),
                effect: Interval { estimate, low: estimate - reach, high: estimate + reach, confidence: 0.95 },
                chance: adjusted[i],
            }
        })
        .collect();
    out.sort_by(|a, b| b.effect.estimate.abs().total_cmp(&a.effect.estimate.abs()));
    out
}

/// A column of ones, then the standardised features; `None` if a feature does not vary.
fn design<'a>(features: &[Feature], rows: impl Iterator<Item = &'a [f64]>) -> Option<DMatrix<f64>> {
    let values: Vec<Vec<f64>> = rows.map(|v| features.iter().map(|f| f.of(v)).collect()).collect();
    let columns: Vec<Vec<f64>> = (0..features.len())
        .map(|j| crate::detectors::standardised(&values.iter().map(|v| v[j]).collect::<Vec<_>>()))
        .collect();
    let varies = columns.iter().all(|c| c.iter().any(|x| *x != 0.0));
    varies.then(|| {
        DMatrix::from_fn(values.len(), features.len() + 1, |i, j| if j == 0 { 1.0 } else { columns[j - 1][i] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    fn numbers(run: u64, n: u64) -> Vec<Vec<f64>> {
        let stream = Stream::new(51, run, 0, Purpose::Statistics);
        (0..n).map(|k| (0..8).map(|lane| stream.normal(k, lane)).collect()).collect()
    }

    fn plain() -> Vec<Feature> {
        (0..8).map(|i| Feature { name: format!("x{i}"), numbers: vec![i] }).collect()
    }

    #[test]
    fn the_coefficients_of_a_known_margin_are_inside_their_intervals() {
        let mut held = 0;
        for run in 0..100 {
            let x = numbers(run, 60);
            let noise = Stream::new(52, run, 0, Purpose::Statistics);
            let m: Vec<f64> = x
                .iter()
                .enumerate()
                .map(|(k, x)| 3.0 + 2.0 * x[0] - x[1] + 0.5 * noise.normal(k as u64, 0))
                .collect();
            let rows: Vec<(&[f64], f64)> = x.iter().map(|x| &x[..]).zip(m).collect();
            let found = margin_effects(&plain(), &rows).unwrap();
            assert_eq!((&*found[0].feature, &*found[1].feature), ("x0", "x1"));
            // One standard deviation of this sample, not of the distribution.
            let spread =
                veracity_measure::statistics::standard_deviation(&x.iter().map(|x| x[0]).collect::<Vec<_>>());
            held += usize::from(found[0].effect.holds(2.0 * spread));
        }
        // 95 % of 100, less 2.3 standard errors.
        assert!(held >= 90, "{held}");
    }

    #[test]
    fn a_feature_that_separates_completely_has_a_finite_effect_and_comes_first() {
        let x = numbers(7, 80);
        let rows: Vec<(&[f64], bool)> = x.iter().map(|x| (&x[..], x[3] > 0.2)).collect();
        let found = outcome_effects(&plain(), &rows).unwrap();
        assert_eq!(found[0].feature, "x3");
        assert!(found[0].effect.estimate.is_finite() && found[0].effect.low > 0.0, "{found:?}");
    }

    #[test]
    fn without_a_cause_there_are_few_alarms() {
        let coin = Stream::new(53, 0, 0, Purpose::Statistics);
        let (mut outcome, mut margin) = (0, 0);
        for run in 0..200 {
            let x = numbers(run + 1000, 60);
            let rows: Vec<(&[f64], bool)> =
                x.iter().enumerate().map(|(k, x)| (&x[..], coin.uniform(run, k as u32) < 0.5)).collect();
            outcome +=
                usize::from(outcome_effects(&plain(), &rows).is_some_and(|f| f.iter().any(|e| e.chance <= 0.05)));
            let rows: Vec<(&[f64], f64)> =
                x.iter().enumerate().map(|(k, x)| (&x[..], coin.normal(run + 500, k as u32))).collect();
            margin +=
                usize::from(margin_effects(&plain(), &rows).is_some_and(|f| f.iter().any(|e| e.chance <= 0.05)));
        }
        assert!(outcome <= 16 && margin <= 16, "{outcome} {margin}");
    }
}
