//! Lemke's method with a stable ratio test, friction as a pyramid: complementary pivoting.
//!
//! Every block becomes rows of one linear complementarity problem `y = M z + q, y >= 0, z >= 0, y z = 0`:
//!
//! ```text
//! (1)  Unilateral  z = λ                    y = w
//! (2)  Equal       λ = z₁ - z₂              y₁ = w, y₂ = -w
//! (3)  Between     λ = lowest + z₁          y₁ = w + z₂,           y₂ = highest - lowest - z₁
//! (4)  friction    λₜ = Σ βᵢ cᵢ             y = cᵢ·s + γ for βᵢ,    y = μ λₙ - Σ βᵢ for γ       (Stewart and Trinkle)
//! (5)  torsion     as (4) with two corners
//! ```
//!
//! The bound of (4) is a row of `y`, whose scale is free: where `μ > 1` it is divided by `μ`, otherwise the entries of the
//! tableau would differ as much as the coefficients.
//!
//! The tableau is `[I | -M | -d | q]`: an artificial `z₀` covers the most negative row, then the complement of each leaving
//! variable enters, until `z₀` leaves (solved) or no variable can leave (a ray). With redundant contacts many rows tie, and
//! rounding decides which of them is least: with `r` the right-hand sides, `c` the entering column and `δ` a rounding error,
//!
//! ```text
//! (6)  θ = min { (rᵢ + δ) / cᵢ : cᵢ > 0 },     leaving: the row with the largest cᵢ among rᵢ / cᵢ <= θ         (Harris 1973)
//! ```
//!
//! The lexicographic rule, which cannot cycle in exact arithmetic, chooses rows whose `cᵢ` is itself a rounding error: after a
//! few such pivots the tableau is noise. (6) may cycle, or end in a ray, where exact arithmetic would not; then the next of
//! [`COVERS`] cover vectors `d` is tried, and the best of all answers is kept. The system of the last basis is solved once more
//! from `M` and `q`, to remove the rounding of hundreds of pivots. Cost: `2 n²` multiplications per pivot.

use super::{Common, Solver, SolverEntry, refused};
use crate::cone::{Scaled, corner, corners};
use crate::fixtures::Condition;
use crate::{
    Cone, Law, Options, Problem, Real, SolveReport, Status,
    linear::{self, Profile},
};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "lemke",
    text: "Lemke's method with a stable ratio test; friction as a pyramid",
    guarantees: "Never worse than the start, which is otherwise not used. In exact arithmetic it ends in a solution or \
                 in a ray; for a positive semidefinite A without friction a ray means that there is no solution, and with \
                 friction it solves every problem whose velocities without impulses could be undone by impulses. \
                 Rounding limits it: rows of up to eleven blocks, redundant as they are, are solved to 1e-10 m/s at \
                 friction 0.06, 1 and 100; at friction 1e8 it mostly ends in a ray and the default solver finishes.",
    refuses: |law, cone| match (law, cone) {
        (Law::Friction { .. } | Law::Torsion { .. }, Cone::Exact) => {
            Some("pivoting needs a pyramid or a box as friction cone: choose one of these")
        }
        (Law::Rolling { .. }, _) => {
            Some("the disc of rolling friction is not linear: choose a sweeping or Newton solver")
        }
        _ => None,
    },
    relaxes: false,
    pivots: true,
    promises: |traits| {
        let posed = traits.solvable && traits.symmetric && traits.rows <= 200;
        (posed && matches!(traits.condition, Condition::Good | Condition::Singular)).then_some(1e-8)
    },
    make: || Box::new(Lemke::<f64>::default()),
    make_f32: || Box::new(Lemke::<f32>::default()),
};

/// Number of cover vectors that are tried.
const COVERS: u32 = 6;

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Lemke<T> {
    common: Common<T>,
    a: Vec<T>,
    columns: Vec<Column<T>>,
    links: Vec<Link<T>>,
    m: Vec<T>,
    q: Vec<T>,
    tableau: Vec<T>,
    basis: Vec<usize>,
    system: Vec<T>,
    right: Vec<T>,
    profile: Profile,
    offset: Vec<T>,
    z: Vec<T>,
    inside: Vec<usize>,
    best: Vec<T>,
}

/// A variable `z`: which impulse it moves and how (up to two rows for a friction corner).
#[derive(Clone, Copy, Debug)]
struct Column<T> {
    rows: [usize; 2],
    by: [T; 2],
    /// The row of `w` that is its `y`; a bound's own row has none.
    complement: bool,
}

/// An entry of `M` that does not come from `A`.
#[derive(Clone, Copy, Debug)]
struct Link<T> {
    row: usize,
    column: usize,
    value: T,
}

impl<T: Real> Lemke<T> {
    /// (1) to (5). `offset` is filled with the impulses at `z = 0`.
    fn pose(&mut self, problem: &Problem<T>, offset: &mut [T]) {
        let Lemke { columns, links, q, .. } = self;
        columns.clear();
        links.clear();
        q.clear();
        offset.fill(T::ZERO);
        let moving = |row: usize, by: T| Column { rows: [row, row], by: [by, T::ZERO], complement: true };
        let bound = Column { rows: [0, 0], by: [T::ZERO; 2], complement: false };
        for (first, law) in problem.blocks() {
            match law {
                Law::Unilateral => columns.push(moving(first, T::ONE)),
                Law::Equal => columns.extend([moving(first, T::ONE), moving(first, -T::ONE)]),
                Law::Between { lowest, highest } => match (lowest.is_finite(), highest.is_finite()) {
                    (false, false) => columns.extend([moving(first, T::ONE), moving(first, -T::ONE)]),
                    (true, up) => {
                        offset[first] = T::of(*lowest);
                        columns.push(moving(first, T::ONE));
                        if up {
                            let at = columns.len();
                            columns.push(bound);
                            q.resize(at, T::ZERO);
                            q.push(T::of(*highest - *lowest));
                            links.push(Link { row: at - 1, column: at, value: T::ONE });
                            links.push(Link { row: at, column: at - 1, value: -T::ONE });
                        }
                    }
                    (false, true) => {
                        offset[first] = T::of(*highest);
                        columns.push(moving(first, -T::ONE));
                    }
                },
                Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
                    let normal = columns.len();
                    columns.push(moving(first, T::ONE));
                    let scale = Scaled::<T>::new(*mu);
                    let count = corners(problem.cone);
                    let mut close = |columns: &mut Vec<Column<T>>, from: usize, mu: T| {
                        let gamma = columns.len();
                        columns.push(bound);
                        let scale = T::ONE / mu.max(T::ONE);
                        links.push(Link { row: gamma, column: normal, value: mu * scale });
                        for beta in from..gamma {
                            links.push(Link { row: gamma, column: beta, value: -scale });
                            links.push(Link { row: beta, column: gamma, value: T::ONE });
                        }
                    };
                    if scale.mu > T::ZERO {
                        let from = columns.len();
                        for k in 0..count {
                            let c: [T; 2] = corner(problem.cone, k);
                            let by = [c[0] * scale.share[0], c[1] * scale.share[1]];
                            columns.push(Column { rows: [first + 1, first + 2], by, complement: true });
                        }
                        close(columns, from, scale.mu);
                    }
                    if let Law::Torsion { torsion, .. } = law
                        && *torsion > 0.0
                    {
                        let from = columns.len();
                        columns.extend([moving(first + 3, T::ONE), moving(first + 3, -T::ONE)]);
                        close(columns, from, T::of(*torsion));
                    }
                }
            }
        }
        q.resize(columns.len(), T::ZERO);
    }

    /// `M` and `q` from `A`, `b` and the offsets.
    fn fill(&mut self, problem: &Problem<T>, offset: &[T]) {
        let rows = problem.rows();
        self.a.clear();
        self.a.resize(rows * rows, T::ZERO);
        problem.operator.dense(&mut self.a);
        let n = self.columns.len();
        self.m.clear();
        self.m.resize(n * n, T::ZERO);
        for i in 0..n {
            let of = self.columns[i];
            if !of.complement {
                continue;
            }
            for j in 0..n {
                let with = self.columns[j];
                let mut sum = T::ZERO;
                for (&r, &x) in of.rows.iter().zip(&of.by) {
                    for (&c, &y) in with.rows.iter().zip(&with.by) {
                        if x != T::ZERO && y != T::ZERO {
                            sum += x * self.a[r * rows + c] * y;
                        }
                    }
                }
                self.m[i * n + j] = sum;
            }
            for (&r, &x) in of.rows.iter().zip(&of.by) {
                if x != T::ZERO {
                    let ahead = (0..rows).fold(problem.b[r], |sum, c| sum + self.a[r * rows + c] * offset[c]);
                    self.q[i] += x * ahead;
                }
            }
        }
        for link in &self.links {
            self.m[link.row * n + link.column] += link.value;
        }
    }

    /// Pivots until `z₀` leaves the basis; returns the status in case the answer is not good enough, and the number of pivots.
    fn pivot(&mut self, cover: u32, most: u32) -> (Status, u32) {
        let n = self.q.len();
        let width = 2 * n + 2;
        self.tableau.clear();
        self.tableau.resize(n * width, T::ZERO);
        self.basis.clear();
        self.basis.extend(0..n);
        for i in 0..n {
            let row = &mut self.tableau[i * width..(i + 1) * width];
            row[i] = T::ONE;
            for j in 0..n {
                row[n + j] = -self.m[i * n + j];
            }
            row[2 * n] = -cover_of::<T>(cover, i);
            row[2 * n + 1] = self.q[i];
        }
        let share = |i: usize| self.q[i] / cover_of::<T>(cover, i);
        let Some(worst) =
            (0..n).filter(|&i| self.q[i] < T::ZERO).reduce(|a, b| if share(b) < share(a) { b } else { a })
        else {
            return (Status::Stalled, 0);
        };
        let scale = self.q.iter().fold(T::ZERO, |most, q| most.max(q.abs()));
        // A zero after the rounding of a few pivots.
        let slack = scale * T::EPSILON * T::of(64.0);
        let mut leaving = worst;
        let mut entering = 2 * n;
        for done in 1..=most {
            let left = self.basis[leaving];
            exchange(&mut self.tableau, width, leaving, entering);
            self.basis[leaving] = entering;
            if left == 2 * n {
                return (Status::Stalled, done);
            }
            entering = if left < n { left + n } else { left - n };
            let Some(next) = self.leaving(entering, slack) else { return (Status::Ray, done) };
            leaving = next;
        }
        (Status::IterationLimit, most)
    }

    /// (6), with `z₀` first if it is among them.
    fn leaving(&self, entering: usize, slack: T) -> Option<usize> {
        let n = self.q.len();
        let width = 2 * n + 2;
        let column = |i: usize| self.tableau[i * width + entering];
        let right = |i: usize| self.tableau[i * width + 2 * n + 1].max(T::ZERO);
        let largest = (0..n).fold(T::ZERO, |most, i| most.max(column(i).abs()));
        // A pivot below this would turn half of the digits into noise.
        let small = largest * T::EPSILON.sqrt() * T::EPSILON.sqrt().sqrt();
        let near =
            (0..n).filter(|&i| column(i) > small).map(|i| (right(i) + slack) / column(i)).reduce(|a, b| a.min(b))?;
        let mut chosen: Option<usize> = None;
        for i in (0..n).filter(|&i| column(i) > small && right(i) / column(i) <= near) {
            if self.basis[i] == 2 * n {
                return Some(i);
            }
            if chosen.is_none_or(|best| column(i) > column(best)) {
                chosen = Some(i);
            }
        }
        chosen
    }

    /// `z` of the basis, from `M` and `q`: the rows whose `y` is not basic, solved for the `z` that are.
    fn read(&mut self) {
        let n = self.q.len();
        let Lemke { z, inside, basis, tableau, system, right, m, q, .. } = self;
        z.clear();
        z.resize(n, T::ZERO);
        inside.clear();
        let width = 2 * n + 2;
        for i in 0..n {
            if basis[i] >= n && basis[i] < 2 * n {
                z[basis[i] - n] = tableau[i * width + 2 * n + 1].max(T::ZERO);
                inside.push(basis[i] - n);
            }
        }
        // y of exactly the basic z is zero when z₀ has left.
        inside.sort_unstable();
        system.clear();
        right.clear();
        for &i in inside.iter() {
            system.extend(inside.iter().map(|&j| m[i * n + j]));
            right.push(-q[i]);
        }
        if !linear::solve(inside.len(), system, right, &mut self.profile) {
            return;
        }
        // A basis too close to singular gives a different answer here: that of the tableau is kept.
        let near = |x: T, y: T| (x - y).abs() <= T::EPSILON.sqrt() * (x.abs() + y.abs() + T::TINY);
        if right.iter().zip(&*inside).all(|(x, &j)| near(*x, z[j])) {
            for (x, &j) in right.iter().zip(&*inside) {
                z[j] = x.max(T::ZERO);
            }
        }
    }
}

/// `d` of a cover vector: ones first, then distinct numbers between one and two (multiples of the golden ratio).
fn cover_of<T: Real>(cover: u32, row: usize) -> T {
    let turns = f64::from(cover) * (row + 1) as f64 * 0.618_033_988_749_894_9;
    T::of(1.0 + (turns - libm::floor(turns)))
}

/// Makes `entering` a unit column with its one in row `leaving`.
fn exchange<T: Real>(tableau: &mut [T], width: usize, leaving: usize, entering: usize) {
    let inverse = T::ONE / tableau[leaving * width + entering];
    tableau[leaving * width..(leaving + 1) * width].iter_mut().for_each(|x| *x *= inverse);
    let (above, rest) = tableau.split_at_mut(leaving * width);
    let (pivot, below) = rest.split_at_mut(width);
    for row in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
        let factor = row[entering];
        if factor != T::ZERO {
            row.iter_mut().zip(&*pivot).for_each(|(x, &p)| *x -= factor * p);
        }
    }
}

impl<T: Real> Solver<T> for Lemke<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        if let Some(outcome) = refused(&ENTRY, problem) {
            return outcome;
        }
        let measured = match self.common.begin(problem, options, lambda) {
            Ok(measured) => measured,
            Err(outcome) => return outcome,
        };
        let mut offset = std::mem::take(&mut self.offset);
        offset.resize(lambda.len(), T::ZERO);
        self.pose(problem, &mut offset);
        if self.columns.len() > super::MOST_DENSE_ROWS {
            let rows = self.columns.len();
            self.offset = offset;
            return super::outcome(measured, options, 0, Status::TooLarge { rows }, lambda);
        }
        self.fill(problem, &offset);
        self.best.clear();
        self.best.extend_from_slice(lambda);
        let (mut best, mut status, mut pivots) = (measured.residual, Status::Ray, 0);
        for cover in 0..COVERS {
            // A cover vector that cycles must leave some iterations for the others.
            let (ended, done) = self.pivot(cover, (options.iterations - pivots).div_ceil(COVERS - cover));
            pivots += done;
            self.read();
            lambda.copy_from_slice(&offset);
            for (column, &z) in self.columns.iter().zip(&self.z) {
                for (&row, &by) in column.rows.iter().zip(&column.by) {
                    lambda[row] += by * z;
                }
            }
            let measured = self.common.measure(problem, lambda);
            if measured.not_finite.is_none() && measured.residual < best {
                (best, status) = (measured.residual, ended);
                self.best.copy_from_slice(lambda);
            }
            if best.f64() <= options.tolerance || pivots >= options.iterations {
                break;
            }
        }
        lambda.copy_from_slice(&self.best);
        self.offset = offset;
        self.common.end(problem, options, pivots, status, lambda)
    }
}
