//! A worker as a user could write it: Drake from PyPI behind the protocol in plain Python (`examples/python_worker`),
//! tested with the conformance suite and against the map of its integrator.

mod crosscheck;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::LazyLock;
use veracity_engine::conformance::{Host, Subject, hold};
use veracity_engine::{Engine, LoadError, LoadOptions};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};
use veracity_worker::{Limits, WorkerEngine};

/// What `cargo xtask engines drake` installs next to `veracity`: the script under the interpreter that has Drake.
fn engine() -> WorkerEngine {
    // One for all tests, before the first of them starts a process: a forked process has all files open until its exec.
    static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
        let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
            panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which makes the environment");
        };
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/python_worker/drake_worker.py");
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("veracity-engine-drake");
        let text = format!("#!/bin/sh\nexec '{}' '{}'\n", PathBuf::from(python).display(), script.display());
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    });
    WorkerEngine::new(PATH.clone(), Limits::default())
}

#[test]
fn drake_conforms_to_the_contract() {
    let engine = engine();
    engine.try_hello().unwrap();
    let settings = engine.resolve(&"drake".parse().unwrap()).unwrap();
    let host = Host { fresh_process: None, allocations: None };
    match hold(&Subject { engine: &engine, settings: &settings, step_s: 1e-3, host }, EXCEPTIONS) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

const FREE: &str = "the claim is tested with free bodies, which this example refuses";
const LIMITS: &str = "the claim is tested with a limit, which this example refuses";
const EXCEPTIONS: &[(&str, &str)] = &[
    ("state-read-back", FREE),
    ("deterministic", FREE),
    ("start-anew", FREE),
    ("snapshot-same", FREE),
    ("snapshot-fork", FREE),
    ("snapshot-foreign", FREE),
    ("guard-time", FREE),
    ("guard-choice", FREE),
    ("guard-spin", FREE),
    ("gravity", FREE),
    ("wrenches", FREE),
    ("momentum", FREE),
    ("momentum-under-wrench", FREE),
    ("inputs-refused", FREE),
    ("event-limit", LIMITS),
    ("event-batching", LIMITS),
    ("event-restored", LIMITS),
];

#[test]
fn a_step_is_the_map_that_all_know() {
    let summary = crosscheck::is_semi_implicit_euler(&engine(), "drake");
    println!("ACCEPT agree-euler-drake: {summary}");
}

/// Its hello does not mention loops: controllers act between its steps.
#[test]
fn it_does_not_take_over_control_loops() {
    let mut builder = ModelBuilder::new("wheel");
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y()));
    builder.add_body(Body::new("arm", Inertia::solid_sphere(1.0, 0.1)), hinge, None);
    let world = World::with_model(builder.build().unwrap());
    let engine = engine();
    let settings = engine.resolve(&"drake".parse().unwrap()).unwrap();
    let mut simulation = engine.load(&world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    assert!(!simulation.take_loop(r#"{"step_ns":1000000,"seed":0,"trial":0,"controllers":[],"sensors":[]}"#));
}

#[test]
fn two_runs_are_one() {
    println!("ACCEPT repeat-drake: {}", crosscheck::repeats(&engine(), &engine(), "drake"));
}

#[test]
fn unsupported_features_are_refused_by_name() {
    let mut builder = ModelBuilder::new("ball");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let ball = Body::new("ball", Inertia::solid_sphere(1.0, 0.1))
        .with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
    builder.add_body(ball, Joint::new("free", JointKind::Free), None);
    let mut hinge = Joint::new("hinge", JointKind::revolute(Vec3::y()));
    (hinge.dofs[0].lower, hinge.dofs[0].upper) = (-1.0, 1.0);
    builder.add_body(Body::new("arm", Inertia::solid_sphere(1.0, 0.1)), hinge, None);
    let world = World::with_model(builder.build().unwrap());
    let engine = engine();
    let settings = engine.resolve(&"drake".parse().unwrap()).unwrap();
    let Err(LoadError::Unsupported(list)) = engine.load(&world, &settings, &LoadOptions { step_s: 1e-3 }) else {
        panic!("it was loaded");
    };
    let said = list.iter().map(|u| u.feature.as_str()).collect::<Vec<_>>().join("; ");
    for feature in ["free joint", "limits of joint", "contact between bodies"] {
        assert!(said.contains(feature), "{said}");
    }
}
