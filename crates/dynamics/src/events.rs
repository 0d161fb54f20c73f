//! Events: the state at which a function of it goes through zero, located by repeating the step.
//!
//! A step that ends beyond a zero is repeated from its start with other sizes (the Illinois rule, then bisection) until the
//! sizes on the two sides of the zero are equal within the resolution of time. The event has the accuracy of the integrator
//! itself, not that of an interpolant. Of several zeros in one step the earliest is found.

use crate::forward::{Efforts, Trouble};
use crate::integrate::{State, StepReport};
use crate::simulation::SmoothSimulation;
use crate::system::System;
use crate::workspace::Workspace;

/// A function of the state whose zero is an event.
pub struct GuardFunction<'a> {
    /// The function; it crosses zero at the event.
    pub function: &'a dyn Fn(&State) -> f64,
    /// Which crossings count: +1 upwards, -1 downwards, 0 both.
    pub direction: i8,
}

/// An event that was reached. The simulation's state is the one at the event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventHit {
    /// Index of the guard in the list.
    pub guard: usize,
    /// [s]
    pub time: f64,
    /// Width of the last bracket around the event [s].
    pub uncertainty_s: f64,
}

/// Functions of the state whose zeros are events.
pub trait Guards {
    /// Number of guards.
    fn count(&self) -> usize;

    /// Which crossings of a guard count: +1 upwards, -1 downwards, 0 both.
    fn direction(&self, index: usize) -> i8;

    /// Value of a guard at a state; it may use the workspace.
    fn value(&mut self, index: usize, system: &System, ws: &mut Workspace, state: &State) -> f64;
}

impl Guards for &[GuardFunction<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn direction(&self, index: usize) -> i8 {
        self[index].direction
    }

    fn value(&mut self, index: usize, _: &System, _: &mut Workspace, state: &State) -> f64 {
        (self[index].function)(state)
    }
}

/// Scratch of event location; allocated once for a number of guards.
pub(crate) struct WatchScratch {
    /// State at the start of the step, and the integrator's memory there.
    before: State,
    memory: Vec<f64>,
    /// Each guard at the start of the step, or of the part of it being searched.
    values: Vec<f64>,
    /// The same at the end of that part.
    next: Vec<f64>,
    /// The integrator's memory after the whole step.
    after: Vec<f64>,
}

impl WatchScratch {
    pub(crate) fn new(state: &State) -> Self {
        Self { before: state.clone(), memory: Vec::new(), values: Vec::new(), next: Vec::new(), after: Vec::new() }
    }
}

/// A zero found inside a step.
#[derive(Clone, Copy)]
struct Located {
    guard: usize,
    /// Time from the start of the step [s], just past the zero.
    size: f64,
    width: f64,
}

impl SmoothSimulation {
    /// Moves until a guard crosses zero or `time` is reached. The earliest crossing counts.
    pub fn advance_until(
        &mut self,
        time: f64,
        mut guards: &[GuardFunction<'_>],
        efforts: &mut dyn Efforts,
    ) -> Result<Option<EventHit>, Trouble> {
        self.begin_watch(&mut guards);
        while let Some(limit) = self.remaining(time) {
            if let (_, Some(hit)) = self.watched_step(self.state.time + limit, limit, &mut guards, efforts)? {
                return Ok(Some(hit));
            }
        }
        self.state.time = self.state.time.max(time);
        Ok(None)
    }

    /// Evaluates the guards at the present state: call before the first [`SmoothSimulation::watched_step`] of a sequence.
    pub fn begin_watch(&mut self, guards: &mut dyn Guards) {
        self.watch.values.clear();
        for i in 0..guards.count() {
            self.watch.values.push(guards.value(i, &self.system, &mut self.ws, &self.state));
        }
    }

    /// One step of at most `limit_s`, which would end at `time` ([`SmoothSimulation::step_to`]), or the part of it up to just past the
    /// first zero of a guard.
    pub fn watched_step(
        &mut self,
        time: f64,
        limit_s: f64,
        guards: &mut dyn Guards,
        efforts: &mut dyn Efforts,
    ) -> Result<(StepReport, Option<EventHit>), Trouble> {
        self.watch.before.clone_from(&self.state);
        self.watch.memory.clear();
        self.integrator.memory(&mut self.watch.memory);
        let report = self.step_to(time, limit_s, efforts)?;
        let Some((guard, low, high)) = self.first_crossing(guards, report.taken_s, efforts)? else {
            return Ok((report, None));
        };
        self.watch.after.clear();
        self.integrator.memory(&mut self.watch.after);
        let hit = self.earliest(guard, low, high, guards, efforts)?;
        let after = std::mem::take(&mut self.watch.after);
        self.integrator.set_memory(&after);
        self.watch.after = after;
        for i in 0..guards.count() {
            self.watch.values[i] = guards.value(i, &self.system, &mut self.ws, &self.state);
        }
        let hit = EventHit { guard: hit.guard, time: self.state.time, uncertainty_s: hit.width };
        Ok((StepReport { taken_s: self.state.time - self.watch.before.time, ..report }, Some(hit)))
    }

    /// The first part of the last step with a sign change, as sizes from its start, and a guard that changes there.
    fn first_crossing(
        &mut self,
        guards: &mut dyn Guards,
        taken: f64,
        efforts: &mut dyn Efforts,
    ) -> Result<Option<(usize, f64, f64)>, Trouble> {
        if guards.count() == 0 {
            return Ok(None);
        }
        // A large adaptive step may contain two crossings: search inside it.
        let dense = self.integrator.prepare_dense(&self.system, &mut self.ws, efforts, &self.state)?;
        let pieces = if dense { 16 } else { 1 };
        for piece in 1..=pieces {
            let (low, high) = (f64::from(piece - 1) / f64::from(pieces), f64::from(piece) / f64::from(pieces));
            if piece != pieces {
                self.integrator.interpolate(&self.system, high, &mut self.probe);
            }
            let state = if piece == pieces { &self.state } else { &self.probe };
            self.watch.next.clear();
            for i in 0..guards.count() {
                self.watch.next.push(guards.value(i, &self.system, &mut self.ws, state));
            }
            let ends = self.watch.values.iter().zip(&self.watch.next);
            let crossed = ends.enumerate().position(|(i, (a, b))| crosses(*a, *b, guards.direction(i)));
            if let Some(guard) = crossed {
                // The values stay those at the start of the part: the search inside it needs them.
                return Ok(Some((guard, low * taken, high * taken)));
            }
            std::mem::swap(&mut self.watch.values, &mut self.watch.next);
        }
        Ok(None)
    }

    /// The earliest zero in the bracket: locates one, then any other guard that had crossed before it. The simulation
    /// ends beyond the zero.
    fn earliest(
        &mut self,
        guard: usize,
        low: f64,
        high: f64,
        guards: &mut dyn Guards,
        efforts: &mut dyn Efforts,
    ) -> Result<Located, Trouble> {
        let mut best = self.locate(guard, low, high, guards, efforts)?;
        for other in (0..guards.count()).filter(|i| *i != guard) {
            let value = self.try_size(other, best.size, guards, efforts)?;
            if !crosses(self.watch.values[other], value, guards.direction(other)) {
                continue;
            }
            let found = self.locate(other, low, best.size, guards, efforts)?;
            // Two zeros closer than the resolution of time count as one, with the lower index.
            let earlier = found.size < best.size - best.width;
            if earlier || (found.size <= best.size && other < best.guard) {
                best = found;
            }
        }
        self.try_size(best.guard, best.size, guards, efforts)?;
        Ok(best)
    }

    /// Narrows the bracket by repeating the step with other sizes.
    fn locate(
        &mut self,
        guard: usize,
        mut low: f64,
        mut high: f64,
        guards: &mut dyn Guards,
        efforts: &mut dyn Efforts,
    ) -> Result<Located, Trouble> {
        let mut value_low = self.try_size(guard, low, guards, efforts)?;
        let mut value_high = self.try_size(guard, high, guards, efforts)?;
        // The dense output and the repeated step may disagree within their errors about the side an end is on.
        if value_low * value_high > 0.0 {
            low = 0.0;
            value_low = self.try_size(guard, low, guards, efforts)?;
        }
        let resolution = 4.0 * f64::EPSILON * self.watch.before.time.abs().max(high);
        let mut side = 0;
        for iteration in 0..100 {
            if value_high == 0.0 || high - low <= resolution {
                break;
            }
            let secant = high - value_high * (high - low) / (value_high - value_low);
            let inside = secant > low && secant < high;
            let size = if iteration < 60 && inside { secant } else { 0.5 * (low + high) };
            let value = self.try_size(guard, size, guards, efforts)?;
            if value * value_high > 0.0 || value == 0.0 {
                (high, value_high) = (size, value);
                if side == 1 {
                    value_low *= 0.5;
                }
                side = 1;
            } else {
                (low, value_low) = (size, value);
                if side == -1 {
                    value_high *= 0.5;
                }
                side = -1;
            }
        }
        // The far side, so that the guard has changed its sign. A zero hit exactly has no width.
        let width = if value_high == 0.0 { 0.0 } else { high - low };
        Ok(Located { guard, size: high, width })
    }

    /// Value of a guard after a step of this size from the start of the step.
    fn try_size(
        &mut self,
        guard: usize,
        size: f64,
        guards: &mut dyn Guards,
        efforts: &mut dyn Efforts,
    ) -> Result<f64, Trouble> {
        self.state.clone_from(&self.watch.before);
        if size > 0.0 {
            self.integrator.set_memory(&self.watch.memory);
            let report = self.integrator.exact_step(&self.system, &mut self.ws, efforts, &mut self.state, size)?;
            self.total.evaluations += u64::from(report.evaluations);
        }
        Ok(guards.value(guard, &self.system, &mut self.ws, &self.state))
    }
}

/// Whether a guard crossed zero in a direction that counts. Leaving zero is not a crossing: reaching it was.
fn crosses(before: f64, after: f64, direction: i8) -> bool {
    (before < 0.0 && after >= 0.0 && direction >= 0) || (before > 0.0 && after <= 0.0 && direction <= 0)
}
