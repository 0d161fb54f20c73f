//! Constraints beyond the tree: loop-closing joints and coupled joints.

use crate::finding::Source;
use crate::geometry::{Pose, Vec3};
use crate::model::{BodyId, JointId};
use serde::{Deserialize, Serialize};

/// What a loop-closing joint constrains. Frames A and B are given in the two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LoopKind {
    /// Position and orientation: 6 constraint rows.
    Weld,
    /// The two origins coincide: 3 constraint rows.
    Ball,
    /// The origins coincide and the axes (fixed in each frame) are parallel: 5 constraint rows.
    Revolute {
        /// Unit axis, the same in frame A and frame B.
        axis: Vec3,
    },
    /// The orientation, and the position normal to the axis: 5 constraint rows.
    Prismatic {
        /// Unit axis, the same in frame A and frame B.
        axis: Vec3,
    },
    /// The origins coincide and axis A stays normal to axis B: 4 constraint rows.
    Universal {
        /// Unit axis in frame A.
        axis_a: Vec3,
        /// Unit axis in frame B.
        axis_b: Vec3,
    },
    /// The distance between the origins, as a massless rod of this length [m]: 1 constraint row.
    Distance {
        /// [m], positive.
        length: f64,
    },
}

/// A joint that closes a kinematic loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopJoint {
    /// Unique in the model.
    pub name: String,
    /// What it constrains.
    pub kind: LoopKind,
    /// First body; `None` is the model frame.
    pub body_a: Option<BodyId>,
    /// Second body; `None` is the model frame.
    pub body_b: Option<BodyId>,
    /// Frame A in the first body.
    pub a_from_frame: Pose,
    /// Frame B in the second body.
    pub b_from_frame: Pose,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

/// `follower = offset + polynomial(leader)`: gears, mimic joints, two joints driven by one motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// Unique in the model.
    pub name: String,
    /// The following joint; it has one degree of freedom.
    pub follower: JointId,
    /// The leading joint; `None` holds the follower at the polynomial's constant.
    pub leader: Option<JointId>,
    /// Coefficients of the leader's position, constant first.
    pub coefficients: Vec<f64>,
    /// Both joints are driven by one motor: a command to either acts on the pair (the Nao's HipYawPitch), and the
    /// constraint divides the actuator's effort between them. `false` for a plain mimic joint.
    pub shared_motor: bool,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl LoopKind {
    /// Name used in messages.
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
