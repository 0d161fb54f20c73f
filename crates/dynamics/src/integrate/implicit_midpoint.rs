//! The implicit midpoint rule on the manifold, order 2, symmetric in time:
//!
//! ```text
//! (1)  u = v + h/2 a(q ⊕ h/2 u, u),   v₁ = 2 u - v,   q₁ = q ⊕ h u
//! ```
//!
//! Fixed-point iteration first; where the motion is stiff for the step, Newton's method with a Jacobian by forward
//! differences, recomputed in each step so that a restored run repeats bit for bit.

use super::{Integrator, IntegratorEntry, State, StepReport, begin_step, finish_step};
use crate::forward::{Efforts, Trouble, accelerations};
use crate::kinematics;
use crate::system::System;
use crate::workspace::Workspace;

pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "midpoint",
    order: 2,
    adaptive: false,
    text: "implicit midpoint: order 2, symmetric, stable on stiff motion",
    make: |system, _| {
        let (nq, n) = (system.position_count(), system.dof_count());
        Box::new(ImplicitMidpoint {
            q: vec![0.0; nq],
            u: vec![0.0; n],
            trial: vec![0.0; n],
            acceleration: vec![0.0; n],
            residual: vec![0.0; n],
            base: vec![0.0; n],
            jacobian: vec![0.0; n * n],
            pivots: vec![0; n],
        })
    },
};

struct ImplicitMidpoint {
    q: Vec<f64>,
    u: Vec<f64>,
    trial: Vec<f64>,
    acceleration: Vec<f64>,
    residual: Vec<f64>,
    base: Vec<f64>,
    jacobian: Vec<f64>,
    pivots: Vec<usize>,
}

/// Change of the midpoint velocity, relative to its size, below which rounding dominates.
const CONVERGED: f64 = 1e-15;
/// Change that is still accepted when rounding prevents a further decrease.
const STALLED: f64 = 1e-11;
const FIXED_POINT_TRIES: u32 = 30;
const NEWTON_TRIES: u32 = 30;

/// The inputs of one step.
struct Problem<'a> {
    system: &'a System,
    start: &'a State,
    h: f64,
}

impl ImplicitMidpoint {
    /// `residual = v + h/2 a(q ⊕ h/2 x, x) - x` for `x = self.trial`.
    fn evaluate(&mut self, p: &Problem<'_>, ws: &mut Workspace, efforts: &mut dyn Efforts) -> Result<(), Trouble> {
        self.q.copy_from_slice(&p.start.q);
        kinematics::advance(p.system, &mut self.q, &self.trial, 0.5 * p.h);
        let time = p.start.time + 0.5 * p.h;
        accelerations(p.system, ws, efforts, time, &self.q, &self.trial, &mut self.acceleration)?;
        for i in 0..self.trial.len() {
            self.residual[i] = p.start.v[i] + 0.5 * p.h * self.acceleration[i] - self.trial[i];
        }
        Ok(())
    }

    /// Size of the residual against the velocities and the step's change of them.
    fn relative_residual(&self) -> f64 {
        let size = self.trial.iter().fold(1e-3f64, |m, x| m.max(x.abs()));
        self.residual.iter().fold(0.0f64, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) }) / size
    }

    /// Repeats `u ← u + residual`; true when converged.
    fn fixed_point(
        &mut self,
        p: &Problem<'_>,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        report: &mut StepReport,
    ) -> Result<bool, Trouble> {
        let mut last = f64::INFINITY;
        for _ in 0..FIXED_POINT_TRIES {
            self.trial.copy_from_slice(&self.u);
            self.evaluate(p, ws, efforts)?;
            report.evaluations += 1;
            report.iterations += 1;
            let left = self.relative_residual();
            if left >= 0.5 * last {
                return Ok(left < STALLED);
            }
            for (u, r) in self.u.iter_mut().zip(&self.residual) {
                *u += r;
            }
            if left <= CONVERGED {
                return Ok(true);
            }
            last = left;
        }
        Ok(last < STALLED)
    }

    /// Newton's method with one Jacobian, recomputed when convergence stops.
    fn newton(
        &mut self,
        p: &Problem<'_>,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        report: &mut StepReport,
    ) -> Result<bool, Trouble> {
        let n = self.u.len();
        self.u.copy_from_slice(&p.start.v);
        let mut last = f64::INFINITY;
        let mut fresh = false;
        for _ in 0..NEWTON_TRIES {
            self.trial.copy_from_slice(&self.u);
            self.evaluate(p, ws, efforts)?;
            report.evaluations += 1;
            report.iterations += 1;
            let left = self.relative_residual();
            if left <= CONVERGED {
                return Ok(true);
            }
            if left >= 0.5 * last && fresh {
                return Ok(left < STALLED);
            }
            if !left.is_finite() {
                return Ok(false);
            }
            if left >= 0.1 * last || last.is_infinite() {
                self.differentiate(p, ws, efforts, report)?;
                fresh = left >= 0.1 * last;
            }
            last = left;
            let mut step = std::mem::take(&mut self.residual);
            solve_factored(&self.jacobian, &self.pivots, &mut step, n);
            for (u, s) in self.u.iter_mut().zip(&step) {
                *u -= s;
            }
            self.residual = step;
        }
        Ok(last < STALLED)
    }

    /// Jacobian of the residual at `u`, factored.
    fn differentiate(
        &mut self,
        p: &Problem<'_>,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        report: &mut StepReport,
    ) -> Result<(), Trouble> {
        let n = self.u.len();
        self.base.copy_from_slice(&self.residual);
        for j in 0..n {
            self.trial.copy_from_slice(&self.u);
            let eps = 1e-7 * self.u[j].abs().max(1e-3);
            self.trial[j] += eps;
            self.evaluate(p, ws, efforts)?;
            report.evaluations += 1;
            for i in 0..n {
                self.jacobian[i * n + j] = (self.residual[i] - self.base[i]) / eps;
            }
        }
        self.residual.copy_from_slice(&self.base);
        factor(&mut self.jacobian, &mut self.pivots, n);
        Ok(())
    }
}

impl Integrator for ImplicitMidpoint {
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, ..Default::default() };
        begin_step(system, ws, state)?;
        self.u.copy_from_slice(&state.v);
        let problem = Problem { system, start: state, h };
        let settled = self.fixed_point(&problem, ws, efforts, &mut report)?
            || self.newton(&problem, ws, efforts, &mut report)?;
        if !settled {
            return Err(Trouble::NotConverged { time: state.time, residual: self.relative_residual() });
        }
        for (v, u) in state.v.iter_mut().zip(&self.u) {
            *v = 2.0 * u - *v;
        }
        kinematics::advance(system, &mut state.q, &self.u, h);
        state.time += h;
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }
}

/// LU with partial pivoting, in place, by rows.
fn factor(a: &mut [f64], pivots: &mut [usize], n: usize) {
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        pivots[k] = pivot;
        if pivot != k {
            for j in 0..n {
                a.swap(k * n + j, pivot * n + j);
            }
        }
        for i in k + 1..n {
            a[i * n + k] /= a[k * n + k];
            let l = a[i * n + k];
            for j in k + 1..n {
                a[i * n + j] -= l * a[k * n + j];
            }
        }
    }
}

fn solve_factored(a: &[f64], pivots: &[usize], x: &mut [f64], n: usize) {
    for k in 0..n {
        x.swap(k, pivots[k]);
    }
    for i in 0..n {
        for j in 0..i {
            x[i] -= a[i * n + j] * x[j];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= a[i * n + j] * x[j];
        }
        x[i] /= a[i * n + i];
    }
}
