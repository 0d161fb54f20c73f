//! Our own multibody dynamics behind the engine contract.
//!
//! [`ENGINE`] loads a world into [`veracity_dynamics`]: joint coordinates, forward dynamics of trees and loops, the
//! integrators of [`veracity_dynamics::integrate::INTEGRATORS`]. Fixed steps are counted, and time is
//! `start + n · step`; guards are located inside a step; snapshots are exact; forces through joints and accelerations are
//! those of the equations of motion at the instant.
//!
//! What is deliberately absent: contact (a world in which bodies may touch is refused unless it says `contact = false`),
//! joint limits (leaving them is a warning, see [`veracity_engine::Simulation::warnings`]) and the model's own actuators,
//! which `control` turns into efforts and drives for every engine alike.
//!
//! ```
//! use veracity_engine::{Engine, Inputs, LoadOptions, Samples};
//! use veracity_engine_native::ENGINE;
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let world = World::with_model(builder.build().unwrap());
//!
//! let settings = ENGINE.resolve(&"native:rk4".parse().unwrap()).unwrap();
//! let mut simulation = ENGINE.load(&world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
//! simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
//! let mut samples = Samples::none(simulation.layout());
//! simulation.advance(0.5, &Inputs::none(1), &mut samples).unwrap();
//! assert!((simulation.q()[0].cos() - 0.391048791550546).abs() < 1e-10);
//! ```

mod acting;
mod gaps;
mod grid;
mod limits;
mod load;
mod saved;
mod settings;
mod simulation;
mod trouble;
mod watching;

use settings::Chosen;
use veracity_dynamics::integrate::{self, IntegratorEntry};
use veracity_engine::{
    Capabilities, DriveForm, Engine, EngineSpec, EventTime, Fidelity, LoadError, LoadOptions, Setting, Settings,
    Simulation, SpecError,
};
use veracity_model::World;

/// The engine, for the list the binary assembles.
pub static ENGINE: Native = Native;

/// Our own dynamics.
pub struct Native;

impl Engine for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn version(&self) -> String {
        format!("veracity-dynamics {}", env!("CARGO_PKG_VERSION"))
    }

    fn about(&self) -> &'static str {
        "our own dynamics in joint coordinates: trees and loops, order 1 to 8, no contact"
    }

    fn settings(&self) -> &'static [Setting] {
        settings::SETTINGS
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let integrator = Chosen::new(settings).integrator;
        Capabilities {
            snapshot: Fidelity::Exact,
            events: EventTime::Located,
            drives: drive_form(integrator),
            contact: false,
            reactions: true,
            accelerations: true,
            gaps: true,
            adaptive: integrator.adaptive,
            deterministic: true,
        }
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        Ok(Box::new(load::load(&self.version(), world, settings, options)?))
    }

    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        let settings = Settings::resolve(self.name(), self.settings(), spec)?;
        settings::refuse_without_effect(&settings)?;
        Ok(settings)
    }
}

/// How a drive acts within a step of an integrator: by where it evaluates forces.
fn drive_form(integrator: &IntegratorEntry) -> DriveForm {
    match integrator.name {
        // Forces once, where the step begins.
        "euler" => DriveForm::Explicit,
        "implicit" => DriveForm::Implicit,
        _ => DriveForm::Continuous,
    }
}

/// The entry of a name that [`settings::SETTINGS`] lets through.
fn integrator_named(name: &str) -> &'static IntegratorEntry {
    integrate::find(name).expect("a test holds the choices to the list of integrators")
}
