//! Motions with a closed form.

use crate::support::{Run, Scene};
use veracity_contact::SteppingSettings;
use veracity_contact::stepping::{Impact, Pressure};
use veracity_model::geometry::at;
use veracity_model::{Inertia, Material, Pose, Shape, Vec3};

const G: f64 = 9.81;

fn ball(material: Material, height: f64) -> Run {
    let mut scene = Scene::new(material);
    scene.ground(Pose::identity());
    scene.loose(Inertia::solid_sphere(1.0, 0.1), Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, height));
    Run::new(&scene.world(), SteppingSettings::default())
}

/// Highest point after the first bounce, minus the radius [m].
fn apex(e: f64, h: f64, impact: Impact) -> f64 {
    let mut scene = Scene::new(Material { restitution: e, ..Material::default() });
    scene.ground(Pose::identity());
    scene.loose(Inertia::solid_sphere(1.0, 0.1), Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, 1.1));
    let mut run = Run::new(&scene.world(), SteppingSettings { impact, ..Default::default() });
    let (mut highest, mut bounced) = (0.0f64, false);
    for _ in 0..(1.2 / h) as usize {
        run.step(h);
        let motion = run.motions()[1];
        bounced |= motion.linear_velocity.z > 0.0;
        if bounced {
            highest = highest.max(motion.world_from_body.translation.z - 0.1);
        }
    }
    highest
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height() {
    for impact in [Impact::Newton, Impact::Poisson] {
        for e in [0.3f64, 0.7, 1.0] {
            // Order one: the error halves with the step, and is the fall of a few steps at 1 ms.
            let error = |h: f64| (apex(e, h, impact) - e * e).abs();
            assert!(
                error(1e-3) < 0.02 && error(1.25e-4) < 0.003,
                "{impact:?} {e}: {} {}",
                error(1e-3),
                error(1.25e-4)
            );
        }
    }
    // No bounce without restitution.
    assert!(apex(0.0, 1e-3, Impact::Newton) < 1e-6);
}

#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths() {
    let mut run = ball(Material { friction: [0.3, 0.3], ..Material::default() }, 0.1);
    run.state.v[3] = 2.0;
    run.run(1e-3, 1000);
    let motion = run.motions()[1];
    // The last step of sliding is cut where rolling begins: only rounding and the solve's tolerance are left.
    assert!((motion.linear_velocity.x - 10.0 / 7.0).abs() < 1e-8, "{}", motion.linear_velocity.x);
    assert!((motion.angular_velocity.y * 0.1 - motion.linear_velocity.x).abs() < 1e-8);
}

#[test]
fn rolling_friction_stops_a_ball_where_it_should() {
    let c = 0.002;
    let mut run = ball(Material { friction: [0.8, 0.8], rolling_friction: c, ..Material::default() }, 0.1);
    (run.state.v[3], run.state.v[1]) = (1.0, 10.0);
    run.run(1e-3, 500);
    // (m + I/r²) a = -c N / r.
    let expected = 1.0 - 5.0 * c * G / (7.0 * 0.1) * 0.5;
    let speed = run.motions()[1].linear_velocity.x;
    assert!((speed / expected - 1.0).abs() < 1e-6, "{speed} {expected}");
    run.run(1e-3, 10_000);
    let motion = run.motions()[1];
    assert!(motion.linear_velocity.norm() < 1e-9, "{}", motion.linear_velocity.norm());
    // v² / 2a, to first order in the step.
    let distance = 1.0 / (2.0 * 5.0 * c * G / (7.0 * 0.1));
    let x = motion.world_from_body.translation.x;
    assert!((x / distance - 1.0).abs() < 2e-3, "{x} {distance}");
}

#[test]
fn torsional_friction_stops_a_spinning_ball() {
    let c = 0.003;
    let mut run = ball(Material { torsional_friction: c, ..Material::default() }, 0.1);
    run.state.v[2] = 20.0;
    run.run(1e-3, 300);
    let expected = 20.0 - c * G / (0.4 * 0.01) * 0.3;
    let spin = run.motions()[1].angular_velocity.z;
    assert!((spin / expected - 1.0).abs() < 1e-6, "{spin} {expected}");
    run.run(1e-3, 5000);
    assert!(run.motions()[1].angular_velocity.norm() < 1e-9);
}

#[test]
fn friction_of_two_directions_follows_the_shape() {
    let material = Material { friction: [0.2, 0.6], friction_direction: Some(Vec3::x()), ..Material::default() };
    let slide = |vx: f64, vy: f64| {
        let mut scene = Scene::new(material.clone());
        scene.ground(Pose::identity());
        let size = Vec3::new(0.2, 0.2, 0.02);
        scene.loose(Inertia::solid_box(1.0, size), Shape::Box { size }, at(0.0, 0.0, 0.01));
        let mut run = Run::new(&scene.world(), SteppingSettings::default());
        (run.state.v[3], run.state.v[4]) = (vx, vy);
        run.run(1e-3, 100);
        run.motions()[1].linear_velocity
    };
    // Coulomb's deceleration along each direction; the box is so flat that the pressure distribution hardly shifts.
    let (x, y) = (slide(2.0, 0.0).x, slide(0.0, 2.0).y);
    assert!((x - (2.0 - 0.2 * G * 0.1)).abs() < 1e-6, "{x}");
    assert!((y - (2.0 - 0.6 * G * 0.1)).abs() < 1e-6, "{y}");
}

/// Spin of a flat body after 0.2 s at friction 0.3, from 20 rad/s.
fn spin_left(inertia: Inertia, shape: Shape, pressure: Pressure) -> f64 {
    let mut scene = Scene::rubbing(0.3);
    scene.ground(Pose::identity());
    scene.loose(inertia, shape, at(0.0, 0.0, 0.005));
    let mut run = Run::new(&scene.world(), SteppingSettings { pressure, ..Default::default() });
    run.state.v[2] = 20.0;
    run.run(1e-3, 200);
    run.motions()[1].angular_velocity.z
}

/// A disc with its load on the rim stops after `ω R / 2 μ g`, under uniform pressure after `3 ω R / 4 μ g`. A square of
/// side `a` has a mean lever of `a / √2` at its corners and of `(√2 + asinh 1) a / 6` over its area.
#[test]
fn a_flat_body_that_spins_stops_as_its_pressure_says() {
    let (radius, side, length) = (0.1f64, 0.2f64, 0.01);
    let round = (3.0 * radius * radius + length * length) / 12.0;
    let disc = Inertia::new(1.0, Vec3::zeros(), [round, round, 0.5 * radius * radius, 0.0, 0.0, 0.0]);
    let size = Vec3::new(side, side, length);
    let area = side * (2f64.sqrt() + 1f64.asinh()) / 6.0;
    for (pressure, of_disc, of_square) in [
        (Pressure::Points, 20.0 * radius / (2.0 * 0.3 * G), 20.0 * side / (6.0 * 0.3 * G * 0.5f64.sqrt())),
        (Pressure::Uniform, 3.0 * 20.0 * radius / (4.0 * 0.3 * G), 20.0 * side * side / (6.0 * 0.3 * G * area)),
    ] {
        let left = spin_left(disc, Shape::Cylinder { radius, length }, pressure);
        let stop = 0.2 / (1.0 - left / 20.0);
        println!("{pressure:?}: a disc stops after {stop:.6} s, theory {of_disc:.6} s");
        // Constant deceleration: only the tolerance of the solves is left, 1e-5 of the speed.
        assert!((stop / of_disc - 1.0).abs() < 1e-4, "{pressure:?}: {stop} {of_disc}");
        let left = spin_left(Inertia::solid_box(1.0, size), Shape::Box { size }, pressure);
        let stop = 0.2 / (1.0 - left / 20.0);
        println!("{pressure:?}: a square stops after {stop:.6} s, theory {of_square:.6} s");
        assert!((stop / of_square - 1.0).abs() < 1e-4, "{pressure:?}: {stop} {of_square}");
    }
}
