//! A simulation of a world with contact, behind the engine contract.
//!
//! Steps are counted as in smooth motion and every one ends on the grid, whichever paradigm ([`Paradigm`]) takes it; an
//! event-driven one takes as many pieces inside a step as it needs. The contact points of a step are kept until the
//! next: for contacts in rows, and for the event log.

use crate::acting::Acting;
use crate::gaps::GapWatch;
use crate::limits::LimitWatch;
use crate::paradigms::ParadigmEntry;
use crate::simulation::body_state;
use crate::touched::{Seen, logged, sample};
use crate::trouble;
use veracity_contact::{Paradigm, Touch};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyPlace, SmoothSimulation as Dynamics, System, Workspace, energy, kinematics};
use veracity_engine::fixed_step::{StepGrid, StepSpan};
use veracity_engine::{
    Advance, BodyState, EventLog, EventTime, Guard, GuardHit, Inputs, LoadError, Logged, Samples, Seal, Simulation,
    StepError, Totals, Unsolved, step_within,
};
use veracity_model::{Layout, Pose, Vec3, World};
use veracity_record::{ContactSample, EventRules};

/// A simulation with contact.
pub(crate) struct Touching {
    pub(crate) paradigm: Box<dyn Paradigm>,
    pub(crate) events_located: bool,
    pub(crate) layout: Layout,
    /// For kinematics and energy, separate from the paradigm's own.
    pub(crate) system: System,
    pub(crate) ws: Workspace,
    /// Projects start states onto unit quaternions and closed loops.
    starter: Dynamics,
    pub(crate) state: State,
    pub(crate) places: Vec<(BodyPlace, [f64; 3])>,
    pub(crate) grid: StepGrid,
    pub(crate) acting: Acting,
    pub(crate) gaps: GapWatch,
    pub(crate) limits: LimitWatch,
    pub(crate) events: EventLog,
    pub(crate) seal: Seal,
    pub(crate) totals: Totals,
    /// Steps with a solve that did not reach its tolerance, and the first of them [s].
    pub(crate) unsolved: u64,
    pub(crate) first_unsolved: f64,
    /// Contact points of the last completed step, and what a snapshot recorded as touching in the step before it.
    pub(crate) shown: Vec<Seen>,
    pub(crate) restored: Vec<ContactSample>,
    /// The paradigm's memory before the first step.
    blank: Vec<f64>,
    /// Whether a step was taken since the state was set: only then does the paradigm have body motions of its own.
    moved: bool,
    /// Why the initial state of the file cannot be used; `None` once a state was set.
    unstarted: Option<String>,
    // Scratch.
    seen: Vec<Seen>,
    memory: Vec<f64>,
    saved: State,
    bodies: Vec<BodyState>,
    before: Vec<BodyState>,
    efforts: Vec<f64>,
    pub(crate) watched: Vec<f64>,
}

/// The parts of a loaded world.
pub(crate) struct Parts {
    pub paradigm: Box<dyn Paradigm>,
    pub entry: &'static ParadigmEntry,
    pub layout: Layout,
    pub system: System,
    pub gaps: GapWatch,
    pub step_s: f64,
    pub seal: Seal,
}

impl Touching {
    pub(crate) fn new(world: &World, parts: Parts) -> Result<Self, LoadError> {
        let Parts { paradigm, entry, layout, system, gaps, step_s, seal } = parts;
        let place = |slot: &veracity_model::layout::BodySlot| {
            let body = world.placements[slot.placement].model.body(slot.body);
            (system.place(slot.placement, slot.body), body.inertia.com.into())
        };
        let places = layout.bodies.iter().map(place).collect();
        let start: Vec<f64> = world.placements.iter().flat_map(|p| p.model.initial_positions()).collect();
        let still = BodyState {
            world_from_body: Pose::identity(),
            angular_velocity: Vec3::zeros(),
            linear_velocity: Vec3::zeros(),
        };
        let settings = veracity_dynamics::integrate::IntegratorSettings {
            step_s,
            relative_tolerance: 1e-12,
            absolute_tolerance: 1e-13,
        };
        let starter = Dynamics::new(system.clone(), "rk4", settings).map_err(|e| LoadError::Other(e.to_string()))?;
        let state = starter.state().clone();
        let mut blank = Vec::new();
        paradigm.memory(&mut blank);
        let mut made = Self {
            paradigm,
            events_located: entry.events == EventTime::Located,
            ws: Workspace::new(&system),
            starter,
            saved: state.clone(),
            state,
            places,
            grid: StepGrid::new(0.0, step_s),
            acting: Acting::new(&layout),
            gaps,
            limits: LimitWatch::new(&layout),
            events: EventLog::new(world, &layout),
            seal,
            totals: Totals::default(),
            unsolved: 0,
            first_unsolved: 0.0,
            shown: Vec::new(),
            restored: Vec::new(),
            blank,
            moved: false,
            unstarted: None,
            seen: Vec::new(),
            memory: Vec::new(),
            bodies: vec![still; layout.bodies.len()],
            before: vec![still; layout.bodies.len()],
            efforts: vec![0.0; layout.dof_count()],
            watched: Vec::new(),
            system,
            layout,
        };
        let still = vec![0.0; made.layout.dof_count()];
        made.unstarted = made.set_state(0.0, &start, &still).err().map(|why| why.to_string());
        Ok(made)
    }

    pub(crate) fn take(&mut self, inputs: &Inputs) -> Result<(), StepError> {
        let time = self.state.time;
        if let Some(why) = &self.unstarted {
            return Err(trouble::told(time, format!("no start state was set, and {why}")));
        }
        self.acting.take(inputs, &self.places, time)
    }

    /// Advances to the end of the current grid step.
    pub(crate) fn grid_step(&mut self) -> Result<StepReport, StepError> {
        // A grid step has its exact size, not a difference of times.
        let StepSpan { end, size, .. } = self.grid.next(self.state.time);
        let report = self.pieces_to(end, size)?;
        self.finish_step(end);
        Ok(report)
    }

    /// Advances to `end` in as many pieces as the paradigm takes, and collects the contact points.
    pub(crate) fn pieces_to(&mut self, end: f64, whole: f64) -> Result<StepReport, StepError> {
        let begin = self.state.time;
        if self.events.is_on() {
            place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.before);
            self.events.begin_step(begin);
        }
        self.seen.clear();
        let mut sum = StepReport::default();
        let mut left = whole;
        while left > 0.0 {
            let report = self.piece(left)?;
            add(&mut sum, &report);
            let same = report.taken_s >= left;
            left = if same { 0.0 } else { end - self.state.time };
            let last = left <= 1e-15 * end.abs();
            let at_end = |touch: &Touch| (last && !touch.located).then_some(end);
            self.seen.extend(self.paradigm.touches().iter().map(|touch| Seen::new(touch, at_end(touch))));
            if last {
                break;
            }
        }
        sum.taken_s = whole;
        self.state.time = end;
        self.totals.steps += 1;
        self.totals.evaluations += u64::from(sum.evaluations.max(1));
        self.totals.rejected += u64::from(sum.rejected);
        if sum.unsolved > 0 {
            if self.unsolved == 0 {
                self.first_unsolved = end;
            }
            self.unsolved += 1;
        }
        Ok(sum)
    }

    /// Ends the step on the grid.
    pub(crate) fn finish_step(&mut self, end: f64) {
        self.grid.advance();
        self.after_step(end);
    }

    /// Advances to an instant inside the current step and stops there.
    pub(crate) fn stop_inside(&mut self, time: f64) -> Result<(), StepError> {
        self.pieces_to(time, time - self.state.time)?;
        self.state.time = self.grid.stop_at(time);
        self.after_step(self.state.time);
        Ok(())
    }

    /// The gap of a named pair at the body poses computed last [m].
    pub(crate) fn gap_of(&self, pair: usize) -> f64 {
        self.gaps.measure(pair, |slot| self.bodies[slot].world_from_body)
    }

    fn piece(&mut self, limit: f64) -> Result<StepReport, StepError> {
        let layout = &self.layout;
        let report = self.paradigm.step(&mut self.acting, &mut self.state, limit);
        report.map_err(|e| trouble::of(layout, e))
    }

    /// Inspections at the end of a step.
    fn after_step(&mut self, end: f64) {
        self.moved = true;
        // All other users of body poses compute them first.
        if !self.gaps.is_empty() {
            self.place();
            self.gaps.look(&self.bodies);
        }
        self.limits.look(end, &self.state.q);
        std::mem::swap(&mut self.seen, &mut self.shown);
        self.restored.clear();
        // Now, not in the next step, which may see no more points than this one.
        self.seen.clear();
        self.seen.reserve(self.shown.len());
        if self.events.is_on() {
            for seen in &self.shown {
                self.events.point(&logged(seen, &self.before));
            }
            self.events.end_step(end, &self.gaps.now, &self.state.q, &self.state.v);
        }
    }

    /// Contact points of the last step. Rarely needed, so computed on demand.
    pub(crate) fn touched(&self) -> impl Iterator<Item = ContactSample> {
        self.restored.iter().copied().chain(self.shown.iter().filter_map(sample))
    }

    fn start_log(&mut self) {
        if self.events.is_on() {
            self.measure_gaps();
            self.events.begin(self.state.time, &self.gaps.now, &self.state.q, &self.state.v);
        }
    }

    pub(crate) fn measure_gaps(&mut self) {
        self.place();
        self.gaps.measure_all(&self.bodies);
    }

    pub(crate) fn bodies_now(&mut self) -> &[BodyState] {
        self.place();
        &self.bodies
    }

    /// Writes every body's motion into the scratch.
    fn place(&mut self) {
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.bodies);
        if let (true, Some(motions)) = (self.moved, self.paradigm.motions()) {
            for (out, motion) in self.bodies.iter_mut().zip(motions) {
                *out = body_state(motion);
            }
        }
    }

    /// Saves state and memory of the paradigm, to return to.
    pub(crate) fn mark(&mut self) {
        self.saved.clone_from(&self.state);
        self.memory.clear();
        self.paradigm.memory(&mut self.memory);
    }

    /// Returns to the saved state.
    pub(crate) fn back(&mut self) -> Result<(), StepError> {
        self.state.clone_from(&self.saved);
        self.moved = false;
        let time = self.state.time;
        if self.paradigm.set_memory(&self.memory) {
            Ok(())
        } else {
            Err(trouble::told(time, "the contact paradigm rejected its own saved memory; this is a bug".to_string()))
        }
    }

    pub(crate) fn count_at(&self, until: f64) -> Result<u64, StepError> {
        let now = self.state.time;
        self.grid.count_at(until, now).map_err(|reason| trouble::told(now, reason))
    }

    /// Writes the rows that are due at the current time.
    fn sample_here(&mut self, samples: &mut Samples) -> Result<(), StepError> {
        let time = self.state.time;
        if !samples.due(time) {
            return Ok(());
        }
        let asked = samples.next_time();
        if !crate::simulation::is_instant(asked, time) {
            let step = self.grid.step;
            return Err(trouble::told(
                time,
                format!(
                    "a row is requested at {asked} s, between two steps of {step} s; record at a multiple of the step"
                ),
            ));
        }
        self.measure_gaps();
        self.acting.efforts_at(&self.state.q, &self.state.v, &mut self.efforts);
        samples.push(asked, &self.state.q, &self.state.v, &self.bodies, &self.efforts, &self.gaps.now);
        samples.energies.push(self.total_energy());
        samples.contacts.extend(self.touched().map(|contact| ContactSample { time: asked, ..contact }));
        samples.taken();
        Ok(())
    }

    fn total_energy(&mut self) -> f64 {
        energy::energy(&self.system, &mut self.ws, &self.state.q, &self.state.v).total()
            + self.paradigm.stored_energy()
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

fn note(advance: &mut Advance, report: &StepReport) {
    advance.steps += 1;
    advance.solver.iterations = advance.solver.iterations.max(report.iterations);
    let residual = report.contact_residual.max(report.constraint_residual);
    advance.solver.residual = advance.solver.residual.max(residual);
    advance.solver.not_converged += u64::from(report.unsolved > 0);
}

impl Simulation for Touching {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn q(&self) -> &[f64] {
        &self.state.q
    }

    fn v(&self) -> &[f64] {
        &self.state.v
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = crate::simulation::start_from(&mut self.starter, time, q, v)?;
        self.state.clone_from(self.starter.state());
        self.unstarted = None;
        let blank = std::mem::take(&mut self.blank);
        let taken = self.paradigm.set_memory(&blank);
        self.blank = blank;
        if !taken {
            return Err(LoadError::Other(
                "the contact paradigm rejected its initial memory; this is a bug".to_string(),
            ));
        }
        self.grid = StepGrid::new(time, self.grid.step);
        self.totals = Totals::default();
        self.unsolved = 0;
        self.shown.clear();
        self.restored.clear();
        self.gaps.least.fill(f64::INFINITY);
        self.limits.reset();
        self.moved = false;
        self.place();
        self.gaps.look(&self.bodies);
        self.limits.look(time, &self.state.q);
        self.start_log();
        Ok(changed)
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        out.copy_from_slice(self.bodies_now());
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.take(inputs)?;
        let now = self.state.time;
        let size = self.grid.next(now).size;
        step_within(now, size, limit_s)?;
        let mut sum = Advance::default();
        note(&mut sum, &self.grid_step()?);
        Ok(sum)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.take(inputs)?;
        if samples.due(self.time()) {
            samples.begin_after(self.time());
        }
        let target = self.count_at(until)?;
        let mut sum = Advance::default();
        while self.grid.count < target && !samples.stop_wanted() {
            note(&mut sum, &self.grid_step()?);
            self.sample_here(samples)?;
        }
        Ok(sum)
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.take(inputs)?;
        self.watch_until(until, guards)
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        self.save(out);
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        self.load_saved(bytes)?;
        (self.unstarted, self.moved) = (None, false);
        Ok(())
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        out.extend(self.touched());
    }

    fn gaps(&mut self, out: &mut [f64]) {
        self.measure_gaps();
        out.copy_from_slice(&self.gaps.now);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.gaps.least);
    }

    /// Accelerations, from the change of each body's velocity over a step from here. At an impact that change is due to
    /// the impulse.
    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take(inputs).is_err() {
            return false;
        }
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.before);
        self.mark();
        // An event-driven paradigm has instantaneous accelerations: use a short step. The others have those of a whole
        // step.
        let h = if self.events_located { 1e-3 * self.grid.step } else { self.grid.step };
        let taken = self.piece(h).map(|report| report.taken_s);
        place_bodies(&self.system, &mut self.ws, &self.state, &self.places, &mut self.bodies);
        let told = match taken {
            Ok(taken) if taken > 0.0 => {
                for ((before, after), out) in self.before.iter().zip(&self.bodies).zip(out) {
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
        self.back().is_ok() && told
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        self.events.switch(rules);
        self.start_log();
        true
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        self.events.take(end, out);
    }

    fn own_energy(&mut self) -> Option<f64> {
        Some(self.total_energy())
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.limits.warnings_beyond(HELD_LIMIT, out);
        if self.unsolved > 0 {
            let (steps, of, first_s) = (self.unsolved, self.totals.steps, Some(self.first_unsolved));
            let said = Unsolved { steps, of, first_s };
            out.push(format!("{said}; increase iters or choose another solver"));
        }
        self.paradigm.warnings(out);
    }

    fn totals(&self) -> Totals {
        self.totals
    }
}

/// Solver error by which an enforced limit may be exceeded [rad or m].
const HELD_LIMIT: f64 = 1e-4;
