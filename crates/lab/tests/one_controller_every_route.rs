//! One PD controller through every in-process route gives identical bits: as a built-in controller of a trial, stepped
//! on demand, forked from a snapshot, as a user's own `Controller`, and replayed from its own record.

mod support;

use std::sync::Arc;
use support::{engines, study};

use veracity_control::{ChannelLayout, Command, ControllerPart, Memoryless, Observation, Sensing, Setup, Timing};
use veracity_lab::plan::{Case, Point};
use veracity_lab::{Planned, Session, Start, run_trial};
use veracity_model::{Layout, Overrides};
use veracity_record::Record;

fn planned(spec: &str) -> Planned {
    let mut one = study(&["ur10_tracking"], &[spec]);
    let mut scenario = (*one.scenarios[0]).clone();
    scenario.duration_ns = 500_000_000;
    scenario.record_every_ns = 1_000_000;
    one.scenarios[0] = Arc::new(scenario);
    let case = Case::new(&one.scenarios[0], &Overrides::new()).unwrap();
    let point = Point {
        engine: spec.parse().unwrap(),
        step_ns: 1_000_000,
        seed: 0,
        index: 0,
        expected: None,
        expected_checks: Vec::new(),
    };
    engines().plan_trial(&case, 0, &point).unwrap()
}

fn open(planned: &Planned) -> Session {
    Session::open(planned.engine, &planned.settings, planned.setup.clone()).map_err(|r| format!("{r:?}")).unwrap()
}

/// The rows of a record from a time on, to be compared bit for bit.
fn bits(record: &Record, from: f64) -> Vec<u64> {
    let track = &record.track;
    let first = track.times.iter().position(|t| *t >= from - 1e-9).unwrap();
    let rows = first..track.rows();
    rows.flat_map(|r| track.q(r).iter().chain(track.v(r)).map(|x| x.to_bits()).collect::<Vec<_>>()).collect()
}

#[test]
fn every_route_gives_the_same_bits() {
    for spec in ["native:integrator=euler", "native", "rapier:multibody"] {
        let planned = planned(spec);
        let trial = run_trial(&planned, None);
        assert!(trial.outcome.is_finished(), "{spec}: {:?}", trial.outcome);
        let whole = bits(&trial, 0.0);

        // Step on demand, in uneven pieces.
        let mut session = open(&planned);
        let mut time = 0;
        for piece in [1_000_000, 7_000_000, 42_000_000, 200_000_000, 250_000_000] {
            time += piece;
            session.advance_to(time);
        }
        assert_eq!(bits(&session.finish(), 0.0), whole, "{spec}: stepped on demand");

        // Forked halfway into a freshly opened session.
        let mut first = open(&planned);
        first.advance_to(250_000_000);
        let blob = first.snapshot();
        let mut fork = open(&planned);
        fork.restore(&blob).unwrap();
        fork.advance_to(500_000_000);
        first.advance_to(500_000_000);
        let (first, fork) = (first.finish(), fork.finish());
        assert_eq!(bits(&first, 0.0), whole, "{spec}: saved on the way");
        assert_eq!(bits(&fork, 0.25), bits(&trial, 0.25), "{spec}: forked");

        // As a trial of its own that starts in the snapshot.
        let mut later = planned.clone();
        later.spec.start = Start::Snapshot { blob };
        assert_eq!(bits(&run_trial(&later, None), 0.25), bits(&trial, 0.25), "{spec}: begun in a snapshot");

        // As a user's controller: the same laws behind the trait, passed in from outside.
        let outside = run_with_controllers_from_outside(&planned);
        assert_eq!(bits(&outside, 0.0), whole, "{spec}: plugged in from outside");

        // Its own efforts replayed from the record.
        let replayed = run_recorded_efforts(&planned, &trial);
        assert_eq!(replayed, whole, "{spec}: replayed from its record");
        println!("ACCEPT one-controller: {spec}: six routes, {} numbers, identical bits", whole.len());
    }
}

/// Amplitude [rad], frequency [rad/s], Kp and Kv of the published study, in the order of the arm's joints.
const LAWS: [(&str, f64, f64, f64, f64); 6] = [
    ("shoulder_pan_joint", 2.5, 1.0, 300.0, 120.0),
    ("shoulder_lift_joint", 0.5, 2.0, 300.0, 120.0),
    ("elbow_joint", 1.6666666666666667, 0.6666666666666666, 60.0, 24.0),
    ("wrist_1_joint", 0.35714285714285715, 0.14285714285714285, 15.0, 6.0),
    ("wrist_2_joint", 0.45454545454545453, 0.18181818181818182, 15.0, 6.0),
    ("wrist_3_joint", 0.5769230769230769, 0.23076923076923078, 15.0, 6.0),
];

/// Runs the trial with a function in place of the scenario's controller.
fn run_function(planned: &Planned, function: impl Fn(i64, &Observation, &mut Command) + Send + 'static) -> Record {
    let make = |around: &Setup<'_>, _: &Sensing| {
        let channel = |(joint, ..): &(&str, f64, f64, f64, f64)| {
            let slot = around.layout.actuator(joint).expect("an actuator of the arm");
            (format!("actuators/{}", around.layout.actuators[slot]), String::new())
        };
        let command = Arc::new(ChannelLayout { channels: LAWS.iter().map(channel).collect() });
        let timing = Timing { period_ns: 1_000_000, phase_ns: 0, latency_ns: 0, deadline_ns: None };
        let controller = Box::new(Memoryless(function));
        Ok(vec![ControllerPart { name: "ours".to_string(), timing, controller, command, noise: Default::default() }])
    };
    let session = Session::open_with(planned.engine, &planned.settings, planned.setup.clone(), make);
    let mut session = session.map_err(|r| format!("{r:?}")).unwrap();
    session.advance_to(planned.setup.scenario.duration_ns);
    session.finish()
}

fn run_with_controllers_from_outside(planned: &Planned) -> Record {
    let layout = Layout::new(&planned.setup.scenario.world);
    // The ideal encoders come first in the observation, all positions and velocities of a joint together.
    let joint = move |name: &str| layout.joint(name).map(|slot| layout.joints[slot].name.clone()).unwrap();
    let names: Vec<String> = LAWS.iter().map(|(name, ..)| joint(name)).collect();
    run_function(planned, move |time_ns, seen, command| {
        let time = time_ns as f64 / 1e9;
        for (i, (_, amplitude, omega, kp, kv)) in LAWS.iter().enumerate() {
            let read =
                |what: &str| seen.values[seen.layout.place(&format!("{}/{what}", names[i])).expect("an encoder")];
            let (sin, cos) = libm::sincos(omega * time + omega * 0.001);
            let (target, speed) = (0.0 + amplitude * sin, amplitude * cos);
            command.values[i] = kp * (target - read("position")) + kv * (speed - read("velocity")) + 0.0;
        }
    })
}

/// Replays the commands of a record.
fn run_recorded_efforts(planned: &Planned, trial: &Record) -> Vec<u64> {
    let commands: Vec<Vec<f64>> = LAWS
        .iter()
        .map(|(joint, ..)| {
            let ends = format!("/{joint}");
            let fits = |s: &&veracity_record::Signal| s.name.starts_with("commands/") && s.name.ends_with(&ends);
            trial.track.signals.iter().find(fits).expect("a recorded command").values.clone()
        })
        .collect();
    let replayed = run_function(planned, move |time_ns, _, command| {
        // A row holds the command that was active in the interval that ends there.
        let row = (time_ns / 1_000_000 + 1) as usize;
        for (value, column) in command.values.iter_mut().zip(&commands) {
            *value = column[row.min(column.len() - 1)];
        }
    });
    bits(&replayed, 0.0)
}

#[test]
fn a_fork_between_two_activations_of_a_slow_controller_keeps_what_it_holds() {
    // Directly on the joints, so that no controller requests a tick at every step.
    let mut slow = planned("native");
    let mut scenario = (*slow.setup.scenario).clone();
    let controller = &mut scenario.controllers[0];
    controller.rate_hz = Some(100.0);
    controller.joints = std::mem::take(&mut controller.actuators);
    slow.setup.scenario = Arc::new(scenario);
    let mut first = open(&slow);
    first.advance_to(253_000_000);
    let blob = first.snapshot();
    let mut fork = open(&slow);
    fork.restore(&blob).unwrap();
    for session in [&mut first, &mut fork] {
        session.advance_to(300_000_000);
    }
    assert_eq!(bits(&fork.finish(), 0.253), bits(&first.finish(), 0.253));
}

#[test]
fn damaged_and_foreign_snapshots_are_refused() {
    let (one, other) = (planned("native"), planned("native:integrator=euler"));
    let mut session = open(&one);
    session.advance_to(10_000_000);
    let blob = session.snapshot();
    assert!(open(&other).restore(&blob).unwrap_err().contains("another scenario, engine"));
    let mut fresh = open(&one);
    for cut in (0..blob.len()).step_by(7) {
        assert!(fresh.restore(&blob[..cut]).is_err(), "cut at {cut}");
    }
    fresh.restore(&blob).unwrap();
}
