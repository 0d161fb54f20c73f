//! Converts a joint of the file to a kind of motion between two frames.
//!
//! SDF defines the pose of every link at `q = 0`. With `J` the joint frame, `P` and `C` the links it connects, the
//! motion is
//!
//! ```text
//! (1)  P_from_C(q) = P_from_J · T(q) · (C_from_J)⁻¹,      T(0) = 1
//! ```
//!
//! A joint that the tree traverses from child to parent has, from (1),
//!
//! ```text
//! (2)  C_from_P(q) = C_from_J · T(q)⁻¹ · (P_from_J)⁻¹
//! ```
//!
//! and `T(q)⁻¹` is the same motion about the opposite axis, so that `q` keeps the file's meaning and sign: for a
//! hinge, slide or screw exactly; for a universal joint with its two angles in the other order, since
//! `(R1 R2)⁻¹ = R2⁻¹ R1⁻¹`; for a ball joint with the inverse rotation.

use super::description::{AxisText, JointType};
use super::flatten::{Flat, FlatJoint};
use super::frames::FrameId;
use crate::coupling::LoopKind;
use crate::geometry::{Pose, Vec3, quat_about};
use crate::joint::{Dof, JointKind};

/// Axes of a loop-closing universal joint must be normal to each other; files print about six digits.
const NORMAL_AXES: f64 = 1e-5;

/// A joint between its two links.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub kind: JointKind,
    pub dofs: Vec<Dof>,
    /// Initial position of each degree of freedom in the file.
    pub initial: Vec<f64>,
    pub parent_from_joint: Pose,
    pub child_from_joint: Pose,
    /// The fixed position of a joint with equal limits.
    pub locked_at: Option<f64>,
}

impl Motion {
    /// The motion of `joint` between the link (or base) frames `parent` and `child`; `None` for a gearbox, which does
    /// not connect bodies.
    pub fn of(flat: &Flat<'_>, joint: &FlatJoint<'_>, parent: FrameId, child: FrameId) -> Option<Self> {
        let axes: Vec<Vec3> = (0..joint.text.axes.len()).map(|i| axis_in_joint(flat, joint, i)).collect();
        let axis = |i: usize| axes.get(i).copied().unwrap_or_else(Vec3::z);
        let unlimited = |a: &AxisText| a.dof.lower == f64::NEG_INFINITY && a.dof.upper == f64::INFINITY;
        let kind = match joint.text.kind {
            JointType::Fixed => JointKind::Fixed,
            JointType::Revolute if joint.text.axes.iter().all(unlimited) => JointKind::Continuous { axis: axis(0) },
            JointType::Revolute => JointKind::Revolute { axis: axis(0) },
            JointType::Continuous => JointKind::Continuous { axis: axis(0) },
            JointType::Prismatic => JointKind::Prismatic { axis: axis(0) },
            JointType::Screw { pitch } => JointKind::Screw { axis: axis(0), pitch },
            JointType::Universal => JointKind::Universal { axis1: axis(0), axis2: axis(1) },
            JointType::Ball => JointKind::Ball,
            JointType::Gearbox { .. } => return None,
        };
        let dof = |i: usize| joint.text.axes.get(i).map(|a| a.dof).unwrap_or_default();
        let start = |i: usize| joint.text.axes.get(i).map_or(0.0, |a| a.initial_position);
        let count = kind.dof_count();
        let mut motion = Self {
            kind,
            dofs: (0..count).map(dof).collect(),
            initial: (0..count).map(start).collect(),
            parent_from_joint: flat.frames.relative(parent, joint.frame),
            child_from_joint: flat.frames.relative(child, joint.frame),
            locked_at: None,
        };
        // The pose of a joint is expressed in its child; used unchanged it keeps its digits.
        if joint.text.pose.relative_to.is_none() && joint.child == child {
            motion.child_from_joint = joint.text.pose.pose;
        }
        motion.lock();
        Some(motion)
    }

    /// A hinge or slide with equal limits is fixed at that position.
    fn lock(&mut self) {
        let Some(&Dof { lower, upper, .. }) = self.dofs.first() else { return };
        if lower != upper || !lower.is_finite() {
            return;
        }
        let moved = match self.kind {
            JointKind::Revolute { axis } => Pose::from_parts(Vec3::zeros().into(), quat_about(&axis, lower)),
            JointKind::Prismatic { axis } => Pose::from_parts((axis * lower).into(), nalgebra::one()),
            _ => return,
        };
        if lower != 0.0 {
            self.parent_from_joint *= moved;
        }
        self.kind = JointKind::Fixed;
        self.dofs.clear();
        self.locked_at = Some(lower);
    }

    /// The same joint seen from its child: equation (2).
    pub fn reversed(mut self) -> Self {
        std::mem::swap(&mut self.parent_from_joint, &mut self.child_from_joint);
        self.kind = match self.kind {
            JointKind::Revolute { axis } => JointKind::Revolute { axis: -axis },
            JointKind::Continuous { axis } => JointKind::Continuous { axis: -axis },
            JointKind::Prismatic { axis } => JointKind::Prismatic { axis: -axis },
            JointKind::Screw { axis, pitch } => JointKind::Screw { axis: -axis, pitch },
            JointKind::Universal { axis1, axis2 } => {
                self.dofs.reverse();
                self.initial.reverse();
                JointKind::Universal { axis1: -axis2, axis2: -axis1 }
            }
            other => other,
        };
        self
    }

    /// The constraint it imposes as a loop-closing joint, or why it cannot be one.
    pub fn loop_kind(&self) -> Result<LoopKind, &'static str> {
        Ok(match self.kind {
            JointKind::Fixed => LoopKind::Weld,
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => LoopKind::Revolute { axis },
            JointKind::Prismatic { axis } => LoopKind::Prismatic { axis },
            JointKind::Ball => LoopKind::Ball,
            JointKind::Universal { axis1, axis2 } => {
                if axis1.dot(&axis2).abs() > NORMAL_AXES {
                    return Err("its two axes are not at right angles");
                }
                // The remaining deviation from the normal is removed, so that the loop is closed in the pose of the
                // file.
                LoopKind::Universal { axis_a: axis1, axis_b: (axis2 - axis1 * axis1.dot(&axis2)).normalize() }
            }
            _ => return Err("joints of its type cannot close a loop"),
        })
    }

    /// Whether using it to close a loop loses limits, damping, springs, friction or an initial position.
    pub fn has_joint_properties(&self) -> bool {
        self.initial.iter().any(|q| *q != 0.0) || self.dofs.iter().any(has_properties)
    }
}

/// Whether a degree of freedom has properties. Effort and velocity limits do not count: they bound an actuator only.
pub(super) fn has_properties(dof: &Dof) -> bool {
    *dof != Dof { velocity_limit: dof.velocity_limit, effort_limit: dof.effort_limit, ..Dof::default() }
}

/// A unit axis in the joint frame, converted from the frame it is expressed in.
pub(super) fn axis_in_joint(flat: &Flat<'_>, joint: &FlatJoint<'_>, index: usize) -> Vec3 {
    let axis = joint.text.axes[index].xyz.normalize();
    let written_in = joint.axis_frames[index];
    if written_in == joint.frame { axis } else { flat.frames.relative(joint.frame, written_in).rotation * axis }
}
