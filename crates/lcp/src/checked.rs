//! A solver whose answer is checked before it is used.
//!
//! Every solver reports the natural residual `r` of what it returns. How an answer above the tolerance is treated depends on
//! the method. With `r₀` the residual of the start, `r(0)` that of zero impulses and `e` the accepted residual:
//!
//! ```text
//! (1)  r <= e                          used
//! (2)  r > e, by sweeps or steps       used, and reported as not converged: more iterations would have been closer
//! (3)  r > e, by pivoting              not used: an intermediate basis does not approximate the solution
//! (4)  r > max(r₀, r(0)), by pivoting  not used: worse than doing nothing
//! (5)  r > 100 max(r₀, r(0)), or NaN   not used: it diverges
//! ```
//!
//! Sweeps that are stopped early may leave a larger residual than their start, because the residual is not monotone: that is
//! the effect of few iterations, and it must remain visible in the motion.
//!
//! In (3) to (5) the default solver starts from the best of the start, zero and the answer, and what it finds is used. The
//! status is then [`Status::FellBack`], which counts as not converged: the requested solver has not solved the problem.

use crate::{Options, Problem, Real, SolveReport, Solver, SolverEntry, Status, measure};

/// Largest residual of sweeps relative to that of the start or of zero impulses, see (5): far beyond what early sweeps reach,
/// far below that of an answer that grows without bound.
const DIVERGED: f64 = 100.0;

/// A solver of the list, and the default one to fall back to.
pub struct Checked<T> {
    solver: Box<dyn Solver<T>>,
    fallback: Box<dyn Solver<T>>,
    pivots: bool,
    start: Vec<T>,
    answer: Vec<T>,
    diagonal: Vec<T>,
    u: Vec<T>,
}

impl Checked<f64> {
    /// In double precision.
    pub fn new(entry: &SolverEntry) -> Self {
        Self::of(entry, (entry.make)(), (crate::SOLVERS[0].make)())
    }
}

impl Checked<f32> {
    /// In single precision.
    pub fn new_f32(entry: &SolverEntry) -> Self {
        Self::of(entry, (entry.make_f32)(), (crate::SOLVERS[0].make_f32)())
    }
}

impl<T: Real> Checked<T> {
    fn of(entry: &SolverEntry, solver: Box<dyn Solver<T>>, fallback: Box<dyn Solver<T>>) -> Self {
        let empty = Vec::new;
        Self {
            solver,
            fallback,
            pivots: entry.pivots,
            start: empty(),
            answer: empty(),
            diagonal: empty(),
            u: empty(),
        }
    }

    /// Solves from the start in `lambda` and replaces it by impulses that may be used; a residual up to `enough` is a solution
    /// [m/s], whatever the tolerance of the solver.
    pub fn solve(&mut self, problem: &Problem<T>, options: &Options, enough: f64, lambda: &mut [T]) -> SolveReport {
        self.start.clear();
        self.start.extend_from_slice(lambda);
        let mut outcome = self.solver.solve(problem, options, lambda);
        let enough = enough.max(options.tolerance).max(options.good_start);
        if outcome.residual <= enough {
            return outcome;
        }
        // A problem that is not finite has no answer, and zeros were returned.
        self.answer.clear();
        self.answer.resize(lambda.len(), T::ZERO);
        let at_zero = self.residual(problem, Which::Answer);
        let at_start = self.residual(problem, Which::Start);
        if !at_zero.is_finite() {
            return outcome;
        }
        let nothing_done = if at_start.is_finite() { at_zero.max(at_start) } else { at_zero };
        let most = if self.pivots { nothing_done } else { DIVERGED * nothing_done };
        let worse = outcome.residual.is_nan() || outcome.residual > most;
        if !worse && !self.pivots {
            return outcome;
        }
        let mut best = (if outcome.residual.is_finite() { outcome.residual } else { f64::INFINITY }, None);
        for (residual, which) in [(at_start, Which::Start), (at_zero, Which::Answer)] {
            if residual < best.0 {
                best = (residual, Some(which));
            }
        }
        match best.1 {
            Some(Which::Start) => lambda.copy_from_slice(&self.start),
            Some(Which::Answer) => lambda.fill(T::ZERO),
            None => {}
        }
        self.start.copy_from_slice(lambda);
        let again = self.fallback.solve(problem, options, lambda);
        if again.residual <= best.0 {
            (outcome.residual, outcome.complementarity) = (again.residual, again.complementarity);
        } else {
            lambda.copy_from_slice(&self.start);
            outcome.residual = best.0;
        }
        SolveReport { status: Status::FellBack, iterations: outcome.iterations + again.iterations, ..outcome }
    }

    /// Residual of the start or of `answer`; infinite where it is NaN.
    fn residual(&mut self, problem: &Problem<T>, which: Which) -> f64 {
        let lambda = match which {
            Which::Start => &self.start,
            Which::Answer => &self.answer,
        };
        self.diagonal.resize(lambda.len(), T::ZERO);
        problem.operator.diagonal_entries(&mut self.diagonal);
        self.diagonal.iter_mut().for_each(|d| *d = d.abs());
        self.u.resize(problem.operator.running_len(), T::ZERO);
        problem.operator.running(lambda, &mut self.u);
        let found = measure(problem, &self.diagonal, &self.u, lambda);
        if found.not_finite.is_some() { f64::INFINITY } else { found.residual.f64() }
    }
}

#[derive(Clone, Copy)]
enum Which {
    Start,
    Answer,
}
