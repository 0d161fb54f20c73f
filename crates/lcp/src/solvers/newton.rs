//! Newton's method on the nonsmooth equations, island by island.
//!
//! ```text
//! (1)  r(λ) = 0,  w = A λ + b                          the natural map, see the residual
//! (2)  r(λ) = 0,  w = A λ + b + σ D (λ - c)            with a proximal term: centre c, firmness σ
//! ```
//!
//! (2) is solved approximately by Newton's method with line search, the centre moves to the result, and so on; `σ` begins at
//! the root of rounding, so that redundant contacts (four points on a face) cause no trouble, and is raised where (2) does not
//! converge. Closing contacts begin as sticking. The result does not depend on the order of the contacts: loads that the law
//! leaves undetermined are as even as the scene is symmetric, which sweeps do not achieve.

use super::{Common, Solver, SolverEntry, takes_all};
use crate::islands::Islands;
use crate::newton::{Ended, Newton};
use crate::residual::{block_residual, round_residual};
use crate::{Cone, Factored, Law, Operator, Options, Problem, Real, SolveReport, Status};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "newton",
    text: "Newton's method on the natural map, with a proximal term, dense by islands",
    guarantees: "Quadratic convergence from near a solution, also where rows are redundant. From far away it usually \
                 converges, which is not proven; it returns the best impulses found. Time grows with the cube of an island's \
                 rows.",
    refuses: takes_all,
    relaxes: false,
    pivots: false,
    promises: super::newton_promise,
    make: || Box::new(NewtonSolver::default()),
    make_f32: || Box::new(NewtonSolver::default()),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct NewtonSolver<T> {
    common: Common<T>,
    islands: IslandNewton<T>,
}

/// Newton's method over the islands of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandNewton<T> {
    islands: Islands,
    newton: Newton<T>,
    first: Vec<usize>,
    rows: Vec<usize>,
}

impl<T: Real> IslandNewton<T> {
    /// Finds the islands.
    pub fn prepare(&mut self, problem: &Problem<T>) {
        self.first.clear();
        self.first.extend(problem.blocks().map(|(first, _)| first));
        self.islands.find(problem);
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.islands.len()
    }

    /// The blocks of an island, and the first row of each block of the problem.
    pub fn blocks(&self, island: usize) -> (&[u32], &[usize]) {
        (self.islands.blocks(island), &self.first)
    }

    /// See [`Islands::is_tight`].
    pub fn is_tight(&self, island: usize) -> bool {
        self.islands.is_tight(island)
    }

    /// Approximate number of multiplications of one Newton step on an island; infinite beyond so many rows.
    pub fn effort(&mut self, problem: &Problem<T>, island: usize, most_rows: usize) -> f64 {
        self.islands.effort(problem, &self.first, island, most_rows)
    }

    /// Rows of an island.
    pub fn rows(&self, problem: &Problem<T>, island: usize) -> usize {
        self.islands.blocks(island).iter().map(|&k| problem.laws[k as usize].rows()).sum()
    }

    /// Recomputes the running vector of an island's impulses.
    pub fn refresh(&self, problem: &Problem<T>, island: usize, lambda: &[T], u: &mut [T]) {
        let Some(operator) = problem.operator.factored() else { return problem.operator.running(lambda, u) };
        let blocks = self.islands.blocks(island);
        for &block in blocks {
            for row in self.rows_of(problem, block) {
                operator.clear_running(row, u);
            }
        }
        for &block in blocks {
            let rows = self.rows_of(problem, block);
            operator.scatter(rows.start, &lambda[rows], u);
        }
    }

    fn rows_of(&self, problem: &Problem<T>, block: u32) -> std::ops::Range<usize> {
        let first = self.first[block as usize];
        first..first + problem.laws[block as usize].rows()
    }

    /// Copies an island's impulses.
    pub fn copy(&self, problem: &Problem<T>, island: usize, from: &[T], to: &mut [T]) {
        for &block in self.islands.blocks(island) {
            let rows = self.rows_of(problem, block);
            to[rows.clone()].copy_from_slice(&from[rows]);
        }
    }

    /// The largest natural residual in an island at the last measurement over all blocks.
    pub fn measured(&self, common: &Common<T>, island: usize) -> T {
        let blocks = self.islands.blocks(island).iter();
        blocks.fold(T::ZERO, |most, &block| most.max(common.of_block[block as usize]))
    }

    /// The largest natural residual in an island, infinite where one is NaN, with the running vector of `lambda` in `common`.
    pub fn residual(&self, problem: &Problem<T>, common: &Common<T>, island: usize, lambda: &[T]) -> T {
        match problem.operator.factored() {
            Some(operator) => self.residual_over(operator, problem, common, island, lambda),
            None => self.residual_over(problem.operator, problem, common, island, lambda),
        }
    }

    fn residual_over<O: Operator<T> + ?Sized>(
        &self,
        operator: &O,
        problem: &Problem<T>,
        common: &Common<T>,
        island: usize,
        lambda: &[T],
    ) -> T {
        let mut largest = T::ZERO;
        for &block in self.islands.blocks(island) {
            let law = &problem.laws[block as usize];
            let first = self.first[block as usize];
            if let Law::Friction { mu: [mu, second] } = law
                && mu == second
                && problem.cone == Cone::Exact
            {
                // The most frequent block, with fixed lengths.
                let three = |x: &[T]| -> [T; 3] { [x[first], x[first + 1], x[first + 2]] };
                let (w, b) = (operator.gather_three(&common.u, lambda, first), three(problem.b));
                let w = [w[0] + b[0], w[1] + b[1], w[2] + b[2]];
                let r = round_residual(*mu, three(&common.diagonal), three(lambda), w);
                if r.iter().any(|r| !r.is_finite()) {
                    return T::ONE / T::ZERO;
                }
                largest = largest.max(r[0].abs()).max(r[1].abs()).max(r[2].abs());
                continue;
            }
            let n = law.rows();
            let rows = first..first + n;
            let (mut w, mut r) = ([T::ZERO; 6], [T::ZERO; 6]);
            operator.gather(&common.u, lambda, first, &mut w[..n]);
            (0..n).for_each(|i| w[i] += problem.b[first + i]);
            let d = &common.diagonal[rows.clone()];
            block_residual(law, problem.cone, d, &lambda[rows], &w[..n], &mut r[..n]);
            if r[..n].iter().any(|r| !r.is_finite()) {
                return T::ONE / T::ZERO;
            }
            largest = r[..n].iter().fold(largest, |most, r| most.max(r.abs()));
        }
        largest
    }

    /// Whether all impulses of an island are still zero.
    pub fn is_cold(&self, problem: &Problem<T>, island: usize, lambda: &[T]) -> bool {
        self.islands.blocks(island).iter().all(|&block| {
            let first = self.first[block as usize];
            lambda[first..first + problem.laws[block as usize].rows()].iter().all(|x| *x == T::ZERO)
        })
    }

    /// Improves one island's impulses in place.
    pub fn solve(
        &mut self,
        problem: &Problem<T>,
        island: usize,
        tolerance: T,
        iterations: u32,
        lambda: &mut [T],
    ) -> Ended<T> {
        let n = self.rows(problem, island);
        self.newton.begin(n);
        self.rows.clear();
        for &block in self.islands.blocks(island) {
            let law = problem.laws[block as usize];
            self.newton.laws.push(law);
            let first = self.first[block as usize];
            self.rows.extend(first..first + law.rows());
        }
        match problem.operator.factored() {
            Some(operator) => fill(operator, &self.newton.laws, &self.rows, &mut self.newton.a),
            None => problem.operator.dense(&mut self.newton.a),
        }
        for (i, &row) in self.rows.iter().enumerate() {
            self.newton.b[i] = problem.b[row];
            self.newton.lambda[i] = lambda[row];
        }
        let ended = self.newton.solve(problem.cone, tolerance, iterations);
        for (i, &row) in self.rows.iter().enumerate() {
            lambda[row] = self.newton.lambda[i];
        }
        ended
    }
}

/// `A` of an island from blocks that share a velocity: one half, mirrored.
fn fill<T: Real>(operator: &Factored<T>, laws: &[Law], rows: &[usize], a: &mut [T]) {
    let n = rows.len();
    let mut i = 0;
    for (k, of) in laws.iter().enumerate() {
        let uniform = operator.is_uniform(rows[i], of.rows());
        let mut j = 0;
        for with in &laws[..=k] {
            let known = uniform && operator.is_uniform(rows[j], with.rows());
            if known && operator.touch(rows[i], rows[j]) {
                let (p, q) = (of.rows(), with.rows());
                let mut part = [T::ZERO; 36];
                operator.product((rows[i], p), (rows[j], q), 6, &mut part);
                for r in 0..p {
                    for c in 0..q {
                        a[(i + r) * n + j + c] = part[6 * r + c];
                        a[(j + c) * n + i + r] = part[6 * r + c];
                    }
                }
            } else if !known {
                for r in i..i + of.rows() {
                    for c in j..(j + with.rows()).min(r + 1) {
                        let entry = operator.entry(rows[r], rows[c]);
                        (a[r * n + c], a[c * n + r]) = (entry, entry);
                    }
                }
            }
            j += with.rows();
        }
        i += of.rows();
    }
}

impl<T: Real> Solver<T> for NewtonSolver<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        if let Err(outcome) = self.common.begin(problem, options, lambda) {
            return outcome;
        }
        self.islands.prepare(problem);
        let mut most = 0;
        for island in 0..self.islands.len() {
            let rows = self.islands.rows(problem, island);
            if rows > super::MOST_DENSE_ROWS {
                return self.common.end(problem, options, 0, Status::TooLarge { rows }, lambda);
            }
            // Also sorts the blocks.
            self.islands.effort(problem, island, super::MOST_DENSE_ROWS);
        }
        for island in 0..self.islands.len() {
            let tolerance = T::of(0.5 * options.tolerance);
            most = most.max(self.islands.solve(problem, island, tolerance, options.iterations, lambda).iterations);
        }
        let status = if most >= options.iterations { Status::IterationLimit } else { Status::Stalled };
        self.common.end(problem, options, most, status, lambda)
    }
}
