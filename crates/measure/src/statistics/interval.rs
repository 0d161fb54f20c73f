//! Confidence intervals in closed form.

use super::special::{beta_quantile, normal_quantile, student_quantile};
use super::summary::{mean, standard_error};
use serde::{Deserialize, Serialize};

/// An estimate and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How often intervals made this way contain the truth: 0.95.
    pub confidence: f64,
}

impl Interval {
    /// Whether a value lies inside.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Half its width.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

/// Student's interval of a mean: exact for normal numbers. With fewer than two numbers nothing is known: it is
/// infinite.
pub fn student_mean(x: &[f64], confidence: f64) -> Interval {
    let estimate = mean(x);
    if x.len() < 2 {
        return Interval { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY, confidence };
    }
    let t = student_quantile(0.5 + 0.5 * confidence, (x.len() - 1) as f64);
    let reach = t * standard_error(x);
    Interval { estimate, low: estimate - reach, high: estimate + reach, confidence }
}

/// Wilson's interval of a proportion, `hits` out of `trials`: well behaved at 0 and at all hits, where the usual one
/// has no width (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).
///
/// ```text
/// (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
/// ```
pub fn wilson(hits: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { estimate: f64::NAN, low: 0.0, high: 1.0, confidence };
    }
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let centre = p + 0.5 * z * z / n;
    let reach = z * (p * (1.0 - p) / n + 0.25 * z * z / (n * n)).sqrt();
    let norm = 1.0 + z * z / n;
    // At these ends the formula is exact only up to rounding.
    let low = if hits == 0 { 0.0 } else { (centre - reach) / norm };
    let high = if hits == trials { 1.0 } else { (centre + reach) / norm };
    Interval { estimate: p, low, high, confidence }
}

/// The exact interval of a proportion: holds the truth at least as often as it says, for every number of trials
/// (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934).
///
/// ```text
/// low = B⁻¹(α/2; k, n - k + 1),   high = B⁻¹(1 - α/2; k + 1, n - k)
/// ```
pub fn clopper_pearson(hits: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { estimate: f64::NAN, low: 0.0, high: 1.0, confidence };
    }
    let (k, n, tail) = (hits as f64, trials as f64, 0.5 * (1.0 - confidence));
    let low = if hits == 0 { 0.0 } else { beta_quantile(tail, k, n - k + 1.0) };
    let high = if hits == trials { 1.0 } else { beta_quantile(1.0 - tail, k + 1.0, n - k) };
    Interval { estimate: k / n, low, high, confidence }
}

#[cfg(test)]
mod tests {
    //! Golden values: scipy 1.17.1 (`stats.t.interval`, `stats.binomtest(…).proportion_ci(method='wilson')`).
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    #[test]
    fn students_interval_is_scipys() {
        let found = student_mean(&[2.1, 3.4, 1.9, 5.6, 2.2, 4.8, 3.3, 2.7, 3.9, 8.1], 0.95);
        assert!((found.low - 2.421506437866812).abs() < 1e-13 && (found.high - 5.178493562133188).abs() < 1e-13);
        assert!(student_mean(&[1.0], 0.95).holds(1e9));
    }

    #[test]
    fn wilsons_interval_is_scipys() {
        for (hits, trials, low, high) in [
            (0, 10, 0.0, 0.27753279986288926),
            (3, 10, 0.10779126740630102, 0.6032218525388546),
            (10, 10, 0.7224672001371109, 1.0),
            (57, 1000, 0.04425344035871594, 0.07313706765948591),
        ] {
            let found = wilson(hits, trials, 0.95);
            assert!((found.low - low).abs() < 1e-14 && (found.high - high).abs() < 1e-14, "{found:?}");
        }
    }

    #[test]
    fn the_exact_interval_is_the_published_one() {
        // Published: 35 and 25 of 40; and none of 400, 40, 24 and 4.
        for (hits, trials, low, high) in [
            (35, 40, 0.732, 0.958),
            (25, 40, 0.458, 0.773),
            (0, 400, 0.0, 0.0092),
            (0, 40, 0.0, 0.088),
            (0, 24, 0.0, 0.142),
            (0, 4, 0.0, 0.602),
        ] {
            let found = clopper_pearson(hits, trials, 0.95);
            // Printed with three digits after the point, 0.0092 with four.
            assert!(
                (found.low - low).abs() < 5.1e-4 && (found.high - high).abs() < 5.1e-4,
                "{hits}/{trials} {found:?}"
            );
        }
        assert_eq!(clopper_pearson(40, 40, 0.95).high, 1.0);
        assert_eq!((clopper_pearson(0, 0, 0.95).low, clopper_pearson(0, 0, 0.95).high), (0.0, 1.0));
    }

    #[test]
    fn the_exact_interval_never_holds_the_truth_less_often_than_it_says() {
        // The probability of every count is summed: no sampling error.
        for (n, p) in [(10u64, 0.03f64), (24, 0.5), (40, 0.88), (100, 0.01)] {
            let mut held = 0.0;
            let mut chance = (1.0 - p).powi(n as i32);
            for k in 0..=n {
                if clopper_pearson(k, n, 0.95).holds(p) {
                    held += chance;
                }
                chance *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
            assert!(held >= 0.95, "{n} {p}: {held}");
        }
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        // 4000 experiments of five normal numbers with mean 3: 95 % ± 3.4 standard errors of a proportion.
        let stream = Stream::new(1, 0, 0, Purpose::Statistics);
        let draw = |k: u64| (0..5).map(|lane| 3.0 + stream.normal(k, lane)).collect::<Vec<_>>();
        let held = (0..4000).filter(|&k| student_mean(&draw(k), 0.95).holds(3.0)).count();
        assert!((held as f64 / 4000.0 - 0.95).abs() < 3.4 * (0.95f64 * 0.05 / 4000.0).sqrt(), "{held}");
    }
}
