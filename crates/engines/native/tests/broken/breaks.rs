//! The list of deliberate defects.

use super::{Break, Inner, Wrong};
use std::sync::atomic::{AtomicU64, Ordering};
use veracity_engine::{
    DriveForm, Engine, EngineSpec, EventTime, Fidelity, LoadError, Samples, Setting, SettingKind, Settings,
    SpecError, StepError,
};
use veracity_engine_native::ENGINE;
use veracity_model::Vec3;

const RK4: &str = "native:rk4";
const STEPPING: &str = "native:paradigm=stepping";
const OK: Wrong = Wrong::NOTHING;

/// Time stepping unchanged, with a setting that must not have an effect.
fn with_storage(spec: &EngineSpec) -> Result<Settings, SpecError> {
    const JACOBIAN: Setting =
        Setting { key: "jacobian", kind: SettingKind::Choice(&["dense", "sparse"]), default: "dense", text: "" };
    let plain = ENGINE.resolve(&STEPPING.parse().unwrap())?;
    let known: Vec<Setting> = plain.known().cloned().chain([JACOBIAN]).collect();
    let mut spec = spec.clone();
    let said = |key: &str, spec: &EngineSpec| spec.settings.iter().any(|(k, _)| k == key);
    if !said("paradigm", &spec) {
        spec.settings.push(("paradigm".to_string(), "stepping".to_string()));
    }
    Settings::resolve("native", Vec::leak(known), &spec)
}

/// The wrapper without a defect.
pub const NOTHING: Break = Break { name: "nothing", spec: RK4, caught_by: &[], wrong: OK };

/// All defects.
pub const BREAKS: &[Break] = &[
    Break {
        name: "gravity is dropped",
        spec: RK4,
        caught_by: &[
            "gravity",
            "energy",
            "guard-time",
            "guard-gap",
            "reactions",
            "accelerations",
            "drive-holds",
            "own-energy",
        ],
        wrong: Wrong { world: Some(|world| world.gravity = Vec3::zeros()), ..OK },
    },
    Break {
        name: "a storage changes the motion",
        spec: STEPPING,
        caught_by: &["storage-twin"],
        wrong: Wrong {
            resolve: Some(with_storage),
            world_under: Some(|settings, world| {
                if settings.text("jacobian") == "sparse" {
                    world.gravity.z *= 1.0 + 1e-5;
                }
            }),
            ..OK
        },
    },
    Break {
        name: "speeds are lost when a state is set",
        spec: RK4,
        caught_by: &["state-read-back", "bodies-agree"],
        wrong: Wrong { set_state: Some(|inner, time, q, v| inner.set_state(time, q, &vec![0.0; v.len()])), ..OK },
    },
    Break {
        name: "non-finite states are accepted",
        spec: RK4,
        caught_by: &["state-refused"],
        wrong: Wrong { set_state: Some(|inner, time, q, v| Ok(inner.set_state(time, q, v).unwrap_or(0.0))), ..OK },
    },
    Break {
        name: "the limit of a single step is ignored",
        spec: RK4,
        caught_by: &["step-limit"],
        wrong: Wrong { step: Some(|inner, inputs, _| inner.step(inputs, f64::INFINITY)), ..OK },
    },
    Break {
        name: "one step too many",
        spec: RK4,
        caught_by: &["time-exact"],
        wrong: Wrong {
            advance: Some(|inner, until, inputs, samples| {
                let done = inner.advance(until, inputs, samples)?;
                if done.steps > 0 {
                    inner.step(inputs, f64::INFINITY)?;
                }
                Ok(done)
            }),
            ..OK
        },
    },
    Break {
        name: "times between two steps are rounded",
        spec: RK4,
        caught_by: &["time-uneven"],
        wrong: Wrong {
            advance: Some(|inner, until, inputs, samples| {
                let until = if until.is_finite() { (until * 1e3).round() * 1e-3 } else { inner.time() };
                inner.advance(until.max(inner.time()), inputs, samples)
            }),
            ..OK
        },
    },
    Break {
        name: "every call begins with a nudge",
        spec: RK4,
        caught_by: &["batching", "samples"],
        wrong: Wrong { advance: Some(nudged), ..OK },
    },
    Break {
        name: "the word to stop is not heard",
        spec: RK4,
        caught_by: &["stop"],
        wrong: Wrong {
            advance: Some(|inner, until, inputs, samples| {
                let mut deaf = Samples::none(inner.layout());
                let _ = samples;
                inner.advance(until, inputs, &mut deaf)
            }),
            ..OK
        },
    },
    Break {
        name: "two runs differ",
        spec: RK4,
        caught_by: &["deterministic", "start-anew"],
        wrong: Wrong { set_state: Some(noisy), ..OK },
    },
    Break {
        name: "what the integrator remembers is lost on restore",
        spec: "native:dop853",
        caught_by: &["snapshot-same", "snapshot-fork", "snapshot-fresh-process"],
        wrong: Wrong {
            restore: Some(|inner, bytes| {
                inner.restore(bytes)?;
                let (time, q, v) = (inner.time(), inner.q().to_vec(), inner.v().to_vec());
                inner.set_state(time, &q, &v).map(|_| ())
            }),
            ..OK
        },
    },
    Break {
        name: "an approximate snapshot claims more than it measures",
        spec: RK4,
        caught_by: &["snapshot-same", "snapshot-fork", "snapshot-fresh-process"],
        wrong: Wrong { capabilities: Some(|can| can.snapshot = Fidelity::Approximate { difference: 1e-3 }), ..OK },
    },
    Break {
        name: "bad snapshots are accepted",
        spec: RK4,
        caught_by: &["snapshot-damaged", "snapshot-foreign"],
        wrong: Wrong {
            restore: Some(|inner, bytes| {
                let _ = inner.restore(bytes);
                Ok(())
            }),
            ..OK
        },
    },
    Break {
        name: "guards are found a few steps late",
        spec: RK4,
        caught_by: &["guard-time", "guard-spin", "guard-gap"],
        wrong: Wrong {
            advance_until: Some(|inner, until, guards, inputs| {
                let mut hit = inner.advance_until(until, guards, inputs)?;
                if let Some(hit) = &mut hit {
                    for _ in 0..3 {
                        inner.step(inputs, f64::INFINITY)?;
                    }
                    hit.time = inner.time();
                }
                Ok(hit)
            }),
            ..OK
        },
    },
    Break {
        name: "brackets are wider than declared",
        spec: RK4,
        caught_by: &["guard-time"],
        wrong: Wrong {
            advance_until: Some(|inner, until, guards, inputs| {
                let mut hit = inner.advance_until(until, guards, inputs)?;
                hit.iter_mut().for_each(|hit| hit.error = 1e-3);
                Ok(hit)
            }),
            capabilities: Some(|can| can.events = EventTime::Bracketed),
            ..OK
        },
    },
    Break {
        name: "the last guard of a list wins",
        spec: RK4,
        caught_by: &["guard-choice"],
        wrong: Wrong {
            advance_until: Some(|inner, until, guards, inputs| {
                let mut hit = inner.advance_until(until, guards, inputs)?;
                hit.iter_mut().for_each(|hit| hit.guard = guards.len() - 1);
                Ok(hit)
            }),
            ..OK
        },
    },
    Break {
        name: "efforts are ignored",
        spec: RK4,
        caught_by: &["efforts", "model-honoured", "inputs-refused"],
        wrong: Wrong { inputs: Some(|inputs| inputs.efforts.fill(0.0)), ..OK },
    },
    Break {
        name: "wrenches are ignored",
        spec: RK4,
        caught_by: &["wrenches", "momentum-under-wrench", "guard-spin", "inputs-refused"],
        wrong: Wrong { inputs: Some(|inputs| inputs.wrenches.clear()), ..OK },
    },
    Break {
        name: "drives are ignored",
        spec: RK4,
        caught_by: &["drive-holds", "drive-law", "drive-form"],
        wrong: Wrong { inputs: Some(|inputs| inputs.drives.clear()), ..OK },
    },
    Break {
        name: "the bound of a drive is ignored",
        spec: RK4,
        caught_by: &["drive-law"],
        wrong: Wrong {
            inputs: Some(|inputs| inputs.drives.iter_mut().for_each(|d| d.max_effort = f64::INFINITY)),
            ..OK
        },
    },
    Break {
        name: "continuous drives are called implicit",
        spec: RK4,
        caught_by: &["drive-form"],
        wrong: Wrong { capabilities: Some(|can| can.drives = DriveForm::Implicit), ..OK },
    },
    Break {
        name: "explicit drives are called continuous",
        spec: "native:euler",
        caught_by: &["drive-form"],
        wrong: Wrong { capabilities: Some(|can| can.drives = DriveForm::Continuous), ..OK },
    },
    Break {
        name: "joint damping is dropped",
        spec: RK4,
        caught_by: &["model-honoured"],
        wrong: Wrong { world: Some(undamped), ..OK },
    },
    Break {
        name: "motion is damped in secret",
        spec: RK4,
        caught_by: &["energy", "momentum", "momentum-under-wrench"],
        wrong: Wrong { advance: Some(damped), ..OK },
    },
    Break {
        name: "bodies are reported where they are not",
        spec: RK4,
        caught_by: &["bodies-agree"],
        wrong: Wrong {
            bodies: Some(|bodies| bodies.iter_mut().for_each(|b| b.world_from_body.translation.x += 1e-6)),
            ..OK
        },
    },
    Break {
        name: "spins are reported in body axes",
        spec: RK4,
        caught_by: &["bodies-agree", "momentum"],
        wrong: Wrong {
            bodies: Some(|bodies| {
                bodies
                    .iter_mut()
                    .for_each(|b| b.angular_velocity = b.world_from_body.rotation.inverse() * b.angular_velocity)
            }),
            ..OK
        },
    },
    Break {
        name: "reactions have the wrong sign",
        spec: RK4,
        caught_by: &["reactions"],
        wrong: Wrong {
            reactions: Some(|out| {
                out.iter_mut().for_each(|(force, _)| force[2] = -force[2]);
                true
            }),
            ..OK
        },
    },
    Break {
        name: "accelerations are declared and not told",
        spec: RK4,
        caught_by: &["accelerations"],
        wrong: Wrong { accelerations: Some(|_| false), ..OK },
    },
    Break {
        name: "the engine's energy is another one",
        spec: RK4,
        caught_by: &["own-energy"],
        wrong: Wrong { energy: Some(|energy| 0.5 * energy * energy), ..OK },
    },
    Break {
        name: "steps are counted twice",
        spec: RK4,
        caught_by: &["totals"],
        wrong: Wrong { steps: Some(|steps| 2 * steps), ..OK },
    },
    Break {
        name: "gaps are measured from the centres",
        spec: RK4,
        caught_by: &["gaps"],
        wrong: Wrong { gaps: Some(|gaps| gaps.iter_mut().for_each(|gap| *gap += 0.1)), ..OK },
    },
    Break {
        name: "a near miss is missed",
        spec: RK4,
        caught_by: &["gaps"],
        wrong: Wrong { least_gaps: Some(|gaps| gaps.iter_mut().for_each(|gap| *gap = gap.max(0.9))), ..OK },
    },
    Break {
        name: "bodies pass through each other",
        spec: STEPPING,
        caught_by: &["contact-rest", "contact-bounce", "contact-friction", "event-contact"],
        wrong: Wrong { world: Some(|world| world.contact = false), ..OK },
    },
    Break {
        name: "nothing bounces",
        spec: STEPPING,
        caught_by: &["contact-bounce"],
        wrong: Wrong { world: Some(|world| surfaces(world, &|m| m.restitution = 0.0)), ..OK },
    },
    Break {
        name: "friction is halved",
        spec: STEPPING,
        caught_by: &["contact-friction"],
        wrong: Wrong { world: Some(|world| surfaces(world, &|m| m.friction = m.friction.map(|mu| 0.5 * mu))), ..OK },
    },
    Break {
        name: "joint limits are dropped",
        spec: STEPPING,
        caught_by: &["limit-held"],
        wrong: Wrong { world: Some(|world| dofs(world, &|d| (d.lower, d.upper) = (-1e9, 1e9))), ..OK },
    },
    Break {
        name: "dry friction of joints is dropped",
        spec: STEPPING,
        caught_by: &["dry-friction"],
        wrong: Wrong { world: Some(|world| dofs(world, &|d| d.friction = 0.0)), ..OK },
    },
    Break {
        name: "events are reported ten steps late",
        spec: RK4,
        caught_by: &["event-near-miss", "event-limit"],
        wrong: Wrong { events: Some(|told| told.iter_mut().for_each(|l| l.event.time += 0.01)), ..OK },
    },
    Break {
        name: "near misses are called guards",
        spec: RK4,
        caught_by: &["event-near-miss"],
        wrong: Wrong {
            events: Some(|told| told.iter_mut().for_each(|l| l.event.kind = veracity_record::EventKind::Guard)),
            ..OK
        },
    },
    Break {
        name: "every call begins a new log",
        spec: RK4,
        caught_by: &["event-batching"],
        wrong: Wrong {
            advance: Some(|inner, until, inputs, samples| {
                inner.log_events(Some(veracity_record::EventRules::default()));
                inner.advance(until, inputs, samples)
            }),
            ..OK
        },
    },
    Break {
        name: "a restored log knows nothing of the past",
        spec: RK4,
        caught_by: &["event-restored"],
        wrong: Wrong {
            restore: Some(|inner, bytes| {
                inner.restore(bytes)?;
                inner.log_events(Some(veracity_record::EventRules::default()));
                Ok(())
            }),
            ..OK
        },
    },
    Break {
        name: "loops and couplings are dropped",
        spec: RK4,
        caught_by: &["model-honoured"],
        wrong: Wrong { world: Some(unconstrained), ..OK },
    },
    Break {
        name: "a breakdown is called success",
        spec: RK4,
        caught_by: &["breakdown"],
        wrong: Wrong {
            advance: Some(|inner, until, inputs, samples| {
                Ok(inner.advance(until, inputs, samples).unwrap_or_default())
            }),
            ..OK
        },
    },
    Break {
        name: "only the first missing feature is named",
        spec: "native:paradigm=stepping,coordinates=maximal",
        caught_by: &["unsupported-listed"],
        wrong: Wrong {
            load_error: Some(|error| match error {
                LoadError::Unsupported(list) => LoadError::Unsupported(list.into_iter().take(1).collect()),
                other => other,
            }),
            ..OK
        },
    },
    Break {
        name: "unknown settings are ignored",
        spec: RK4,
        caught_by: &["settings-listed"],
        wrong: Wrong {
            resolve: Some(|spec| ENGINE.resolve(spec).or_else(|_| ENGINE.resolve(&"native".parse()?))),
            ..OK
        },
    },
    Break {
        name: "a step asks for memory",
        spec: RK4,
        caught_by: &["no-allocation"],
        wrong: Wrong {
            step: Some(|inner, inputs, limit| {
                std::hint::black_box(vec![0.0f64; 4]);
                inner.step(inputs, limit)
            }),
            ..OK
        },
    },
];

/// Sets the state again with reduced speed, as a solver with hidden damping would.
fn damped(
    inner: &mut Inner,
    until: f64,
    inputs: &veracity_engine::Inputs,
    samples: &mut Samples,
) -> Result<veracity_engine::Advance, StepError> {
    let mut done = veracity_engine::Advance::default();
    while until - inner.time() > 1e-6 {
        let sub = inner.step(inputs, f64::INFINITY)?;
        done.steps += sub.steps;
        let (time, q) = (inner.time(), inner.q().to_vec());
        let v: Vec<f64> = inner.v().iter().map(|v| v * (1.0 - 2e-4)).collect();
        let _ = inner.set_state(time, &q, &v);
    }
    let _ = samples;
    Ok(done)
}

/// Adds a little speed at the beginning of each call.
fn nudged(
    inner: &mut Inner,
    until: f64,
    inputs: &veracity_engine::Inputs,
    samples: &mut Samples,
) -> Result<veracity_engine::Advance, StepError> {
    let (time, q) = (inner.time(), inner.q().to_vec());
    let v: Vec<f64> = inner.v().iter().map(|v| v + 1e-12).collect();
    let _ = inner.set_state(time, &q, &v);
    inner.advance(until, inputs, samples)
}

/// A start state that depends on how often it was set.
fn noisy(inner: &mut Inner, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let noise = 1e-13 * COUNT.fetch_add(1, Ordering::Relaxed) as f64;
    let v: Vec<f64> = v.iter().map(|v| v + noise).collect();
    inner.set_state(time, q, &v)
}

/// Removes damping from every joint.
fn undamped(world: &mut veracity_model::World) {
    for placement in &mut world.placements {
        for joint in 0..placement.model.joints().len() {
            let path = format!("joints/{}/damping", placement.model.joints()[joint].name);
            if placement.model.joints()[joint].dofs.iter().any(|d| d.damping != 0.0) {
                let overrides = veracity_model::numbers::Overrides::new().set(&path, 0.0);
                if let Ok(model) = placement.model.with(&overrides) {
                    placement.model = std::sync::Arc::new(model);
                }
            }
        }
    }
}

/// Changes every surface.
fn surfaces(world: &mut veracity_model::World, change: &dyn Fn(&mut veracity_model::Material)) {
    for placement in &mut world.placements {
        let model = &placement.model;
        let mut builder = veracity_model::ModelBuilder::new(model.name());
        for material in model.materials() {
            let mut material = material.clone();
            change(&mut material);
            builder.add_material(material);
        }
        for (body, joint) in model.bodies().iter().zip(model.joints()) {
            builder.add_body(body.clone(), joint.clone(), joint.parent);
        }
        model.contact_pairs().iter().for_each(|pair| builder.add_contact_pair(pair.clone()));
        placement.model = std::sync::Arc::new(builder.build().expect("parts of a valid model"));
    }
}

/// Changes every degree of freedom.
fn dofs(world: &mut veracity_model::World, change: &dyn Fn(&mut veracity_model::Dof)) {
    for placement in &mut world.placements {
        let model = &placement.model;
        let mut builder = veracity_model::ModelBuilder::new(model.name());
        for (body, joint) in model.bodies().iter().zip(model.joints()) {
            let mut joint = joint.clone();
            joint.dofs.iter_mut().for_each(change);
            builder.add_body(body.clone(), joint.clone(), joint.parent);
        }
        placement.model = std::sync::Arc::new(builder.build().expect("parts of a valid model"));
    }
}

/// Rebuilds every model from its bodies and joints alone.
fn unconstrained(world: &mut veracity_model::World) {
    for placement in &mut world.placements {
        let mut builder = veracity_model::ModelBuilder::new(placement.model.name());
        for (body, joint) in placement.model.bodies().iter().zip(placement.model.joints()) {
            builder.add_body(body.clone(), joint.clone(), joint.parent);
        }
        placement.model = std::sync::Arc::new(builder.build().expect("bodies and joints of a valid model"));
    }
}
