//! The simple pendulum from horizontal (IFToMM A01), compared with elliptic functions.

mod support;

use support::observed_order;
use veracity_dynamics::integrate::{INTEGRATORS, IntegratorSettings};
use veracity_dynamics::{GuardFunction, NoEfforts, SmoothSimulation, System};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

/// Bob at +x when q = 0; q grows downwards (rotation about +y takes x to -z).
fn pendulum() -> System {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    System::from_model(&builder.build().unwrap(), Vec3::new(0.0, 0.0, -9.81)).unwrap()
}

const PERIOD: f64 = 2.36784194757624;
const PLACES: [(f64, f64, f64); 3] = [
    (0.5, 0.391048791550546, -0.920369948785192),
    (1.0, -0.986291751131875, -0.165010853125541),
    (10.0, 0.275087462576117, -0.961419205099125),
];

#[test]
fn the_adaptive_integrator_meets_the_elliptic_functions() {
    let mut simulation = SmoothSimulation::new(pendulum(), "dop853", IntegratorSettings::default()).unwrap();
    let mut worst = 0.0f64;
    for (time, x, z) in PLACES {
        simulation.advance_to(time, &mut NoEfforts).unwrap();
        let q = simulation.state().q[0];
        worst = worst.max((q.cos() - x).abs()).max((-q.sin() - z).abs());
    }
    println!("ACCEPT pendulum-position: {worst:.1e} m");
    assert!(worst < 1e-10, "{worst:e}");
}

#[test]
fn the_period_is_found_as_an_event() {
    let mut simulation = SmoothSimulation::new(pendulum(), "dop853", IntegratorSettings::default()).unwrap();
    // It comes to rest after each half swing; the second rest is one period after the start.
    let speed = |s: &veracity_dynamics::integrate::State| s.v[0];
    let guards = [GuardFunction { function: &speed, direction: 0 }];
    simulation.advance_to(0.1, &mut NoEfforts).unwrap();
    let half = simulation.advance_until(10.0, &guards, &mut NoEfforts).unwrap().unwrap();
    simulation.advance_to(half.time + 0.1, &mut NoEfforts).unwrap();
    let full = simulation.advance_until(10.0, &guards, &mut NoEfforts).unwrap().unwrap();
    println!("ACCEPT pendulum-period: {:.14} s, off by {:.1e}", full.time, full.time - PERIOD);
    assert!((full.time - PERIOD).abs() < 1e-10, "{}", full.time);
    assert!((half.time - 0.5 * PERIOD).abs() < 1e-10);
    assert!(full.uncertainty_s < 1e-14);
}

#[test]
fn every_integrator_has_its_order_on_the_pendulum() {
    let system = pendulum();
    for entry in INTEGRATORS.iter().filter(|e| !e.adaptive) {
        let steps: Vec<f64> = (0..4).map(|k| 0.02 / f64::from(1 << k)).collect();
        let errors: Vec<f64> = steps
            .iter()
            .map(|&step_s| {
                let settings = IntegratorSettings { step_s, ..Default::default() };
                let mut s = SmoothSimulation::new(system.clone(), entry.name, settings).unwrap();
                s.advance_to(1.0, &mut NoEfforts).unwrap();
                (s.state().q[0].cos() - PLACES[1].1).abs()
            })
            .collect();
        let order = observed_order(&steps, &errors);
        println!("ACCEPT order-pendulum-{}: {order:.2}", entry.name);
        // The asymptotic order shows to a tenth or two at these steps.
        assert!((order - f64::from(entry.order)).abs() < 0.2, "{}: {order} from {errors:?}", entry.name);
    }
}

#[test]
fn without_gravity_the_check_fails() {
    let mut builder = ModelBuilder::new("weightless");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    let system = System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap();
    let mut simulation = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    simulation.advance_to(0.5, &mut NoEfforts).unwrap();
    assert!((simulation.state().q[0].cos() - PLACES[0].1).abs() > 0.1);
}
