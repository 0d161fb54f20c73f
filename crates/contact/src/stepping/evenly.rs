//! Selecting a unique solution when statics is indeterminate.
//!
//! Rigid statics does not determine how four corners share a pressure, whether a row that just fits between two stops
//! is wedged there, or which moment two grippers exert on each other. Any choice holds a body still, but where it
//! slides the choice affects its rotation, and loads on stops that nothing presses the body against cause spurious
//! friction. The solution selected is the one of least impulses, which is the limit for slightly compliant bodies:
//!
//! ```text
//! (1)  w = (A + ε D) λ + b,                D = diag A over contacts and limits, ε = 1e-2, then 1e-4
//! (2)  w = (A + ε D) λₖ₊₁ + b - ε D λₖ      ε = 1e-4, until λ converges: then (A λ + b, λ) satisfy the laws
//! ```
//!
//! (1) has one solution, with the symmetry of the problem; (2), the proximal point method, continues to a solution of
//! the rigid problem and stays as close to its start as possible. When points join a patch the solve begins with (1);
//! otherwise with (2) from the last step's impulses, which keeps the previous choice. Where every contact stays closed
//! and sticking, or stays open, (2) is a linear system ([`veracity_lcp::held`]), and that is tried first.
//!
//! With high friction the iterations may fail although the body is easily held: a finger that presses with 100 N at
//! four corners and a friction of 100 can also press at one corner and shear with 10 kN, and from there every contact
//! is on the edge of its cone. Before a solve is abandoned, (2) is tried from zero impulses with every touching contact
//! assumed to hold. Contacts and limits that would have to pull are released, those that would be violated are added,
//! and the rest is again a linear system. The laws are verified as after every solve.

use super::Stepping;
use super::projection::WORTH_IT;
use crate::rows::Source;
use veracity_dynamics::integrate::StepReport;
use veracity_lcp::{Operator, SolveReport};

/// Maximum number of steps of (2): each reduces the error of a row of eleven blocks by a factor of a hundred.
const PROXIMAL: u32 = 8;
/// `ε` of (1), one solve each; the last is that of (2).
const SOFTNESS: [f64; 2] = [1e-2, 1e-4];
/// Maximum number of times that contacts and limits are released or added: a few of each, mostly a whole edge at once.
const CHANGES: u32 = 8;
/// Normal impulse of a contact that is assumed to hold and has none yet [N s]: positive, with a positive square.
const JUST_TOUCHES: f64 = 1e-100;

/// Scratch for the selection.
#[derive(Default)]
pub(super) struct Scratch {
    /// Rows that are compliant in (1) and (2), with their `D`.
    soft: Vec<(usize, f64)>,
    /// `ε D`, or the right-hand side of (2).
    b_soft: Vec<f64>,
    /// Impulses with which every touching contact holds, and the velocities they cause.
    pub least: Vec<f64>,
    pub least_u: Vec<f64>,
    pub least_w: Vec<f64>,
}

impl Stepping {
    /// (2) if no contact changes its mode; `None`, with nothing changed, if one does.
    pub(super) fn hold_evenly(&mut self) -> Option<SolveReport> {
        self.soften();
        let (operator, laws) = (&self.problem.rows.operator, &self.problem.rows.laws);
        self.solve.hold(operator, &self.current.b, laws, &self.evenly.b_soft, &mut self.problem.lambda)
    }

    /// The impulses nearest to zero with which every touching contact holds or is released; `None`, with nothing
    /// changed, if these violate the laws.
    pub(super) fn hold_from_nothing(&mut self) -> Option<SolveReport> {
        self.soften();
        let mut lambda = std::mem::take(&mut self.evenly.least);
        lambda.clear();
        lambda.resize(self.problem.lambda.len(), 0.0);
        for (source, first) in &self.problem.rows.blocks {
            let row = *first as usize;
            lambda[row] = match *source {
                Source::Contact(i) if self.way_to_close(i as usize) <= WORTH_IT || self.current.b[row] < 0.0 => {
                    JUST_TOUCHES
                }
                Source::Lower(_) | Source::Upper(_) if self.current.b[row] < 0.0 => JUST_TOUCHES,
                _ => 0.0,
            };
        }
        let (operator, laws) = (&self.problem.rows.operator, &self.problem.rows.laws);
        let mut found = None;
        let (mut u, mut w) = (std::mem::take(&mut self.evenly.least_u), std::mem::take(&mut self.evenly.least_w));
        u.resize(operator.running_len(), 0.0);
        w.resize(lambda.len(), 0.0);
        for _ in 0..CHANGES {
            let Some(rounds) =
                self.solve.hold_as_given(operator, &self.current.b, laws, &self.evenly.b_soft, &mut lambda)
            else {
                break;
            };
            operator.multiply(&lambda, &mut u, &mut w);
            let soft = || self.problem.rows.blocks.iter().zip(laws).filter(|((source, _), _)| is_soft(source));
            let good = self.solve.good;
            let (b, w) = (&self.current.b, &w);
            let wrong = |row: usize, l: f64| l < 0.0 || (l == 0.0 && b[row] + w[row] < -good);
            if !soft().any(|((_, row), _)| wrong(*row as usize, lambda[*row as usize])) {
                let outcome = self.solve.is_good(operator, &self.current.b, laws, &lambda);
                found = outcome.map(|outcome| SolveReport { iterations: rounds, ..outcome });
                break;
            }
            for ((_, first), law) in soft() {
                let first = *first as usize;
                let rows = &mut lambda[first..first + law.rows()];
                // Violating contacts and limits change sides.
                let holds = (rows[0] > 0.0) != wrong(first, rows[0]);
                rows.fill(0.0);
                rows[0] = if holds { JUST_TOUCHES } else { 0.0 };
            }
        }
        (self.evenly.least_u, self.evenly.least_w) = (u, w);
        if found.is_some() {
            self.problem.lambda.copy_from_slice(&lambda);
        }
        self.evenly.least = lambda;
        found
    }

    /// `ε D` of (2), into `b_soft`.
    fn soften(&mut self) {
        self.evenly.b_soft.clear();
        self.evenly.b_soft.resize(self.problem.rows.len(), 0.0);
        self.problem.rows.operator.diagonal_entries(&mut self.evenly.b_soft);
        let last = SOFTNESS[SOFTNESS.len() - 1];
        for (block, (source, first)) in self.problem.rows.blocks.iter().enumerate() {
            let first = *first as usize;
            let softness = if is_soft(source) { last } else { 0.0 };
            self.evenly.b_soft[first..first + self.problem.rows.laws[block].rows()]
                .iter_mut()
                .for_each(|d| *d *= softness);
        }
    }

    /// Moves `lambda` to the solution of least impulses if points have joined a patch, else to the one nearest to it.
    pub(super) fn solve_evenly(&mut self, report: &mut StepReport) {
        self.evenly.soft.clear();
        for (block, (source, first)) in self.problem.rows.blocks.iter().enumerate() {
            if !is_soft(source) {
                continue;
            }
            for row in *first as usize..*first as usize + self.problem.rows.laws[block].rows() {
                let mut stiff = [0.0];
                self.problem.rows.operator.diagonal(row, 1, &mut stiff);
                self.evenly.soft.push((row, stiff[0]));
            }
        }
        for softness in SOFTNESS {
            for (row, diagonal) in &self.evenly.soft {
                self.problem.rows.operator.set_compliance(*row, softness * diagonal);
            }
            if !self.current.newcomers {
                continue;
            }
            // Only a starting point: its own residual does not matter.
            let outcome = self.solve.solve_roughly(
                &self.problem.rows.operator,
                &self.current.b,
                &self.problem.rows.laws,
                &mut self.problem.lambda,
            );
            report.iterations += outcome.iterations;
        }
        let last = SOFTNESS[SOFTNESS.len() - 1];
        self.evenly.b_soft.clear();
        self.evenly.b_soft.extend_from_slice(&self.current.b);
        for _ in 0..PROXIMAL {
            let mut change = 0.0f64;
            for (row, diagonal) in &self.evenly.soft {
                let pull = self.current.b[*row] - last * diagonal * self.problem.lambda[*row];
                change = change.max((pull - self.evenly.b_soft[*row]).abs());
                self.evenly.b_soft[*row] = pull;
            }
            if change <= self.solve.good {
                break;
            }
            let (operator, laws) = (&self.problem.rows.operator, &self.problem.rows.laws);
            let outcome = self.solve.solve_roughly(operator, &self.evenly.b_soft, laws, &mut self.problem.lambda);
            report.iterations += outcome.iterations;
            if !outcome.converged() {
                // If no even solution is found, the problem is solved directly.
                break;
            }
        }
        for (block, (source, first)) in self.problem.rows.blocks.iter().enumerate() {
            let rows = *first as usize..*first as usize + self.problem.rows.laws[block].rows();
            for row in rows.clone() {
                let own = match *source {
                    Source::Contact(i) if row == rows.start => {
                        self.compliance(&self.contacts.pairs[i as usize], self.step_s)
                    }
                    _ => 0.0,
                };
                self.problem.rows.operator.set_compliance(row, own);
            }
        }
        if self.problem.lambda.iter().any(|x| !x.is_finite()) {
            self.problem.lambda.fill(0.0);
        }
    }
}

/// Whether a block is treated as slightly compliant: contacts and limits.
fn is_soft(source: &Source) -> bool {
    matches!(source, Source::Contact(_) | Source::Lower(_) | Source::Upper(_))
}
