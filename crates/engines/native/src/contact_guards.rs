//! Guards of an event-driven paradigm: the step is repeated with other sizes until the crossing is at its end, by regula
//! falsi with Illinois weights on the size of the step. (For a paradigm with fixed steps the driver interpolates.)

use crate::contact::ContactStepper;
use crate::trouble;
use veracity_engine::driver::{Crossing, StepSpan};
use veracity_engine::{Guard, StepError, Watched};

/// Resolution of a located crossing, as a fraction of the step.
const FINEST: f64 = 1e-9;

impl ContactStepper {
    /// Moves to the end of a step, or to just past the first crossing in it.
    pub(crate) fn advance_to_crossing(
        &mut self,
        guards: &[Guard],
        span: &StepSpan,
        log: bool,
    ) -> Result<Option<Crossing>, StepError> {
        let mut before = std::mem::take(&mut self.watched);
        before.clear();
        for guard in guards {
            before.push(self.value(guard));
        }
        let found = self.advance_to_crossing_from(&before, guards, span, log);
        self.watched = before;
        found
    }

    fn advance_to_crossing_from(
        &mut self,
        before: &[f64],
        guards: &[Guard],
        span: &StepSpan,
        log: bool,
    ) -> Result<Option<Crossing>, StepError> {
        let StepSpan { begin, end, size, .. } = *span;
        self.mark();
        let counts = self.counts;
        self.pieces_to(end, size, log)?;
        let mut first: Option<(usize, f64, f64)> = None;
        for (index, guard) in guards.iter().enumerate() {
            let after = self.value(guard);
            if guard.crossed(before[index] + guard.level, after + guard.level) {
                let (at, width) = self.locate(guard, before[index], after, end - begin)?;
                if first.is_none_or(|(_, least, _)| at < least) {
                    first = Some((index, at, width));
                }
                self.back()?;
                self.dry_run(end - begin)?;
            }
        }
        let Some((guard, at, width)) = first else { return Ok(None) };
        self.back()?;
        // Only the step that ends at the crossing counts.
        self.counts = counts;
        if at >= (end - begin) * (1.0 - FINEST) {
            self.pieces_to(end, size, log)?;
            return Ok(Some(Crossing { guard, time: end, width }));
        }
        let time = begin + at;
        self.pieces_to(time, time - begin, log)?;
        Ok(Some(Crossing { guard, time, width }))
    }

    /// The size of the step that ends just past the crossing, and its uncertainty [s].
    fn locate(&mut self, guard: &Guard, before: f64, after: f64, whole: f64) -> Result<(f64, f64), StepError> {
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, before, whole, after);
        for round in 0..80 {
            if high - low <= FINEST * whole || at_high == 0.0 {
                break;
            }
            let drawn = low - at_low * (high - low) / (at_high - at_low);
            // Every fourth round is a bisection: a function with a kink must not stall the search.
            let next = if round % 4 == 3 || !(drawn > low && drawn < high) { 0.5 * (low + high) } else { drawn };
            let next = next.clamp(low + 0.1 * FINEST * whole, high - 0.1 * FINEST * whole);
            self.back()?;
            self.dry_run(next)?;
            let value = self.value(guard);
            if guard.crossed(before + guard.level, value + guard.level) {
                (high, at_high) = (next, value);
                at_low *= 0.5;
            } else {
                (low, at_low) = (next, value);
                at_high *= 0.5;
            }
        }
        Ok((high, high - low))
    }

    /// The watched value minus the guard's level.
    fn value(&mut self, guard: &Guard) -> f64 {
        let value = match guard.watched {
            Watched::Position(i) => self.state.q[i],
            Watched::Speed(i) => self.state.v[i],
            Watched::BodyCoordinate { body, axis } => self.place()[body].world_from_body.translation.vector[axis],
            Watched::BodySpin { body, axis } => self.place()[body].angular_velocity[axis],
            Watched::Gap(pair) => {
                self.place();
                self.gap_of(pair)
            }
        };
        value - guard.level
    }

    /// Advances by `size` without counting.
    fn dry_run(&mut self, size: f64) -> Result<(), StepError> {
        let end = self.state.time + size;
        let mut left = size;
        while left > 1e-15 * end.abs() {
            let report = self.paradigm.step(&mut self.acting, &mut self.state, left);
            let report = report.map_err(|e| trouble::of(&self.layout, e))?;
            if report.taken_s >= left {
                break;
            }
            left = end - self.state.time;
        }
        Ok(())
    }
}
