//! Joints of the tree, loops and springs in Rapier's terms.
//!
//! Rapier's joint has a frame on either body and six axes, each free or locked. The frame of a joint about or along an
//! axis has that axis as its x; a planar joint has its plane as x and y.

use crate::convert::{from_vector, to_pose, to_vector};
use crate::settings::{Joints, Tuning};
use nalgebra as na;
use rapier3d_f64::dynamics::{GenericJoint, JointAxesMask, JointAxis, JointLimits, SpringJoint};
use rapier3d_f64::math::Vector;
use std::f64::consts::TAU;
use veracity_foreign::Refusals;
use veracity_model::{Dof, JointKind, LoopKind, Pose, Quat, Spring, Vec3};

/// The axis of Rapier's joint that a degree of freedom is.
pub fn axis_of_dof(kind: &JointKind, dof: usize) -> Option<JointAxis> {
    match (kind, dof) {
        (JointKind::Revolute { .. } | JointKind::Continuous { .. }, 0) => Some(JointAxis::AngX),
        (JointKind::Prismatic { .. }, 0) => Some(JointAxis::LinX),
        (JointKind::Planar { .. }, 0) => Some(JointAxis::LinX),
        (JointKind::Planar { .. }, 1) => Some(JointAxis::LinY),
        (JointKind::Planar { .. }, 2) => Some(JointAxis::AngZ),
        _ => None,
    }
}

/// The rotation from Rapier's joint frame to ours. `None` for kinds Rapier has no joint for.
pub fn joint_from_rapier(kind: &JointKind) -> Option<Quat> {
    match kind {
        JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Prismatic { axis } => {
            Some(frame_with_x(axis))
        }
        JointKind::Planar { x_axis, y_axis } => {
            let columns = na::Matrix3::from_columns(&[*x_axis, *y_axis, x_axis.cross(y_axis)]);
            Some(Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(columns)))
        }
        JointKind::Ball => Some(Quat::identity()),
        JointKind::Fixed | JointKind::Free | JointKind::Screw { .. } | JointKind::Universal { .. } => None,
    }
}

/// Axes that Rapier locks.
fn locked(kind: &JointKind) -> JointAxesMask {
    match kind {
        JointKind::Revolute { .. } | JointKind::Continuous { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        JointKind::Prismatic { .. } => JointAxesMask::LOCKED_PRISMATIC_AXES,
        JointKind::Planar { .. } => JointAxesMask::LIN_Z | JointAxesMask::ANG_X | JointAxesMask::ANG_Y,
        JointKind::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
        _ => JointAxesMask::empty(),
    }
}

/// A joint of the tree with its frames in the two pieces. `None` after a refusal.
pub fn tree_joint(
    (kind, dofs, name): (&JointKind, &[Dof], &str),
    (parent_from_joint, child_from_joint): (&Pose, &Pose),
    tuning: &Tuning,
    refusals: &mut Refusals,
) -> Option<GenericJoint> {
    let Some(turn) = joint_from_rapier(kind) else {
        let hint = match kind {
            JointKind::Universal { .. } => "model it as two revolute joints with a light body between them",
            _ => "use the native engine, or approximate it by a revolute or prismatic joint",
        };
        refusals.add(format!("the {} joint '{name}'", kind.name()), hint);
        return None;
    };
    let mut joint = GenericJoint::new(locked(kind));
    let placed = |body_from_joint: &Pose| to_pose(&(body_from_joint * turn));
    joint.set_local_frame1(placed(parent_from_joint));
    joint.set_local_frame2(placed(child_from_joint));
    joint.softness = tuning.joint_softness;
    for (i, dof) in dofs.iter().enumerate() {
        check_dof(dof, kind, name, tuning, refusals);
        if dof.lower == f64::NEG_INFINITY && dof.upper == f64::INFINITY
            || matches!(kind, JointKind::Continuous { .. })
        {
            continue;
        }
        let Some(axis) = axis_of_dof(kind, i) else {
            refusals.add(format!("a limit of the {} joint '{name}'", kind.name()), "remove the limit");
            continue;
        };
        let turning = matches!(axis, JointAxis::AngX | JointAxis::AngZ);
        // Rapier reads the angle of an impulse joint from the two bodies: it does not count turns, and treats a range
        // of a turn or more as no limit.
        if turning && tuning.joints == Joints::Impulse && dof.upper - dof.lower >= TAU {
            let text = format!("the range of joint '{name}', which is a full turn or more or open on one side");
            refusals.add(text, "use joints=multibody, which counts turns, or a narrower range");
            continue;
        }
        joint.limit_axes |= axis.into();
        let (min, max) = (dof.lower.max(-f64::MAX), dof.upper.min(f64::MAX));
        joint.limits[axis as usize] = JointLimits { min, max, impulse: 0.0 };
    }
    Some(joint)
}

/// Refuses what Rapier cannot do along a degree of freedom.
fn check_dof(dof: &Dof, kind: &JointKind, name: &str, tuning: &Tuning, refusals: &mut Refusals) {
    let multibody = "use joints=multibody";
    if tuning.joints == Joints::Impulse {
        if dof.armature != 0.0 {
            refusals.add(format!("the armature of joint '{name}' with impulse joints"), multibody);
        }
        if dof.friction != 0.0 {
            refusals.add(format!("dry friction in joint '{name}' with impulse joints"), multibody);
        }
    }
    if dof.stiffness != 0.0 && matches!(kind, JointKind::Ball | JointKind::Free) {
        let text = format!("the spring of the {} joint '{name}'", kind.name());
        refusals.add(text, "use a spring between two points");
    }
}

/// A joint that closes a loop, with its frames in the two pieces. `None` after a refusal.
pub fn loop_joint(
    kind: &LoopKind,
    name: &str,
    (a_from_frame, b_from_frame): (&Pose, &Pose),
    tuning: &Tuning,
    refusals: &mut Refusals,
) -> Option<GenericJoint> {
    let (axes, turn) = match kind {
        LoopKind::Weld => (JointAxesMask::LOCKED_FIXED_AXES, Quat::identity()),
        LoopKind::Ball => (JointAxesMask::LOCKED_SPHERICAL_AXES, Quat::identity()),
        LoopKind::Revolute { axis } => (JointAxesMask::LOCKED_REVOLUTE_AXES, frame_with_x(axis)),
        LoopKind::Prismatic { axis } => (JointAxesMask::LOCKED_PRISMATIC_AXES, frame_with_x(axis)),
        LoopKind::Universal { .. } | LoopKind::Distance { .. } => {
            let text = format!("the {} joint '{name}' that closes a loop", kind.name());
            refusals.add(text, "close it with a ball, revolute, prismatic or weld joint");
            return None;
        }
    };
    let mut joint = GenericJoint::new(axes);
    joint.set_local_frame1(to_pose(&(a_from_frame * turn)));
    joint.set_local_frame2(to_pose(&(b_from_frame * turn)));
    joint.softness = tuning.joint_softness;
    Some(joint)
}

/// A spring and damper between points of two pieces.
pub fn spring_joint(spring: &Spring, piece_from_a: &Pose, piece_from_b: &Pose) -> GenericJoint {
    let point = |pose: &Pose, p: &Vec3| -> Vector { to_vector(&(pose * na::Point3::from(*p)).coords) };
    let mut joint = SpringJoint::new(spring.rest_length, spring.stiffness, spring.damping);
    joint.set_local_anchor1(point(piece_from_a, &spring.point_a));
    joint.set_local_anchor2(point(piece_from_b, &spring.point_b));
    debug_assert!(from_vector(joint.local_anchor1()).iter().all(|x| x.is_finite()));
    joint.into()
}

/// A rotation whose first column is the unit vector `x`.
fn frame_with_x(x: &Vec3) -> Quat {
    Quat::rotation_between(&Vec3::x(), x)
        .unwrap_or_else(|| veracity_model::geometry::quat_about(&Vec3::z(), std::f64::consts::PI))
}
