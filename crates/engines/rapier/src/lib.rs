//! Rapier (`rapier3d-f64`) behind the engine contract, with impulse joints or as multibodies.
//!
//! Rapier's implicit choices are set to what the World specifies: the damping of 0.1 on every rotational axis of a
//! multibody, sleeping, caps on speed and rotation, masses derived from shapes. What it cannot express is refused, all
//! of it in one error; [`settings`] lists all settings.
//!
//! Known properties, left as they are:
//! - Drag of a body (`linear_damping`, `angular_damping`) is `v / (1 + h c)` at the end of the step: `exp(-h c)` to
//!   second order in `h c`.
//! - Springs and dampers of impulse joints are efforts of the state at the step's beginning; those of multibodies are
//!   Rapier's own and implicit.
//! - A drive of an impulse joint is one more constraint row of the Gauss-Seidel sweep, next to those that hold the
//!   joint: stable at any gain, but far from its law where the body's own moment is small compared with its moment
//!   about the joint. `drives=explicit`, more `pgs_iters` or `joints=multibody` avoid this.
//! - Impulse joints constrain the velocities at a step's end at the poses of its beginning: velocities lag by a
//!   substep.
//! - Drag of bodies does not act on multibodies; a world that needs it is refused.
//! - The velocity and effort limits of a joint are limits of its actuator, not of the joint: nothing here enforces
//!   them.
//! - Rapier allocates while it steps; this crate does not.
//!
//! Deliberately absent: soft bodies, sleeping, vehicle and character controllers.
//!
//! ```
//! use veracity_engine::{Engine, Inputs, LoadOptions, Samples};
//! use veracity_engine_rapier::ENGINE;
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
//!
//! let mut builder = ModelBuilder::new("ball");
//! let ball = Body::new("ball", Inertia::solid_box(1.0, Vec3::repeat(0.1)));
//! builder.add_body(ball, Joint::new("free", JointKind::Free), None);
//! let world = World::with_model(builder.build().unwrap());
//! let settings = ENGINE.resolve(&"rapier".parse().unwrap()).unwrap();
//! let mut simulation = ENGINE.load(&world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
//! let mut samples = Samples::none(simulation.layout());
//! simulation.advance(0.1, &Inputs::none(6), &mut samples).unwrap();
//! // A fall of 0.1 s, to the error of a first-order step: h g t / 2.
//! assert!((simulation.q()[2] + 0.5 * 9.81 * 0.01).abs() < 1e-3);
//! ```

mod actions;
mod build;
mod contacts;
mod convert;
mod joints;
mod mesh_budget;
mod motion;
mod plan;
pub mod settings;
mod shapes;
mod snapshot;
mod stepper;
mod touch;

use crate::actions::Actions;
use crate::build::Sets;
use crate::convert::to_vector;
use crate::mesh_budget::MeshBudget;
use crate::motion::RapierMotion;
use crate::plan::Plan;
use crate::settings::{Joints, SETTINGS, Tuning, integration_parameters};
use crate::stepper::{RapierStepper, Scratch};
use veracity_collide::NamedPairs;
use veracity_engine::{
    Capabilities, DriveForm, Engine, EventTime, Fidelity, LoadError, LoadOptions, Seal, Setting, Settings,
    Simulation, SpecError, SteppedSimulation,
};
use veracity_foreign::{Refusals, refuse_other_settings};
use veracity_model::World;

/// The one instance.
pub static ENGINE: Rapier = Rapier;

/// Version of the crate behind it. A test compares it with the linked version.
const VERSION: &str = "rapier3d-f64 0.36.1";

/// Rapier.
#[derive(Clone, Copy, Debug)]
pub struct Rapier;

impl Engine for Rapier {
    fn name(&self) -> &'static str {
        "rapier"
    }

    fn version(&self) -> String {
        VERSION.to_string()
    }

    fn about(&self) -> &'static str {
        "Rapier in double precision: substepped Gauss-Seidel contacts, impulse joints or multibodies"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let implicit = Tuning::new(settings).implicit_drives;
        Capabilities {
            snapshot: Fidelity::Exact,
            events: EventTime::Bracketed,
            drives: if implicit { DriveForm::Implicit } else { DriveForm::Explicit },
            contact: true,
            limits: true,
            reactions: false,
            accelerations: false,
            gaps: true,
            adaptive: false,
            deterministic: true,
            single_precision: false,
        }
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let tuning = Tuning::new(settings);
        if !(options.step_s.is_finite() && options.step_s > 0.0) {
            return Err(LoadError::Other(format!("invalid step {} s: must be positive", options.step_s)));
        }
        if tuning.joints == Joints::Multibody && !tuning.gyroscopic {
            let why = "gyroscopic torques always act in multibodies; use joints=impulse".to_string();
            let (engine, key, value) = ("rapier".to_string(), "gyroscopic".to_string(), "off".to_string());
            return Err(SpecError::Value { engine, key, value, why }.into());
        }
        let mut refusals = Refusals::default();
        refuse_other_settings(world, "rapier", settings, &mut refusals);
        let mut plan = Plan::new(world, tuning, &mut refusals);
        let (sets, touch) = Sets::build(world, &mut plan, &mut refusals);
        refusals.result()?;

        let shapes = plan.layout.bodies.iter().flat_map(|place| {
            let body = &world.placements[place.placement].model.bodies()[place.body.0];
            body.shapes.iter().filter(|s| s.collides).map(|s| format!("{}/{}", place.name, s.name))
        });
        let meshes = MeshBudget::new(&sets, &touch, shapes.collect());
        let stepper = RapierStepper {
            parameters: integration_parameters(settings, options.step_s),
            gravity: to_vector(&world.gravity),
            touch,
            meshes,
            out_of_budget: false,
            named: NamedPairs::new(world),
            pristine: sets.clone(),
            sets,
            scratch: Scratch::default(),
            motion: RapierMotion::new(&plan),
            actions: Actions::new(&plan),
            before: Vec::new(),
            plan,
        };
        let v = vec![0.0; stepper.plan.layout.dof_count()];
        let seal = Seal::new(VERSION, settings, options, world);
        let mut simulation = SteppedSimulation::new(stepper, world, options.step_s, seal);
        let q: Vec<f64> = world.placements.iter().flat_map(|p| p.model.initial_positions()).collect();
        // Not set_state: the start in a model file may be invalid and unused by the scenario.
        simulation.start(0.0, &q, &v)?;
        Ok(Box::new(simulation))
    }
}
