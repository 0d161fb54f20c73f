//! Rows of the constraint Jacobian, their residuals and velocity products.
//!
//! A row is a linear functional of the two bodies' velocities, i.e. a pair of wrenches; its entries are the joint
//! efforts of those wrenches. The velocity product `γ` is the same functional of the bias accelerations plus the
//! contribution of its own rotating directions.

use crate::attachments::{CompiledLoop, Constraint};
use crate::jacobian::add_wrench_efforts;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::{LinkState, Workspace};

/// Which quantities are computed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Which {
    All,
    Kept,
}

/// One scalar constraint at a state.
struct Row {
    torque_a: V3,
    force_a: V3,
    torque_b: V3,
    force_b: V3,
    residual: f64,
    gamma: f64,
}

/// Fills Jacobian, residual and (with velocities) `γ`.
pub(super) fn evaluate(system: &System, ws: &mut Workspace, q: &[f64], v: Option<&[f64]>, which: Which) {
    let n = system.nv;
    let links = &ws.links;
    let c = &mut ws.constraint;
    let mut at = 0;
    for constraint in &system.constraints {
        match constraint {
            Constraint::Coupling { follower, leader, coefficients } => {
                let x = leader.map_or(0.0, |(qi, _)| q[qi]);
                let (p, dp, ddp) = polynomial(coefficients, x);
                let row = &mut c.jacobian[at * n..(at + 1) * n];
                row.fill(0.0);
                row[follower.1] = 1.0;
                c.residual[at] = q[follower.0] - p;
                c.gamma[at] = 0.0;
                if let Some((_, vi)) = *leader {
                    row[vi] -= dp;
                    let speed = v.map_or(0.0, |v| v[vi]);
                    c.gamma[at] = -ddp * speed * speed;
                }
                at += 1;
            }
            Constraint::Loop { a, b, frame_a, frame_b, origin_gap, kind } => {
                let (kept, jacobian, residual, gamma) = (&c.kept, &mut c.jacobian, &mut c.residual, &mut c.gamma);
                let a_side = Side::new(&links[*a], frame_a);
                let mut b_side = Side::new(&links[*b], frame_b);
                b_side.pos = add(b_side.pos, *origin_gap);
                loop_rows(&a_side, &b_side, *kind, &mut |row: Row| {
                    residual[at] = row.residual;
                    gamma[at] = row.gamma;
                    if which == Which::All || kept.contains(&at) {
                        let out = &mut jacobian[at * n..(at + 1) * n];
                        out.fill(0.0);
                        add_wrench_efforts(system, links, *a, row.torque_a, row.force_a, 1.0, 0, out);
                        add_wrench_efforts(system, links, *b, row.torque_b, row.force_b, 1.0, 0, out);
                    }
                    at += 1;
                });
            }
        }
    }
}

/// Value, slope and curvature.
fn polynomial(coefficients: &[f64], x: f64) -> (f64, f64, f64) {
    let (mut p, mut dp, mut ddp) = (0.0, 0.0, 0.0);
    for &c in coefficients.iter().rev() {
        ddp = ddp * x + 2.0 * dp;
        dp = dp * x + p;
        p = p * x + c;
    }
    (p, dp, ddp)
}

/// A torque and a force about a link's origin, world axes.
type LinkWrench = (V3, V3);

/// Calls back with the wrenches of each row of each loop on the links it joins, under the last multipliers: index of the
/// constraint, states of the two links, wrenches on them.
pub(crate) fn loop_wrenches(
    system: &System,
    ws: &Workspace,
    show: &mut dyn FnMut(usize, [usize; 2], [LinkWrench; 2]),
) {
    let mut first = 0;
    for (index, constraint) in system.constraints.iter().enumerate() {
        let (places, directions) = super::row_counts(constraint);
        if let Constraint::Loop { a, b, frame_a, frame_b, origin_gap, kind } = constraint {
            let a_side = Side::new(&ws.links[*a], frame_a);
            let mut b_side = Side::new(&ws.links[*b], frame_b);
            b_side.pos = add(b_side.pos, *origin_gap);
            let mut multipliers = ws.constraint.multipliers[first..].iter();
            loop_rows(&a_side, &b_side, *kind, &mut |row: Row| {
                let strength = multipliers.next().copied().unwrap_or(0.0);
                let on_a = (scale(row.torque_a, strength), scale(row.force_a, strength));
                let on_b = (scale(row.torque_b, strength), scale(row.force_b, strength));
                show(index, [*a, *b], [on_a, on_b]);
            });
        }
        first += places + directions;
    }
}

/// The quantities of one side: link, lever to the frame's origin, frame axes, and the origin's motion.
struct Side {
    omega: V3,
    alpha: V3,
    lever: V3,
    axes: Rot,
    pos: V3,
    vel: V3,
    acc: V3,
}

impl Side {
    fn new(link: &LinkState, frame: &(Rot, V3)) -> Self {
        let lever = rotate(&link.rot, frame.1);
        let swing = cross(link.omega, lever);
        Side {
            omega: link.omega,
            alpha: link.alpha_bias,
            lever,
            axes: compose(&link.rot, &frame.0),
            pos: add(link.pos, lever),
            vel: add(link.vel, swing),
            acc: add(add(link.acc_bias, cross(link.alpha_bias, lever)), cross(link.omega, swing)),
        }
    }
}

fn loop_rows(a: &Side, b: &Side, kind: CompiledLoop, emit: &mut dyn FnMut(Row)) {
    match kind {
        CompiledLoop::Ball => points(a, b, emit),
        CompiledLoop::Revolute => {
            points(a, b, emit);
            // Axis A stays normal to the two cross axes of B.
            emit(right_angle(a, b, a.axes[2], b.axes[0]));
            emit(right_angle(a, b, a.axes[2], b.axes[1]));
        }
        CompiledLoop::Universal => {
            points(a, b, emit);
            emit(right_angle(a, b, a.axes[2], b.axes[2]));
        }
        CompiledLoop::Weld => {
            points(a, b, emit);
            same_orientation(a, b, emit);
        }
        CompiledLoop::Prismatic => {
            emit(across(a, b, a.axes[0]));
            emit(across(a, b, a.axes[1]));
            same_orientation(a, b, emit);
        }
        CompiledLoop::Distance(length) => emit(distance(a, b, length)),
    }
}

/// The two origins coincide: three rows along the world's axes.
fn points(a: &Side, b: &Side, emit: &mut dyn FnMut(Row)) {
    let (r, gamma) = (sub(b.pos, a.pos), sub(b.acc, a.acc));
    for k in 0..3 {
        let mut e = [0.0; 3];
        e[k] = 1.0;
        emit(Row {
            torque_a: scale(cross(a.lever, e), -1.0),
            force_a: scale(e, -1.0),
            torque_b: cross(b.lever, e),
            force_b: e,
            residual: r[k],
            gamma: gamma[k],
        });
    }
}

/// `u` (fixed in A) stays normal to `w` (fixed in B): `(u·w)' = (ω_a - ω_b)·(u × w)`.
fn right_angle(a: &Side, b: &Side, u: V3, w: V3) -> Row {
    let normal = cross(u, w);
    let turning = add(cross(cross(a.omega, u), w), cross(u, cross(b.omega, w)));
    Row {
        torque_a: normal,
        force_a: [0.0; 3],
        torque_b: scale(normal, -1.0),
        force_b: [0.0; 3],
        residual: dot(u, w),
        gamma: dot(sub(a.alpha, b.alpha), normal) + dot(sub(a.omega, b.omega), turning),
    }
}

/// Axes of A and B coincide: each axis of A stays normal to the next of B.
fn same_orientation(a: &Side, b: &Side, emit: &mut dyn FnMut(Row)) {
    for k in 0..3 {
        emit(right_angle(a, b, a.axes[k], b.axes[(k + 1) % 3]));
    }
}

/// The origin of B does not leave the line through A along the direction normal to `n` (fixed in A).
fn across(a: &Side, b: &Side, n: V3) -> Row {
    let d = sub(b.pos, a.pos);
    let dd = sub(b.vel, a.vel);
    let turning = cross(a.omega, n);
    Row {
        torque_a: sub(cross(n, d), cross(a.lever, n)),
        force_a: scale(n, -1.0),
        torque_b: cross(b.lever, n),
        force_b: n,
        residual: dot(d, n),
        gamma: dot(sub(b.acc, a.acc), n)
            + 2.0 * dot(dd, turning)
            + dot(d, add(cross(a.alpha, n), cross(a.omega, turning))),
    }
}

/// The origins keep their distance: `(|d|² - L²) / 2L`.
fn distance(a: &Side, b: &Side, length: f64) -> Row {
    let d = sub(b.pos, a.pos);
    let dd = sub(b.vel, a.vel);
    let n = scale(d, 1.0 / length);
    Row {
        torque_a: scale(cross(a.lever, n), -1.0),
        force_a: scale(n, -1.0),
        torque_b: cross(b.lever, n),
        force_b: n,
        residual: 0.5 * (dot(d, d) - length * length) / length,
        gamma: (dot(d, sub(b.acc, a.acc)) + dot(dd, dd)) / length,
    }
}
