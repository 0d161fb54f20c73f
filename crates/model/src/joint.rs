//! Tree joints and their degrees of freedom.

use crate::finding::Source;
use crate::geometry::{Pose, Vec3};
use crate::model::BodyId;
use serde::{Deserialize, Serialize};

/// How a joint lets its child move relative to its parent. Axes are unit vectors in the joint frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// Rotates about an axis, between limits. `q` is the angle [rad].
    Revolute {
        /// Unit axis in the joint frame.
        axis: Vec3,
    },
    /// Rotates about an axis without limits. `q` is the angle [rad], not wrapped.
    Continuous {
        /// Unit axis in the joint frame.
        axis: Vec3,
    },
    /// Translates along an axis. `q` is the distance [m].
    Prismatic {
        /// Unit axis in the joint frame.
        axis: Vec3,
    },
    /// Rotates about an axis while translating along it. `q` is the angle [rad].
    Screw {
        /// Unit axis in the joint frame.
        axis: Vec3,
        /// Advance along the axis per radian [m/rad].
        pitch: f64,
    },
    /// Rotates about `axis1` (fixed in the parent), then about `axis2` (fixed in the child). `q` is the two angles
    /// [rad].
    Universal {
        /// First unit axis in the joint frame.
        axis1: Vec3,
        /// Second unit axis, in the frame rotated by the first.
        axis2: Vec3,
    },
    /// Rotates about a point. `q` is the quaternion w x y z, `v` the angular velocity in the child's joint frame.
    Ball,
    /// Translates in a plane and rotates about its normal. `q` is x, y [m] along the plane's axes and the angle [rad].
    Planar {
        /// First unit axis of the plane in the joint frame.
        x_axis: Vec3,
        /// Second unit axis, normal to the first.
        y_axis: Vec3,
    },
    /// All six degrees of freedom. `q` is x y z [m] and the quaternion w x y z; `v` is the angular velocity in the
    /// child's joint frame, then the velocity of the child's joint origin in the parent's joint frame.
    Free,
}

/// One degree of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dof {
    /// Lowest position [rad or m]; -∞ if unlimited.
    pub lower: f64,
    /// Highest position [rad or m]; +∞ if unlimited.
    pub upper: f64,
    /// Highest speed [rad/s or m/s]; +∞ if unlimited.
    pub velocity_limit: f64,
    /// Highest effort [N m or N] an actuator may apply here; +∞ if unlimited.
    pub effort_limit: f64,
    /// Viscous damping [N m s/rad or N s/m].
    pub damping: f64,
    /// Spring stiffness [N m/rad or N/m].
    pub stiffness: f64,
    /// Position at which the spring is relaxed [rad or m].
    pub spring_reference: f64,
    /// Dry (Coulomb) friction effort [N m or N].
    pub friction: f64,
    /// Rotor inertia reflected to the joint [kg m² or kg].
    pub armature: f64,
}

/// A joint that carries its child body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Unique in the model.
    pub name: String,
    /// Kind of motion.
    pub kind: JointKind,
    /// Parent body; `None` is the model frame. Set by the builder.
    pub parent: Option<BodyId>,
    /// The body it carries. Set by the builder.
    pub child: BodyId,
    /// The joint frame in the parent body.
    pub parent_from_joint: Pose,
    /// The joint frame in the child body: identity when the child's frame is the joint frame, as in URDF.
    pub child_from_joint: Pose,
    /// One entry for each degree of freedom, in the order of `v`.
    pub dofs: Vec<Dof>,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl Default for Dof {
    fn default() -> Self {
        Self {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            velocity_limit: f64::INFINITY,
            effort_limit: f64::INFINITY,
            damping: 0.0,
            stiffness: 0.0,
            spring_reference: 0.0,
            friction: 0.0,
            armature: 0.0,
        }
    }
}

impl JointKind {
    /// Revolute about an axis that need not be of unit length.
    pub fn revolute(axis: Vec3) -> Self {
        JointKind::Revolute { axis: axis.normalize() }
    }

    /// Prismatic along an axis that need not be of unit length.
    pub fn prismatic(axis: Vec3) -> Self {
        JointKind::Prismatic { axis: axis.normalize() }
    }

    /// Number of entries in `q`.
    pub fn position_count(&self) -> usize {
        match self {
            JointKind::Ball => 4,
            JointKind::Free => 7,
            other => other.dof_count(),
        }
    }

    /// Number of entries in `v`.
    pub fn dof_count(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. }
            | JointKind::Continuous { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Screw { .. } => 1,
            JointKind::Universal { .. } => 2,
            JointKind::Ball | JointKind::Planar { .. } => 3,
            JointKind::Free => 6,
        }
    }

    /// The position at which the joint frames coincide.
    pub fn neutral(&self) -> &'static [f64] {
        match self {
            JointKind::Ball => &[1.0, 0.0, 0.0, 0.0],
            JointKind::Free => &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            other => &[0.0; 3][..other.dof_count()],
        }
    }

    /// Name used in messages.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute { .. } => "revolute",
            JointKind::Continuous { .. } => "continuous",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Screw { .. } => "screw",
            JointKind::Universal { .. } => "universal",
            JointKind::Ball => "ball",
            JointKind::Planar { .. } => "planar",
            JointKind::Free => "free",
        }
    }

    /// The unit axes of this kind, mutable, for validation.
    pub(crate) fn axes_mut(&mut self) -> [Option<&mut Vec3>; 2] {
        match self {
            JointKind::Revolute { axis }
            | JointKind::Continuous { axis }
            | JointKind::Prismatic { axis }
            | JointKind::Screw { axis, .. } => [Some(axis), None],
            JointKind::Universal { axis1, axis2 } => [Some(axis1), Some(axis2)],
            JointKind::Planar { x_axis, y_axis } => [Some(x_axis), Some(y_axis)],
            JointKind::Fixed | JointKind::Ball | JointKind::Free => [None, None],
        }
    }
}

impl Joint {
    /// A joint at the parent's origin with unlimited, frictionless degrees of freedom.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            kind,
            parent: None,
            child: BodyId(0),
            parent_from_joint: Pose::identity(),
            child_from_joint: Pose::identity(),
            dofs: vec![Dof::default(); kind.dof_count()],
            source: None,
        }
    }

    /// Sets the joint frame in the parent.
    pub fn at(mut self, parent_from_joint: Pose) -> Self {
        self.parent_from_joint = parent_from_joint;
        self
    }

    /// Applies a change to every degree of freedom.
    pub fn each_dof(mut self, change: impl Fn(&mut Dof)) -> Self {
        self.dofs.iter_mut().for_each(change);
        self
    }
}
