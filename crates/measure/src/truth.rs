//! Truth: values of named quantities over time, with their own error.

use serde::{Deserialize, Serialize};

/// A quantity that a reference can provide. Slots are those of [`veracity_model::Layout`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Position of a joint with one degree of freedom, by its slot [rad or m].
    JointPosition(usize),
    /// Its speed [rad/s or m/s].
    JointSpeed(usize),
    /// Origin of a body, or a point fixed in it, in the world: three numbers [m].
    Point {
        /// Slot of the body.
        body: usize,
        /// In the body's frame [m].
        point: [f64; 3],
    },
    /// Velocity of such a point, world axes: three numbers [m/s].
    PointVelocity {
        /// Slot of the body.
        body: usize,
        /// In the body's frame [m].
        point: [f64; 3],
    },
    /// Orientation of a body: w x y z.
    Orientation(usize),
    /// Angular velocity of a body, world axes: three numbers [rad/s].
    Spin(usize),
    /// A number for the whole run, e.g. `period_s`.
    Scalar(String),
}

impl Quantity {
    /// Number of components.
    pub fn width(&self) -> usize {
        match self {
            Quantity::JointPosition(_) | Quantity::JointSpeed(_) | Quantity::Scalar(_) => 1,
            Quantity::Point { .. } | Quantity::PointVelocity { .. } | Quantity::Spin(_) => 3,
            Quantity::Orientation(_) => 4,
        }
    }
}

/// One quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthChannel {
    /// The quantity.
    pub quantity: Quantity,
    /// Times [s], increasing; one arbitrary entry for a scalar.
    pub times: Vec<f64>,
    /// Row-major, [`Quantity::width`] numbers per time.
    pub values: Vec<f64>,
    /// Error of the reference itself at each time, in the quantity's unit (length of the difference for vectors).
    pub uncertainty: Vec<f64>,
    /// From this time on the reference is not known: refinements of a simulated reference diverge here [s]. Rows at or
    /// after it are not in `times`.
    pub parts_at_s: Option<f64>,
}

/// A reference evaluated for one world, start and set of times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// Name in the scenario.
    pub name: String,
    /// Where it comes from, as a phrase: `closed form: elliptic functions`, `converged: adaptive (native:…) at
    /// tolerances …, its own error at most 3e-12 m …`.
    pub source: String,
    /// Its quantities.
    pub channels: Vec<TruthChannel>,
}

impl Truth {
    /// The channel of a quantity.
    pub fn channel(&self, quantity: &Quantity) -> Option<&TruthChannel> {
        self.channels.iter().find(|c| c.quantity == *quantity)
    }
}
