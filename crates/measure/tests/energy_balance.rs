//! Energy and momentum are balanced where possible; where not, the metric says so.

mod synthetic;

use synthetic::*;
use veracity_dynamics::{SmoothSimulation, System, integrate::IntegratorSettings};
use veracity_measure::{Measured, Options, metrics};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
use veracity_record::{ContactSample, Signal};

fn energy_error(case: &Case) -> Measured {
    let metric = metrics::find("energy_error").unwrap();
    (metric.measure)(&case.subject(), None, &Options::default()).unwrap()
}

fn refused(name: &str, case: &Case) -> String {
    (metrics::find(name).unwrap().measure)(&case.subject(), None, &Options::default()).unwrap_err().0
}

/// The value is within the uncertainty, and the uncertainty is below `claim`.
fn balanced(found: &Measured, claim: f64) {
    assert!(found.value <= found.uncertainty + 1e-11, "{} beyond ± {}", found.value, found.uncertainty);
    assert!(found.uncertainty <= claim, "± {}", found.uncertainty);
}

#[test]
fn damping_is_balanced_and_its_absence_shows() {
    let swing = simulated(&pendulum_world(0.3), (&[1.0], &[0.0]), &[], 0.01, 301);
    // The cubic through four rows 10 ms apart, of a power that changes within half a second.
    balanced(&energy_error(&swing), 1e-5);
    // An engine that loses energy although the world has no losses.
    let lossless = swing.in_world(|w| *w = pendulum_world(0.0));
    assert!(energy_error(&lossless).value > 0.5);
}

#[test]
fn a_motor_does_its_work() {
    let push = simulated(&pendulum_world(0.0), (&[0.3], &[0.0]), &[2.5], 0.01, 201);
    balanced(&energy_error(&push), 1e-12);
    let idle = push.with(|t| t.efforts.fill(0.0));
    assert!(energy_error(&idle).value > 0.3);
}

#[test]
fn a_sampled_controller_is_balanced_to_what_its_rows_tell() {
    // PD to 0.5 rad at 1 kHz, held in between; rows at 100 Hz hold every tenth effort, as engines write them.
    let world = pendulum_world(0.0);
    let mut simulation =
        SmoothSimulation::new(System::new(&world).unwrap(), "dop853", IntegratorSettings::default()).unwrap();
    simulation.set_state(0.0, &[-0.5], &[0.0]).unwrap();
    let (mut tick, mut effort, mut efforts) = (0u32, 0.0, Vec::new());
    let mut case = record_of(world, &times(0.01, 301), |t| {
        while f64::from(tick) * 1e-3 < t - 1e-9 {
            let state = simulation.state();
            effort = 40.0 * (0.5 - state.q[0]) - 4.0 * state.v[0];
            tick += 1;
            let mut held = veracity_dynamics::ConstantEfforts(vec![effort]);
            simulation.advance_to(f64::from(tick) * 1e-3, &mut held).unwrap();
        }
        efforts.push(effort);
        (simulation.state().q.clone(), simulation.state().v.clone())
    });
    case.record.track.efforts = efforts;
    // Had the controller acted at 100 Hz, half of the change of the effort in 10 ms would have done different work: a
    // tenth of the energy of motion. The truth, at 1 kHz, is a tenth of that from the mean.
    let found = energy_error(&case);
    balanced(&found, 0.15);
    assert!(found.value < 0.02, "{}", found.value);
    let weaker = case.with(|t| t.efforts.iter_mut().for_each(|e| *e *= 0.7));
    assert!(energy_error(&weaker).value > found.value + found.uncertainty);
}

#[test]
fn energy_is_that_of_the_bodies_and_not_of_the_joint_positions() {
    // The bob a millimetre higher than its joint says: m g h, of the 9.81 (1 - cos 1) J in motion.
    let raised = pendulum(0.01, 201).with(|t| shift(t, 100, 0, [0.0, 0.0, 1e-3]));
    let found = energy_error(&raised);
    let expected = 9.81e-3 / (9.81 * (1.0 - libm::cos(1.0)));
    assert!((found.value - expected).abs() < 1e-3 * expected, "{} and not {expected}", found.value);
}

#[test]
fn what_an_engine_says_of_its_energy_stands_beside() {
    let mut fall = falling(0.01, 101);
    let said: Vec<f64> = (0..101).map(|i| 7.0 - 0.01 * f64::from(i)).collect();
    fall.record.track.signals.push(Signal { name: "engine/energy_J".into(), unit: "J".into(), values: said });
    let found = energy_error(&fall);
    assert!(found.value < 1e-13);
    // It reports a loss of one joule, of the 2 · 9.81² / 2 in motion.
    assert!((found.said_by_engine.unwrap() - 1.0 / (9.81 * 9.81)).abs() < 1e-12, "{found:?}");
}

#[test]
fn what_cannot_be_balanced_is_not() {
    let swing = pendulum(0.01, 101);
    let mut touched = swing.clone();
    touched.record.contacts.push(ContactSample {
        time: 0.1,
        body_a: Some(0),
        body_b: None,
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        gap: 0.0,
        impulse: [0.0; 3],
    });
    assert!(refused("energy_error", &touched).contains("bodies touched"));
    let stopped = swing.in_world(|w| {
        let mut builder = ModelBuilder::new("pendulum");
        let model = &w.placements[0].model;
        builder.add_body(model.bodies()[0].clone(), model.joints()[0].clone().each_dof(|d| d.upper = 0.9), None);
        w.placements[0].model = std::sync::Arc::new(builder.build().unwrap());
    });
    assert!(refused("energy_error", &stopped).contains("reached its limit"));
    let silent = swing.with(|t| t.efforts.fill(f64::NAN));
    assert!(refused("energy_error", &silent).contains("does not report the efforts"));
    let mut pushed = swing.clone();
    let (name, unit) = ("commands/wind/forces/bob/x".to_string(), "N".to_string());
    pushed.record.track.signals.push(Signal { name, unit, values: vec![1.0; 101] });
    assert!(refused("energy_error", &pushed).contains("commands/wind/forces/bob/x"));
    assert!(refused("momentum_error", &swing).contains("holds it to the ground"));
}

#[test]
fn bodies_that_only_fall_are_not_blamed_for_their_last_bits() {
    // Angular velocities of 1e-16 rad/s during a fall at 9.81 m/s: rounding, not a violation.
    let fall = falling(0.01, 101).with(|t| (0..t.rows()).for_each(|r| t.twists[6 * r] = 1e-16 * (r % 3) as f64));
    let metric = metrics::find("momentum_error").unwrap();
    let found = (metric.measure)(&fall.subject(), None, &Options::default()).unwrap();
    assert!(found.value < 1e-9, "{} {}", found.value, found.note);
    // An angular velocity of 1e-3 rad/s that appears and disappears is a violation.
    let spun = falling(0.01, 101).with(|t| t.twists[6 * 50] = 1e-3);
    let found = (metric.measure)(&spun.subject(), None, &Options::default()).unwrap();
    assert!(found.value > 0.1, "{} {}", found.value, found.note);
}

#[test]
fn a_body_at_rest_has_no_energy_to_be_relative_to() {
    let rest = simulated(&pendulum_world(0.0), (&[0.0], &[0.0]), &[], 0.01, 11);
    assert_eq!(energy_error(&rest).value, 0.0);
    // The last bits of a height are not motion.
    let trembling = rest.with(|t| shift(t, 5, 0, [0.0, 0.0, 1e-16]));
    assert!(refused("energy_error", &trembling).contains("give `scale`"));
}

/// Three bars on two hinges, floating: damping, a spring and a motor between them.
fn floating_bars() -> World {
    let mut builder = ModelBuilder::new("bars");
    let bar = |name: &str| {
        let inertia = Inertia::solid_box(1.0, Vec3::new(0.5, 0.1, 0.05));
        Body::new(name, Inertia { com: Vec3::new(0.25, 0.0, 0.0), ..inertia })
    };
    let root = builder.add_body(bar("a"), Joint::new("free", JointKind::Free), None);
    let hinge = |name: &str, axis: Vec3| {
        let joint = Joint::new(name, JointKind::revolute(axis)).at(at(0.5, 0.0, 0.0));
        joint.each_dof(|d| (d.damping, d.stiffness) = (0.2, 3.0))
    };
    let second = builder.add_body(bar("b"), hinge("one", Vec3::z()), Some(root));
    builder.add_body(bar("c"), hinge("two", Vec3::new(0.0, 1.0, 1.0)), Some(second));
    World::with_model(builder.build().unwrap())
}

#[test]
fn forces_between_bodies_change_no_momentum_and_are_balanced_in_energy() {
    let world = floating_bars();
    let v = [0.3, -0.2, 1.0, 0.5, 0.0, 2.0, 1.0, -2.0];
    let mut q = world.placements[0].model.neutral_positions();
    (q[0], q[7], q[8]) = (3.0, 0.4, -0.8);
    let case = simulated(&world, (&q, &v), &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.7, -0.4], 0.01, 201);
    let metric = metrics::find("momentum_error").unwrap();
    for of in [None, Some("linear"), Some("angular")] {
        let options = Options { of: of.map(str::to_string), ..Options::default() };
        let found = (metric.measure)(&case.subject(), None, &options).unwrap();
        // The integrator's own tolerance over two seconds.
        assert!(found.value < 1e-10, "{of:?}: {} {}", found.value, found.note);
    }
    balanced(&energy_error(&case), 1e-5);
    // One bar a tenth too heavy: its share of the momentum is wrong, and changes.
    let heavy = case.in_world(|w| {
        let path = "world/bars/bodies/c/mass";
        *w = w.with(&veracity_model::Overrides::new().set(path, 1.1)).unwrap();
    });
    let found = (metric.measure)(&heavy.subject(), None, &Options::default()).unwrap();
    assert!(found.value > 1e-3, "{}", found.value);
}
