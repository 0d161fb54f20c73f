//! Bootstrap intervals of any statistic.
//!
//! The numbers are resampled with replacement `resamples` times, and the statistic of each draw is computed. The plain
//! interval is the middle part of these. BCa (Efron, J. Am. Stat. Assoc. 82, 1987) shifts its ends for bias `z₀` and
//! for a spread that changes with the value, `a`:
//!
//! ```text
//! (1)  z₀ = Φ⁻¹( share of draws below the estimate, ties half )
//! (2)  a = Σ (m - θᵢ)³ / (6 (Σ (m - θᵢ)²)^{3/2}),     θᵢ without the i-th number, m their mean
//! (3)  end(p) = quantile of the draws at Φ( z₀ + (z₀ + z_p) / (1 - a (z₀ + z_p)) )
//! ```
//!
//! Draws come from a counter-based stream: draw `k` is the same whatever the number of draws.

use super::interval::Interval;
use super::special::{normal, normal_quantile};
use super::summary::{mean, quantile_of_sorted};
use veracity_engine::random::Stream;

/// Enough draws for the second digit of a 95 % interval's ends.
pub const USUAL_RESAMPLES: u32 = 10_000;

/// The middle part of the statistic over draws.
pub fn percentile(
    x: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    confidence: f64,
    resamples: u32,
    stream: &Stream,
) -> Interval {
    let draws = sorted_draws(x, &statistic, resamples, stream);
    let tail = 0.5 * (1.0 - confidence);
    Interval {
        estimate: statistic(x),
        low: quantile_of_sorted(&draws, tail),
        high: quantile_of_sorted(&draws, 1.0 - tail),
        confidence,
    }
}

/// The same, corrected for bias and skewness: see the module documentation. If all draws are equal, the interval is
/// that value.
pub fn bca(
    x: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    confidence: f64,
    resamples: u32,
    stream: &Stream,
) -> Interval {
    let draws = sorted_draws(x, &statistic, resamples, stream);
    let estimate = statistic(x);
    let tail = 0.5 * (1.0 - confidence);
    // (1)
    let below = draws.iter().filter(|d| **d < estimate).count() as f64;
    let ties = draws.iter().filter(|d| **d == estimate).count() as f64;
    let bias = normal_quantile((below + 0.5 * ties) / draws.len() as f64);
    // (2)
    let without: Vec<f64> = (0..x.len())
        .map(|i| {
            let rest: Vec<f64> = x.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, v)| *v).collect();
            statistic(&rest)
        })
        .collect();
    let centre = mean(&without);
    let power = |p: i32| without.iter().map(|t| (centre - t).powi(p)).sum::<f64>();
    let spread = power(2);
    let skew = if spread > 0.0 { power(3) / (6.0 * spread * spread.sqrt()) } else { 0.0 };
    // (3)
    let end = |p: f64| {
        let z = bias + normal_quantile(p);
        let place = normal(bias + z / (1.0 - skew * z));
        // An estimate outside all draws has no rank among them: the end of the draws is all that is known.
        let place = if place.is_nan() { p } else { place };
        quantile_of_sorted(&draws, place)
    };
    Interval { estimate, low: end(tail), high: end(1.0 - tail), confidence }
}

fn sorted_draws(x: &[f64], statistic: impl Fn(&[f64]) -> f64, resamples: u32, stream: &Stream) -> Vec<f64> {
    let mut draw = vec![0.0; x.len()];
    let mut found: Vec<f64> = (0..u64::from(resamples))
        .map(|k| {
            for (i, slot) in draw.iter_mut().enumerate() {
                let which = (stream.uniform(k, i as u32) * x.len() as f64) as usize;
                *slot = x[which];
            }
            statistic(&draw)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    found
}

#[cfg(test)]
mod tests {
    //! Golden values: scipy 1.17.1, `stats.bootstrap` with 400,000 draws (mean) and 100,000 (median).
    use super::*;
    use crate::statistics::median;
    use veracity_engine::random::Purpose;

    const DATA: [f64; 10] = [2.1, 3.4, 1.9, 5.6, 2.2, 4.8, 3.3, 2.7, 3.9, 8.1];

    fn stream() -> Stream {
        Stream::new(7, 0, 0, Purpose::Statistics)
    }

    #[test]
    fn intervals_are_scipys_within_the_noise_of_the_draws() {
        // 40,000 draws: the probability at an end is known to 8e-4, where the density of means is 0.05 to 0.1.
        let within = 0.03;
        let plain = percentile(&DATA, mean, 0.95, 40_000, &stream());
        assert!((plain.low - 2.78).abs() < within && (plain.high - 5.03).abs() < within, "{plain:?}");
        let better = bca(&DATA, mean, 0.95, 40_000, &stream());
        assert!((better.low - 2.91).abs() < within && (better.high - 5.31).abs() < within, "{better:?}");
        let middle = percentile(&DATA, median, 0.95, 40_000, &stream());
        assert!((middle.low - 2.2).abs() < 0.06 && (middle.high - 4.8).abs() < 0.06, "{middle:?}");
    }

    #[test]
    fn repetitions_are_the_same_bits_and_equal_numbers_have_no_width() {
        assert_eq!(bca(&DATA, mean, 0.9, 500, &stream()), bca(&DATA, mean, 0.9, 500, &stream()));
        let flat = bca(&[2.0; 6], mean, 0.95, 200, &stream());
        assert_eq!((flat.low, flat.high), (2.0, 2.0));
    }
}
