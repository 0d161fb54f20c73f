//! The simplest walking model (Garcia, Chatterjee, Ruina and Coleman 1998): a point mass at the hip, massless legs,
//! feet of vanishing mass.
//!
//! `θ` is the stance leg from the slope's normal, `φ` the swing leg from the stance leg, g the slope, time in
//! sqrt(l/g):
//!
//! ```text
//! (1)  θ'' = sin(θ - g)
//! (2)  φ'' = θ'' + θ'² sin φ - cos(θ - g) sin φ
//! (3)  strike: φ - 2θ rises through zero with θ < 0
//! (4)  θ₊ = -θ₋,  θ'₊ = cos(2θ₋) θ'₋,  φ₊ = -2θ₋,  φ'₊ = cos(2θ₋) (1 - cos 2θ₋) θ'₋
//! ```
//!
//! The legs are straight and scuff at midstance; (3) ignores that.

use super::planar::{Reduced, reduced_map};
use crate::map::NoReturn;

/// The walker on its slope. State: θ, φ, θ', φ'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplestWalker {
    /// Slope [rad].
    pub slope_rad: f64,
}

impl SimplestWalker {
    /// Start just after a strike from angle and rate of the stance leg: those of the swing leg follow from (4).
    pub fn start(theta: f64, speed: f64) -> [f64; 4] {
        [theta, 2.0 * theta, speed, (1.0 - libm::cos(2.0 * theta)) * speed]
    }

    /// Zero when both feet are on the ground.
    fn section(&self, y: &[f64; 4]) -> f64 {
        y[1] - 2.0 * y[0]
    }
}

impl Reduced<4> for SimplestWalker {
    const STEP_S: f64 = 0.1;
    const LATEST_S: f64 = 50.0;

    fn field(&self, y: &[f64; 4]) -> [f64; 4] {
        let [theta, phi, rate, swing] = *y;
        let fall = libm::sin(theta - self.slope_rad);
        let turn = rate * rate - libm::cos(theta - self.slope_rad);
        [rate, swing, fall, fall + turn * libm::sin(phi)]
    }

    fn guard(&self, y: &[f64; 4]) -> f64 {
        self.section(y)
    }

    fn counts(&self, y: &[f64; 4]) -> bool {
        y[0] < 0.0
    }

    fn lost(&self, y: &[f64; 4]) -> Option<NoReturn> {
        if y[0].abs() > 1.5 {
            return Some(NoReturn::Fell(format!("the stance leg lies {:.2} rad from the slope's normal", y[0])));
        }
        (y[2] >= 0.0).then(|| NoReturn::TurnedBack(format!("the stance leg stops at {:.4} rad", y[0])))
    }

    fn jump(&self, y: &[f64; 4]) -> [f64; 4] {
        let double = libm::cos(2.0 * y[0]);
        [-y[0], -2.0 * y[0], double * y[2], double * (1.0 - double) * y[2]]
    }
}

reduced_map!(SimplestWalker, 4, ["theta", "phi", "theta'", "phi'"]);
