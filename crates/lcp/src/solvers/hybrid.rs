//! Sweeps while they converge, Newton's method where they do not: the default of an engine.
//!
//! ```text
//! (1)  the residual of the start; within the tolerance nothing else is done
//! (2)  islands whose residual is too large are solved separately:
//! (3)    Newton's method with a proximal term, where blocks share trees and a step is cheap
//! (4)    block over-relaxation, in rounds of sweeps, while a round divides the residual by three or more: each block moves
//!        1.5 times as far as Gauss-Seidel would, and is projected back onto its law; where sweeps cycle it moves less far
//! (5)    Newton's method, if a step costs a millisecond at most
//! (6)    conjugate gradients (`nncg`), which also converge where exact sweeps cycle: large coefficients
//! (7)    (4) continues from the result of (5) or (6) if that is three times as good, else from its own; in longer rounds
//! (8)  the best impulses found for each island are returned
//! ```
//!
//! Sweeps are slow for long chains, large mass ratios and redundant contacts, which occur in small islands; piles are large
//! islands, for which sweeps are cheap; a single ball on the ground is one block, which a sweep solves exactly.
//! Sweeps also load redundant contacts unevenly, depending on their order: a valid answer, but near the friction limit it
//! makes the difference between holding and turning. Hence (3) before (4) where several blocks are between the same bodies.

use super::newton::IslandNewton;
use super::nncg::Nncg;
use super::nsgs::Sweeper;
use super::{Common, Solver, SolverEntry, takes_all};
use crate::{Factored, Law, Options, Problem, Real, Segment, SolveReport, Status};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "hybrid",
    text: "block over-relaxation, then Newton's method with a proximal term by islands",
    guarantees: "Never worse than the start. A start within the tolerance costs one measurement. Small islands (some \
                 hundred rows) are solved to near rounding also where rows are redundant, mass ratios large or chains \
                 long, and redundant contacts are loaded evenly; large islands are solved as well as sweeps solve them.",
    refuses: takes_all,
    relaxes: false,
    pivots: false,
    promises: super::newton_promise,
    make: || Box::new(Hybrid::default()),
    make_f32: || Box::new(Hybrid::default()),
};

/// Most rows of an island for Newton's method, and most multiplications of one step: a millisecond.
const ROWS: usize = 600;
const EFFORT: f64 = 1e6;
/// Most multiplications of a step for which Newton's method is tried before sweeps: without a start, where the loads are still
/// to be distributed; and always, where a step costs no more than some hundred sweeps.
const EFFORT_COLD: f64 = 1e6;
const EFFORT_FIRST: f64 = 2e5;
/// Steps before sweeps, after them, and in a last attempt.
const STEPS: [u32; 3] = [25, 60, 200];
/// Where two points of one pair clamp a body, forces of any size along the line that joins them change no velocity, and Newton's
/// method may move along that line as far as rounding allows; sweeps never return from there. Impulses more than this many times
/// those that cancel the velocities are therefore not used as a start unless they solve the problem. A heavy body on one a
/// million times lighter needs a factor of a million.
const FAR_OUT: f64 = 1e7;
/// Sweeps in the first round, and of conjugate gradients after it.
const ROUND: u32 = 12;
const CONJUGATE: u32 = 60;
/// Step of a block relative to the step that solves it: successive over-relaxation, which without friction converges for
/// every factor below 2 (Mangasarian 1977). Falling balls need 1700 blocks swept a step where a factor of 1 needs 3100 and
/// 1.3 needs 2000; a tower of boxes needs 7 % more than with 1.
const BEYOND: f64 = 1.5;

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Hybrid<T> {
    common: Common<T>,
    sweeper: Sweeper<T>,
    islands: IslandNewton<T>,
    best: Vec<T>,
    kept: Vec<T>,
    alone: Alone<T>,
}

/// An island as a separate problem, for solvers without islands.
#[derive(Clone, Debug, Default)]
struct Alone<T> {
    nncg: Nncg<T>,
    operator: Factored<T>,
    b: Vec<T>,
    laws: Vec<Law>,
    lambda: Vec<T>,
}

/// State of the island being solved.
struct Under<T> {
    island: usize,
    /// Residual of the best impulses so far, which are in `Hybrid::best`.
    best: T,
    done: u32,
}

impl<T: Real> Solver<T> for Hybrid<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        if let Err(outcome) = self.common.begin(problem, options, lambda) {
            return outcome;
        }
        self.best.clear();
        self.best.extend_from_slice(lambda);
        self.islands.prepare(problem);
        self.sweeper.begin(problem);
        let (mut most, mut status) = (0, Status::IterationLimit);
        for island in 0..self.islands.len() {
            let best = self.islands.measured(&self.common, island);
            if best.f64() > options.tolerance {
                let mut under = Under { island, best, done: 0 };
                if self.solve_island(problem, options, &mut under, lambda) {
                    status = Status::Stalled;
                }
                most = most.max(under.done);
            }
        }
        // (8)
        lambda.copy_from_slice(&self.best);
        self.common.end(problem, options, most, status, lambda)
    }
}

impl<T: Real> Hybrid<T> {
    /// (3) to (7). Returns whether it ended because sweeps no longer change anything.
    fn solve_island(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        under: &mut Under<T>,
        lambda: &mut [T],
    ) -> bool {
        let island = under.island;
        let enough = |under: &Under<T>| under.done >= options.iterations || under.best.f64() <= options.tolerance;
        let mut last = under.best;
        // (3)
        if self.islands.is_tight(island) {
            let effort = self.islands.effort(problem, island, ROWS);
            let cold = effort <= EFFORT_COLD && self.islands.is_cold(problem, island, lambda);
            if effort <= EFFORT_FIRST || cold {
                last = self.newton(problem, options, STEPS[0], under, lambda);
            }
        }
        if enough(under) {
            return false;
        }
        let (blocks, first) = self.islands.blocks(island);
        self.sweeper.make_ready(problem, blocks.iter().map(|&k| (k as usize, first[k as usize])));
        let mut round = ROUND;
        // A single block is solved exactly without over-relaxation.
        let mut part = if blocks.len() == 1 { T::ONE } else { T::of(BEYOND) };
        let mut later = STEPS[1..].iter();
        while !enough(under) {
            // (4)
            let change = self.sweep(problem, options, (round, part), under, lambda);
            let residual = self.look(problem, under, lambda);
            if enough(under) || change == T::ZERO {
                return change == T::ZERO;
            }
            let slow = residual * T::of(3.0) > last;
            // Cycling: shorter steps may end it.
            if residual * T::of(1.25) > last {
                part = (part * T::of(0.7)).max(T::of(0.1));
            }
            last = residual;
            if !slow {
                continue;
            }
            self.kept.clear();
            self.kept.extend_from_slice(lambda);
            // (5)
            if let Some(&steps) = later.next()
                && self.islands.effort(problem, island, ROWS) <= EFFORT
            {
                let found = self.newton(problem, options, steps, under, lambda);
                self.judge(problem, under, residual, found, lambda);
            }
            // (6)
            if !enough(under) {
                let iterations = (options.iterations - under.done).min(CONJUGATE * round / ROUND);
                let with = Options { iterations, good_start: 0.0, ..*options };
                under.done += self.conjugate(problem, &with, island, lambda);
                let found = self.take(problem, under, lambda);
                self.judge(problem, under, residual, found, lambda);
            }
            // (7)
            round *= 2;
        }
        false
    }

    /// Goes back to the impulses of the sweeps if another method has not improved much: it may be stuck where sweeps are not.
    fn judge(&mut self, problem: &Problem<T>, under: &Under<T>, swept: T, found: T, lambda: &mut [T]) {
        if found * T::of(3.0) > swept && found > T::ZERO {
            self.islands.copy(problem, under.island, &self.kept, lambda);
            self.islands.refresh(problem, under.island, lambda, &mut self.common.u);
        }
    }

    /// Sweeps over an island's blocks; returns the largest change in the last sweep.
    fn sweep(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        (round, part): (u32, T),
        under: &mut Under<T>,
        lambda: &mut [T],
    ) -> T {
        let mut change = T::ZERO;
        let (blocks, first) = self.islands.blocks(under.island);
        for _ in 0..round.min(options.iterations - under.done) {
            let list = blocks.iter().map(|&k| (k as usize, first[k as usize]));
            change = self.sweeper.pass(problem, list, part, &self.common.diagonal, &mut self.common.u, lambda);
            under.done += 1;
            // The error of a block is what its neighbours changed after it.
            if change.f64() <= part.f64().min(1.0) * options.tolerance || blocks.len() == 1 {
                break;
            }
        }
        change
    }

    /// Newton's method on an island; returns the residual.
    fn newton(
        &mut self,
        problem: &Problem<T>,
        options: &Options,
        steps: u32,
        under: &mut Under<T>,
        lambda: &mut [T],
    ) -> T {
        let steps = steps.min(options.iterations - under.done);
        let tolerance = T::of(0.1 * options.tolerance);
        let ended = self.islands.solve(problem, under.island, tolerance, steps, lambda);
        under.done += ended.iterations;
        if ended.residual.f64() > options.tolerance && self.is_far_out(problem, under.island, lambda) {
            self.islands.copy(problem, under.island, &self.best, lambda);
        }
        self.take(problem, under, lambda)
    }

    /// Whether impulses are far larger than the velocities of an island require: see [`FAR_OUT`].
    fn is_far_out(&self, problem: &Problem<T>, island: usize, lambda: &[T]) -> bool {
        let (blocks, first) = self.islands.blocks(island);
        let rows = |k: u32| first[k as usize]..first[k as usize] + problem.laws[k as usize].rows();
        let (mut asked, mut given) = (T::ZERO, T::ZERO);
        for row in blocks.iter().flat_map(|&k| rows(k)) {
            asked = asked.max(problem.b[row].abs());
            given = given.max((self.common.diagonal[row] * lambda[row]).abs());
        }
        given > T::of(FAR_OUT) * asked
    }

    /// Conjugate gradients on an island; returns the number of iterations.
    fn conjugate(&mut self, problem: &Problem<T>, options: &Options, island: usize, lambda: &mut [T]) -> u32 {
        let Some(operator) = problem.operator.factored() else {
            return self.alone.nncg.solve(problem, options, lambda).iterations;
        };
        let Alone { nncg, operator: own, b, laws, lambda: part } = &mut self.alone;
        let (blocks, first) = self.islands.blocks(island);
        own.clear(problem.operator.running_len());
        b.clear();
        laws.clear();
        part.clear();
        for &block in blocks {
            let law = problem.laws[block as usize];
            laws.push(law);
            for row in first[block as usize]..first[block as usize] + law.rows() {
                let [(s0, j0), (s1, j1)] = operator.row(row);
                let both = [Segment { start: s0, jacobian: j0 }, Segment { start: s1, jacobian: j1 }];
                own.push(operator.compliance[row], &both);
                b.push(problem.b[row]);
                part.push(lambda[row]);
            }
        }
        let alone = Problem { operator: &*own, b, laws, cone: problem.cone };
        let done = nncg.solve(&alone, options, part).iterations;
        let mut next = part.iter();
        for &block in blocks {
            let from = first[block as usize];
            lambda[from..from + problem.laws[block as usize].rows()]
                .iter_mut()
                .zip(&mut next)
                .for_each(|(l, &p)| *l = p);
        }
        done
    }

    /// Measures impulses found by a method other than sweeps; see [`Hybrid::look`].
    fn take(&mut self, problem: &Problem<T>, under: &mut Under<T>, lambda: &mut [T]) -> T {
        self.islands.refresh(problem, under.island, lambda, &mut self.common.u);
        self.look(problem, under, lambda)
    }

    /// Measures an island's impulses and keeps them if they are its best so far; returns their residual. Uses the running vector
    /// of the sweeps.
    fn look(&mut self, problem: &Problem<T>, under: &mut Under<T>, lambda: &mut [T]) -> T {
        let residual = self.islands.residual(problem, &self.common, under.island, lambda);
        if !residual.is_finite() {
            // Back to the best impulses: a sweep that overflows will do so again, Newton's method may not.
            self.islands.copy(problem, under.island, &self.best, lambda);
            self.islands.refresh(problem, under.island, lambda, &mut self.common.u);
        } else if residual < under.best {
            under.best = residual;
            self.islands.copy(problem, under.island, lambda, &mut self.best);
        }
        residual
    }
}
