//! Nothing creeps, sinks or drifts.

use crate::support::{Run, Scene, balls, full_size};
use veracity_contact::SteppingSettings;
use veracity_dynamics::ConstantEfforts;
use veracity_model::geometry::at;
use veracity_model::{Inertia, Joint, JointKind, Pose, Shape, Vec3};

/// A 45 g capsule of 1 cm radius held by two pads on sliders, with friction for `margin` times its weight. Returns its
/// slip speed [m/s].
fn pinched_capsule(margin: f64, anchor: bool, seconds: f64) -> f64 {
    let mut scene = Scene::rubbing(0.8);
    for x in [-0.03, 0.03] {
        let size = Vec3::new(0.04, 0.06, 0.06);
        let joint = Joint::new("", JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 0.0));
        scene.jointed(Inertia::solid_box(0.2, size), Shape::Box { size }, joint);
    }
    let (radius, length) = (0.01, 0.04);
    scene.loose(Inertia::solid_cylinder(0.045, radius, length), Shape::Capsule { radius, length }, Pose::identity());
    let force = margin * 0.045 * 9.81 / (2.0 * 0.8);
    let mut run = Run::new(&scene.world(), SteppingSettings { anchor, ..Default::default() });
    run.efforts = Box::new(ConstantEfforts(vec![force, -force, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    // Motion while the grip closes is not creep.
    run.run(1e-3, 100);
    let before = run.motions()[2].world_from_body.translation.vector;
    run.run(1e-3, (seconds / 1e-3) as usize);
    (run.motions()[2].world_from_body.translation.vector - before).norm() / seconds
}

#[test]
fn a_pinched_capsule_does_not_creep() {
    let seconds = if full_size() { 100.0 } else { 5.0 };
    let mut text = String::new();
    for margin in [1.01, 2.0, 20.0, 95.0] {
        let with = pinched_capsule(margin, true, seconds);
        let without = pinched_capsule(margin, false, seconds);
        assert!(with < 1e-8, "margin {margin}: {with} m/s");
        text += &format!(" {margin}: {:.1e} um/s (without anchoring {:.1e})", with * 1e6, without * 1e6);
    }
    println!("ACCEPT creep: pinched capsule over {seconds} s at margins{text}");
    // The check can fail: with less friction than its weight the capsule slides out.
    assert!(pinched_capsule(0.9, true, 0.1) > 1e-8);
}

#[test]
fn a_heavy_box_on_a_light_one_does_not_sink() {
    let seconds = if full_size() { 100.0 } else { 2.0 };
    let mut scene = Scene::rubbing(0.5);
    scene.ground(Pose::identity());
    let size = Vec3::repeat(0.1);
    scene.loose(Inertia::solid_box(1e-3, size), Shape::Box { size }, at(0.0, 0.0, 0.05));
    scene.loose(Inertia::solid_box(1e3, size), Shape::Box { size }, at(0.0, 0.0, 0.15));
    let mut run = Run::new(&scene.world(), SteppingSettings::default());
    run.run(1e-3, (seconds / 1e-3) as usize);
    let sunk = 0.15 - run.motions()[2].world_from_body.translation.z;
    println!("ACCEPT mass-ratio: 1e6 on one, {seconds} s: sinks {sunk:.1e} m");
    assert!(sunk.abs() < 1e-6, "{sunk}");
}

#[test]
fn a_cube_at_rest_stays() {
    let seconds = if full_size() { 36_000.0 } else { 30.0 };
    let mut scene = Scene::rubbing(0.5);
    scene.ground(Pose::identity());
    let size = Vec3::repeat(0.1);
    scene.loose(Inertia::solid_box(1.0, size), Shape::Box { size }, at(0.3, 0.2, 0.05));
    let mut run = Run::new(&scene.world(), SteppingSettings::default());
    let start = run.motions()[1].world_from_body;
    run.run(1e-3, (seconds / 1e-3) as usize);
    let end = run.motions()[1].world_from_body;
    let moved = (end.translation.vector - start.translation.vector).norm();
    println!(
        "ACCEPT long-rest: cube for {seconds} s at 1 ms: moved {moved:.1e} m, turned {:.1e} rad",
        end.rotation.angle_to(&start.rotation)
    );
    assert!(moved < 1e-9, "{moved}");
}

#[test]
fn a_heap_of_balls_does_not_sink_into_itself() {
    let (n, seconds) = if full_size() { (6, 10.0) } else { (3, 2.0) };
    let world = balls(n, 0.1, 10.0, 0.0, 0.21, 0.101, 1e-3);
    let mut run = Run::new(&world, SteppingSettings::default());
    let mut worst = 0.0f64;
    for step in 0..(seconds / 1e-3) as usize {
        run.step(1e-3);
        if step as f64 * 1e-3 >= 0.8 * seconds && step % 20 == 0 {
            worst = worst.max(run.deepest());
        }
    }
    println!(
        "ACCEPT six-six-six: {n} x {n} x {n} balls, {seconds} s at 1 ms: deepest overlap in the last fifth {worst:.1e} m"
    );
    assert!(worst < 1e-6, "{worst}");
}
