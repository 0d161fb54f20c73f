//! A lasting contact: how it moves, and the force it carries.

use super::frame::Frozen;
use super::log::Site;
use veracity_model::Vec3;

/// How a lasting contact moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Its material points keep together: it rests or rolls.
    Stick,
    /// It slides, or there is no friction.
    Slide,
}

/// A lasting contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    pub site: Site,
    pub mode: Mode,
    /// Friction along the tangents; zeros for a joint's limit.
    pub friction: [f64; 2],
    /// Direction of sliding when the step began, world axes.
    pub heading: Vec3,
    /// Normal and tangential forces last found [N or N m].
    pub force: [f64; 3],
    /// Headway at which a step ends before the contact stops [m/s].
    pub floor: f64,
    /// How far its normal force, and what its cone has left, may fall below nothing [N or N m]: see [`super::held::Held::begin`].
    pub slack: [f64; 2],
    /// Whether it keeps the direction of its friction during the step.
    pub creeps: bool,
    /// Forces when the step began: of many that do the same, those of the step stay nearest to these.
    pub reference: [f64; 3],
    /// What it is kept as for the step, if its place is too rough to be followed.
    pub frozen: Option<Frozen>,
}

impl Contact {
    pub(super) fn has_friction(&self) -> bool {
        self.friction[0] > 0.0 || self.friction[1] > 0.0
    }

    /// How much of the friction the force takes: 1 at the edge of the cone. Infinite where nothing presses.
    pub(super) fn utilisation(&self) -> f64 {
        self.tangential() / self.force[0]
    }

    /// What the cone has left beside the friction there is [N]; negative beyond its edge.
    pub(super) fn left_of_cone(&self) -> f64 {
        self.force[0] - self.tangential()
    }

    /// The normal force that it takes for the friction there is [N].
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
