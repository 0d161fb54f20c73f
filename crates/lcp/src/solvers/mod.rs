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
use crate::{Cone, Law, Measure, Options, Outcome, Problem, Real, Status};

/// A way to solve a [`Problem`]. It owns its scratch and allocates nothing once it has seen the size of a problem.
pub trait Solver<T: Real>: Send {
    /// `lambda` is the start, and holds the impulses found afterwards.
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> Outcome;
}

/// A line of [`SOLVERS`].
#[derive(Clone, Copy)]
pub struct SolverEntry {
    /// What it is called in an engine spec.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub text: &'static str,
    /// What may be relied on, and when.
    pub guarantees: &'static str,
    /// Why it does not take a law under a cone; `None` if it does.
    pub refuses: fn(&Law, Cone) -> Option<&'static str>,
    /// Whether it takes [`Options::relaxation`]; others calculate as if it were one.
    pub relaxes: bool,
    /// Whether it pivots: what it has when it fails is no approximation of a solution.
    pub pivots: bool,
    /// What `guarantees` means in numbers: for a problem with these traits, the natural residual it reaches from zeros
    /// within [`PROMISED_ITERATIONS`], over the largest `|b|`. `None`: only that what it says of itself is true.
    pub promises: fn(&Traits) -> Option<f64>,
    /// A new one.
    pub make: fn() -> Box<dyn Solver<f64>>,
    /// A new one that calculates in single precision.
    pub make_f32: fn() -> Box<dyn Solver<f32>>,
}

/// Iterations that [`SolverEntry::promises`] counts on.
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

/// Takes every law under every cone.
pub(crate) fn takes_all(_: &Law, _: Cone) -> Option<&'static str> {
    None
}

/// Rows beyond which solvers that pivot on a matrix refuse: its memory and their time grow with the square and the cube.
pub(crate) const MOST_DENSE_ROWS: usize = 2000;

/// What sweeps promise: without friction, and well conditioned, to rounding as far as the tolerance asks.
pub(crate) fn sweeps_promise(traits: &Traits) -> Option<f64> {
    (traits.solvable && traits.symmetric && !traits.friction && traits.condition == Condition::Good).then_some(1e-9)
}

/// What Newton's method promises: small islands of every kind.
pub(crate) fn newton_promise(traits: &Traits) -> Option<f64> {
    (traits.solvable && traits.symmetric && traits.rows <= 300).then_some(1e-8)
}

/// Why a problem is not for this solver: the first such block.
pub(crate) fn refused<T: Real>(entry: &SolverEntry, problem: &Problem<T>) -> Option<Outcome> {
    let block = problem.laws.iter().position(|law| (entry.refuses)(law, problem.cone).is_some())?;
    let status = Status::Unsupported { block };
    Some(Outcome { status, iterations: 0, residual: f64::INFINITY, complementarity: f64::INFINITY })
}

/// A solver that is one sweep repeated.
pub(crate) trait Sweep<T: Real> {
    /// What does not change between sweeps.
    fn prepare(&mut self, problem: &Problem<T>);
    /// Changes impulses and running vector; the largest change as a velocity.
    fn sweep(&mut self, problem: &Problem<T>, common: &mut Common<T>, lambda: &mut [T]) -> T;
}

/// Sweeps until the tolerance is met. The residual is measured before the first one (a warm start that is good costs no
/// sweep), and when the largest change in a sweep falls below the tolerance.
pub(crate) fn run_sweeps<T: Real>(
    common: &mut Common<T>,
    problem: &Problem<T>,
    options: &Options,
    lambda: &mut [T],
    sweep: &mut dyn Sweep<T>,
) -> Outcome {
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
    /// Sizes, diagonal, running vector and residual of the start. `Err` where there is nothing to be done, the start being
    /// good enough among that.
    pub fn begin(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        lambda: &mut [T],
    ) -> Result<Measure<T>, Outcome> {
        problem.assert_fits(lambda);
        self.diagonal.resize(problem.rows(), T::ZERO);
        problem.operator.diagonal_entries(&mut self.diagonal);
        // Negative where sliding in a given direction presses in more than the normal lifts: a scale is all it is here.
        self.diagonal.iter_mut().for_each(|d| *d = d.abs());
        self.u.resize(problem.operator.running_len(), T::ZERO);
        let mut measured = self.measure(problem, lambda);
        if measured.not_finite.is_some() {
            // A start that is no number is replaced by zeros; a problem that is none is the end.
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

    /// Residual and complementarity with a running vector made afresh: what is reported has no rounding piled up in it.
    pub fn measure(&mut self, problem: &Problem<T>, lambda: &[T]) -> Measure<T> {
        problem.operator.running(lambda, &mut self.u);
        self.of_block.clear();
        measure_each(problem, &self.diagonal, &self.u, lambda, |residual| self.of_block.push(residual))
    }

    /// The outcome for the impulses as they are; `otherwise` is the status if the tolerance is not met.
    pub fn end(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        iterations: u32,
        otherwise: Status,
        lambda: &mut [T],
    ) -> Outcome {
        let measured = self.measure(problem, lambda);
        outcome(measured, options, iterations, otherwise, lambda)
    }
}

/// The outcome for a measurement of `lambda`; impulses that are no numbers do not leave.
pub(crate) fn outcome<T: Real>(
    measured: Measure<T>,
    options: &Options,
    iterations: u32,
    otherwise: Status,
    lambda: &mut [T],
) -> Outcome {
    let status = match measured.not_finite {
        Some(row) => {
            lambda.fill(T::ZERO);
            Status::NotFinite { row }
        }
        None if measured.residual.f64() <= options.tolerance => Status::Converged,
        None => otherwise,
    };
    Outcome { status, iterations, residual: measured.residual.f64(), complementarity: measured.complementarity.f64() }
}
