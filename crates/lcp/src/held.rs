//! Problems in which every contact sticks or is open: one symmetric linear system instead of an iterative solve.
//!
//! The last step's impulses determine the state of every block. `active` are the rows whose velocity must vanish: contacts with
//! an impulse inside their cone, limits that press, joints that stick, equalities. All other impulses stay as they are.
//!
//! ```text
//! (1)  (A + E) δ = -(A λ + b)     over active rows;  E: diagonal, makes redundant rows determinate
//! (2)  λ <- λ + δ                  again, with the same factor, until |A λ + b| is within the tolerance
//! ```
//!
//! (2) is the proximal point method with a metric `E`: each round leaves `E δ` of the velocities, and moves no farther from the
//! start than necessary. The caller must check the natural residual of the result, which shows whether the assumed states were
//! right, and keep the start to go back to.
//!
//! Cost: `n³/6` multiplications for `n` active rows, once, and `n²` per round.

use crate::{Factored, Law, Operator, Real};

/// Scratch of [`Held::solve`].
#[derive(Clone, Debug, Default)]
pub struct Held<T> {
    /// Active rows.
    rows: Vec<usize>,
    /// Blocks of active rows: first row and number of rows.
    blocks: Vec<(usize, usize)>,
    /// Lower triangle by rows, then its factor with inverse pivots.
    matrix: Vec<T>,
    step: Vec<T>,
    u: Vec<T>,
    w: Vec<T>,
}

impl<T: Real> Held<T> {
    /// Reserves memory for a problem of so many rows over so many velocities, at most so many of them active: later solves of
    /// no more allocate nothing.
    pub fn reserve(&mut self, rows: usize, velocities: usize, most: usize) {
        let most = most.min(rows);
        self.rows.reserve(most.saturating_sub(self.rows.len()));
        self.blocks.reserve(most.saturating_sub(self.blocks.len()));
        self.matrix.reserve((most * most).saturating_sub(self.matrix.len()));
        self.step.reserve(most.saturating_sub(self.step.len()));
        self.w.resize(rows, T::ZERO);
        self.u.resize(velocities, T::ZERO);
    }

    /// Changes `lambda` by (1) and (2), in at most so many rounds; `more` has `E`, row by row. Returns the rounds, or `None` where a
    /// block slides, where more than `most` rows are active, or where the matrix has no factor; `lambda` is then the start
    /// or no better than it.
    #[allow(clippy::too_many_arguments)]
    // Not inlined: inside the code of a whole step its loops run out of registers.
    #[inline(never)]
    pub fn solve(
        &mut self,
        operator: &Factored<T>,
        b: &[T],
        laws: &[Law],
        more: &[T],
        (most, rounds): (usize, u32),
        tolerance: T,
        lambda: &mut [T],
    ) -> Option<u32> {
        self.rows.clear();
        self.blocks.clear();
        let mut first = 0;
        for law in laws {
            let n = law.rows();
            if !operator.is_uniform(first, n) {
                return None;
            }
            if is_active(law, &lambda[first..first + n])? {
                if self.rows.len() + n > most {
                    return None;
                }
                self.rows.extend(first..first + n);
                self.blocks.push((first, n));
            }
            first += n;
        }
        let n = self.rows.len();
        if n == 0 {
            return None;
        }
        self.fill(operator, more);
        if !factor(n, &mut self.matrix) {
            return None;
        }
        self.step.resize(n, T::ZERO);
        self.w.resize(lambda.len(), T::ZERO);
        self.u.resize(operator.running_len(), T::ZERO);
        for round in 0..rounds {
            operator.multiply(lambda, &mut self.u, &mut self.w);
            let mut largest = T::ZERO;
            for (step, &row) in self.step.iter_mut().zip(&self.rows) {
                *step = -(self.w[row] + b[row]);
                largest = largest.max(step.abs());
            }
            if largest <= tolerance {
                return Some(round);
            }
            solve(n, &self.matrix, &mut self.step);
            for (step, &row) in self.step.iter().zip(&self.rows) {
                lambda[row] += *step;
            }
        }
        Some(rounds)
    }

    /// The lower triangle of (1).
    fn fill(&mut self, operator: &Factored<T>, more: &[T]) {
        let n = self.rows.len();
        self.matrix.resize(n * n, T::ZERO);
        let mut i = 0;
        for (k, &of) in self.blocks.iter().enumerate() {
            let mut j = 0;
            for &with in &self.blocks[..=k] {
                operator.product(of, with, n, &mut self.matrix[i * n + j..]);
                j += with.1;
            }
            for r in i..i + of.1 {
                self.matrix[r * n + r] += more[self.rows[r]];
            }
            i += of.1;
        }
    }
}

/// Whether the rows of a block are active; `None` if it slides or its state cannot be determined.
fn is_active<T: Real>(law: &Law, lambda: &[T]) -> Option<bool> {
    match law {
        Law::Equal => Some(true),
        Law::Unilateral => Some(lambda[0] > T::ZERO),
        Law::Between { lowest, highest } => Some(lambda[0] > T::of(*lowest) && lambda[0] < T::of(*highest)),
        Law::Friction { mu } => {
            if lambda[0] <= T::ZERO {
                return Some(false);
            }
            let (x, y) = (lambda[1] / T::of(mu[0]), lambda[2] / T::of(mu[1]));
            (x * x + y * y < lambda[0] * lambda[0]).then_some(true)
        }
        Law::Torsion { .. } | Law::Rolling { .. } => None,
    }
}

/// The factor `L` of `L Lᵀ` in place, from the lower triangle by rows; pivots are inverted. `false` if one is not positive.
fn factor<T: Real>(n: usize, a: &mut [T]) -> bool {
    for i in 0..n {
        let (above, own) = a.split_at_mut(i * n);
        let own = &mut own[..=i];
        for j in 0..i {
            let row = &above[j * n..j * n + j + 1];
            own[j] = (own[j] - dot(&own[..j], &row[..j])) * row[j];
        }
        let pivot = own[i] - dot(&own[..i], &own[..i]);
        // Also false for NaN.
        if pivot <= T::ZERO || !pivot.is_finite() {
            return false;
        }
        own[i] = T::ONE / pivot.sqrt();
    }
    true
}

/// `x <- (L Lᵀ)⁻¹ x`.
fn solve<T: Real>(n: usize, l: &[T], x: &mut [T]) {
    for i in 0..n {
        let row = &l[i * n..i * n + i + 1];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) * row[i];
    }
    for i in (0..n).rev() {
        let row = &l[i * n..i * n + i + 1];
        let y = x[i] * row[i];
        x[i] = y;
        x[..i].iter_mut().zip(row).for_each(|(x, &l)| *x -= l * y);
    }
}

/// Four partial sums, then their sum.
#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 4];
    let (fours, others) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = fours.remainder().iter().zip(others.remainder()).fold(T::ZERO, |sum, (&a, &b)| sum + a * b);
    for (a, b) in fours.zip(others) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::bodies::Scene;
    use crate::{Cone, Problem, measure};

    /// A cube on four corners: redundant, and every corner sticks. From a start that carries too little the rounds converge to
    /// the laws, and the corners keep their shares of the load.
    #[test]
    fn a_cube_on_four_corners_is_held() {
        let mut scene = Scene::new(1e-3);
        let cube = scene.cube([0.0; 3], 0.1, 1.0, 9.81);
        let law = Law::Friction { mu: [0.5; 2] };
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            scene.touch(cube, None, [0.05 * x, 0.05 * y, -0.05], [0.0, 0.0, 1.0], 0.0, 0.0, law);
        }
        let stepped = scene.problem();
        let problem = Problem { operator: &stepped.operator, b: &stepped.b, laws: &stepped.laws, cone: Cone::Exact };
        let mut diagonal = vec![0.0; 12];
        stepped.operator.diagonal_entries(&mut diagonal);
        let more: Vec<f64> = diagonal.iter().map(|d| 1e-4 * d).collect();
        let mut lambda: Vec<f64> = [1e-3, 0.0, 0.0].repeat(4);
        let mut held = Held::default();
        let done = held.solve(&stepped.operator, &stepped.b, &stepped.laws, &more, (64, 8), 1e-12, &mut lambda);
        assert!(done.is_some_and(|rounds| (1..8).contains(&rounds)), "{done:?}");
        let mut u = vec![0.0; stepped.operator.running_len()];
        stepped.operator.running(&lambda, &mut u);
        // The requested tolerance.
        assert!(measure(&problem, &diagonal, &u, &lambda).residual <= 1e-12);
        // Four corners of one cube: the same by symmetry, to the roundings of a matrix whose condition is 1e4.
        for corner in lambda.chunks_exact(3) {
            assert!((corner[0] - lambda[0]).abs() < 1e-10 && (corner[0] - 9.81e-3 / 4.0).abs() < 1e-9, "{lambda:?}");
        }
        // A sliding contact is not handled here.
        lambda[1] = 0.5 * lambda[0];
        let done = held.solve(&stepped.operator, &stepped.b, &stepped.laws, &more, (64, 8), 1e-12, &mut lambda);
        assert_eq!(done, None);
    }
}
