//! Closed loops and couplings as constraints on the tree.
//!
//! Each scalar constraint is a row of `J v = 0` with residual `r(q)` and velocity product `γ`, so that
//! `J v' + γ = 0`. With `M = G Gᵀ` and `z = Gᵀ v'` the constrained acceleration is the point nearest to the free one,
//! which one orthogonal factorisation gives without ever forming `J M⁻¹ Jᵀ` (whose condition is the square):
//!
//! ```text
//! (1)  Y = G⁻¹ Jᵀ = Q R,      z = z° + Q (R⁻ᵀ (-γ) - Qᵀ z°),      R λ = R⁻ᵀ (-γ) - Qᵀ z°
//! ```
//!
//! Redundant rows are common (a planar loop closed by a spatial joint; Bricard's mechanism) and a mechanism may lose
//! rank for an instant (a parallelogram that folds flat). [`choose_basis`] picks independent rows by pivoting at the
//! beginning of a step, where the positions satisfy all constraints; the stages of that step keep the choice. Rows
//! left out are consequences of the others on the constraint manifold, and their residual is reported.

mod basis;
mod projection;
mod rows;

pub use projection::{Projection, project_positions, project_velocities};
pub(crate) use rows::loop_wrenches;

use crate::attachments::{CompiledLoop, Constraint};
use crate::crba;
use crate::system::System;
use crate::workspace::Workspace;
use basis::{back_substitute, forward_substitute_transposed};

/// A row is independent if its remainder after the rows chosen before it, in the metric of the mass matrix and relative to the
/// strongest row of its group, exceeds this. It is between the rounding of a projected position (1e-13) and the slowest passage
/// through a singular position that a double can resolve.
pub const RANK_TOLERANCE: f64 = 1e-9;

/// Rows weaker than this act on accelerations but not on projections. Near a singular position a
/// projection would turn the rounding of a residual, 1e-16, into a displacement of 1e-16 over the strength, which moves the
/// motion to the other branch; without projection, the weak direction drifts by no more than the integrator's error until
/// the rows are strong again.
pub const PROJECTION_TOLERANCE: f64 = 1e-3;

/// Scratch of the constraint solver.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintScratch {
    pub rows: usize,
    /// `rows x nv`.
    pub jacobian: Vec<f64>,
    pub residual: Vec<f64>,
    pub gamma: Vec<f64>,
    /// Independent rows in pivot order; empty until chosen.
    pub kept: Vec<usize>,
    /// Number of kept rows, from the first, that are used in projections.
    pub strong: usize,
    /// Strength of the weakest kept row; 1 without constraints.
    pub weakest: f64,
    /// `Q` by columns, each of length nv.
    pub q: Vec<f64>,
    /// `R` by rows, `rows x rows`.
    pub r: Vec<f64>,
    pub w: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub norms: Vec<f64>,
    /// Groups of rows that are compared: those of one loop that constrain positions, those that constrain directions.
    pub groups: Vec<usize>,
    pub order: Vec<usize>,
    /// See [`choose_rows`].
    pub couplings_only: bool,
}

impl ConstraintScratch {
    pub(crate) fn new(system: &System) -> Self {
        let rows = system.constraints.iter().map(row_counts).map(|(a, b)| a + b).sum();
        Self {
            rows,
            jacobian: vec![0.0; rows * system.nv],
            residual: vec![0.0; rows],
            gamma: vec![0.0; rows],
            kept: Vec::with_capacity(rows),
            strong: 0,
            weakest: 1.0,
            q: vec![0.0; rows * system.nv],
            r: vec![0.0; rows * rows],
            w: vec![0.0; rows],
            multipliers: vec![0.0; rows],
            norms: vec![0.0; rows],
            groups: row_groups(system),
            order: Vec::with_capacity(rows),
            couplings_only: has_couplings_only(system),
        }
    }
}

/// Numbers of rows that constrain positions and that constrain directions; in this order.
fn row_counts(constraint: &Constraint) -> (usize, usize) {
    match constraint {
        Constraint::Coupling { .. } => (1, 0),
        Constraint::Loop { kind, .. } => match kind {
            CompiledLoop::Weld => (3, 3),
            CompiledLoop::Ball => (3, 0),
            CompiledLoop::Revolute => (3, 2),
            CompiledLoop::Prismatic => (2, 3),
            CompiledLoop::Universal => (3, 1),
            CompiledLoop::Distance(_) => (1, 0),
        },
    }
}

fn row_groups(system: &System) -> Vec<usize> {
    let sizes = system.constraints.iter().map(row_counts).flat_map(|(a, b)| [a, b]);
    sizes.enumerate().flat_map(|(group, size)| std::iter::repeat_n(group, size)).collect()
}

/// Number of scalar constraints of the system, and of those that were independent when last chosen.
pub fn constraint_count(ws: &Workspace) -> (usize, usize) {
    (ws.constraint.rows, ws.constraint.kept.len())
}

/// Strength of the weakest independent row when last chosen, from 1 (all hold firmly) to 0 (a singular position).
pub fn weakest_row(ws: &Workspace) -> f64 {
    ws.constraint.weakest
}

/// Picks independent rows at positions `q`. `Err` names a degree of freedom without inertia.
pub fn choose_basis(system: &System, ws: &mut Workspace, q: &[f64]) -> Result<(), usize> {
    if ws.constraint.rows == 0 {
        return Ok(());
    }
    crate::kinematics::positions(system, ws, q);
    rows::evaluate(system, ws, q, None, rows::Which::All);
    crba::mass_matrix_lower(system, ws);
    crba::factor(system, &mut ws.mass)?;
    basis::choose(system, &ws.mass, &mut ws.constraint);
    Ok(())
}

/// As [`choose_basis`], for callers that need the rows and not their strengths. Couplings whose followers lead no other are
/// independent at all positions: each has its own column. Nothing is measured then, and no kinematics is needed.
pub fn choose_rows(system: &System, ws: &mut Workspace, q: &[f64]) -> Result<(), usize> {
    if !ws.constraint.couplings_only {
        return choose_basis(system, ws, q);
    }
    rows::evaluate(system, ws, q, None, rows::Which::All);
    let c = &mut ws.constraint;
    c.kept.clear();
    c.kept.extend(0..c.rows);
    (c.strong, c.weakest) = (c.rows, 1.0);
    Ok(())
}

/// Whether all constraints are couplings with distinct followers, which lead no other.
fn has_couplings_only(system: &System) -> bool {
    let couplings = || {
        system.constraints.iter().filter_map(|c| match c {
            Constraint::Coupling { follower, leader, .. } => Some((follower.1, leader.map(|(_, v)| v))),
            Constraint::Loop { .. } => None,
        })
    };
    couplings().count() == system.constraints.len()
        && couplings().enumerate().all(|(k, (follower, _))| {
            couplings()
                .enumerate()
                .all(|(i, (other, leader))| (i == k || other != follower) && leader != Some(follower))
        })
}

/// Calls back with each independent row found by [`choose_basis`] or [`choose_rows`], before anything else uses the workspace:
/// its index, its residual [m or rad] and its entries over all degrees of freedom.
pub fn show_rows(system: &System, ws: &Workspace, show: &mut dyn FnMut(usize, f64, &[f64])) {
    let (n, c) = (system.nv, &ws.constraint);
    for &row in &c.kept {
        show(row, c.residual[row], &c.jacobian[row * n..(row + 1) * n]);
    }
}

/// Largest residual over all rows [m or rad], independent or not.
pub fn violation(system: &System, ws: &mut Workspace, q: &[f64]) -> f64 {
    crate::kinematics::positions(system, ws, q);
    rows::evaluate(system, ws, q, None, rows::Which::All);
    ws.constraint.residual.iter().fold(0.0, |worst, r| r.abs().max(worst))
}

/// Constrained accelerations by (1), after [`crate::kinematics::velocities`] and [`choose_basis`].
pub(crate) fn accelerations(
    system: &System,
    ws: &mut Workspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    out: &mut [f64],
) -> Result<(), usize> {
    crate::rnea::bias_efforts(system, ws, out);
    for (o, t) in out.iter_mut().zip(tau) {
        *o = t - *o;
    }
    rows::evaluate(system, ws, q, Some(v), rows::Which::Kept);
    crba::mass_matrix_lower(system, ws);
    crba::factor(system, &mut ws.mass)?;
    crba::half_solve(system, &ws.mass, out);
    let c = &mut ws.constraint;
    let rank = c.kept.len();
    basis::factor(system, &ws.mass, c, rank);
    for k in 0..rank {
        c.w[k] = -c.gamma[c.kept[k]];
    }
    forward_substitute_transposed(c, rank);
    add_range_part(system.nv, c, rank, out);
    back_substitute(c);
    crba::half_solve_transposed(system, &ws.mass, out);
    Ok(())
}

/// `z ← z + Q (w - Qᵀ z)`; `w` becomes `w - Qᵀ z`.
fn add_range_part(n: usize, c: &mut ConstraintScratch, rank: usize, z: &mut [f64]) {
    for k in 0..rank {
        let qk = &c.q[k * n..(k + 1) * n];
        let along: f64 = qk.iter().zip(z.iter()).map(|(a, b)| a * b).sum();
        c.w[k] -= along;
        let step = c.w[k];
        for (zi, qi) in z.iter_mut().zip(qk) {
            *zi += step * qi;
        }
    }
}
