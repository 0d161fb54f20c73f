//! The centre of a ball from its height while it rolls.
//!
//! The poses are of a model frame whose origin is not the ball's centre. With `u` the centre in that frame, `z` the
//! height of the origin and `a_i` the third row of `R(q_i)`, a ball of radius `r` on a level floor has
//!
//! ```text
//! (1)  z_i + a_i · u = r + e_i
//! (2)  u = (sum a aᵀ)⁻¹ sum a (r - z)                            closed form, one pass
//! (3)  cov = s² (sum a aᵀ)⁻¹,   s² = sum e² / (n - 3)            if the errors were independent
//! (4)  cov = H⁻¹ (sum_b g_b g_bᵀ) H⁻¹,   g_b = sum over block b of a e     whatever they do inside a block
//! ```
//!
//! Errors of neighbouring samples are not independent (the bias of a marker persists while it is seen), so (3) is too
//! small; (4) with blocks of a second is the one to use. Only sums are kept, not samples: any number of sessions in one
//! pass.

use crate::report::StepReport;
use crate::stream::Sample;
use nalgebra::{Matrix3, Vector3};

/// Length of the blocks of (4), in samples.
pub const BLOCK: usize = 100;

/// The sums of (2) to (4).
#[derive(Clone, Debug)]
pub struct CentreFromHeight {
    radius: f64,
    count: usize,
    normal: Matrix3<f64>,
    right: Vector3<f64>,
    square: f64,
    blocks: Vec<(Matrix3<f64>, Vector3<f64>)>,
    in_block: usize,
}

/// A centre with its uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub struct CentreEstimate {
    /// In the model frame [m].
    pub centre: [f64; 3],
    /// Covariance if errors were independent, (3) [m²].
    pub formal: Matrix3<f64>,
    /// Covariance with errors that may be correlated, (4) [m²].
    pub covariance: Matrix3<f64>,
    /// Samples used.
    pub samples: usize,
    /// Root mean square of the errors [m].
    pub rms: f64,
}

impl CentreFromHeight {
    /// For a ball of this radius [m].
    pub fn new(radius: f64) -> Self {
        let (normal, right) = (Matrix3::zeros(), Vector3::zeros());
        Self { radius, count: 0, normal, right, square: 0.0, blocks: Vec::new(), in_block: 0 }
    }

    /// Adds a sample; one without a pose is skipped.
    pub fn add(&mut self, sample: &Sample) {
        if !sample.is_known() {
            return;
        }
        let [w, x, y, z] = sample.orientation;
        let row = Vector3::new(2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y));
        let height = self.radius - sample.position[2];
        if self.in_block == 0 {
            self.blocks.push((Matrix3::zeros(), Vector3::zeros()));
        }
        self.in_block = (self.in_block + 1) % BLOCK;
        let (outer, weighted) = (row * row.transpose(), row * height);
        self.normal += outer;
        self.right += weighted;
        self.square += height * height;
        self.count += 1;
        if let Some((normal, right)) = self.blocks.last_mut() {
            *normal += outer;
            *right += weighted;
        }
    }

    /// Ends a session: blocks do not extend over the gap between two sessions.
    pub fn end_session(&mut self) {
        self.in_block = 0;
    }

    /// The estimate; `None` with fewer than four samples or if the rotations leave a direction unobserved.
    pub fn solve(&self) -> Option<CentreEstimate> {
        if self.count < 4 {
            return None;
        }
        let n = self.count as f64;
        let least = self.normal.symmetric_eigenvalues().min();
        // A direction that was never vertical to one part in a thousand is unobserved.
        if least.is_nan() || least <= 1e-6 * n {
            return None;
        }
        let inverse = self.normal.try_inverse()?;
        let u = inverse * self.right;
        let cost = (self.square - u.dot(&self.right)).max(0.0);
        let formal = inverse * (cost / (n - 3.0));
        let meat: Matrix3<f64> = self
            .blocks
            .iter()
            .map(|(normal, right)| {
                let g = right - normal * u;
                g * g.transpose()
            })
            .sum();
        let covariance = inverse * meat * inverse;
        Some(CentreEstimate { centre: u.into(), formal, covariance, samples: self.count, rms: (cost / n).sqrt() })
    }
}

impl CentreEstimate {
    /// Standard deviations by (4) [m].
    pub fn sigma(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| self.covariance[(i, i)].sqrt())
    }

    /// Standard deviations by (3), as if errors were independent [m].
    pub fn formal_sigma(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| self.formal[(i, i)].sqrt())
    }

    /// Summary of the estimate.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("centre from height");
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            report.measured(format!("centre {axis}"), "mm", 1e3 * self.centre[i], 1e3 * self.sigma()[i]);
        }
        report.number("samples", "", self.samples as f64);
        report.number("rms residual", "mm", 1e3 * self.rms);
        let [x, y, z] = self.formal_sigma().map(|s| 1e3 * s);
        report.note(
            "formal-sigma",
            format!("if the errors were independent, the standard deviations would be {x:.4}, {y:.4}, {z:.4} mm"),
        );
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{exp, rotate};
    use veracity_engine::random::{Purpose, Stream};

    fn samples(count: u64, noise: f64, u: [f64; 3]) -> Vec<Sample> {
        let stream = Stream::new(5, 0, 0, Purpose::SensorNoise);
        (0..count)
            .map(|i| {
                let orientation = exp(&[0, 1, 2].map(|k| 2.0 * stream.normal(i, k)));
                let lift = rotate(&orientation, &u)[2];
                let position = [0.0, 0.0, 0.041 - lift + noise * stream.normal(i, 3)];
                Sample { stamp_ns: 0, position, orientation }
            })
            .collect()
    }

    #[test]
    fn a_known_centre_is_found_within_its_uncertainty() {
        let u = [-1e-3, 3e-3, 2e-3];
        let mut fit = CentreFromHeight::new(0.041);
        samples(20_000, 1e-3, u).iter().for_each(|s| fit.add(s));
        let centre = fit.solve().unwrap();
        for i in 0..3 {
            // Independent errors: 1 mm over the root of n/3, and four of these.
            let sigma = 1e-3 * (3.0f64 / 20_000.0).sqrt();
            assert!((centre.centre[i] - u[i]).abs() < 4.0 * sigma);
            // Both uncertainties are that sigma; blocks scatter by the root of 2 over their number, 200: 10 %, times
            // four.
            assert!((centre.formal_sigma()[i] / sigma - 1.0).abs() < 0.05);
            assert!((centre.sigma()[i] / sigma - 1.0).abs() < 0.4);
        }
    }

    #[test]
    fn without_rotation_no_centre_is_found() {
        let mut fit = CentreFromHeight::new(0.041);
        let sample = Sample { stamp_ns: 0, position: [0.0, 0.0, 0.04], orientation: [1.0, 0.0, 0.0, 0.0] };
        (0..100).for_each(|_| fit.add(&sample));
        assert!(fit.solve().is_none());
    }
}
