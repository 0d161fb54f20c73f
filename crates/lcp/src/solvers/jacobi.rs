//! Projected Jacobi: all blocks at once from the same velocities, with a safe relaxation.
//!
//! ```text
//! (1)  w = A λ + b;   λ <- P(λ - ω D⁻¹ w)            P: `projected`, D: the diagonal
//! (2)  ω = min(relaxation, 1)/ρ,   ρ ≈ the largest eigenvalue of D⁻¹ A
//! ```
//!
//! (1) is a projected gradient step in the metric `D`, which descends for `ω < 2/ρ`. `ρ` comes from twenty steps of the power
//! method, with a fifth added, because that method converges from below.

use super::projected::Projected;
use super::{Common, Solver, SolverEntry, Sweep, run_sweeps, takes_all};
use crate::{Options, Problem, Real, SolveReport};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "jacobi",
    text: "projected Jacobi with a safe relaxation",
    guarantees: "Without friction it converges for every symmetric positive semidefinite A whose problem has a solution, \
                 slower than pgs. The order of the rows does not matter. With friction convergence is usual and not \
                 proven.",
    refuses: takes_all,
    relaxes: true,
    pivots: false,
    promises: super::sweeps_promise,
    make: || Box::new(Jacobi::<f64>::default()),
    make_f32: || Box::new(Jacobi::<f32>::default()),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Jacobi<T> {
    common: Common<T>,
    all: AtOnce<T>,
}

impl<T: Real> Solver<T> for Jacobi<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        self.all.relaxation = T::of(options.relaxation.min(1.0));
        run_sweeps(&mut self.common, problem, options, lambda, &mut self.all)
    }
}

#[derive(Clone, Debug, Default)]
struct AtOnce<T> {
    projected: Projected<T>,
    relaxation: T,
    omega: T,
    w: Vec<T>,
    before: Vec<T>,
    scratch: Vec<T>,
}

impl<T: Real> Sweep<T> for AtOnce<T> {
    fn prepare(&mut self, problem: &Problem<T>) {
        self.projected.prepare(problem);
        let largest = largest_eigenvalue(problem, &mut self.w, &mut self.before, &mut self.scratch);
        self.omega = self.relaxation / largest.max(T::ONE);
    }

    fn sweep(&mut self, problem: &Problem<T>, common: &mut Common<T>, lambda: &mut [T]) -> T {
        self.before.copy_from_slice(lambda);
        problem.operator.gather(&common.u, lambda, 0, &mut self.w);
        self.w.iter_mut().zip(problem.b).for_each(|(w, &b)| *w += b);
        self.projected.step(problem, self.omega, &mut self.w, lambda);
        problem.operator.running(lambda, &mut common.u);
        let mut largest = T::ZERO;
        for i in 0..lambda.len() {
            largest = largest.max(((lambda[i] - self.before[i]) * common.diagonal[i]).abs());
        }
        // The change of a full step: the tolerance applies to the residual, not to the size of relaxed steps.
        largest / self.omega
    }
}

/// The largest eigenvalue of `D⁻¹ A`, a fifth too large; rows without diagonal are left out.
pub(super) fn largest_eigenvalue<T: Real>(problem: &Problem<T>, x: &mut Vec<T>, y: &mut Vec<T>, u: &mut Vec<T>) -> T {
    let n = problem.rows();
    for v in [&mut *x, &mut *y] {
        v.clear();
        v.resize(n, T::ZERO);
    }
    u.clear();
    u.resize(problem.operator.running_len(), T::ZERO);
    // A start that no symmetry of a scene makes orthogonal to the eigenvector.
    let mut value = T::of(0.5);
    for x in x.iter_mut() {
        value = T::of(3.7) * value * (T::ONE - value);
        *x = value - T::of(0.3);
    }
    let mut largest = T::ONE;
    for _ in 0..20 {
        let length = x.iter().fold(T::ZERO, |most, x| most.max(x.abs()));
        if length == T::ZERO || !length.is_finite() {
            break;
        }
        x.iter_mut().for_each(|x| *x = *x / length);
        problem.operator.multiply(x, u, y);
        for i in 0..n {
            let mut d = [T::ZERO];
            problem.operator.diagonal(i, 1, &mut d);
            x[i] = if d[0] > T::ZERO { y[i] / d[0] } else { T::ZERO };
        }
        largest = x.iter().fold(T::ZERO, |most, x| most.max(x.abs()));
    }
    largest * T::of(1.2)
}
