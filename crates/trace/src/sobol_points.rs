//! Scrambled Sobol points: even coverage with an honest interval from independent scramblings.
//!
//! ```text
//! (1)  point j of number i   x = v₁ g₁ ⊕ v₂ g₂ ⊕ …       g the bits of j ⊕ (j >> 1), v the direction numbers of i
//! (2)  scrambling            bit b of x is flipped by a random bit that depends on all bits above it   (Owen 1995)
//! (3)  value                 u = (x + U) / 2³²
//! ```
//!
//! Direction numbers are those of Joe and Kuo (2008). Point j needs no other point, so particle k alone is the same as in the whole
//! trace. One scrambling says nothing about its own error: shares are averaged over scramblings, whose spread gives the interval.

use std::sync::OnceLock;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::special::student_quantile;
use veracity_measure::statistics::{Interval, clopper_pearson};

/// Numbers that have direction numbers.
pub const MOST_NUMBERS: usize = 1000;

const BITS: u32 = 32;

/// (3) for point `index` of one scrambling.
pub fn sobol_point(seed: u64, scrambling: u64, index: u64, number: usize) -> f64 {
    // Trials that no particle has address the scrambling.
    let stream = Stream::new(seed, u64::MAX - 1 - scrambling, number as u32, Purpose::Sampling);
    let x = unscrambled(index as u32, number);
    let mut out = 0u32;
    for bit in 0..BITS {
        let above = if bit == 0 { 0 } else { x >> (BITS - bit) };
        let flip = stream.bits((u64::from(bit) << BITS) | u64::from(above), 0)[0] & 1;
        out = out << 1 | (x >> (BITS - 1 - bit) & 1) ^ flip;
    }
    let below = stream.uniform_open(1 << 40 | index, 1);
    (f64::from(out) + below) / 4294967296.0
}

/// (1)
fn unscrambled(index: u32, number: usize) -> u32 {
    static DIRECTIONS: OnceLock<Vec<Vec<u32>>> = OnceLock::new();
    let directions = DIRECTIONS.get_or_init(|| {
        let parameters = sobol::params::JoeKuoD6::standard();
        sobol::Sobol::<u32>::init_direction_vals(MOST_NUMBERS, BITS as usize, &parameters)
    });
    let gray = index ^ (index >> 1);
    let own = &directions[number % MOST_NUMBERS];
    (0..BITS).filter(|b| gray >> b & 1 == 1).fold(0, |x, b| x ^ own[b as usize])
}

/// The mean of shares from independent scramblings with its t interval; hits and trials of each scrambling. Where all
/// shares are equal their spread says nothing, and the exact interval of independent trials is used.
pub fn over_scramblings(counts: &[(u64, u64)], confidence: f64) -> Interval {
    let (hits, trials) = counts.iter().fold((0, 0), |(h, n), c| (h + c.0, n + c.1));
    let shares: Vec<f64> = counts.iter().filter(|c| c.1 > 0).map(|c| c.0 as f64 / c.1 as f64).collect();
    let r = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / r.max(1.0);
    let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (r - 1.0).max(1.0);
    if shares.len() < 2 || variance <= 0.0 {
        return clopper_pearson(hits, trials, confidence);
    }
    let reach = student_quantile(0.5 + 0.5 * confidence, r - 1.0) * (variance / r).sqrt();
    Interval { estimate: mean, low: (mean - reach).max(0.0), high: (mean + reach).min(1.0), confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_points_are_the_published_ones() {
        // The sequence of Joe and Kuo begins 0, ½, ¾, ¼ in the first number; the second differs from the fourth point on.
        let of = |number| (0..8).map(|j| f64::from(unscrambled(j, number)) / 4294967296.0).collect::<Vec<_>>();
        assert_eq!(of(0), [0.0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125]);
        assert_eq!(of(1), [0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625]);
        assert_eq!(of(2), [0.0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375]);
    }

    #[test]
    fn every_scrambling_keeps_one_point_in_each_stratum() {
        for scrambling in 0..3 {
            for number in [0usize, 1, 7, 40] {
                let mut strata: Vec<u64> =
                    (0..256).map(|j| (sobol_point(5, scrambling, j, number) * 256.0) as u64).collect();
                strata.sort_unstable();
                assert_eq!(strata, (0..256).collect::<Vec<_>>(), "{scrambling} {number}");
            }
        }
        assert_ne!(sobol_point(5, 0, 3, 1), sobol_point(5, 1, 3, 1));
        assert_ne!(sobol_point(5, 0, 3, 1), sobol_point(6, 0, 3, 1));
    }

    #[test]
    fn the_interval_from_ten_scramblings_holds_a_known_share_and_is_narrower() {
        // A half space across three numbers of six: P = Φ(-1). At least 90 of 100 intervals (95 % less 2.3 standard errors).
        use veracity_measure::statistics::special::{normal, normal_quantile};
        let truth = normal(-1.0);
        let (mut held, mut width) = (0, 0.0);
        for seed in 0..100 {
            let count = |r: u64| {
                let hit = |j: &u64| {
                    let z = |i| normal_quantile(sobol_point(seed, r, *j, i));
                    (z(0) + z(3) - z(5)) / 3f64.sqrt() > 1.0
                };
                ((0..64).filter(hit).count() as u64, 64)
            };
            let found = over_scramblings(&(0..10).map(count).collect::<Vec<_>>(), 0.95);
            held += usize::from(found.holds(truth));
            width += found.half_width() / 100.0;
        }
        let plain = clopper_pearson((640.0 * truth) as u64, 640, 0.95).half_width();
        assert!(held >= 90 && width < 0.8 * plain, "{held} {width} {plain}");
    }
}
