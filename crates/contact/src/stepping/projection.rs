//! Position correction without changing a velocity.
//!
//! With `e` the errors at the beginning of the step, displacements `δ = h Y π` along the rows of this step solve
//!
//! ```text
//! (1)  contact, limit:   0 ≤ e_n + J_n δ  ⟂  π ≥ 0        no overlap; points that are apart stay so
//! (2)  anchor:           s + J_t δ = 0                      the drift of a sticking contact
//! (3)  held dof, loop:   r + J δ = 0
//! ```
//!
//! The problem has the operator of the velocities, so nothing is computed twice; it is solved only when some error
//! exceeds [`WORTH_IT`] by more than the solves of [`STEPS_WORTH`] steps may have left. A few sweeps reduce it to
//! [`BROUGHT_DOWN`] of its size; the next step corrects the rest. Depths are recovered at no more than [`RECOVERY`],
//! and loose bodies are lifted at the expense of the step's energy ([`super::spending`]). Before (2) of the step only
//! the loss of free motion is known, `g h² / 2` of height for a single body, 5 mm/s at 1 ms: up to this they are lifted
//! at once. The rest of the displacement is applied after the solve, as far as impacts and friction have lost more than
//! that. A coin that rolls down on its rim goes deeper in every step than free motion would pay for, and loses ten
//! times as much: lifted later, at rest, it would gain energy without a source.

use super::{Stabilisation, Stepping};
use crate::rows::Source;
use std::mem::take;
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Trouble, kinematics};
use veracity_lcp::{Law, Operator, Options, Problem, Solver};

/// Errors below this are not corrected [m or rad]: a tenth of the strictest bound on a body at rest, and far above the
/// rounding of positions.
pub const WORTH_IT: f64 = 1e-10;
/// Number of steps, see above.
pub const STEPS_WORTH: f64 = 10.0;
/// Factor, see above.
pub const BROUGHT_DOWN: f64 = 0.01;
/// Maximum speed at which deep overlaps are recovered [m/s]: bodies that start inside each other visibly separate.
pub const RECOVERY: f64 = 1.0;
/// Maximum number of sweeps.
const SWEEPS: u32 = 50;

/// Scratch for the position pass.
pub(super) struct Scratch {
    laws: Vec<Law>,
    errors: Vec<f64>,
    pi: Vec<f64>,
    moved: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    sweeps: Box<dyn Solver<f64>>,
    /// Positions before the correction; empty if there was none.
    pub before: Vec<f64>,
    /// Work of the whole displacement [J] and the part of it not applied yet.
    lift: f64,
    left: f64,
    /// Points that touched in this step.
    pub contacts: u32,
}

impl Scratch {
    pub fn new(nv: usize) -> Self {
        let empty = Vec::new;
        Self {
            laws: Vec::new(),
            errors: empty(),
            pi: empty(),
            moved: empty(),
            u: vec![0.0; nv],
            v: vec![0.0; nv],
            sweeps: (veracity_lcp::solver("nsgs").expect("nsgs is in SOLVERS").make)(),
            before: Vec::new(),
            lift: 0.0,
            left: 0.0,
            contacts: 0,
        }
    }

    /// Whether a part of the displacement is left.
    pub fn is_under_way(&self) -> bool {
        self.left > 0.0
    }

    /// Resets at the beginning of a step.
    pub fn begin(&mut self) {
        self.before.clear();
        self.left = 0.0;
    }
}

impl Stepping {
    /// Moves the positions of `state`, and the gaps of the points with them.
    pub(super) fn project(&mut self, state: &mut State, h: f64, report: &mut StepReport) -> Result<(), Trouble> {
        self.spending.spent = 0.0;
        self.projection.left = 0.0;
        let upright = self.settings.stabilisation == Stabilisation::Projection;
        // Allocate now, not in a later step that is the first to need it: in most steps there is nothing to solve.
        let (scratch, rows) = (&mut self.projection, self.problem.rows.len());
        scratch.laws.clear();
        scratch.laws.reserve(rows);
        scratch.errors.clear();
        scratch.errors.reserve(rows);
        let worst = self.errors(state, h, upright, |_, _| ());
        if worst <= WORTH_IT.max(STEPS_WORTH * h * self.solve.good) {
            return Ok(());
        }
        let (mut laws, mut errors) = (take(&mut self.projection.laws), take(&mut self.projection.errors));
        self.errors(state, h, upright, |law, error| {
            laws.push(law);
            errors.push(error);
        });
        let scratch = &mut self.projection;
        (scratch.laws, scratch.errors) = (laws, errors);
        scratch.pi.clear();
        scratch.pi.resize(scratch.errors.len(), 0.0);
        let (operator, b, laws) = (&self.problem.rows.operator, &scratch.errors[..], &scratch.laws[..]);
        let problem = Problem { operator, b, laws, cone: self.solve.cone };
        let options = Options { tolerance: BROUGHT_DOWN * worst / h, iterations: SWEEPS, ..Options::default() };
        let outcome = scratch.sweeps.solve(&problem, &options, &mut scratch.pi);
        report.iterations += outcome.iterations;
        if scratch.pi.iter().any(|x| !x.is_finite()) {
            // Nothing is moved; a persistent failure shows up in the velocity solve.
            return Ok(());
        }
        scratch.u.clear();
        scratch.u.resize(self.problem.rows.operator.running_len(), 0.0);
        self.problem.rows.add_response(&scratch.pi, &mut scratch.u);
        self.problem.rows.velocities(&scratch.u, &mut scratch.moved);
        let mut v = take(&mut scratch.v);
        self.island_velocity(&self.projection.u, &mut v);
        self.projection.v = v;
        // Lifting is paid for by the loss of free motion; the rest of the displacement waits for the losses of the
        // solve.
        self.weigh();
        let (lift, loss) = (self.lift(&self.projection.u), self.spending.loss);
        self.spending.spent = lift.clamp(0.0, loss);
        let scratch = &mut self.projection;
        let part = if lift > loss { loss / lift } else { 1.0 };
        (scratch.lift, scratch.left) = (lift, 1.0 - part);
        if scratch.before.is_empty() {
            scratch.before.extend_from_slice(&state.q);
        }
        for (block, _) in self.islands.current() {
            kinematics::advance_block(&self.world.system, block, &mut state.q, &scratch.v, part * h);
        }
        for (source, row) in &self.problem.rows.blocks {
            if let Source::Contact(i) = *source {
                // A gap that the rest of the displacement would close counts as closed: the velocities must not close
                // it too.
                let moved = h * scratch.moved[*row as usize];
                self.contacts.points[i as usize].gap += if moved > 0.0 { part * moved } else { moved };
            }
        }
        Ok(())
    }

    /// Applies the rest of the displacement, after the velocities of all rows, as far as the step has lost energy.
    pub(super) fn go_on(&mut self, state: &mut State, h: f64) {
        if self.projection.left == 0.0 {
            return;
        }
        let lost = -self.gained(&self.spending.u_free, &self.problem.u, &self.problem.path) - self.spending.spent;
        let scratch = &mut self.projection;
        let part = if lost > 0.0 { (lost / scratch.lift).min(scratch.left) } else { 0.0 };
        for (block, _) in self.islands.current() {
            kinematics::advance_block(&self.world.system, block, &mut state.q, &scratch.v, part * h);
        }
        for (source, row) in &self.problem.rows.blocks {
            if let Source::Contact(i) = *source {
                let moved = h * scratch.moved[*row as usize];
                self.contacts.points[i as usize].gap +=
                    if moved > 0.0 { part * moved } else { (part - scratch.left) * moved };
            }
        }
    }

    /// Sets each row's law of (1) to (3) and its error over `h`; returns the largest error [m or rad].
    #[inline(always)]
    fn errors(&self, state: &State, h: f64, upright: bool, mut tell: impl FnMut(Law, f64)) -> f64 {
        let mut worst = 0.0f64;
        let still = Law::Between { lowest: 0.0, highest: 0.0 };
        for (block, (source, _)) in self.problem.rows.blocks.iter().enumerate() {
            match *source {
                Source::Contact(i) => {
                    let i = i as usize;
                    let (point, pair) = (&self.contacts.points[i], &self.contacts.pairs[i]);
                    let rigid = upright && self.settings.regularisation == super::Regularisation::None;
                    let depth = if rigid { (-point.gap).max(0.0) } else { 0.0 };
                    worst = worst.max(depth);
                    let least = if rigid { -RECOVERY * h } else { 0.0 };
                    tell(Law::Unilateral, point.gap.max(least) / h);
                    let rows = self.problem.rows.laws[block].rows();
                    let held = self.contacts.anchors[i].is_some();
                    for k in 1..rows {
                        let drift = if k < 3 { pair.tangents[k - 1].dot(&self.contacts.drifts[i]) } else { 0.0 };
                        let anchored = held && k < 3;
                        tell(if anchored { Law::Equal } else { still }, if anchored { drift / h } else { 0.0 });
                        worst = worst.max(if anchored { drift.abs() } else { 0.0 });
                    }
                }
                Source::Lower(i) | Source::Upper(i) => {
                    let limit = &self.world.limits[i as usize];
                    let q = state.q[limit.q];
                    let gap = if matches!(source, Source::Lower(_)) { q - limit.lower } else { limit.upper - q };
                    let gap = if upright { gap } else { gap.max(0.0) };
                    worst = worst.max(-gap);
                    tell(Law::Unilateral, gap.max(-RECOVERY * h) / h);
                }
                Source::Held(i) => {
                    let limit = &self.world.limits[i as usize];
                    let error = if upright { state.q[limit.q] - limit.lower } else { 0.0 };
                    worst = worst.max(error.abs());
                    tell(Law::Equal, error / h);
                }
                Source::Loop(row) => {
                    let error = if upright { self.contacts.loop_residuals[row as usize] } else { 0.0 };
                    worst = worst.max(error.abs());
                    tell(Law::Equal, error / h);
                }
                Source::Dry(_) => tell(still, 0.0),
                Source::Extra(i) => {
                    let extra = &self.extra[i as usize];
                    let one_sided = extra.law == Law::Unilateral;
                    match extra.gap {
                        Some(gap) if one_sided => {
                            let gap = if upright { gap } else { gap.max(0.0) };
                            worst = worst.max(-gap);
                            tell(Law::Unilateral, gap.max(-RECOVERY * h) / h);
                        }
                        Some(error) => {
                            let error = if upright { error } else { 0.0 };
                            worst = worst.max(error.abs());
                            tell(Law::Equal, error / h);
                        }
                        None => tell(still, 0.0),
                    }
                }
            }
        }
        worst
    }
}
