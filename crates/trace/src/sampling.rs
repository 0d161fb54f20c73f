//! The values of the uncertain numbers of every particle.
//!
//! Particle 0 is nominal. Particle `k` of `n` gets, for number `i`, a point `u` in (0, 1):
//!
//! ```text
//! (1)  random   u = U(seed, k, i)                       independent of n: more particles do not change the first ones
//! (2)  latin    u = (π_i(k - 1) + U(seed, k, i)) / (n - 1)     π_i a permutation: every stratum of every number once
//! ```
//!
//! and the value is the quantile of its distribution. Groups with a covariance use `u` as a standard normal number and
//! multiply with the Cholesky factor. A value depends only on seed, particle and number, never on threads or order.

use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::special::normal_quantile;
use veracity_model::Overrides;
use veracity_scenario::TraceSetup;
use veracity_scenario::file::trace_file::SamplingWord;

/// The changed numbers of one particle, in the order of [`TraceSetup::paths`]; the nominal particle has none.
pub fn values(setup: &TraceSetup, particle: u64) -> Option<Vec<f64>> {
    if particle == 0 {
        return None;
    }
    let point = |number: usize| point(setup, particle, number);
    let mut out: Vec<f64> =
        setup.uncertain.iter().enumerate().map(|(i, u)| u.distribution.quantile(point(i))).collect();
    for group in &setup.correlated {
        let first = out.len();
        let z: Vec<f64> = (0..group.paths.len()).map(|i| normal_quantile(point(first + i))).collect();
        for (mean, row) in group.means.iter().zip(&group.factor) {
            out.push(mean + row.iter().zip(&z).map(|(l, z)| l * z).sum::<f64>());
        }
    }
    Some(out)
}

/// The nominal values, in the order of [`TraceSetup::paths`].
pub fn nominal(setup: &TraceSetup) -> Vec<f64> {
    let numbers = setup.scenario.numbers();
    let own = |path: &str| numbers.iter().find(|(p, _)| p == path).map_or(f64::NAN, |(_, x)| *x);
    setup.paths().into_iter().map(own).collect()
}

/// Values as overrides.
pub fn overrides(setup: &TraceSetup, values: &[f64]) -> Overrides {
    let own = setup.paths().into_iter().zip(values).map(|(path, x)| (path.to_string(), *x));
    let also = setup.uncertain.iter().zip(values).flat_map(|(u, x)| u.also.iter().map(|path| (path.clone(), *x)));
    own.chain(also).collect()
}

fn point(setup: &TraceSetup, particle: u64, number: usize) -> f64 {
    let stream = Stream::new(setup.seed, particle, number as u32, Purpose::Sampling);
    let u = stream.uniform_open(0, 0);
    match setup.sampling {
        SamplingWord::Random => u,
        SamplingWord::Latin => {
            let strata = setup.particles - 1;
            (permuted(setup.seed, number as u32, particle - 1, strata) as f64 + u) / strata as f64
        }
    }
}

/// `π(index)` of a permutation of `0 … count`: a Feistel network on the next even power of two, walked along its cycle
/// until it falls below `count`. No table: a million particles need no memory.
fn permuted(seed: u64, number: u32, index: u64, count: u64) -> u64 {
    let bits = (64 - count.saturating_sub(1).leading_zeros()).max(2).div_ceil(2);
    let mask = (1u64 << bits) - 1;
    let mut x = index;
    loop {
        let (mut left, mut right) = (x >> bits, x & mask);
        for round in 0..6 {
            // A trial that no particle has addresses the network's own stream.
            let stream = Stream::new(seed, u64::MAX, number, Purpose::Sampling);
            let mixed = u64::from(stream.bits(right, round)[0]) & mask;
            (left, right) = (right, left ^ mixed);
        }
        x = left << bits | right;
        if x < count {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feistel_network_permutes_every_count() {
        for count in [1u64, 2, 3, 7, 64, 100, 1000] {
            for number in 0..3 {
                let mut seen: Vec<u64> = (0..count).map(|i| permuted(5, number, i, count)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>(), "{count}");
            }
        }
        let row = |number| (0..100).map(|i| permuted(5, number, i, 100)).collect::<Vec<_>>();
        assert_ne!(row(0), row(1), "two numbers are paired at random");
        assert_ne!(row(0), (0..100).collect::<Vec<_>>());
    }
}
