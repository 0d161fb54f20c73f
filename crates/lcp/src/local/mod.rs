//! One block solved exactly, all other impulses fixed: `w = D λ + q`, `D` the diagonal block of `A`.

mod disc;
mod friction;
mod polygon;

pub use disc::solve_disc;
pub use friction::Friction;

use crate::{Cone, Law, Real};

/// A prepared block: what does not change from sweep to sweep is computed once.
#[derive(Clone, Copy, Debug)]
pub enum Block<T> {
    /// One row, `lowest <= λ <= highest` (`Equal` and `Unilateral` with infinite bounds).
    Row {
        /// `1/D`, zero for a row that nothing moves.
        inverse: T,
        /// Least impulse.
        lowest: T,
        /// Largest impulse.
        highest: T,
    },
    /// Normal and two tangents.
    Friction(Friction<T>),
    /// Normal, tangents, and rotation about them: index into a list, because it is large and rare.
    Turning(usize),
}

/// A block with torsion, and perhaps rolling: three sub-blocks, each exact, solved in turn.
#[derive(Clone, Copy, Debug)]
pub struct Turning<T> {
    friction: Friction<T>,
    matrix: [[T; 6]; 6],
    rows: usize,
    torsion: T,
    rolling: T,
}

/// The proximal term relative to the block's largest diagonal entry: added to the diagonal and compensated at the previous
/// impulses, so that a singular block has a unique answer and a fixed point stays one.
pub fn proximal<T: Real>() -> T {
    T::EPSILON * T::of(512.0)
}

impl<T: Real> Block<T> {
    /// From a diagonal block, row by row. Blocks with torsion or rolling are added to the list.
    pub fn new(law: &Law, matrix: &[T], turning: &mut Vec<Turning<T>>) -> Block<T> {
        let bounds = |lowest: f64, highest: f64| {
            let inverse = if matrix[0] > T::ZERO { T::ONE / matrix[0] } else { T::ZERO };
            Block::Row { inverse, lowest: T::of(lowest), highest: T::of(highest) }
        };
        match law {
            Law::Equal => bounds(f64::NEG_INFINITY, f64::INFINITY),
            Law::Unilateral => bounds(0.0, f64::INFINITY),
            Law::Between { lowest, highest } => bounds(*lowest, *highest),
            Law::Friction { mu } => {
                let row = |i: usize| [matrix[i], matrix[i + 1], matrix[i + 2]];
                Block::Friction(Friction::new(*mu, [row(0), row(3), row(6)]))
            }
            Law::Torsion { mu, torsion } => Turning::add(*mu, *torsion, 0.0, 4, matrix, turning),
            Law::Rolling { mu, torsion, rolling } => Turning::add(*mu, *torsion, *rolling, 6, matrix, turning),
        }
    }

    /// Computes the block's impulses: `w` are its velocities at `lambda`.
    #[inline]
    pub fn solve(&self, turning: &[Turning<T>], cone: Cone, w: &[T], lambda: &mut [T]) {
        match self {
            Block::Row { inverse, lowest, highest } => {
                lambda[0] = (lambda[0] - w[0] * *inverse).max(*lowest).min(*highest);
            }
            Block::Friction(friction) => {
                let solved = friction.solve(cone, [w[0], w[1], w[2]], [lambda[0], lambda[1], lambda[2]]);
                lambda[..3].copy_from_slice(&solved);
            }
            Block::Turning(index) => turning[*index].solve(cone, w, lambda),
        }
    }
}

impl<T: Real> Turning<T> {
    fn add(mu: [f64; 2], torsion: f64, rolling: f64, rows: usize, values: &[T], to: &mut Vec<Self>) -> Block<T> {
        let mut matrix = [[T::ZERO; 6]; 6];
        for i in 0..rows {
            for j in 0..rows {
                matrix[i][j] = values[rows * i + j];
            }
        }
        let friction = Friction::new(mu, [0, 1, 2].map(|i| [0, 1, 2].map(|j| matrix[i][j])));
        to.push(Turning { friction, matrix, rows, torsion: T::of(torsion), rolling: T::of(rolling) });
        Block::Turning(to.len() - 1)
    }

    /// Solves sub-blocks in turn until they no longer change: a contraction, as block Gauss-Seidel on a positive definite block.
    fn solve(&self, cone: Cone, start: &[T], lambda: &mut [T]) {
        let n = self.rows;
        let mut w = [T::ZERO; 6];
        w[..n].copy_from_slice(&start[..n]);
        let mut x = [T::ZERO; 6];
        x[..n].copy_from_slice(&lambda[..n]);
        for _ in 0..64 {
            let before = x;
            let contact = self.friction.solve(cone, [w[0], w[1], w[2]], [x[0], x[1], x[2]]);
            self.change(&mut w, &mut x, 0, &contact);
            let bound = self.torsion * x[0];
            let spin = if self.matrix[3][3] > T::ZERO { x[3] - w[3] / self.matrix[3][3] } else { x[3] };
            self.change(&mut w, &mut x, 3, &[spin.max(-bound).min(bound)]);
            if n == 6 {
                let m = &self.matrix;
                let roll = solve_disc([m[4][4], m[4][5], m[5][5]], [w[4], w[5]], [x[4], x[5]], self.rolling * x[0]);
                self.change(&mut w, &mut x, 4, &roll);
            }
            let settled = (0..n).all(|i| {
                (x[i] - before[i]).abs() * self.matrix[i][i]
                    <= T::of(8.0) * T::EPSILON * x[i].abs() * self.matrix[i][i]
            });
            if settled {
                break;
            }
        }
        lambda[..n].copy_from_slice(&x[..n]);
    }

    fn change(&self, w: &mut [T; 6], x: &mut [T; 6], first: usize, to: &[T]) {
        for (i, &to) in (first..).zip(to) {
            let change = to - x[i];
            x[i] = to;
            for row in 0..self.rows {
                w[row] += self.matrix[row][i] * change;
            }
        }
    }
}
