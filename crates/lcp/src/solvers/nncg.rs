//! Nonsmooth nonlinear conjugate gradients: projected Gauss-Seidel whose changes are used as gradients.
//!
//! Silcowitz, Niebe and Erleben (2010). With `g = λ - pgs(λ)`, the change of one sweep:
//!
//! ```text
//! (1)  λ' = pgs(λ),  g' = λ - λ',  β = |g'|²/|g|²  (restart with p = 0 if β > 1)
//! (2)  λ <- λ' + β p,   p <- β p - g'
//! ```
//!
//! The result of (2) may be outside the bounds; the next sweep projects it back. Impulses are compared as velocities (times
//! the diagonal's root), because rows have different units. The best of the swept impulses is returned.

use super::projected::Projected;
use super::{Common, Solver, SolverEntry, takes_all};
use crate::{Options, Problem, Real, SolveReport, Status};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "nncg",
    text: "nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel",
    guarantees: "Nothing is proven. Where the set of active rows has settled it converges like conjugate gradients, much \
                 faster than pgs on long chains; otherwise it restarts and equals pgs. The best impulses found are returned.",
    refuses: takes_all,
    relaxes: false,
    pivots: false,
    promises: super::sweeps_promise,
    make: || Box::new(Nncg::<f64>::default()),
    make_f32: || Box::new(Nncg::<f32>::default()),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Nncg<T> {
    common: Common<T>,
    projected: Projected<T>,
    before: Vec<T>,
    direction: Vec<T>,
    best: Vec<T>,
}

/// Sweeps between two measurements of the residual.
const EVERY: u32 = 10;

impl<T: Real> Solver<T> for Nncg<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        let measured = match self.common.begin(problem, options, lambda) {
            Ok(measured) => measured,
            Err(outcome) => return outcome,
        };
        let mut best = measured.residual;
        for v in [&mut self.before, &mut self.direction, &mut self.best] {
            v.clear();
            v.extend_from_slice(lambda);
        }
        self.direction.fill(T::ZERO);
        self.projected.prepare(problem);
        let mut last = T::ZERO;
        let mut done = 0;
        while done < options.iterations {
            self.before.copy_from_slice(lambda);
            let change = self.projected.sweep(problem, T::ONE, &mut self.common.u, lambda);
            done += 1;
            if change.f64() <= options.tolerance || done % EVERY == 0 || done == options.iterations {
                let measured = self.common.measure(problem, lambda);
                if measured.not_finite.is_some() {
                    break;
                }
                if measured.residual < best {
                    best = measured.residual;
                    self.best.copy_from_slice(lambda);
                }
                if best.f64() <= options.tolerance {
                    break;
                }
            }
            // (1)
            let mut square = T::ZERO;
            for i in 0..lambda.len() {
                let g = self.before[i] - lambda[i];
                square += g * g * self.common.diagonal[i];
            }
            let beta = if last > T::ZERO { square / last } else { T::ONE / T::ZERO };
            last = square;
            // (2)
            let beta = if beta <= T::ONE { beta } else { T::ZERO };
            for i in 0..lambda.len() {
                let g = self.before[i] - lambda[i];
                let added = beta * self.direction[i];
                lambda[i] += added;
                self.direction[i] = added - g;
            }
            if beta > T::ZERO {
                problem.operator.running(lambda, &mut self.common.u);
            }
        }
        lambda.copy_from_slice(&self.best);
        self.common.end(problem, options, done, Status::IterationLimit, lambda)
    }
}
