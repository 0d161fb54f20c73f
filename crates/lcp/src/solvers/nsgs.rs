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
use crate::{Operator, Options, Problem, Real, SolveReport};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "nsgs",
    text: "block Gauss-Seidel, each contact solved exactly",
    guarantees: "Every sweep solves each block's law exactly. Without friction, or with little coupling between normal \
                 and tangents, it converges for every symmetric positive semidefinite A whose problem has a solution; \
                 slowly where long chains or large mass ratios couple the blocks. With friction convergence is usual and \
                 not proven.",
    refuses: takes_all,
    relaxes: false,
    pivots: false,
    promises: |traits| {
        // Friction of a single contact is exact; with coupled contacts convergence is usual and not proven.
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

/// Prepared blocks, and sweeps over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweeper<T> {
    blocks: Vec<Block<T>>,
    turning: Vec<Turning<T>>,
}

impl<T: Real> Sweeper<T> {
    /// Reserves memory for the blocks of a problem; none of them is prepared.
    pub fn begin(&mut self, problem: &Problem<T>) {
        self.turning.clear();
        // Old contents stay: a block is not used before it is prepared.
        if self.blocks.len() < problem.laws.len() {
            let nothing = Block::Row { inverse: T::ZERO, lowest: T::ZERO, highest: T::ZERO };
            self.blocks.resize(problem.laws.len(), nothing);
        }
    }

    /// Prepares some blocks, each given with its first row.
    pub fn make_ready(&mut self, problem: &Problem<T>, blocks: impl Iterator<Item = (usize, usize)>) {
        let mut matrix = [T::ZERO; 36];
        for (block, first) in blocks {
            let law = &problem.laws[block];
            let n = law.rows();
            problem.operator.diagonal(first, n, &mut matrix[..n * n]);
            self.blocks[block] = Block::new(law, &matrix[..n * n], &mut self.turning);
        }
    }

    /// One sweep over some blocks, each moving by `part` of the step that solves it; for `part` > 1 as far as its law allows.
    /// Returns the largest change, as a velocity of the row that changed.
    pub fn pass(
        &self,
        problem: &Problem<T>,
        blocks: impl Iterator<Item = (usize, usize)>,
        part: T,
        diagonal: &[T],
        u: &mut [T],
        lambda: &mut [T],
    ) -> T {
        // Compiled for each operator, so that the products of a block are inlined into the loop.
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
            // Blocks with torsion or rolling have no cheap projection onto their law.
            let part = if matches!(block, Block::Turning(_)) { part.min(T::ONE) } else { part };
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
                if let Block::Row { lowest, highest, .. } = block {
                    lambda[first] = lambda[first].max(*lowest).min(*highest);
                    change[0] = lambda[first] - before[0];
                }
            }
            operator.scatter(first, &change[..n], u);
        }
        largest
    }
}

/// One contact of three rows: the loop's most frequent case, with fixed lengths.
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
    // Open before and after: most contacts that are only near.
    if before == [T::ZERO; 3] && operator.gather_unloaded(u, first) + b[0] >= T::ZERO {
        return T::ZERO;
    }
    let w = operator.gather_three(u, lambda, first);
    let w = [w[0] + b[0], w[1] + b[1], w[2] + b[2]];
    let now = match friction.held(problem.cone, w, before) {
        Some(now) => now,
        None => {
            // Element by element: an array returned in memory would be written and read there also for sticking contacts.
            let [n, t0, t1] = friction.solve_open_or_sliding(problem.cone, w, before);
            [n, t0, t1]
        }
    };
    let d = three(diagonal);
    let mut now = now;
    let from_before = |now: [T; 3]| [now[0] - before[0], now[1] - before[1], now[2] - before[2]];
    let mut change = from_before(now);
    if part != T::ONE {
        let on = [before[0] + part * change[0], before[1] + part * change[1], before[2] + part * change[2]];
        now = if part > T::ONE { friction.beyond(problem.cone, on, now) } else { on };
        change = from_before(now);
    }
    if change == [T::ZERO; 3] {
        return T::ZERO;
    }
    lambda[first..first + 3].copy_from_slice(&now);
    operator.scatter(first, &change, u);
    (change[0] * d[0]).abs().max((change[1] * d[1]).abs()).max((change[2] * d[2]).abs())
}

impl<T: Real> Solver<T> for Nsgs<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::bodies::Scene;
    use crate::{Cone, Law};

    /// Sweeps with a factor until a sweep changes only rounding; returns the number of sweeps and the impulses.
    fn swept(laws: Law, pushed: f64, part: f64) -> (u32, Vec<f64>) {
        let mut scene = Scene::new(1e-3);
        let bodies: Vec<usize> = (0..6).map(|_| scene.cube([0.0; 3], 0.1, 1.0, 9.81)).collect();
        for k in 0..6 {
            scene.touch(bodies[k], k.checked_sub(1).map(|k| bodies[k]), [0.0; 3], [0.0, 0.0, 1.0], 0.0, 0.0, laws);
        }
        let mut stepped = scene.problem();
        // The second row of the topmost block is a tangent: the column is pushed there.
        if laws.rows() > 1 {
            stepped.b[5 * laws.rows() + 1] += pushed;
        }
        let problem = Problem { operator: &stepped.operator, b: &stepped.b, laws: &stepped.laws, cone: Cone::Exact };
        let mut sweeper = Sweeper::default();
        sweeper.prepare(&problem);
        let mut diagonal = vec![0.0; problem.rows()];
        stepped.operator.diagonal_entries(&mut diagonal);
        let (mut u, mut lambda) = (vec![0.0; stepped.operator.running_len()], vec![0.0; problem.rows()]);
        for done in 1..2000 {
            let blocks = problem.blocks().map(|(first, _)| first).enumerate();
            if sweeper.pass(&problem, blocks, part, &diagonal, &mut u, &mut lambda) < 1e-15 {
                return (done, lambda);
            }
        }
        panic!("2000 sweeps did not settle with a factor of {part}");
    }

    /// A column of six cubes, where a sweep passes a load on by one cube: over-relaxation ends at the same impulses in fewer
    /// sweeps, whether the contacts stick, slide or have no friction.
    #[test]
    fn over_relaxation_gives_the_impulses_of_gauss_seidel_in_fewer_sweeps() {
        for (law, pushed) in [
            (Law::Unilateral, 0.0),
            (Law::Friction { mu: [0.5; 2] }, 0.0),
            (Law::Friction { mu: [0.5; 2] }, 1e-2),
            (Law::Friction { mu: [0.5; 2] }, 1.0),
        ] {
            let (sweeps, exact) = swept(law, pushed, 1.0);
            let (fewer, beyond) = swept(law, pushed, 1.5);
            assert!(2 * fewer < sweeps, "{law:?} pushed by {pushed}: {fewer} sweeps, {sweeps} without");
            for (a, b) in exact.iter().zip(&beyond) {
                // Both have converged to 1e-15 m/s, and loads add up over six cubes.
                assert!((a - b).abs() < 1e-12, "{law:?} pushed by {pushed}: {exact:?} {beyond:?}");
            }
        }
    }
}
