//! A trial whose controllers and sensors run in the engine's process gives the same record, to the bit, as one whose
//! controllers act from this process between steps, and as one without another process at all.

mod support;

use std::sync::Arc;
use support::study;
use veracity_control::config::PerGroup;
use veracity_control::{ControllerConfig, SensorConfig};
use veracity_engine::Engine;
use veracity_lab::{Session, SessionSetup};
use veracity_record::Record;
use veracity_worker::{Limits, WorkerEngine};

fn worker() -> WorkerEngine {
    let exe = std::env::current_exe().unwrap();
    let path = exe.ancestors().nth(2).unwrap().join("examples/native_in_a_worker");
    let engine = WorkerEngine::new(path, Limits::default());
    engine.try_hello().unwrap();
    engine
}

/// The UR10 follows its sines for half a second with every component that has memory: an encoder with delay, noise,
/// quantisation and a low rate, delayed commands, an inertial unit, a second controller at its own rate.
fn setup(seed: u64) -> SessionSetup {
    let mut scenario = (*study(&["ur10_tracking"], &["native"]).scenarios[0]).clone();
    scenario.duration_ns = 500_000_000;
    scenario.record_every_ns = 3_000_000;
    scenario.controllers[0].latency_s = 2e-3;
    let joint = scenario.world.placements[0].model.joints().iter().find(|j| j.name == "elbow_joint").unwrap();
    scenario.sensors = vec![
        SensorConfig {
            name: "encoder".to_string(),
            kind: "encoder".to_string(),
            joints: vec![joint.name.clone()],
            rate_hz: Some(250.0),
            latency_s: 1.5e-3,
            noise_std: PerGroup::Same(1e-3),
            resolution: PerGroup::Same(1e-4),
            ..Default::default()
        },
        SensorConfig {
            name: "imu".to_string(),
            kind: "imu".to_string(),
            body: Some("wrist_3_link".to_string()),
            noise_std: PerGroup::Same(0.02),
            ..Default::default()
        },
    ];
    let push = serde_json::json!({
        "name": "push", "kind": "sinusoid", "rate_hz": 200.0, "phase_s": 0.004,
        "wrenches": [{"body": "wrist_3_link", "force_n": [{"amplitude": 3.0, "omega_rad_s": 7.0}, 0.1, 0.0]}],
    });
    scenario.controllers.push(serde_json::from_value::<ControllerConfig>(push).unwrap());
    SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns: 1_000_000, seed, index: 4 }
}

const SPEC: &str = "native:integrator=euler";

fn open(engine: &dyn Engine, seed: u64) -> Session {
    // Our engine has a list of settings for each paradigm, which a worker's single list cannot express.
    let settings = veracity_engine_native::ENGINE.resolve(&SPEC.parse().unwrap()).unwrap();
    Session::open(engine, &settings, setup(seed)).map_err(|r| format!("{r:?}")).unwrap()
}

fn run(mut session: Session) -> Record {
    session.advance_to(500_000_000);
    let record = session.finish();
    assert!(record.outcome.is_finished(), "{:?}", record.outcome);
    let named = |what: &str| record.track.signals.iter().any(|s| s.name.starts_with(what));
    assert!(named("sensors/imu/") && named("commands/push/"), "readings and commands are in the record");
    record
}

#[test]
fn where_controllers_run_makes_no_difference() {
    let engine = worker();
    let there = open(&engine, 1);
    assert!(there.is_handed_over(), "a worker built here takes loops over");
    let there = run(there);
    let mut here = open(&engine, 1);
    here.keep_control_here();
    let here = run(here);
    assert_eq!(there.digest(), here.digest(), "controllers in the worker, and in this process");
    let inside = open(&veracity_engine_native::ENGINE, 1);
    assert!(!inside.is_handed_over(), "an engine in this process has no other place to run a loop");
    assert_eq!(there.digest(), run(inside).digest(), "and without a worker at all");
    // The comparison covers the loop's numbers: another seed gives other noise and another record.
    assert_ne!(there.digest(), run(open(&engine, 2)).digest());
    println!(
        "ACCEPT controllers-in-worker: {} rows of {} signals, 2 controllers, 2 sensors with noise and latency: one digest in the worker, \
         here and without a worker",
        there.track.rows(),
        there.track.signals.len()
    );
}

/// The loop's state comes back after every request: such a session can be inspected, saved, forked and continued like
/// any other, in pieces of any length.
#[test]
fn a_session_goes_on_from_a_snapshot_on_either_side() {
    let engine = worker();
    let whole = run(open(&engine, 1));
    let mut first = open(&engine, 1);
    for until in [1_000_000, 8_000_000, 251_000_000] {
        first.advance_to(until);
    }
    let blob = first.snapshot();
    assert_eq!(run(first).digest(), whole.digest(), "in uneven pieces");
    let mut there = open(&engine, 1);
    let mut here = open(&engine, 1);
    here.keep_control_here();
    let mut records = Vec::new();
    for session in [&mut there, &mut here] {
        session.restore(&blob).unwrap();
    }
    for session in [there, here] {
        records.push(run(session));
    }
    assert_eq!(records[0].digest(), records[1].digest());
    let last =
        |record: &Record| record.track.q(record.track.rows() - 1).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(last(&records[0]), last(&whole));
}
