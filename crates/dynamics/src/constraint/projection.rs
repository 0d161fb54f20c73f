//! Projection onto the constraint manifold, along the shortest path in the metric of the mass matrix.

use super::{add_range_part, basis, rows};
use crate::crba;
use crate::kinematics;
use crate::system::System;
use crate::workspace::Workspace;

/// Result of a projection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Projection {
    /// Newton steps taken.
    pub iterations: u32,
    /// Largest residual left among the independent rows [m or rad].
    pub residual: f64,
}

/// Most Newton steps; from a step's truncation error two or three are enough.
const MAX_ITERATIONS: u32 = 20;
/// Residual at which rounding dominates [m or rad].
const ROUNDING: f64 = 1e-15;

/// Moves `q` onto the constraints by Newton's method on the strong rows.
pub fn project_positions(system: &System, ws: &mut Workspace, q: &mut [f64]) -> Result<Projection, usize> {
    let mut report = Projection::default();
    let rank = ws.constraint.strong;
    if rank == 0 {
        return Ok(report);
    }
    let n = system.nv;
    let mut last = f64::INFINITY;
    loop {
        kinematics::positions(system, ws, q);
        rows::evaluate(system, ws, q, None, rows::Which::Kept);
        let c = &ws.constraint;
        report.residual = c.kept[..rank].iter().fold(0.0, |worst, &k| c.residual[k].abs().max(worst));
        // Stop at rounding, or when Newton's method no longer improves.
        let stalled = report.residual >= 0.5 * last && report.residual < 1e-12;
        if report.residual <= ROUNDING || stalled || report.iterations == MAX_ITERATIONS {
            return Ok(report);
        }
        last = report.residual;
        crba::mass_matrix_lower(system, ws);
        crba::factor(system, &mut ws.mass)?;
        let c = &mut ws.constraint;
        basis::factor(system, &ws.mass, c, rank);
        for k in 0..rank {
            c.w[k] = -c.residual[c.kept[k]];
        }
        basis::forward_substitute_transposed(c, rank);
        let step = &mut ws.vector;
        step.fill(0.0);
        add_range_part(n, c, rank, step);
        crba::half_solve_transposed(system, &ws.mass, step);
        kinematics::advance(system, q, step, 1.0);
        report.iterations += 1;
    }
}

/// Removes from `v` what violates the strong rows.
pub fn project_velocities(system: &System, ws: &mut Workspace, q: &[f64], v: &mut [f64]) -> Result<(), usize> {
    let rank = ws.constraint.strong;
    if rank == 0 {
        return Ok(());
    }
    let n = system.nv;
    kinematics::positions(system, ws, q);
    rows::evaluate(system, ws, q, None, rows::Which::Kept);
    crba::mass_matrix_lower(system, ws);
    crba::factor(system, &mut ws.mass)?;
    let c = &mut ws.constraint;
    basis::factor(system, &ws.mass, c, rank);
    for k in 0..rank {
        let row = c.kept[k];
        let speed: f64 = c.jacobian[row * n..(row + 1) * n].iter().zip(v.iter()).map(|(j, x)| j * x).sum();
        c.w[k] = -speed;
    }
    basis::forward_substitute_transposed(c, rank);
    let step = &mut ws.vector;
    step.fill(0.0);
    add_range_part(n, c, rank, step);
    crba::half_solve_transposed(system, &ws.mass, step);
    for (x, s) in v.iter_mut().zip(step.iter()) {
        *x += s;
    }
    Ok(())
}
