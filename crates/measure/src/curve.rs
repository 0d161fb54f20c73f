//! A quantity between the instants at which it is known, with its interpolation error.
//!
//! Between two rows a vector is the cubic Hermite polynomial `A` where its rate is known, else the cubic `A` through
//! the four rows around it. Its error is estimated with a second interpolant `B` that uses other data: the
//! cubic through four rows, or the parabola through three. Both `A` and `B` approach a smooth motion, so
//!
//! ```text
//! (1)  |A - x|  <~  |A - B|
//! ```
//!
//! because `B` is the worse of the two (its constant is nine times that of Hermite's cubic). A kink, an impact or a
//! rate that does not belong to the positions separates `A` and `B` and shows in (1), unlike in an estimate from a
//! fourth derivative.
//!
//! Orientations are interpolated in the same way as rotation vectors `φ = log(R₀ᵀ R)` relative to the row before. With
//! constant angular velocity `A` is the great arc of a slerp; the angular velocity makes it accurate to fourth order:
//!
//! ```text
//! (2)  φ' = (1 + ½[φ]× + k [φ]×²) ω,   k = 1/θ² - (1 + cos θ) / (2 θ sin θ),   θ = |φ|,   ω in body axes.
//! ```

use veracity_dynamics::spatial::{quat_conj, quat_exp, quat_log, quat_mul};
use veracity_model::Vec3;

/// Two instants closer than this count as one [s].
pub const SAME_INSTANT_S: f64 = 1e-9;

/// Above this rotation between rows the direction is ambiguous and nothing is known in between [rad].
const LARGEST_TURN: f64 = 3.0;

/// A value at an instant: three numbers, or a quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Numbers beyond the width of the quantity are zero.
    pub value: [f64; 4],
    /// Interpolation error, in the unit of [`Curve::distance`]; zero at a row.
    pub error: f64,
}

/// A quantity over time.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    times: &'a [f64],
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    Vector { x: Vec<Vec3>, rate: Option<Vec<Vec3>> },
    Orientation { w_xyz: Vec<[f64; 4]>, spin: Option<Vec<Vec3>> },
}

impl<'a> Curve<'a> {
    /// Up to three numbers, with their rate if it is known.
    pub fn vector(times: &'a [f64], x: Vec<Vec3>, rate: Option<Vec<Vec3>>) -> Self {
        Self { times, values: Values::Vector { x, rate } }
    }

    /// Quaternions w x y z, with the angular velocity in world axes if it is known.
    pub fn orientation(times: &'a [f64], w_xyz: Vec<[f64; 4]>, spin: Option<Vec<Vec3>>) -> Self {
        Self { times, values: Values::Orientation { w_xyz, spin } }
    }

    /// Instants at which it is known [s].
    pub fn times(&self) -> &'a [f64] {
        self.times
    }

    /// Distance between two values: length of the difference, or angle.
    pub fn distance(&self, a: &[f64; 4], b: &[f64; 4]) -> f64 {
        match self.values {
            Values::Vector { .. } => (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt(),
            Values::Orientation { .. } => angle_between(a, b),
        }
    }

    /// Value at an instant; `None` before the first row or after the last, or if fewer than two rows are known.
    pub fn at(&self, time: f64) -> Option<Sample> {
        let times = self.times;
        let next = times.partition_point(|&t| t < time);
        let near = [next.wrapping_sub(1), next].into_iter().filter(|&i| i < times.len());
        if let Some(row) = near.min_by(|&a, &b| (times[a] - time).abs().total_cmp(&(times[b] - time).abs()))
            && (times[row] - time).abs() <= SAME_INSTANT_S
        {
            return Some(Sample { value: self.row(row), error: 0.0 });
        }
        if next == 0 || next >= times.len() {
            return None;
        }
        let i = next - 1;
        Some(match &self.values {
            Values::Vector { x, rate } => vector_between(times, x, rate.as_deref(), i, time),
            Values::Orientation { w_xyz, spin } => orientation_between(times, w_xyz, spin.as_deref(), i, time),
        })
    }

    fn row(&self, row: usize) -> [f64; 4] {
        match &self.values {
            Values::Vector { x, .. } => padded(&x[row]),
            Values::Orientation { w_xyz, .. } => w_xyz[row],
        }
    }
}

/// The angle of the rotation from one quaternion to another [rad].
pub fn angle_between(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let d = quat_mul(quat_conj(*a), *b);
    2.0 * libm::atan2((d[1] * d[1] + d[2] * d[2] + d[3] * d[3]).sqrt(), d[0].abs())
}

/// The polynomial through `count` rows from `first`, evaluated at an instant.
pub(crate) fn through_rows(times: &[f64], x: &[Vec3], first: usize, count: usize, time: f64) -> Vec3 {
    let rows = first..first + count;
    let mut sum = Vec3::zeros();
    for i in rows.clone() {
        let others = rows.clone().filter(|&j| j != i);
        let weight: f64 = others.map(|j| (time - times[j]) / (times[i] - times[j])).product();
        sum += x[i] * weight;
    }
    sum
}

/// First of `count` rows around the interval from row `i`.
pub(crate) fn rows_around(i: usize, count: usize, len: usize) -> usize {
    (i + 1).saturating_sub(count / 2).min(len - count)
}

fn vector_between(times: &[f64], x: &[Vec3], rate: Option<&[Vec3]>, i: usize, time: f64) -> Sample {
    let polynomial = |count: usize| through_rows(times, x, rows_around(i, count, x.len()), count, time);
    let most = x.len().min(4);
    let (a, b) = match rate {
        Some(rate) => {
            let span = times[i + 1] - times[i];
            (hermite([x[i], x[i + 1]], [rate[i], rate[i + 1]], span, (time - times[i]) / span), polynomial(most))
        }
        None => (polynomial(most), polynomial(most - 1)),
    };
    Sample { value: padded(&a), error: (a - b).norm() }
}

/// Cubic with values and rates at both ends of an interval of length `span`, at the fraction `s` of it.
pub(crate) fn hermite(x: [Vec3; 2], rate: [Vec3; 2], span: f64, s: f64) -> Vec3 {
    let r = 1.0 - s;
    x[0] * (r * r * (1.0 + 2.0 * s)) + x[1] * (s * s * (3.0 - 2.0 * s)) + rate[0] * (span * s * r * r)
        - rate[1] * (span * s * s * r)
}

fn orientation_between(times: &[f64], w_xyz: &[[f64; 4]], spin: Option<&[Vec3]>, i: usize, time: f64) -> Sample {
    let from_row = |k: usize| Vec3::from(quat_log(quat_mul(quat_conj(w_xyz[i]), w_xyz[k])));
    let count = w_xyz.len().min(4);
    let first = rows_around(i, count, w_xyz.len());
    let near = times[first..first + count].to_vec();
    let phi: Vec<Vec3> = (first..first + count).map(from_row).collect();
    let local: Option<Vec<Vec3>> = spin.map(|spin| {
        let in_body = |k: usize| turned_back(&w_xyz[k], &spin[k]);
        (first..first + count).map(|k| vector_rate(&phi[k - first], &in_body(k))).collect()
    });
    let mut sample = vector_between(&near, &phi, local.as_deref(), i - first, time);
    let span = times[i + 1] - times[i];
    let fastest = spin.map_or(0.0, |s| s[i].norm().max(s[i + 1].norm())) * span;
    if phi[i + 1 - first].norm().max(fastest) > LARGEST_TURN {
        sample.error = std::f64::consts::PI;
    }
    let [x, y, z, _] = sample.value;
    sample.value = quat_mul(w_xyz[i], quat_exp([x, y, z]));
    sample
}

/// (2)
fn vector_rate(phi: &Vec3, spin_in_body: &Vec3) -> Vec3 {
    let angle = phi.norm();
    let k = if angle < 1e-3 {
        // The next term of the series is θ²/720.
        1.0 / 12.0
    } else {
        let (s, c) = libm::sincos(angle);
        1.0 / (angle * angle) - (1.0 + c) / (2.0 * angle * s)
    };
    let once = phi.cross(spin_in_body);
    spin_in_body + once * 0.5 + phi.cross(&once) * k
}

fn turned_back(q: &[f64; 4], v: &Vec3) -> Vec3 {
    let r = quat_mul(quat_mul(quat_conj(*q), [0.0, v.x, v.y, v.z]), *q);
    Vec3::new(r[1], r[2], r[3])
}

fn padded(v: &Vec3) -> [f64; 4] {
    [v.x, v.y, v.z, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(step: f64) -> Vec<f64> {
        (0..=(1.0 / step).round() as usize).map(|i| i as f64 * step).collect()
    }

    #[test]
    fn hermite_is_of_fourth_order_and_its_error_is_not_understated() {
        let worst = |step: f64| {
            let t = times(step);
            let x = t.iter().map(|t| Vec3::new(libm::sin(5.0 * t), 0.0, 0.0)).collect();
            let rate = t.iter().map(|t| Vec3::new(5.0 * libm::cos(5.0 * t), 0.0, 0.0)).collect();
            let curve = Curve::vector(&t, x, Some(rate));
            let mut worst = (0.0f64, 0.0f64);
            for k in 0..997 {
                let at = k as f64 / 997.0;
                let sample = curve.at(at).unwrap();
                let off = (sample.value[0] - libm::sin(5.0 * at)).abs();
                worst = (worst.0.max(off), worst.1.max(sample.error));
                // Where the fourth derivative crosses zero both errors do, at slightly different times.
                assert!(off <= sample.error + 0.02 * worst.1 + 1e-15, "at {at}: {off:e} and not {:e}", sample.error);
            }
            worst
        };
        let (coarse, fine) = (worst(0.05), worst(0.025));
        // h⁴ / 384 · 5⁴ at the coarse step, and a sixteenth of it at half the step.
        assert!((coarse.0 / (0.05f64.powi(4) * 625.0 / 384.0) - 1.0).abs() < 0.05, "{coarse:?}");
        assert!((coarse.0 / fine.0 / 16.0 - 1.0).abs() < 0.1, "{coarse:?} {fine:?}");
        // The estimate is the error of the worse interpolant: nine times as large inside, more near the ends.
        assert!(coarse.1 < 40.0 * coarse.0);
    }

    #[test]
    fn a_rate_that_does_not_belong_shows_in_the_error() {
        let t = times(0.1);
        let x = t.iter().map(|t| Vec3::new(*t, 0.0, 0.0)).collect();
        let rate = t.iter().map(|_| Vec3::new(1.2, 0.0, 0.0)).collect();
        let sample = Curve::vector(&t, x, Some(rate)).at(0.525).unwrap();
        let off = (sample.value[0] - 0.525).abs();
        assert!(off > 1e-3 && (sample.error - off).abs() < 1e-12, "{sample:?}");
    }

    #[test]
    fn a_steady_turn_is_met_exactly_and_a_changing_one_to_fourth_order() {
        let turn = |angle: f64| quat_mul(quat_exp([0.3, -0.2, 0.1]), quat_exp([0.0, angle, 0.0]));
        let spin_axis = |q: [f64; 4], rate: f64| {
            let r = quat_mul(quat_mul(q, [0.0, 0.0, rate, 0.0]), quat_conj(q));
            Vec3::new(r[1], r[2], r[3])
        };
        let off = |step: f64, accelerated: f64| {
            let t = times(step);
            let angle = |t: f64| 2.0 * t + accelerated * libm::sin(4.0 * t);
            let rate = |t: f64| 2.0 + 4.0 * accelerated * libm::cos(4.0 * t);
            let q: Vec<_> = t.iter().map(|t| turn(angle(*t))).collect();
            let spin = t.iter().zip(&q).map(|(t, q)| spin_axis(*q, rate(*t))).collect();
            let curve = Curve::orientation(&t, q, Some(spin));
            (0..101)
                .map(|k| {
                    let at = k as f64 / 101.0;
                    angle_between(&curve.at(at).unwrap().value, &turn(angle(at)))
                })
                .fold(0.0, f64::max)
        };
        // Rounding of a few products of quaternions.
        assert!(off(0.1, 0.0) < 1e-15 * 4.0, "{:e}", off(0.1, 0.0));
        let ratio = off(0.05, 0.3) / off(0.025, 0.3);
        assert!((ratio / 16.0 - 1.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn too_fast_a_turn_is_not_guessed() {
        let t = [0.0, 1.0, 2.0];
        let q = t.iter().map(|t| quat_exp([0.0, 0.0, 7.0 * t])).collect();
        let curve = Curve::orientation(&t, q, Some(vec![Vec3::new(0.0, 0.0, 7.0); 3]));
        assert_eq!(curve.at(0.5).unwrap().error, std::f64::consts::PI);
    }

    #[test]
    fn rows_are_met_to_a_nanosecond_and_nothing_is_known_outside() {
        let t = [1.0, 2.0];
        let curve = Curve::vector(&t, vec![Vec3::x(), Vec3::y()], None);
        assert_eq!(curve.at(2.0 + 5e-10), Some(Sample { value: [0.0, 1.0, 0.0, 0.0], error: 0.0 }));
        assert_eq!(curve.at(2.1), None);
        assert_eq!(curve.at(0.9), None);
        // Two rows without a rate: a straight line, with half the difference as its error.
        let middle = curve.at(1.5).unwrap();
        assert_eq!(middle.value[..2], [0.5, 0.5]);
        assert!((middle.error - 0.5f64.sqrt()).abs() < 1e-15);
    }
}
