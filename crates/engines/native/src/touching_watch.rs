//! Guards of a world with contact.
//!
//! A paradigm with fixed steps knows the state at the two ends of a step: the crossing is interpolated linearly between
//! them. An event-driven paradigm repeats the step with other sizes until the crossing is at the end of the step:
//! regula falsi with Illinois weights on the size of the step.

use crate::touching::Touching;
use crate::{trouble, watching};
use veracity_engine::fixed_step::StepSpan;
use veracity_engine::{Guard, GuardHit, StepError, Watched};

/// Resolution of a located crossing, as a fraction of the step.
const FINEST: f64 = 1e-9;

impl Touching {
    pub(crate) fn watch_until(&mut self, until: f64, guards: &[Guard]) -> Result<Option<GuardHit>, StepError> {
        self.measure_gaps();
        watching::check(guards, &self.layout, &self.gaps, self.state.time)?;
        let target = self.count_at(until)?;
        let mut before = std::mem::take(&mut self.watched);
        let mut found = Ok(None);
        while self.grid.count < target && matches!(found, Ok(None)) {
            before.clear();
            for guard in guards {
                before.push(self.value(guard));
            }
            found = self.watched_step(guards, &before);
        }
        self.watched = before;
        found
    }

    fn watched_step(&mut self, guards: &[Guard], before: &[f64]) -> Result<Option<GuardHit>, StepError> {
        let begin = self.state.time;
        if !self.events_located {
            self.grid_step()?;
            let (time, half) = (self.state.time, 0.5 * (self.state.time - begin));
            for (index, guard) in guards.iter().enumerate() {
                let after = self.value(guard);
                if guard.crossed(before[index] + guard.level, after + guard.level) {
                    let part = before[index] / (before[index] - after);
                    return Ok(Some(GuardHit { guard: index, time: begin + part * (time - begin), error: half }));
                }
            }
            return Ok(None);
        }
        let StepSpan { end, size, .. } = self.grid.next(begin);
        self.mark();
        let counted = self.totals;
        // The step is logged only once its end is known.
        self.pieces_to(end, size)?;
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
        let Some((index, at, width)) = first else {
            self.finish_step(end);
            return Ok(None);
        };
        self.back()?;
        self.totals = counted;
        if at >= (end - begin) * (1.0 - FINEST) {
            self.grid_step()?;
        } else {
            self.stop_inside(begin + at)?;
        }
        Ok(Some(GuardHit { guard: index, time: self.state.time, error: 0.5 * width }))
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
            Watched::BodyCoordinate { body, axis } => {
                self.bodies_now()[body].world_from_body.translation.vector[axis]
            }
            Watched::BodySpin { body, axis } => self.bodies_now()[body].angular_velocity[axis],
            Watched::Gap(pair) => {
                self.bodies_now();
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
