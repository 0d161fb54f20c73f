//! Joint positions and velocities from the poses and velocities of bodies.
//!
//! With the joint frame seen from both sides, `X = (world_from_parent · parent_from_joint)⁻¹ · world_from_child ·
//! child_from_joint`, and the child's velocity relative to the parent's there:
//!
//! ```text
//! hinge    q = 2 atan2(n·vec(X), w(X)),  v = n·ω          slider   q = n·p, v = n·ṗ
//! planar   q = (x·p, y·p, angle about x × y)              free     q = (p, quaternion), v = (ω in the child, ṗ)
//! ```

use crate::map::NoReturn;
use veracity_dynamics::BodyMotion;
use veracity_model::{Joint, JointKind, Quat, Vec3};

/// Writes the joint numbers that lead from the motion of its parent (`None` for the world) to that of its child.
pub(super) fn invert(
    joint: &Joint,
    world_from_model: &BodyMotion,
    parent: Option<&BodyMotion>,
    child: &BodyMotion,
    q: &mut [f64],
    v: &mut [f64],
) -> Result<(), NoReturn> {
    let parent = parent.unwrap_or(world_from_model);
    let world_from_joint = parent.world_from_body * joint.parent_from_joint;
    let world_from_moved = child.world_from_body * joint.child_from_joint;
    let moved = world_from_joint.inverse() * world_from_moved;
    let to_joint = world_from_joint.rotation.inverse();
    let at = world_from_moved.translation.vector;
    let turning = child.angular_velocity - parent.angular_velocity;
    let speed = velocity_at(child, &at) - velocity_at(parent, &at);
    let (omega, sliding, place) = (to_joint * turning, to_joint * speed, moved.translation.vector);
    match joint.kind {
        JointKind::Fixed => {}
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            (q[0], v[0]) = (angle(&moved.rotation, &axis), axis.dot(&omega));
        }
        JointKind::Prismatic { axis } => (q[0], v[0]) = (axis.dot(&place), axis.dot(&sliding)),
        JointKind::Planar { x_axis, y_axis } => {
            let normal = x_axis.cross(&y_axis);
            q.copy_from_slice(&[x_axis.dot(&place), y_axis.dot(&place), angle(&moved.rotation, &normal)]);
            v.copy_from_slice(&[x_axis.dot(&sliding), y_axis.dot(&sliding), normal.dot(&omega)]);
        }
        JointKind::Free => {
            let turn = moved.rotation;
            q[..3].copy_from_slice(place.as_slice());
            q[3..].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
            let inside = turn.inverse() * omega;
            v[..3].copy_from_slice(inside.as_slice());
            v[3..].copy_from_slice(sliding.as_slice());
        }
        JointKind::Ball | JointKind::Universal { .. } | JointKind::Screw { .. } => {
            return Err(NoReturn::Trouble(format!(
                "has joint '{}' of kind {}, for which leg symmetry is not supported; build it from hinges",
                joint.name,
                joint.kind.name()
            )));
        }
    }
    Ok(())
}

/// Velocity of the body point at `at`, in world axes.
pub(super) fn velocity_at(motion: &BodyMotion, at: &Vec3) -> Vec3 {
    let arm = at - motion.world_from_body.translation.vector;
    motion.linear_velocity + motion.angular_velocity.cross(&arm)
}

fn angle(turn: &Quat, axis: &Vec3) -> f64 {
    let angle = 2.0 * libm::atan2(turn.imag().dot(axis), turn.w);
    // One of the two quaternions of a rotation gives an angle beyond half a turn.
    if angle > std::f64::consts::PI {
        angle - std::f64::consts::TAU
    } else if angle < -std::f64::consts::PI {
        angle + std::f64::consts::TAU
    } else {
        angle
    }
}
