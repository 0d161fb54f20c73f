//! The simulation contract over Rapier.

use crate::actions::Actions;
use crate::build::Sets;
use crate::contacts::{contacts, look};
use crate::mesh_budget::MeshBudget;
use crate::motion::RapierMotion;
use crate::plan::Plan;
use crate::snapshot::{self, Saved};
use crate::touch::TouchHook;
use rapier3d_f64::dynamics::{CCDSolver, IntegrationParameters, SoftBodySet};
use rapier3d_f64::math::Vector;
use rapier3d_f64::pipeline::PhysicsPipeline;
use veracity_collide::NamedPairs;
use veracity_engine::{
    Advance, BodyState, EventLog, Guard, GuardHit, Inputs, LoadError, Logged, Samples, Seal, Simulation,
    SolverOutcome, StepError, Totals, Watched,
};
use veracity_foreign::{TouchTable, logged_point};
use veracity_model::{JointKind, Layout};
use veracity_record::{ContactSample, EventRules};

/// Rapier behind the contract. Our own layer does not allocate while it advances; Rapier itself does (factorisations of
/// multibodies, contacts).
pub struct RapierSimulation {
    pub(crate) plan: Plan,
    pub(crate) seal: Seal,
    pub(crate) parameters: IntegrationParameters,
    pub(crate) gravity: Vector,
    pub(crate) touch: TouchTable,
    pub(crate) meshes: MeshBudget,
    /// A step would have exceeded its memory budget, which says nothing about the motion.
    pub(crate) out_of_budget: bool,
    pub(crate) named: NamedPairs,
    /// As built, with every joint at its neutral position: the basis of every start state.
    pub(crate) pristine: Sets,
    pub(crate) sets: Sets,
    pub(crate) scratch: Scratch,
    pub(crate) motion: RapierMotion,
    pub(crate) actions: Actions,
    pub(crate) start_s: f64,
    pub(crate) steps: u64,
    pub(crate) gaps: Vec<f64>,
    pub(crate) least_gaps: Vec<f64>,
    /// What guards watched at the step's beginning.
    pub(crate) watched: Vec<f64>,
    pub(crate) events: EventLog,
    /// Motion of the bodies at the step's beginning, for the log.
    pub(crate) before: Vec<BodyState>,
}

/// Rapier's workspaces: nothing in them outlives a step.
#[derive(Default)]
pub(crate) struct Scratch {
    pipeline: PhysicsPipeline,
    ccd: CCDSolver,
    soft_bodies: SoftBodySet,
}

impl RapierSimulation {
    fn step_s(&self) -> f64 {
        self.parameters.dt
    }

    fn trouble(&self, reason: String) -> StepError {
        StepError { time: self.time(), reason }
    }

    fn one_step(&mut self, inputs: &Inputs) -> Result<(), StepError> {
        let prediction_m = self.parameters.prediction_distance();
        if let Some(why) = self.meshes.exceeded(&self.sets, &self.plan, prediction_m) {
            self.out_of_budget = true;
            return Err(self.trouble(why.to_string()));
        }
        let substep_s = self.step_s() / self.parameters.num_solver_iterations as f64;
        if self.events.is_on() {
            self.events.begin_step(self.time());
            self.before.clone_from(&self.motion.bodies);
        }
        self.actions.apply(&self.plan, &mut self.sets, &self.motion, inputs, substep_s);
        let (sets, scratch) = (&mut self.sets, &mut self.scratch);
        scratch.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut sets.islands,
            &mut sets.broad_phase,
            &mut sets.narrow_phase,
            &mut sets.bodies,
            &mut sets.colliders,
            &mut sets.impulse_joints,
            &mut sets.multibody_joints,
            &mut scratch.soft_bodies,
            &mut scratch.ccd,
            &TouchHook(&self.touch),
            &(),
        );
        self.steps += 1;
        self.motion.read(&self.plan, &self.sets);
        // Rapier removes a body with a non-finite pose and continues; here it is an error.
        if !self.motion.is_finite() || !self.scratch.pipeline.quarantine().is_empty() {
            return Err(self.trouble("the state is no longer finite; use a smaller step or more iters".to_string()));
        }
        self.measure_gaps();
        for (least, gap) in self.least_gaps.iter_mut().zip(&self.gaps) {
            *least = least.min(*gap);
        }
        self.log_step();
        Ok(())
    }

    /// Reports the last step to the event log.
    fn log_step(&mut self) {
        if !self.events.is_on() {
            return;
        }
        let time = self.time();
        let (events, before, after) = (&mut self.events, &self.before, &self.motion.bodies);
        look(&self.plan, &self.sets, &self.parameters, time, |sample, _| {
            events.point(&logged_point(&sample, before, after));
        });
        events.end_step(time, &self.gaps, &self.motion.q, &self.motion.v);
    }

    fn measure_gaps(&mut self) {
        for (pair, gap) in self.gaps.iter_mut().enumerate() {
            *gap = self.named.gap(pair, |body| self.motion.bodies[body].world_from_body);
        }
    }

    /// Number of steps to a time.
    fn steps_to(&self, until: f64) -> Result<u64, StepError> {
        let wanted = (until - self.start_s) / self.step_s();
        let whole = wanted.round();
        if !(wanted - whole).abs().le(&1e-6) || whole < self.steps as f64 {
            let (step, start) = (self.step_s(), self.start_s);
            return Err(self.trouble(format!(
                "{until} s is not a whole number of steps of {step} s ahead, counted from {start} s"
            )));
        }
        Ok(whole as u64 - self.steps)
    }

    /// Records the rows that are due.
    fn sample(&mut self, inputs: &Inputs, samples: &mut Samples) -> Result<(), StepError> {
        let time = self.time();
        while samples.due(time) {
            let next = samples.next_time();
            if (next - time).abs() > 1e-6 * self.step_s() + 1e-9 * time.abs() {
                let step = self.step_s();
                let text =
                    format!("a row at {next} s lies between steps of {step} s; record at multiples of the step");
                return Err(self.trouble(text));
            }
            // The requested instant, to the last bit.
            samples.push(next, &self.motion.q, &self.motion.v, &self.motion.bodies, &inputs.efforts, &self.gaps);
            self.add_drives(inputs, samples);
            contacts(&self.plan, &self.sets, &self.parameters, next, &mut samples.contacts);
            samples.taken();
        }
        Ok(())
    }

    /// Adds the efforts of drives to the row just recorded: their law at the end of the step, which is what Rapier's
    /// motors solve for.
    fn add_drives(&self, inputs: &Inputs, samples: &mut Samples) {
        let row = samples.track.efforts.len() - samples.track.nv;
        for drive in &inputs.drives {
            if let Some(at) = self.plan.layout.dof_position[drive.dof] {
                let effort = drive.effort(self.motion.q[at], self.motion.v[drive.dof]);
                samples.track.efforts[row + drive.dof] += effort;
            }
        }
    }

    fn outcome(&self, steps: u64) -> Advance {
        let iterations = self.parameters.num_solver_iterations as u32;
        Advance { steps, solver: SolverOutcome { iterations, residual: 0.0, not_converged: 0 } }
    }

    fn watch(&self, watched: &Watched) -> Option<f64> {
        let body = |body: usize| self.motion.bodies.get(body);
        match *watched {
            Watched::Position(i) => self.motion.q.get(i).copied(),
            Watched::Speed(i) => self.motion.v.get(i).copied(),
            Watched::BodyCoordinate { body: b, axis } => {
                body(b)?.world_from_body.translation.vector.as_slice().get(axis).copied()
            }
            Watched::BodySpin { body: b, axis } => body(b)?.angular_velocity.as_slice().get(axis).copied(),
            Watched::Gap(pair) => self.gaps.get(pair).copied(),
        }
    }

    /// The state with normalised quaternions, or why it is invalid.
    fn normalised(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, LoadError> {
        let layout = &self.plan.layout;
        let (nq, nv) = (layout.position_count, layout.dof_count());
        if q.len() != nq || v.len() != nv {
            let text =
                format!("it has {} positions and {} velocities; the world has {nq} and {nv}", q.len(), v.len());
            return Err(LoadError::State(text));
        }
        if !q.iter().chain(v).all(|x| x.is_finite()) {
            return Err(LoadError::State("it contains NaN or infinity".to_string()));
        }
        let mut q = q.to_vec();
        for joint in &layout.joints {
            let at = match joint.kind {
                JointKind::Ball => joint.q,
                JointKind::Free => joint.q + 3,
                _ => continue,
            };
            let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm < 1e-6 {
                return Err(LoadError::State(format!("the quaternion of joint '{}' has zero length", joint.name)));
            }
            q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
        }
        Ok(q)
    }

    /// Rapier reads the angle of an impulse joint within half a turn of the middle of its limits.
    fn check_turns(&self, q: &[f64]) -> Result<(), LoadError> {
        for (joint, handle) in self.plan.layout.joints.iter().zip(&self.plan.impulse_joints) {
            let dof = self.plan.layout.dofs.get(joint.v);
            if let (JointKind::Revolute { .. }, Some(_), Some(dof)) = (&joint.kind, handle, dof)
                && dof.lower.is_finite()
                && (q[joint.q] - 0.5 * (dof.lower + dof.upper)).abs() >= std::f64::consts::PI
            {
                let (name, angle) = (&joint.name, q[joint.q]);
                return Err(LoadError::State(format!(
                    "joint '{name}' at {angle} rad is half a turn or more from the middle of its limits, where Rapier's \
                     impulse joints lose count; start within the limits or use joints=multibody"
                )));
            }
        }
        Ok(())
    }

    /// Sets a state as [`Simulation::set_state`] does, without the check of the mesh budget.
    pub(crate) fn start_at(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let unit = self.normalised(q, v)?;
        self.check_turns(&unit)?;
        if !time.is_finite() {
            return Err(LoadError::State("its time is not finite".to_string()));
        }
        self.motion.q.copy_from_slice(&unit);
        self.motion.v.copy_from_slice(v);
        self.motion.place(&self.plan);
        self.reset(self.pristine.clone());
        self.motion.write(&self.plan, &mut self.sets);
        self.motion.read(&self.plan, &self.sets);
        self.out_of_budget = false;
        (self.start_s, self.steps) = (time, 0);
        self.measure_gaps();
        self.least_gaps.copy_from_slice(&self.gaps);
        if self.events.is_on() {
            self.events.begin(time, &self.gaps, &self.motion.q, &self.motion.v);
        }
        let pairs = self.motion.q.iter().zip(q).chain(self.motion.v.iter().zip(v));
        Ok(pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())))
    }

    fn reset(&mut self, sets: Sets) {
        self.sets = sets;
        self.scratch = Scratch::default();
        self.actions.forget();
    }
}

impl Simulation for RapierSimulation {
    fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    fn time(&self) -> f64 {
        self.start_s + self.steps as f64 * self.step_s()
    }

    fn q(&self) -> &[f64] {
        &self.motion.q
    }

    fn v(&self) -> &[f64] {
        &self.motion.v
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let moved = self.start_at(time, q, v)?;
        let prediction_m = self.parameters.prediction_distance();
        let exceeded = self.meshes.exceeded(&self.sets, &self.plan, prediction_m);
        exceeded.map_or(Ok(moved), |feature| Err(LoadError::Unsupported(vec![feature])))
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        out.copy_from_slice(&self.motion.bodies);
    }

    fn lost(&self) -> Option<String> {
        self.out_of_budget
            .then(|| "too many pairs of triangles came near each other for one step of Rapier".to_string())
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        veracity_engine::step_within(self.time(), self.step_s(), limit_s)?;
        self.actions.check(&self.plan, inputs).map_err(|reason| self.trouble(reason))?;
        self.one_step(inputs)?;
        Ok(self.outcome(1))
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.actions.check(&self.plan, inputs).map_err(|reason| self.trouble(reason))?;
        let steps = self.steps_to(until)?;
        for taken in 0..steps {
            if samples.stop_wanted() {
                return Ok(self.outcome(taken));
            }
            self.one_step(inputs)?;
            self.sample(inputs, samples)?;
        }
        Ok(self.outcome(steps))
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.actions.check(&self.plan, inputs).map_err(|reason| self.trouble(reason))?;
        for guard in guards {
            if self.watch(&guard.watched).is_none() {
                return Err(self.trouble(format!("a guard watches {:?}, which does not exist", guard.watched)));
            }
        }
        let mut watched = std::mem::take(&mut self.watched);
        let hit = self.watched_steps(until, guards, inputs, &mut watched);
        self.watched = watched;
        hit
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        let own = Saved {
            start_s: self.start_s,
            steps: self.steps,
            q: self.motion.q.clone(),
            v: self.motion.v.clone(),
            least_gaps: self.least_gaps.clone(),
            events: self.events.save(),
        };
        snapshot::write(&self.seal, &own, &self.sets, out);
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let (own, sets) = snapshot::read(&self.seal, bytes)?;
        self.events.fits(own.events.as_ref())?;
        self.events.restore(own.events);
        self.out_of_budget = false;
        (self.start_s, self.steps) = (own.start_s, own.steps);
        self.motion.q = own.q;
        self.motion.v = own.v;
        self.least_gaps = own.least_gaps;
        self.reset(sets);
        self.motion.read(&self.plan, &self.sets);
        self.measure_gaps();
        Ok(())
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        contacts(&self.plan, &self.sets, &self.parameters, self.time(), out);
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        self.events.switch(rules);
        if rules.is_some() {
            self.events.begin(self.time(), &self.gaps, &self.motion.q, &self.motion.v);
        }
        true
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        self.events.take(end, out);
    }

    fn gaps(&mut self, out: &mut [f64]) {
        out.copy_from_slice(&self.gaps);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.least_gaps);
    }

    fn totals(&self) -> Totals {
        let evaluations = self.steps * self.parameters.num_solver_iterations as u64;
        Totals { steps: self.steps, evaluations, rejected: 0 }
    }
}

impl RapierSimulation {
    /// Steps until a guard is crossed; of several in one step the first in the list counts. The time is where the
    /// straight line between the step's ends crosses the level.
    fn watched_steps(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
        watched: &mut Vec<f64>,
    ) -> Result<Option<GuardHit>, StepError> {
        for _ in 0..self.steps_to(until)? {
            watched.clear();
            watched.extend(guards.iter().map(|g| self.watch(&g.watched).unwrap_or(f64::NAN)));
            let before_s = self.time();
            self.one_step(inputs)?;
            for (index, guard) in guards.iter().enumerate() {
                let (before, after) = (watched[index], self.watch(&guard.watched).unwrap_or(f64::NAN));
                if guard.crossed(before, after) {
                    let time = before_s + (guard.level - before) / (after - before) * self.step_s();
                    return Ok(Some(GuardHit { guard: index, time, error: 0.5 * self.step_s() }));
                }
            }
        }
        Ok(None)
    }
}
