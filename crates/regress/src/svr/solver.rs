//! Sequential minimal optimisation for epsilon-insensitive support vector regression.
//!
//! ```text
//! (1)  minimise  ½ βᵀ K β - yᵀ β + ε Σ |βₜ|     subject to  Σ βₜ = 0,  -C ≤ βₜ ≤ C
//! (2)  f(x) = Σ βₜ K(xₜ, x) + b
//! ```
//!
//! LIBSVM (Chang and Lin, ACM TIST 2, 2011) writes β = α - α* and solves for both halves, 2n variables. At most one of
//! a pair is above zero, and the other is then dominated in every choice the solver makes, so n signed coefficients
//! with one error each are equivalent: with `eₜ = yₜ - Σ βₛ Kₛₜ`,
//!
//! ```text
//! (3)  may grow:    0 ≤ βₜ < C  has uₜ = eₜ - ε;     -C ≤ βₜ < 0  has uₜ = eₜ + ε
//! (4)  may shrink:  -C < βₜ ≤ 0  has dₜ = eₜ + ε;     0 < βₜ ≤ C   has dₜ = eₜ - ε
//! (5)  optimal when  m = max uₜ ≤ min dₜ = M;   the gap m - M is what is left, in units of y
//! (6)  step of the pair (i grows, j shrinks):  δ = (uᵢ - dⱼ) / (2 - 2 Kᵢⱼ), cut where βᵢ or βⱼ reaches 0 or ±C
//! ```
//!
//! A step is also cut at zero, where a LIBSVM coefficient changes into its partner. The start is β = 0, the pair is
//! chosen as in [`super::working_set`], and the solver stops when the gap is below the tolerance, as LIBSVM does; so
//! both have the same iterates, up to rounding, and stopping early leaves the same kind of residual.
//!
//! **Shrinking.** A coefficient at 0 or ±C whose `u` or `d` lies outside the violating interval is left out until the
//! gap has come down to ten tolerances, and checked again before the end. The active points are stored contiguously, so
//! that kernel rows stay contiguous.
//!
//! Cost: a step computes or finds two kernel rows and passes twice over n points. Memory: the points in single
//! precision, three numbers per point, and the cache.

use super::cache::RowCache;
use super::kernel::Points;
use super::working_set::{Extremes, Field, LEAST_CURVATURE, Row};
use serde::{Deserialize, Serialize};

/// Settings that determine the solution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// γ of the kernel, per squared unit of a scaled feature.
    pub gamma: f64,
    /// C: the largest coefficient, in units of the target.
    pub c: f64,
    /// ε: the error that costs nothing, in units of the target.
    pub epsilon: f64,
    /// Stop at this gap, in units of the target.
    pub tolerance: f64,
    /// Bytes for kernel rows.
    pub cache_bytes: usize,
    /// Leave out coefficients that have settled (shrinking).
    pub shrinking: bool,
    /// Limit on the number of steps.
    pub most_steps: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gamma: 0.1,
            c: 1.0,
            epsilon: 1e-6,
            tolerance: 1e-3,
            cache_bytes: 200 << 20,
            shrinking: true,
            most_steps: u64::MAX,
        }
    }
}

/// How the solver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolverOutcome {
    /// The gap is below the tolerance.
    Converged,
    /// The limit on steps was reached; the gap shows how far it got.
    OutOfSteps,
    /// No pair can be moved although the gap is not closed: only rounding is left.
    Stalled,
}

/// A solution with its statistics.
#[derive(Clone, Debug)]
pub struct Solution {
    /// β, one per point.
    pub coefficients: Vec<f64>,
    /// b.
    pub bias: f64,
    /// How it ended.
    pub ending: SolverOutcome,
    /// `m - M` at the end, over all points.
    pub gap: f64,
    /// Steps taken.
    pub steps: u64,
    /// (1) at the end.
    pub objective: f64,
    /// Kernel rows found in the cache.
    pub rows_found: u64,
    /// Kernel rows computed.
    pub rows_made: u64,
    /// The fewest active points after shrinking.
    pub fewest_active: usize,
}

/// Steps between attempts to shrink.
const SHRINK_EVERY: u64 = 1000;
/// All points become active again when the gap has come down to this many tolerances.
const UNSHRINK_AT: f64 = 10.0;
/// Moving the points together costs as much as hundreds of steps: done only if this share of them can be left out.
const WORTH_LEAVING: f64 = 0.1;

/// Solves (1). `progress(steps, gap)` is called every thousand steps.
pub fn solve(points: &Points, y: &[f64], settings: &Settings, progress: &mut dyn FnMut(u64, f64)) -> Solution {
    let mut solver = Solver::new(points, y, settings);
    let mut extremes = solver.field.extremes();
    let mut unshrunk = false;
    let mut until_shrink = SHRINK_EVERY.min(points.len() as u64);
    let ending = loop {
        if extremes.gap() < settings.tolerance {
            if solver.active.len() == points.len() {
                break SolverOutcome::Converged;
            }
            // The points left out may violate the conditions by now.
            extremes = solver.unshrink();
            until_shrink = 1;
            continue;
        }
        if solver.steps >= settings.most_steps {
            break SolverOutcome::OutOfSteps;
        }
        until_shrink -= 1;
        if until_shrink == 0 {
            until_shrink = SHRINK_EVERY.min(points.len() as u64);
            if settings.shrinking {
                if !unshrunk && extremes.gap() <= UNSHRINK_AT * settings.tolerance {
                    unshrunk = true;
                    extremes = solver.unshrink();
                }
                if solver.shrink(&extremes) {
                    extremes = solver.field.extremes();
                }
            }
        }
        match solver.step(&extremes) {
            Some(next) => extremes = next,
            None if solver.active.len() < points.len() => extremes = solver.unshrink(),
            None => break SolverOutcome::Stalled,
        }
        if solver.steps.is_multiple_of(SHRINK_EVERY) {
            progress(solver.steps, extremes.gap());
        }
    };
    if solver.active.len() < points.len() {
        extremes = solver.unshrink();
    }
    solver.finish(ending, extremes)
}

struct Solver<'a> {
    all: &'a Points,
    y: &'a [f64],
    settings: Settings,
    gamma: f32,
    /// Over all points.
    beta: Vec<f64>,
    /// The active points, ascending, and their coordinates if they are not all.
    active: Vec<u32>,
    gathered: Option<Points>,
    field: Field,
    cache: RowCache,
    x_i: Vec<f32>,
    x_j: Vec<f32>,
    steps: u64,
    fewest_active: usize,
}

impl<'a> Solver<'a> {
    fn new(points: &'a Points, y: &'a [f64], settings: &Settings) -> Self {
        let n = points.len();
        Self {
            all: points,
            y,
            settings: *settings,
            gamma: settings.gamma as f32,
            beta: vec![0.0; n],
            active: (0..n as u32).collect(),
            gathered: None,
            field: Field {
                error: y.to_vec(),
                up_shift: vec![-settings.epsilon; n],
                down_shift: vec![settings.epsilon; n],
            },
            cache: RowCache::new(n, settings.cache_bytes),
            x_i: vec![0.0; points.features()],
            x_j: vec![0.0; points.features()],
            steps: 0,
            fewest_active: n,
        }
    }

    /// One step (6) for the pair of (1) to (3) of [`super::working_set`]; `None` if no pair can move.
    fn step(&mut self, extremes: &Extremes) -> Option<Extremes> {
        let (i, m) = (extremes.up.at, extremes.up.value);
        let points = self.gathered.as_ref().unwrap_or(self.all);
        let gamma = self.gamma;
        points.point(i, &mut self.x_i);
        let (mut row_i, filled) = self.cache.take(i);
        let j = self.field.partner(Row { points, gamma, x: &self.x_i, values: &mut row_i, filled }, m);
        let Some(j) = j else {
            self.cache.put(i, row_i);
            return None;
        };
        let curvature = (2.0 - 2.0 * f64::from(row_i[j])).max(LEAST_CURVATURE);
        let wanted = (m - (self.field.error[j] + self.field.down_shift[j])) / curvature;

        // Where the pair reaches its bounds; the nearer bound is reached exactly.
        let (at_i, at_j) = (self.active[i] as usize, self.active[j] as usize);
        let (beta_i, beta_j) = (self.beta[at_i], self.beta[at_j]);
        let most_i = if beta_i < 0.0 { 0.0 } else { self.settings.c };
        let least_j = if beta_j > 0.0 { 0.0 } else { -self.settings.c };
        let (room_i, room_j) = (most_i - beta_i, beta_j - least_j);
        let step = wanted.min(room_i).min(room_j);
        self.beta[at_i] = if step == room_i { most_i } else { beta_i + step };
        self.beta[at_j] = if step == room_j { least_j } else { beta_j - step };
        self.shift(i);
        self.shift(j);

        let points = self.gathered.as_ref().unwrap_or(self.all);
        points.point(j, &mut self.x_j);
        let (mut row_j, filled) = self.cache.take(j);
        let row = Row { points, gamma, x: &self.x_j, values: &mut row_j, filled };
        let next = self.field.advance(step, &row_i, row);
        self.cache.put(i, row_i);
        self.cache.put(j, row_j);
        self.steps += 1;
        // A step that changes no coefficient would repeat forever.
        let moved = self.beta[at_i] != beta_i || self.beta[at_j] != beta_j;
        moved.then_some(next)
    }

    /// Updates (3) and (4) for an active point.
    fn shift(&mut self, t: usize) {
        let (beta, epsilon, c) = (self.beta[self.active[t] as usize], self.settings.epsilon, self.settings.c);
        self.field.up_shift[t] = match beta {
            b if b >= c => f64::NEG_INFINITY,
            b if b >= 0.0 => -epsilon,
            _ => epsilon,
        };
        self.field.down_shift[t] = match beta {
            b if b <= -c => f64::INFINITY,
            b if b <= 0.0 => epsilon,
            _ => -epsilon,
        };
    }

    /// Leaves out settled points; returns whether there were any.
    fn shrink(&mut self, extremes: &Extremes) -> bool {
        let (m, least) = (extremes.up.value, extremes.down);
        let stays = |t: usize| {
            let beta = self.beta[self.active[t] as usize];
            let free = beta != 0.0 && beta.abs() < self.settings.c;
            let (e, up, down) = (self.field.error[t], self.field.up_shift[t], self.field.down_shift[t]);
            free || e + up >= least || e + down <= m
        };
        let kept: Vec<u32> = (0..self.active.len() as u32).filter(|t| stays(*t as usize)).collect();
        let leaving = self.active.len() - kept.len();
        if (leaving as f64) < WORTH_LEAVING * self.active.len() as f64 || kept.len() < 2 {
            return false;
        }
        let pick = |v: &[f64]| kept.iter().map(|t| v[*t as usize]).collect::<Vec<f64>>();
        self.field = Field {
            error: pick(&self.field.error),
            up_shift: pick(&self.field.up_shift),
            down_shift: pick(&self.field.down_shift),
        };
        self.gathered = Some(self.gathered.as_ref().unwrap_or(self.all).gather(&kept));
        self.active = kept.iter().map(|t| self.active[*t as usize]).collect();
        self.cache.compact(&kept, self.settings.cache_bytes);
        self.fewest_active = self.fewest_active.min(self.active.len());
        true
    }

    /// Makes all points active again: errors of those left out are recomputed from the coefficients.
    fn unshrink(&mut self) -> Extremes {
        let n = self.all.len();
        if self.active.len() < n {
            let mut error = vec![f64::NAN; n];
            self.active.iter().zip(&self.field.error).for_each(|(t, e)| error[*t as usize] = *e);
            let absent: Vec<u32> = (0..n as u32).filter(|t| error[*t as usize].is_nan()).collect();
            let supports: Vec<u32> = (0..n as u32).filter(|t| self.beta[*t as usize] != 0.0).collect();
            let weights: Vec<f64> = supports.iter().map(|t| self.beta[*t as usize]).collect();
            let sums = self.all.gather(&supports).weighted_sums(self.gamma, &weights, &self.all.gather(&absent));
            absent.iter().zip(sums).for_each(|(t, sum)| error[*t as usize] = self.y[*t as usize] - sum);
            self.active = (0..n as u32).collect();
            self.gathered = None;
            self.field = Field { error, up_shift: vec![0.0; n], down_shift: vec![0.0; n] };
            (0..n).for_each(|t| self.shift(t));
            let (hits, misses) = (self.cache.hits, self.cache.misses);
            self.cache = RowCache::new(n, self.settings.cache_bytes);
            (self.cache.hits, self.cache.misses) = (hits, misses);
        }
        self.field.extremes()
    }

    fn finish(self, ending: SolverOutcome, extremes: Extremes) -> Solution {
        let (c, epsilon) = (self.settings.c, self.settings.epsilon);
        // For a free coefficient `u` and `d` equal the bias; the mean of all, or the middle of the interval if there is
        // none.
        let (mut sum, mut free, mut objective) = (0.0, 0u64, 0.0);
        for (t, &beta) in self.beta.iter().enumerate() {
            let e = self.field.error[t];
            objective += epsilon * beta.abs() - 0.5 * beta * (self.y[t] + e);
            if beta != 0.0 && beta.abs() < c {
                sum += e - epsilon.copysign(beta);
                free += 1;
            }
        }
        let bias = if free > 0 { sum / free as f64 } else { 0.5 * (extremes.up.value + extremes.down) };
        Solution {
            coefficients: self.beta,
            bias,
            ending,
            gap: extremes.gap(),
            steps: self.steps,
            objective,
            rows_found: self.cache.hits,
            rows_made: self.cache.misses,
            fewest_active: self.fewest_active,
        }
    }
}
