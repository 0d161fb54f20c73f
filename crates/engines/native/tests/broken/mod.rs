//! The native engine with one deliberate defect.

mod breaks;
mod wrapped;

pub use breaks::{BREAKS, NOTHING};
use veracity_engine::{
    Advance, BodyState, Capabilities, Engine, EngineSpec, Guard, GuardHit, Inputs, LoadError, LoadOptions, Logged,
    Samples, Setting, Settings, Simulation, SpecError, StepError,
};
use veracity_engine_native::ENGINE;
use veracity_model::World;
use wrapped::Wrapped;

/// One defect.
pub struct Break {
    /// Name of the defect.
    pub name: &'static str,
    /// The spec it applies to.
    pub spec: &'static str,
    /// The claims that must fail.
    pub caught_by: &'static [&'static str],
    /// The replaced behaviour.
    pub wrong: Wrong,
}

/// Replacements for parts of the contract; `None` leaves them unchanged.
#[derive(Clone, Copy)]
pub struct Wrong {
    pub world: Option<fn(&mut World)>,
    pub world_under: Option<fn(&Settings, &mut World)>,
    pub capabilities: Option<fn(&mut Capabilities)>,
    pub load_error: Option<fn(LoadError) -> LoadError>,
    pub resolve: Option<Resolve>,
    pub inputs: Option<fn(&mut Inputs)>,
    pub set_state: Option<SetState>,
    pub step: Option<Step>,
    pub advance: Option<AdvanceTo>,
    pub advance_until: Option<AdvanceUntil>,
    pub restore: Option<Restore>,
    pub bodies: Option<fn(&mut [BodyState])>,
    pub gaps: Option<fn(&mut [f64])>,
    pub least_gaps: Option<fn(&mut [f64])>,
    pub reactions: Option<Tell>,
    pub accelerations: Option<Tell>,
    pub energy: Option<fn(f64) -> f64>,
    pub events: Option<fn(&mut Vec<Logged>)>,
    pub steps: Option<fn(u64) -> u64>,
}

/// The wrapped simulation.
pub type Inner = dyn Simulation;
/// See [`Engine::resolve`].
pub type Resolve = fn(&EngineSpec) -> Result<Settings, SpecError>;
/// Changes reported values; returns whether values are reported.
pub type Tell = fn(&mut [([f64; 3], [f64; 3])]) -> bool;
/// See [`Simulation::set_state`].
pub type SetState = fn(&mut Inner, f64, &[f64], &[f64]) -> Result<f64, LoadError>;
/// See [`Simulation::step`].
pub type Step = fn(&mut Inner, &Inputs, f64) -> Result<Advance, StepError>;
/// See [`Simulation::advance`].
pub type AdvanceTo = fn(&mut Inner, f64, &Inputs, &mut Samples) -> Result<Advance, StepError>;
/// See [`Simulation::advance_until`].
pub type AdvanceUntil = fn(&mut Inner, f64, &[Guard], &Inputs) -> Result<Option<GuardHit>, StepError>;
/// See [`Simulation::restore`].
pub type Restore = fn(&mut Inner, &[u8]) -> Result<(), LoadError>;

impl Wrong {
    /// No replacement.
    pub const NOTHING: Wrong = Wrong {
        world: None,
        world_under: None,
        capabilities: None,
        load_error: None,
        resolve: None,
        inputs: None,
        set_state: None,
        step: None,
        advance: None,
        advance_until: None,
        restore: None,
        bodies: None,
        gaps: None,
        least_gaps: None,
        reactions: None,
        accelerations: None,
        energy: None,
        events: None,
        steps: None,
    };
}

/// The native engine with a defect.
pub struct Broken(pub &'static Break);

impl Engine for Broken {
    fn name(&self) -> &'static str {
        ENGINE.name()
    }

    fn version(&self) -> String {
        ENGINE.version()
    }

    fn about(&self) -> &'static str {
        ENGINE.about()
    }

    fn settings(&self) -> &'static [Setting] {
        ENGINE.settings()
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let mut can = ENGINE.capabilities(settings);
        if let Some(change) = self.0.wrong.capabilities {
            change(&mut can);
        }
        can
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let mut world = world.clone();
        if let Some(change) = self.0.wrong.world {
            change(&mut world);
        }
        if let Some(change) = self.0.wrong.world_under {
            change(settings, &mut world);
        }
        match ENGINE.load(&world, settings, options) {
            Ok(inner) => Ok(Box::new(Wrapped { inner, wrong: self.0.wrong })),
            Err(e) => Err(self.0.wrong.load_error.map_or(e.clone(), |change| change(e))),
        }
    }

    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        self.0.wrong.resolve.map_or_else(|| ENGINE.resolve(spec), |resolve| resolve(spec))
    }
}
