//! Inverse dynamics in O(n): recursive Newton-Euler (Luh, Walker, Paul 1980), in world axes.
//!
//! `τ = M(q) q'' + h(q, v)`: forward, accelerations with the joint accelerations added to the bias; backward,
//! wrenches summed towards the root and projected on each joint's motion.

use crate::aba::bias_wrench;
use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;
use std::ops::Range;

/// Bias efforts `h(q, v)` (gravity, velocity products, applied wrenches), after [`crate::kinematics::velocities`].
pub fn bias_efforts(system: &System, ws: &mut Workspace, out: &mut [f64]) {
    bias_efforts_of(system, ws, 0..system.links.len(), out);
}

/// The same for the links of whole trees.
pub(crate) fn bias_efforts_of(system: &System, ws: &mut Workspace, links: Range<usize>, out: &mut [f64]) {
    for (link, s) in system.links[links.clone()].iter().zip(&mut ws.links[links.start + 1..]) {
        let inertia = link.about_origin.turned(&s.rot);
        let (torque, force) = bias_wrench(link.mass, &inertia, s);
        (s.torque, s.force) = (sub(torque, s.applied_torque), sub(force, s.applied_force));
    }
    collect(system, ws, links, out);
}

/// Accelerations of the links beyond their bias, after [`crate::kinematics::velocities`].
pub(crate) fn link_accelerations(system: &System, ws: &mut Workspace, acceleration: &[f64]) {
    for (i, link) in system.links.iter().enumerate() {
        let (above, below) = ws.links.split_at_mut(i + 1);
        let (parent, s) = (&above[link.parent], &mut below[0]);
        let a = &acceleration[link.v..];
        let z = s.rot[2];
        s.alpha = parent.alpha;
        s.acc = add(parent.acc, cross(parent.alpha, s.arm));
        match link.kind {
            LinkKind::Revolute => s.alpha = add_scaled(s.alpha, z, a[0]),
            LinkKind::Prismatic => s.acc = add_scaled(s.acc, z, a[0]),
            LinkKind::Screw { pitch } => {
                s.alpha = add_scaled(s.alpha, z, a[0]);
                s.acc = add_scaled(s.acc, z, a[0] * pitch);
            }
            LinkKind::Ball => s.alpha = add(s.alpha, rotate(&s.rot, [a[0], a[1], a[2]])),
            LinkKind::Free => {
                let axes = link.joint_axes(&parent.rot);
                s.alpha = add(s.alpha, rotate(&s.rot, [a[0], a[1], a[2]]));
                s.acc = add(s.acc, rotate(&axes, [a[3], a[4], a[5]]));
            }
        }
    }
}

/// Efforts for joint accelerations `acceleration`, armature included, after [`crate::kinematics::velocities`].
pub fn inverse_dynamics(system: &System, ws: &mut Workspace, acceleration: &[f64], out: &mut [f64]) {
    link_accelerations(system, ws, acceleration);
    for (link, s) in system.links.iter().zip(&mut ws.links[1..]) {
        let inertia = link.about_origin.turned(&s.rot);
        let (torque, force) = bias_wrench(link.mass, &inertia, s);
        // Contribution of the joint accelerations to the bias wrench.
        let inertial = add(scale(s.acc, link.mass), cross(s.alpha, s.moment));
        let turning = add(sym_mul(&inertia, s.alpha), cross(s.moment, s.acc));
        s.force = sub(add(force, inertial), s.applied_force);
        s.torque = sub(add(torque, turning), s.applied_torque);
    }
    collect(system, ws, 0..system.links.len(), out);
    for (v, dof) in system.dofs.iter().enumerate() {
        out[v] += dof.armature * acceleration[v];
    }
}

/// Sums wrenches towards the root and projects them on the joints.
fn collect(system: &System, ws: &mut Workspace, links: Range<usize>, out: &mut [f64]) {
    for i in links.rev() {
        let link = &system.links[i];
        let (above, below) = ws.links.split_at_mut(i + 1);
        let s = &below[0];
        let (torque, force) = (s.torque, s.force);
        let z = s.rot[2];
        match link.kind {
            LinkKind::Revolute => out[link.v] = dot(z, torque),
            LinkKind::Prismatic => out[link.v] = dot(z, force),
            LinkKind::Screw { pitch } => out[link.v] = dot(z, torque) + pitch * dot(z, force),
            LinkKind::Ball => out[link.v..link.v + 3].copy_from_slice(&rotate_back(&s.rot, torque)),
            LinkKind::Free => {
                let axes = link.joint_axes(&above[link.parent].rot);
                out[link.v..link.v + 3].copy_from_slice(&rotate_back(&s.rot, torque));
                out[link.v + 3..link.v + 6].copy_from_slice(&rotate_back(&axes, force));
            }
        }
        if link.parent != 0 {
            let p = &mut above[link.parent];
            p.force = add(p.force, force);
            p.torque = add(p.torque, add(torque, cross(s.arm, force)));
        }
    }
}
