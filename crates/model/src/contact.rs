//! Which bodies may touch.

use crate::model::{BodyId, JointId, MaterialId};
use serde::{Deserialize, Serialize};

/// Two bodies that never touch. Bodies joined by a joint are excluded unless
/// [`crate::Model::adjacent_bodies_collide`] says otherwise; bodies that cannot move relative to each other (only
/// fixed joints between them) never touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CollisionFilter {
    /// One body.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
}

/// A condition on the state under which a contact pair is live, e.g. a swing foot that may scuff past mid-stance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StateCondition {
    /// A joint position lies in an interval [rad or m].
    JointPosition {
        /// Which joint (one degree of freedom).
        joint: JointId,
        /// Lower end.
        above: f64,
        /// Upper end.
        below: f64,
    },
    /// A joint speed lies in an interval [rad/s or m/s].
    JointVelocity {
        /// Which joint (one degree of freedom).
        joint: JointId,
        /// Lower end.
        above: f64,
        /// Upper end.
        below: f64,
    },
}

/// A named pair of bodies whose gap is wanted, or whose contact has its own material or condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactPair {
    /// Unique in the model.
    pub name: String,
    /// First body.
    pub a: BodyId,
    /// Second body; `None` is the environment.
    pub b: Option<BodyId>,
    /// Overrides what the two surfaces would give.
    pub material: Option<MaterialId>,
    /// The pair can touch only while every condition holds.
    pub conditions: Vec<StateCondition>,
}
