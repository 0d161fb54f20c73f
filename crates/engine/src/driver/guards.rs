//! Guards of a simulation that moves in steps.
//!
//! A stepper that locates crossings stops just past the first one, inside the step; the next step is the rest of the one
//! that was cut. For any other the state is known at the ends of a step alone, and the crossing is where the straight line
//! between them meets the level:
//!
//! ```text
//! (1)  t = t⁻ + (level - x⁻) / (x⁺ - x⁻) · (t⁺ - t⁻)   ± ½ (t⁺ - t⁻)
//! ```

use super::grid::StepSpan;
use super::stepper::{Looks, Stepper};
use super::{SteppedSimulation, Target};
use crate::error::StepError;
use crate::guard::{Guard, GuardHit, Watched};
use crate::inputs::Inputs;

impl<S: Stepper> SteppedSimulation<S> {
    /// Rejects guards on something that does not exist.
    pub(super) fn check_guards(&mut self, guards: &[Guard]) -> Result<(), StepError> {
        for guard in guards {
            let known = self.watch(&guard.watched).is_some_and(|value| !value.is_nan());
            if !known || !guard.level.is_finite() {
                let reason = format!("invalid guard: this world has nothing to watch for {guard:?}");
                return Err(StepError { time: self.time, reason });
            }
        }
        Ok(())
    }

    /// Steps until a guard is crossed or a target is reached.
    pub(super) fn watched_steps(
        &mut self,
        target: Target,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        let looks = self.looks();
        if self.stepper.locates() {
            self.stepper.begin_watch(guards);
        }
        while let Some(span) = self.next_step(target) {
            let hit = if self.stepper.locates() {
                self.step_to_crossing(&span, guards, inputs, looks)?
            } else {
                self.step_across(&span, guards, inputs, looks)?
            };
            if hit.is_some() {
                return Ok(hit);
            }
        }
        Ok(None)
    }

    fn step_to_crossing(
        &mut self,
        span: &StepSpan,
        guards: &[Guard],
        inputs: &Inputs,
        looks: Looks,
    ) -> Result<Option<GuardHit>, StepError> {
        self.begin_step(looks);
        let crossing = self.stepper.step_to_crossing(guards, inputs, span, looks)?;
        let adaptive = self.stepper.adaptive().map(|adaptive| adaptive.taken(span));
        match (adaptive, crossing) {
            (Some(taken), _) => {
                self.grid.advance();
                self.time = taken.end;
                self.inspect_inside(&taken)?;
            }
            (None, Some(crossing)) => {
                self.time = self.grid.stop_at(crossing.time);
                self.stepper.set_time(self.time);
            }
            (None, None) => {
                self.grid.advance();
                self.time = span.end;
            }
        }
        self.end_step(looks)?;
        Ok(crossing.map(|c| GuardHit { guard: c.guard, time: self.time, error: 0.5 * c.width }))
    }

    /// One step, by (1). Of several guards crossed in it the first in the list counts.
    fn step_across(
        &mut self,
        span: &StepSpan,
        guards: &[Guard],
        inputs: &Inputs,
        looks: Looks,
    ) -> Result<Option<GuardHit>, StepError> {
        let begin = self.time;
        let mut watched = std::mem::take(&mut self.watched);
        watched.clear();
        watched.extend(guards.iter().map(|guard| self.watch(&guard.watched).unwrap_or(f64::NAN)));
        self.watched = watched;
        self.take_step(span, inputs, looks)?;
        self.stepper.settle();
        let size = self.time - begin;
        for (index, guard) in guards.iter().enumerate() {
            let (before, after) = (self.watched[index], self.watch(&guard.watched).unwrap_or(f64::NAN));
            if guard.crossed(before, after) {
                let time = begin + (guard.level - before) / (after - before) * size;
                return Ok(Some(GuardHit { guard: index, time, error: 0.5 * size }));
            }
        }
        Ok(None)
    }

    /// The watched quantity at the present instant; `None` if it does not exist.
    fn watch(&mut self, watched: &Watched) -> Option<f64> {
        match *watched {
            Watched::Position(i) => self.stepper.q().get(i).copied(),
            Watched::Speed(i) => self.stepper.v().get(i).copied(),
            Watched::BodyCoordinate { body, axis } => {
                let body = self.stepper.present().bodies.get(body)?;
                body.world_from_body.translation.vector.as_slice().get(axis).copied()
            }
            Watched::BodySpin { body, axis } => {
                self.stepper.present().bodies.get(body)?.angular_velocity.as_slice().get(axis).copied()
            }
            Watched::Gap(pair) => self.gaps.get(pair).copied(),
        }
    }
}
