//! Two straight legs with mass, point feet and a mass at the hip, on a slope (McGeer's walkers without knees and with
//! feet of radius zero; the compass gait).
//!
//! `a` and `b` are the angles of the stance and the swing leg from the slope's normal, positive where the foot is ahead
//! of the hip. With hip mass M, leg mass m, moment I about the leg's centre, length l, distance c of the centre from
//! the hip, slope γ:
//!
//! ```text
//! (1)  ( (M + m) l² + m (l-c)² + I    -m l c cos(a-b) ) (a'')   ( m l c sin(a-b) b'² + Qa )
//!      ( -m l c cos(a-b)               m c² + I       ) (b'') = (-m l c sin(a-b) a'² + Qb )
//! (2)  Qa = (M l + m l + m (l-c)) g sin(a - γ),   Qb = -m c g sin(b - γ)
//! (3)  strike: cos a - cos b falls through zero with the swing leg ahead, i.e. a + b falls through zero
//! (4)  over (x, z, a, b) of the free machine with mass matrix N and J the velocity of the landing foot,
//!      u₊ = u₋ - N⁻¹ Jᵀ (J N⁻¹ Jᵀ)⁻¹ J u₋ ; then the legs are renamed
//! ```

use super::planar::{Reduced, reduced_map};
use crate::map::NoReturn;
use nalgebra::{Matrix2x4, Matrix4, Vector4};

/// The walker on its slope. State: a, b, a', b'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightLegs {
    /// Hip mass M [kg].
    pub hip_mass: f64,
    /// Leg mass m [kg].
    pub leg_mass: f64,
    /// Leg inertia I [kg m²].
    pub leg_inertia: f64,
    /// Leg length l [m].
    pub length: f64,
    /// Distance c of the leg's centre from the hip [m].
    pub centre_from_hip: f64,
    /// Gravity g [m/s²].
    pub gravity: f64,
    /// Slope γ [rad].
    pub slope_rad: f64,
}

impl StraightLegs {
    /// The widely used example: M 1, m 0.5, I 0.02, l 1, c 0.5, g 1, slope 0.01.
    pub const POINT_FOOT: Self = Self {
        hip_mass: 1.0,
        leg_mass: 0.5,
        leg_inertia: 0.02,
        length: 1.0,
        centre_from_hip: 0.5,
        gravity: 1.0,
        slope_rad: 0.01,
    };

    /// A mass at the hip and one at each foot: the simplest walker in the limit of a vanishing `ratio`.
    pub fn with_feet(ratio: f64, slope_rad: f64) -> Self {
        Self { leg_mass: ratio, leg_inertia: 0.0, centre_from_hip: 1.0, slope_rad, ..Self::POINT_FOOT }
    }

    /// State from the coordinates of the example: stance angle and rate, swing angle and rate relative to stance.
    pub const fn start(q1: f64, u1: f64, q2: f64, u2: f64) -> [f64; 4] {
        [q1, q1 + q2, u1, u1 + u2]
    }

    /// Zero when both feet are on the ground.
    fn section(&self, y: &[f64; 4]) -> f64 {
        y[0] + y[1]
    }
}

impl Reduced<4> for StraightLegs {
    const STEP_S: f64 = 0.1;
    const LATEST_S: f64 = 50.0;

    fn field(&self, y: &[f64; 4]) -> [f64; 4] {
        let Self { hip_mass, leg_mass: m, leg_inertia, length: l, centre_from_hip: c, gravity: g, slope_rad } = *self;
        let [a, b, ra, rb] = *y;
        let (couple, turn) = (m * l * c * libm::cos(a - b), m * l * c * libm::sin(a - b));
        let (m11, m22) = ((hip_mass + m) * l * l + m * (l - c) * (l - c) + leg_inertia, m * c * c + leg_inertia);
        // (2)
        let qa = (hip_mass * l + m * l + m * (l - c)) * g * libm::sin(a - slope_rad);
        let qb = -m * c * g * libm::sin(b - slope_rad);
        let (fa, fb) = (qa + turn * rb * rb, qb - turn * ra * ra);
        let det = m11 * m22 - couple * couple;
        [ra, rb, (m22 * fa + couple * fb) / det, (m11 * fb + couple * fa) / det]
    }

    fn guard(&self, y: &[f64; 4]) -> f64 {
        -(y[0] + y[1])
    }

    fn counts(&self, y: &[f64; 4]) -> bool {
        y[1] > y[0]
    }

    fn lost(&self, y: &[f64; 4]) -> Option<NoReturn> {
        if y[0].abs() > 1.5 {
            return Some(NoReturn::Fell(format!("the stance leg lies {:.2} rad from the slope's normal", y[0])));
        }
        (y[2] >= 0.0).then(|| NoReturn::TurnedBack(format!("the stance leg stops at {:.4} rad", y[0])))
    }

    /// Impact (4).
    fn jump(&self, y: &[f64; 4]) -> [f64; 4] {
        let Self { hip_mass, leg_mass: m, leg_inertia, length: l, centre_from_hip: c, .. } = *self;
        let [a, b, ra, rb] = *y;
        // The hip is at (x, z); a foot ahead of it at (l sin, -l cos).
        let ((sa, ca), (sb, cb)) = ((libm::sin(a), libm::cos(a)), (libm::sin(b), libm::cos(b)));
        let (total, first, second) = (hip_mass + 2.0 * m, m * c, m * c * c + leg_inertia);
        #[rustfmt::skip]
        let mass = Matrix4::new(
            total, 0.0, first * ca, first * cb,
            0.0, total, first * sa, first * sb,
            first * ca, first * sa, second, 0.0,
            first * cb, first * sb, 0.0, second,
        );
        let foot = Matrix2x4::new(1.0, 0.0, 0.0, l * cb, 0.0, 1.0, 0.0, l * sb);
        // The stance foot was at rest: the hip moves relative to it.
        let before = Vector4::new(-l * ca * ra, -l * sa * ra, ra, rb);
        let factor = mass.cholesky().expect("a machine with mass has a positive mass matrix");
        let response = factor.solve(&foot.transpose());
        let block = (foot * response).try_inverse().expect("a foot can be pushed in both directions");
        let after = before - response * (block * (foot * before));
        [b, a, after[3], after[2]]
    }
}

reduced_map!(StraightLegs, 4, ["a", "b", "a'", "b'"]);
