//! A lasting contact: its mode, and the force it carries.

use super::frame::Frozen;
use super::log::Site;
use veracity_model::Vec3;

/// Mode of a lasting contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Its material points stay together: it rests or rolls.
    Stick,
    /// It slides, or there is no friction.
    Slide,
}

/// A lasting contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    pub site: Site,
    pub mode: Mode,
    /// Friction coefficients along the tangents; zeros for a joint limit.
    pub friction: [f64; 2],
    /// Direction of sliding when the step began, world axes.
    pub heading: Vec3,
    /// Normal and tangential forces last found [N or N m].
    pub force: [f64; 3],
    /// Headway at which a step ends before the contact stops [m/s].
    pub floor: f64,
    /// How far its normal force, and the margin of its cone, may fall below zero [N or N m]: see
    /// [`super::held::Held::begin`].
    pub slack: [f64; 2],
    /// Whether it keeps the direction of its friction during the step.
    pub creeps: bool,
    /// Forces at the beginning of the step: among equivalent forces, those of the step stay nearest to these.
    pub reference: [f64; 3],
    /// Its frozen form for the step, if its position is too rough to be followed.
    pub frozen: Option<Frozen>,
}

impl Contact {
    pub(super) fn has_friction(&self) -> bool {
        self.friction[0] > 0.0 || self.friction[1] > 0.0
    }

    /// Fraction of the available friction in use: 1 at the edge of the cone. Infinite where nothing presses.
    pub(super) fn utilisation(&self) -> f64 {
        self.tangential() / self.force[0]
    }

    /// Margin of the cone over the present friction [N]; negative beyond its edge.
    pub(super) fn left_of_cone(&self) -> f64 {
        self.force[0] - self.tangential()
    }

    /// The normal force needed for the present friction [N].
    fn tangential(&self) -> f64 {
        let [_, t1, t2] = self.force;
        let part = |t: f64, mu: f64| {
            if mu > 0.0 {
                t / mu
            } else if t == 0.0 {
                0.0
            } else {
                f64::INFINITY
            }
        };
        libm::hypot(part(t1, self.friction[0]), part(t2, self.friction[1]))
    }
}
