//! Forward kinematics of the suite, sharing no code with any engine.

use super::{Claim, Evidence, Subject, scenes, trace};
use crate::contract::{BodyState, LoadOptions};
use crate::samples::Samples;
use nalgebra as na;
use veracity_model::geometry::quat_about;
use veracity_model::{JointKind, Layout, Pose, Quat, Vec3, World};

pub(super) const BODIES: Claim = Claim {
    name: "bodies-agree",
    says: "Poses and velocities of bodies agree with the joint coordinates: exactly when set, to a step's motion later.",
    run: bodies_agree,
};

/// As in `state.rs`, for a pose computed in another way.
const ROUNDING: f64 = 1e-9;

/// Every body's motion from `q` and `v`.
pub(super) fn body_states(world: &World, q: &[f64], v: &[f64]) -> Vec<BodyState> {
    let layout = Layout::new(world);
    let mut out: Vec<BodyState> = Vec::new();
    for (slot, joint_slot) in layout.bodies.iter().zip(&layout.joints) {
        let placement = &world.placements[slot.placement];
        let joint = placement.model.joint(veracity_model::JointId(slot.body.0));
        let still = BodyState { world_from_body: placement.world_from_model, ..trace::NOWHERE() };
        let parent = slot.parent.map_or(still, |p| out[p]);
        let (turn, slide, spin, speed) = relative(&joint.kind, &q[joint_slot.q..], &v[joint_slot.v..]);
        let world_from_fixed = parent.world_from_body * joint.parent_from_joint;
        let axes = world_from_fixed.rotation;
        let world_from_joint = world_from_fixed * Pose::from_parts(slide.into(), turn);
        let world_from_body = world_from_joint * joint.child_from_joint.inverse();
        let place = |pose: &Pose| pose.translation.vector;
        let angular_velocity = parent.angular_velocity + axes * spin;
        let carried = parent.angular_velocity.cross(&(place(&world_from_joint) - place(&parent.world_from_body)));
        let lever = place(&world_from_body) - place(&world_from_joint);
        let linear_velocity = parent.linear_velocity + carried + axes * speed + angular_velocity.cross(&lever);
        out.push(BodyState { world_from_body, angular_velocity, linear_velocity });
    }
    out
}

/// Turning and sliding of a joint, and their rates, in the axes of its fixed side.
fn relative(kind: &JointKind, q: &[f64], v: &[f64]) -> (Quat, Vec3, Vec3, Vec3) {
    let zero = Vec3::zeros();
    let still = Quat::identity();
    match *kind {
        JointKind::Fixed => (still, zero, zero, zero),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            (quat_about(&axis, q[0]), zero, axis * v[0], zero)
        }
        JointKind::Prismatic { axis } => (still, axis * q[0], zero, axis * v[0]),
        JointKind::Screw { axis, pitch } => {
            (quat_about(&axis, q[0]), axis * (pitch * q[0]), axis * v[0], axis * (pitch * v[0]))
        }
        JointKind::Universal { axis1, axis2 } => {
            let first = quat_about(&axis1, q[0]);
            (first * quat_about(&axis2, q[1]), zero, axis1 * v[0] + first * axis2 * v[1], zero)
        }
        JointKind::Ball => {
            let turn = quaternion(q);
            (turn, zero, turn * Vec3::new(v[0], v[1], v[2]), zero)
        }
        JointKind::Planar { x_axis, y_axis } => {
            let normal = x_axis.cross(&y_axis);
            let (slide, speed) = (x_axis * q[0] + y_axis * q[1], x_axis * v[0] + y_axis * v[1]);
            (quat_about(&normal, q[2]), slide, normal * v[2], speed)
        }
        JointKind::Free => {
            let turn = quaternion(&q[3..]);
            let spin = turn * Vec3::new(v[0], v[1], v[2]);
            (turn, Vec3::new(q[0], q[1], q[2]), spin, Vec3::new(v[3], v[4], v[5]))
        }
    }
}

fn quaternion(q: &[f64]) -> Quat {
    Quat::new_normalize(na::Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// Largest difference of places [m], turning [rad] and velocities [rad/s, m/s].
fn distance(a: &[BodyState], b: &[BodyState]) -> f64 {
    let one = |(x, y): (&BodyState, &BodyState)| {
        let place = (x.world_from_body.translation.vector - y.world_from_body.translation.vector).norm();
        // Length of the difference of quaternions: half the angle for small ones, without the loss of an arccosine.
        let (r, s) = (x.world_from_body.rotation.into_inner().coords, y.world_from_body.rotation.into_inner().coords);
        let turn = 2.0 * (r - s).norm().min((r + s).norm());
        let spin = (x.angular_velocity - y.angular_velocity).norm();
        place.max(turn).max(spin).max((x.linear_velocity - y.linear_velocity).norm())
    };
    a.iter().zip(b).map(one).fold(0.0, |worst, x| if x.is_nan() { f64::INFINITY } else { worst.max(x) })
}

fn bodies_agree(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut at_start = 0.0f64;
    for scene in scenes::every_joint_kind() {
        let options = LoadOptions { step_s: subject.step_s };
        let Ok(mut simulation) = subject.engine.load(&scene.world, subject.settings, &options) else {
            continue;
        };
        simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        let expected = body_states(&scene.world, &scene.q, &scene.v);
        let off = distance(&trace::bodies(simulation.as_mut()), &expected);
        if off > subject.rounding(ROUNDING) {
            return Err(format!("a {} joint: bodies are off by {off:e} when set", scene.world.name));
        }
        at_start = at_start.max(off);
    }
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut none = Samples::none(simulation.layout());
    simulation.advance(500.0 * subject.step_s, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
    let expected = body_states(&scene.world, simulation.q(), simulation.v());
    let off = distance(&trace::bodies(simulation.as_mut()), &expected);
    // Joints that are springs or solved by iteration separate by about what bodies move, and accelerate, in a step: the
    // links turn at up to 10 rad/s and are accelerated by up to 100 m/s².
    let allowed = 100.0 * subject.step_s;
    if off > allowed {
        return Err(format!("after 500 steps bodies are {off:e} away from where q and v put them"));
    }
    Ok(Evidence::Holds(format!("{at_start:.0e} when set, {off:.0e} after 500 steps")))
}
