//! Comparisons that are valid for chaotic motion: distributions of properties of the motion, simulated against
//! recorded.
//!
//! | quantity | definition |
//! |---|---|
//! | speed [m/s] | of the centre over the floor, over 50 ms |
//! | turning [rad/s] | rotation rate of the direction of travel, over one turn of the motor |
//! | wall time | share of every 10 s spent within 20 mm of the outermost position |
//! | leg length [m] | path length from leaving a wall to reaching one |
//! | wobble [Hz] | peak of the spectrum of the rotation about the vertical between 1 and 5 Hz, in every 10 s |
//!
//! Two samples are compared by
//!
//! ```text
//! (1)  W = ∫ |F⁻¹_A(p) - F⁻¹_B(p)| dp      (Wasserstein, in the quantity's unit)
//! (2)  K = sup |F_A - F_B|                  (Kolmogorov and Smirnov)
//! ```
//!
//! with intervals from a bootstrap over pieces of 10 s: samples of one piece are not independent, pieces nearly are.

use crate::motion::Motion;
use serde::Serialize;
use std::ops::Range;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::{Interval, median};
use veracity_mocap::turns::between;

/// Length of a piece [s].
const PIECE_S: f64 = 10.0;
/// Distance from the outermost position that counts as at a wall [m].
const AT_WALL_M: f64 = 0.02;
/// A turn of the motor [s].
const TURN_S: f64 = 0.4;
/// Bootstrap draws of an interval.
const DRAWS: u64 = 300;

/// Range of a motion along x and y: lowest and highest.
type Reach = [[f64; 2]; 2];
type ValuesOf = fn(&Motion, &Reach, Range<usize>) -> Vec<f64>;

/// A quantity: its name, its unit, and its values in one piece of a motion.
pub struct Quantity {
    /// Name, as shown.
    pub name: &'static str,
    /// SI; empty for a share.
    pub unit: &'static str,
    values: ValuesOf,
}

/// Every quantity.
pub const QUANTITIES: &[Quantity] = &[
    Quantity { name: "speed", unit: "m/s", values: speed },
    Quantity { name: "turning", unit: "rad/s", values: turning },
    Quantity { name: "wall time", unit: "", values: wall_time },
    Quantity { name: "leg length", unit: "m", values: legs },
    Quantity { name: "wobble", unit: "Hz", values: wobble },
];

/// One quantity of two sets of motions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub quantity: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Median of the simulated and of the recorded values.
    pub medians: [f64; 2],
    /// How many values of each.
    pub counts: [usize; 2],
    /// (1)
    pub wasserstein: Interval,
    /// (2)
    pub kolmogorov: Interval,
}

/// Compares motions; a quantity without values on one side is left out.
pub fn compare(simulated: &[Motion], recorded: &[Motion], confidence: f64, seed: u64) -> Vec<Compared> {
    QUANTITIES
        .iter()
        .enumerate()
        .filter_map(|(number, quantity)| {
            let (a, b) = (in_pieces(simulated, quantity), in_pieces(recorded, quantity));
            let flat = |pieces: &[Vec<f64>]| pieces.iter().flatten().copied().collect::<Vec<f64>>();
            let (all_a, all_b) = (flat(&a), flat(&b));
            if all_a.is_empty() || all_b.is_empty() {
                return None;
            }
            let [w, k] = distances(&all_a, &all_b);
            let stream = Stream::new(seed, number as u64, 0, Purpose::Statistics);
            let again = |pieces: &[Vec<f64>], draw: u64, lane: u32| {
                let pick = |i: usize| (stream.uniform(draw, lane + i as u32) * pieces.len() as f64) as usize;
                (0..pieces.len()).flat_map(|i| pieces[pick(i)].iter().copied()).collect::<Vec<f64>>()
            };
            let draws: Vec<[f64; 2]> = (0..DRAWS)
                .map(|draw| (again(&a, draw, 0), again(&b, draw, 1 << 19)))
                .filter(|(a, b)| !a.is_empty() && !b.is_empty())
                .map(|(a, b)| distances(&a, &b))
                .collect();
            // A distance is never negative, and resampling increases it: the interval is reflected about the estimate
            // (the basic bootstrap) and cut at zero.
            let interval = |which: usize, estimate: f64| {
                let mut sorted: Vec<f64> = draws.iter().map(|d| d[which]).collect();
                sorted.sort_by(f64::total_cmp);
                let at = |p: f64| sorted[((sorted.len() - 1) as f64 * p).round() as usize];
                let tail = 0.5 * (1.0 - confidence);
                let (low, high) = (2.0 * estimate - at(1.0 - tail), 2.0 * estimate - at(tail));
                Interval { estimate, low: low.max(0.0), high: high.max(0.0), confidence }
            };
            Some(Compared {
                quantity: quantity.name,
                unit: quantity.unit,
                medians: [median(&all_a), median(&all_b)],
                counts: [all_a.len(), all_b.len()],
                wasserstein: interval(0, w),
                kolmogorov: interval(1, k),
            })
        })
        .collect()
}

/// Windows of a motion for [`crate::explain`]: by quantity, by piece of 10 s.
pub fn windows(motion: &Motion) -> Vec<Vec<Vec<f64>>> {
    QUANTITIES.iter().map(|quantity| in_pieces(std::slice::from_ref(motion), quantity)).collect()
}

/// Values of a quantity in every piece of every motion.
pub fn in_pieces(motions: &[Motion], quantity: &Quantity) -> Vec<Vec<f64>> {
    let mut out = Vec::new();
    for motion in motions {
        let reach = motion.reach();
        let length = (PIECE_S / motion.interval_s).round() as usize;
        for whole in &motion.pieces {
            let mut first = whole.start;
            while first + length <= whole.end {
                out.push((quantity.values)(motion, &reach, first..first + length));
                first += length;
            }
        }
    }
    out
}

/// (1) and (2).
pub fn distances(a: &[f64], b: &[f64]) -> [f64; 2] {
    let sorted = |x: &[f64]| {
        let mut x = x.to_vec();
        x.sort_by(f64::total_cmp);
        x
    };
    let (a, b) = (sorted(a), sorted(b));
    // Steps through both sets of values at once: between two neighbours the distribution functions are constant.
    let (mut i, mut j, mut area, mut most) = (0, 0, 0.0, 0.0f64);
    let mut at = a[0].min(b[0]);
    while i < a.len() || j < b.len() {
        let next = a.get(i).copied().unwrap_or(f64::INFINITY).min(b.get(j).copied().unwrap_or(f64::INFINITY));
        let apart = (i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs();
        area += apart * (next - at);
        most = most.max(apart);
        at = next;
        i += a[i..].iter().take_while(|x| **x == at).count();
        j += b[j..].iter().take_while(|x| **x == at).count();
    }
    [area, most]
}

fn lag(motion: &Motion, seconds: f64) -> usize {
    ((seconds / motion.interval_s).round() as usize).max(1)
}

fn speed(motion: &Motion, _: &Reach, piece: Range<usize>) -> Vec<f64> {
    let lag = lag(motion, 0.05);
    (piece.start..piece.end - lag)
        .step_by(lag)
        .map(|i| flat_distance(motion, i, i + lag) / (lag as f64 * motion.interval_s))
        .collect()
}

fn flat_distance(motion: &Motion, i: usize, j: usize) -> f64 {
    let (a, b) = (&motion.position[i], &motion.position[j]);
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

fn turning(motion: &Motion, _: &Reach, piece: Range<usize>) -> Vec<f64> {
    let lag = lag(motion, TURN_S);
    let p = &motion.position;
    (piece.start..piece.end.saturating_sub(2 * lag))
        .step_by(lag)
        .map(|i| {
            let step = |k: usize| [p[k + lag][0] - p[k][0], p[k + lag][1] - p[k][1]];
            let (a, b) = (step(i), step(i + lag));
            let angle = libm::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
            angle.abs() / (lag as f64 * motion.interval_s)
        })
        .collect()
}

fn at_wall(motion: &Motion, reach: &Reach, i: usize) -> bool {
    (0..2).any(|axis| {
        let x = motion.position[i][axis];
        x < reach[axis][0] + AT_WALL_M || x > reach[axis][1] - AT_WALL_M
    })
}

fn wall_time(motion: &Motion, reach: &Reach, piece: Range<usize>) -> Vec<f64> {
    let there = piece.clone().filter(|i| at_wall(motion, reach, *i)).count();
    vec![there as f64 / piece.len() as f64]
}

fn legs(motion: &Motion, reach: &Reach, piece: Range<usize>) -> Vec<f64> {
    let (mut out, mut length, mut begun) = (Vec::new(), 0.0, false);
    for i in piece.start + 1..piece.end {
        match (at_wall(motion, reach, i - 1), at_wall(motion, reach, i)) {
            (true, false) => (length, begun) = (0.0, true),
            (false, true) if begun => {
                out.push(length);
                begun = false;
            }
            _ => {}
        }
        length += flat_distance(motion, i - 1, i);
    }
    out
}

fn wobble(motion: &Motion, _: &Reach, piece: Range<usize>) -> Vec<f64> {
    let dt = motion.interval_s;
    let rate: Vec<f64> = (piece.start..piece.end - 1)
        .map(|i| between(&motion.orientation[i], &motion.orientation[i + 1])[2] / dt)
        .collect();
    let mean = rate.iter().sum::<f64>() / rate.len() as f64;
    let n = rate.len() as f64;
    let power = |hz: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, w) in rate.iter().enumerate() {
            // Hann window: without it the slow part leaks into the peak.
            let window = 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * (k as f64 + 0.5) / n);
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * hz * dt * k as f64);
            re += window * (w - mean) * cos;
            im += window * (w - mean) * sin;
        }
        re * re + im * im
    };
    let frequencies = (0..=160).map(|k| 1.0 + 0.025 * f64::from(k));
    let peak = frequencies.map(|hz| (power(hz), hz)).max_by(|a, b| a.0.total_cmp(&b.0));
    peak.map(|(_, hz)| hz).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_mocap::turns::{about, product};

    #[test]
    fn distances_are_those_of_shifted_samples() {
        let a: Vec<f64> = (0..100).map(f64::from).collect();
        let b: Vec<f64> = a.iter().map(|x| x + 5.0).collect();
        let [w, k] = distances(&a, &b);
        assert!((w - 5.0).abs() < 1e-12 && (k - 0.05).abs() < 1e-12, "{w} {k}");
        assert_eq!(distances(&a, &a), [0.0, 0.0]);
    }

    #[test]
    fn a_wobble_and_a_speed_are_found() {
        let mut motion = Motion { interval_s: 0.01, ..Motion::default() };
        for k in 0..2000 {
            let t = f64::from(k) * 0.01;
            motion.position.push([0.3 * t, 0.0, 0.0]);
            let yaw = about(&[0.0, 0.0, 1.0], 0.2 * libm::sin(std::f64::consts::TAU * 2.3 * t));
            motion.orientation.push(product(&yaw, &about(&[1.0, 0.0, 0.0], 3.0 * t)));
            motion.angle.push(0.0);
        }
        motion.end_piece(&mut 0);
        let values = |k: usize| in_pieces(std::slice::from_ref(&motion), &QUANTITIES[k]).concat();
        assert!(values(0).iter().all(|v| (v - 0.3).abs() < 1e-9));
        // The grid of frequencies has steps of 0.025 Hz.
        assert!(values(4).iter().all(|hz| (hz - 2.3).abs() < 0.0126), "{:?}", values(4));
        let same = compare(std::slice::from_ref(&motion), std::slice::from_ref(&motion), 0.95, 0);
        assert!(same.iter().all(|c| c.wasserstein.estimate == 0.0));
    }
}
