//! Principal pivoting by Dantzig's method for boxes (after Baraff and Keller), friction bounds by iteration.
//!
//! ```text
//! (1)  lowest <= λ <= highest;  rows are free (w = 0, F) or at a bound (w of the right sign, N), added one by one
//! (2)  to add row i: λᵢ moves so that wᵢ goes to zero, the free rows follow: δ_F = -A_FF⁻¹ A_Fi δᵢ
//! (3)  it stops at the first event: wᵢ = 0; λᵢ at a bound; a free λ at a bound (leaves F); a held w at zero (enters F)
//! ```
//!
//! A box's friction bounds are `±μ λₙ` with the `λₙ` of the previous pass; passes repeat until the natural residual is within
//! the tolerance. `√rounding` of the diagonal is added to `A`, centred at the previous pass: redundant rows then have a unique
//! answer, and the passes remove its effect.
//!
//! Cost: a pivot solves a new system with the free rows, `f³/3`.

use super::{Common, Solver, SolverEntry, refused};
use crate::{
    Cone, Law, Options, Problem, Real, SolveReport, Status,
    linear::{self, Profile},
};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "dantzig",
    text: "principal pivoting for boxes (Dantzig, Keller); friction bounds by passes",
    guarantees: "For a symmetric positive semidefinite A without friction each pass ends after finitely many pivots in the \
                 solution, if there is one. With friction (box cone) every pass solves the problem whose bounds come from \
                 the pass before; that the passes converge is usual for moderate coefficients and not proven. An \
                 iteration is a pass.",
    refuses: |law, cone| match (law, cone) {
        (Law::Friction { .. } | Law::Torsion { .. }, Cone::Exact | Cone::Pyramid { .. }) => {
            Some("pivoting with bounds needs a box as friction cone: choose that cone")
        }
        (Law::Rolling { .. }, _) => {
            Some("the disc of rolling friction has no bounds: choose a sweeping or Newton solver")
        }
        _ => None,
    },
    relaxes: false,
    pivots: true,
    promises: |traits| {
        let posed = traits.solvable && traits.symmetric && !traits.friction && traits.rows <= 200;
        posed.then_some(1e-8)
    },
    make: || Box::new(Dantzig::<f64>::default()),
    make_f32: || Box::new(Dantzig::<f32>::default()),
};

/// Each pivot solves a new system with the free rows: beyond this many rows a solve would take minutes.
const MOST_ROWS: usize = 300;

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Dantzig<T> {
    common: Common<T>,
    a: Vec<T>,
    w: Vec<T>,
    center: Vec<T>,
    best: Vec<T>,
    lowest: Vec<T>,
    highest: Vec<T>,
    state: Vec<Place>,
    free: Vec<usize>,
    system: Vec<T>,
    right: Vec<T>,
    profile: Profile,
    moved: Vec<T>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Waiting,
    Free,
    Lowest,
    Highest,
}

impl<T: Real> Dantzig<T> {
    /// Bounds from the current normal impulses.
    fn bounds(&mut self, problem: &Problem<T>, lambda: &[T]) {
        let infinite = T::ONE / T::ZERO;
        for (first, law) in problem.blocks() {
            let mut set = |row: usize, lowest: T, highest: T| {
                self.lowest[row] = lowest;
                self.highest[row] = highest;
            };
            match law {
                Law::Equal => set(first, -infinite, infinite),
                Law::Unilateral => set(first, T::ZERO, infinite),
                Law::Between { lowest, highest } => set(first, T::of(*lowest), T::of(*highest)),
                Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
                    let load = lambda[first].max(T::ZERO);
                    set(first, T::ZERO, infinite);
                    for i in 0..2 {
                        set(first + 1 + i, -T::of(mu[i]) * load, T::of(mu[i]) * load);
                    }
                    if let Law::Torsion { torsion, .. } = law {
                        set(first + 3, -T::of(*torsion) * load, T::of(*torsion) * load);
                    }
                }
            }
        }
    }

    /// One pass that adds all rows. `false` if a row cannot be added, or pivots run out.
    fn pass(&mut self, problem: &Problem<T>, lambda: &mut [T]) -> bool {
        let n = lambda.len();
        let soft = T::EPSILON.sqrt();
        self.center.copy_from_slice(lambda);
        // Begin at the bound nearest to zero, with no row added.
        for i in 0..n {
            lambda[i] = T::ZERO.max(self.lowest[i]).min(self.highest[i]);
            self.state[i] = Place::Waiting;
        }
        for i in 0..n {
            let d = self.a[i * n + i];
            let row = &self.a[i * n..(i + 1) * n];
            self.w[i] = row.iter().zip(&*lambda).fold(problem.b[i], |sum, (&a, &x)| sum + a * x)
                + soft * d * (lambda[i] - self.center[i]);
        }
        let scale = problem.b.iter().fold(T::ZERO, |most, b| most.max(b.abs()));
        let zero = scale * T::EPSILON * T::of(16.0);
        let mut pivots = 0;
        for i in 0..n {
            loop {
                pivots += 1;
                if pivots > 50 * n + 200 {
                    return false;
                }
                // Whether it satisfies its law where it is.
                let (w, x) = (self.w[i], lambda[i]);
                if w.abs() <= zero {
                    self.state[i] = Place::Free;
                } else if w > T::ZERO && x <= self.lowest[i] {
                    self.state[i] = Place::Lowest;
                } else if w < T::ZERO && x >= self.highest[i] {
                    self.state[i] = Place::Highest;
                } else {
                    self.state[i] = Place::Waiting;
                }
                if self.state[i] != Place::Waiting {
                    break;
                }
                if !self.move_row(i, soft, lambda) {
                    return false;
                }
            }
        }
        true
    }

    /// (2) and (3).
    fn move_row(&mut self, i: usize, soft: T, lambda: &mut [T]) -> bool {
        let n = lambda.len();
        let toward = if self.w[i] < T::ZERO { T::ONE } else { -T::ONE };
        let Dantzig { a, free, system, right, state, moved, w, .. } = self;
        let entry = |r: usize, c: usize| a[r * n + c] + if r == c { soft * a[r * n + r] } else { T::ZERO };
        free.clear();
        free.extend((0..n).filter(|&k| state[k] == Place::Free));
        system.clear();
        right.clear();
        for &r in free.iter() {
            system.extend(free.iter().map(|&c| entry(r, c)));
            right.push(-entry(r, i) * toward);
        }
        if !linear::solve(free.len(), system, right, &mut self.profile) {
            return false;
        }
        for r in 0..n {
            let own = entry(r, i) * toward;
            moved[r] = free.iter().zip(&*right).fold(own, |sum, (&c, &x)| sum + entry(r, c) * x);
        }
        if moved[i] * toward <= T::ZERO {
            return false;
        }
        // The first event.
        let mut step = -w[i] / moved[i];
        let mut event = (i, Place::Free);
        let bound = if toward > T::ZERO { self.highest[i] } else { self.lowest[i] };
        if bound.is_finite() && (bound - lambda[i]) * toward < step {
            step = (bound - lambda[i]) * toward;
            event = (i, if toward > T::ZERO { Place::Highest } else { Place::Lowest });
        }
        for (&k, &x) in free.iter().zip(&*right) {
            let (bound, place) =
                if x > T::ZERO { (self.highest[k], Place::Highest) } else { (self.lowest[k], Place::Lowest) };
            if x != T::ZERO && bound.is_finite() && (bound - lambda[k]) / x < step {
                step = ((bound - lambda[k]) / x).max(T::ZERO);
                event = (k, place);
            }
        }
        for k in 0..n {
            let held = matches!(state[k], Place::Lowest if moved[k] < T::ZERO)
                || matches!(state[k], Place::Highest if moved[k] > T::ZERO);
            if held && -w[k] / moved[k] < step {
                step = (-w[k] / moved[k]).max(T::ZERO);
                event = (k, Place::Free);
            }
        }
        if !step.is_finite() {
            return false;
        }
        lambda[i] += toward * step;
        for (&k, &x) in free.iter().zip(&*right) {
            lambda[k] += x * step;
        }
        for k in 0..n {
            w[k] = if state[k] == Place::Free { T::ZERO } else { w[k] + moved[k] * step };
        }
        let (k, place) = event;
        match place {
            Place::Free => w[k] = T::ZERO,
            Place::Lowest => lambda[k] = self.lowest[k],
            Place::Highest => lambda[k] = self.highest[k],
            Place::Waiting => {}
        }
        if k != i {
            state[k] = place;
        }
        true
    }
}

impl<T: Real> Solver<T> for Dantzig<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        if let Some(outcome) = refused(&ENTRY, problem) {
            return outcome;
        }
        let measured = match self.common.begin(problem, options, lambda) {
            Ok(measured) => measured,
            Err(outcome) => return outcome,
        };
        let n = lambda.len();
        if n > MOST_ROWS {
            return super::outcome(measured, options, 0, Status::TooLarge { rows: n }, lambda);
        }
        self.a.clear();
        self.a.resize(n * n, T::ZERO);
        problem.operator.dense(&mut self.a);
        for v in [&mut self.w, &mut self.center, &mut self.lowest, &mut self.highest, &mut self.moved] {
            v.clear();
            v.resize(n, T::ZERO);
        }
        self.state.clear();
        self.state.resize(n, Place::Waiting);
        self.best.clear();
        self.best.extend_from_slice(lambda);
        let mut best = measured.residual;
        let mut status = Status::IterationLimit;
        let mut done = 0;
        let mut since = 0;
        while done < options.iterations {
            self.bounds(problem, lambda);
            let ended = self.pass(problem, lambda);
            done += 1;
            let measured = self.common.measure(problem, lambda);
            if measured.not_finite.is_none() && measured.residual < best {
                since = if measured.residual < T::of(0.9) * best { 0 } else { since + 1 };
                best = measured.residual;
                self.best.copy_from_slice(lambda);
            } else {
                since += 1;
            }
            if best.f64() <= options.tolerance {
                break;
            }
            if !ended {
                status = Status::Ray;
                break;
            }
            if since >= 50 || measured.not_finite.is_some() {
                status = Status::Stalled;
                break;
            }
        }
        lambda.copy_from_slice(&self.best);
        self.common.end(problem, options, done, status, lambda)
    }
}
