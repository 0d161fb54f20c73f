//! Which of many solutions.
//!
//! Rigid statics leaves much open: how four corners share a pressure, whether a row that just fits between two stops is
//! wedged there, which moment two grippers put on each other. Any choice holds a body still, but where it slides the choice
//! turns it, and loads on stops that nothing presses it to make friction out of nothing. The solution meant is the one of
//! least impulses, which is where bodies that give way a little end up:
//!
//! ```text
//! (1)  w = (A + ε D) λ + b,                D = diag A over contacts and limits, ε = 1e-2, then 1e-4
//! (2)  w = (A + ε D) λₖ₊₁ + b - ε D λₖ      ε = 1e-4, until λ rests: then (A λ + b, λ) keep the laws
//! ```
//!
//! (1) has one solution, with as much symmetry as the problem; (2), the proximal point method, goes on to a solution of the
//! rigid problem and strays from where it began no more than it must. When points join a patch the solve begins with (1);
//! otherwise with (2) from the last step's impulses, and so stays by the choice made. Where every contact goes on holding, or stays
//! apart, (2) is a linear system ([`veracity_lcp::held`]), and that is tried first.
//!
//! With high friction the iterations may fail though the body is held with ease: a finger that presses with 100 N at four corners and a
//! friction of 100 can also press at one corner and shear with 10 kN, and from there every contact is on the edge of its cone. Before a
//! solve is given up, (2) is tried from no impulses with every contact that touches taken as one that holds. Contacts and limits that
//! would have to pull are let go, those that would be passed are added, and what is left is again a linear system. The laws are looked at
//! as after every solve.

use super::Stepping;
use super::projection::WORTH_IT;
use crate::rows::Source;
use veracity_dynamics::integrate::StepReport;
use veracity_lcp::{Operator, Outcome};

/// Steps of (2) at most: each brings a row of eleven blocks a hundred times nearer.
const PROXIMAL: u32 = 8;
/// `ε` of (1), one solve each; the last is that of (2).
const SOFTNESS: [f64; 2] = [1e-2, 1e-4];
/// Times that contacts and limits are let go or added: a few of each, mostly all of an edge at once.
const CHANGES: u32 = 8;
/// The normal impulse of a contact that is to hold and has none yet [N s]: above zero, with a square above zero.
const JUST_TOUCHES: f64 = 1e-100;

impl Stepping {
    /// (2) where no contact changes what it does; `None`, and nothing changed, where one does.
    pub(super) fn hold_evenly(&mut self) -> Option<Outcome> {
        self.soften();
        let (operator, laws) = (&self.rows.operator, &self.rows.laws);
        self.solve.hold(operator, &self.b, laws, &self.b_soft, &mut self.lambda)
    }

    /// The impulses nearest to none with which every contact that touches holds or is let go; `None`, and nothing changed, where
    /// these do not keep the laws.
    pub(super) fn hold_from_nothing(&mut self) -> Option<Outcome> {
        self.soften();
        let mut lambda = std::mem::take(&mut self.least);
        lambda.clear();
        lambda.resize(self.lambda.len(), 0.0);
        for (source, first) in &self.rows.blocks {
            let row = *first as usize;
            lambda[row] = match *source {
                Source::Contact(i) if self.way_to_close(i as usize) <= WORTH_IT || self.b[row] < 0.0 => JUST_TOUCHES,
                Source::Lower(_) | Source::Upper(_) if self.b[row] < 0.0 => JUST_TOUCHES,
                _ => 0.0,
            };
        }
        let (operator, laws) = (&self.rows.operator, &self.rows.laws);
        let mut found = None;
        let (mut u, mut w) = (std::mem::take(&mut self.least_u), std::mem::take(&mut self.least_w));
        u.resize(operator.running_len(), 0.0);
        w.resize(lambda.len(), 0.0);
        for _ in 0..CHANGES {
            let Some(rounds) = self.solve.hold_as_given(operator, &self.b, laws, &self.b_soft, &mut lambda) else {
                break;
            };
            operator.multiply(&lambda, &mut u, &mut w);
            let soft = || self.rows.blocks.iter().zip(laws).filter(|((source, _), _)| is_soft(source));
            let good = self.solve.good;
            let (b, w) = (&self.b, &w);
            let wrong = |row: usize, l: f64| l < 0.0 || (l == 0.0 && b[row] + w[row] < -good);
            if !soft().any(|((_, row), _)| wrong(*row as usize, lambda[*row as usize])) {
                let outcome = self.solve.is_good(operator, &self.b, laws, &lambda);
                found = outcome.map(|outcome| Outcome { iterations: rounds, ..outcome });
                break;
            }
            for ((_, first), law) in soft() {
                let first = *first as usize;
                let rows = &mut lambda[first..first + law.rows()];
                // What is wrong changes sides.
                let holds = (rows[0] > 0.0) != wrong(first, rows[0]);
                rows.fill(0.0);
                rows[0] = if holds { JUST_TOUCHES } else { 0.0 };
            }
        }
        (self.least_u, self.least_w) = (u, w);
        if found.is_some() {
            self.lambda.copy_from_slice(&lambda);
        }
        self.least = lambda;
        found
    }

    /// `ε D` of (2), into `b_soft`.
    fn soften(&mut self) {
        self.b_soft.clear();
        self.b_soft.resize(self.rows.len(), 0.0);
        self.rows.operator.diagonal_entries(&mut self.b_soft);
        let last = SOFTNESS[SOFTNESS.len() - 1];
        for (block, (source, first)) in self.rows.blocks.iter().enumerate() {
            let first = *first as usize;
            let softness = if is_soft(source) { last } else { 0.0 };
            self.b_soft[first..first + self.rows.laws[block].rows()].iter_mut().for_each(|d| *d *= softness);
        }
    }

    /// Brings `lambda` to the solution of least impulses if points have joined a patch, else to the one nearest to it.
    pub(super) fn solve_evenly(&mut self, report: &mut StepReport) {
        self.soft.clear();
        for (block, (source, first)) in self.rows.blocks.iter().enumerate() {
            if !is_soft(source) {
                continue;
            }
            for row in *first as usize..*first as usize + self.rows.laws[block].rows() {
                let mut stiff = [0.0];
                self.rows.operator.diagonal(row, 1, &mut stiff);
                self.soft.push((row, stiff[0]));
            }
        }
        for softness in SOFTNESS {
            for (row, diagonal) in &self.soft {
                self.rows.operator.set_compliance(*row, softness * diagonal);
            }
            if !self.newcomers {
                continue;
            }
            // A start only: its own residual does not matter.
            let outcome = self.solve.solve_roughly(&self.rows.operator, &self.b, &self.rows.laws, &mut self.lambda);
            report.iterations += outcome.iterations;
        }
        let last = SOFTNESS[SOFTNESS.len() - 1];
        self.b_soft.clear();
        self.b_soft.extend_from_slice(&self.b);
        for _ in 0..PROXIMAL {
            let mut change = 0.0f64;
            for (row, diagonal) in &self.soft {
                let pull = self.b[*row] - last * diagonal * self.lambda[*row];
                change = change.max((pull - self.b_soft[*row]).abs());
                self.b_soft[*row] = pull;
            }
            if change <= self.solve.good {
                break;
            }
            let (operator, laws) = (&self.rows.operator, &self.rows.laws);
            let outcome = self.solve.solve_roughly(operator, &self.b_soft, laws, &mut self.lambda);
            report.iterations += outcome.iterations;
            if !outcome.converged() {
                // What has no evenness to be had is solved as it comes.
                break;
            }
        }
        for (block, (source, first)) in self.rows.blocks.iter().enumerate() {
            let rows = *first as usize..*first as usize + self.rows.laws[block].rows();
            for row in rows.clone() {
                let own = match *source {
                    Source::Contact(i) if row == rows.start => self.compliance(&self.pairs[i as usize], self.step_s),
                    _ => 0.0,
                };
                self.rows.operator.set_compliance(row, own);
            }
        }
        if self.lambda.iter().any(|x| !x.is_finite()) {
            self.lambda.fill(0.0);
        }
    }
}

/// Whether a block counts as one that gives way a little: contacts and limits.
fn is_soft(source: &Source) -> bool {
    matches!(source, Source::Contact(_) | Source::Lower(_) | Source::Upper(_))
}
