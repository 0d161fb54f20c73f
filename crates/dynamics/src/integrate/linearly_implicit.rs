//! A linearly implicit Euler step: one linear solve evaluates damping, joint springs, point-to-point springs, dry
//! friction and drive gains at the end of the step, so that gains far beyond `2 / h` stay stable.
//!
//! ```text
//! (1)  (M + h B + h² K) Δv = h (τ(q, v) - h_bias(q, v) - h K v)
//! (2)  v₁ = v + Δv,   q₁ = q ⊕ h v₁
//! ```
//!
//! `B = -∂τ/∂v` and `K = -∂τ/∂q` are those of the forces named above; velocity products, gravity and body drag stay
//! explicit. Constraints are enforced by the projection at the end. Order 1.

use super::{Integrator, IntegratorEntry, State, StepReport, begin_step, finish_step};
use crate::forward::{Efforts, Trouble};
use crate::jacobian::add_wrench_efforts;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;
use crate::{crba, forces, kinematics, rnea};

pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "implicit",
    order: 1,
    adaptive: false,
    text: "linearly implicit Euler: order 1, damping and PD gains cannot make it unstable",
    make: |system, _| {
        let n = system.dof_count();
        Box::new(LinearlyImplicit {
            stiffness: vec![0.0; n],
            damping: vec![0.0; n],
            right: vec![0.0; n],
            bias: vec![0.0; n],
            row: vec![0.0; n],
            matrix: vec![0.0; n * n],
        })
    },
};

struct LinearlyImplicit {
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    right: Vec<f64>,
    bias: Vec<f64>,
    row: Vec<f64>,
    matrix: Vec<f64>,
}

impl Integrator for LinearlyImplicit {
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, evaluations: 1, ..Default::default() };
        let n = system.dof_count();
        begin_step(system, ws, state)?;

        // Forces at the start of the step.
        kinematics::velocities(system, ws, &state.q, &state.v);
        forces::set_applied_wrenches(system, ws, efforts.wrenches());
        self.right.fill(0.0);
        efforts.add(system, state.time, &state.q, &state.v, &mut self.right);
        forces::add_joint_forces(system, &state.q, &state.v, &mut self.right);
        rnea::bias_efforts(system, ws, &mut self.bias);

        // Their slopes.
        self.stiffness.fill(0.0);
        self.damping.fill(0.0);
        efforts.add_gains(system, state.time, &state.q, &state.v, &mut self.stiffness, &mut self.damping);
        for (i, dof) in system.dofs().iter().enumerate() {
            self.stiffness[i] += dof.stiffness;
            self.damping[i] += dof.damping;
            if dof.friction != 0.0 {
                let (v, vs) = (state.v[i], system.friction_speed());
                let r2 = v * v + vs * vs;
                self.damping[i] += dof.friction * vs * vs / (r2 * r2.sqrt());
            }
        }
        for i in 0..n {
            self.right[i] = h * (self.right[i] - self.bias[i] - h * self.stiffness[i] * state.v[i]);
        }
        crba::mass_matrix(system, ws, &mut self.matrix);
        for i in 0..n {
            self.matrix[i * n + i] += h * self.damping[i] + h * h * self.stiffness[i];
        }
        self.add_point_springs(system, ws, state, h);

        cholesky_solve(&mut self.matrix, &mut self.right, n)
            .map_err(|dof| Trouble::NoInertia { dof, time: state.time })?;
        for (v, d) in state.v.iter_mut().zip(&self.right) {
            *v += d;
        }
        if system.is_constrained() {
            crate::constraint::project_velocities(system, ws, &state.q, &mut state.v)
                .map_err(|dof| Trouble::NoInertia { dof, time: state.time })?;
        }
        kinematics::advance(system, &mut state.q, &state.v, h);
        state.time += h;
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }
}

impl LinearlyImplicit {
    /// Adds `(h d + h² k) jᵀ j` of each spring's length Jacobian `j` to the matrix, and `-h² k jᵀ j v` to the right.
    fn add_point_springs(&mut self, system: &System, ws: &Workspace, state: &State, h: f64) {
        let n = system.dof_count();
        for spring in &system.springs {
            let (a, b) = (&ws.links[spring.a], &ws.links[spring.b]);
            let (ra, rb) = (rotate(&a.rot, spring.point_a), rotate(&b.rot, spring.point_b));
            let d = add(spring.origin_gap, sub(add(b.pos, rb), add(a.pos, ra)));
            let length = norm(d);
            if length == 0.0 {
                continue;
            }
            let e = scale(d, 1.0 / length);
            self.row.fill(0.0);
            add_wrench_efforts(system, &ws.links, spring.b, cross(rb, e), e, 1.0, 0, &mut self.row);
            add_wrench_efforts(system, &ws.links, spring.a, cross(ra, e), e, -1.0, 0, &mut self.row);
            let speed: f64 = self.row.iter().zip(&state.v).map(|(j, v)| j * v).sum();
            let weight = h * spring.damping + h * h * spring.stiffness;
            for i in 0..n {
                self.right[i] -= h * h * spring.stiffness * speed * self.row[i];
                for j in 0..n {
                    self.matrix[i * n + j] += weight * self.row[i] * self.row[j];
                }
            }
        }
    }
}

/// Solves a symmetric positive definite system in place; `Err` names the pivot that failed.
fn cholesky_solve(a: &mut [f64], x: &mut [f64], n: usize) -> Result<(), usize> {
    for j in 0..n {
        for k in 0..j {
            let l = a[j * n + k];
            if l != 0.0 {
                for i in j..n {
                    a[i * n + j] -= a[i * n + k] * l;
                }
            }
        }
        if a[j * n + j].is_nan() || a[j * n + j] <= 0.0 {
            return Err(j);
        }
        let inv = 1.0 / a[j * n + j].sqrt();
        for i in j..n {
            a[i * n + j] *= inv;
        }
    }
    for i in 0..n {
        for k in 0..i {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= a[k * n + i] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    Ok(())
}
