//! Which bodies may touch.

use crate::model::{BodyId, JointId, MaterialId};
use serde::{Deserialize, Serialize};

/// Two bodies that never touch. Bodies connected by a joint are excluded unless
/// [`crate::Model::adjacent_bodies_collide`] is set; bodies that cannot move relative to each other (only fixed joints
/// between them) never touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CollisionFilter {
    /// One body.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
}

/// A condition on the state under which a contact pair is active, e.g. a swing foot that may scuff past mid-stance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StateCondition {
    /// A joint position lies in an interval [rad or m].
    JointPosition {
        /// The joint (one degree of freedom).
        joint: JointId,
        /// Lower bound.
        above: f64,
        /// Upper bound.
        below: f64,
    },
    /// A joint speed lies in an interval [rad/s or m/s].
    JointVelocity {
        /// The joint (one degree of freedom).
        joint: JointId,
        /// Lower bound.
        above: f64,
        /// Upper bound.
        below: f64,
    },
}

/// A named pair of bodies: to record its gap, or to give its contact its own material or conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactPair {
    /// Unique in the model.
    pub name: String,
    /// First body.
    pub a: BodyId,
    /// Second body; `None` is the environment.
    pub b: Option<BodyId>,
    /// Replaces the combined material of the two surfaces.
    pub material: Option<MaterialId>,
    /// The pair can touch only while all conditions hold.
    pub conditions: Vec<StateCondition>,
}
