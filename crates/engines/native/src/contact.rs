//! A world with contact under the driver.
//!
//! Every step ends on the grid, whichever paradigm ([`Paradigm`]) takes it; an event-driven one takes as many pieces inside
//! a step as it needs. The contact points of a step are kept until the next: for contacts in rows, and for the event log.

use crate::acting::Acting;
use crate::contact_points::{Seen, logged, sample};
use crate::limits::LimitWatch;
use crate::paradigms::ParadigmEntry;
use crate::smooth::body_state;
use crate::start::{FileStart, body_places, still_bodies};
use crate::trouble;
use veracity_collide::NamedPairs;
use veracity_contact::{Paradigm, Touch};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyPlace, SmoothSimulation as Dynamics, System, Workspace, energy, kinematics};
use veracity_engine::driver::{Crossing, Looks, Present, StepSpan, Stepper};
use veracity_engine::{
    BodyState, EventLog, EventTime, Guard, Inputs, LoadError, SolverOutcome, StepError, Totals, Unsolved,
};
use veracity_model::{Layout, Vec3, World};
use veracity_record::ContactSample;

/// Solver error by which an enforced limit may be exceeded [rad or m].
const HELD_LIMIT: f64 = 1e-4;

/// A world with contact, moved by a paradigm.
pub(crate) struct ContactStepper {
    pub(crate) paradigm: Box<dyn Paradigm>,
    pub(crate) events_located: bool,
    pub(crate) layout: Layout,
    /// For kinematics and energy, separate from the paradigm's own.
    system: System,
    ws: Workspace,
    /// Projects start states onto unit quaternions and closed loops.
    starter: Dynamics,
    file_start: FileStart,
    pub(crate) state: State,
    places: Vec<(BodyPlace, [f64; 3])>,
    step_s: f64,
    pub(crate) acting: Acting,
    pub(crate) pairs: NamedPairs,
    pub(crate) limits: LimitWatch,
    pub(crate) counts: Counts,
    /// Contact points of the last completed step, and what a snapshot recorded as touching in the step before it.
    shown: Vec<Seen>,
    restored: Vec<ContactSample>,
    /// The paradigm's memory before the first step.
    blank: Vec<f64>,
    /// Whether a step was taken since the state was set: only then does the paradigm have body motions of its own.
    moved: bool,
    scratch: Scratch,
    /// Scratch: value of each guard at the step's beginning.
    pub(crate) watched: Vec<f64>,
}

/// Counts since the state was set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) totals: Totals,
    /// Steps with a solve that did not reach its tolerance, and the first of them [s].
    pub(crate) unsolved: u64,
    pub(crate) first_unsolved: f64,
}

/// Reused memory.
struct Scratch {
    seen: Vec<Seen>,
    memory: Vec<f64>,
    saved: State,
    bodies: Vec<BodyState>,
    /// Motion of the bodies at the step's beginning, for the log.
    before: Vec<BodyState>,
}

impl ContactStepper {
    pub(crate) fn new(
        world: &World,
        paradigm: Box<dyn Paradigm>,
        entry: &ParadigmEntry,
        layout: Layout,
        system: System,
        step_s: f64,
    ) -> Result<Self, LoadError> {
        let settings = veracity_dynamics::integrate::IntegratorSettings {
            step_s,
            relative_tolerance: 1e-12,
            absolute_tolerance: 1e-13,
        };
        let starter = Dynamics::new(system.clone(), "rk4", settings).map_err(|e| LoadError::Other(e.to_string()))?;
        let state = starter.state().clone();
        let mut blank = Vec::new();
        paradigm.memory(&mut blank);
        Ok(Self {
            paradigm,
            events_located: entry.events == EventTime::Located,
            ws: Workspace::new(&system),
            starter,
            file_start: FileStart::default(),
            places: body_places(world, &layout, &system),
            step_s,
            acting: Acting::new(&layout),
            pairs: NamedPairs::new(world),
            limits: LimitWatch::new(&layout),
            counts: Counts::default(),
            shown: Vec::new(),
            restored: Vec::new(),
            blank,
            moved: false,
            scratch: Scratch {
                seen: Vec::new(),
                memory: Vec::new(),
                saved: state.clone(),
                bodies: still_bodies(&layout),
                before: still_bodies(&layout),
            },
            watched: Vec::new(),
            state,
            system,
            layout,
        })
    }

    /// Advances to `end` in as many pieces as the paradigm takes, and collects the contact points.
    pub(crate) fn pieces_to(&mut self, end: f64, whole: f64, log: bool) -> Result<StepReport, StepError> {
        if log {
            place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.scratch.before);
        }
        self.scratch.seen.clear();
        let mut sum = StepReport::default();
        let mut left = whole;
        while left > 0.0 {
            let report = self.piece(left)?;
            add(&mut sum, &report);
            let same = report.taken_s >= left;
            left = if same { 0.0 } else { end - self.state.time };
            let last = left <= 1e-15 * end.abs();
            let at_end = |touch: &Touch| (last && !touch.located).then_some(end);
            self.scratch.seen.extend(self.paradigm.touches().iter().map(|touch| Seen::new(touch, at_end(touch))));
            if last {
                break;
            }
        }
        sum.taken_s = whole;
        self.state.time = end;
        self.counts.add(&sum, end);
        Ok(sum)
    }

    /// The gap of a named pair at the body poses computed last [m].
    pub(crate) fn gap_of(&self, pair: usize) -> f64 {
        self.pairs.gap(pair, |slot| self.scratch.bodies[slot].world_from_body)
    }

    fn piece(&mut self, limit: f64) -> Result<StepReport, StepError> {
        let layout = &self.layout;
        let report = self.paradigm.step(&mut self.acting, &mut self.state, limit);
        report.map_err(|e| trouble::of(layout, e))
    }

    /// Contact points of the last step. Rarely needed, so computed on demand.
    pub(crate) fn touched(&self) -> impl Iterator<Item = ContactSample> {
        self.restored.iter().copied().chain(self.shown.iter().filter_map(sample))
    }

    /// Continues from a state that was restored, with the contact points of the step before it.
    pub(crate) fn continue_from(&mut self, time: f64, q: Vec<f64>, v: Vec<f64>, touched: Vec<ContactSample>) {
        (self.state.time, self.state.q, self.state.v) = (time, q, v);
        self.shown.clear();
        self.restored = touched;
        self.moved = false;
        self.file_start.replaced();
    }

    /// Computes every body's motion.
    pub(crate) fn place(&mut self) -> &[BodyState] {
        let bodies = &mut self.scratch.bodies;
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, bodies);
        if let (true, Some(motions)) = (self.moved, self.paradigm.motions()) {
            for (out, motion) in bodies.iter_mut().zip(motions) {
                *out = body_state(motion);
            }
        }
        bodies
    }

    /// Saves state and memory of the paradigm, to return to.
    pub(crate) fn mark(&mut self) {
        self.scratch.saved.clone_from(&self.state);
        self.scratch.memory.clear();
        self.paradigm.memory(&mut self.scratch.memory);
    }

    /// Returns to the saved state.
    pub(crate) fn back(&mut self) -> Result<(), StepError> {
        self.state.clone_from(&self.scratch.saved);
        self.moved = false;
        if self.paradigm.set_memory(&self.scratch.memory) {
            return Ok(());
        }
        let reason = "the contact paradigm rejected its own saved memory; this is a bug".to_string();
        Err(trouble::refused(self.state.time, reason))
    }
}

impl Counts {
    fn add(&mut self, step: &StepReport, end: f64) {
        self.totals.steps += 1;
        self.totals.evaluations += u64::from(step.evaluations.max(1));
        self.totals.rejected += u64::from(step.rejected);
        if step.unsolved > 0 {
            if self.unsolved == 0 {
                self.first_unsolved = end;
            }
            self.unsolved += 1;
        }
    }
}

/// Computes every body's motion in a state.
fn place_bodies(
    system: &System,
    ws: &mut Workspace,
    state: &State,
    places: &[(BodyPlace, [f64; 3])],
    out: &mut [BodyState],
) {
    kinematics::velocities(system, ws, &state.q, &state.v);
    for ((place, _), out) in places.iter().zip(out) {
        *out = body_state(&body_motion(ws, *place));
    }
}

/// Adds up the pieces of one step.
fn add(sum: &mut StepReport, report: &StepReport) {
    sum.evaluations += report.evaluations;
    sum.rejected += report.rejected;
    sum.iterations += report.iterations;
    sum.unsolved += report.unsolved;
    sum.contacts = sum.contacts.max(report.contacts);
    sum.constraint_residual = sum.constraint_residual.max(report.constraint_residual);
    sum.contact_residual = sum.contact_residual.max(report.contact_residual);
}

impl Stepper for ContactStepper {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn q(&self) -> &[f64] {
        &self.state.q
    }

    fn v(&self) -> &[f64] {
        &self.state.v
    }

    fn present(&mut self) -> Present<'_> {
        self.place();
        Present { q: &self.state.q, v: &self.state.v, bodies: &self.scratch.bodies }
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = self.file_start.set(&mut self.starter, time, q, v)?;
        self.state.clone_from(self.starter.state());
        let blank = std::mem::take(&mut self.blank);
        let accepted = self.paradigm.set_memory(&blank);
        self.blank = blank;
        if !accepted {
            return Err(LoadError::Other(
                "the contact paradigm rejected its initial memory; this is a bug".to_string(),
            ));
        }
        self.counts = Counts::default();
        self.shown.clear();
        self.restored.clear();
        self.moved = false;
        self.limits.reset();
        self.limits.look(time, &self.state.q);
        Ok(changed)
    }

    fn take_inputs(&mut self, time: f64, inputs: &Inputs) -> Result<(), StepError> {
        self.file_start.check(time)?;
        self.acting.take(inputs, &self.places, time)
    }

    fn step(&mut self, _: &Inputs, span: &StepSpan, looks: Looks) -> Result<SolverOutcome, StepError> {
        let report = self.pieces_to(span.end, span.size, looks.log)?;
        Ok(SolverOutcome {
            iterations: report.iterations,
            residual: report.contact_residual.max(report.constraint_residual),
            not_converged: u64::from(report.unsolved > 0),
        })
    }

    fn read(&mut self, time: f64, _: Looks) -> Result<(), StepError> {
        self.moved = true;
        self.limits.look(time, &self.state.q);
        let seen = &mut self.scratch.seen;
        std::mem::swap(seen, &mut self.shown);
        self.restored.clear();
        // Now, not in the next step, which may see no more points than this one.
        seen.clear();
        seen.reserve(self.shown.len());
        Ok(())
    }

    fn measure_gaps(&mut self, out: &mut [f64]) {
        self.place();
        self.pairs.measure(out, |slot| self.scratch.bodies[slot].world_from_body);
    }

    fn log_points(&mut self, _: f64, log: &mut EventLog) {
        for seen in &self.shown {
            log.point(&logged(seen, &self.scratch.before));
        }
    }

    fn contacts(&self, _: f64, out: &mut Vec<ContactSample>) {
        out.extend(self.touched());
    }

    fn energy(&mut self) -> Option<f64> {
        let energy = energy::energy(&self.system, &mut self.ws, &self.state.q, &self.state.v);
        Some(energy.total() + self.paradigm.stored_energy())
    }

    fn locates(&self) -> bool {
        self.events_located
    }

    fn step_to_crossing(
        &mut self,
        guards: &[Guard],
        _: &Inputs,
        span: &StepSpan,
        looks: Looks,
    ) -> Result<Option<Crossing>, StepError> {
        self.advance_to_crossing(guards, span, looks.log)
    }

    fn set_time(&mut self, time: f64) {
        self.state.time = time;
    }

    fn save(&self, out: &mut Vec<u8>) -> bool {
        self.write_saved(out);
        true
    }

    fn restore(&mut self, time: f64, bytes: &[u8]) -> Result<(), LoadError> {
        self.read_saved(time, bytes)
    }

    /// Accelerations, from the change of each body's velocity over a step from here. At an impact that change is due to
    /// the impulse.
    fn accelerations(&mut self, time: f64, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take_inputs(time, inputs).is_err() {
            return false;
        }
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.scratch.before);
        self.mark();
        // An event-driven paradigm has instantaneous accelerations: use a short step. The others have those of a whole
        // step.
        let h = if self.events_located { 1e-3 * self.step_s } else { self.step_s };
        let taken = self.piece(h).map(|report| report.taken_s);
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.scratch.bodies);
        let reported = match taken {
            Ok(taken) if taken > 0.0 => {
                for ((before, after), out) in self.scratch.before.iter().zip(&self.scratch.bodies).zip(out) {
                    let rate = |a: Vec3, b: Vec3| ((b - a) / taken).into();
                    *out = (
                        rate(before.angular_velocity, after.angular_velocity),
                        rate(before.linear_velocity, after.linear_velocity),
                    );
                }
                true
            }
            _ => false,
        };
        self.back().is_ok() && reported
    }

    fn warnings(&self, _: u64, out: &mut Vec<String>) {
        self.limits.warnings_beyond(HELD_LIMIT, out);
        let Counts { totals, unsolved, first_unsolved } = self.counts;
        if unsolved > 0 {
            let unsolved = Unsolved { steps: unsolved, of: totals.steps, first_s: Some(first_unsolved) };
            out.push(format!("{unsolved}; increase iters or choose another solver"));
        }
        self.paradigm.warnings(out);
    }

    fn totals(&self, _: u64) -> Totals {
        self.counts.totals
    }
}
