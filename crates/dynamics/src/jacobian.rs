//! Jacobians, by the principle of virtual power: the row of a Jacobian is the joint efforts of a unit wrench.

use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;

/// Adds the joint efforts of a wrench (about the link's origin, world axes) to `out`, after
/// [`crate::kinematics::positions`]. State 0 is the world, which contributes nothing. `out` begins at
/// degree of freedom `first`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn add_wrench_efforts(
    system: &System,
    ws_links: &[crate::workspace::LinkState],
    state: usize,
    mut torque: V3,
    force: V3,
    sign: f64,
    first: usize,
    out: &mut [f64],
) {
    let mut at = state;
    while at != 0 {
        let link = &system.links[at - 1];
        let s = &ws_links[at];
        let z = s.rot[2];
        let v = link.v - first;
        match link.kind {
            LinkKind::Revolute => out[v] += sign * dot(z, torque),
            LinkKind::Prismatic => out[v] += sign * dot(z, force),
            LinkKind::Screw { pitch } => out[v] += sign * (dot(z, torque) + pitch * dot(z, force)),
            LinkKind::Ball => {
                let e = rotate_back(&s.rot, torque);
                (0..3).for_each(|k| out[v + k] += sign * e[k]);
            }
            LinkKind::Free => {
                let axes = link.joint_axes(&ws_links[link.parent].rot);
                let (t, f) = (rotate_back(&s.rot, torque), rotate_back(&axes, force));
                (0..3).for_each(|k| {
                    out[v + k] += sign * t[k];
                    out[v + 3 + k] += sign * f[k];
                });
            }
        }
        torque = add(torque, cross(s.arm, force));
        at = link.parent;
    }
}

/// The 6 x nv Jacobian of a body's frame by rows, angular then linear, world axes, after
/// [`crate::kinematics::positions`]: `(ω; velocity of the body's origin) = J v`.
pub fn body_jacobian(system: &System, ws: &Workspace, body: BodyPlace, out: &mut [f64]) {
    let n = system.nv;
    out[..6 * n].fill(0.0);
    let offset = rotate(&ws.links[body.state].rot, body.pos);
    for k in 0..3 {
        let mut axis = [0.0; 3];
        axis[k] = 1.0;
        add_wrench_efforts(system, &ws.links, body.state, axis, [0.0; 3], 1.0, 0, &mut out[k * n..(k + 1) * n]);
        let row = &mut out[(3 + k) * n..(4 + k) * n];
        add_wrench_efforts(system, &ws.links, body.state, cross(offset, axis), axis, 1.0, 0, row);
    }
}
