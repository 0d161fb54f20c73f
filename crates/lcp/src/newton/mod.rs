//! Newton's method on the natural map of one island, with a proximal term.
//!
//! ```text
//! (1)  r(λ) = 0,  w = A λ + b                                    `residual`
//! (2)  rₛ(λ) = 0,  w = A λ + b + σ D (λ - c)                     D: diagonal of A, c: a centre, σ: its firmness
//! (3)  (C + E (A + (σ + ε) D)) δ = -rₛ                            C, E: `slopes`
//! (4)  λ <- λ + α δ,  α = 1, 1/2, 1/4 … until |rₛ|² decreases     (else the α with the smallest)
//! ```
//!
//! (2) is solved approximately by (3) and (4), then the centre moves to the result, and so on. At first `σ = ε`, near rounding:
//! close to a solution this is Newton's method on (1), also where rows are redundant (four points on a face), and converges
//! quadratically up to the effect of such a small `σ`, a `σ`th of each step. Where that does not converge, `σ` is raised to a
//! tenth and more: (2) is then close to independent blocks and easy. It is lowered again when (2) converges in few steps. A
//! fixed point has `λ = c` and solves (1), whatever `σ` was.
//!
//! Cost: up to `n³/3` multiplications per step for `n` rows; less where coupled rows are near each other.

mod slopes;

use crate::residual::block_residual;
use crate::{
    Cone, Law, Real,
    linear::{self, Profile},
};
pub(crate) use slopes::{Slopes, slopes};

/// The scratch of one island at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton<T> {
    /// `A`, row by row, filled in by the caller.
    pub a: Vec<T>,
    /// `b`, filled in by the caller.
    pub b: Vec<T>,
    /// Laws, filled in by the caller.
    pub laws: Vec<Law>,
    /// Impulses: the start, and the best found.
    pub lambda: Vec<T>,
    diagonal: Vec<T>,
    w: Vec<T>,
    r: Vec<T>,
    trial: Vec<T>,
    step: Vec<T>,
    moved: Vec<T>,
    matrix: Vec<T>,
    best: Vec<T>,
    center: Vec<T>,
    profile: Profile,
    /// First and one past the last nonzero entry of each row of `a`.
    spans: Vec<(usize, usize)>,
    slopes: Vec<Slopes<T>>,
    first: Vec<usize>,
}

/// A residual up to this many times that of the start is still accepted as a better start.
const FARTHER: f64 = 10.0;

/// How a run of Newton's method ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ended<T> {
    pub iterations: u32,
    /// Largest natural residual of the impulses left in `lambda`.
    pub residual: T,
}

/// Result of solving (2).
struct Approach {
    steps: u32,
    settled: bool,
}

impl<T: Real> Newton<T> {
    /// Sizes for `n` rows; `a`, `b` and `lambda` are zeros, `laws` is empty.
    pub fn begin(&mut self, n: usize) {
        self.laws.clear();
        for v in [&mut self.a, &mut self.matrix] {
            v.clear();
            v.resize(n * n, T::ZERO);
        }
        for v in [
            &mut self.b,
            &mut self.lambda,
            &mut self.diagonal,
            &mut self.w,
            &mut self.r,
            &mut self.trial,
            &mut self.step,
            &mut self.moved,
            &mut self.best,
            &mut self.center,
        ] {
            v.clear();
            v.resize(n, T::ZERO);
        }
    }

    /// Runs up to so many steps, until the residual is within the tolerance or no longer falls.
    pub fn solve(&mut self, cone: Cone, tolerance: T, iterations: u32) -> Ended<T> {
        let n = self.b.len();
        self.first.clear();
        let mut next = 0;
        for law in &self.laws {
            self.first.push(next);
            next += law.rows();
        }
        self.spans.clear();
        for (i, row) in self.a.chunks_exact(n.max(1)).enumerate() {
            self.diagonal[i] = row[i].abs();
            let from = row.iter().position(|x| *x != T::ZERO).unwrap_or(0);
            self.spans.push((from, row.iter().rposition(|x| *x != T::ZERO).map_or(from, |k| k + 1)));
        }
        let least = firmness::<T>();
        let mut soft = least;
        // Never worse than the start.
        self.velocities(T::ZERO);
        self.residual(cone);
        let mut best = self.r.iter().fold(T::ZERO, |most, r| most.max(r.abs()));
        self.best.copy_from_slice(&self.lambda);
        let mut done = 0;
        let mut since = 0;
        if iterations > 0 && self.predict(cone) {
            done = 1;
            // Walls that close from both sides cannot all hold: the result of that is not a usable start.
            self.velocities(T::ZERO);
            self.residual(cone);
            let largest = self.r.iter().fold(T::ZERO, |most, r| most.max(r.abs()));
            if largest < best {
                best = largest;
                self.best.copy_from_slice(&self.lambda);
            } else if largest > T::of(FARTHER) * best || !largest.is_finite() {
                self.lambda.copy_from_slice(&self.best);
            }
        }
        self.center.copy_from_slice(&self.lambda);
        loop {
            let used = self.approach(cone, soft, tolerance, (iterations - done).min(12));
            done += used.steps;
            self.velocities(T::ZERO);
            self.residual(cone);
            let largest = self.r.iter().fold(T::ZERO, |most, r| most.max(r.abs()));
            if largest < best {
                since = if largest < T::of(0.5) * best { 0 } else { since + 1 };
                best = largest;
                self.best.copy_from_slice(&self.lambda);
            } else {
                since += 1;
            }
            if best <= tolerance || done >= iterations || since >= 30 || used.steps == 0 {
                break;
            }
            if used.settled {
                self.center.copy_from_slice(&self.lambda);
                soft = if used.steps <= 3 { soft * T::of(0.05) } else { soft * T::of(0.3) }.max(least);
            } else if soft < T::of(10.0) {
                self.lambda.copy_from_slice(&self.center);
                soft = if soft <= least { T::of(0.1) } else { soft * T::of(10.0) };
            } else {
                break;
            }
        }
        self.lambda.copy_from_slice(&self.best);
        self.clear_open(tolerance);
        Ended { iterations: done, residual: best }
    }

    /// Sets the impulse of an opening contact to exactly zero: what the elimination left is rounding.
    fn clear_open(&mut self, tolerance: T) {
        self.velocities(T::ZERO);
        for (law, &first) in self.laws.iter().zip(&self.first) {
            if matches!(law, Law::Equal | Law::Between { .. }) {
                continue;
            }
            let pressed = self.diagonal[first] * self.lambda[first].abs();
            if pressed <= tolerance && self.w[first] > tolerance {
                self.lambda[first..first + law.rows()].fill(T::ZERO);
            }
        }
    }

    /// One step as if every closing contact without an impulse stuck: it would begin as sliding otherwise, which at large
    /// coefficients is far off. The caller checks whether it helped. The result does not depend on the order of the contacts,
    /// so that undetermined loads stay as even as the scene is symmetric.
    fn predict(&mut self, cone: Cone) -> bool {
        let closing = |newton: &Self, law: &Law, first: usize| {
            law.rows() > 1 && newton.lambda[first] <= T::ZERO && newton.w[first] <= T::ZERO
        };
        if !self.laws.iter().zip(&self.first).any(|(law, &first)| closing(self, law, first)) {
            return false;
        }
        self.slopes_here(cone);
        for k in 0..self.laws.len() {
            let (law, first) = (self.laws[k], self.first[k]);
            if closing(self, &law, first) {
                let s = &mut self.slopes[k];
                for i in 0..law.rows() {
                    s.c[i] = [T::ZERO; 6];
                    s.e[i] = [T::ZERO; 6];
                    s.e[i][i] = T::ONE;
                    self.r[first + i] = self.w[first + i];
                }
            }
        }
        let found = self.direction(T::ZERO);
        if found {
            for i in 0..self.b.len() {
                self.lambda[i] += self.step[i];
            }
        }
        found
    }

    /// Newton's method on the problem with the proximal term: whether it converged, and in how many steps.
    fn approach(&mut self, cone: Cone, soft: T, tolerance: T, steps: u32) -> Approach {
        self.velocities(soft);
        let mut merit = self.residual(cone);
        let start = merit;
        for done in 0..=steps {
            let largest = self.r.iter().fold(T::ZERO, |most, r| most.max(r.abs()));
            // A hundredth of the initial residual is enough: the centre moves anyway.
            if largest <= tolerance || (done > 0 && merit <= T::of(1e-4) * start) {
                return Approach { steps: done, settled: true };
            }
            if done == steps || !merit.is_finite() {
                return Approach { steps: done, settled: false };
            }
            self.slopes_here(cone);
            if !self.direction(soft) {
                return Approach { steps: done, settled: false };
            }
            let found = self.search(cone, soft, merit);
            if found > T::of(100.0) * start {
                return Approach { steps: done + 1, settled: false };
            }
            if done >= 2 && found > T::of(0.9) * merit && soft > firmness::<T>() {
                return Approach { steps: done + 1, settled: found < T::of(0.25) * start };
            }
            merit = found;
        }
        Approach { steps, settled: false }
    }

    /// `w = A λ + b`, and the proximal term.
    fn velocities(&mut self, soft: T) {
        multiply(&self.a, &self.spans, &self.lambda, &mut self.w);
        for i in 0..self.b.len() {
            self.w[i] += self.b[i] + soft * self.diagonal[i] * (self.lambda[i] - self.center[i]);
        }
    }

    /// `r` at `lambda` and `w`; the sum of its squares.
    fn residual(&mut self, cone: Cone) -> T {
        for (law, &first) in self.laws.iter().zip(&self.first) {
            let rows = first..first + law.rows();
            block_residual(
                law,
                cone,
                &self.diagonal[rows.clone()],
                &self.lambda[rows.clone()],
                &self.w[rows.clone()],
                &mut self.r[rows],
            );
        }
        self.r.iter().fold(T::ZERO, |sum, &r| sum + r * r)
    }

    /// `C` and `E` at `lambda` and `w`.
    fn slopes_here(&mut self, cone: Cone) {
        self.slopes.clear();
        for (law, &first) in self.laws.iter().zip(&self.first) {
            let rows = first..first + law.rows();
            self.slopes.push(slopes(
                law,
                cone,
                &self.diagonal[rows.clone()],
                &self.lambda[rows.clone()],
                &self.w[rows],
            ));
        }
    }

    /// (3); the step is left in `step`.
    fn direction(&mut self, soft: T) -> bool {
        let n = self.b.len();
        let least = firmness::<T>();
        for ((law, &first), s) in self.laws.iter().zip(&self.first).zip(&self.slopes) {
            let m = law.rows();
            for i in 0..m {
                let row = &mut self.matrix[(first + i) * n..(first + i + 1) * n];
                row.fill(T::ZERO);
                for j in 0..m {
                    let e = s.e[i][j];
                    if e != T::ZERO {
                        let (from, to) = self.spans[first + j];
                        let of = &self.a[(first + j) * n + from..(first + j) * n + to];
                        row[from..to].iter_mut().zip(of).for_each(|(m, &a)| *m += e * a);
                        row[first + j] += e * (soft + least) * self.diagonal[first + j];
                    }
                }
                for j in 0..m {
                    row[first + j] += s.c[i][j];
                }
                self.step[first + i] = -self.r[first + i];
            }
        }
        // A row that nothing moves has no slope.
        for i in 0..n {
            if self.diagonal[i] == T::ZERO {
                self.matrix[i * n..(i + 1) * n].fill(T::ZERO);
                self.matrix[i * n + i] = T::ONE;
                self.step[i] = T::ZERO;
            }
        }
        linear::solve(n, &mut self.matrix, &mut self.step, &mut self.profile)
    }

    /// (4); `lambda` and `w` are moved, and the merit there returned.
    fn search(&mut self, cone: Cone, soft: T, merit: T) -> T {
        multiply(&self.a, &self.spans, &self.step, &mut self.moved);
        for i in 0..self.b.len() {
            self.moved[i] += soft * self.diagonal[i] * self.step[i];
        }
        self.trial.copy_from_slice(&self.lambda);
        let mut alpha = T::ONE;
        let mut at = T::ZERO;
        let mut chosen = (T::ONE / T::ZERO, T::ONE);
        let go = |newton: &mut Self, from: T, to: T| {
            for i in 0..newton.b.len() {
                newton.lambda[i] = newton.trial[i] + to * newton.step[i];
                newton.w[i] += (to - from) * newton.moved[i];
            }
        };
        for _ in 0..8 {
            go(self, at, alpha);
            at = alpha;
            let found = self.residual(cone);
            if found < chosen.0 {
                chosen = (found, alpha);
            }
            if found <= merit * (T::ONE - T::of(0.1) * alpha) {
                break;
            }
            alpha *= T::of(0.5);
        }
        if chosen.1 != at {
            go(self, at, chosen.1);
        }
        // Recomputed velocities: incremental updates would accumulate rounding.
        self.velocities(soft);
        self.residual(cone)
    }
}

/// `y = A x`, each row from its first to its last nonzero entry; four partial sums.
fn multiply<T: Real>(a: &[T], spans: &[(usize, usize)], x: &[T], y: &mut [T]) {
    for ((row, &(from, to)), y) in a.chunks_exact(x.len().max(1)).zip(spans).zip(y) {
        let (fours, others) = (row[from..to].chunks_exact(4), x[from..to].chunks_exact(4));
        let rest = fours.remainder().iter().zip(others.remainder()).fold(T::ZERO, |sum, (&a, &x)| sum + a * x);
        let mut sums = [T::ZERO; 4];
        for (a, x) in fours.zip(others) {
            for k in 0..4 {
                sums[k] += a[k] * x[k];
            }
        }
        *y = (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest;
    }
}

/// The least `σ`, and `ε`, relative to the diagonal: 4e-10 in double precision. Far above the rounding of the elimination,
/// so that undetermined loads are even to a millionth; far below the share of the diagonal that a heavy body on a light one
/// leaves to their common motion, 1e-6 for a ratio of a million.
fn firmness<T: Real>() -> T {
    T::of(libm::pow(T::EPSILON.f64(), 0.6))
}
