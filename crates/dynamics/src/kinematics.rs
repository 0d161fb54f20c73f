//! Positions, velocities and velocity-product accelerations of all links.
//!
//! World axes, every quantity at the link's own origin. With `d` the arm from the parent's origin, `z` the joint
//! axis, `σ` 1 for turning and `π` the advance along the axis (1 sliding, the pitch of a screw, 0 turning):
//!
//! ```text
//! (1)  ω  = ω_p + σ z q'
//! (2)  v  = v_p + ω_p × d + π z q'
//! (3)  α° = α°_p + ω_p × σ z q'
//! (4)  a° = a°_p + α°_p × d + ω_p × (ω_p × d) + 2 ω_p × π z q'
//! ```
//!
//! `°` marks quantities at zero joint acceleration. The world has the acceleration `-g`, which applies gravity to every
//! link without another term. Local origins cost a shift of the inertia later and avoid that the small moments of a distant
//! link are lost in the rounding of `m d²`.

use crate::link::{Link, LinkKind};
use crate::spatial::*;
use crate::system::System;
use crate::workspace::{LinkState, Workspace};

/// Sines and cosines of all rotary joints, before the sweep: they are independent and overlap in the processor, which they
/// could not inside it.
#[inline]
pub(crate) fn turn_angles(system: &System, turns: &mut [(f64, f64)], q: &[f64]) {
    for (link, turn) in system.links.iter().zip(turns) {
        if matches!(link.kind, LinkKind::Revolute | LinkKind::Screw { .. }) {
            *turn = crate::sincos::sincos(q[link.q]);
        }
    }
}

/// Rotation and arm of a link.
#[inline(always)]
fn place(link: &Link, parent: &LinkState, (sin, cos): (f64, f64), q: &[f64]) -> (Rot, V3) {
    let base = link.joint_axes(&parent.rot);
    let arm = if link.has_no_arm { [0.0; 3] } else { rotate(&parent.rot, link.tree_pos) };
    let turned =
        || [add_scaled(scale(base[0], cos), base[1], sin), add_scaled(scale(base[1], cos), base[0], -sin), base[2]];
    match link.kind {
        LinkKind::Revolute => (turned(), arm),
        LinkKind::Prismatic => (base, add_scaled(arm, base[2], q[link.q])),
        LinkKind::Screw { pitch } => (turned(), add_scaled(arm, base[2], pitch * q[link.q])),
        LinkKind::Ball => {
            let local = quat_rotation([q[link.q], q[link.q + 1], q[link.q + 2], q[link.q + 3]]);
            (compose(&base, &local), arm)
        }
        LinkKind::Free => {
            let p = &q[link.q..link.q + 7];
            let local = quat_rotation([p[3], p[4], p[5], p[6]]);
            (compose(&base, &local), add(arm, rotate(&base, [p[0], p[1], p[2]])))
        }
    }
}

/// Positions only.
pub fn positions(system: &System, ws: &mut Workspace, q: &[f64]) {
    ws.forget();
    turn_angles(system, &mut ws.turns, q);
    for (i, link) in system.links.iter().enumerate() {
        let parent = &ws.links[link.parent];
        let (rot, arm) = place(link, parent, ws.turns[i], q);
        let pos = add(parent.pos, arm);
        let s = &mut ws.links[i + 1];
        (s.rot, s.arm, s.pos) = (rot, arm, pos);
        s.moment = rotate(&rot, link.first_moment);
    }
}

/// Positions, velocities (1), (2) and bias accelerations (3), (4).
pub fn velocities(system: &System, ws: &mut Workspace, q: &[f64], v: &[f64]) {
    if ws.still_holds(q, v) {
        return;
    }
    ws.forget();
    turn_angles(system, &mut ws.turns, q);
    for (i, link) in system.links.iter().enumerate() {
        let (above, below) = ws.links.split_at_mut(i + 1);
        move_link(link, &above[link.parent], &mut below[0], ws.turns[i], q, v);
    }
}

/// Velocities (1), (2) of other joint velocities at the present positions; bias accelerations are outdated afterwards.
pub fn other_velocities(system: &System, ws: &mut Workspace, v: &[f64]) {
    ws.forget();
    for (i, link) in system.links.iter().enumerate() {
        let (above, below) = ws.links.split_at_mut(i + 1);
        let (parent, s) = (&above[link.parent], &mut below[0]);
        let carried = if link.has_no_arm { parent.vel } else { add(parent.vel, cross(parent.omega, s.arm)) };
        let z = s.rot[2];
        let turn = |s: &LinkState| add(parent.omega, rotate(&s.rot, [v[link.v], v[link.v + 1], v[link.v + 2]]));
        (s.omega, s.vel) = match link.kind {
            LinkKind::Revolute => (add_scaled(parent.omega, z, v[link.v]), carried),
            LinkKind::Prismatic => (parent.omega, add_scaled(carried, z, v[link.v])),
            LinkKind::Screw { pitch } => {
                (add_scaled(parent.omega, z, v[link.v]), add_scaled(carried, z, pitch * v[link.v]))
            }
            LinkKind::Ball => (turn(s), carried),
            LinkKind::Free => {
                let axes = link.joint_axes(&parent.rot);
                let slide = rotate(&axes, [v[link.v + 3], v[link.v + 4], v[link.v + 5]]);
                (turn(s), add(carried, slide))
            }
        };
    }
}

/// One link of [`velocities`].
#[inline(always)]
pub(crate) fn move_link(link: &Link, parent: &LinkState, s: &mut LinkState, turn: (f64, f64), q: &[f64], v: &[f64]) {
    let (rot, arm) = place(link, parent, turn, q);
    s.rot = rot;
    s.arm = arm;
    s.pos = add(parent.pos, arm);
    s.moment = rotate(&rot, link.first_moment);

    let (carried_acc, carried_vel) = if link.has_no_arm {
        (parent.acc_bias, parent.vel)
    } else {
        let swing = cross(parent.omega, arm);
        let acc = add(add(parent.acc_bias, cross(parent.alpha_bias, arm)), cross(parent.omega, swing));
        (acc, add(parent.vel, swing))
    };
    let z = rot[2];
    match link.kind {
        LinkKind::Revolute => {
            let spin = scale(z, v[link.v]);
            s.omega = add(parent.omega, spin);
            s.vel = carried_vel;
            s.alpha_bias = add(parent.alpha_bias, cross(parent.omega, spin));
            s.acc_bias = carried_acc;
        }
        LinkKind::Prismatic => {
            let slide = scale(z, v[link.v]);
            s.omega = parent.omega;
            s.vel = add(carried_vel, slide);
            s.alpha_bias = parent.alpha_bias;
            s.acc_bias = add_scaled(carried_acc, cross(parent.omega, slide), 2.0);
        }
        LinkKind::Screw { pitch } => {
            let spin = scale(z, v[link.v]);
            s.omega = add(parent.omega, spin);
            s.vel = add_scaled(carried_vel, spin, pitch);
            let twist = cross(parent.omega, spin);
            s.alpha_bias = add(parent.alpha_bias, twist);
            s.acc_bias = add_scaled(carried_acc, twist, 2.0 * pitch);
        }
        LinkKind::Ball => {
            let spin = rotate(&rot, [v[link.v], v[link.v + 1], v[link.v + 2]]);
            s.omega = add(parent.omega, spin);
            s.vel = carried_vel;
            s.alpha_bias = add(parent.alpha_bias, cross(parent.omega, spin));
            s.acc_bias = carried_acc;
        }
        LinkKind::Free => {
            let spin = rotate(&rot, [v[link.v], v[link.v + 1], v[link.v + 2]]);
            let axes = link.joint_axes(&parent.rot);
            let slide = rotate(&axes, [v[link.v + 3], v[link.v + 4], v[link.v + 5]]);
            s.omega = add(parent.omega, spin);
            s.vel = add(carried_vel, slide);
            s.alpha_bias = add(parent.alpha_bias, cross(parent.omega, spin));
            s.acc_bias = add_scaled(carried_acc, cross(parent.omega, slide), 2.0);
        }
    }
}

/// `q'` from `v`: quaternions turn by half the body rate, everything else is its own rate.
#[inline]
pub fn position_rates(system: &System, q: &[f64], v: &[f64], rates: &mut [f64]) {
    if system.nq == system.nv {
        rates.copy_from_slice(v);
        return;
    }
    let spin = |quat: [f64; 4], w: [f64; 3], out: &mut [f64]| {
        let d = quat_mul(quat, [0.0, w[0], w[1], w[2]]);
        for k in 0..4 {
            out[k] = 0.5 * d[k];
        }
    };
    for link in &system.links {
        let (qi, vi) = (link.q, link.v);
        match link.kind {
            LinkKind::Ball => {
                let quat = [q[qi], q[qi + 1], q[qi + 2], q[qi + 3]];
                spin(quat, [v[vi], v[vi + 1], v[vi + 2]], &mut rates[qi..qi + 4]);
            }
            LinkKind::Free => {
                rates[qi..qi + 3].copy_from_slice(&v[vi + 3..vi + 6]);
                let quat = [q[qi + 3], q[qi + 4], q[qi + 5], q[qi + 6]];
                spin(quat, [v[vi], v[vi + 1], v[vi + 2]], &mut rates[qi + 3..qi + 7]);
            }
            _ => rates[qi] = v[vi],
        }
    }
}

/// Moves `q` along the manifold: `q ⊕ dv`, with `dv` a velocity times a time.
pub fn advance(system: &System, q: &mut [f64], dv: &[f64], dt: f64) {
    system.links.iter().for_each(|link| advance_link(link, q, dv, dt));
}

/// [`advance`] of one block; `dv` is over all velocities.
pub fn advance_block(system: &System, block: usize, q: &mut [f64], dv: &[f64], dt: f64) {
    let (from, to) = system.blocks[block].links;
    system.links[from..to].iter().for_each(|link| advance_link(link, q, dv, dt));
}

/// One link of [`advance`].
#[inline]
pub(crate) fn advance_link(link: &Link, q: &mut [f64], dv: &[f64], dt: f64) {
    let turn = |q: &mut [f64], w: [f64; 3]| {
        let step = quat_exp([w[0] * dt, w[1] * dt, w[2] * dt]);
        let n = quat_mul([q[0], q[1], q[2], q[3]], step);
        let inv = 1.0 / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]).sqrt();
        for k in 0..4 {
            q[k] = n[k] * inv;
        }
    };
    let (qi, vi) = (link.q, link.v);
    match link.kind {
        LinkKind::Ball => turn(&mut q[qi..qi + 4], [dv[vi], dv[vi + 1], dv[vi + 2]]),
        LinkKind::Free => {
            for k in 0..3 {
                q[qi + k] += dv[vi + 3 + k] * dt;
            }
            turn(&mut q[qi + 3..qi + 7], [dv[vi], dv[vi + 1], dv[vi + 2]]);
        }
        _ => q[qi] += dv[vi] * dt,
    }
}

/// The velocity that leads from `a` to `b` in unit time: the inverse of [`advance`].
pub fn difference(system: &System, a: &[f64], b: &[f64], out: &mut [f64]) {
    let turn =
        |a: &[f64], b: &[f64]| quat_log(quat_mul(quat_conj([a[0], a[1], a[2], a[3]]), [b[0], b[1], b[2], b[3]]));
    for link in &system.links {
        let (qi, vi) = (link.q, link.v);
        match link.kind {
            LinkKind::Ball => out[vi..vi + 3].copy_from_slice(&turn(&a[qi..qi + 4], &b[qi..qi + 4])),
            LinkKind::Free => {
                for k in 0..3 {
                    out[vi + 3 + k] = b[qi + k] - a[qi + k];
                }
                out[vi..vi + 3].copy_from_slice(&turn(&a[qi + 3..qi + 7], &b[qi + 3..qi + 7]));
            }
            _ => out[vi] = b[qi] - a[qi],
        }
    }
}

/// Normalises quaternions.
pub fn normalise(system: &System, q: &mut [f64]) {
    for link in &system.links {
        let at = match link.kind {
            LinkKind::Ball => link.q,
            LinkKind::Free => link.q + 3,
            _ => continue,
        };
        let quat = &mut q[at..at + 4];
        let inv = 1.0 / quat.iter().map(|x| x * x).sum::<f64>().sqrt();
        quat.iter_mut().for_each(|x| *x *= inv);
    }
}
