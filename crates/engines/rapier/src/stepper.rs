//! Rapier under the driver.

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
use veracity_engine::driver::{Looks, Present, StepSpan, Stepper};
use veracity_engine::start_state::{largest_change, unit_quaternions};
use veracity_engine::{BodyState, EventLog, Inputs, LoadError, SolverOutcome, StepError, Totals};
use veracity_foreign::{TouchTable, logged_point};
use veracity_model::{JointKind, Layout};
use veracity_record::ContactSample;

/// Rapier behind the contract. Our own layer does not allocate while it advances; Rapier itself does (factorisations of
/// multibodies, contacts).
pub(crate) struct RapierStepper {
    pub(crate) plan: Plan,
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

impl RapierStepper {
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

    fn reset(&mut self, sets: Sets) {
        self.sets = sets;
        self.scratch = Scratch::default();
        self.actions.forget();
    }
}

impl Stepper for RapierStepper {
    fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    fn q(&self) -> &[f64] {
        &self.motion.q
    }

    fn v(&self) -> &[f64] {
        &self.motion.v
    }

    fn present(&mut self) -> Present<'_> {
        Present { q: &self.motion.q, v: &self.motion.v, bodies: &self.motion.bodies }
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let unit = unit_quaternions(&self.plan.layout, time, q, v)?;
        self.check_turns(&unit)?;
        self.motion.q.copy_from_slice(&unit);
        self.motion.v.copy_from_slice(v);
        self.motion.place(&self.plan);
        self.reset(self.pristine.clone());
        self.motion.write(&self.plan, &mut self.sets);
        self.motion.read(&self.plan, &self.sets);
        self.out_of_budget = false;
        Ok(largest_change([&self.motion.q, &self.motion.v], [q, v]))
    }

    fn check_start(&mut self) -> Result<(), LoadError> {
        let prediction_m = self.parameters.prediction_distance();
        let exceeded = self.meshes.exceeded(&self.sets, &self.plan, prediction_m);
        exceeded.map_or(Ok(()), |feature| Err(LoadError::Unsupported(vec![feature])))
    }

    fn take_inputs(&mut self, time: f64, inputs: &Inputs) -> Result<(), StepError> {
        self.actions.check(&self.plan, inputs).map_err(|reason| StepError { time, reason })
    }

    fn step(&mut self, inputs: &Inputs, span: &StepSpan, looks: Looks) -> Result<SolverOutcome, StepError> {
        let prediction_m = self.parameters.prediction_distance();
        if let Some(why) = self.meshes.exceeded(&self.sets, &self.plan, prediction_m) {
            self.out_of_budget = true;
            return Err(StepError { time: span.begin, reason: why.to_string() });
        }
        let substep_s = self.parameters.dt / self.parameters.num_solver_iterations as f64;
        if looks.log {
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
        let iterations = self.parameters.num_solver_iterations as u32;
        Ok(SolverOutcome { iterations, residual: 0.0, not_converged: 0 })
    }

    fn read(&mut self, time: f64, _: Looks) -> Result<(), StepError> {
        self.motion.read(&self.plan, &self.sets);
        // Rapier removes a body with a non-finite pose and continues; here it is an error.
        if !self.motion.is_finite() || !self.scratch.pipeline.quarantine().is_empty() {
            let reason = "the state is no longer finite; use a smaller step or more iters".to_string();
            return Err(StepError { time, reason });
        }
        Ok(())
    }

    fn measure_gaps(&mut self, out: &mut [f64]) {
        self.named.measure(out, |body| self.motion.bodies[body].world_from_body);
    }

    fn log_points(&mut self, time: f64, log: &mut EventLog) {
        let (before, after) = (&self.before, &self.motion.bodies);
        look(&self.plan, &self.sets, &self.parameters, time, |sample, _| {
            log.point(&logged_point(&sample, before, after));
        });
    }

    fn contacts(&self, time: f64, out: &mut Vec<ContactSample>) {
        contacts(&self.plan, &self.sets, &self.parameters, time, out);
    }

    fn save(&self, out: &mut Vec<u8>) -> bool {
        snapshot::write(&Saved { q: self.motion.q.clone(), v: self.motion.v.clone() }, &self.sets, out);
        true
    }

    fn restore(&mut self, _: f64, bytes: &[u8]) -> Result<(), LoadError> {
        let (own, sets) = snapshot::read(bytes)?;
        self.out_of_budget = false;
        (self.motion.q, self.motion.v) = (own.q, own.v);
        self.reset(sets);
        self.motion.read(&self.plan, &self.sets);
        Ok(())
    }

    fn lost(&self) -> Option<String> {
        self.out_of_budget
            .then(|| "too many pairs of triangles came near each other for one step of Rapier".to_string())
    }

    fn totals(&self, steps: u64) -> Totals {
        let evaluations = steps * self.parameters.num_solver_iterations as u64;
        Totals { steps, evaluations, rejected: 0 }
    }
}
