//! Bad input is an error with a message and changes nothing.

use super::scenes;
use super::trace::Trace;
use super::{Claim, Evidence, Subject};
use crate::capability::DriveForm;
use crate::contract::LoadOptions;
use crate::error::{LoadError, Unsupported};
use crate::inputs::{Inputs, JointDrive, Wrench};
use crate::samples::Samples;
use crate::settings::SettingKind;
use veracity_model::geometry::at;
use veracity_model::{
    Body, Coupling, Inertia, Joint, JointId, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Shape, Spring, Vec3,
    World,
};

pub(super) const INPUTS: Claim = Claim {
    name: "inputs-refused",
    says: "Inputs that are not finite, of the wrong size, or on parts that do not exist are errors and move nothing.",
    run: inputs_refused,
};

pub(super) const BREAKDOWN: Claim = Claim {
    name: "breakdown",
    says: "A motion that overflows ends in an error, not in a panic or in NaN or infinity.",
    run: breakdown,
};

pub(super) const UNSUPPORTED: Claim = Claim {
    name: "unsupported-listed",
    says: "Everything in a world that the engine cannot express is named in one error.",
    run: unsupported_listed,
};

pub(super) const SETTINGS: Claim = Claim {
    name: "settings-listed",
    says: "Unknown settings and values are errors that list what exists; a fully written spec is read back.",
    run: settings_listed,
};

fn inputs_refused(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::floating_pair();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let dofs = scene.v.len();
    let with = |change: &dyn Fn(&mut Inputs)| {
        let mut inputs = Inputs::none(dofs);
        change(&mut inputs);
        inputs
    };
    let wrench = Wrench { body: 0, force: [0.0; 3], torque: [0.0; 3] };
    let mut bad = vec![
        ("an effort of NaN", with(&|i| i.efforts[2] = f64::NAN)),
        ("an infinite effort", with(&|i| i.efforts[7 - 1] = f64::INFINITY)),
        ("too few efforts", with(&|i| i.efforts.truncate(2))),
        ("too many efforts", with(&|i| i.efforts.push(0.0))),
        ("a force of NaN", with(&|i| i.wrenches.push(Wrench { force: [f64::NAN, 0.0, 0.0], ..wrench }))),
        ("a torque of NaN", with(&|i| i.wrenches.push(Wrench { torque: [0.0, f64::NAN, 0.0], ..wrench }))),
        ("a wrench on a body that does not exist", with(&|i| i.wrenches.push(Wrench { body: 2, ..wrench }))),
    ];
    if subject.capabilities().drives != DriveForm::None {
        let last = scenes::drive(dofs - 1);
        bad.extend([
            ("a gain of NaN", with(&|i| i.drives.push(JointDrive { kp: f64::NAN, ..last }))),
            ("a target of NaN", with(&|i| i.drives.push(JointDrive { target: f64::NAN, ..last }))),
            ("a bound below zero", with(&|i| i.drives.push(JointDrive { max_effort: -1.0, ..last }))),
            ("a drive beyond the last degree of freedom", with(&|i| i.drives.push(scenes::drive(dofs)))),
            ("a drive on the turning of a free joint", with(&|i| i.drives.push(scenes::drive(0)))),
            ("two drives on one degree of freedom", with(&|i| i.drives.extend([last, last]))),
        ]);
    }
    let mut before = Trace::default();
    before.look(simulation.as_mut());
    for (what, inputs) in &bad {
        let until = 10.0 * subject.step_s;
        let mut none = Samples::none(simulation.layout());
        let accepted = simulation.step(inputs, f64::INFINITY).is_ok()
            || simulation.advance(until, inputs, &mut none).is_ok()
            || simulation.advance_until(until, &[], inputs).is_ok();
        if accepted {
            return Err(format!("{what} was accepted"));
        }
        let mut after = Trace::default();
        after.look(simulation.as_mut());
        if after != before {
            return Err(format!("{what} was rejected but moved the simulation"));
        }
    }
    Ok(Evidence::Holds(format!("{} kinds of bad input refused", bad.len())))
}

fn breakdown(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut inputs = Inputs::none(2);
    inputs.efforts[0] = 1e300;
    let mut none = Samples::none(simulation.layout());
    let outcome = simulation.advance(50.0 * subject.step_s, &inputs, &mut none);
    let finite = simulation.q().iter().chain(simulation.v()).all(|x| x.is_finite());
    match outcome {
        Ok(_) if !finite => Err(format!(
            "an effort of 1e300 was reported as success and left q {:?}, v {:?}",
            simulation.q(),
            simulation.v()
        )),
        Ok(_) => Ok(Evidence::Holds("even 1e300 N m stays in range".to_string())),
        Err(trouble) => {
            // Setting a state recovers from it.
            simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
            let recovered = simulation.advance(10.0 * subject.step_s, &scene.inputs, &mut none);
            recovered.map_err(|e| format!("after a breakdown a new state does not run: {e}"))?;
            Ok(Evidence::Holds(format!("reported: {trouble}")))
        }
    }
}

/// Small models, each with one feature that some engine cannot express.
fn rarities() -> Vec<World> {
    let bob = |name: &str| {
        let mut inertia = Inertia::solid_box(1.0, Vec3::repeat(0.1));
        inertia.com = Vec3::new(0.0, 0.0, -0.2);
        Body::new(name, inertia)
    };
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let one = |name: &str, kind: JointKind| {
        let mut builder = ModelBuilder::new(name);
        builder.add_body(bob("body"), Joint::new("joint", kind), None);
        scenes::smooth(builder, Vec3::zeros())
    };
    let two = |name: &str, change: &dyn Fn(&mut ModelBuilder)| {
        let mut builder = ModelBuilder::new(name);
        builder.add_body(bob("left"), hinge("left-hinge"), None);
        builder.add_body(bob("right"), hinge("right-hinge").at(at(0.5, 0.0, 0.0)), None);
        change(&mut builder);
        scenes::smooth(builder, Vec3::zeros())
    };
    let mut touching = ModelBuilder::new("touching");
    for (name, x) in [("ball-a", 0.0), ("ball-b", 1.0)] {
        let ball = bob(name).with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
        touching.add_body(ball, Joint::new(format!("{name}-free"), JointKind::Free).at(at(x, 0.0, 0.0)), None);
    }
    let mut touching = scenes::smooth(touching, Vec3::zeros());
    touching.contact = true;
    let mut rotor = ModelBuilder::new("free-rotor");
    let base = rotor.add_body(bob("base"), hinge("hinge"), None);
    let free = Joint::new("free-with-rotor", JointKind::Free).each_dof(|d| d.armature = 0.1);
    rotor.add_body(bob("rider"), free, Some(base));
    let (a, b) = (veracity_model::BodyId(0), veracity_model::BodyId(1));
    vec![
        one("screwed", JointKind::Screw { axis: Vec3::z(), pitch: 0.1 }),
        one("cardan", JointKind::Universal { axis1: Vec3::x(), axis2: Vec3::y() }),
        one("sliding", JointKind::Planar { x_axis: Vec3::x(), y_axis: Vec3::y() }),
        two("looped", &|builder| {
            builder.add_loop(LoopJoint {
                name: "rod".to_string(),
                kind: LoopKind::Distance { length: 0.5 },
                body_a: Some(a),
                body_b: Some(b),
                a_from_frame: at(0.0, 0.0, -0.2),
                b_from_frame: at(0.0, 0.0, -0.2),
                source: None,
            });
        }),
        two("geared", &|builder| {
            builder.add_coupling(Coupling {
                name: "gear".to_string(),
                follower: JointId(1),
                leader: Some(JointId(0)),
                coefficients: vec![0.0, -2.0],
                shared_motor: false,
                source: None,
            });
        }),
        two("sprung", &|builder| {
            builder.add_spring(Spring {
                name: "spring".to_string(),
                body_a: Some(a),
                body_b: Some(b),
                point_a: Vec3::zeros(),
                point_b: Vec3::zeros(),
                stiffness: 10.0,
                damping: 0.0,
                rest_length: 0.4,
                source: None,
            });
        }),
        scenes::smooth(rotor, Vec3::zeros()),
        touching,
    ]
}

fn unsupported_listed(subject: &Subject<'_>) -> Result<Evidence, String> {
    let options = LoadOptions { step_s: subject.step_s };
    let mut alone: Vec<Unsupported> = Vec::new();
    let mut together: Option<World> = None;
    for world in rarities() {
        match subject.engine.load(&world, subject.settings, &options) {
            Ok(_) => continue,
            Err(LoadError::Unsupported(list)) if !list.is_empty() => alone.extend(list),
            Err(e) => return Err(format!("'{}' was refused without naming a feature: {e}", world.name)),
        }
        let contact = world.contact;
        let all = together.get_or_insert_with(|| World { placements: Vec::new(), ..world.clone() });
        all.placements.extend(world.placements);
        all.contact |= contact;
    }
    let Some(together) = together else {
        return Ok(Evidence::Holds("every rare feature was loaded".to_string()));
    };
    if let Some(empty) = alone.iter().find(|u| u.feature.is_empty() || u.hint.is_empty()) {
        return Err(format!("a refusal without feature or hint: {empty:?}"));
    }
    match subject.engine.load(&together, subject.settings, &options) {
        Err(LoadError::Unsupported(list)) => match alone.iter().find(|u| !list.contains(u)) {
            None => Ok(Evidence::Holds(format!("{} features refused, all in one error", list.len()))),
            Some(lost) => {
                Err(format!("'{}' is refused alone, but not named when other features are refused too", lost.feature))
            }
        },
        Err(e) => Err(format!("together they were refused without naming features: {e}")),
        Ok(_) => Err("features refused one by one were loaded together".to_string()),
    }
}

fn settings_listed(subject: &Subject<'_>) -> Result<Evidence, String> {
    let engine = subject.engine;
    let resolve =
        |text: String| engine.resolve(&text.parse().map_err(|e| format!("{e}"))?).map_err(|e| e.to_string());
    let Err(unknown) = resolve(with(subject, "no-such-setting", "1")) else {
        return Err("the setting 'no-such-setting' was accepted".to_string());
    };
    for setting in subject.settings.known() {
        if !unknown.contains(setting.key) {
            return Err(format!("the error for an unknown setting does not list '{}': {unknown}", setting.key));
        }
        let Err(value) = resolve(with(subject, setting.key, "no-such-value")) else {
            return Err(format!("{}=no-such-value was accepted", setting.key));
        };
        if let SettingKind::Choice(words) = setting.kind
            && !words.iter().all(|w| value.contains(w))
        {
            return Err(format!("the error for a wrong {} does not list its choices: {value}", setting.key));
        }
        if setting.text.is_empty() {
            return Err(format!("'{}' has no description", setting.key));
        }
    }
    match resolve(subject.settings.full_spec()) {
        Ok(again) if again == *subject.settings => {}
        other => return Err(format!("{} was read back as {other:?}", subject.settings.full_spec())),
    }
    Ok(Evidence::Holds(format!("{} settings", subject.settings.known().count())))
}

/// The subject's spec with one setting changed or added.
pub(super) fn with(subject: &Subject<'_>, key: &str, value: &str) -> String {
    let short = subject.settings.short_spec();
    let (engine, settings) = short.split_once(':').unwrap_or((&short, ""));
    let others = settings.split(',').filter(|s| !s.is_empty() && s.split('=').next() != Some(key));
    let all: Vec<String> = others.map(str::to_string).chain([format!("{key}={value}")]).collect();
    format!("{engine}:{}", all.join(","))
}
