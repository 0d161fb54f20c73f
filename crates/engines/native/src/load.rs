//! From a world to a simulation, or to everything that stands against it.

use crate::gaps::GapWatch;
use crate::settings::Chosen;
use crate::simulation::NativeSimulation;
use veracity_collide::touchable_bodies;
use veracity_dynamics::{System, SystemError};
use veracity_engine::{LoadError, LoadOptions, Seal, Settings, Unsupported};
use veracity_model::{Layout, World};

/// Pairs named in a refusal; the rest is counted.
const PAIRS_NAMED: usize = 3;

pub(crate) fn load(
    version: &str,
    world: &World,
    settings: &Settings,
    options: &LoadOptions,
) -> Result<NativeSimulation, LoadError> {
    if !(options.step_s.is_finite() && options.step_s > 0.0) {
        return Err(LoadError::Other(format!("a step of {} s is none; take a positive one", options.step_s)));
    }
    let chosen = Chosen::new(settings);
    let layout = Layout::new(world);
    let mut unsupported = Vec::new();
    refuse_contact(world, &layout, &mut unsupported);
    let gaps = GapWatch::new(world);
    let system = match System::new(world) {
        Ok(mut system) => {
            system.set_friction_speed(chosen.friction_speed);
            Some(system)
        }
        Err(SystemError::Unsupported { subject, what, hint }) => {
            unsupported.push(Unsupported { feature: format!("{what} ('{subject}')"), hint });
            None
        }
    };
    match system {
        Some(system) if unsupported.is_empty() => {
            let seal = Seal::new(version, settings, options, world);
            NativeSimulation::new(world, layout, system, gaps, &chosen, options.step_s, seal)
        }
        _ => Err(LoadError::Unsupported(unsupported)),
    }
}

/// There is no contact here: bodies that may touch would pass through each other unseen.
fn refuse_contact(world: &World, layout: &Layout, unsupported: &mut Vec<Unsupported>) {
    if !world.contact {
        return;
    }
    let name = |(placement, body): (usize, veracity_model::BodyId)| {
        let slot = layout.bodies.iter().find(|b| b.placement == placement && b.body == body);
        slot.map_or("?", |b| b.name.as_str())
    };
    let pairs = touchable_bodies(world);
    if pairs.is_empty() {
        return;
    }
    let named: Vec<String> =
        pairs.iter().take(PAIRS_NAMED).map(|[a, b]| format!("{} may touch {}", name(*a), name(*b))).collect();
    let more = pairs.len().saturating_sub(PAIRS_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more pairs") };
    unsupported.push(Unsupported {
        feature: format!("contact ({}{more})", named.join(", ")),
        hint: "set contact = false in the scenario's [world], or take an engine with contact".to_string(),
    });
}
