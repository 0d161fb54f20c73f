//! Our own multibody dynamics behind the engine contract.
//!
//! [`ENGINE`] loads a world into [`veracity_dynamics`]: joint coordinates, forward dynamics of trees and loops, the
//! integrators of [`veracity_dynamics::integrate::INTEGRATORS`]. Fixed steps are counted, and time is
//! `start + n · step`; guards are located inside a step; snapshots are exact; forces through joints and accelerations
//! are those of the equations of motion at the instant.
//!
//! Worlds whose bodies may touch are moved by one of the three paradigms of [`veracity_contact`], chosen by the setting
//! `paradigm`: time stepping, event driven, penalty. A spec that names one uses it for every world, with joint limits
//! enforced and dry friction that sticks; `auto`, the default, uses time stepping where bodies may touch and the
//! integrator alone where none may, without limits (exceeding them is a warning) and with smoothed dry friction.
//!
//! Deliberately absent: the model's own actuators, which `control` turns into efforts and drives for every engine
//! alike; forces through joints in worlds with contact.
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
mod contact;
mod contact_guards;
mod contact_points;
mod contact_saved;
mod limits;
mod load;
mod paradigms;
mod settings;
mod smooth;
mod smooth_guards;
mod smooth_saved;
mod start;
mod trouble;

pub use paradigms::{PARADIGMS, ParadigmEntry};

use settings::Chosen;
use veracity_dynamics::integrate::{self, IntegratorEntry};
use veracity_engine::{
    Capabilities, DriveForm, Engine, EngineSpec, EventTime, Fidelity, LoadError, LoadOptions, Setting, Settings,
    Simulation, SpecError,
};
use veracity_model::World;

/// The engine, for the list in the binary.
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
        "native dynamics in joint coordinates: trees and loops, order 1 to 8; three contact paradigms"
    }

    fn settings(&self) -> &'static [Setting] {
        settings::ALL.as_slice()
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let chosen = Chosen::new(settings);
        // Under `auto`, what a world without contact provides: with contact, guards are bracketed, drives are implicit
        // and forces through joints are not reported.
        let integrator = chosen.integrator;
        Capabilities {
            snapshot: Fidelity::Exact,
            events: chosen.paradigm.map_or(EventTime::Located, |paradigm| paradigm.events),
            drives: chosen.paradigm.map_or_else(|| drive_form(integrator), |paradigm| paradigm.drives),
            contact: true,
            limits: chosen.paradigm.is_some(),
            reactions: chosen.paradigm.is_none(),
            accelerations: true,
            gaps: true,
            adaptive: chosen.paradigm.is_none() && integrator.adaptive,
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
        load::load(&self.version(), world, settings, options)
    }

    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        let settings = Settings::resolve(self.name(), settings::known(spec), spec)?;
        settings::refuse_without_effect(&settings)?;
        Ok(settings)
    }
}

/// How a drive acts within a step of an integrator: depends on where the integrator evaluates forces.
fn drive_form(integrator: &IntegratorEntry) -> DriveForm {
    match integrator.name {
        // Forces are evaluated once, at the beginning of the step.
        "euler" => DriveForm::Explicit,
        "implicit" => DriveForm::Implicit,
        _ => DriveForm::Continuous,
    }
}

/// The integrator of a name that the settings have already accepted.
fn integrator_named(name: &str) -> &'static IntegratorEntry {
    integrate::find(name).expect("a test holds the choices to the list of integrators")
}
