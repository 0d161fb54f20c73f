//! Smooth forces: joint damping, springs and dry friction; point-to-point springs; body drag; external wrenches;
//! actuators.
//!
//! Dry friction is smoothed: `-f v / sqrt(v² + v_s²)` with the system's friction speed `v_s`. It creeps below `v_s`
//! and never sticks; exact sticking needs the complementarity solver. The dissipated power is exact for `v >> v_s`.

use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;
use veracity_model::Drive;

/// An external force and torque, constant in world axes, at a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyWrench {
    pub(crate) state: usize,
    /// The point, in the link frame [m].
    pub(crate) point: V3,
    /// World axes [N].
    pub force: V3,
    /// World axes [N m].
    pub torque: V3,
}

impl BodyWrench {
    /// A wrench on a body at a point in the body's frame [m].
    pub fn new(body: BodyPlace, point: V3, force: V3, torque: V3) -> Self {
        Self { state: body.state, point: add(body.pos, rotate(&body.rot, point)), force, torque }
    }
}

impl BodyWrench {
    /// The same wrench in another system in which the body `from` is `to`. `None` if it does not act on that body's link.
    pub fn rehung(&self, from: BodyPlace, to: BodyPlace) -> Option<Self> {
        let point = rotate_back(&from.rot, sub(self.point, from.pos));
        (self.state == from.state).then(|| Self::new(to, point, self.force, self.torque))
    }
}

/// Adds joint damping, springs and dry friction to `tau`.
#[inline]
pub fn add_joint_forces(system: &System, q: &[f64], v: &[f64], tau: &mut [f64]) {
    if !system.has_joint_forces {
        return;
    }
    for (i, dof) in system.dofs.iter().enumerate() {
        let mut f = smooth_joint_force(system, i, q, v);
        if dof.friction != 0.0 {
            let vs = system.friction_speed;
            f -= dof.friction * v[i] / (v[i] * v[i] + vs * vs).sqrt();
        }
        tau[i] += f;
    }
}

/// Adds joint damping and springs to `tau`, for callers that model sticking dry friction.
pub fn add_smooth_joint_forces(system: &System, q: &[f64], v: &[f64], tau: &mut [f64]) {
    if !system.has_joint_forces {
        return;
    }
    for i in 0..system.nv {
        tau[i] += smooth_joint_force(system, i, q, v);
    }
}

#[inline(always)]
fn smooth_joint_force(system: &System, i: usize, q: &[f64], v: &[f64]) -> f64 {
    let dof = &system.dofs[i];
    let mut f = -dof.damping * v[i];
    if let (true, Some(p)) = (dof.stiffness != 0.0, system.dof_position[i]) {
        f -= dof.stiffness * (q[p] - dof.spring_reference);
    }
    f
}

/// Whether anything except gravity acts on links directly.
#[inline]
pub(crate) fn has_applied_wrenches(system: &System, wrenches: &[BodyWrench]) -> bool {
    !wrenches.is_empty() || !system.springs.is_empty() || system.has_drag || system.has_gravity_deficit
}

/// Writes the applied wrenches of springs, drag, gravity deficits and external wrenches, after
/// [`crate::kinematics::velocities`].
#[inline]
pub fn set_applied_wrenches(system: &System, ws: &mut Workspace, wrenches: &[BodyWrench]) {
    let loaded = has_applied_wrenches(system, wrenches);
    // Clear the wrenches of an earlier call.
    if !loaded && !std::mem::replace(&mut ws.loaded, loaded) {
        return;
    }
    ws.loaded = loaded;
    for (link, s) in system.links.iter().zip(&mut ws.links[1..]) {
        s.applied_force = scale(system.gravity, link.gravity_deficit);
        s.applied_torque = cross(rotate(&s.rot, link.gravity_deficit_moment), system.gravity);
        if let Some(drag) = &link.drag {
            for &(rate, com) in &drag.linear {
                let com = rotate(&s.rot, com);
                let force = scale(add(s.vel, cross(s.omega, com)), -rate);
                s.applied_force = add(s.applied_force, force);
                s.applied_torque = add(s.applied_torque, cross(com, force));
            }
            let torque = sym_mul(&sym_rotate(&s.rot, &drag.angular), s.omega);
            s.applied_torque = sub(s.applied_torque, torque);
        }
    }
    for spring in &system.springs {
        let (a, b) = (&ws.links[spring.a], &ws.links[spring.b]);
        let (ra, rb) = (rotate(&a.rot, spring.point_a), rotate(&b.rot, spring.point_b));
        let d = add(spring.origin_gap, sub(add(b.pos, rb), add(a.pos, ra)));
        let dv = sub(add(b.vel, cross(b.omega, rb)), add(a.vel, cross(a.omega, ra)));
        let length = norm(d);
        // A spring of zero length has no direction, so its force is undefined.
        if length == 0.0 {
            continue;
        }
        let direction = scale(d, 1.0 / length);
        let pull = spring.stiffness * (length - spring.rest_length) + spring.damping * dot(direction, dv);
        let force = scale(direction, pull);
        for (state, at, sign) in [(spring.a, ra, 1.0), (spring.b, rb, -1.0)] {
            let s = &mut ws.links[state];
            s.applied_force = add_scaled(s.applied_force, force, sign);
            s.applied_torque = add_scaled(s.applied_torque, cross(at, force), sign);
        }
    }
    for wrench in wrenches {
        let s = &mut ws.links[wrench.state];
        let moment = cross(rotate(&s.rot, wrench.point), wrench.force);
        s.applied_force = add(s.applied_force, wrench.force);
        s.applied_torque = add(s.applied_torque, add(wrench.torque, moment));
    }
    ws.links[0].applied_force = [0.0; 3];
    ws.links[0].applied_torque = [0.0; 3];
}

/// Adds the efforts of the actuators at this state under `command` to `tau`.
pub fn add_actuator_efforts(system: &System, q: &[f64], v: &[f64], command: &[f64], tau: &mut [f64]) {
    for (compiled, &u) in system.actuators.iter().zip(command) {
        let (mut position, mut speed) = (0.0, 0.0);
        for &(qi, vi, c) in &compiled.terms {
            position += c * q[qi];
            speed += c * v[vi];
        }
        let effort = compiled.actuator.effort_at(u, position, speed);
        for &(_, vi, c) in &compiled.terms {
            tau[vi] += c * effort;
        }
    }
}

/// Adds the gains of drives that are not saturated: the diagonal of `-∂τ/∂q` and `-∂τ/∂v`.
pub fn add_actuator_gains(
    system: &System,
    q: &[f64],
    v: &[f64],
    command: &[f64],
    stiffness: &mut [f64],
    damping: &mut [f64],
) {
    for (compiled, &u) in system.actuators.iter().zip(command) {
        let a = &compiled.actuator;
        if matches!(a.drive, Drive::Effort { .. }) {
            continue;
        }
        let (kp, kd) = a.gains();
        let (mut position, mut speed) = (0.0, 0.0);
        for &(qi, vi, c) in &compiled.terms {
            position += c * q[qi];
            speed += c * v[vi];
        }
        // A clamped effort does not change with the state.
        let effort = a.effort_at(u, position, speed);
        let wanted = a.wanted_effort(u, position, speed);
        if effort != wanted {
            continue;
        }
        for &(_, vi, c) in &compiled.terms {
            // A negative gain could make the step matrix singular; it stays explicit.
            stiffness[vi] += c * c * kp.max(0.0);
            damping[vi] += c * c * kd.max(0.0);
        }
    }
}
