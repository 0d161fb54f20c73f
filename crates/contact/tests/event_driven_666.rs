//! Elastic 666: six by six by six lossless balls fall on the ground (SimBenchmark). Event driven.

mod scenes;

use scenes::*;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings};
use veracity_dynamics::{NoEfforts, Workspace, energy::energy};
use veracity_model::{Inertia, Shape, Vec3};

/// Largest relative change of energy over a time, and the number of impacts.
fn worst_energy_error(side: usize, duration: f64, restitution: f64) -> (f64, u64) {
    let radius = 0.1;
    let ball = |i: usize| body(&format!("b{i}"), Inertia::solid_sphere(10.0, radius), Shape::Sphere { radius });
    let world = on_floor((0..side * side * side).map(ball).collect(), surface(0.0, restitution));
    let mut engine = EventDriven::new(world, EventDrivenSettings::default()).unwrap();
    let mut random = Lcg::new(666);
    let mut places = Vec::new();
    for k in 0..side {
        for j in 0..side {
            for i in 0..side {
                let at = Vec3::new(0.21 * i as f64, 0.21 * j as f64, 1.101 + 0.21 * k as f64);
                let off = Vec3::new(random.number(), random.number(), random.number()) * 1e-3;
                places.push((at + off, Vec3::zeros(), Vec3::zeros()));
            }
        }
    }
    let mut state = start(&engine, &places);
    let system = engine.world().system.clone();
    let mut ws = Workspace::new(&system);
    let begin = energy(&system, &mut ws, &state.q, &state.v).total();
    let mut worst = 0.0_f64;
    while engine.advance_to_event(&mut NoEfforts, &mut state, duration).unwrap() {
        let now = energy(&system, &mut ws, &state.q, &state.v).total();
        worst = worst.max((now / begin - 1.0).abs());
    }
    (worst, engine.counts().impacts)
}

#[test]
fn elastic_balls_keep_their_energy() {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let (side, duration) = if full { (6, 10.0) } else { (3, 1.0) };
    let (worst, impacts) = worst_energy_error(side, duration, 1.0);
    println!("ACCEPT event-666: energy {worst:.1e} of itself over {duration} s, {impacts} impacts of {side}³ balls");
    assert!(worst < 1e-6, "{worst}");
}

/// The mutation: balls that return a thousandth less lose more than the claim allows.
#[test]
fn balls_that_are_not_elastic_are_found_out() {
    assert!(worst_energy_error(2, 1.0, 0.999).0 > 1e-6);
}
