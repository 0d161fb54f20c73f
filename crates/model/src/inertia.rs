//! Mass, centre of mass and inertia tensor of a rigid body, and the conditions for them to be physical.
//!
//! A tensor `I` about the centre of mass belongs to some distribution of positive mass iff the density-weighted
//! covariance
//!
//! ```text
//! (1)  C = tr(I)/2 · 1 - I            is positive semi-definite,
//! ```
//!
//! which is equivalent to the triangle inequality of the principal moments, `I1 + I2 >= I3`, plus `I >= 0`.
//! The pseudo-inertia of Wensing, Kim and Slotine (RA-L 2018) collects mass, first moment and (1),
//!
//! ```text
//! (2)  J = | Σ  h |     Σ = C + m c cᵀ,  h = m c,
//!          | hᵀ m |
//! ```
//!
//! and `J = U Uᵀ` with the upper triangular `U` of [`LogCholesky`] (Rucker and Wensing, RA-L 2022) is positive
//! definite for every choice of its ten parameters: sampling there cannot leave the physical set.

use crate::geometry::{Mat3, Pose, Vec3, skew};
use nalgebra as na;
use serde::{Deserialize, Serialize};

/// Mass distribution of one body, in the body frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the body frame [m].
    pub com: Vec3,
    /// Tensor about the centre of mass, in body axes [kg m²]. Symmetric.
    pub tensor: Mat3,
}

/// The ten unconstrained parameters of a physically possible inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogCholesky {
    /// `[alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]`.
    pub theta: [f64; 10],
}

/// Names of the ten parameters, as they appear in parameter paths.
pub const LOG_CHOLESKY_NAMES: [&str; 10] = ["alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"];

impl Inertia {
    /// Zero mass: legal for a frame that is carried by another body.
    pub fn zero() -> Self {
        Self { mass: 0.0, com: Vec3::zeros(), tensor: Mat3::zeros() }
    }

    /// From mass [kg], centre of mass [m] and the six tensor entries about the centre of mass, in body axes [kg m²].
    pub fn new(mass: f64, com: Vec3, [ixx, iyy, izz, ixy, ixz, iyz]: [f64; 6]) -> Self {
        Self { mass, com, tensor: Mat3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz) }
    }

    /// A point mass [kg] at `com` [m].
    pub fn point_mass(mass: f64, com: Vec3) -> Self {
        Self { mass, com, tensor: Mat3::zeros() }
    }

    /// A solid box with full side lengths `size` [m], centred at the origin.
    pub fn solid_box(mass: f64, size: Vec3) -> Self {
        let s = size.component_mul(&size) * (mass / 12.0);
        Self::new(mass, Vec3::zeros(), [s.y + s.z, s.x + s.z, s.x + s.y, 0.0, 0.0, 0.0])
    }

    /// A solid sphere.
    pub fn solid_sphere(mass: f64, radius: f64) -> Self {
        let i = 0.4 * mass * radius * radius;
        Self::new(mass, Vec3::zeros(), [i, i, i, 0.0, 0.0, 0.0])
    }

    /// A solid cylinder about z.
    pub fn solid_cylinder(mass: f64, radius: f64, length: f64) -> Self {
        let side = mass * (3.0 * radius * radius + length * length) / 12.0;
        Self::new(mass, Vec3::zeros(), [side, side, 0.5 * mass * radius * radius, 0.0, 0.0, 0.0])
    }

    /// A thin uniform rod from the origin to `end` [m].
    pub fn thin_rod(mass: f64, end: Vec3) -> Self {
        let tensor = -skew(&end) * skew(&end) * (mass / 12.0);
        Self { mass, com: end * 0.5, tensor }
    }

    /// The same distribution expressed in a frame in which this body's frame has the pose `new_from_old`.
    pub fn transformed(&self, new_from_old: &Pose) -> Self {
        let r = new_from_old.rotation.to_rotation_matrix();
        let tensor = r * self.tensor * r.transpose();
        Self { mass: self.mass, com: (new_from_old * na::Point3::from(self.com)).coords, tensor: symmetric(&tensor) }
    }

    /// Two bodies welded together, both given in the same frame.
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self { mass, com: self.com, tensor: self.tensor + other.tensor };
        }
        let com = (self.com * self.mass + other.com * other.mass) / mass;
        let tensor = self.about(&com) + other.about(&com);
        Self { mass, com, tensor }
    }

    /// Tensor about another point, in body axes [kg m²].
    pub fn about(&self, point: &Vec3) -> Mat3 {
        let d = self.com - point;
        self.tensor + (Mat3::identity() * d.norm_squared() - d * d.transpose()) * self.mass
    }

    /// Principal moments, ascending [kg m²].
    pub fn principal_moments(&self) -> [f64; 3] {
        let mut m: [f64; 3] = na::SymmetricEigen::new(symmetric(&self.tensor)).eigenvalues.into();
        m.sort_by(f64::total_cmp);
        m
    }

    /// Excess of the largest principal moment over the sum of the other two, relative to the largest. If positive, no
    /// distribution of mass has this tensor.
    pub fn triangle_violation(&self) -> f64 {
        let [a, b, c] = self.principal_moments();
        if c <= 0.0 { 0.0 } else { (c - (a + b)) / c }
    }

    /// Moments up to this value count as those of a point mass [kg m²]: a radius of gyration of ten nanometres, a
    /// hundred atoms. Exporters write such numbers (1e-20 kg m²), of either sign, for zero inertia.
    pub fn point_like(&self) -> f64 {
        const POINT: f64 = 1e-8;
        self.mass.abs() * POINT * POINT
    }

    /// Whether a principal moment is negative beyond rounding: rotating a tensor by rounded angles turns a zero moment
    /// into up to 1e-9 of the largest.
    pub fn has_negative_moment(&self) -> bool {
        let [smallest, _, largest] = self.principal_moments();
        -smallest > self.point_like() && -smallest > 1e-9 * largest.abs().max(-smallest)
    }

    /// [`Inertia::triangle_violation`], or zero for a point mass.
    pub fn triangle_violation_beyond_rounding(&self) -> f64 {
        let [a, b, c] = self.principal_moments();
        if c - (a + b) <= self.point_like() { 0.0 } else { self.triangle_violation() }
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.mass.is_finite() && self.com.iter().chain(self.tensor.iter()).all(|x| x.is_finite())
    }

    /// The unconstrained parametrisation; `None` outside (or on the boundary of) the physical set.
    pub fn to_log_cholesky(&self) -> Option<LogCholesky> {
        if self.mass <= 0.0 || !self.is_finite() {
            return None;
        }
        // Eliminating the last row of (2) first leaves the covariance (1), independent of the position of the frame.
        let covariance = Mat3::identity() * (0.5 * self.tensor.trace()) - symmetric(&self.tensor);
        // U U^T with U upper triangular is the Cholesky factorisation with the order of rows reversed.
        let flip = Mat3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0);
        let lower = na::Cholesky::new(flip * covariance * flip)?.unpack();
        let u = flip * lower * flip;
        let scale = self.mass.sqrt();
        let alpha = libm::log(scale);
        let n = u / scale;
        Some(LogCholesky {
            theta: [
                alpha,
                libm::log(n[(0, 0)]),
                libm::log(n[(1, 1)]),
                libm::log(n[(2, 2)]),
                n[(0, 1)],
                n[(1, 2)],
                n[(0, 2)],
                self.com.x,
                self.com.y,
                self.com.z,
            ],
        })
    }

    /// From the unconstrained parametrisation: always physically possible.
    pub fn from_log_cholesky(p: &LogCholesky) -> Self {
        let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = p.theta;
        let scale = libm::exp(alpha);
        let u = Mat3::new(libm::exp(d1), s12, s13, 0.0, libm::exp(d2), s23, 0.0, 0.0, libm::exp(d3)) * scale;
        let covariance = u * u.transpose();
        let tensor = Mat3::identity() * covariance.trace() - covariance;
        Self { mass: scale * scale, com: Vec3::new(t1, t2, t3), tensor: symmetric(&tensor) }
    }
}

/// The symmetric part: removes the rounding-level asymmetry that products of rotations leave in a tensor.
fn symmetric(m: &Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose;
    use proptest::prelude::*;

    #[test]
    fn two_half_boxes_make_a_whole_one() {
        let half = Inertia::solid_box(1.0, Vec3::new(1.0, 2.0, 3.0));
        let left = half.transformed(&Pose::translation(-0.5, 0.0, 0.0));
        let right = half.transformed(&Pose::translation(0.5, 0.0, 0.0));
        let whole = Inertia::solid_box(2.0, Vec3::new(2.0, 2.0, 3.0));
        let sum = left.combined(&right);
        // Exact arithmetic on these numbers up to a few roundings.
        assert!((sum.tensor - whole.tensor).norm() < 1e-14 && sum.com.norm() < 1e-15);
    }

    #[test]
    fn a_rod_is_on_the_edge_of_the_physical_set() {
        let rod = Inertia::thin_rod(2.0, Vec3::new(0.0, 0.0, 3.0));
        assert!((rod.about(&Vec3::zeros())[(0, 0)] - 2.0 * 9.0 / 3.0).abs() < 1e-14);
        assert!(rod.triangle_violation().abs() < 1e-15);
        assert_eq!(rod.to_log_cholesky(), None);
    }

    proptest! {
        #[test]
        fn any_log_cholesky_is_physical_and_comes_back(theta in prop::array::uniform10(-1.5f64..1.5)) {
            let inertia = Inertia::from_log_cholesky(&LogCholesky { theta });
            prop_assert!(inertia.mass > 0.0);
            prop_assert!(inertia.triangle_violation() < 1e-14);
            let back = inertia.to_log_cholesky().expect("interior of the set");
            for (a, b) in theta.iter().zip(back.theta) {
                // The condition number of the covariance is at most about e^6·(shear), so 1e-9 leaves a margin for its
                // square.
                prop_assert!((a - b).abs() < 1e-9, "{theta:?} {:?}", back.theta);
            }
        }

        #[test]
        fn moving_the_frame_keeps_the_principal_moments(x in -2.0f64..2.0, r in -3.0f64..3.0, p in -1.0f64..1.0) {
            let body = Inertia::new(2.0, Vec3::new(0.1, 0.2, -0.3), [0.5, 0.6, 0.7, 0.05, -0.02, 0.03]);
            let moved = body.transformed(&pose(Vec3::new(x, 1.0, -x), [r, p, 0.4]));
            for (a, b) in body.principal_moments().iter().zip(moved.principal_moments()) {
                prop_assert!((a - b).abs() < 1e-14);
            }
        }
    }
}
