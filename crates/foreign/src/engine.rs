//! An engine over a shim.

use crate::ffi::{Abilities, Shim, flags};
use crate::loads::Loads;
use crate::motion::ForeignMotion;
use crate::refusals::Refusals;
use crate::scene::{Place, Scene};
use crate::stepper::ForeignStepper;
use veracity_collide::NamedPairs;
use veracity_engine::{
    Capabilities, DriveForm, Engine, EventTime, Fidelity, LoadError, LoadOptions, Seal, Setting, Settings,
    Simulation, SteppedSimulation,
};
use veracity_model::{JointKind, World};

/// Name, settings and the shim behind them.
pub struct ShimEngine {
    /// As in specs.
    pub name: &'static str,
    /// In a line.
    pub about: &'static str,
    /// Every setting that changes motion.
    pub settings: &'static [Setting],
    /// The table.
    pub shim: Shim,
}

impl Engine for ShimEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> String {
        self.shim.version()
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn settings(&self) -> &'static [Setting] {
        self.settings
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let abilities = self.shim.abilities(&pairs(settings));
        Capabilities {
            snapshot: match abilities.snapshot {
                0.0 => Fidelity::Exact,
                difference if difference > 0.0 => Fidelity::Approximate { difference },
                _ => Fidelity::None,
            },
            events: EventTime::Bracketed,
            drives: match () {
                () if abilities.has(flags::DRIVES_CONTINUOUS) => DriveForm::Continuous,
                () if abilities.has(flags::DRIVES) => DriveForm::Implicit,
                () => DriveForm::Explicit,
            },
            contact: abilities.has(flags::CONTACT),
            limits: abilities.has(flags::LIMITS),
            reactions: false,
            accelerations: false,
            gaps: true,
            adaptive: false,
            deterministic: !abilities.has(flags::NOT_REPEATABLE),
            single_precision: abilities.has(flags::SINGLE),
        }
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        if !(options.step_s.is_finite() && options.step_s > 0.0) {
            return Err(LoadError::Other(format!("invalid step {} s: must be positive", options.step_s)));
        }
        let settings_list = pairs(settings);
        let abilities = self.shim.abilities(&settings_list);
        let mut refusals = Refusals::default();
        refuse_other_settings(world, self.name, settings, &mut refusals);
        let place = Place::new(world, &mut refusals);
        let scene = Scene::new(world, &place);
        refuse_common(world, &scene, &place, abilities, &mut refusals);
        // The shim adds its own refusals, so that one error names them all.
        let loaded = self.shim.load(&scene, options.step_s, &settings_list);
        let sim = match loaded {
            Ok(sim) => refusals.result().map(|()| sim)?,
            Err(report) => {
                for u in report.unsupported {
                    refusals.add(u.feature, u.hint);
                }
                refusals.result()?;
                return Err(LoadError::Other(
                    report.failed.unwrap_or_else(|| "the engine failed to load the world".into()),
                ));
            }
        };
        let (q, v) = (scene.q.clone(), vec![0.0; scene.nv]);
        let stepper = ForeignStepper {
            named: NamedPairs::new(world),
            motion: ForeignMotion::new(&place),
            loads: Loads::new(&scene, abilities),
            before: Vec::new(),
            points: Vec::new(),
            points_read: false,
            restored: Some(Vec::new()),
            evaluations: 0,
            not_converged: 0,
            sim,
            abilities,
            place,
            scene,
        };
        let seal = Seal::new(&self.version(), settings, options, world);
        let mut simulation = SteppedSimulation::new(stepper, world, options.step_s, seal);
        simulation.start(0.0, &q, &v)?;
        Ok(Box::new(simulation))
    }
}

/// Settings as keys and values.
/// Refuses the settings that a model file gives for this engine, unless the engine spec has the same value.
pub fn refuse_other_settings(world: &World, engine: &str, settings: &Settings, refusals: &mut Refusals) {
    for (_, key, value) in world.engine_settings.iter().filter(|(of, ..)| of == engine) {
        let own = settings.known().find(|known| known.key == key.as_str()).map(|known| settings.text(known.key));
        if own.is_some_and(|own| is_same_value(own, value)) {
            continue;
        }
        let spec =
            if own.is_some() { format!("use the engine spec {engine}:{key}={value}, or ") } else { String::new() };
        let hint = format!("{spec}leave it out with engine_settings = false in the scenario's [world]");
        refusals.add(format!("the model file's own setting {key}={value}"), hint);
    }
}

/// Equal as numbers where both are numbers, else as words.
fn is_same_value(a: &str, b: &str) -> bool {
    match (a.trim().parse::<f64>(), b.trim().parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a.trim().eq_ignore_ascii_case(b.trim()),
    }
}

fn pairs(settings: &Settings) -> Vec<(String, String)> {
    settings.known().map(|s| (s.key.to_string(), settings.text(s.key).to_string())).collect()
}

/// Refuses features that the shim does not support, and those that no shim receives.
fn refuse_common(world: &World, scene: &Scene, place: &Place, abilities: Abilities, refusals: &mut Refusals) {
    let none = |flag: u64| !abilities.has(flag);
    if scene.contact && !scene.touch.is_empty() && none(flags::CONTACT) {
        refusals.add("contact between bodies", "use another engine, or set the world's contact to false");
    }
    for joint in &place.layout.joints {
        let dofs = &place.layout.dofs[joint.v..joint.v + joint.kind.dof_count()];
        let any = |wrong: fn(&veracity_model::Dof) -> bool| dofs.iter().any(wrong);
        let name = &joint.name;
        let limited = any(|d| d.lower != f64::NEG_INFINITY || d.upper != f64::INFINITY);
        if none(flags::LIMITS) && limited && !matches!(joint.kind, JointKind::Continuous { .. }) {
            refusals.add(format!("the limits of joint '{name}'"), "remove them, or use another engine");
        }
        if none(flags::DRY_FRICTION) && any(|d| d.friction != 0.0) {
            refusals.add(format!("dry friction in joint '{name}'"), "use viscous damping, or use another engine");
        }
        if none(flags::ARMATURE) && any(|d| d.armature != 0.0) {
            refusals.add(format!("the armature of joint '{name}'"), "use an engine in joint coordinates");
        }
        if any(|d| d.stiffness != 0.0) && matches!(joint.kind, JointKind::Ball | JointKind::Free) {
            let text = format!("the spring of the {} joint '{name}'", joint.kind.name());
            refusals.add(text, "use a spring between two points");
        }
    }
    for l in scene.loops.iter().filter(|_| none(flags::LOOPS)) {
        refusals.add(format!("the {} joint '{}' that closes a loop", l.kind, l.name), "use another engine");
    }
    for c in scene.couplings.iter().filter(|_| none(flags::COUPLINGS)) {
        refusals.add(format!("the coupling '{}'", c.name), "use another engine");
    }
    for placement in &world.placements {
        for pair in placement.model.contact_pairs() {
            if world.contact && (pair.material.is_some() || !pair.conditions.is_empty()) {
                refusals.add(
                    format!("the material or conditions of the contact pair '{}/{}'", placement.name, pair.name),
                    "give the shapes the material, and remove the pair's conditions",
                );
            }
        }
    }
}
