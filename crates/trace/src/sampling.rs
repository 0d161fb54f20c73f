//! The values of the uncertain numbers of every particle.
//!
//! Particle 0 is nominal. Particle `k` of `n` gets, for number `i`, a point `u` in (0, 1):
//!
//! ```text
//! (1)  random   u = U(seed, k, i)                       independent of n: more particles do not change the first ones
//! (2)  latin    u = (π_i(k - 1) + U(seed, k, i)) / (n - 1)     π_i a permutation: every stratum of every number once
//! (3)  sobol    point (k - 1) div r of scrambling (k - 1) mod r, of r scramblings          (crate::sobol_points)
//! ```
//!
//! and the value is the quantile of its distribution. Groups with a covariance use `u` as a standard normal number and
//! multiply with the Cholesky factor. A value depends only on seed, particle and number, never on threads or order.

use crate::sobol_points::sobol_point;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::special::normal_quantile;
use veracity_model::Overrides;
use veracity_scenario::TraceSetup;
use veracity_scenario::file::trace_file::SamplingWord;
use veracity_scenario::trace::ENGINE;

/// The values of one particle, in the order of [`TraceSetup::paths`].
pub fn values(setup: &TraceSetup, particle: u64) -> Vec<f64> {
    if particle == 0 {
        return nominal(setup);
    }
    let count = setup.paths().len();
    at_point(setup, &(0..count).map(|number| point(setup, particle, number)).collect::<Vec<_>>())
}

/// The values at a point of the unit cube, one coordinate in (0, 1) for each number.
pub fn at_point(setup: &TraceSetup, u: &[f64]) -> Vec<f64> {
    let mut out: Vec<f64> = setup.uncertain.iter().zip(u).map(|(entry, u)| entry.distribution.quantile(*u)).collect();
    for group in &setup.correlated {
        let first = out.len();
        let z: Vec<f64> = (0..group.paths.len()).map(|i| normal_quantile(u[first + i])).collect();
        for (mean, row) in group.means.iter().zip(&group.factor) {
            out.push(mean + row.iter().zip(&z).map(|(l, z)| l * z).sum::<f64>());
        }
    }
    for cone in &setup.cones {
        let first = out.len();
        out.extend((0..2).map(|i| cone.tilt.quantile(u[first + i])));
    }
    if setup.mix_engines {
        let engines = setup.engines.len();
        out.push(((u[out.len()] * engines as f64) as usize).min(engines - 1) as f64);
    }
    out
}

/// The nominal values, in the order of [`TraceSetup::paths`].
pub fn nominal(setup: &TraceSetup) -> Vec<f64> {
    let numbers = setup.noisy().numbers();
    let own = |path: &str| numbers.iter().find(|(p, _)| p == path).map(|(_, x)| *x);
    let own = |path: &str| own(path).or_else(|| setup.scenario.world.number(path));
    // Tilts and the engine are not numbers of the scenario: none, and the first.
    setup.paths().into_iter().map(|path| own(path).unwrap_or(0.0)).collect()
}

/// The numbers that differ from the scenario. The engine is not one of them: see [`engine`].
pub fn overrides(setup: &TraceSetup, values: &[f64]) -> Overrides {
    let paths = setup.paths();
    let plain = setup.uncertain.len() + setup.correlated.iter().map(|g| g.paths.len()).sum::<usize>();
    let own = paths.iter().zip(values).take(plain).map(|(path, x)| (path.to_string(), *x));
    let also = setup.uncertain.iter().zip(values).flat_map(|(u, x)| u.also.iter().map(|path| (path.clone(), *x)));
    let axes = setup.cones.iter().zip(values[plain..].chunks(2)).flat_map(|(cone, tilts)| {
        let axis = cone.tilted([tilts[0], tilts[1]]);
        ["x", "y", "z"].into_iter().zip(axis).map(|(c, x)| (format!("{}/{c}", cone.path), x)).collect::<Vec<_>>()
    });
    setup.settable(own.chain(also).chain(axes).collect())
}

/// Index of the engine that these values choose; `None` if the engine is not uncertain.
pub fn engine(setup: &TraceSetup, values: &[f64]) -> Option<usize> {
    let at = setup.paths().iter().position(|p| *p == ENGINE && setup.mix_engines)?;
    Some(values[at] as usize)
}

/// The scrambling that a drawn particle belongs to.
pub fn scrambling(setup: &TraceSetup, particle: u64) -> u64 {
    (particle - 1) % setup.scramblings.max(1)
}

fn point(setup: &TraceSetup, particle: u64, number: usize) -> f64 {
    let u = || Stream::new(setup.seed, particle, number as u32, Purpose::Sampling).uniform_open(0, 0);
    match setup.sampling {
        SamplingWord::Random => u(),
        SamplingWord::Latin => {
            let strata = setup.particles - 1;
            (permuted(setup.seed, number as u32, particle - 1, strata) as f64 + u()) / strata as f64
        }
        SamplingWord::Sobol => {
            let index = (particle - 1) / setup.scramblings.max(1);
            sobol_point(setup.seed, scrambling(setup, particle), index, number)
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
