//! One solve in the requested precision.
//!
//! A start with a residual within the tolerance is used as it is. Otherwise the solve continues to [`BEYOND`] of the
//! tolerance at rest: a world at rest adds the residual of its impulses to its velocity in every step, and the next
//! hundred steps then find their start good enough. The step after such a solve is solved too: its start includes the
//! impulses that removed the accumulated velocity, which must not act twice.

use super::settings::{Precision, SteppingSettings};
use veracity_lcp::{
    Checked, Cone, Factored, Held, Law, Operator, Options, Problem, SolveReport, SolverEntry, Status, measure,
};

/// Fraction of the tolerance at rest that a solve aims for.
const BEYOND: f64 = 0.01;

/// Maximum iterations of a solve that only provides a start: twice what a row of eleven blocks needs.
const ROUGHLY: u32 = 200;

/// Contacts that keep holding are solved as one linear system of at most this many rows: beyond that, elimination by
/// islands in a good order is cheaper. Then the number of rounds, and the fraction of the residual a solve aims for.
const HELD_ROWS: usize = 60;
const HELD_ROUNDS: u32 = 8;
const HELD_PART: f64 = 0.1;

/// A solver with its scratch.
pub(super) struct Solve {
    double: Checked<f64>,
    single: Option<Single>,
    options: Options,
    pub cone: Cone,
    /// Residuals within this are good enough [m/s].
    pub good: f64,
    at_rest: f64,
    /// Whether a solver's result was rejected since this was last set to `false`.
    pub fell_back: bool,
    /// The last start was not good enough. Part of the memory of a run.
    pub unsettled: bool,
    diagonal: Vec<f64>,
    u: Vec<f64>,
    held: Held<f64>,
    start: Vec<f64>,
}

/// The same problem in single precision.
struct Single {
    solver: Checked<f32>,
    operator: Factored<f32>,
    b: Vec<f32>,
    lambda: Vec<f32>,
}

impl Solve {
    pub fn new(entry: &SolverEntry, settings: &SteppingSettings) -> Self {
        let single = (settings.precision == Precision::F32).then(|| Single {
            solver: Checked::new_f32(entry),
            operator: Factored::default(),
            b: Vec::new(),
            lambda: Vec::new(),
        });
        let options =
            Options { tolerance: settings.tolerance, iterations: settings.iterations, ..Options::default() };
        Self {
            double: Checked::new(entry),
            single,
            options,
            cone: settings.cone,
            good: settings.tolerance,
            at_rest: settings.tolerance,
            fell_back: false,
            unsettled: false,
            diagonal: Vec::new(),
            u: Vec::new(),
            held: Held::default(),
            start: Vec::new(),
        }
    }

    /// Residual of a start.
    fn residual(&mut self, problem: &Problem<f64>, lambda: &[f64]) -> f64 {
        self.diagonal.resize(lambda.len(), 0.0);
        problem.operator.diagonal_entries(&mut self.diagonal);
        self.u.resize(problem.operator.running_len(), 0.0);
        problem.operator.running(lambda, &mut self.u);
        let found = measure(problem, &self.diagonal, &self.u, lambda);
        if found.not_finite.is_some() { f64::INFINITY } else { found.residual }
    }

    /// Whether a start needs no solve. Always `false` in single precision, where the solve itself is studied.
    pub fn start_is_good(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &[f64],
    ) -> Option<SolveReport> {
        if self.single.is_some() {
            return None;
        }
        let residual = self.residual(&Problem { operator, b, laws, cone: self.cone }, lambda);
        let good = residual <= self.good_start();
        self.unsettled = !good;
        // Allocate now, not in a later step that is the first to need it.
        self.held.reserve(lambda.len(), operator.running_len(), HELD_ROWS);
        self.start.reserve(lambda.len().saturating_sub(self.start.len()));
        good.then_some(SolveReport { status: Status::Converged, iterations: 0, residual, complementarity: 0.0 })
    }

    /// Residual below which a start needs no solve [m/s].
    fn good_start(&self) -> f64 {
        if self.unsettled { self.beyond() } else { self.good }
    }

    /// [`Solve::start_is_good`] and then [`Solve::solve`], evaluating the start once.
    pub fn solve_if_needed(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &mut [f64],
    ) -> SolveReport {
        if self.single.is_some() {
            return self.solve(operator, b, laws, lambda);
        }
        self.options.good_start = self.good_start();
        let outcome = self.solve(operator, b, laws, lambda);
        self.options.good_start = 0.0;
        self.unsettled = outcome.iterations > 0 || !outcome.converged();
        outcome
    }

    /// The residual a solve aims for [m/s].
    fn beyond(&self) -> f64 {
        self.good - (1.0 - BEYOND) * self.at_rest
    }

    /// Whether impulses are good enough, however they were found.
    pub fn is_good(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &[f64],
    ) -> Option<SolveReport> {
        let residual = self.residual(&Problem { operator, b, laws, cone: self.cone }, lambda);
        let outcome = SolveReport { status: Status::Converged, iterations: 0, residual, complementarity: 0.0 };
        (residual <= self.good).then_some(outcome)
    }

    /// Impulses of contacts that hold or are open as in the last step, nearest to those impulses in the metric `more`:
    /// see [`Held`]. `None`, with the impulses unchanged, if some contact does something else.
    pub fn hold(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        more: &[f64],
        lambda: &mut [f64],
    ) -> Option<SolveReport> {
        self.start.clear();
        self.start.extend_from_slice(lambda);
        let rounds = self.hold_as_given(operator, b, laws, more, lambda);
        let held = rounds.and_then(|rounds| {
            self.is_good(operator, b, laws, lambda).map(|outcome| SolveReport { iterations: rounds, ..outcome })
        });
        if held.is_none() {
            lambda.copy_from_slice(&self.start);
        }
        held
    }

    /// The linear system of [`Solve::hold`] alone: its result is not verified, and on failure the start is not
    /// restored.
    pub fn hold_as_given(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        more: &[f64],
        lambda: &mut [f64],
    ) -> Option<u32> {
        let tolerance = HELD_PART * self.beyond();
        self.held.solve(operator, b, laws, more, (HELD_ROWS, HELD_ROUNDS), tolerance, lambda)
    }

    /// Whether solves are in double precision.
    pub fn is_double(&self) -> bool {
        self.single.is_none()
    }

    /// A preliminary solve: at most [`ROUGHLY`] iterations.
    pub fn solve_roughly(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &mut [f64],
    ) -> SolveReport {
        let iterations = self.options.iterations;
        self.options.iterations = iterations.min(ROUGHLY);
        let outcome = self.solve(operator, b, laws, lambda);
        self.options.iterations = iterations;
        outcome
    }

    /// Solves from the start in `lambda` and writes the impulses there.
    pub fn solve(&mut self, operator: &Factored<f64>, b: &[f64], laws: &[Law], lambda: &mut [f64]) -> SolveReport {
        self.options.tolerance = self.beyond();
        let Some(single) = &mut self.single else {
            let problem = Problem { operator, b, laws, cone: self.cone };
            let mut outcome = self.double.solve(&problem, &self.options, self.good, lambda);
            self.fell_back |= outcome.status == Status::FellBack;
            // Also if the fallback found it: `fell_back` records that, and these impulses satisfy the laws.
            if outcome.residual <= self.good {
                outcome.status = Status::Converged;
            }
            return outcome;
        };
        self.options.tolerance = self.good;
        single.operator.cast_from(operator);
        single.b.clear();
        single.b.extend(b.iter().map(|x| *x as f32));
        single.lambda.clear();
        single.lambda.extend(lambda.iter().map(|x| *x as f32));
        let problem = Problem { operator: &single.operator, b: &single.b, laws, cone: self.cone };
        let outcome = single.solver.solve(&problem, &self.options, self.good, &mut single.lambda);
        self.fell_back |= outcome.status == Status::FellBack;
        for (wide, narrow) in lambda.iter_mut().zip(&single.lambda) {
            *wide = f64::from(*narrow);
        }
        outcome
    }
}
