//! The joint-space inertia matrix and its sparse factor.
//!
//! Composite rigid bodies (Walker and Orin 1982) give `M`; entries exist only between a degree of freedom and its
//! ancestors, so `M = Lᵀ D L` has no fill-in when eliminated from the leaves (Featherstone 2005):
//!
//! ```text
//! (1)  G = Lᵀ D^½,   M = G Gᵀ,   G⁻¹ x and G⁻ᵀ x in O(n · depth)
//! ```

use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;

/// The mass matrix into the workspace (lower part of full rows), after [`crate::kinematics::positions`].
pub(crate) fn mass_matrix_lower(system: &System, ws: &mut Workspace) {
    let n = system.nv;
    // Composite inertias: mass in ic[0], first moment in u_lin, tensor about the link origin in ia.
    for (link, s) in system.links.iter().zip(&mut ws.links[1..]) {
        s.ia = link.about_origin.turned(&s.rot);
        s.u_lin = s.moment;
        s.ic[0] = link.mass;
    }
    for i in (0..system.links.len()).rev() {
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
    mass.fill(0.0);
    for (i, link) in system.links.iter().enumerate() {
        let s = &links[i + 1];
        let (m, h) = (s.ic[0], s.u_lin);
        // Wrench of a unit acceleration of each degree of freedom, projected on this joint and all above.
        let wrench =
            |turn: V3, slide: V3| (add(sym_mul(&s.ia, turn), cross(h, slide)), add(scale(slide, m), cross(turn, h)));
        let mut column = |dof: usize, turn: V3, slide: V3| {
            let (torque, force) = wrench(turn, slide);
            let row = &mut mass[dof * n..(dof + 1) * n];
            crate::jacobian::add_wrench_efforts(system, links, i + 1, torque, force, 1.0, row);
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
    for (v, dof) in system.dofs.iter().enumerate() {
        mass[v * n + v] += dof.armature;
    }
}

/// The full symmetric mass matrix by rows, after [`crate::kinematics::positions`].
pub fn mass_matrix(system: &System, ws: &mut Workspace, out: &mut [f64]) {
    mass_matrix_lower(system, ws);
    let n = system.nv;
    for i in 0..n {
        for j in 0..=i {
            out[i * n + j] = ws.mass[i * n + j];
            out[j * n + i] = ws.mass[i * n + j];
        }
    }
}

/// Factors the matrix in place to (1). `Err` names the degree of freedom without inertia.
pub(crate) fn factor(system: &System, mass: &mut [f64]) -> Result<(), usize> {
    let n = system.nv;
    for k in (0..n).rev() {
        let pivot = mass[k * n + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(k);
        }
        let mut i = system.dof_parent[k];
        while i != usize::MAX {
            let a = mass[k * n + i] / pivot;
            let mut j = i;
            while j != usize::MAX {
                mass[i * n + j] -= a * mass[k * n + j];
                j = system.dof_parent[j];
            }
            mass[k * n + i] = a;
            i = system.dof_parent[i];
        }
    }
    Ok(())
}

/// `x ← G⁻¹ x`.
pub(crate) fn half_solve(system: &System, factor: &[f64], x: &mut [f64]) {
    let n = system.nv;
    for i in (0..n).rev() {
        let xi = x[i];
        let mut j = system.dof_parent[i];
        while j != usize::MAX {
            x[j] -= factor[i * n + j] * xi;
            j = system.dof_parent[j];
        }
    }
    for i in 0..n {
        x[i] /= factor[i * n + i].sqrt();
    }
}

/// `x ← G⁻ᵀ x`.
pub(crate) fn half_solve_transposed(system: &System, factor: &[f64], x: &mut [f64]) {
    let n = system.nv;
    for i in 0..n {
        x[i] /= factor[i * n + i].sqrt();
    }
    for i in 0..n {
        let mut j = system.dof_parent[i];
        while j != usize::MAX {
            x[i] -= factor[i * n + j] * x[j];
            j = system.dof_parent[j];
        }
    }
}

/// `x ← M⁻¹ x` with the factor (1).
pub(crate) fn solve(system: &System, factor: &[f64], x: &mut [f64]) {
    half_solve(system, factor, x);
    half_solve_transposed(system, factor, x);
}

/// Accelerations by `M⁻¹ (τ - h)`: the slow way that shares no recursion with the articulated-body algorithm.
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
