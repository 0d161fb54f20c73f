//! Constraints beyond the tree: loops closed by a joint, and joints that move together.

use crate::finding::Source;
use crate::geometry::{Pose, Vec3};
use crate::model::{BodyId, JointId};
use serde::{Deserialize, Serialize};

/// What a loop-closing joint holds together. Frames A and B are given in the two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LoopKind {
    /// Everything: 6 rows.
    Weld,
    /// The two origins: 3 rows.
    Ball,
    /// The origins, and the axis (fixed in both frames): 5 rows.
    Revolute {
        /// Unit axis, the same in frame A and frame B.
        axis: Vec3,
    },
    /// The orientation, and the origins across the axis: 5 rows.
    Prismatic {
        /// Unit axis, the same in frame A and frame B.
        axis: Vec3,
    },
    /// The origins, and that axis A stays normal to axis B: 4 rows.
    Universal {
        /// Unit axis in frame A.
        axis_a: Vec3,
        /// Unit axis in frame B.
        axis_b: Vec3,
    },
    /// The distance between the origins: 1 row. The distance [m] is that of a rod without mass.
    Distance {
        /// [m], positive.
        length: f64,
    },
}

/// A joint that closes a loop of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopJoint {
    /// Unique in the model.
    pub name: String,
    /// What it holds.
    pub kind: LoopKind,
    /// First body; `None` is the model frame.
    pub body_a: Option<BodyId>,
    /// Second body; `None` is the model frame.
    pub body_b: Option<BodyId>,
    /// Frame A in the first body.
    pub a_from_frame: Pose,
    /// Frame B in the second body.
    pub b_from_frame: Pose,
    /// Where the file describes it.
    #[serde(skip)]
    pub source: Option<Source>,
}

/// `follower = offset + polynomial(leader)`: gears, mimic joints, two joints driven by one motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// Unique in the model.
    pub name: String,
    /// The joint that follows; it has one degree of freedom.
    pub follower: JointId,
    /// The joint that leads; `None` holds the follower at the polynomial's constant.
    pub leader: Option<JointId>,
    /// Coefficients of the leader's position, constant first.
    pub coefficients: Vec<f64>,
    /// Both joints hang on one motor: a command to either acts on the pair (the Nao's HipYawPitch), and what the
    /// actuator delivers is divided by the constraint. A mere mimic has `false`.
    pub shared_motor: bool,
    /// Where the file describes it.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl LoopKind {
    /// How many scalar constraints it is.
    pub fn row_count(&self) -> usize {
        match self {
            LoopKind::Weld => 6,
            LoopKind::Ball => 3,
            LoopKind::Revolute { .. } | LoopKind::Prismatic { .. } => 5,
            LoopKind::Universal { .. } => 4,
            LoopKind::Distance { .. } => 1,
        }
    }

    /// The word for it in messages.
    pub fn name(&self) -> &'static str {
        match self {
            LoopKind::Weld => "weld",
            LoopKind::Ball => "ball",
            LoopKind::Revolute { .. } => "revolute",
            LoopKind::Prismatic { .. } => "prismatic",
            LoopKind::Universal { .. } => "universal",
            LoopKind::Distance { .. } => "distance",
        }
    }
}
