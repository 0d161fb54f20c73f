//! Block Gauss-Seidel with every block solved exactly (nonsmooth Gauss-Seidel).
//!
//! ```text
//! (1)  for each block k, in order:   λₖ <- the exact solution of block k's law, all other impulses held
//! ```
//!
//! Cost: a sweep is one pass over `J`.

use super::{Common, Solver, SolverEntry, Sweep, run_sweeps, takes_all};
use crate::fixtures::Traits;
use crate::local::{Block, Friction, Turning};
use crate::{Operator, Options, Outcome, Problem, Real};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "nsgs",
    text: "block Gauss-Seidel, each contact solved exactly",
    guarantees: "Every sweep solves each block's law exactly. Without friction, or with little coupling between normal \
                 and tangents, it converges for every symmetric positive semidefinite A whose problem has a solution; \
                 slowly where long chains or large mass ratios couple the blocks. With friction convergence is usual and \
                 not proven.",
    refuses: takes_all,
    relaxes: false,
    promises: |traits| {
        // Friction of a contact alone is exact; between coupled contacts it is usual to converge, not proven.
        super::sweeps_promise(&Traits { friction: traits.friction && traits.rows > 6, ..*traits })
    },
    make: || Box::new(Nsgs::default()),
    make_f32: || Box::new(Nsgs::default()),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Nsgs<T> {
    common: Common<T>,
    sweeper: Sweeper<T>,
}

/// Blocks made ready, and sweeps over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweeper<T> {
    blocks: Vec<Block<T>>,
    turning: Vec<Turning<T>>,
}

impl<T: Real> Sweeper<T> {
    /// Room for the blocks of a problem, none of them ready.
    pub fn begin(&mut self, problem: &Problem<T>) {
        self.turning.clear();
        let nothing = Block::Row { inverse: T::ZERO, lowest: T::ZERO, highest: T::ZERO };
        self.blocks.clear();
        self.blocks.resize(problem.laws.len(), nothing);
    }

    /// Makes some blocks ready, each given with its first row.
    pub fn make_ready(&mut self, problem: &Problem<T>, blocks: impl Iterator<Item = (usize, usize)>) {
        let mut matrix = [T::ZERO; 36];
        for (block, first) in blocks {
            let law = &problem.laws[block];
            let n = law.rows();
            problem.operator.diagonal(first, n, &mut matrix[..n * n]);
            self.blocks[block] = Block::new(law, &matrix[..n * n], &mut self.turning);
        }
    }

    /// One sweep over some blocks, each going a part of its way; the largest change, as a velocity of the row that changed.
    pub fn pass(
        &self,
        problem: &Problem<T>,
        blocks: impl Iterator<Item = (usize, usize)>,
        part: T,
        diagonal: &[T],
        u: &mut [T],
        lambda: &mut [T],
    ) -> T {
        // Compiled for each operator: the products of a block are then part of the loop.
        match problem.operator.factored() {
            Some(operator) => self.pass_over(operator, problem, blocks, part, diagonal, u, lambda),
            None => self.pass_over(problem.operator, problem, blocks, part, diagonal, u, lambda),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn pass_over<O: Operator<T> + ?Sized>(
        &self,
        operator: &O,
        problem: &Problem<T>,
        blocks: impl Iterator<Item = (usize, usize)>,
        part: T,
        diagonal: &[T],
        u: &mut [T],
        lambda: &mut [T],
    ) -> T {
        let mut largest = T::ZERO;
        for (index, first) in blocks {
            let block = &self.blocks[index];
            if let Block::Friction(friction) = block {
                largest = largest.max(contact(operator, problem, friction, part, diagonal, first, u, lambda));
                continue;
            }
            let n = problem.laws[index].rows();
            let (mut w, mut change) = ([T::ZERO; 6], [T::ZERO; 6]);
            operator.gather(u, lambda, first, &mut w[..n]);
            for i in 0..n {
                w[i] += problem.b[first + i];
                change[i] = -lambda[first + i];
            }
            let mut before = [T::ZERO; 6];
            before[..n].copy_from_slice(&lambda[first..first + n]);
            block.solve(&self.turning, problem.cone, &w[..n], &mut lambda[first..first + n]);
            for i in 0..n {
                change[i] = (change[i] + lambda[first + i]) * part;
                largest = largest.max((change[i] * diagonal[first + i]).abs());
            }
            if part != T::ONE {
                (0..n).for_each(|i| lambda[first + i] = before[i] + change[i]);
            }
            operator.scatter(first, &change[..n], u);
        }
        largest
    }
}

/// One contact of three rows: the loop's most frequent case, without lengths to look up.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn contact<T: Real, O: Operator<T> + ?Sized>(
    operator: &O,
    problem: &Problem<T>,
    friction: &Friction<T>,
    part: T,
    diagonal: &[T],
    first: usize,
    u: &mut [T],
    lambda: &mut [T],
) -> T {
    let three = |v: &[T]| -> [T; 3] { v[first..first + 3].try_into().expect("three rows") };
    let (before, b) = (three(lambda), three(problem.b));
    // Apart before and after: most of those that are only near.
    if before == [T::ZERO; 3] && operator.gather_unloaded(u, first) + b[0] >= T::ZERO {
        return T::ZERO;
    }
    let mut w = [T::ZERO; 3];
    operator.gather(u, lambda, first, &mut w);
    let w = [w[0] + b[0], w[1] + b[1], w[2] + b[2]];
    let now = match friction.held(problem.cone, w, before) {
        Some(now) => now,
        None => friction.solve(problem.cone, w, before),
    };
    let d = three(diagonal);
    let mut now = now;
    let mut change = [now[0] - before[0], now[1] - before[1], now[2] - before[2]];
    if part != T::ONE {
        change = change.map(|x| part * x);
        now = [before[0] + change[0], before[1] + change[1], before[2] + change[2]];
    }
    if change == [T::ZERO; 3] {
        return T::ZERO;
    }
    lambda[first..first + 3].copy_from_slice(&now);
    operator.scatter(first, &change, u);
    (change[0] * d[0]).abs().max((change[1] * d[1]).abs()).max((change[2] * d[2]).abs())
}

impl<T: Real> Solver<T> for Nsgs<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> Outcome {
        run_sweeps(&mut self.common, problem, options, lambda, &mut self.sweeper)
    }
}

impl<T: Real> Sweep<T> for Sweeper<T> {
    fn prepare(&mut self, problem: &Problem<T>) {
        self.begin(problem);
        self.make_ready(problem, problem.blocks().map(|(first, _)| first).enumerate());
    }

    fn sweep(&mut self, problem: &Problem<T>, common: &mut Common<T>, lambda: &mut [T]) -> T {
        let blocks = problem.blocks().map(|(first, _)| first).enumerate();
        self.pass(problem, blocks, T::ONE, &common.diagonal, &mut common.u, lambda)
    }
}
