//! Restitution: a second solve for contacts that close faster than a threshold and carry an impulse in the first solve.
//!
//! The impact is located inside the step. With `g` the gap of a struck contact, `w⁻` its velocity before the step and
//! `Δ = J u* - w⁻` what the step's forces add, it happens at the fraction `τ` of the step at which the first of the
//! island's struck contacts closes:
//!
//! ```text
//! (1)  g + h (τ w⁻ + ½ τ² Δ) = 0,      0 where shapes touch already
//! (2)  Newton:   w ≥ -e w_τ,   w_τ = w⁻ + τ Δ        at the instant τ: rows of struck contacts see w = A λ + w_τ
//! (3)  Poisson:  λ = λ° + e λ°_n + λ'                λ° stops them, λ' satisfies the rows' laws after that
//! ```
//!
//! Rows of struck contacts are those of the poses at that instant (`at_impact`). Other rows use the velocity at the end
//! of the step, as in the first solve. The motion of a body before and after `τ`
//! is described in `path`. A bounce so low that it would end within the step comes to rest at its end instead:
//! `w ≥ -(1 - τ) Δ`.
//!
//! Neither law is safe with several points and friction: the energy may grow (Kane's paradox). The impact without
//! restitution loses energy. Impulses between it and the full one, `λ_c = λ° + c (λ¹ - λ°)`, satisfy all cones and
//! inequalities, because these are convex; the resulting energy is a parabola in `c`. The largest `c` up to one is used
//! for which the island gains no energy, by (2) of [`super::spending`] with `u_c = u* + Jᵀ λ_c`, `d = u_1 - u_0` and
//! `r` the fraction of the step after the impact:
//!
//! ```text
//! (4)  ΔE(c) = ΔE(0) + (u_0 - r p) · d c + ½ d · d c² ≤ 0
//! ```
//!
//! Without `p`, the velocity that the step's forces add, a ball that bounces back would rise against a weight that had
//! not slowed it. With [`PathRule::End`] nothing is located: (2) holds with `w⁻` at the end of the step, `r` is one,
//! and `λ°` is the first solve's.

use super::spending::dot;
use super::{Impact, PathRule, Stepping, note};
use crate::rows::{Rows, Source};
use crate::world::ContactWorld;
use veracity_dynamics::Trouble;
use veracity_dynamics::integrate::StepReport;
use veracity_lcp::Operator;

/// A velocity against which no gap closes [m/s]: it deactivates a row.
const OUT_OF_THE_WAY: f64 = 1e6;

/// Scratch for the second solve.
#[derive(Default)]
pub(super) struct Scratch {
    b: Vec<f64>,
    lambda: Vec<f64>,
    plastic: Vec<f64>,
    more: Vec<f64>,
    first: Vec<f64>,
    u: Vec<f64>,
    path: Vec<f64>,
    answer: Vec<f64>,
    /// The rows with those of the struck contacts at the instant of the impact, then those they replace.
    pub rows: Rows,
    /// For each struck contact: its first row, its number of rows, its restitution.
    pub struck: Vec<(usize, usize, f64)>,
    /// Velocities at the end of the step without the struck contacts.
    pub without: Vec<f64>,
}

impl Scratch {
    pub fn new(world: &ContactWorld) -> Self {
        Self { rows: Rows::new(world), ..Default::default() }
    }
}

/// An impact inside a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Instant {
    /// `τ`: the fraction of the step before it.
    pub at: f64,
    /// Nothing touched before it.
    pub from_flight: bool,
}

impl Stepping {
    /// Changes the impulses of the first solve where something bounces; returns the instant of the impact, if it is
    /// located.
    pub(super) fn bounce(&mut self, h: f64, report: &mut StepReport) -> Result<Option<Instant>, Trouble> {
        let struck = &mut self.bounce.struck;
        struck.clear();
        for (block, (source, row)) in self.problem.rows.blocks.iter().enumerate() {
            let (Source::Contact(i), row) = (*source, *row as usize) else { continue };
            let e = self.contacts.pairs[i as usize].surface.restitution;
            let fast = self.problem.w_before[row] < -self.settings.bounce_speed;
            if e > 0.0 && fast && self.problem.lambda[row] > 0.0 {
                struck.push((row, self.problem.rows.laws[block].rows(), e));
            }
        }
        // Moved out only when needed: in most steps nothing bounces.
        if struck.is_empty() {
            return Ok(None);
        }
        let mut scratch = std::mem::take(&mut self.bounce);
        let impact = self.strike(h, &mut scratch, report);
        self.bounce = scratch;
        Ok(impact)
    }

    /// [`Stepping::bounce`] when at least one contact is struck.
    fn strike(&mut self, h: f64, scratch: &mut Scratch, report: &mut StepReport) -> Option<Instant> {
        self.weigh();
        let impact = (self.settings.path == PathRule::Mean).then(|| self.locate(h, scratch, report));
        let moved = impact.is_some_and(|impact| self.move_rows(h, impact, scratch));
        scratch.lambda.clear();
        scratch.lambda.extend_from_slice(&self.problem.lambda);
        match self.settings.impact {
            Impact::Newton => {
                self.pose(impact, 1.0, scratch);
                let outcome = self.solve.solve(
                    &self.problem.rows.operator,
                    &scratch.b,
                    &self.problem.rows.laws,
                    &mut scratch.lambda,
                );
                note(report, &outcome);
            }
            Impact::Poisson => {
                // Compression continues until nothing closes any more, even where a gap would have allowed it.
                self.pose(impact, 0.0, scratch);
                let outcome = self.solve.solve(
                    &self.problem.rows.operator,
                    &scratch.b,
                    &self.problem.rows.laws,
                    &mut scratch.lambda,
                );
                note(report, &outcome);
                // λ° + e λ°_n, then λ' from the velocities that this leaves.
                for &(row, _, e) in &scratch.struck {
                    scratch.lambda[row] += e * scratch.lambda[row];
                }
                self.answer(&scratch.lambda, &mut scratch.u, &mut scratch.answer);
                for (b, a) in scratch.b.iter_mut().zip(&scratch.answer) {
                    *b += a;
                }
                scratch.more.clear();
                scratch.more.resize(scratch.lambda.len(), 0.0);
                let outcome = self.solve.solve(
                    &self.problem.rows.operator,
                    &scratch.b,
                    &self.problem.rows.laws,
                    &mut scratch.more,
                );
                note(report, &outcome);
                scratch.lambda.iter_mut().zip(&scratch.more).for_each(|(l, m)| *l += m);
            }
        }
        if scratch.lambda.iter().any(|x| !x.is_finite()) {
            // The first solve stands, with its own rows.
            if moved {
                self.exchange_rows(scratch);
            }
            return None;
        }
        let full = self.energy_of(impact, &scratch.lambda, (&mut scratch.first, &mut scratch.path), &scratch.without);
        if full.0 <= full.1 {
            self.problem.lambda.copy_from_slice(&scratch.lambda);
            return impact;
        }
        scratch.plastic.clear();
        scratch.plastic.extend_from_slice(&self.problem.lambda);
        if impact.is_some() {
            self.pose(impact, 0.0, scratch);
            let outcome = self.solve.solve(
                &self.problem.rows.operator,
                &scratch.b,
                &self.problem.rows.laws,
                &mut scratch.plastic,
            );
            note(report, &outcome);
        }
        if scratch.plastic.iter().any(|x| !x.is_finite()) {
            // The first solve stands, with its own rows.
            if moved {
                self.exchange_rows(scratch);
            }
            return None;
        }
        let part = self.harmless_part(impact, scratch);
        for (l, (plastic, full)) in self.problem.lambda.iter_mut().zip(scratch.plastic.iter().zip(&scratch.lambda)) {
            *l = plastic + part * (full - plastic);
        }
        impact
    }

    /// (1), and the motion without the struck contacts.
    fn locate(&mut self, h: f64, scratch: &mut Scratch, report: &mut StepReport) -> Instant {
        let mut at: f64 = 1.0;
        for (source, row) in &self.problem.rows.blocks {
            let (Source::Contact(i), row) = (*source, *row as usize) else { continue };
            if scratch.struck.iter().any(|(first, ..)| *first == row) {
                let (before, added) =
                    (self.problem.w_before[row], self.current.w_free[row] - self.problem.w_before[row]);
                at = at.min(closing_part(self.contacts.points[i as usize].gap, h * before, h * added));
            }
        }
        // Where other contacts act as well, their effect until then is a separate problem.
        scratch.more.clear();
        scratch.more.extend_from_slice(&self.problem.lambda);
        for &(row, rows, _) in &scratch.struck {
            scratch.more[row..row + rows].fill(0.0);
        }
        scratch.without.clear();
        scratch.without.extend_from_slice(&self.problem.u);
        let from_flight = scratch.more.iter().all(|l| *l == 0.0);
        if !from_flight {
            scratch.b.clear();
            scratch.b.extend_from_slice(&self.current.b);
            for &(row, ..) in &scratch.struck {
                scratch.b[row] += OUT_OF_THE_WAY;
            }
            let outcome =
                self.solve.solve(&self.problem.rows.operator, &scratch.b, &self.problem.rows.laws, &mut scratch.more);
            note(report, &outcome);
            self.problem.rows.add_response(&scratch.more, &mut scratch.without);
        }
        Instant { at, from_flight }
    }

    /// The right-hand side of (2), with this fraction of the restitution.
    fn pose(&self, impact: Option<Instant>, part: f64, scratch: &mut Scratch) {
        scratch.b.clear();
        scratch.b.extend_from_slice(&self.current.b);
        for &(first, rows, e) in &scratch.struck {
            let Some(Instant { at, .. }) = impact else {
                scratch.b[first] = self.current.w_free[first] + part * e * self.problem.w_before[first];
                continue;
            };
            for row in first..first + rows {
                scratch.b[row] =
                    self.problem.w_before[row] + at * (self.current.w_free[row] - self.problem.w_before[row]);
            }
            if part > 0.0 {
                let rest = -(1.0 - at) * (self.current.w_free[first] - self.problem.w_before[first]);
                scratch.b[first] -= (-part * e * scratch.b[first]).max(rest);
            }
        }
    }

    /// Returns `ΔE` of the island for these impulses, with `W`, and the part of it that may be rounding. Also fills
    /// velocities and path.
    fn energy_of(
        &self,
        impact: Option<Instant>,
        lambda: &[f64],
        (after, path): (&mut Vec<f64>, &mut Vec<f64>),
        without: &[f64],
    ) -> (f64, f64) {
        after.clear();
        after.extend_from_slice(&self.problem.u);
        self.problem.rows.add_response(lambda, after);
        match impact {
            None => {
                path.clear();
                path.extend_from_slice(after);
            }
            Some(impact) => self.path_of_impact(impact, &self.problem.u, without, after, path),
        }
        let size = dot(after, after) + dot(&self.problem.u, &self.problem.u);
        // An impact that conserves energy must not be mistaken for one that gains energy.
        (self.gained(&self.problem.u, after, path) + self.spending.spent, 1e-12 * size)
    }

    /// The largest `c` of (4).
    fn harmless_part(&self, impact: Option<Instant>, scratch: &mut Scratch) -> f64 {
        let (k0, _) =
            self.energy_of(impact, &scratch.plastic, (&mut scratch.first, &mut scratch.path), &scratch.without);
        scratch.more.clear();
        scratch.more.extend(scratch.lambda.iter().zip(&scratch.plastic).map(|(full, plastic)| full - plastic));
        scratch.u.clear();
        scratch.u.resize(self.problem.u.len(), 0.0);
        self.problem.rows.add_response(&scratch.more, &mut scratch.u);
        let after = impact.map_or(1.0, |impact| 1.0 - impact.at);
        let terms = scratch.first.iter().zip(&self.spending.own).zip(&scratch.u);
        let k1: f64 = terms.map(|((u, p), d)| (u - after * p) * d).sum();
        let k2 = 0.5 * dot(&scratch.u, &scratch.u);
        if k2 <= 0.0 || k0 > 0.0 {
            return 0.0;
        }
        let root = (k1 * k1 - 4.0 * k2 * k0).max(0.0).sqrt();
        ((root - k1) / (2.0 * k2)).clamp(0.0, 1.0)
    }

    /// `A λ`.
    fn answer(&self, lambda: &[f64], u: &mut Vec<f64>, out: &mut Vec<f64>) {
        u.resize(self.problem.rows.operator.running_len(), 0.0);
        out.resize(lambda.len(), 0.0);
        self.problem.rows.operator.multiply(lambda, u, out);
    }
}

/// (1): the fraction of a step after which a gap closes that changes by `first` in the step plus half of `second`; one
/// if it does not close.
fn closing_part(gap: f64, first: f64, second: f64) -> f64 {
    if gap <= 0.0 {
        return 0.0;
    }
    let square = first * first - 2.0 * second * gap;
    if square < 0.0 {
        return 1.0;
    }
    (2.0 * gap / (square.sqrt() - first)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::closing_part;

    #[test]
    fn a_fall_closes_its_gap_when_it_should() {
        // 2 m/s and 9.81 m/s², a gap of 1.1 mm, a step of 1 ms.
        let (h, v, g) = (1e-3, -2.0, -9.81);
        let s = closing_part(1.1e-3, h * v, h * h * g);
        // Rounding errors of numbers of 1e-3.
        assert!((1.1e-3 + s * h * v + 0.5 * s * s * h * h * g).abs() < 1e-18, "{s}");
        assert_eq!(closing_part(-1e-9, h * v, h * h * g), 0.0);
        assert_eq!(closing_part(1e-3, -1e-4, 1e-3), 1.0);
    }
}
