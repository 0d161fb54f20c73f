//! Smooth motion under the driver: fixed steps and adaptive ones.

use crate::acting::Acting;
use crate::limits::LimitWatch;
use crate::settings::Chosen;
use crate::smooth_guards::SmoothGuards;
use crate::smooth_saved::Saved;
use crate::start::{FileStart, body_places, still_bodies};
use crate::trouble;
use veracity_collide::NamedPairs;
use veracity_dynamics::integrate::StepReport;
use veracity_dynamics::observe::body_acceleration;
use veracity_dynamics::reactions::Reactions;
use veracity_dynamics::{BodyMotion, BodyPlace, SmoothSimulation as Dynamics, System};
use veracity_engine::driver::{Adaptive, Crossing, Inside, Looks, Present, StepSpan, Stepper};
use veracity_engine::{BodyState, Guard, Inputs, LoadError, SolverOutcome, StepError, Totals};
use veracity_model::{Layout, World};
use veracity_record::ContactSample;

/// Smooth motion: a system and an integrator.
pub(crate) struct SmoothStepper {
    run: Dynamics,
    layout: Layout,
    /// The place of each body in the system, and its centre of mass in its frame.
    places: Vec<(BodyPlace, [f64; 3])>,
    just_places: Vec<BodyPlace>,
    acting: Acting,
    pairs: NamedPairs,
    limits: LimitWatch,
    reactions: Reactions,
    file_start: FileStart,
    /// Joints whose dry friction is smoothed.
    frictional: Vec<String>,
    /// Size of the last step [s].
    taken_s: f64,
    // Scratch.
    bodies: Vec<BodyState>,
}

impl SmoothStepper {
    pub(crate) fn new(
        world: &World,
        layout: Layout,
        system: System,
        chosen: &Chosen,
        step_s: f64,
    ) -> Result<Self, LoadError> {
        let places = body_places(world, &layout, &system);
        let rubs = |j: &&veracity_model::layout::JointSlot| {
            layout.dofs[j.v..j.v + j.kind.dof_count()].iter().any(|d| d.friction != 0.0)
        };
        let frictional = layout.joints.iter().filter(rubs).map(|j| j.name.clone()).collect();
        let reactions = Reactions::new(world, &system);
        let run = Dynamics::new(system, chosen.integrator.name, chosen.of_step(step_s))
            .map_err(|e| LoadError::Other(e.to_string()))?;
        Ok(Self {
            run,
            just_places: places.iter().map(|(place, _)| *place).collect(),
            places,
            acting: Acting::new(&layout),
            limits: LimitWatch::new(&layout),
            reactions,
            pairs: NamedPairs::new(world),
            file_start: FileStart::default(),
            frictional,
            taken_s: 0.0,
            bodies: still_bodies(&layout),
            layout,
        })
    }

    /// Writes every body's motion into the scratch.
    fn place_bodies(&mut self) {
        let bodies = &mut self.bodies;
        self.run.body_motions(&self.just_places, |slot, motion| bodies[slot] = body_state(&motion));
    }
}

impl Stepper for SmoothStepper {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn q(&self) -> &[f64] {
        &self.run.state().q
    }

    fn v(&self) -> &[f64] {
        &self.run.state().v
    }

    fn present(&mut self) -> Present<'_> {
        self.place_bodies();
        let state = self.run.state();
        Present { q: &state.q, v: &state.v, bodies: &self.bodies }
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = self.file_start.set(&mut self.run, time, q, v)?;
        self.limits.reset();
        self.limits.look(time, &self.run.state().q);
        Ok(changed)
    }

    fn take_inputs(&mut self, time: f64, inputs: &Inputs) -> Result<(), StepError> {
        self.file_start.check(time)?;
        self.acting.take(inputs, &self.places, time)
    }

    fn adaptive(&mut self) -> Option<&mut dyn Adaptive> {
        if self.run.integrator().adaptive { Some(self) } else { None }
    }

    fn step(&mut self, _: &Inputs, span: &StepSpan, _: Looks) -> Result<SolverOutcome, StepError> {
        let report = self.run.step_to(span.end, span.size, &mut self.acting);
        let StepReport { taken_s, iterations, constraint_residual, .. } =
            report.map_err(|e| trouble::of(&self.layout, e))?;
        self.taken_s = taken_s;
        Ok(SolverOutcome { iterations, residual: constraint_residual, not_converged: 0 })
    }

    fn read(&mut self, time: f64, _: Looks) -> Result<(), StepError> {
        self.limits.look(time, &self.run.state().q);
        Ok(())
    }

    fn measure_gaps(&mut self, out: &mut [f64]) {
        self.place_bodies();
        self.pairs.measure(out, |slot| self.bodies[slot].world_from_body);
    }

    fn contacts(&self, _: f64, _: &mut Vec<ContactSample>) {}

    fn energy(&mut self) -> Option<f64> {
        Some(self.run.energy().total())
    }

    fn locates(&self) -> bool {
        true
    }

    fn begin_watch(&mut self, guards: &[Guard]) {
        self.run.begin_watch(&mut SmoothGuards { guards, bodies: &self.places, pairs: &self.pairs });
    }

    fn step_to_crossing(
        &mut self,
        guards: &[Guard],
        _: &Inputs,
        span: &StepSpan,
        _: Looks,
    ) -> Result<Option<Crossing>, StepError> {
        let mut watching = SmoothGuards { guards, bodies: &self.places, pairs: &self.pairs };
        let stepped = self.run.watched_step(span.end, span.size, &mut watching, &mut self.acting);
        let (report, hit) = stepped.map_err(|e| trouble::of(&self.layout, e))?;
        self.taken_s = report.taken_s;
        Ok(hit.map(|hit| Crossing { guard: hit.guard, time: hit.time, width: hit.uncertainty_s }))
    }

    fn set_time(&mut self, time: f64) {
        self.run.set_time(time);
    }

    fn save(&self, out: &mut Vec<u8>) -> bool {
        Saved::new(&self.run.snapshot(), &self.limits.left).write(out);
        true
    }

    fn restore(&mut self, _: f64, bytes: &[u8]) -> Result<(), LoadError> {
        let (saved, snapshot) = Saved::read(bytes)?;
        if saved.limits.len() != self.limits.left.len() {
            return Err(LoadError::Snapshot("it does not fit this world".to_string()));
        }
        self.run.restore(&snapshot).map_err(|e| LoadError::Snapshot(e.to_string()))?;
        self.file_start.replaced();
        self.limits.left = saved.limits;
        Ok(())
    }

    fn reactions(&mut self, time: f64, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take_inputs(time, inputs).is_err() || self.run.accelerations(&mut self.acting).is_err() {
            return false;
        }
        let external = inputs.wrenches.iter().map(|w| (w.body, w.force, w.torque));
        let (system, ws) = (self.run.system(), self.run.workspace());
        self.reactions.compute(system, ws, external, |slot, wrench| out[slot] = (wrench.force, wrench.torque));
        true
    }

    fn accelerations(&mut self, time: f64, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        if self.take_inputs(time, inputs).is_err() || self.run.accelerations(&mut self.acting).is_err() {
            return false;
        }
        for (place, out) in self.just_places.iter().zip(out) {
            let (angular, linear) = body_acceleration(self.run.system(), self.run.workspace(), *place);
            *out = (angular.into(), linear.into());
        }
        true
    }

    fn warnings(&self, _: u64, out: &mut Vec<String>) {
        self.limits.warnings(out);
        let speed = self.run.system().friction_speed();
        for joint in &self.frictional {
            out.push(format!(
                "dry friction of joint {joint} is smoothed below {speed:e} rad/s or m/s: a joint held by friction alone creeps"
            ));
        }
    }

    fn totals(&self, _: u64) -> Totals {
        let totals = self.run.totals();
        Totals { steps: totals.steps, evaluations: totals.evaluations, rejected: totals.rejected }
    }
}

impl Adaptive for SmoothStepper {
    fn taken(&self, limit: &StepSpan) -> StepSpan {
        StepSpan { end: self.run.state().time, size: self.taken_s, ..*limit }
    }

    fn prepare_to_look(&mut self) -> Result<(), StepError> {
        self.run.prepare_to_look(&mut self.acting).map_err(|e| trouble::of(&self.layout, e))?;
        Ok(())
    }

    fn look_inside(&mut self, fraction: f64, bodies: bool, gaps: &mut [f64]) -> Inside<'_> {
        self.run.look_inside(fraction);
        if bodies || !gaps.is_empty() {
            let bodies = &mut self.bodies;
            self.run.probe_motions(&self.just_places, |slot, motion| bodies[slot] = body_state(&motion));
            self.pairs.measure(gaps, |slot| self.bodies[slot].world_from_body);
        }
        let state = self.run.probe();
        Inside { time: state.time, present: Present { q: &state.q, v: &state.v, bodies: &self.bodies } }
    }

    fn energy_inside(&mut self) -> Option<f64> {
        Some(self.run.probe_energy().total())
    }

    fn watches_limits(&self) -> bool {
        !self.limits.is_empty()
    }

    fn inspect_limits(&mut self) {
        let state = self.run.probe();
        self.limits.look(state.time, &state.q);
    }
}

pub(crate) fn body_state(motion: &BodyMotion) -> BodyState {
    BodyState {
        world_from_body: motion.world_from_body,
        angular_velocity: motion.angular_velocity,
        linear_velocity: motion.linear_velocity,
    }
}
