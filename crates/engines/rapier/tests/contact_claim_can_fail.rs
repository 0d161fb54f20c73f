//! The conformance suite's claims about contact can fail: without contact the box falls through the ground. (Its other
//! claims are shown to fail by the native engine's tests.)

use veracity_engine::conformance::{CLAIMS, Host, Subject, try_claim};
use veracity_engine::{Capabilities, Engine, LoadError, LoadOptions, Setting, Settings, Simulation};
use veracity_engine_rapier::ENGINE;
use veracity_model::World;

/// Rapier with contact switched off that still declares contact.
struct Ghostly;

impl Engine for Ghostly {
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
        ENGINE.capabilities(settings)
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let world = World { contact: false, ..world.clone() };
        ENGINE.load(&world, settings, options)
    }
}

#[test]
fn a_box_that_falls_through_the_ground_is_caught() {
    let settings = ENGINE.resolve(&"rapier".parse().unwrap()).unwrap();
    let judge = |name: &str, engine: &dyn Engine| {
        let claim = CLAIMS.iter().find(|c| c.name == name).unwrap();
        try_claim(claim, &Subject { engine, settings: &settings, step_s: 1e-3, host: Host::default() })
    };
    for (claim, said) in [("contact-rest", "the height of the resting box"), ("event-contact", "no event was logged")]
    {
        assert!(judge(claim, &ENGINE).is_ok());
        let found = judge(claim, &Ghostly).unwrap_err();
        assert!(found.contains(said), "{found}");
    }
}
