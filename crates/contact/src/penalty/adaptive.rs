//! Steps with error control.
//!
//! A step of size `h` is taken whole and in two halves. Both have an error of second order in `h`; that of the two
//! halves is half that of the whole:
//!
//! ```text
//! (1)  e = max(|q(h) ⊖ q(h/2, h/2)|, h |v(h) - v(h/2, h/2)|),  next h = 0.9 h √(ε / e), a fifth to four times the last
//! ```
//!
//! A step of fixed size whose equations are not solved is divided into 2, 4, … equal parts, which are easier to solve
//! the smaller they are.
//!
//! The result of the halves is kept. `ε` is the allowed error of one step [m or rad]; over a longer time the error is
//! of the order of `√ε`.

use super::Penalty;
use crate::paradigm::Touch;
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble, kinematics};

/// Steps smaller than this do not help [s].
const SMALLEST: f64 = 1e-12;

/// Maximum number of parts of a divided step.
const MOST_PARTS: u32 = 64;

/// Scratch for the attempts of a step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    whole: Option<State>,
    halves: Option<State>,
    difference: Vec<f64>,
    touches: Vec<Touch>,
    memory: super::memory::Memory,
    /// Step size that the last step proposes for the next [s]; 0 before the first.
    pub next_s: f64,
}

impl Penalty {
    /// Takes one step of exactly `h`, in parts if it cannot be solved as a whole.
    pub(super) fn whole_step(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        // A failed step leaves state and memory unchanged.
        let mut outcome = self.fixed_step(efforts, state, h);
        let mut parts = 1;
        while let (Err(Trouble::NotConverged { .. }), true) = (&outcome, parts < MOST_PARTS) {
            parts *= 2;
            let mut scratch = std::mem::take(&mut self.adaptive);
            scratch.memory.clone_from(&self.memory);
            outcome = self.try_parts(efforts, state, h, parts, &mut scratch);
            match (&outcome, &scratch.halves) {
                (Ok(_), Some(end)) => state.clone_from(end),
                _ => self.memory.clone_from(&scratch.memory),
            }
            self.adaptive = scratch;
        }
        outcome
    }

    /// Takes equal parts of a step from `state` into the scratch's `halves`.
    fn try_parts(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &State,
        h: f64,
        parts: u32,
        scratch: &mut Scratch,
    ) -> Result<StepReport, Trouble> {
        let end = scratch.halves.get_or_insert_with(|| state.clone());
        end.clone_from(state);
        scratch.touches.clear();
        let mut sum = StepReport { taken_s: h, ..Default::default() };
        for _ in 0..parts {
            let report = self.fixed_step(efforts, end, h / f64::from(parts))?;
            scratch.touches.extend_from_slice(&self.touches);
            sum.evaluations += report.evaluations;
            sum.iterations += report.iterations;
            sum.unsolved += report.unsolved;
            (sum.contacts, sum.constraint_residual) = (report.contacts, report.constraint_residual);
        }
        end.time = state.time + h;
        // The abandoned attempts are reported.
        sum.rejected = parts.ilog2();
        std::mem::swap(&mut self.touches, &mut scratch.touches);
        Ok(sum)
    }

    /// Takes one step of at most `limit_s` with an error of at most `tolerance`.
    pub(super) fn adaptive_step(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit_s: f64,
        tolerance: f64,
    ) -> Result<StepReport, Trouble> {
        let mut scratch = std::mem::take(&mut self.adaptive);
        let outcome = self.try_sizes(efforts, state, limit_s, tolerance, &mut scratch);
        if outcome.is_err() {
            self.memory.clone_from(&scratch.memory);
        }
        self.adaptive = scratch;
        outcome
    }

    fn try_sizes(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit_s: f64,
        tolerance: f64,
        scratch: &mut Scratch,
    ) -> Result<StepReport, Trouble> {
        let wanted = if scratch.next_s > 0.0 { scratch.next_s } else { limit_s };
        let mut h = wanted.min(limit_s);
        let mut rejected = 0;
        scratch.memory.clone_from(&self.memory);
        loop {
            match self.try_size(efforts, state, h, scratch) {
                Ok((mut report, error)) => {
                    let ratio = error / tolerance;
                    let factor = (0.9 / ratio.sqrt()).clamp(0.2, 4.0);
                    if ratio <= 1.0 {
                        if let Some(halves) = &scratch.halves {
                            state.clone_from(halves);
                        }
                        // A step cut short by its limit does not reduce the proposed size.
                        let cut = rejected == 0 && h < wanted;
                        scratch.next_s = if cut { wanted.max(h * factor) } else { h * factor };
                        (report.taken_s, report.rejected, report.error_ratio) = (h, rejected, ratio);
                        return Ok(report);
                    }
                    h *= factor.min(0.9);
                }
                Err(Trouble::NotConverged { .. }) => h *= 0.25,
                Err(other) => return Err(other),
            }
            rejected += 1;
            if h < SMALLEST {
                return Err(Trouble::StepTooSmall { time: state.time, step: h });
            }
            self.memory.clone_from(&scratch.memory);
        }
    }

    /// Takes a whole step and two halves from `state`; returns the report of the halves, and the difference of the two
    /// results.
    fn try_size(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &State,
        h: f64,
        scratch: &mut Scratch,
    ) -> Result<(StepReport, f64), Trouble> {
        let whole = scratch.whole.get_or_insert_with(|| state.clone());
        whole.clone_from(state);
        let first = self.fixed_step(efforts, whole, h)?;
        self.memory.clone_from(&scratch.memory);
        let halves = scratch.halves.get_or_insert_with(|| state.clone());
        halves.clone_from(state);
        let mut report = self.fixed_step(efforts, halves, 0.5 * h)?;
        scratch.touches.clear();
        scratch.touches.extend_from_slice(&self.touches);
        let second = self.fixed_step(efforts, halves, 0.5 * h)?;
        scratch.touches.extend_from_slice(&self.touches);
        std::mem::swap(&mut self.touches, &mut scratch.touches);
        halves.time = state.time + h;
        report.evaluations = 3;
        report.iterations += first.iterations + second.iterations;
        report.unsolved += second.unsolved;
        report.contacts = second.contacts;
        report.constraint_residual = second.constraint_residual;
        scratch.difference.resize(state.v.len(), 0.0);
        kinematics::difference(&self.world.system, &whole.q, &halves.q, &mut scratch.difference);
        let places = scratch.difference.iter().fold(0.0, |worst: f64, d| d.abs().max(worst));
        let speeds = whole.v.iter().zip(&halves.v).fold(0.0, |worst: f64, (a, b)| (a - b).abs().max(worst));
        Ok((report, places.max(h * speeds)))
    }
}
