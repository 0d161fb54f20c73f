//! A sound experiment that passes every inspection and, for each inspection, a mutation of it that this inspection
//! reports.

use veracity_check::experiment::{InspectedExperiment, StartChange};
use veracity_check::{EXPERIMENT_CHECKS, inspect_experiment};
use veracity_control::SensorConfig;
use veracity_control::config::{ControllerConfig, JointLaw, Profile};
use veracity_model::geometry::at;
use veracity_model::{
    Actuator, Body, Findings, Inertia, Joint, JointId, JointKind, ModelBuilder, Severity, Shape, Vec3, World,
};

/// Everything an experiment borrows from.
struct Trial {
    world: World,
    q: Vec<f64>,
    v: Vec<f64>,
    controllers: Vec<ControllerConfig>,
    sensors: Vec<SensorConfig>,
    step_ns: i64,
    taken: Vec<StartChange>,
}

const MS: i64 = 1_000_000;

/// A carriage of 2 kg on a rail over the ground, held by a PD controller with a large stability margin: T kd / m =
/// 0.02.
fn sound() -> Trial {
    let mut builder = ModelBuilder::new("rail");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, at(0.0, 0.0, 0.0));
    builder.add_body(ground, Joint::new("weld", JointKind::Fixed), None);
    let size = Vec3::new(0.1, 0.1, 0.1);
    let carriage =
        Body::new("carriage", Inertia::solid_box(2.0, size)).with_shape(Shape::Box { size }, at(0.0, 0.0, 0.0));
    let joint = Joint::new("slide", JointKind::prismatic(Vec3::z())).at(at(0.0, 0.0, 1.0)).each_dof(|d| {
        (d.lower, d.upper) = (-2.0, 2.0);
        (d.effort_limit, d.velocity_limit) = (100.0, 3.0);
    });
    builder.add_body(carriage, joint, None);
    builder.add_actuator(Actuator { effort_range: [-100.0, 100.0], ..Actuator::effort("motor", JointId(1)) });
    let law = JointLaw { kp: 400.0, kd: 40.0, target: Profile::Constant(0.1), ..Default::default() };
    Trial {
        world: World::with_model(builder.build().unwrap()),
        q: vec![0.0],
        v: vec![0.0],
        controllers: vec![ControllerConfig {
            name: "hold".into(),
            kind: "pd".into(),
            rate_hz: Some(1000.0),
            joints: [("slide".to_string(), law)].into(),
            ..Default::default()
        }],
        sensors: vec![SensorConfig {
            name: "scale".into(),
            kind: "encoder".into(),
            rate_hz: Some(1000.0),
            ..Default::default()
        }],
        step_ns: MS,
        taken: vec![StartChange { engine: "native".into(), change: 0.0 }],
    }
}

fn inspect(trial: &Trial) -> Findings {
    inspect_experiment(&InspectedExperiment {
        world: &trial.world,
        q: &trial.q,
        v: &trial.v,
        controllers: &trial.controllers,
        sensors: &trial.sensors,
        step_ns: trial.step_ns,
        imported: &Findings::new(),
        known: &[],
        taken: &trial.taken,
    })
}

struct Mutation {
    code: &'static str,
    what: &'static str,
    severity: Severity,
    make: fn(&mut Trial),
}

fn law(trial: &mut Trial) -> &mut JointLaw {
    trial.controllers[0].joints.get_mut("slide").unwrap()
}

use Severity::{Error, Warning};

const MUTATIONS: &[Mutation] = &[
    Mutation {
        code: "controllers-invalid",
        what: "a joint that is not there",
        severity: Error,
        make: |t| {
            let law = t.controllers[0].joints.remove("slide").unwrap();
            t.controllers[0].joints.insert("glide".into(), law);
        },
    },
    Mutation {
        code: "controllers-invalid",
        what: "a non-finite target",
        severity: Error,
        make: |t| law(t).target = Profile::Constant(f64::NAN),
    },
    Mutation {
        code: "controller-off-step",
        what: "a period of one step and a half",
        severity: Warning,
        make: |t| (t.controllers[0].rate_hz, t.controllers[0].period_s) = (None, Some(1.5e-3)),
    },
    Mutation {
        code: "controller-off-step",
        what: "a latency of a quarter step",
        severity: Warning,
        make: |t| t.controllers[0].latency_s = 2.5e-4,
    },
    Mutation {
        code: "sampled-controller-unstable",
        what: "a hundred times the damping",
        severity: Error,
        make: |t| law(t).kd *= 101.0,
    },
    Mutation {
        code: "sampled-controller-unstable",
        what: "the same at a hundredth of the rate",
        severity: Error,
        make: |t| t.controllers[0].rate_hz = Some(9.0909090909),
    },
    Mutation {
        code: "sampled-controller-unstable",
        what: "stable gains, too late",
        severity: Error,
        make: |t| {
            law(t).kd = 1000.0;
            law(t).kp = 1000.0;
            t.controllers[0].latency_s = 4e-3;
        },
    },
    Mutation {
        code: "sampled-controller-unstable",
        what: "the same lateness in the encoder",
        severity: Error,
        make: |t| {
            law(t).kd = 1000.0;
            law(t).kp = 1000.0;
            t.sensors[0].latency_s = 4e-3;
        },
    },
    Mutation {
        code: "controller-late",
        what: "a latency of one period",
        severity: Warning,
        make: |t| t.controllers[0].latency_s = 1e-3,
    },
    Mutation {
        code: "sensor-slower-than-controller",
        what: "an encoder at a tenth of the rate",
        severity: Warning,
        make: |t| t.sensors[0].rate_hz = Some(100.0),
    },
    Mutation {
        code: "actuator-saturated-at-start",
        what: "a target that jumps",
        severity: Warning,
        make: |t| law(t).target = Profile::Constant(0.3),
    },
    Mutation {
        code: "actuator-saturated-at-start",
        what: "the same through the actuator",
        severity: Warning,
        make: |t| {
            law(t).target = Profile::Constant(-0.3);
            let law = t.controllers[0].joints.remove("slide").unwrap();
            t.controllers[0].actuators.insert("motor".into(), law);
        },
    },
    Mutation {
        code: "gap-crossed-at-start",
        what: "40 N down on 2 kg for half a second: 5 m, and the ground is 0.95 m below",
        severity: Warning,
        make: |t| {
            law(t).target = Profile::Constant(-0.1);
            t.step_ns = 500 * MS;
        },
    },
    Mutation { code: "start-too-fast", what: "beyond the speed limit", severity: Warning, make: |t| t.v[0] = -3.5 },
    Mutation {
        code: "start-changed",
        what: "an engine that moved it",
        severity: Warning,
        make: |t| t.taken[0].change = 2e-3,
    },
    Mutation {
        code: "start-changed",
        what: "an engine that cannot say",
        severity: Warning,
        make: |t| t.taken[0].change = f64::NAN,
    },
    // Inspections of the model, at the experiment's own start.
    Mutation {
        code: "start-outside-limits",
        what: "a start beyond the end of the rail",
        severity: Warning,
        make: |t| t.q[0] = 2.5,
    },
    Mutation { code: "overlap", what: "a start in the ground", severity: Error, make: |t| t.q[0] = -1.0 },
    Mutation { code: "start-size", what: "a number too many", severity: Error, make: |t| t.q.push(0.0) },
];

#[test]
fn the_sound_experiment_is_not_minded() {
    let findings = inspect(&sound());
    let minded: Vec<_> = findings.iter().filter(|f| f.severity >= Warning).collect();
    assert!(minded.is_empty(), "{findings}");
}

#[test]
fn every_mutation_is_caught_by_its_check() {
    for mutation in MUTATIONS {
        let mut trial = sound();
        (mutation.make)(&mut trial);
        let findings = inspect(&trial);
        let caught = findings.iter().find(|f| f.code == mutation.code);
        assert!(caught.is_some_and(|f| f.severity == mutation.severity), "{}: {findings}", mutation.what);
    }
}

#[test]
fn every_check_has_a_mutation() {
    for check in EXPERIMENT_CHECKS {
        assert!(MUTATIONS.iter().any(|m| m.code == check.code), "{} is never seen to fail", check.code);
    }
}

#[test]
fn without_contact_bodies_may_start_anywhere() {
    let mut trial = sound();
    trial.q[0] = -1.0;
    trial.world.contact = false;
    assert_eq!(inspect(&trial).count("overlap"), 0);
}
