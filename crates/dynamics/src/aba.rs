//! Forward dynamics of a tree in O(n): the articulated-body algorithm (Featherstone 1983), in world axes.
//!
//! With the joint's motion `S` (angular then linear, at the link's origin), articulated inertia `IA` and bias
//! wrench `pA`:
//!
//! ```text
//! (1)  U = IA S,  D = Sᵀ U + armature,  r = τ - Sᵀ pA
//! (2)  IA' = IA - U D⁻¹ Uᵀ,  pA' = pA + U D⁻¹ r        passed to the parent, shifted by the arm d
//! (3)  q'' = D⁻¹ (r - Uᵀ a_p),  a = a_p + S q''          with a the acceleration beyond the bias
//! ```
//!
//! The shift of the blocks `(A, B, C)` of `IA` by `d` is
//!
//! ```text
//! (4)  B' = B + [d] C,   A' = A - B [d] + [d] B'ᵀ,   C' = C
//! ```
//!
//! Because the bias wrench is computed at the bias acceleration of the whole tree (kinematics (3), (4)), the usual
//! term `IA c` does not appear. Cost: about 550 floating-point operations for a revolute joint.

use crate::link::{Link, LinkKind};
use crate::spatial::*;
use crate::system::System;
use crate::workspace::{LinkState, Workspace};

/// Computes accelerations `out` from efforts `tau`, after [`crate::kinematics::velocities`]. Applied wrenches of the links
/// are read from the workspace.
pub fn accelerations(system: &System, ws: &mut Workspace, tau: &[f64], out: &mut [f64]) {
    for (link, s) in system.links.iter().zip(&mut ws.links[1..]) {
        start_link(link, s);
        s.torque = sub(s.torque, s.applied_torque);
        s.force = sub(s.force, s.applied_force);
    }
    eliminate(system, ws, tau, out);
}

/// Kinematics and accelerations in one sweep over the links: faster, for cases where only `tau`, gravity and joint
/// forces act.
pub(crate) fn accelerations_unloaded(
    system: &System,
    ws: &mut Workspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    out: &mut [f64],
) {
    if ws.still_holds(q, v) {
        system.links.iter().zip(&mut ws.links[1..]).for_each(|(link, s)| start_link(link, s));
        return eliminate(system, ws, tau, out);
    }
    ws.forget();
    crate::kinematics::turn_angles(system, &mut ws.turns, q);
    for (i, link) in system.links.iter().enumerate() {
        let (above, below) = ws.links.split_at_mut(i + 1);
        crate::kinematics::move_link(link, &above[link.parent], &mut below[0], ws.turns[i], q, v);
        start_link(link, &mut below[0]);
    }
    eliminate(system, ws, tau, out);
}

/// Passes (1), (2) from the leaves and (3) from the root.
fn eliminate(system: &System, ws: &mut Workspace, tau: &[f64], out: &mut [f64]) {
    for i in (0..system.links.len()).rev() {
        let link = &system.links[i];
        let (above, below) = ws.links.split_at_mut(i + 1);
        let s = &mut below[0];
        let has_parent = link.parent != 0;
        match link.kind {
            LinkKind::Revolute => {
                let z = s.rot[2];
                s.u_ang = sym_mul(&s.ia, z);
                s.u_lin = rows_transposed_mul(&s.ib, z);
                let d = dot(z, s.u_ang) + link.armature;
                s.residual = tau[link.v] - dot(z, s.torque);
                s.inv_d = 1.0 / d;
                if has_parent {
                    pass_to_parent(link.has_no_arm, s, &mut above[link.parent]);
                }
            }
            LinkKind::Prismatic | LinkKind::Screw { .. } => {
                let (sigma, pitch) = match link.kind {
                    LinkKind::Screw { pitch } => (1.0, pitch),
                    _ => (0.0, 1.0),
                };
                let z = s.rot[2];
                s.u_ang = add_scaled(scale(sym_mul(&s.ia, z), sigma), rows_mul(&s.ib, z), pitch);
                s.u_lin = add_scaled(scale(rows_transposed_mul(&s.ib, z), sigma), sym_mul(&s.ic, z), pitch);
                let d = sigma * dot(z, s.u_ang) + pitch * dot(z, s.u_lin) + link.armature;
                s.residual = tau[link.v] - sigma * dot(z, s.torque) - pitch * dot(z, s.force);
                s.inv_d = 1.0 / d;
                if has_parent {
                    pass_to_parent(link.has_no_arm, s, &mut above[link.parent]);
                }
            }
            LinkKind::Ball => eliminate_ball(system, link, s, tau, has_parent.then(|| &mut above[link.parent])),
            LinkKind::Free => {
                let axes = link.joint_axes(&above[link.parent].rot);
                eliminate_free(system, link, s, &axes, tau, has_parent.then(|| &mut above[link.parent]));
            }
        }
    }
    // The parent is usually the previous link: its accelerations are kept in registers and not reloaded from memory,
    // where a load across two recent stores would wait for both.
    let (mut last_alpha, mut last_acc) = ([0.0; 3], [0.0; 3]);
    for (i, link) in system.links.iter().enumerate() {
        let (above, below) = ws.links.split_at_mut(i + 1);
        let (parent, s) = (&above[link.parent], &mut below[0]);
        let (alpha, parent_acc) = if link.parent == i { (last_alpha, last_acc) } else { (parent.alpha, parent.acc) };
        let acc = if link.has_no_arm { parent_acc } else { add(parent_acc, cross(alpha, s.arm)) };
        let z = s.rot[2];
        (last_alpha, last_acc) = match link.kind {
            LinkKind::Revolute => {
                let a = (s.residual - dot(s.u_ang, alpha) - dot(s.u_lin, acc)) * s.inv_d;
                out[link.v] = a;
                (add_scaled(alpha, z, a), acc)
            }
            LinkKind::Prismatic => {
                let a = (s.residual - dot(s.u_ang, alpha) - dot(s.u_lin, acc)) * s.inv_d;
                out[link.v] = a;
                (alpha, add_scaled(acc, z, a))
            }
            LinkKind::Screw { pitch } => {
                let a = (s.residual - dot(s.u_ang, alpha) - dot(s.u_lin, acc)) * s.inv_d;
                out[link.v] = a;
                (add_scaled(alpha, z, a), add_scaled(acc, z, a * pitch))
            }
            LinkKind::Ball => {
                // The elimination left D⁻¹ in `ia` and its right-hand side in `torque`.
                let rhs = sub(s.torque, add(sym_mul(&s.ic, alpha), rows_mul(&s.ib, acc)));
                let relative = sym_mul(&s.ia, rhs);
                out[link.v..link.v + 3].copy_from_slice(&rotate_back(&s.rot, relative));
                (add(alpha, relative), acc)
            }
            LinkKind::Free => {
                // The elimination left the link's own acceleration in `alpha`, `acc`.
                let axes = link.joint_axes(&parent.rot);
                let turn = rotate_back(&s.rot, sub(s.alpha, alpha));
                let slide = rotate_back(&axes, sub(s.acc, acc));
                out[link.v..link.v + 3].copy_from_slice(&turn);
                out[link.v + 3..link.v + 6].copy_from_slice(&slide);
                (s.alpha, s.acc)
            }
        };
        (s.alpha, s.acc) = (last_alpha, last_acc);
    }
}

/// The link's own inertia about its origin, and the wrench it needs at the bias acceleration.
#[inline(always)]
fn start_link(link: &Link, s: &mut LinkState) {
    let inertia = link.about_origin.turned(&s.rot);
    let (torque, force) = bias_wrench(link.mass, &inertia, s);
    s.torque = torque;
    s.force = force;
    s.ia = inertia;
    let (m, h) = (link.mass, s.moment);
    s.ib = [[0.0, -h[2], h[1]], [h[2], 0.0, -h[0]], [-h[1], h[0], 0.0]];
    s.ic = [m, m, m, 0.0, 0.0, 0.0];
}

/// Newton and Euler at the bias acceleration, about the link origin, with `h` the first moment and `I` the tensor
/// there: `f = m a + α × h + ω × (ω × h)`, `n = I α + ω × I ω + h × a`.
#[inline(always)]
pub(crate) fn bias_wrench(mass: f64, inertia: &Sym3, s: &LinkState) -> (V3, V3) {
    let h = s.moment;
    let centripetal = cross(s.omega, cross(s.omega, h));
    let force = add(add(scale(s.acc_bias, mass), cross(s.alpha_bias, h)), centripetal);
    let spin = cross(s.omega, sym_mul(inertia, s.omega));
    let torque = add(add(sym_mul(inertia, s.alpha_bias), spin), cross(h, s.acc_bias));
    (torque, force)
}

#[inline(always)]
fn rows_mul(b: &Rows3, v: V3) -> V3 {
    [dot(b[0], v), dot(b[1], v), dot(b[2], v)]
}

#[inline(always)]
fn rows_transposed_mul(b: &Rows3, v: V3) -> V3 {
    add(add(scale(b[0], v[0]), scale(b[1], v[1])), scale(b[2], v[2]))
}

/// (2) for a single axis, shifted by the arm. The shift (4) is linear, so `IA` is shifted before the rank-one term is
/// subtracted with a shifted `U`: the shift then runs while the processor waits for `1 / D`.
#[inline(always)]
fn pass_to_parent(has_no_arm: bool, s: &LinkState, parent: &mut LinkState) {
    let ul = s.u_lin;
    let ((a, b), ua, torque) = if has_no_arm {
        ((s.ia, s.ib), s.u_ang, s.torque)
    } else {
        let (ua, torque) = (add(s.u_ang, cross(s.arm, ul)), add(s.torque, cross(s.arm, s.force)));
        (shifted(&s.ia, &s.ib, &s.ic, s.arm), ua, torque)
    };
    let (va, vl) = (scale(ua, s.inv_d), scale(ul, s.inv_d));
    let p = parent;
    p.ia[0] += a[0] - ua[0] * va[0];
    p.ia[1] += a[1] - ua[1] * va[1];
    p.ia[2] += a[2] - ua[2] * va[2];
    p.ia[3] += a[3] - ua[0] * va[1];
    p.ia[4] += a[4] - ua[0] * va[2];
    p.ia[5] += a[5] - ua[1] * va[2];
    for i in 0..3 {
        p.ib[i] = add(p.ib[i], add_scaled(b[i], vl, -ua[i]));
    }
    let c = &s.ic;
    p.ic[0] += c[0] - ul[0] * vl[0];
    p.ic[1] += c[1] - ul[1] * vl[1];
    p.ic[2] += c[2] - ul[2] * vl[2];
    p.ic[3] += c[3] - ul[0] * vl[1];
    p.ic[4] += c[4] - ul[0] * vl[2];
    p.ic[5] += c[5] - ul[1] * vl[2];
    p.torque = add(p.torque, add_scaled(torque, va, s.residual));
    p.force = add(p.force, add_scaled(s.force, vl, s.residual));
}

/// Blocks `A'` and `B'` of (4).
#[inline(always)]
fn shifted(a: &Sym3, b: &Rows3, c: &Sym3, d: V3) -> (Sym3, Rows3) {
    // B' = B + [d] C: column j of [d] C is d x C_j, and C is symmetric.
    let dc = [cross(d, [c[0], c[3], c[4]]), cross(d, [c[3], c[1], c[5]]), cross(d, [c[4], c[5], c[2]])];
    let b2 = [
        [b[0][0] + dc[0][0], b[0][1] + dc[1][0], b[0][2] + dc[2][0]],
        [b[1][0] + dc[0][1], b[1][1] + dc[1][1], b[1][2] + dc[2][1]],
        [b[2][0] + dc[0][2], b[2][1] + dc[1][2], b[2][2] + dc[2][2]],
    ];
    // (A')ij = Aij + (d x B_row_i)_j + (d x B'_row_j)_i.
    let x = [cross(d, b[0]), cross(d, b[1]), cross(d, b[2])];
    let y = [cross(d, b2[0]), cross(d, b2[1]), cross(d, b2[2])];
    let a2 = [
        a[0] + x[0][0] + y[0][0],
        a[1] + x[1][1] + y[1][1],
        a[2] + x[2][2] + y[2][2],
        a[3] + x[0][1] + y[1][0],
        a[4] + x[0][2] + y[2][0],
        a[5] + x[1][2] + y[2][1],
    ];
    (a2, b2)
}

/// Adds inertia blocks and a wrench to the parent, shifted by the arm.
fn add_shifted(a: &Sym3, b: &Rows3, c: &Sym3, torque: V3, force: V3, d: V3, parent: &mut LinkState) {
    let (a2, b2) = shifted(a, b, c, d);
    let p = parent;
    for k in 0..6 {
        p.ia[k] += a2[k];
        p.ic[k] += c[k];
    }
    for i in 0..3 {
        p.ib[i] = add(p.ib[i], b2[i]);
    }
    p.force = add(p.force, force);
    p.torque = add(p.torque, add(torque, cross(d, force)));
}

/// A ball joint has `S = [1; 0]` in world axes: `D = A + R armature Rᵀ`.
fn eliminate_ball(system: &System, link: &Link, s: &mut LinkState, tau: &[f64], parent: Option<&mut LinkState>) {
    let arm = |k: usize| system.dofs[link.v + k].armature;
    let rotor = sym_rotate(&s.rot, &[arm(0), arm(1), arm(2), 0.0, 0.0, 0.0]);
    let mut d = s.ia;
    for (x, r) in d.iter_mut().zip(rotor) {
        *x += r;
    }
    let inv = sym_inverse(&d);
    let effort = rotate(&s.rot, [tau[link.v], tau[link.v + 1], tau[link.v + 2]]);
    let rhs = sub(effort, s.torque);
    if let Some(parent) = parent {
        // IA' = IA - [A; Bᵀ] D⁻¹ [A B].
        let a_rows = full(&s.ia);
        let bt = transpose(&s.ib);
        let d_a = [sym_mul(&inv, a_rows[0]), sym_mul(&inv, a_rows[1]), sym_mul(&inv, a_rows[2])];
        let d_b = [sym_mul(&inv, bt[0]), sym_mul(&inv, bt[1]), sym_mul(&inv, bt[2])];
        let e = |r: &Rows3, x: &Rows3, i: usize, j: usize| dot(r[i], x[j]);
        let six = |m: &Sym3, r: &Rows3, x: &Rows3| {
            [
                m[0] - e(r, x, 0, 0),
                m[1] - e(r, x, 1, 1),
                m[2] - e(r, x, 2, 2),
                m[3] - e(r, x, 0, 1),
                m[4] - e(r, x, 0, 2),
                m[5] - e(r, x, 1, 2),
            ]
        };
        let a = six(&s.ia, &a_rows, &d_a);
        let c = six(&s.ic, &bt, &d_b);
        let mut b = s.ib;
        for (i, row) in b.iter_mut().enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                *x -= dot(a_rows[i], d_b[j]);
            }
        }
        let lift = sym_mul(&inv, rhs);
        let torque = add(s.torque, rows_mul(&a_rows, lift));
        let force = add(s.force, rows_mul(&bt, lift));
        add_shifted(&a, &b, &c, torque, force, s.arm, parent);
    }
    // For pass (3): A moves to `ic`, D⁻¹ to `ia`, the right-hand side to `torque`.
    s.ic = s.ia;
    s.ia = inv;
    s.torque = rhs;
}

/// A free joint transmits no wrench: its link's acceleration solves its own 6x6 system.
fn eliminate_free(
    system: &System,
    link: &Link,
    s: &mut LinkState,
    axes: &Rot,
    tau: &[f64],
    parent: Option<&mut LinkState>,
) {
    let arm = |k: usize| system.dofs[link.v + k].armature;
    let mut a = s.ia;
    let mut c = s.ic;
    let turn = sym_rotate(&s.rot, &[arm(0), arm(1), arm(2), 0.0, 0.0, 0.0]);
    let slide = sym_rotate(axes, &[arm(3), arm(4), arm(5), 0.0, 0.0, 0.0]);
    for k in 0..6 {
        a[k] += turn[k];
        c[k] += slide[k];
    }
    let v = link.v;
    let torque = rotate(&s.rot, [tau[v], tau[v + 1], tau[v + 2]]);
    let force = rotate(axes, [tau[v + 3], tau[v + 4], tau[v + 5]]);
    if let Some(parent) = parent {
        // Only the reaction to the joint's own effort reaches the parent.
        parent.force = add(parent.force, force);
        parent.torque = add(parent.torque, add(torque, cross(s.arm, force)));
    }
    let x = solve_blocks(&a, &s.ib, &c, sub(torque, s.torque), sub(force, s.force));
    s.alpha = x.0;
    s.acc = x.1;
}

/// Solves `[A B; Bᵀ C] x = b` for a positive definite 6x6 matrix by Cholesky.
fn solve_blocks(a: &Sym3, b: &Rows3, c: &Sym3, top: V3, bottom: V3) -> (V3, V3) {
    let (fa, fc) = (full(a), full(c));
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][..3].copy_from_slice(&fa[i]);
        m[i + 3][3..].copy_from_slice(&fc[i]);
        for j in 0..3 {
            m[j + 3][i] = b[i][j];
        }
    }
    let mut x = [top[0], top[1], top[2], bottom[0], bottom[1], bottom[2]];
    for j in 0..6 {
        for k in 0..j {
            let l = m[j][k];
            for i in j..6 {
                m[i][j] -= m[i][k] * l;
            }
        }
        let inv = 1.0 / m[j][j].sqrt();
        for row in m.iter_mut().skip(j) {
            row[j] *= inv;
        }
    }
    for i in 0..6 {
        for k in 0..i {
            x[i] -= m[i][k] * x[k];
        }
        x[i] /= m[i][i];
    }
    for i in (0..6).rev() {
        for k in i + 1..6 {
            x[i] -= m[k][i] * x[k];
        }
        x[i] /= m[i][i];
    }
    ([x[0], x[1], x[2]], [x[3], x[4], x[5]])
}

fn full(s: &Sym3) -> Rows3 {
    [[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]]
}

fn transpose(b: &Rows3) -> Rows3 {
    [[b[0][0], b[1][0], b[2][0]], [b[0][1], b[1][1], b[2][1]], [b[0][2], b[1][2], b[2][2]]]
}
