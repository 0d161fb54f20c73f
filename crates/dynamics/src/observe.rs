//! Pose, velocity and acceleration of a body's frame in the world.

use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;
use nalgebra as na;
use veracity_model::{Pose, Vec3};

/// Pose and velocity of a body's frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// The body's frame in the world.
    pub world_from_body: Pose,
    /// Angular velocity, world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Velocity of the body's origin, world axes [m/s].
    pub linear_velocity: Vec3,
}

/// Motion of a body, after [`crate::kinematics::velocities`] (after [`crate::kinematics::positions`] the velocities are
/// outdated).
pub fn body_motion(ws: &Workspace, body: BodyPlace) -> BodyMotion {
    let (angular_velocity, linear_velocity) = body_velocity(ws, body);
    BodyMotion {
        world_from_body: body_pose(ws, body),
        angular_velocity: angular_velocity.into(),
        linear_velocity: linear_velocity.into(),
    }
}

/// The body's frame in the world, after [`crate::kinematics::positions`].
pub fn body_pose(ws: &Workspace, body: BodyPlace) -> Pose {
    let s = &ws.links[body.state];
    let lever = rotate(&s.rot, body.pos);
    let rot = compose(&s.rot, &body.rot);
    let m = na::Matrix3::from_columns(&[rot[0].into(), rot[1].into(), rot[2].into()]);
    let rotation = na::UnitQuaternion::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(m));
    Pose::from_parts(na::Translation3::from(Vec3::from(add(body.tree_origin, add(s.pos, lever)))), rotation)
}

/// Angular velocity and velocity of the body's origin, world axes [rad/s, m/s], after [`crate::kinematics::velocities`].
#[inline]
pub fn body_velocity(ws: &Workspace, body: BodyPlace) -> (V3, V3) {
    let s = &ws.links[body.state];
    (s.omega, add(s.vel, cross(s.omega, rotate(&s.rot, body.pos))))
}

/// Angular and linear acceleration of a body's frame origin, world axes [rad/s², m/s²], after
/// [`crate::SmoothSimulation::accelerations`].
pub fn body_acceleration(system: &System, ws: &Workspace, body: BodyPlace) -> (Vec3, Vec3) {
    let s = &ws.links[body.state];
    let lever = rotate(&s.rot, body.pos);
    let alpha = add(s.alpha_bias, s.alpha);
    // The bias contains -g for every link, the world included: remove it.
    let origin = add(add(s.acc_bias, s.acc), system.gravity);
    let linear = add(origin, add(cross(alpha, lever), cross(s.omega, cross(s.omega, lever))));
    (alpha.into(), linear.into())
}

/// Angular and linear acceleration of a body's frame origin at zero joint accelerations, world axes [rad/s², m/s²], after
/// [`crate::kinematics::velocities`].
pub fn body_bias(system: &System, ws: &Workspace, body: BodyPlace) -> (Vec3, Vec3) {
    let s = &ws.links[body.state];
    let lever = rotate(&s.rot, body.pos);
    // The bias contains -g for every link, the world included: remove it.
    let origin = add(s.acc_bias, system.gravity);
    let linear = add(origin, add(cross(s.alpha_bias, lever), cross(s.omega, cross(s.omega, lever))));
    (s.alpha_bias.into(), linear.into())
}
