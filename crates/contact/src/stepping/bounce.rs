//! Restitution: a second solve for contacts that close faster than a threshold and are struck in the first.
//!
//! ```text
//! (1)  Newton:   w_n ≥ -e w_n⁻            of the velocity before the step
//! (2)  Poisson:  λ = λ° + e λ°_n + λ'      λ° the first solve's impulse, λ' what keeps the rows' laws after that
//! ```
//!
//! Neither law is safe with several points and friction: the energy may grow (Kane's paradox). Impulses between the first
//! solve's and the second's, `λ_c = λ° + c (λ¹ - λ°)`, keep all cones and inequalities, for these are convex; the energy
//! they leave is a parabola in `c`, and the largest `c` up to one is taken at which the step as a whole has brought none, by (2) of
//! [`super::spending`]:
//!
//! ```text
//! (3)  (J u* - J p + ½ A λ_c) · λ_c ≤ L - W
//! ```
//!
//! Without `J p`, the velocity that the step's forces add, a ball that is thrown back would rise for the whole step against a
//! weight that had not slowed it: an elastic one gained `m g h v` at every bounce.

use super::{Impact, Stepping, note};
use crate::rows::Source;
use veracity_dynamics::Trouble;
use veracity_dynamics::integrate::StepReport;
use veracity_lcp::Operator;

/// Room for the second solve.
#[derive(Default)]
pub(super) struct Room {
    b: Vec<f64>,
    lambda: Vec<f64>,
    more: Vec<f64>,
    u: Vec<f64>,
    answer: Vec<f64>,
}

impl Stepping {
    /// Changes the impulses of the first solve where something bounces.
    pub(super) fn bounce(&mut self, report: &mut StepReport) -> Result<(), Trouble> {
        let struck = |stepping: &Self, source: &Source, row: usize| -> Option<f64> {
            let Source::Contact(i) = *source else { return None };
            let e = stepping.pairs[i as usize].surface.restitution;
            let fast = stepping.w_before[row] < -stepping.settings.bounce_speed;
            (e > 0.0 && fast && stepping.lambda[row] > 0.0).then_some(e)
        };
        if !self.rows.blocks.iter().any(|(s, row)| struck(self, s, *row as usize).is_some()) {
            return Ok(());
        }
        let mut room = std::mem::take(&mut self.bounce);
        room.b.clear();
        room.b.extend_from_slice(&self.b);
        room.lambda.clear();
        room.lambda.extend_from_slice(&self.lambda);
        match self.settings.impact {
            Impact::Newton => {
                for (source, row) in &self.rows.blocks {
                    let row = *row as usize;
                    if let Some(e) = struck(self, source, row) {
                        room.b[row] = self.w_free[row] + e * self.w_before[row];
                    }
                }
                let outcome = self.solve.solve(&self.rows.operator, &room.b, &self.rows.laws, &mut room.lambda);
                note(report, &outcome);
            }
            Impact::Poisson => {
                // Compression goes on until nothing closes any more, also where a gap would have let it.
                for (source, row) in &self.rows.blocks {
                    let row = *row as usize;
                    if struck(self, source, row).is_some() {
                        room.b[row] = self.w_free[row];
                    }
                }
                let outcome = self.solve.solve(&self.rows.operator, &room.b, &self.rows.laws, &mut room.lambda);
                note(report, &outcome);
                // λ° + e λ°_n, then the rest from where that leaves the velocities.
                for (source, row) in &self.rows.blocks {
                    let row = *row as usize;
                    if let Some(e) = struck(self, source, row) {
                        room.lambda[row] += e * room.lambda[row];
                    }
                }
                self.answer(&room.lambda, &mut room.u, &mut room.answer);
                for (b, a) in room.b.iter_mut().zip(&room.answer) {
                    *b += a;
                }
                room.more.clear();
                room.more.resize(room.lambda.len(), 0.0);
                let outcome = self.solve.solve(&self.rows.operator, &room.b, &self.rows.laws, &mut room.more);
                note(report, &outcome);
                room.lambda.iter_mut().zip(&room.more).for_each(|(l, m)| *l += m);
            }
        }
        if room.lambda.iter().all(|x| x.is_finite()) {
            self.weigh();
            self.push_of_rows();
            let part = self.harmless_part(&mut room);
            for (l, second) in self.lambda.iter_mut().zip(&room.lambda) {
                *l += part * (second - *l);
            }
        }
        self.bounce = room;
        Ok(())
    }

    /// The largest `c` of (3).
    fn harmless_part(&self, room: &mut Room) -> f64 {
        // Along λ° + c d: (w* - J p + ½ A λ) · λ - L + W = k0 + k1 c + k2 c².
        let first = &self.lambda;
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        self.answer(first, &mut room.u, &mut room.answer);
        let (push, left) = (&self.spending.rows, self.spending.loss - self.spending.spent);
        let k0 = dot(&self.w_free, first) - dot(push, first) + 0.5 * dot(&room.answer, first) - left;
        let mut step: f64 = 0.0;
        let mut k1 = 0.0;
        for i in 0..first.len() {
            let d = room.lambda[i] - first[i];
            k1 += (self.w_free[i] - push[i] + room.answer[i]) * d;
            step = step.max(d.abs());
        }
        room.more.clear();
        room.more.extend(room.lambda.iter().zip(first).map(|(a, b)| a - b));
        self.answer(&room.more, &mut room.u, &mut room.answer);
        let k2 = 0.5 * dot(&room.answer, &room.more);
        // Rounding of the sums: an impact that keeps the energy must not be taken for one that brings some.
        let scale = 1e-12 * (k0.abs() + k1.abs() + k2.abs());
        if k0 + k1 + k2 <= scale || step == 0.0 {
            return 1.0;
        }
        if k2 <= 0.0 || k0 > 0.0 {
            return 0.0;
        }
        let root = (k1 * k1 - 4.0 * k2 * k0).max(0.0).sqrt();
        ((root - k1) / (2.0 * k2)).clamp(0.0, 1.0)
    }

    /// `A λ`.
    fn answer(&self, lambda: &[f64], u: &mut Vec<f64>, out: &mut Vec<f64>) {
        u.resize(self.rows.operator.running_len(), 0.0);
        out.resize(lambda.len(), 0.0);
        self.rows.operator.multiply(lambda, u, out);
    }
}
