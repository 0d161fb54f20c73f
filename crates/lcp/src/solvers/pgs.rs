//! Projected Gauss-Seidel, with or without over-relaxation: the "iterative" solver of most engines.
//!
//! One pass after another over all rows, each projected on its bounds: see `projected`.

use super::projected::Projected;
use super::{Common, Solver, SolverEntry, Sweep, run_sweeps, takes_all};
use crate::{Options, Problem, Real, SolveReport};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "pgs",
    text: "projected Gauss-Seidel, row by row",
    guarantees: "Without friction it converges for every symmetric positive semidefinite A whose problem has a solution, \
                 linearly, slowly where blocks are coupled over long chains or mass ratios are large. With friction \
                 convergence is usual where coefficients are moderate and not proven.",
    refuses: takes_all,
    relaxes: false,
    pivots: false,
    promises: super::sweeps_promise,
    make: || Box::new(Pgs::<f64> { over: false, ..Pgs::default() }),
    make_f32: || Box::new(Pgs::<f32> { over: false, ..Pgs::default() }),
};

pub(super) const SOR: SolverEntry = SolverEntry {
    name: "sor",
    text: "projected Gauss-Seidel with over-relaxation",
    guarantees: "As pgs, for a relaxation in (0, 2); above one it is usually faster without friction, and may cycle with it.",
    refuses: takes_all,
    relaxes: true,
    pivots: false,
    promises: super::sweeps_promise,
    make: || Box::new(Pgs::<f64> { over: true, ..Pgs::default() }),
    make_f32: || Box::new(Pgs::<f32> { over: true, ..Pgs::default() }),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Pgs<T> {
    over: bool,
    common: Common<T>,
    projected: Projected<T>,
}

impl<T: Real> Solver<T> for Pgs<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        let omega = if self.over { T::of(options.relaxation) } else { T::ONE };
        let Pgs { common, projected, .. } = self;
        run_sweeps(common, problem, options, lambda, &mut Rows { projected, omega })
    }
}

struct Rows<'a, T> {
    projected: &'a mut Projected<T>,
    omega: T,
}

impl<T: Real> Sweep<T> for Rows<'_, T> {
    fn prepare(&mut self, problem: &Problem<T>) {
        self.projected.prepare(problem);
    }

    fn sweep(&mut self, problem: &Problem<T>, common: &mut Common<T>, lambda: &mut [T]) -> T {
        self.projected.sweep(problem, self.omega, &mut common.u, lambda)
    }
}
