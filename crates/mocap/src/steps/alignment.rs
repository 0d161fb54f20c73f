//! From the capture frame and the tracker's body frame to those of the world.
//!
//! ```text
//! (1)  x_world = R (x + R(q) u) + t,    q_world = R q B         u the body's centre, B a rotation of the body frame
//! (2)  floor:  least squares  z = a + b x + c y  over centres of a rolling ball; R takes (-b, -c, 1) to z
//! (3)  walls:  half the sum of the extreme positions, the outermost 0.1 % left out on each side
//! ```

use crate::report::{Mark, Plot, StepReport};
use crate::stream::{Quaternion, Sample};
use crate::turns::{exp, norm, plus, product, rotate};
use nalgebra::{Matrix3, Vector3};

/// The transformation (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// `world_from_capture`.
    pub turn: Quaternion,
    /// Of the capture frame's origin in the world [m].
    pub shift: [f64; 3],
    /// The body's centre in the tracker's body frame [m].
    pub centre: [f64; 3],
    /// `tracked_from_body`: the tracker's body frame to the model's.
    pub body_turn: Quaternion,
}

impl Default for Alignment {
    fn default() -> Self {
        Self { turn: [1.0, 0.0, 0.0, 0.0], shift: [0.0; 3], centre: [0.0; 3], body_turn: [1.0, 0.0, 0.0, 0.0] }
    }
}

impl Alignment {
    /// Applies (1).
    pub fn apply(&self, samples: &mut [Sample]) {
        if *self == Self::default() {
            return;
        }
        for sample in samples.iter_mut().filter(|s| s.is_known()) {
            let centre = plus(&sample.position, &rotate(&sample.orientation, &self.centre));
            sample.position = plus(&rotate(&self.turn, &centre), &self.shift);
            sample.orientation = product(&product(&self.turn, &sample.orientation), &self.body_turn);
        }
    }

    /// Summary of the alignment.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("frame alignment");
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            report.number(format!("centre {axis}"), "mm", 1e3 * self.centre[i]);
        }
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            report.number(format!("shift {axis}"), "mm", 1e3 * self.shift[i]);
        }
        let angle = |q: &Quaternion| norm(&crate::turns::log(q)).to_degrees();
        report.number("turn of the capture frame", "deg", angle(&self.turn));
        report.number("turn of the body frame", "deg", angle(&self.body_turn));
        report
    }
}

/// A floor found under a rolling ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// `level_from_capture`.
    pub turn: Quaternion,
    /// Its tilt [rad], with one standard deviation.
    pub tilt: (f64, f64),
    /// Height of the centres over the origin [m].
    pub height: f64,
}

/// (2); `None` if the positions do not span a plane.
pub fn level_floor(centres: impl Iterator<Item = [f64; 3]> + Clone) -> Option<Floor> {
    let (mut normal, mut right, mut square, mut n) = (Matrix3::zeros(), Vector3::zeros(), 0.0, 0.0);
    for [x, y, z] in centres.filter(|c| c[2].is_finite()) {
        let row = Vector3::new(1.0, x, y);
        normal += row * row.transpose();
        right += row * z;
        square += z * z;
        n += 1.0;
    }
    let inverse = normal.try_inverse().filter(|_| n > 3.0)?;
    let fit = inverse * right;
    let variance = (square - fit.dot(&right)).max(0.0) / (n - 3.0);
    let slope = libm::hypot(fit[1], fit[2]);
    let tilt = libm::atan(slope);
    let sigma = (variance * (inverse[(1, 1)] + inverse[(2, 2)])).sqrt();
    // The rotation axis is horizontal and perpendicular to the slope.
    let turn =
        if slope > 0.0 { exp(&[tilt * -fit[2] / slope, tilt * fit[1] / slope, 0.0]) } else { [1.0, 0.0, 0.0, 0.0] };
    Some(Floor { turn, tilt: (tilt, sigma), height: fit[0] })
}

/// (3): middle and half width of the range reached along an axis [m]; `None` without samples.
pub fn reach(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let out = values.len() / 1000;
    let (low, high) = (values[out], values[values.len() - 1 - out]);
    Some((0.5 * (low + high), 0.5 * (high - low)))
}

/// The path seen from above.
pub fn plot(samples: &[Sample]) -> Plot {
    let path = samples.iter().filter(|s| s.is_known()).map(|s| [s.position[0], s.position[1]]);
    // Thinned by time, not by extremes: a path is not a function of x.
    let points: Vec<[f64; 2]> = path.collect();
    let stride = points.len().div_ceil(2400).max(1);
    let mut plot =
        Plot::new("Path from above", "x [m]", "y [m]").with("centre", Mark::Line, points.into_iter().step_by(stride));
    plot.equal_axes = true;
    plot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaning_floor_is_made_level() {
        let lean = exp(&[0.02, -0.01, 0.0]);
        let centres: Vec<[f64; 3]> =
            (0..100).map(|i| rotate(&lean, &[0.1 * f64::from(i % 10), 0.1 * f64::from(i / 10), 0.041])).collect();
        let floor = level_floor(centres.iter().copied()).unwrap();
        assert!((floor.tilt.0 - libm::hypot(0.02, 0.01)).abs() < 1e-9);
        let level: Vec<f64> = centres.iter().map(|c| rotate(&floor.turn, c)[2]).collect();
        assert!(level.iter().all(|z| (z - level[0]).abs() < 1e-9), "{level:?}");
    }

    #[test]
    fn alignment_moves_centre_frame_and_body() {
        let alignment = Alignment {
            turn: exp(&[0.0, 0.0, std::f64::consts::FRAC_PI_2]),
            shift: [1.0, 0.0, 0.0],
            centre: [0.0, 0.0, 0.1],
            body_turn: exp(&[std::f64::consts::FRAC_PI_2, 0.0, 0.0]),
        };
        let mut samples = [Sample {
            stamp_ns: 0,
            position: [1.0, 2.0, 3.0],
            orientation: exp(&[std::f64::consts::FRAC_PI_2, 0.0, 0.0]),
        }];
        alignment.apply(&mut samples);
        // The centre is at (1, 1.9, 3); a quarter turn takes it to (-1.9, 1, 3).
        let p = samples[0].position;
        assert!((p[0] + 0.9).abs() < 1e-12 && (p[1] - 1.0).abs() < 1e-12 && (p[2] - 3.0).abs() < 1e-12, "{p:?}");
        let z = rotate(&samples[0].orientation, &[0.0, 0.0, 1.0]);
        assert!((z[2] + 1.0).abs() < 1e-12, "two quarter turns of the body: {z:?}");
    }

    #[test]
    fn reach_does_not_depend_on_one_sample() {
        let values = (0..10_001).map(|i| if i == 7 { 99.0 } else { -1.0 + 2e-4 * f64::from(i) });
        let (middle, half) = reach(values).unwrap();
        assert!(middle.abs() < 1e-3 && (half - 1.0).abs() < 3e-3);
    }
}
