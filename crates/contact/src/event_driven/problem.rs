//! One problem over all touching points: velocities at an impact, accelerations where contact lasts.
//!
//! With the rows of all touching points and `A = J M⁻¹ Jᵀ`:
//!
//! ```text
//! (1)  Newton         w = A λ + J v⁻ + e J_n v⁻                 e only for points that close
//! (2)  Poisson        w = A λ_c + J v⁻, then the normals return e λ_c and friction acts on that, then (1) with e = 0
//! (3)  accelerations  w = A λ + J a° + bias                     for points that neither close nor part
//! ```
//!
//! each block under its law: `0 <= λ_n ⟂ w_n >= 0` and Coulomb's cone. A contact that already slides has one direction
//! of friction in (3): its normal row uses the column `Y_n - f Y_t` (`held.rs`, (2)), and `A` is not symmetric.
//!
//! The plastic impact (`e = 0`) never gains energy. With restitution and friction at several points an impact may
//! (Kane's paradox). All mixtures of the two are admissible, because velocities mix linearly and cones are convex; the
//! result is the one nearest to full restitution that gains no energy. An impulse `λ` changes the kinetic energy by
//!
//! ```text
//! (4)  ΔT = ½ Σ λ (u⁻ + u⁺)      over the rows of one island, u = J v
//! ```
//!
//! Each island of trees that touching points join has its own mixture: the energy lost by an impact elsewhere at the
//! same instant must not count here.

use super::frame::Frame;
use super::held::drag;
use super::lasting::{Contact, Mode};
use super::log::Site;
use super::rows::Rows;
use super::settings::{EventDrivenSettings, Restitution};
use crate::islands::{flatten, join};
use veracity_lcp::{Checked, Cone, Dense as Matrix, Law, Options, Problem, SolveReport, Status, solver};
use veracity_model::Vec3;

/// A touching point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    pub site: Site,
    pub frame: Frame,
    pub friction: [f64; 2],
    pub restitution: f64,
    /// Its mode, if it was a lasting contact.
    pub was: Option<Mode>,
    /// Direction of sliding, world axes.
    pub heading: Vec3,
    /// Impulse [N s] or force [N] of the last problem.
    pub lambda: [f64; 3],
    /// Velocities or accelerations of its rows after the last problem.
    pub w: [f64; 3],
    /// Its first row.
    pub first: usize,
}

impl Touching {
    pub(super) fn new(site: Site, frame: Frame, friction: [f64; 2], restitution: f64, was: Option<Contact>) -> Self {
        let (heading, was) = (was.map_or(Vec3::zeros(), |c| c.heading), was.map(|c| c.mode));
        let zero = [0.0; 3];
        Self { site, frame, friction, restitution, was, heading, lambda: zero, w: zero, first: 0 }
    }

    pub(super) fn has_friction(&self) -> bool {
        self.friction[0] > 0.0 || self.friction[1] > 0.0
    }

    fn rows(&self) -> usize {
        if self.has_friction() { 3 } else { 1 }
    }

    pub(super) fn sliding(&self) -> Vec3 {
        self.frame.tangents[0] * self.frame.velocity[1] + self.frame.tangents[1] * self.frame.velocity[2]
    }
}

/// How a point enters a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// Excluded.
    Out,
    /// Normal and friction.
    Whole,
    /// The normal only, with this friction per unit normal impulse against the tangents.
    Sliding([f64; 2]),
    /// The normal as an equation: its velocity is zero, whatever impulse that needs.
    Caught,
}

/// An unknown of a problem.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    point: usize,
    component: usize,
    drag: [f64; 2],
}

/// Assembles and solves the problems. Its allocations are reused.
pub(super) struct Judge {
    pub touching: Vec<Touching>,
    pub rows: Rows,
    solver: Checked<f64>,
    tolerance: f64,
    iterations: u32,
    law: Restitution,
    /// Points that close slower do not bounce [m/s].
    pub rest_speed: f64,
    unknowns: Vec<Unknown>,
    laws: Vec<Law>,
    matrix: Matrix<f64>,
    b: Vec<f64>,
    lambda: Vec<f64>,
    plastic: Vec<f64>,
    back: Vec<f64>,
    whole: Matrix<f64>,
    w: Vec<f64>,
    /// For each tree the root of its island, and the island of each unknown.
    islands: Vec<usize>,
    island_of: Vec<usize>,
    active: Vec<bool>,
    smallest: Vec<f64>,
    residual: Vec<f64>,
    search: Vec<f64>,
}

/// Result of an impact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImpactOutcome {
    pub solved: SolveReport,
    /// Fraction of the restitution that was kept, in the island that kept least: below 1 where full restitution would
    /// have gained energy.
    pub kept: f64,
}

impl Judge {
    /// Returns `None` if the solver does not exist.
    pub(super) fn new(settings: &EventDrivenSettings) -> Option<Self> {
        let entry = solver(&settings.solver)?;
        Some(Self {
            touching: Vec::new(),
            rows: Rows::default(),
            solver: Checked::new(entry),
            tolerance: settings.solver_tolerance,
            iterations: settings.solver_iterations,
            law: settings.restitution,
            rest_speed: settings.rest_speed_m_s,
            unknowns: Vec::new(),
            laws: Vec::new(),
            matrix: Matrix::default(),
            b: Vec::new(),
            lambda: Vec::new(),
            plastic: Vec::new(),
            back: Vec::new(),
            whole: Matrix::default(),
            w: Vec::new(),
            islands: Vec::new(),
            island_of: Vec::new(),
            active: Vec::new(),
            smallest: Vec::new(),
            residual: Vec::new(),
            search: Vec::new(),
        })
    }

    pub(super) fn clear(&mut self) {
        self.touching.clear();
        self.rows.clear();
    }

    /// Computes the velocities of all points under `v`.
    pub(super) fn look(&mut self, v: &[f64]) {
        for point in &mut self.touching {
            for k in 0..point.rows() {
                point.frame.velocity[k] = self.rows.of(point.first + k, v);
            }
        }
    }

    /// Applies an impact by (1) or (2): changes `v`. Points selected by `caught` get zero velocity along their normals.
    pub(super) fn impact(&mut self, v: &mut [f64], caught: &dyn Fn(&Touching) -> bool) -> ImpactOutcome {
        self.assemble(|p| if caught(p) { Part::Caught } else { Part::Whole });
        self.b.clear();
        self.b.extend(self.unknowns.iter().map(|u| self.touching[u.point].frame.velocity[u.component]));
        let mut solved = self.solve(true);
        let rest = self.rest_speed;
        let returns = |p: &Touching| p.restitution > 0.0 && p.frame.velocity[0] < -rest && !caught(p);
        let mut kept = 1.0;
        if self.touching.iter().any(returns) {
            self.plastic.clear();
            self.plastic.extend_from_slice(&self.lambda);
            if self.law == Restitution::Newton {
                for (b, u) in self.b.iter_mut().zip(&self.unknowns) {
                    let point = &self.touching[u.point];
                    if u.component == 0 && returns(point) {
                        *b += point.restitution * point.frame.velocity[0];
                    }
                }
                solved = self.solve(false);
            } else {
                solved = self.expand(&returns);
            }
            self.find_islands();
            for k in 0..self.unknowns.len() {
                // Once for each island, at its first unknown.
                let island = self.island_of[k];
                if self.island_of[..k].contains(&island) {
                    continue;
                }
                let part = self.admissible(island);
                kept = part.min(kept);
                let mixed = self.lambda.iter_mut().zip(&self.plastic).zip(&self.island_of);
                for ((l, p), _) in mixed.filter(|(_, of)| **of == island) {
                    *l = p + part * (*l - p);
                }
            }
        }
        for (u, l) in self.unknowns.iter().zip(&self.lambda) {
            self.rows.add_response(self.touching[u.point].first + u.component, *l, v);
        }
        self.look(v);
        self.store();
        for point in &mut self.touching {
            point.w = point.frame.velocity;
        }
        ImpactOutcome { solved, kept }
    }

    /// The expansion of (2), from the compression impulses in `plastic`: leaves the sum of all impulses.
    fn expand(&mut self, returns: &dyn Fn(&Touching) -> bool) -> SolveReport {
        let n = self.unknowns.len();
        // Velocities after compression, and the impulses the normals return.
        self.products();
        let mut back = std::mem::take(&mut self.back);
        back.clear();
        back.resize(n, 0.0);
        for (k, u) in self.unknowns.iter().enumerate() {
            let point = &self.touching[u.point];
            if u.component == 0 && returns(point) {
                back[k] = point.restitution * self.plastic[k];
            }
        }
        let compressed = std::mem::take(&mut self.w);
        // Friction while the normals expand: their impulses are known, so friction is solved separately.
        self.whole.cast_from(&self.matrix);
        let keep = &self.whole;
        for r in 0..n {
            let normal = self.unknowns[r].component == 0;
            let mut b = if normal { -keep.get(r, r) * back[r] } else { compressed[r] };
            for s in 0..n {
                if self.unknowns[s].component == 0 && !normal {
                    b += keep.get(r, s) * back[s];
                }
                if r != s && (normal || self.unknowns[s].component == 0) {
                    self.matrix.set(r, s, 0.0);
                }
            }
            self.b[r] = b;
        }
        self.solve(true);
        for (back, l) in back.iter_mut().zip(&self.lambda) {
            *back = *l;
        }
        // Points that still close after that are stopped without restitution.
        std::mem::swap(&mut self.matrix, &mut self.whole);
        for r in 0..n {
            self.b[r] = compressed[r] + (0..n).map(|s| self.matrix.get(r, s) * back[s]).sum::<f64>();
        }
        let solved = self.solve(true);
        for (l, (p, e)) in self.lambda.iter_mut().zip(self.plastic.iter().zip(&back)) {
            *l += p + e;
        }
        (self.back, self.w) = (back, compressed);
        solved
    }

    /// Finds the islands of the unknowns, joined by touching points of the same tree.
    fn find_islands(&mut self) {
        let trees = (0..self.rows.len()).flat_map(|row| self.rows.trees(row)).max().map_or(0, |most| most + 1);
        self.islands.clear();
        // One more, for points that move nothing.
        self.islands.extend(0..=trees);
        for row in 0..self.rows.len() {
            let mut both = self.rows.trees(row);
            if let (Some(a), Some(b)) = (both.next(), both.next()) {
                join(&mut self.islands, a, b);
            }
        }
        flatten(&mut self.islands);
        self.island_of.clear();
        for u in &self.unknowns {
            let tree = self.rows.trees(self.touching[u.point].first).next();
            self.island_of.push(self.islands[tree.unwrap_or(trees)]);
        }
    }

    /// The largest fraction of the way from `plastic` to `lambda` with which an island gains no energy, by (4): energy
    /// is a parabola along it.
    fn admissible(&self, island: usize) -> f64 {
        let own = || (0..self.unknowns.len()).filter(|k| self.island_of[*k] == island);
        let before = |k: usize| self.touching[self.unknowns[k].point].frame.velocity[self.unknowns[k].component];
        let mut scale = 0.0;
        let mut gain = |s: f64| {
            let mixed = |k: usize| self.plastic[k] + s * (self.lambda[k] - self.plastic[k]);
            let mut sum = 0.0;
            for r in own() {
                let change: f64 = own().map(|c| self.matrix.get(r, c) * mixed(c)).sum();
                sum += mixed(r) * (before(r) + 0.5 * change);
                scale += (mixed(r) * before(r)).abs();
            }
            sum
        };
        let (g0, gh, g1) = (gain(0.0), gain(0.5), gain(1.0));
        // Rounding of the sum is not a gain.
        if g1 <= 1e-12 * scale {
            return 1.0;
        }
        let (c2, c1) = (2.0 * (g1 + g0 - 2.0 * gh), 4.0 * gh - 3.0 * g0 - g1);
        let root = (-c1 + (c1 * c1 - 4.0 * c2 * g0).max(0.0).sqrt()) / (2.0 * c2);
        if root.is_finite() { root.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Solves (3) for the points that `part` includes; `free` are the accelerations without them. Leaves forces and
    /// accelerations in the points. The solve starts from zeros.
    pub(super) fn accelerations(&mut self, free: &[f64], part: impl Fn(&Touching) -> Part) -> SolveReport {
        self.assemble(part);
        self.b.clear();
        for u in &self.unknowns {
            let point = &self.touching[u.point];
            self.b.push(self.rows.of(point.first + u.component, free) + point.frame.bias[u.component]);
        }
        let outcome = self.solve(true);
        if outcome.converged() {
            self.spread();
        }
        self.store();
        // Accelerations of all rows, including those that were not unknowns.
        for i in 0..self.touching.len() {
            for k in 0..self.touching[i].rows() {
                let row = self.touching[i].first + k;
                let mut w = self.rows.of(row, free) + self.touching[i].frame.bias[k];
                for (u, l) in self.unknowns.iter().zip(&self.lambda) {
                    w += l * effect(&self.rows, row, self.touching[u.point].first, u);
                }
                self.touching[i].w[k] = w;
            }
        }
        outcome
    }

    /// Among equivalent forces (four corners of a box), selects the smallest, if it is admissible: a solver may leave
    /// points loaded against each other, some at the edge of their cones. Conjugate gradients from zero find the
    /// smallest solution of redundant equations.
    fn spread(&mut self) {
        let n = self.unknowns.len();
        if self.unknowns.iter().any(|u| u.drag != [0.0; 2]) {
            return;
        }
        let size = self.lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        // Rows of points that carry force.
        let mut normal = 0.0;
        self.active.clear();
        for (k, u) in self.unknowns.iter().enumerate() {
            normal = if u.component == 0 { self.lambda[k] } else { normal };
            self.active.push(normal > 1e-9 * size);
        }
        self.smallest.clear();
        self.smallest.resize(n, 0.0);
        self.residual.clear();
        self.residual.extend((0..n).map(|k| if self.active[k] { -self.b[k] } else { 0.0 }));
        self.search.clear();
        self.search.extend_from_slice(&self.residual);
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let begin = dot(&self.residual, &self.residual);
        let mut now = begin;
        for _ in 0..4 * n {
            if now <= 1e-30 * begin {
                break;
            }
            self.w.clear();
            for r in 0..n {
                let along = (0..n).filter(|s| self.active[*s]).map(|s| self.matrix.get(r, s) * self.search[s]);
                self.w.push(if self.active[r] { along.sum() } else { 0.0 });
            }
            let step = now / dot(&self.search, &self.w);
            for k in 0..n {
                self.smallest[k] += step * self.search[k];
                self.residual[k] -= step * self.w[k];
            }
            let next = dot(&self.residual, &self.residual);
            for k in 0..n {
                self.search[k] = self.residual[k] + next / now * self.search[k];
            }
            now = next;
        }
        if now.is_nan() || now > 1e-24 * begin {
            return;
        }
        let mut at = 0;
        for law in &self.laws {
            let l = &self.smallest[at..at + law.rows()];
            let fits = match law {
                Law::Unilateral => l[0] >= 0.0,
                Law::Friction { mu } => {
                    l[0] >= 0.0 && libm::hypot(mu[1] * l[1], mu[0] * l[2]) <= (1.0 - 1e-6) * mu[0] * mu[1] * l[0]
                }
                _ => true,
            };
            if !fits && self.active[at] {
                return;
            }
            at += law.rows();
        }
        for k in (0..n).filter(|k| self.active[*k]) {
            self.lambda[k] = self.smallest[k];
        }
    }

    /// Friction where no acceleration solves (3): the limit of the impulse for a short contact time. Changes `v`.
    pub(super) fn jam(&mut self, free: &[f64], v: &mut [f64], short_s: f64) -> SolveReport {
        self.assemble(|_| Part::Whole);
        self.b.clear();
        for u in &self.unknowns {
            let point = &self.touching[u.point];
            let a = self.rows.of(point.first + u.component, free) + point.frame.bias[u.component];
            self.b.push(point.frame.velocity[u.component] + short_s * a);
        }
        let outcome = self.solve(true);
        for (u, l) in self.unknowns.iter().zip(&self.lambda) {
            self.rows.add_response(self.touching[u.point].first + u.component, *l, v);
        }
        self.look(v);
        self.store();
        outcome
    }

    /// Assembles unknowns, laws and matrix.
    fn assemble(&mut self, part: impl Fn(&Touching) -> Part) {
        self.unknowns.clear();
        self.laws.clear();
        for (i, point) in self.touching.iter().enumerate() {
            let mut unknown = |component, drag| self.unknowns.push(Unknown { point: i, component, drag });
            match part(point) {
                Part::Out => continue,
                Part::Whole if point.has_friction() => {
                    (0..3).for_each(|k| unknown(k, [0.0; 2]));
                    self.laws.push(Law::Friction { mu: point.friction });
                }
                Part::Whole => {
                    unknown(0, [0.0; 2]);
                    self.laws.push(Law::Unilateral);
                }
                Part::Sliding(f) => {
                    unknown(0, if point.has_friction() { f } else { [0.0; 2] });
                    self.laws.push(Law::Unilateral);
                }
                Part::Caught => {
                    unknown(0, [0.0; 2]);
                    self.laws.push(Law::Equal);
                }
            }
        }
        let n = self.unknowns.len();
        self.matrix.clear(n);
        for (r, x) in self.unknowns.iter().enumerate() {
            let row = self.touching[x.point].first + x.component;
            for (s, y) in self.unknowns.iter().enumerate() {
                self.matrix.set(r, s, effect(&self.rows, row, self.touching[y.point].first, y));
            }
        }
    }

    /// Solves for `lambda`, from zeros if `afresh`.
    fn solve(&mut self, afresh: bool) -> SolveReport {
        let n = self.unknowns.len();
        if afresh {
            self.lambda.clear();
            self.lambda.resize(n, 0.0);
        }
        if n == 0 {
            return SolveReport { status: Status::Converged, iterations: 0, residual: 0.0, complementarity: 0.0 };
        }
        let size = self.b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let options = Options { tolerance: self.tolerance * size, iterations: self.iterations, ..Options::default() };
        let problem = Problem { operator: &self.matrix, b: &self.b, laws: &self.laws, cone: Cone::Exact };
        self.solver.solve(&problem, &options, options.tolerance, &mut self.lambda)
    }

    /// `w = A λ_plastic + b`.
    fn products(&mut self) {
        let n = self.unknowns.len();
        self.w.clear();
        for r in 0..n {
            self.w.push(self.b[r] + (0..n).map(|s| self.matrix.get(r, s) * self.plastic[s]).sum::<f64>());
        }
    }

    /// Copies impulses or forces into the points.
    fn store(&mut self) {
        self.touching.iter_mut().for_each(|p| p.lambda = [0.0; 3]);
        for (u, l) in self.unknowns.iter().zip(&self.lambda) {
            let point = &mut self.touching[u.point];
            point.lambda[u.component] = *l;
            if u.drag != [0.0; 2] {
                point.lambda = [*l, -l * u.drag[0], -l * u.drag[1]];
            }
        }
    }
}

/// Effect of an unknown on a row.
fn effect(rows: &Rows, row: usize, first: usize, unknown: &Unknown) -> f64 {
    let mut sum = rows.entry(row, first + unknown.component);
    if unknown.drag != [0.0; 2] {
        sum -= unknown.drag[0] * rows.entry(row, first + 1) + unknown.drag[1] * rows.entry(row, first + 2);
    }
    sum
}

/// How a lasting point enters (3): whole if it may stick, with its sliding friction otherwise.
pub(super) fn lasting(point: &Touching, stick_speed: f64) -> Part {
    let sliding = point.sliding();
    if !point.has_friction() || sliding.norm() <= stick_speed {
        return Part::Whole;
    }
    let (u, heading) = ([point.frame.velocity[1], point.frame.velocity[2]], sliding.normalize());
    let heading = [heading.dot(&point.frame.tangents[0]), heading.dot(&point.frame.tangents[1])];
    Part::Sliding(drag(point.friction, u, heading))
}
