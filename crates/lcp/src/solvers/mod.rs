//! The solvers: one file each, one line each in [`SOLVERS`].

mod apgd;
mod dantzig;
mod hybrid;
mod jacobi;
mod lemke;
mod newton;
mod nncg;
mod nsgs;
mod pgs;
mod projected;

use crate::fixtures::{Condition, Traits};
use crate::residual::measure_each;
use crate::{Cone, Law, Measure, Options, Problem, Real, SolveReport, Status};

/// A method that solves a [`Problem`]. It owns its scratch and allocates nothing for problems no larger than an earlier one.
pub trait Solver<T: Real>: Send {
    /// `lambda` is the start, and is replaced by the impulses found.
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport;
}

/// A line of [`SOLVERS`].
#[derive(Clone, Copy)]
pub struct SolverEntry {
    /// Its name in an engine spec.
    pub name: &'static str,
    /// The method, in one phrase.
    pub text: &'static str,
    /// What it guarantees, and when.
    pub guarantees: &'static str,
    /// Why it does not support a law under a cone; `None` if it does.
    pub refuses: fn(&Law, Cone) -> Option<&'static str>,
    /// Whether it uses [`Options::relaxation`]; the others ignore it.
    pub relaxes: bool,
    /// Whether it pivots: when it fails, its impulses do not approximate a solution.
    pub pivots: bool,
    /// `guarantees` in numbers: for a problem with these traits, the natural residual it reaches from zeros
    /// within [`PROMISED_ITERATIONS`], over the largest `|b|`. `None`: only that the residual it reports is correct.
    pub promises: fn(&Traits) -> Option<f64>,
    /// A new solver in double precision.
    pub make: fn() -> Box<dyn Solver<f64>>,
    /// A new solver in single precision.
    pub make_f32: fn() -> Box<dyn Solver<f32>>,
}

/// Iterations that [`SolverEntry::promises`] assumes.
pub const PROMISED_ITERATIONS: u32 = 5000;

/// All solvers, in the order of the documentation.
pub const SOLVERS: &[SolverEntry] = &[
    hybrid::ENTRY,
    nsgs::ENTRY,
    newton::ENTRY,
    pgs::ENTRY,
    pgs::SOR,
    jacobi::ENTRY,
    nncg::ENTRY,
    lemke::ENTRY,
    dantzig::ENTRY,
    apgd::ENTRY,
];

/// The solver of that name.
pub fn solver(name: &str) -> Option<&'static SolverEntry> {
    SOLVERS.iter().find(|entry| entry.name == name)
}

/// Supports every law under every cone.
pub(crate) fn takes_all(_: &Law, _: Cone) -> Option<&'static str> {
    None
}

/// Most rows of solvers that pivot on a matrix: its memory and their time grow with the square and the cube.
pub(crate) const MOST_DENSE_ROWS: usize = 2000;

/// What sweeps promise: the tolerance, down to rounding, without friction and well conditioned.
pub(crate) fn sweeps_promise(traits: &Traits) -> Option<f64> {
    (traits.solvable && traits.symmetric && !traits.friction && traits.condition == Condition::Good).then_some(1e-9)
}

/// What Newton's method promises: small islands of every kind.
pub(crate) fn newton_promise(traits: &Traits) -> Option<f64> {
    (traits.solvable && traits.symmetric && traits.rows <= 300).then_some(1e-8)
}

/// The first block that the solver does not support.
pub(crate) fn refused<T: Real>(entry: &SolverEntry, problem: &Problem<T>) -> Option<SolveReport> {
    let block = problem.laws.iter().position(|law| (entry.refuses)(law, problem.cone).is_some())?;
    let status = Status::Unsupported { block };
    Some(SolveReport { status, iterations: 0, residual: f64::INFINITY, complementarity: f64::INFINITY })
}

/// A solver that repeats one sweep.
pub(crate) trait Sweep<T: Real> {
    /// Computes what does not change between sweeps.
    fn prepare(&mut self, problem: &Problem<T>);
    /// Changes impulses and running vector; returns the largest change as a velocity.
    fn sweep(&mut self, problem: &Problem<T>, common: &mut Common<T>, lambda: &mut [T]) -> T;
}

/// Sweeps until the tolerance is reached. The residual is measured before the first sweep (a good warm start costs no
/// sweep), and when the largest change in a sweep falls below the tolerance.
pub(crate) fn run_sweeps<T: Real>(
    common: &mut Common<T>,
    problem: &Problem<T>,
    options: &Options,
    lambda: &mut [T],
    sweep: &mut dyn Sweep<T>,
) -> SolveReport {
    if let Err(outcome) = common.begin(problem, options, lambda) {
        return outcome;
    }
    sweep.prepare(problem);
    let mut status = Status::IterationLimit;
    let mut done = 0;
    while done < options.iterations {
        let change = sweep.sweep(problem, common, lambda);
        done += 1;
        if change.f64() <= options.tolerance {
            let measured = common.measure(problem, lambda);
            if measured.residual.f64() <= options.tolerance || measured.not_finite.is_some() {
                return outcome(measured, options, done, status, lambda);
            }
            if change == T::ZERO {
                status = Status::Stalled;
                break;
            }
        }
    }
    common.end(problem, options, done, status, lambda)
}

/// What every solver needs: the diagonal of `A` and the running vector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common<T> {
    pub diagonal: Vec<T>,
    pub u: Vec<T>,
    /// The largest residual of each block, as last measured.
    pub of_block: Vec<T>,
}

impl<T: Real> Common<T> {
    /// Sizes, diagonal, running vector and residual of the start. `Err` where there is nothing to solve, for example because the
    /// start is good enough.
    pub fn begin(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        lambda: &mut [T],
    ) -> Result<Measure<T>, SolveReport> {
        problem.assert_fits(lambda);
        self.diagonal.resize(problem.rows(), T::ZERO);
        problem.operator.diagonal_entries(&mut self.diagonal);
        // Negative where sliding in a given direction presses in more than the normal lifts; used only as a scale here.
        self.diagonal.iter_mut().for_each(|d| *d = d.abs());
        self.u.resize(problem.operator.running_len(), T::ZERO);
        let mut measured = self.measure(problem, lambda);
        if measured.not_finite.is_some() {
            // A non-finite start is replaced by zeros; a non-finite problem ends the solve.
            lambda.fill(T::ZERO);
            measured = self.measure(problem, lambda);
            if measured.not_finite.is_some() {
                return Err(self.end(problem, options, 0, Status::IterationLimit, lambda));
            }
        }
        let enough = options.tolerance.max(options.good_start);
        if measured.residual.f64() <= enough {
            return Err(outcome(measured, &Options { tolerance: enough, ..*options }, 0, Status::Converged, lambda));
        }
        Ok(measured)
    }

    /// Residual and complementarity with a recomputed running vector, so that no accumulated rounding is reported.
    pub fn measure(&mut self, problem: &Problem<T>, lambda: &[T]) -> Measure<T> {
        problem.operator.running(lambda, &mut self.u);
        self.of_block.clear();
        measure_each(problem, &self.diagonal, &self.u, lambda, |residual| self.of_block.push(residual))
    }

    /// The outcome for the current impulses; `otherwise` is the status if the tolerance is not reached.
    pub fn end(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        iterations: u32,
        otherwise: Status,
        lambda: &mut [T],
    ) -> SolveReport {
        let measured = self.measure(problem, lambda);
        outcome(measured, options, iterations, otherwise, lambda)
    }
}

/// The outcome for a measurement of `lambda`; non-finite impulses are never returned.
pub(crate) fn outcome<T: Real>(
    measured: Measure<T>,
    options: &Options,
    iterations: u32,
    otherwise: Status,
    lambda: &mut [T],
) -> SolveReport {
    let status = match measured.not_finite {
        Some(row) => {
            lambda.fill(T::ZERO);
            Status::NotFinite { row }
        }
        None if measured.residual.f64() <= options.tolerance => Status::Converged,
        None => otherwise,
    };
    SolveReport {
        status,
        iterations,
        residual: measured.residual.f64(),
        complementarity: measured.complementarity.f64(),
    }
}
