//! A simulation of smooth motion behind the engine contract.

use crate::acting::Acting;
use crate::gaps::GapWatch;
use crate::limits::LimitWatch;
use crate::saved::Saved;
use crate::settings::Chosen;
use crate::trouble;
use crate::watching::{self, Watching};
use veracity_dynamics::integrate::StepReport;
use veracity_dynamics::observe::body_acceleration;
use veracity_dynamics::reactions::Reactions;
use veracity_dynamics::{BodyMotion, BodyPlace, SmoothSimulation as Dynamics, System};
use veracity_engine::fixed_step::{StepGrid, StepSpan};
use veracity_engine::{
    Advance, BodyState, EventLog, Guard, GuardHit, Inputs, LoadError, Logged, Samples, Seal, Simulation,
    SolverOutcome, StepError, Totals,
};
use veracity_model::{Layout, Pose, Vec3, World};
use veracity_record::EventRules;

/// Constraint violation of a start state above which it is more than rounding [m or rad].
const ON_CONSTRAINTS: f64 = 1e-8;

/// The native engine's simulation.
pub(crate) struct NativeSimulation {
    run: Dynamics,
    layout: Layout,
    /// The place of each body in the system, and its centre of mass in its frame.
    places: Vec<(BodyPlace, [f64; 3])>,
    just_places: Vec<BodyPlace>,
    grid: StepGrid,
    acting: Acting,
    gaps: GapWatch,
    limits: LimitWatch,
    reactions: Reactions,
    events: EventLog,
    seal: Seal,
    /// Why the initial state of the file cannot be used; `None` once a state was set.
    unstarted: Option<String>,
    /// Joints whose dry friction is smoothed.
    frictional: Vec<String>,
    // Scratch for rows.
    bodies: Vec<BodyState>,
    efforts: Vec<f64>,
}

impl NativeSimulation {
    pub(crate) fn new(
        world: &World,
        layout: Layout,
        system: System,
        gaps: GapWatch,
        chosen: &Chosen,
        step_s: f64,
        seal: Seal,
    ) -> Result<Self, LoadError> {
        let place = |slot: &veracity_model::layout::BodySlot| {
            let body = world.placements[slot.placement].model.body(slot.body);
            (system.place(slot.placement, slot.body), body.inertia.com.into())
        };
        let places: Vec<(BodyPlace, [f64; 3])> = layout.bodies.iter().map(place).collect();
        let reactions = Reactions::new(world, &system);
        let start: Vec<f64> = world.placements.iter().flat_map(|p| p.model.initial_positions()).collect();
        let still = BodyState {
            world_from_body: Pose::identity(),
            angular_velocity: Vec3::zeros(),
            linear_velocity: Vec3::zeros(),
        };
        let rubs = |j: &&veracity_model::layout::JointSlot| {
            layout.dofs[j.v..j.v + j.kind.dof_count()].iter().any(|d| d.friction != 0.0)
        };
        let frictional = layout.joints.iter().filter(rubs).map(|j| j.name.clone()).collect();
        let run = Dynamics::new(system, chosen.integrator.name, chosen.of_step(step_s))
            .map_err(|e| LoadError::Other(e.to_string()))?;
        let mut made = Self {
            run,
            just_places: places.iter().map(|(place, _)| *place).collect(),
            places,
            grid: StepGrid::new(0.0, step_s),
            acting: Acting::new(&layout),
            limits: LimitWatch::new(&layout),
            reactions,
            events: EventLog::new(world, &layout),
            gaps,
            seal,
            unstarted: None,
            frictional,
            bodies: vec![still; layout.bodies.len()],
            efforts: vec![0.0; layout.dof_count()],
            layout,
        };
        let still = vec![0.0; made.layout.dof_count()];
        // If the file's initial state leaves loops open, a state that closes them has to be set before the first step.
        made.unstarted = made.set_state(0.0, &start, &still).err().map(|why| why.to_string());
        Ok(made)
    }

    fn is_adaptive(&self) -> bool {
        self.run.integrator().adaptive
    }

    fn take(&mut self, inputs: &Inputs) -> Result<(), StepError> {
        let time = self.time();
        if let Some(why) = &self.unstarted {
            return Err(trouble::told(time, format!("no start state was set, and {why}")));
        }
        self.acting.take(inputs, &self.places, time)
    }

    /// Takes the next whole step, or the rest of one that a guard has cut.
    fn fixed_step(&mut self) -> Result<StepReport, StepError> {
        let StepSpan { end, size, .. } = self.grid.next(self.run.state().time);
        self.begin_log();
        let report = self.run.step_to(end, size, &mut self.acting).map_err(|e| trouble::of(&self.layout, e))?;
        self.grid.advance();
        self.after_step();
        self.end_log();
        Ok(report)
    }

    /// Takes a step of the integrator's own size, at most to `until`.
    fn adaptive_step(&mut self, until: f64) -> Result<StepReport, StepError> {
        let begin = self.run.state().time;
        self.begin_log();
        let report =
            self.run.step_to(until, until - begin, &mut self.acting).map_err(|e| trouble::of(&self.layout, e))?;
        self.look_between(begin)?;
        self.after_step();
        self.end_log();
        Ok(report)
    }

    /// Inspects gaps and limits inside an adaptive step, as often as fixed steps would: a near miss between the ends of
    /// a long step is not overlooked.
    fn look_between(&mut self, begin: f64) -> Result<(), StepError> {
        let pieces = ((self.time() - begin) / self.grid.step).ceil();
        if pieces <= 1.0 || (self.gaps.is_empty() && self.limits.is_empty()) {
            return Ok(());
        }
        self.run.prepare_to_look(&mut self.acting).map_err(|e| trouble::of(&self.layout, e))?;
        // The integrator takes at most a hundred times the step it began with.
        for piece in 1..pieces as u32 {
            self.run.look_inside(f64::from(piece) / pieces);
            if !self.gaps.is_empty() {
                let bodies = &mut self.bodies;
                self.run.probe_motions(&self.just_places, |slot, motion| bodies[slot] = body_state(&motion));
                self.gaps.look(&self.bodies);
            }
            let state = self.run.probe();
            self.limits.look(state.time, &state.q);
            if self.events.is_on() {
                self.events.look_inside(state.time, &self.gaps.now, &state.q, &state.v);
            }
        }
        Ok(())
    }

    fn begin_log(&mut self) {
        if self.events.is_on() {
            self.events.begin_step(self.run.state().time);
        }
    }

    /// Ends the step in the log, after [`NativeSimulation::after_step`], which has measured the gaps.
    fn end_log(&mut self) {
        if self.events.is_on() {
            let state = self.run.state();
            self.events.end_step(state.time, &self.gaps.now, &state.q, &state.v);
        }
    }

    /// Starts the log at the current state.
    fn start_log(&mut self) {
        if self.events.is_on() {
            self.place_bodies();
            self.gaps.measure_all(&self.bodies);
            let state = self.run.state();
            self.events.begin(state.time, &self.gaps.now, &state.q, &state.v);
        }
    }

    /// Inspections at the end of a step.
    fn after_step(&mut self) {
        if !self.gaps.is_empty() {
            self.place_bodies();
            self.gaps.look(&self.bodies);
        }
        let state = self.run.state();
        self.limits.look(state.time, &state.q);
    }

    /// Writes every body's motion into the scratch.
    fn place_bodies(&mut self) {
        let bodies = &mut self.bodies;
        self.run.body_motions(&self.just_places, |slot, motion| bodies[slot] = body_state(&motion));
    }

    /// Writes the rows that are due at the current time.
    fn sample_here(&mut self, samples: &mut Samples) -> Result<(), StepError> {
        let time = self.time();
        if !samples.due(time) {
            return Ok(());
        }
        let asked = samples.next_time();
        if !is_instant(asked, time) {
            let step = self.grid.step;
            return Err(trouble::told(
                time,
                format!(
                    "a row is requested at {asked} s, between two steps of {step} s; record at a multiple of the step"
                ),
            ));
        }
        self.place_bodies();
        let state = self.run.state();
        self.acting.efforts_at(&state.q, &state.v, &mut self.efforts);
        self.gaps.measure_all(&self.bodies);
        samples.push(asked, &state.q, &state.v, &self.bodies, &self.efforts, &self.gaps.now);
        samples.energies.push(self.run.energy().total());
        samples.taken();
        Ok(())
    }

    /// Writes the rows inside the adaptive step just taken, from the integrator's dense output.
    fn sample_inside(&mut self, begin: f64, report: &StepReport, samples: &mut Samples) -> Result<(), StepError> {
        let end = self.time();
        if !samples.due(end) {
            return Ok(());
        }
        self.run.prepare_to_look(&mut self.acting).map_err(|e| trouble::of(&self.layout, e))?;
        while samples.due(end) {
            let asked = samples.next_time();
            if is_instant(asked, end) {
                return self.sample_here(samples);
            }
            self.run.look_inside((asked - begin) / report.taken_s);
            let bodies = &mut self.bodies;
            self.run.probe_motions(&self.just_places, |slot, motion| bodies[slot] = body_state(&motion));
            let state = self.run.probe();
            self.acting.efforts_at(&state.q, &state.v, &mut self.efforts);
            self.gaps.measure_all(&self.bodies);
            samples.push(asked, &state.q, &state.v, &self.bodies, &self.efforts, &self.gaps.now);
            samples.energies.push(self.run.probe_energy().total());
            samples.taken();
        }
        Ok(())
    }

    /// Whether an adaptive run may advance to `until`.
    fn check_ahead(&self, until: f64) -> Result<(), StepError> {
        let now = self.time();
        match until {
            u if !u.is_finite() => Err(trouble::told(now, format!("invalid time to advance to: {u} s"))),
            u if u < now => Err(trouble::told(now, format!("{u} s is in the past; restore a snapshot to go back"))),
            _ => Ok(()),
        }
    }

    /// The step count of a fixed-step run at `until`.
    fn count_at(&self, until: f64) -> Result<u64, StepError> {
        let now = self.time();
        self.grid.count_at(until, now).map_err(|reason| trouble::told(now, reason))
    }

    /// One step towards `until` with guards.
    fn watched_step(&mut self, until: f64, guards: &[Guard]) -> Result<Option<GuardHit>, StepError> {
        let now = self.run.state().time;
        let adaptive = self.is_adaptive();
        let whole = self.grid.next(now);
        let (end, size) = if adaptive { (until, until - now) } else { (whole.end, whole.size) };
        self.begin_log();
        let mut watching = Watching { guards, bodies: &self.places, gaps: &self.gaps };
        let (_, hit) = self
            .run
            .watched_step(end, size, &mut watching, &mut self.acting)
            .map_err(|e| trouble::of(&self.layout, e))?;
        match (hit, adaptive) {
            (Some(hit), false) => {
                let time = self.grid.stop_at(hit.time);
                self.run.set_time(time);
            }
            (None, false) => self.grid.advance(),
            (_, true) => self.look_between(now)?,
        }
        self.after_step();
        self.end_log();
        let time = self.time();
        Ok(hit.map(|h| GuardHit { guard: h.guard, time, error: 0.5 * h.uncertainty_s }))
    }
}

impl Simulation for NativeSimulation {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn time(&self) -> f64 {
        self.run.state().time
    }

    fn q(&self) -> &[f64] {
        &self.run.state().q
    }

    fn v(&self) -> &[f64] {
        &self.run.state().v
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = start_from(&mut self.run, time, q, v)?;
        self.unstarted = None;
        self.grid = StepGrid::new(time, self.grid.step);
        self.gaps.least.fill(f64::INFINITY);
        self.limits.reset();
        self.after_step();
        self.start_log();
        Ok(changed)
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        self.run.body_motions(&self.just_places, |slot, motion| out[slot] = body_state(&motion));
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.take(inputs)?;
        let now = self.time();
        if self.is_adaptive() {
            // An adaptive step can be cut to any length.
            veracity_engine::step_within(now, 0.0, limit_s)?;
            return Ok(one_step(&self.adaptive_step(now + limit_s)?));
        }
        let size = self.grid.next(now).size;
        veracity_engine::step_within(now, size, limit_s)?;
        Ok(one_step(&self.fixed_step()?))
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.take(inputs)?;
        let mut sum = Advance::default();
        if samples.due(self.time()) {
            samples.begin_after(self.time());
        }
        if self.is_adaptive() {
            self.check_ahead(until)?;
            while self.time() < until && !samples.stop_wanted() {
                let begin = self.time();
                let report = self.adaptive_step(until)?;
                add(&mut sum, &report);
                self.sample_inside(begin, &report, samples)?;
            }
            return Ok(sum);
        }
        let target = self.count_at(until)?;
        while self.grid.count < target && !samples.stop_wanted() {
            let report = self.fixed_step()?;
            add(&mut sum, &report);
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
        if !self.gaps.is_empty() {
            self.place_bodies();
            self.gaps.measure_all(&self.bodies);
        }
        watching::check(guards, &self.layout, &self.gaps, self.time())?;
        let adaptive = self.is_adaptive();
        let target = if adaptive { self.check_ahead(until).map(|()| 0)? } else { self.count_at(until)? };
        self.run.begin_watch(&mut Watching { guards, bodies: &self.places, gaps: &self.gaps });
        while if adaptive { self.time() < until } else { self.grid.count < target } {
            if let Some(hit) = self.watched_step(until, guards)? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        let saved = Saved::new(&self.run.snapshot(), self.grid, &self.gaps.least, &self.limits.left, &self.events);
        self.seal.wrap(out, |out| saved.write(out));
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let (saved, snapshot) = Saved::read(self.seal.open(bytes)?)?;
        let fits = saved.least_gaps.len() == self.gaps.least.len()
            && saved.limits.len() == self.limits.left.len()
            && saved.grid.step == self.grid.step;
        if !fits {
            return Err(LoadError::Snapshot("it does not fit this world".to_string()));
        }
        self.events.fits(saved.events.as_ref())?;
        self.run.restore(&snapshot).map_err(|e| LoadError::Snapshot(e.to_string()))?;
        self.unstarted = None;
        self.grid = saved.grid;
        self.gaps.least = saved.least_gaps;
        self.limits.left = saved.limits;
        self.events.restore(saved.events);
        Ok(())
    }

    fn gaps(&mut self, out: &mut [f64]) {
        self.place_bodies();
        self.gaps.measure_all(&self.bodies);
        out.copy_from_slice(&self.gaps.now);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.gaps.least);
    }

    fn reactions(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take(inputs).is_err() || self.run.accelerations(&mut self.acting).is_err() {
            return false;
        }
        let external = inputs.wrenches.iter().map(|w| (w.body, w.force, w.torque));
        let (system, ws) = (self.run.system(), self.run.workspace());
        self.reactions.compute(system, ws, external, |slot, wrench| out[slot] = (wrench.force, wrench.torque));
        true
    }

    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take(inputs).is_err() || self.run.accelerations(&mut self.acting).is_err() {
            return false;
        }
        for (place, out) in self.just_places.iter().zip(out) {
            let (angular, linear) = body_acceleration(self.run.system(), self.run.workspace(), *place);
            *out = (angular.into(), linear.into());
        }
        true
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
        Some(self.run.energy().total())
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.limits.warnings(out);
        let speed = self.run.system().friction_speed();
        for joint in &self.frictional {
            out.push(format!(
                "dry friction of joint {joint} is smoothed below {speed:e} rad/s or m/s: a joint held by friction alone creeps"
            ));
        }
    }

    fn totals(&self) -> Totals {
        let totals = self.run.totals();
        Totals { steps: totals.steps, evaluations: totals.evaluations, rejected: totals.rejected }
    }
}

/// Sets the state of the dynamics, or leaves it unchanged on failure. Returns the largest correction that was needed.
pub(crate) fn start_from(run: &mut Dynamics, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
    if !time.is_finite() || q.iter().chain(v).any(|x| !x.is_finite()) {
        return Err(LoadError::State("it contains NaN or infinity".to_string()));
    }
    let before = run.snapshot();
    let mut changed = 0.0f64;
    let taken = run.set_state(time, q, v).map_err(|e| e.to_string()).and_then(|()| {
        let state = run.state();
        let pairs = state.q.iter().zip(q).chain(state.v.iter().zip(v));
        changed = pairs.fold(0.0, |worst, (a, b)| if (a - b).is_nan() { f64::NAN } else { worst.max((a - b).abs()) });
        let off = run.constraint_violation();
        match () {
            () if !run.state().q.iter().all(|x| x.is_finite()) => Err("a quaternion has length zero".to_string()),
            () if off > ON_CONSTRAINTS => Err(format!(
                "it violates the closed loops by {off:.1e} m or rad and cannot be projected onto them; start closer"
            )),
            () => Ok(()),
        }
    });
    if let Err(why) = taken {
        // The snapshot was taken from this same simulation.
        run.restore(&before).map_err(|e| LoadError::Other(e.to_string()))?;
        return Err(LoadError::State(why));
    }
    Ok(changed)
}

/// Whether two times are the same instant, by the rule of [`Samples::due`].
pub(crate) fn is_instant(asked: f64, time: f64) -> bool {
    (asked - time).abs() <= (1e-9 * time.abs()).max(1e-12)
}

pub(crate) fn body_state(motion: &BodyMotion) -> BodyState {
    BodyState {
        world_from_body: motion.world_from_body,
        angular_velocity: motion.angular_velocity,
        linear_velocity: motion.linear_velocity,
    }
}

fn one_step(report: &StepReport) -> Advance {
    let mut sum = Advance::default();
    add(&mut sum, report);
    sum
}

/// Adds a step to the summary of an advance: the worst solve is kept.
fn add(sum: &mut Advance, report: &StepReport) {
    sum.steps += 1;
    let SolverOutcome { iterations, residual, .. } = sum.solver;
    sum.solver.iterations = iterations.max(report.iterations);
    sum.solver.residual = residual.max(report.constraint_residual);
}
