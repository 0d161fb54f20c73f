//! Worlds of many bodies: the cost of checking and loading one grows linearly with the number of bodies.
//!
//! Alone in its test program, because its memory is counted.

mod support;

use std::sync::Arc;
use support::{ENGINES, full_size, study};
use veracity_check::{Verdict, inspect_world};
use veracity_counting::{Counting, peak_bytes};
use veracity_lab::{Session, SessionSetup};
use veracity_model::geometry::at;
use veracity_model::{Body, BodyShape, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, World};
use veracity_scenario::Scenario;

#[global_allocator]
static MEMORY: Counting = Counting;

const RADIUS: f64 = 0.05;

/// Free balls in a cubic grid over a plane.
fn balls(count: usize) -> World {
    let mut builder = ModelBuilder::new("balls");
    let side = (count as f64).cbrt().ceil() as usize;
    for i in 0..count {
        let place = [i % side, i / side % side, i / side / side].map(|k| 4.0 * RADIUS * k as f64);
        let mut ball = Body::new(format!("ball{i}"), Inertia::solid_sphere(1.0, RADIUS));
        ball.shapes.push(BodyShape::new("ball", Shape::Sphere { radius: RADIUS }, Pose::identity()));
        let joint = Joint::new(format!("free{i}"), JointKind::Free).at(at(place[0], place[1], 1.0 + place[2]));
        builder.add_body(ball, joint, None);
    }
    let mut floor = Body::new("floor", Inertia::zero());
    floor.shapes.push(BodyShape::new("floor", Shape::Plane, Pose::identity()));
    builder.add_body(floor, Joint::new("held", JointKind::Fixed), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = true;
    world
}

fn scenario(world: World) -> Scenario {
    let mut made = (*study(&["simple_pendulum"], &["native"]).scenarios[0]).clone();
    made.q = world.placements[0].model.initial_positions();
    made.v = vec![0.0; world.placements[0].model.dof_count()];
    made.world = Arc::new(world);
    (made.controllers, made.sensors) = (Vec::new(), Vec::new());
    made.references.clear();
    made.checks.clear();
    made
}

/// Checks a world and loads it into the native engine; returns CPU time [s] and memory [bytes] of both together.
fn check_and_load(count: usize) -> (f64, f64) {
    let scenario = Arc::new(scenario(balls(count)));
    let before = cpu_s();
    let (_, peak) = peak_bytes(|| {
        let report = inspect_world(&scenario.world);
        assert_eq!(report.verdict, Some(Verdict::Accepted), "{:?}", report.reasons);
        let setup = SessionSetup {
            step_ns: scenario.step_ns,
            scenario: Arc::clone(&scenario),
            overrides: Vec::new(),
            seed: 0,
            index: 0,
        };
        let settings = ENGINES[0].resolve(&"native".parse().unwrap()).unwrap();
        let mut session = Session::open(ENGINES[0], &settings, setup).unwrap_or_else(|r| panic!("{r:?}"));
        session.advance_to(scenario.step_ns);
        assert_eq!(session.outcome(), None);
    });
    (cpu_s() - before, peak as f64)
}

#[test]
fn ten_thousand_free_spheres_check_and_load_in_seconds_and_little_memory() {
    if full_size() {
        let (cpu_s, peak) = check_and_load(10_000);
        println!("ACCEPT many-spheres: 10000 free spheres, {cpu_s:.1} s of CPU time, {:.0} MB", peak / 1e6);
        // Zero where the kernel reports no CPU time.
        assert!(cpu_s > 0.0 && cpu_s < 10.0 && peak < 1e9, "{cpu_s} s, {peak} bytes");
        return;
    }
    let ((_, small), (_, large)) = (check_and_load(250), check_and_load(1000));
    println!(
        "ACCEPT many-spheres: short form, 250 spheres {:.1} MB, 1000 spheres {:.1} MB",
        small / 1e6,
        large / 1e6
    );
    // Four times as many bodies, four times the memory; a dense mass matrix alone would be sixteen times as large.
    // Nearly all of it is space for the record's rows, which is reserved up to 256 MB.
    assert!(large < 6.0 * small && large < 4e8, "{small} to {large} bytes");
}

/// CPU time of this thread [s].
fn cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
