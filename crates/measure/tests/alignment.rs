//! At which instants a record and a reference are compared, and what is reported where one of them has no data.

mod synthetic;

use synthetic::*;
use veracity_measure::{CannotTell, Measured, Options, Quantity, Truth, TruthChannel, Verdict, judge, metrics};
use veracity_record::Outcome;

fn measure(name: &str, case: &Case, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    (metrics::find(name).unwrap().measure)(&case.subject(), truth, options)
}

fn joint_error(case: &Case, truth: &Truth, options: &Options) -> Result<Measured, CannotTell> {
    measure("joint_error", case, Some(truth), options)
}

/// The swing's angle and speed as a reference at other instants.
fn swing_at(times: &[f64], later: f64) -> Truth {
    let mut simulation = veracity_dynamics::SmoothSimulation::new(
        veracity_dynamics::System::new(&pendulum_world(0.0)).unwrap(),
        "dop853",
        veracity_dynamics::integrate::IntegratorSettings::default(),
    )
    .unwrap();
    simulation.set_state(0.0, &[1.0], &[0.0]).unwrap();
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for t in times {
        simulation.advance_to(t + later, &mut veracity_dynamics::NoEfforts).unwrap();
        q.push(simulation.state().q[0]);
        v.push(simulation.state().v[0]);
    }
    let channel = |quantity, values| TruthChannel {
        quantity,
        times: times.to_vec(),
        values,
        uncertainty: vec![0.0; times.len()],
        parts_at_s: None,
    };
    let channels = vec![channel(Quantity::JointPosition(0), q), channel(Quantity::JointSpeed(0), v)];
    Truth { name: "swing".to_string(), source: "converged".to_string(), channels }
}

fn only_positions(mut truth: Truth) -> Truth {
    truth.channels.truncate(1);
    truth
}

/// Two runs of the adaptive integrator that stop at different instants differ by its tolerance.
const SAME_MOTION: f64 = 1e-11;

#[test]
fn a_log_that_is_a_step_behind_is_met_with_an_offset() {
    // Row t of the published log is the state one step of 1 ms earlier.
    let swing = pendulum(0.01, 201);
    let log = swing_at(&[0.5, 1.0, 1.5], -0.001);
    let plain = joint_error(&swing, &log, &Options::default()).unwrap();
    // Up to 3 rad/s for a millisecond.
    assert!(plain.value > 5e-4 && plain.value < 4e-3, "{}", plain.value);
    let met = joint_error(&swing, &log, &Options { time_offset_s: -0.001, ..Options::default() }).unwrap();
    assert!(met.value <= met.uncertainty + SAME_MOTION && met.uncertainty < 1e-7, "{met:?}");
    assert!(plain.value > 1000.0 * met.uncertainty);
}

#[test]
fn a_list_of_values_is_met_at_its_instants_and_nowhere_else() {
    let swing = pendulum(0.01, 201);
    let list = only_positions(swing_at(&[0.5, 1.0, 1.5], 0.0));
    let found = joint_error(&swing, &list, &Options::default()).unwrap();
    assert_eq!(found.series.len(), 3);
    assert!(found.value < SAME_MOTION && found.uncertainty == 0.0);
    let refused = joint_error(&swing, &list, &Options { at_s: vec![0.7], ..Options::default() }).unwrap_err();
    assert!(refused.0.contains("list of 3 values"), "{refused}");
}

#[test]
fn a_denser_reference_is_met_at_the_rows_of_the_record() {
    let swing = pendulum(0.01, 201);
    let dense = swing_at(&times(0.001, 2001), 0.0);
    let found = joint_error(&swing, &dense, &Options::default()).unwrap();
    assert_eq!(found.series.len(), 201);
    assert!(found.value < SAME_MOTION && found.uncertainty == 0.0, "{} ± {}", found.value, found.uncertainty);
    // Instants that coincide with no row: the reference is interpolated, and the uncertainty covers the interpolation
    // error.
    let shifted: Vec<f64> = times(0.001, 2003).iter().skip(1).map(|t| t - 0.0007).collect();
    let beside = swing_at(&shifted, 0.0);
    let options = Options { from_s: Some(0.001), ..Options::default() };
    let found = joint_error(&swing, &beside, &options).unwrap();
    assert_eq!(found.series.len(), 200);
    assert!(found.value <= found.uncertainty + SAME_MOTION && found.uncertainty < 1e-9, "{:?}", found.value);
}

#[test]
fn a_sparser_reference_is_met_at_its_own_instants() {
    let swing = pendulum(0.01, 201);
    let beside = swing_at(&times(0.0333, 50), 0.0);
    let found = joint_error(&swing, &beside, &Options::default()).unwrap();
    assert_eq!(found.series.len(), 50);
    // Hermite's cubic over 10 ms: h⁴/384 of the fourth derivative, about 100 rad/s⁴; the uncertainty is at most forty
    // times it.
    assert!(found.value <= found.uncertainty && found.uncertainty < 40.0 * 100.0 * 1e-8 / 384.0, "{found:?}");
}

#[test]
fn a_record_that_ends_early_is_not_let_off() {
    let mut short = pendulum(0.01, 101);
    let truth = swing_at(&times(0.01, 201), 0.0);
    // A record that was meant to be this short is measured to its end; single values beyond it are still required.
    assert!(joint_error(&short, &truth, &Options::default()).unwrap().value < SAME_MOTION);
    assert!(joint_error(&short, &only_positions(swing_at(&[0.5, 1.5], 0.0)), &Options::default()).is_err());
    short.record.head.duration_s = 2.0;
    let refused = joint_error(&short, &truth, &Options::default()).unwrap_err();
    assert!(refused.0.contains("simulate longer"), "{refused}");
    let inside = joint_error(&short, &truth, &Options { until_s: Some(1.0), ..Options::default() }).unwrap();
    assert!(inside.value < SAME_MOTION);

    let mut broken = short.clone();
    broken.record.outcome = Outcome::BrokeDown { time: 1.004, reason: "the step became zero".to_string() };
    broken.record.head.duration_s = 2.0;
    let found = joint_error(&broken, &truth, &Options::default()).unwrap();
    assert_eq!((found.value, found.at_s), (f64::INFINITY, Some(1.004)));
    let judged = judge(Ok(found), 1e3, "rad");
    assert_eq!(judged.verdict, Verdict::Rejected);
    assert!(judged.reason.contains("the step became zero"), "{}", judged.reason);
    // Evaluated only before the breakdown, the error is unchanged.
    let before = joint_error(&broken, &truth, &Options { until_s: Some(1.0), ..Options::default() }).unwrap();
    assert!(before.value < SAME_MOTION);
    // Metrics without a reference report it too.
    for name in ["energy_error", "constraint_violation", "period"] {
        let found = measure(name, &broken, None, &Options::default()).unwrap();
        assert_eq!(found.value, f64::INFINITY, "{name}");
    }
}

#[test]
fn what_is_not_a_number_is_rejected_at_the_instant_it_was_lost() {
    let lost = pendulum(0.01, 201).with(|t| {
        for row in 150..201 {
            (t.q[row], t.v[row]) = (f64::NAN, f64::NAN);
            t.poses[row * 7..(row + 1) * 7].fill(f64::NAN);
            t.twists[row * 6..(row + 1) * 6].fill(f64::NAN);
        }
    });
    let truth = truth_of(
        &pendulum(0.01, 201),
        &[Quantity::JointPosition(0), Quantity::Point { body: 0, point: [0.0, 0.0, -1.0] }],
    );
    for name in ["joint_error", "position_error", "energy_error", "constraint_violation", "constraint_angle"] {
        let found = measure(name, &lost, Some(&truth), &Options::default()).unwrap();
        assert!(found.value.is_nan(), "{name}: {}", found.value);
        assert_eq!(found.at_s, Some(1.5), "{name}");
        assert_eq!(judge(Ok(found), f64::INFINITY, "").verdict, Verdict::Rejected);
    }
}

#[test]
fn the_references_own_error_is_part_of_the_uncertainty() {
    let swing = pendulum(0.01, 201);
    let mut truth = swing_at(&[0.5, 1.0], 0.0);
    truth.channels[0].uncertainty = vec![1e-3, 2e-3];
    let found = joint_error(&swing, &truth, &Options::default()).unwrap();
    assert!((found.uncertainty - 2e-3).abs() < 1e-9, "{found:?}");
    assert_eq!(judge(Ok(found), 1e-3, "rad").verdict, Verdict::CannotTell);
}

#[test]
fn what_is_not_known_is_said_with_what_is() {
    let swing = pendulum(0.01, 11);
    let truth = only_positions(swing_at(&[0.05], 0.0));
    let refused = measure("position_error", &swing, Some(&truth), &Options::default()).unwrap_err();
    assert!(refused.0.contains("it has: position of joint pendulum/hinge"), "{refused}");
    let wrong = Options { of: Some("elbow".to_string()), ..Options::default() };
    let refused = joint_error(&swing, &truth, &wrong).unwrap_err();
    assert!(refused.0.contains("no joint 'elbow'"), "{refused}");
    let refused = measure("joint_error", &swing, None, &Options::default()).unwrap_err();
    assert!(refused.0.contains("no reference"), "{refused}");
    // A recording of joints alone has no bodies to measure.
    let joints = swing.with(|t| (t.bodies, t.poses, t.twists) = (0, Vec::new(), Vec::new()));
    let refused = measure("constraint_violation", &joints, None, &Options::default()).unwrap_err();
    assert!(refused.0.contains("holds no poses"), "{refused}");
    assert!(joint_error(&joints, &truth, &Options::default()).is_ok());
}
