//! From a world to a simulation, or to a list of everything that is not supported.

use crate::contact::ContactStepper;
use crate::paradigms;
use crate::settings::Chosen;
use crate::smooth::SmoothStepper;
use veracity_collide::some_may_touch;
use veracity_dynamics::{System, SystemError};
use veracity_engine::driver::Stepper;
use veracity_engine::{LoadError, LoadOptions, Seal, Settings, Simulation, SteppedSimulation, Unsupported};
use veracity_model::{Layout, World};

pub(crate) fn load(
    version: &str,
    world: &World,
    settings: &Settings,
    options: &LoadOptions,
) -> Result<Box<dyn Simulation>, LoadError> {
    if !(options.step_s.is_finite() && options.step_s > 0.0) {
        return Err(LoadError::Other(format!("invalid step {} s: must be positive", options.step_s)));
    }
    let chosen = Chosen::new(settings);
    let layout = Layout::new(world);
    let mut unsupported = Vec::new();
    let touches = world.contact && some_may_touch(world);
    let entry = chosen.paradigm.or_else(|| touches.then_some(&paradigms::stepping::ENTRY));
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
    let seal = Seal::new(version, settings, options, world);
    let step_s = options.step_s;
    let Some(entry) = entry else {
        let Some(system) = system else { return Err(LoadError::Unsupported(unsupported)) };
        let stepper = SmoothStepper::new(world, layout, system, &chosen, step_s)?;
        return Ok(started(stepper, world, step_s, seal));
    };
    let soft =
        if entry.name == paradigms::penalty::ENTRY.name { Vec::new() } else { soft_surfaces(world, entry.name) };
    match ((entry.make)(world, settings, step_s), system) {
        (Ok(_), Some(_)) if !soft.is_empty() => Err(LoadError::Unsupported(soft)),
        (Ok(paradigm), Some(system)) => {
            let stepper = ContactStepper::new(world, paradigm, entry, layout, system, step_s)?;
            Ok(started(stepper, world, step_s, seal))
        }
        (Err(errors), _) => {
            // Errors of the system itself are in the list already.
            Err(LoadError::Unsupported([paradigms::unsupported(errors), soft].concat()))
        }
        (_, None) => Err(LoadError::Unsupported([unsupported, soft].concat())),
    }
}

/// A simulation at the initial state of the model files. Where that state is invalid, the stepper rejects every step until
/// another is set.
fn started(stepper: impl Stepper + 'static, world: &World, step_s: f64, seal: Seal) -> Box<dyn Simulation> {
    let mut simulation = SteppedSimulation::new(stepper, world, step_s, seal);
    let q: Vec<f64> = world.placements.iter().flat_map(|p| p.model.initial_positions()).collect();
    let v = vec![0.0; simulation.layout().dof_count()];
    // The stepper keeps the reason for its error messages.
    let _ = simulation.start(0.0, &q, &v);
    Box::new(simulation)
}

/// Compliant surfaces in use where there is contact: treating them as rigid would not be the world as described.
fn soft_surfaces(world: &World, paradigm: &str) -> Vec<Unsupported> {
    let mut list: Vec<Unsupported> = Vec::new();
    for placement in &world.placements {
        let model = &placement.model;
        let of_shapes =
            model.bodies().iter().flat_map(|body| &body.shapes).filter(|s| s.collides).map(|s| s.material);
        let of_pairs = model.contact_pairs().iter().map(|pair| pair.material);
        for id in of_shapes.chain(of_pairs).flatten() {
            let material = &model.materials()[id.0];
            let feature = format!("the stiffness or dissipation of surface '{}/{}'", placement.name, material.name);
            let soft = material.stiffness.is_some() || material.dissipation != 0.0;
            if soft && list.iter().all(|u| u.feature != feature) {
                let hint = format!(
                    "contact is rigid under paradigm={paradigm}; use paradigm=penalty, or make the surface rigid"
                );
                list.push(Unsupported { feature, hint });
            }
        }
    }
    list
}
