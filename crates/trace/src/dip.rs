//! Whether numbers have more than one mode: the dip of Hartigan and Hartigan (Ann. Stat. 13, 1985), by the steps of that paper.
//!
//! The dip is the smallest distance `d` of the empirical distribution `F` from any distribution with one mode.
//!
//! ```text
//! (1)  on the modal interval [a, b], at first all numbers: G the greatest convex minorant of F, L its least concave majorant
//! (2)  the largest distance L - G, at a corner of G or of L, gives the next interval: that corner and the next corner of the other
//! (3)  if it is not larger than D, the dip is D/2
//! (4)  else D ← max(D, sup F - G left of the new interval, sup L - F right of it), and again from (1)
//! ```
//!
//! The probability of a dip this large comes from uniform numbers, the least favourable distribution with one mode.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use veracity_engine::random::{Purpose, Stream};

/// Samples of uniform numbers behind a probability.
const DRAWS: u64 = 1000;
/// Beyond this many numbers the dip of uniform numbers scales with 1/√n.
const LARGEST: usize = 1000;

/// (4). Zero for fewer than four numbers.
pub fn dip(numbers: &[f64]) -> f64 {
    let mut x: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
    x.sort_by(f64::total_cmp);
    dip_of_sorted(&x)
}

fn dip_of_sorted(x: &[f64]) -> f64 {
    let n = x.len();
    if n < 4 || x[0] == x[n - 1] {
        return 0.0;
    }
    let (mut a, mut b) = (0, n - 1);
    // In counts: a step of F is one.
    let mut most = 1.0f64;
    loop {
        let (g, l) = (corners(x, a, b, Side::Below), corners(x, a, b, Side::Above));
        // (2)
        let (mut apart, mut next) = (0.0, (a, b));
        for &i in &g {
            let distance = at(x, &l, i, 1.0) - i as f64;
            if distance > apart {
                (apart, next) = (distance, (i, l.iter().copied().find(|&k| k >= i).unwrap_or(b)));
            }
        }
        for &i in &l {
            let distance = i as f64 + 1.0 - at(x, &g, i, 0.0);
            if distance > apart {
                (apart, next) = (distance, (g.iter().copied().rfind(|&k| k <= i).unwrap_or(a), i));
            }
        }
        // (3)
        if apart <= most {
            break;
        }
        // (4)
        let left = (a..=next.0).map(|i| i as f64 + 1.0 - at(x, &g, i, 0.0));
        let right = (next.1..=b).map(|i| at(x, &l, i, 1.0) - i as f64);
        most = left.chain(right).fold(most, f64::max);
        if next == (a, b) {
            break;
        }
        (a, b) = next;
    }
    0.5 * most / n as f64
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// The convex minorant of the lower corners `(xᵢ, i)` of F.
    Below,
    /// The concave majorant of its upper corners `(xᵢ, i + 1)`.
    Above,
}

/// Corners of the minorant or majorant on the numbers from `a` to `b`, by index.
fn corners(x: &[f64], a: usize, b: usize, side: Side) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for i in a..=b {
        // Of equal numbers the lowest or the highest corner counts.
        if let Some(&last) = out.last()
            && x[last] == x[i]
        {
            if side == Side::Below {
                continue;
            }
            out.pop();
        }
        while let [.., p, q] = out[..] {
            let turn = (q - p) as f64 * (x[i] - x[p]) - (i - p) as f64 * (x[q] - x[p]);
            if if side == Side::Below { turn >= 0.0 } else { turn <= 0.0 } {
                out.pop()
            } else {
                break;
            };
        }
        out.push(i);
    }
    out
}

/// Height at `x[i]` of the line through corners whose heights are their index plus `step`.
fn at(x: &[f64], corners: &[usize], i: usize, step: f64) -> f64 {
    let k = corners.partition_point(|&c| x[c] < x[i]).min(corners.len() - 1);
    let (p, q) = (corners[k.saturating_sub(1)], corners[k]);
    if p == q || x[q] == x[i] {
        return q as f64 + step;
    }
    p as f64 + step + (q - p) as f64 * (x[i] - x[p]) / (x[q] - x[p])
}

/// The probability that as many uniform numbers have a dip at least this large.
pub fn dip_chance(dip: f64, count: usize) -> f64 {
    if count < 4 {
        return 1.0;
    }
    let n = count.min(LARGEST);
    let scaled = dip * (count as f64 / n as f64).sqrt();
    let draws = uniform_dips(n);
    let above = draws.len() - draws.partition_point(|d| *d < scaled);
    (above as f64 + 1.0) / (draws.len() as f64 + 1.0)
}

/// Sorted dips of uniform numbers; each count is drawn once.
fn uniform_dips(n: usize) -> std::sync::Arc<Vec<f64>> {
    static KNOWN: Mutex<BTreeMap<usize, std::sync::Arc<Vec<f64>>>> = Mutex::new(BTreeMap::new());
    if let Some(found) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&n) {
        return found.clone();
    }
    let one = |k: u64| {
        let stream = Stream::new(0, k, n as u32, Purpose::Statistics);
        let mut x: Vec<f64> = (0..n as u64).map(|i| stream.uniform(i, 0)).collect();
        x.sort_by(f64::total_cmp);
        dip_of_sorted(&x)
    };
    let mut out: Vec<f64> = (0..DRAWS).map(one).collect();
    out.sort_by(f64::total_cmp);
    let out = std::sync::Arc::new(out);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(n, out.clone());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN_DIPS: [(i32, f64, f64); 5] = [
        (20, 0.0, 0.07776009737057042),
        (40, 0.0, 0.03579798417319389),
        (41, 5.0, 0.04400146031168615),
        (100, 3.0, 0.021891296285159977),
        (200, 8.0, 0.05672205953203699),
    ];

    fn normal(run: u64, n: u64, shift: f64) -> Vec<f64> {
        let stream = Stream::new(11, run, 0, Purpose::Statistics);
        (0..n).map(|i| stream.normal(i, 0) + if i % 2 == 0 { shift } else { 0.0 }).collect()
    }

    #[test]
    fn dips_are_those_of_an_independent_implementation() {
        // The package diptest on these numbers.
        let wave = |n: i32, gap: f64| {
            (0..n)
                .map(|i| f64::from(i * 37 % 41) / 10.0 + libm::sin(f64::from(i)) + if i % 3 == 0 { gap } else { 0.0 })
                .collect::<Vec<_>>()
        };
        for (n, gap, known) in KNOWN_DIPS {
            assert!((dip(&wave(n, gap)) - known).abs() < 1e-12, "{n} {gap}: {}", dip(&wave(n, gap)));
        }
    }

    #[test]
    fn closed_forms() {
        // Even spacing: the least possible. Two far points of half the mass each: a quarter.
        let even: Vec<f64> = (0..50).map(f64::from).collect();
        assert!((dip(&even) - 0.01).abs() < 1e-15);
        let two: Vec<f64> = (0..50).map(|i| f64::from(i % 2) * 1e9 + 1e-3 * f64::from(i)).collect();
        assert!((dip(&two) - 0.25).abs() < 0.011, "{}", dip(&two));
        assert_eq!(dip(&[1.0, 1.0, 1.0, 1.0, 1.0]), 0.0);
    }

    #[test]
    fn one_mode_gives_few_alarms_and_two_modes_are_found() {
        let chance = |x: &[f64]| dip_chance(dip(x), x.len());
        let alarms = (0..200).filter(|&run| chance(&normal(run, 40, 0.0)) <= 0.05).count();
        assert!(alarms <= 16, "{alarms}");
        // Modes six standard deviations apart: found in at least 18 of 20 with 40 numbers (at four, in half).
        let found = (0..20).filter(|&run| chance(&normal(run, 40, 6.0)) <= 0.05).count();
        assert!(found >= 18, "{found}");
    }
}
