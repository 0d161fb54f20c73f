//! Steps whose size the engine chooses.
//!
//! Such a step may be a hundred times longer than the step the run was given, so gaps and limits are also inspected inside
//! it, about as often as fixed steps would: a near miss between its ends is not overlooked.

use super::grid::StepSpan;
use super::stepper::{Present, Stepper};
use super::{SteppedSimulation, lower};
use crate::error::StepError;

/// An adaptive stepper: it chooses the size of its steps and knows the state inside them.
pub trait Adaptive {
    /// The step just taken within `limit`: from the same beginning, its own end and size.
    fn taken(&self, limit: &StepSpan) -> StepSpan;

    /// Prepares [`Adaptive::look_inside`] of the step just taken.
    fn prepare_to_look(&mut self) -> Result<(), StepError>;

    /// The state at a fraction 0 to 1 of the step just taken. Writes the gap of each named pair there [m]. The bodies are
    /// computed only if they are wanted or there are gaps.
    fn look_inside(&mut self, fraction: f64, bodies: bool, gaps: &mut [f64]) -> Inside<'_>;

    /// Total energy where [`Adaptive::look_inside`] looked last [J]; `None` where it is not reported.
    fn energy_inside(&mut self) -> Option<f64>;

    /// Whether the stepper inspects limits inside its steps.
    fn watches_limits(&self) -> bool;

    /// Inspects the limits where [`Adaptive::look_inside`] looked last.
    fn inspect_limits(&mut self);
}

/// A state inside a step.
pub struct Inside<'a> {
    /// Its time [s].
    pub time: f64,
    /// Positions, velocities and bodies.
    pub present: Present<'a>,
}

/// Why an adaptive run at `now` cannot advance to `until`.
pub(super) fn check_ahead(until: f64, now: f64) -> Result<(), String> {
    if !until.is_finite() {
        return Err(format!("invalid time to advance to: {until} s"));
    }
    if until < now {
        return Err(format!("{until} s is before the current time {now} s; restore a snapshot to go back"));
    }
    Ok(())
}

impl<S: Stepper> SteppedSimulation<S> {
    /// Inspects gaps and limits inside the adaptive step just taken.
    pub(super) fn inspect_inside(&mut self, taken: &StepSpan) -> Result<(), StepError> {
        let Some(adaptive) = self.stepper.adaptive() else { return Ok(()) };
        let pieces = ((taken.end - taken.begin) / self.grid.step).ceil();
        if pieces <= 1.0 || (self.gaps.is_empty() && !adaptive.watches_limits()) {
            return Ok(());
        }
        adaptive.prepare_to_look()?;
        // An integrator takes at most a hundred times the step it began with.
        for piece in 1..pieces as u32 {
            let Inside { time, present } =
                adaptive.look_inside(f64::from(piece) / pieces, false, &mut self.inside_gaps);
            if self.events.is_on() {
                self.events.look_inside(time, &self.inside_gaps, present.q, present.v);
            }
            lower(&mut self.least_gaps, &self.inside_gaps);
            adaptive.inspect_limits();
        }
        Ok(())
    }
}
