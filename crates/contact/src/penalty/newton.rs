//! The velocities at the end of a penalty step.
//!
//! With `A` the inertia and the smooth implicit terms, `r` the other impulses besides the contacts, `J` the rows of all
//! contacts, limits and dry frictions and `p` their impulses:
//!
//! ```text
//! (1)  A (v - v₀) - r = Jᵀ p(J v)
//! (2)  (A + Jᵀ G J) Δv = -(A (v - v₀) - r - Jᵀ p),      G = -∂p/∂w
//! ```
//!
//! Under fixed friction bounds, `-p` is the gradient of a convex function and (1) is the minimum of a strictly convex
//! one: Newton's steps (2) with a line search find it from any start. The bounds are updated from the normal impulses
//! between the steps. Where some contact slides, `G` including the dependence of the bounds on the normal speeds is not
//! symmetric; that step is tried first and kept if it halves the residual of (1). Where none of this converges (strong
//! friction coupled to the normal forces, where Coulomb's problem may have no solution) the bounds are frozen and the
//! minimum is found for them: the step is then still dissipative, and the mismatch is reported.

use super::envelope::Envelope;
use super::friction::{Friction, FrictionLaw};
use super::normal::{Normal, NormalLaw};

/// One row of `J`: its parts on one or two blocks of velocities.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Block and index of its first value; the second may be absent.
    pub parts: [Option<(usize, usize)>; 2],
}

/// A normal force on a row.
#[derive(Clone, Copy, Debug)]
pub struct NormalTerm {
    /// Which row.
    pub row: usize,
    /// The law.
    pub law: NormalLaw,
    /// Gap at the beginning of the step [m or rad].
    pub gap: f64,
    /// Its impulse at the velocities last tried.
    pub now: Normal,
}

/// A friction on one or two rows.
#[derive(Clone, Copy, Debug)]
pub struct FrictionTerm {
    /// First row.
    pub row: usize,
    /// 1 or 2.
    pub rows: usize,
    /// The law.
    pub law: FrictionLaw,
    /// `r`.
    pub weights: [f64; 2],
    /// The normal whose impulse bounds it, times a factor; or a fixed bound [N s].
    pub bound_by: Result<(usize, f64), f64>,
    /// `F` in use [N s].
    pub bound: f64,
    /// Deflection of the bristles at the beginning of the step.
    pub bend: [f64; 2],
    /// Its impulse at the velocities last tried.
    pub now: Friction,
}

/// All terms of (1). Cleared and refilled in each step.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// First velocity and size of each block.
    pub blocks: Vec<(usize, usize)>,
    /// `A`, block after block, row-major.
    pub inertia: Vec<f64>,
    /// Where each block of `A` begins.
    pub inertia_start: Vec<usize>,
    /// `r` [N s].
    pub push: Vec<f64>,
    /// `J`.
    pub rows: Vec<Row>,
    /// Values of the rows.
    pub values: Vec<f64>,
    /// Normal forces.
    pub normals: Vec<NormalTerm>,
    /// Frictions.
    pub frictions: Vec<FrictionTerm>,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Step [s].
    pub step_s: f64,
    /// Allowed residual of (1), relative to the momenta in it.
    pub tolerance: f64,
    /// Newton steps with moving bounds.
    pub iterations: u32,
}

/// Outcome of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Newton steps.
    pub iterations: u32,
    /// Relative residual of (1).
    pub residual: f64,
    /// Largest difference between a bound in use and the one its normal impulse gives, relative to the largest bound.
    pub friction_mismatch: f64,
}

/// If less than this fraction of a step could be taken, the next one is cautious.
const SHORT: f64 = 0.2;

/// Lower limit of the reference momenta, as a fraction of the contact impulses, squared: keeps the ratio far from
/// overflow, and far above any residual that ends a solve.
const NOTHING: f64 = 1e-16;

/// Scratch.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    envelope: Envelope,
    /// `J v` and `J Δv`.
    w: Vec<f64>,
    dw: Vec<f64>,
    /// `A (v - v₀) - r`, and the gradient.
    smooth: Vec<f64>,
    gradient: Vec<f64>,
    dv: Vec<f64>,
    a_dv: Vec<f64>,
    moved: Vec<f64>,
    before: Vec<f64>,
    squares: [Vec<f64>; 2],
    others: [Vec<f64>; 2],
    /// Square of the momenta that the residual is relative to.
    size: f64,
}

impl Problem {
    fn block(&self, block: usize) -> std::ops::Range<usize> {
        let (first, size) = self.blocks[block];
        first..first + size
    }

    /// `out = A x`.
    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        for (block, &(first, size)) in self.blocks.iter().enumerate() {
            let matrix = &self.inertia[self.inertia_start[block]..];
            for i in 0..size {
                let row = &matrix[i * size..(i + 1) * size];
                out[first + i] = row.iter().zip(&x[first..first + size]).map(|(a, b)| a * b).sum();
            }
        }
    }

    /// `J x`, row by row.
    fn rows_times(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.rows.iter().map(|row| {
            let part = |&(block, at): &(usize, usize)| -> f64 {
                let range = self.block(block);
                self.values[at..at + range.len()].iter().zip(&x[range]).map(|(a, b)| a * b).sum()
            };
            row.parts.iter().flatten().map(part).sum::<f64>()
        }));
    }

    /// `out -= Jᵀ p` for one row.
    fn subtract_row(&self, row: usize, p: f64, out: &mut [f64]) {
        if p == 0.0 {
            return;
        }
        for &(block, at) in self.rows[row].parts.iter().flatten() {
            let range = self.block(block);
            let values = &self.values[at..at + range.len()];
            for (o, j) in out[range].iter_mut().zip(values) {
                *o -= p * j;
            }
        }
    }

    /// Impulses at the row speeds `w` under the bounds in use.
    fn evaluate(&mut self, h: f64, w: &[f64]) {
        for n in &mut self.normals {
            n.now = n.law.over_step(n.gap, h, w[n.row]);
        }
        for f in &mut self.frictions {
            f.now = f.law.over_step(h, f.weights, f.bound, f.bend, f.slip(w));
        }
    }

    /// Moves the bounds to the values given by the normal impulses, fully (`part` = 1) or partly.
    fn follow_bounds(&mut self, part: f64) {
        for i in 0..self.frictions.len() {
            let f = &self.frictions[i];
            // A fixed bound stays, and may be infinite.
            if f.bound_by.is_ok() {
                let wanted = self.wanted_bound(f);
                self.frictions[i].bound += part * (wanted - f.bound);
            }
        }
    }

    fn wanted_bound(&self, f: &FrictionTerm) -> f64 {
        match f.bound_by {
            Ok((normal, factor)) => factor * self.normals[normal].now.impulse,
            Err(fixed) => fixed,
        }
    }

    /// Largest mismatch of the active bounds, relative to the largest of them.
    fn mismatch(&self) -> f64 {
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for f in self.frictions.iter().filter(|f| !f.now.sticks && f.bound_by.is_ok()) {
            let wanted = self.wanted_bound(f);
            worst = worst.max((wanted - f.bound).abs());
            largest = largest.max(wanted).max(f.bound);
        }
        if largest > 0.0 { worst / largest } else { 0.0 }
    }

    /// Power along a line: the sum over rows of impulse times `dw`, at the speeds `w`.
    fn power(&self, h: f64, w: &[f64], dw: &[f64], t: f64) -> f64 {
        let at = |row: usize| w[row] + t * dw[row];
        let mut sum = 0.0;
        for n in &self.normals {
            if dw[n.row] != 0.0 {
                sum += n.law.over_step(n.gap, h, at(n.row)).impulse * dw[n.row];
            }
        }
        for f in &self.frictions {
            let second = f.row + f.rows - 1;
            let slip = [at(f.row), if f.rows == 2 { at(second) } else { 0.0 }];
            let impulse = f.law.over_step(h, f.weights, f.bound, f.bend, slip).impulse;
            sum += impulse[0] * dw[f.row];
            if f.rows == 2 {
                sum += impulse[1] * dw[second];
            }
        }
        sum
    }
}

impl FrictionTerm {
    /// The two speeds of its rows; the second is 0 if it has one row.
    pub fn slip(&self, w: &[f64]) -> [f64; 2] {
        [w[self.row], if self.rows == 2 { w[self.row + 1] } else { 0.0 }]
    }
}

impl Newton {
    /// Speeds of the rows at the solution.
    pub fn row_speeds(&self) -> &[f64] {
        &self.w
    }

    /// Square of the momenta that the last residual was relative to, in the metric of the inertia.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Solves (1), starting from `v`; `start` is `v₀`. `Err` names a velocity without inertia.
    pub fn solve(
        &mut self,
        problem: &mut Problem,
        options: &Options,
        start: &[f64],
        v: &mut [f64],
    ) -> Result<Outcome, usize> {
        let n = v.len();
        let buffers =
            [&mut self.smooth, &mut self.gradient, &mut self.dv, &mut self.a_dv, &mut self.moved, &mut self.before];
        for buffer in buffers {
            buffer.clear();
            buffer.resize(n, 0.0);
        }
        let couplings = problem.rows.iter().filter_map(|r| Some((r.parts[0]?.0, r.parts[1]?.0)));
        self.envelope.lay_out(&problem.blocks, couplings);
        let h = options.step_s;
        let mut outcome = Outcome::default();
        let mut last = f64::INFINITY;
        let mut cautious = false;
        // Bounds follow freely, then halfway, then not at all.
        let phases = [options.iterations, 3 * options.iterations, 10 * options.iterations];
        problem.rows_times(v, &mut self.w);
        loop {
            problem.evaluate(h, &self.w);
            if outcome.iterations < phases[1] {
                problem.follow_bounds(if outcome.iterations < phases[0] { 1.0 } else { 0.5 });
                problem.evaluate(h, &self.w);
            }
            outcome.residual = self.residual(problem, start, v);
            outcome.friction_mismatch = problem.mismatch();
            let done =
                outcome.residual <= options.tolerance && outcome.friction_mismatch <= 1e-7_f64.max(options.tolerance);
            let frozen = outcome.iterations >= phases[1];
            // Rounding level is reached when the residual is small and no longer falls.
            let stalled = outcome.residual <= 1e3 * options.tolerance && outcome.residual > 0.5 * last;
            if done
                || (frozen && (outcome.residual <= options.tolerance || stalled))
                || outcome.iterations >= phases[2]
            {
                return Ok(outcome);
            }
            if !outcome.residual.is_finite() {
                return Ok(outcome);
            }
            last = outcome.residual;
            outcome.iterations += 1;
            self.assemble(problem, cautious);
            let coupled = outcome.iterations <= phases[0] && !cautious;
            if coupled && self.coupled_step(problem, h, start, v, outcome.residual) {
                continue;
            }
            cautious = self.step(problem, h, v)? < SHORT;
        }
    }

    /// Fills `smooth` and `gradient`; returns the residual of (1), in the metric of `A`'s diagonal.
    fn residual(&mut self, problem: &Problem, start: &[f64], v: &[f64]) -> f64 {
        for (m, (a, b)) in self.moved.iter_mut().zip(v.iter().zip(start)) {
            *m = a - b;
        }
        problem.multiply(&self.moved, &mut self.smooth);
        // Sizes of the three terms, as the reference of the residual.
        let mut size = 0.0;
        for block in 0..problem.blocks.len() {
            let (first, count) = problem.blocks[block];
            for k in 0..count {
                let d = problem.inertia[problem.inertia_start[block] + k * (count + 1)];
                let term = self.smooth[first + k].abs() + problem.push[first + k].abs() + d * start[first + k].abs();
                size += term * term / d;
            }
        }
        for (s, p) in self.smooth.iter_mut().zip(&problem.push) {
            *s -= p;
        }
        self.gradient.copy_from_slice(&self.smooth);
        for n in &problem.normals {
            problem.subtract_row(n.row, n.now.impulse, &mut self.gradient);
        }
        for f in &problem.frictions {
            for k in 0..f.rows {
                problem.subtract_row(f.row + k, f.now.impulse[k], &mut self.gradient);
            }
        }
        let (mut left, mut given) = (0.0, 0.0);
        for block in 0..problem.blocks.len() {
            let (first, count) = problem.blocks[block];
            for k in 0..count {
                let d = problem.inertia[problem.inertia_start[block] + k * (count + 1)];
                let g = self.gradient[first + k];
                let impulse = g - self.smooth[first + k];
                given += impulse * impulse / d;
                left += g * g / d;
            }
        }
        // Bodies at rest have no momentum as a reference, but an overlap pushes them: the first residual would then be
        // as large as a number can be. At a solution the contact impulses equal the other terms, so this limit is not
        // active.
        self.size = size.max(NOTHING * given);
        if left == 0.0 { 0.0 } else { (left / self.size).sqrt() }
    }

    /// Assembles the matrix of (2). `cautious` uses the secants of frictions: after a step that could hardly be taken
    /// because a sliding contact, which does not resist changes of its speed, would have gone far past the point where
    /// it reverses.
    fn assemble(&mut self, problem: &Problem, cautious: bool) {
        self.envelope.clear();
        for block in 0..problem.blocks.len() {
            self.envelope.add_block(block, &problem.inertia[problem.inertia_start[block]..]);
        }
        for n in &problem.normals {
            if n.now.slope > 0.0 {
                self.add_weighted(problem, [(n.row, n.now.slope.sqrt()), (n.row, 0.0)]);
            }
        }
        for f in &problem.frictions {
            let [xx, xy, yy] = if cautious { [f.now.secant[0], 0.0, f.now.secant[1]] } else { f.now.slope };
            // G = C Cᵀ of the two rows; rounding may leave the second pivot a little below zero.
            let c = xx.max(0.0).sqrt();
            let below = if c > 0.0 { xy / c } else { 0.0 };
            if f.rows == 1 {
                self.add_weighted(problem, [(f.row, c), (f.row, 0.0)]);
            } else {
                self.add_weighted(problem, [(f.row, c), (f.row + 1, below)]);
                self.add_weighted(problem, [(f.row + 1, (yy - below * below).max(0.0).sqrt()), (f.row, 0.0)]);
            }
        }
    }

    /// Takes a whole step with the dependence of bounds on normal speeds; returns `false`, with nothing changed, if
    /// there is none or it does not halve the residual.
    fn coupled_step(&mut self, problem: &mut Problem, h: f64, start: &[f64], v: &mut [f64], residual: f64) -> bool {
        let mut any = false;
        for f in &problem.frictions {
            let Ok((normal, factor)) = f.bound_by else { continue };
            let slope = problem.normals[normal].now.slope;
            if f.now.sticks || slope == 0.0 || f.now.follow == [0.0; 2] {
                continue;
            }
            if !std::mem::replace(&mut any, true) {
                self.envelope.mirror();
            }
            // -∂p_t/∂w_n = follow · factor · slope of the normal.
            let second = f.row + f.rows - 1;
            let along = [(f.row, f.now.follow[0]), (second, if f.rows == 2 { f.now.follow[1] } else { 0.0 })];
            let blocks = weighted(problem, along, &mut self.squares);
            let n = problem.normals[normal].row;
            weighted(problem, [(n, factor * slope), (n, 0.0)], &mut self.others);
            let ([x1, x2], [y1, y2]) = (&self.squares, &self.others);
            self.envelope.add_outer(blocks, [x1, x2], [y1, y2]);
        }
        if !any || !self.envelope.factor_coupled() {
            self.assemble(problem, false);
            return false;
        }
        for (d, g) in self.dv.iter_mut().zip(&self.gradient) {
            *d = -g;
        }
        self.envelope.solve_coupled(&mut self.dv);
        self.before.copy_from_slice(v);
        for (v, d) in v.iter_mut().zip(&self.dv) {
            *v += d;
        }
        self.follow(problem, h, v);
        if self.residual(problem, start, v) <= 0.5 * residual {
            return true;
        }
        v.copy_from_slice(&self.before);
        self.follow(problem, h, v);
        self.residual(problem, start, v);
        self.assemble(problem, false);
        false
    }

    /// Computes impulses at `v` under the bounds that belong to them.
    fn follow(&mut self, problem: &mut Problem, h: f64, v: &[f64]) {
        problem.rows_times(v, &mut self.w);
        problem.evaluate(h, &self.w);
        problem.follow_bounds(1.0);
        problem.evaluate(h, &self.w);
    }

    /// Takes one step (2), with the matrix assembled, and the line search; returns the fraction of it that was taken.
    fn step(&mut self, problem: &Problem, h: f64, v: &mut [f64]) -> Result<f64, usize> {
        self.envelope.factor()?;
        for (d, g) in self.dv.iter_mut().zip(&self.gradient) {
            *d = -g;
        }
        self.envelope.solve(&mut self.dv);
        problem.rows_times(&self.dv, &mut self.dw);
        problem.multiply(&self.dv, &mut self.a_dv);
        let t = self.search(problem, h);
        for (v, d) in v.iter_mut().zip(&self.dv) {
            *v += t * d;
        }
        problem.rows_times(v, &mut self.w);
        Ok(t)
    }

    /// Adds the square of a weighted sum of two rows of one contact.
    fn add_weighted(&mut self, problem: &Problem, terms: [(usize, f64); 2]) {
        if terms.iter().all(|t| t.1 == 0.0) {
            return;
        }
        let blocks = weighted(problem, terms, &mut self.squares);
        let [first, second] = &self.squares;
        match (blocks[0].map(|b| (b, first.as_slice())), blocks[1].map(|b| (b, second.as_slice()))) {
            (Some(a), b) => self.envelope.add_square(a, b),
            (None, Some(b)) => self.envelope.add_square(b, None),
            (None, None) => {}
        }
    }

    /// Step length along `dv`: the whole step, or the minimum before it, to a tenth of the slope.
    fn search(&self, problem: &Problem, h: f64) -> f64 {
        let along: f64 = self.smooth.iter().zip(&self.dv).map(|(s, d)| s * d).sum();
        let bend: f64 = self.a_dv.iter().zip(&self.dv).map(|(a, d)| a * d).sum();
        let slope = |t: f64| along + t * bend - problem.power(h, &self.w, &self.dw, t);
        let begin = slope(0.0);
        let mut high = (1.0, slope(1.0));
        let enough = 0.1 * begin.abs();
        if !begin.is_finite() || begin >= 0.0 || high.1 <= enough {
            return 1.0;
        }
        // The slope grows along the line: a bracket, narrowed by false position with the Illinois rule. The end just
        // past the minimum is used: if a contact begins there, as steep as a wall, the next step must include it, and
        // would otherwise run against it again.
        let mut low = (0.0, begin);
        let mut side = 0;
        for _ in 0..60 {
            let t = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let here = slope(t);
            if (0.0..=enough).contains(&here) {
                return t;
            }
            if here > 0.0 {
                high = (t, here);
                low.1 *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                low = (t, here);
                high.1 *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        high.0
    }
}

/// The weighted sum of two rows over the same blocks; returns the blocks.
fn weighted(problem: &Problem, terms: [(usize, f64); 2], out: &mut [Vec<f64>; 2]) -> [Option<usize>; 2] {
    let parts = problem.rows[terms[0].0].parts;
    for (k, part) in parts.iter().enumerate() {
        out[k].clear();
        let Some((block, at)) = *part else { continue };
        let size = problem.blocks[block].1;
        let second = problem.rows[terms[1].0].parts[k].map_or(at, |p| p.1);
        let (x, y) = (&problem.values[at..at + size], &problem.values[second..second + size]);
        out[k].extend(x.iter().zip(y).map(|(x, y)| terms[0].1 * x + terms[1].1 * y));
    }
    parts.map(|p| p.map(|(block, _)| block))
}
