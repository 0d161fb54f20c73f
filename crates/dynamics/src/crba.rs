//! The joint-space inertia matrix and its sparse factor.
//!
//! Composite rigid bodies (Walker and Orin 1982) give `M`; entries exist only between a degree of freedom and its
//! ancestors, so `M = Lᵀ D L` has no fill-in when eliminated from the leaves (Featherstone 2005):
//!
//! ```text
//! (1)  G = Lᵀ D^½,   M = G Gᵀ,   G⁻¹ x and G⁻ᵀ x in O(n · depth)
//! ```
//!
//! `M` does not couple separate trees: it is stored by blocks ([`crate::blocks`]), so that a thousand free bodies cost a
//! thousand times as much as one.

use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;
use std::ops::Range;

/// The mass matrix into the workspace (lower part of full rows), after [`crate::kinematics::positions`].
pub(crate) fn mass_matrix_lower(system: &System, ws: &mut Workspace) {
    mass_matrix_of(system, ws, 0..system.links.len());
}

/// The same for the links of whole blocks.
pub(crate) fn mass_matrix_of(system: &System, ws: &mut Workspace, range: Range<usize>) {
    // Composite inertias: mass in ic[0], first moment in u_lin, tensor about the link origin in ia.
    for (link, s) in system.links[range.clone()].iter().zip(&mut ws.links[range.start + 1..]) {
        s.ia = link.about_origin.turned(&s.rot);
        s.u_lin = s.moment;
        s.ic[0] = link.mass;
    }
    for i in range.clone().rev() {
        let parent = system.links[i].parent;
        if parent == 0 {
            continue;
        }
        let (above, below) = ws.links.split_at_mut(i + 1);
        let (p, s) = (&mut above[parent], &below[0]);
        // I + h-terms of the shift: Σ m (x·x 1 - x xᵀ) with x = arm + com.
        let (m, h, d) = (s.ic[0], s.u_lin, s.arm);
        let hd = 2.0 * dot(h, d) + m * dot(d, d);
        let cross_term = |a: usize, b: usize| h[a] * d[b] + d[a] * h[b] + m * d[a] * d[b];
        p.ia[0] += s.ia[0] + hd - cross_term(0, 0);
        p.ia[1] += s.ia[1] + hd - cross_term(1, 1);
        p.ia[2] += s.ia[2] + hd - cross_term(2, 2);
        p.ia[3] += s.ia[3] - cross_term(0, 1);
        p.ia[4] += s.ia[4] - cross_term(0, 2);
        p.ia[5] += s.ia[5] - cross_term(1, 2);
        p.u_lin = add(p.u_lin, add_scaled(h, d, m));
        p.ic[0] += m;
    }
    let (links, mass) = (&ws.links, &mut ws.mass);
    let Some(first) = range.clone().next().map(|i| system.links[i].v) else { return };
    let last = system.links.get(range.end).map_or(system.nv, |link| link.v);
    mass[mass_start(system, first)..mass_start(system, last)].fill(0.0);
    for i in range {
        let link = &system.links[i];
        let s = &links[i + 1];
        let (m, h) = (s.ic[0], s.u_lin);
        // Wrench of a unit acceleration of each degree of freedom, projected on this joint and all its ancestors.
        let wrench =
            |turn: V3, slide: V3| (add(sym_mul(&s.ia, turn), cross(h, slide)), add(scale(slide, m), cross(turn, h)));
        let mut column = |dof: usize, turn: V3, slide: V3| {
            let (torque, force) = wrench(turn, slide);
            let (start, block) = (system.mass_rows[dof], &system.blocks[system.dof_block[dof]]);
            let row = &mut mass[start + block.first..start + block.first + block.len];
            crate::jacobian::add_wrench_efforts(system, links, i + 1, torque, force, 1.0, block.first, row);
        };
        let z = s.rot[2];
        match link.kind {
            LinkKind::Revolute => column(link.v, z, [0.0; 3]),
            LinkKind::Prismatic => column(link.v, [0.0; 3], z),
            LinkKind::Screw { pitch } => column(link.v, z, scale(z, pitch)),
            LinkKind::Ball => (0..3).for_each(|k| column(link.v + k, s.rot[k], [0.0; 3])),
            LinkKind::Free => {
                let axes = link.joint_axes(&links[link.parent].rot);
                (0..3).for_each(|k| column(link.v + k, s.rot[k], [0.0; 3]));
                (0..3).for_each(|k| column(link.v + 3 + k, [0.0; 3], axes[k]));
            }
        }
    }
    for v in first..last {
        mass[system.mass_rows[v] + v] += system.dofs[v].armature;
    }
}

/// Start of the storage of the block that begins with this degree of freedom.
fn mass_start(system: &System, dof: usize) -> usize {
    if dof == system.nv { system.mass_len } else { system.mass_rows[dof] + dof }
}

/// The full symmetric mass matrix by rows, after [`crate::kinematics::positions`].
pub fn mass_matrix(system: &System, ws: &mut Workspace, out: &mut [f64]) {
    mass_matrix_lower(system, ws);
    let n = system.nv;
    out[..n * n].fill(0.0);
    for i in 0..n {
        for j in system.blocks[system.dof_block[i]].first..=i {
            out[i * n + j] = ws.mass[system.mass_rows[i] + j];
            out[j * n + i] = ws.mass[system.mass_rows[i] + j];
        }
    }
}

/// The full symmetric mass matrix of one block by rows, after [`crate::kinematics::positions`].
pub fn block_mass_matrix(system: &System, ws: &mut Workspace, block: usize, out: &mut [f64]) {
    let b = system.blocks[block];
    mass_matrix_of(system, ws, b.links.0..b.links.1);
    for i in 0..b.len {
        for j in 0..=i {
            let entry = b.mass_row(&ws.mass, i)[j];
            (out[i * b.len + j], out[j * b.len + i]) = (entry, entry);
        }
    }
}

/// Factors the matrix in place to (1). `Err` names the degree of freedom without inertia.
pub(crate) fn factor(system: &System, mass: &mut [f64]) -> Result<(), usize> {
    factor_range(system, mass, 0..system.nv)
}

/// The same for the degrees of freedom of one block.
pub(crate) fn factor_range(system: &System, mass: &mut [f64], range: Range<usize>) -> Result<(), usize> {
    for k in range.rev() {
        let block = &system.blocks[system.dof_block[k]];
        let (first, n) = (block.first, block.len);
        let (rows, own) = mass[block.mass..].split_at_mut((k - first) * n);
        let own = &mut own[..n];
        let pivot = own[k - first];
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(k);
        }
        // From the nearest ancestor to the root: the entries of its own ancestors are still unchanged when it is reached.
        for (at, &(from, to)) in system.branches.above(k).iter().enumerate() {
            for i in (from - first..to - first).rev() {
                let a = own[i] / pivot;
                let row = &mut rows[i * n..i * n + n];
                let mut take = |from: usize, to: usize| {
                    row[from..to].iter_mut().zip(&own[from..to]).for_each(|(m, o)| *m -= a * o);
                };
                take(from - first, i + 1);
                system.branches.above(k)[at + 1..].iter().for_each(|(from, to)| take(from - first, to - first));
                own[i] = a;
            }
        }
    }
    Ok(())
}

/// `x ← G⁻¹ x`.
pub(crate) fn half_solve(system: &System, factor: &[f64], x: &mut [f64]) {
    half_solve_range(system, factor, 0..system.nv, x);
}

/// The same for the degrees of freedom of one block; `x` begins with the first of them.
fn half_solve_range(system: &System, factor: &[f64], range: Range<usize>, x: &mut [f64]) {
    let first = range.start;
    for i in range.clone().rev() {
        let (y, row) = (x[i - first], system.mass_rows[i]);
        for &(from, to) in system.branches.above(i) {
            let (l, x) = (&factor[row + from..row + to], &mut x[from - first..to - first]);
            x.iter_mut().zip(l).for_each(|(x, l)| *x -= l * y);
        }
    }
    for i in range {
        x[i - first] /= factor[system.mass_rows[i] + i].sqrt();
    }
}

/// `x ← G⁻ᵀ x`.
pub(crate) fn half_solve_transposed(system: &System, factor: &[f64], x: &mut [f64]) {
    half_solve_transposed_range(system, factor, 0..system.nv, x);
}

fn half_solve_transposed_range(system: &System, factor: &[f64], range: Range<usize>, x: &mut [f64]) {
    let first = range.start;
    for i in range.clone() {
        x[i - first] /= factor[system.mass_rows[i] + i].sqrt();
    }
    for i in range {
        let mut j = system.dof_parent[i];
        while j != usize::MAX {
            x[i - first] -= factor[system.mass_rows[i] + j] * x[j - first];
            j = system.dof_parent[j];
        }
    }
}

/// `x ← M⁻¹ x` with the factor (1).
pub(crate) fn solve(system: &System, factor: &[f64], x: &mut [f64]) {
    solve_range(system, factor, 0..system.nv, x);
}

/// The same for the degrees of freedom of one block; `x` begins with the first of them.
pub(crate) fn solve_range(system: &System, factor: &[f64], range: Range<usize>, x: &mut [f64]) {
    half_solve_range(system, factor, range.clone(), x);
    half_solve_transposed_range(system, factor, range, x);
}

/// Accelerations by `M⁻¹ (τ - h)`: slower, and independent of the articulated-body recursion.
/// Call after [`crate::kinematics::velocities`].
pub fn accelerations(system: &System, ws: &mut Workspace, tau: &[f64], out: &mut [f64]) -> Result<(), usize> {
    crate::rnea::bias_efforts(system, ws, out);
    for (o, t) in out.iter_mut().zip(tau) {
        *o = t - *o;
    }
    mass_matrix_lower(system, ws);
    factor(system, &mut ws.mass)?;
    solve(system, &ws.mass, out);
    Ok(())
}
