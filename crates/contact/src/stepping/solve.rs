//! One solve in the precision that was asked for.
//!
//! A start whose residual is within the tolerance is taken as it is. Otherwise the solve goes on to [`BEYOND`] of the
//! tolerance, where nothing moves: a world at rest adds the residual of its impulses to its velocity in every step, and the
//! next hundred steps then find their start good enough. The step after such a solve is solved too: its start has in it
//! what took out the velocity that had come up, which must not act twice.

use super::settings::{Precision, SteppingSettings};
use veracity_lcp::{
    Checked, Cone, Factored, Held, Law, Operator, Options, Outcome, Problem, SolverEntry, Status, measure,
};

/// Part of the tolerance at rest that a solve is asked for.
const BEYOND: f64 = 0.01;

/// Iterations of a solve whose result is only a start: what a row of eleven blocks needs, twice.
const ROUGHLY: u32 = 200;

/// Contacts that go on holding are solved for as one linear system of so many rows at most: beyond, elimination by islands in a good
/// order has less to do. Rounds of it, and the part of what a solve aims at.
const HELD_ROWS: usize = 60;
const HELD_ROUNDS: u32 = 8;
const HELD_PART: f64 = 0.1;

/// A solver with its room.
pub(super) struct Solve {
    double: Checked<f64>,
    single: Option<Single>,
    options: Options,
    pub cone: Cone,
    /// Residuals within this are good enough [m/s].
    pub good: f64,
    at_rest: f64,
    /// Whether an answer was rejected since this was last set to `false`.
    pub fell_back: bool,
    /// The last start was not good enough. Part of the memory of a run.
    pub unsettled: bool,
    diagonal: Vec<f64>,
    u: Vec<f64>,
    held: Held<f64>,
    start: Vec<f64>,
}

/// What the same problem is in single precision.
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

    /// Whether a start needs no solve. In single precision none is: what is studied there is the solve.
    pub fn start_is_good(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &[f64],
    ) -> Option<Outcome> {
        if self.single.is_some() {
            return None;
        }
        let residual = self.residual(&Problem { operator, b, laws, cone: self.cone }, lambda);
        let good = residual <= self.good_start();
        self.unsettled = !good;
        // Now, and not in some later step that is the first to need it.
        self.held.make_room(lambda.len(), operator.running_len(), HELD_ROWS);
        self.start.reserve(lambda.len().saturating_sub(self.start.len()));
        good.then_some(Outcome { status: Status::Converged, iterations: 0, residual, complementarity: 0.0 })
    }

    /// Residual of a start that needs no solve [m/s].
    fn good_start(&self) -> f64 {
        if self.unsettled { self.beyond() } else { self.good }
    }

    /// As [`Solve::start_is_good`] and then [`Solve::solve`], with one look at the start.
    pub fn solve_if_needed(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &mut [f64],
    ) -> Outcome {
        if self.single.is_some() {
            return self.solve(operator, b, laws, lambda);
        }
        self.options.good_start = self.good_start();
        let outcome = self.solve(operator, b, laws, lambda);
        self.options.good_start = 0.0;
        self.unsettled = outcome.iterations > 0 || !outcome.converged();
        outcome
    }

    /// What a solve aims at [m/s].
    fn beyond(&self) -> f64 {
        self.good - (1.0 - BEYOND) * self.at_rest
    }

    /// Whether impulses are good enough after all, however they were found.
    pub fn is_good(&mut self, operator: &Factored<f64>, b: &[f64], laws: &[Law], lambda: &[f64]) -> Option<Outcome> {
        let residual = self.residual(&Problem { operator, b, laws, cone: self.cone }, lambda);
        let outcome = Outcome { status: Status::Converged, iterations: 0, residual, complementarity: 0.0 };
        (residual <= self.good).then_some(outcome)
    }

    /// Impulses of contacts that hold or are apart as they did in the last step, nearest to those in the metric `more`: see
    /// [`Held`]. `None`, and the impulses as they were, if some contact does something else.
    pub fn hold(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        more: &[f64],
        lambda: &mut [f64],
    ) -> Option<Outcome> {
        self.start.clear();
        self.start.extend_from_slice(lambda);
        let rounds = self.hold_as_given(operator, b, laws, more, lambda);
        let held = rounds.and_then(|rounds| {
            self.is_good(operator, b, laws, lambda).map(|outcome| Outcome { iterations: rounds, ..outcome })
        });
        if held.is_none() {
            lambda.copy_from_slice(&self.start);
        }
        held
    }

    /// The linear system of [`Solve::hold`] alone: what it leaves is not looked at, and is not the start where it fails.
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

    /// A solve on the way to another one: [`ROUGHLY`] iterations at most.
    pub fn solve_roughly(
        &mut self,
        operator: &Factored<f64>,
        b: &[f64],
        laws: &[Law],
        lambda: &mut [f64],
    ) -> Outcome {
        let iterations = self.options.iterations;
        self.options.iterations = iterations.min(ROUGHLY);
        let outcome = self.solve(operator, b, laws, lambda);
        self.options.iterations = iterations;
        outcome
    }

    /// Solves from the start in `lambda` and leaves the impulses there.
    pub fn solve(&mut self, operator: &Factored<f64>, b: &[f64], laws: &[Law], lambda: &mut [f64]) -> Outcome {
        self.options.tolerance = self.beyond();
        let Some(single) = &mut self.single else {
            let problem = Problem { operator, b, laws, cone: self.cone };
            let mut outcome = self.double.solve(&problem, &self.options, self.good, lambda);
            self.fell_back |= outcome.status == Status::FellBack;
            // Also where it was found by the fallback: `fell_back` says so, and these impulses keep the laws.
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
