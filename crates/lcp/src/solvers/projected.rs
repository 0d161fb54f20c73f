//! Projection of rows and friction discs, one by one: the sweep of `pgs`, `sor` and `nncg`, and the step of `jacobi`.
//!
//! ```text
//! (1)  normal, or any single row   λ <- clamp(λ - ω w/d)
//! (2)  friction of a box cone      each tangent as (1), bounds ±μᵢ λₙ from the normal impulse of this sweep
//! (3)  friction of other cones     t <- P(t - ω s/d),  d >= the largest eigenvalue of the tangents' 2x2 block
//! (4)  torsion as (1), rolling as (3) with a disc
//! ```
//!
//! Unlike in `nsgs`, nothing is solved exactly within a block: tangents use the current normal impulse. The fixed points are
//! the same.

use crate::cone::{Scaled, project, project_disc};
use crate::{Cone, Law, Problem, Real};

/// Diagonal blocks of a problem, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projected<T> {
    matrices: Vec<T>,
}

impl<T: Real> Projected<T> {
    /// The diagonal blocks of the problem.
    pub fn prepare(&mut self, problem: &Problem<T>) {
        self.matrices.clear();
        for (first, law) in problem.blocks() {
            let n = law.rows();
            let at = self.matrices.len();
            self.matrices.resize(at + n * n, T::ZERO);
            problem.operator.diagonal(first, n, &mut self.matrices[at..]);
        }
    }

    /// One sweep; returns the largest change, as a velocity.
    pub fn sweep(&self, problem: &Problem<T>, omega: T, u: &mut [T], lambda: &mut [T]) -> T {
        let mut largest = T::ZERO;
        let mut at = 0;
        for (first, law) in problem.blocks() {
            let n = law.rows();
            let matrix = &self.matrices[at..at + n * n];
            at += n * n;
            let (mut w, mut change) = ([T::ZERO; 6], [T::ZERO; 6]);
            problem.operator.gather(u, lambda, first, &mut w[..n]);
            for i in 0..n {
                w[i] += problem.b[first + i];
                change[i] = -lambda[first + i];
            }
            project_block(law, problem.cone, matrix, omega, true, &mut w[..n], &mut lambda[first..first + n]);
            for i in 0..n {
                change[i] += lambda[first + i];
                largest = largest.max((change[i] * matrix[n * i + i]).abs());
            }
            problem.operator.scatter(first, &change[..n], u);
        }
        largest
    }

    /// Projects all blocks from the same velocities; `w` are those of `lambda`.
    pub fn step(&self, problem: &Problem<T>, omega: T, w: &mut [T], lambda: &mut [T]) {
        let mut at = 0;
        for (first, law) in problem.blocks() {
            let n = law.rows();
            let rows = first..first + n;
            let matrix = &self.matrices[at..at + n * n];
            at += n * n;
            project_block(law, problem.cone, matrix, omega, false, &mut w[rows.clone()], &mut lambda[rows]);
        }
    }
}

/// (1) to (4). With `follow` the block's velocities follow its own changes.
fn project_block<T: Real>(
    law: &Law,
    cone: Cone,
    matrix: &[T],
    omega: T,
    follow: bool,
    w: &mut [T],
    lambda: &mut [T],
) {
    let n = law.rows();
    let row = |w: &mut [T], lambda: &mut [T], i: usize, lowest: T, highest: T| {
        let d = matrix[n * i + i];
        let free = if d > T::ZERO { lambda[i] - omega * w[i] / d } else { lambda[i] };
        set(matrix, n, follow, w, lambda, i, free.max(lowest).min(highest));
    };
    let infinite = T::ONE / T::ZERO;
    match law {
        Law::Equal => row(w, lambda, 0, -infinite, infinite),
        Law::Unilateral => row(w, lambda, 0, T::ZERO, infinite),
        Law::Between { lowest, highest } => row(w, lambda, 0, T::of(*lowest), T::of(*highest)),
        Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
            row(w, lambda, 0, T::ZERO, infinite);
            let load = lambda[0];
            if cone == Cone::Box {
                for i in 0..2 {
                    let bound = T::of(mu[i]) * load;
                    row(w, lambda, 1 + i, -bound, bound);
                }
            } else {
                let scale = Scaled::<T>::new(*mu);
                let d = largest_eigenvalue(matrix, n, 1);
                let t = scale.scaled([lambda[1], lambda[2]]);
                let to = if d > T::ZERO {
                    let y = [0, 1].map(|i| t[i] - omega * scale.share[i] * w[1 + i] / d);
                    project(cone, scale.mu * load, y)
                } else {
                    project(cone, scale.mu * load, t)
                };
                for i in 0..2 {
                    let share = if scale.mu > T::ZERO { scale.share[i] } else { T::ZERO };
                    set(matrix, n, follow, w, lambda, 1 + i, share * to[i]);
                }
            }
            if let Law::Torsion { torsion, .. } | Law::Rolling { torsion, .. } = law {
                let bound = T::of(*torsion) * load;
                row(w, lambda, 3, -bound, bound);
            }
            if let Law::Rolling { rolling, .. } = law {
                let d = largest_eigenvalue(matrix, n, 4);
                let y = [4, 5].map(|i| if d > T::ZERO { lambda[i] - omega * w[i] / d } else { lambda[i] });
                let to = if load > T::ZERO { project_disc(T::of(*rolling) * load, y) } else { [T::ZERO; 2] };
                for i in 0..2 {
                    set(matrix, n, follow, w, lambda, 4 + i, to[i]);
                }
            }
        }
    }
}

fn set<T: Real>(matrix: &[T], n: usize, follow: bool, w: &mut [T], lambda: &mut [T], i: usize, to: T) {
    let change = to - lambda[i];
    lambda[i] = to;
    if follow && change != T::ZERO {
        for j in 0..n {
            w[j] += matrix[n * j + i] * change;
        }
    }
}

/// Upper bound on the largest eigenvalue of two neighbouring rows' 2x2 block; exact when they do not couple.
fn largest_eigenvalue<T: Real>(matrix: &[T], n: usize, i: usize) -> T {
    let (a, b, c) = (matrix[n * i + i], matrix[n * i + i + 1], matrix[n * (i + 1) + i + 1]);
    let half = T::of(0.5);
    let (mean, apart) = ((a + c) * half, (a - c) * half);
    mean + (apart * apart + b * b).sqrt()
}
