//! Friction: inclines, spinning and rolling.

use crate::worlds::*;
use veracity_contact::penalty::{FrictionKind, PenaltySettings};
use veracity_model::{Inertia, Material, Shape, Vec3, geometry::at};

fn rough(mu: f64) -> Material {
    Material { name: "m".into(), friction: [mu; 2], ..Default::default() }
}

/// A cube on an incline, settled for half a second; then its distance and speed along x over the next `time_s`.
fn incline(mu: f64, angle: f64, friction: FrictionKind, time_s: f64) -> (f64, f64) {
    let mut bench = Bench::new(rough(mu));
    let (inertia, shape) = cube(1.0, 0.1);
    bench.free(inertia, shape, at(0.0, 0.0, 0.05));
    let mut run = bench.start(tilted(angle), PenaltySettings { friction, ..Default::default() });
    run.steps(500, 1e-3);
    let (x, v) = (run.state.q[0], run.state.v[3]);
    run.steps((time_s * 1e3).round() as usize, 1e-3);
    (run.state.q[0] - x, run.state.v[3] - v)
}

#[test]
fn bristles_hold_a_cube_on_an_incline() {
    let angle = 0.99 * 0.5_f64.atan();
    let (slid, _) = incline(0.5, angle, FrictionKind::Bristle, 2.0);
    println!("ACCEPT penalty-incline-bristle: {:.1e} um/s at 0.99 of the friction angle", 1e6 * slid.abs() / 2.0);
    // What remains of the settling after half a second; a spring does not creep.
    assert!(slid.abs() < 1e-12, "{slid}");
}

#[test]
fn regularised_friction_creeps_on_an_incline_as_theory_says() {
    let angle = 0.3_f64;
    let (slid, _) = incline(0.5, angle, FrictionKind::Regularised, 1.0);
    let r = angle.tan() / 0.5;
    let theory = PenaltySettings::default().slip_speed * r / (1.0 - r * r).sqrt();
    println!("ACCEPT penalty-incline-regularised: creeps {:.3} um/s, theory {:.3}", -1e6 * slid, 1e6 * theory);
    // The four corners carry unequal loads but creep equally; the rest is the approach, gone after half a second.
    assert!((-slid / theory - 1.0).abs() < 1e-6, "{slid} {theory}");
}

#[test]
fn beyond_the_friction_angle_it_slides_as_coulomb_says() {
    for friction in [FrictionKind::Bristle, FrictionKind::Regularised] {
        for (mu, angle) in [(0.5_f64, 0.5_f64), (0.2, 0.3), (0.0, 0.2)] {
            let (_, speed) = incline(mu, angle, friction, 0.5);
            let exact = -9.81 * (angle.sin() - mu * angle.cos()) * 0.5;
            assert!((speed / exact - 1.0).abs() < 1e-2, "{friction:?} mu {mu}: {speed} {exact}");
            if mu == 0.5 {
                println!("ACCEPT penalty-slide-{friction:?}: acceleration to {:.1e}", (speed / exact - 1.0).abs());
            }
        }
    }
}

#[test]
fn the_slip_angle_is_the_friction_angle_whatever_the_heading() {
    // One degree to either side, over headings at which a pyramid would differ.
    let limit = 0.5_f64.atan();
    for heading in [0.0, 0.3, std::f64::consts::FRAC_PI_4, 1.3] {
        for (offset, slides) in [(-0.01, false), (0.01, true)] {
            let mut bench = Bench::new(rough(0.5));
            let (inertia, shape) = cube(1.0, 0.1);
            bench.free(inertia, shape, at(0.0, 0.0, 0.05));
            let g = tilted(limit + offset);
            let turned = Vec3::new(g.x * libm::cos(heading), g.x * libm::sin(heading), g.z);
            let mut run = bench.start(turned, PenaltySettings::default());
            run.steps(1000, 1e-3);
            let speed = run.state.v[3].hypot(run.state.v[4]);
            // 0.01 rad past the angle is 0.1 m/s² or more; held, it is at rest.
            assert_eq!(speed > 0.05, slides, "heading {heading} offset {offset}: {speed}");
            assert!(slides || speed < 1e-9, "{speed}");
        }
    }
}

#[test]
fn turning_and_rolling_end_as_their_coefficients_say() {
    // A ball that spins about the normal: I ω' = -torsion m g.
    let (mass, radius, torsion, rolling) = (1.0, 0.1, 2e-3, 1e-3);
    let ball = || (Inertia::solid_sphere(mass, radius), Shape::Sphere { radius });
    let material = Material { torsional_friction: torsion, rolling_friction: rolling, ..rough(0.8) };
    let spin_rate = torsion * mass * 9.81 / (0.4 * mass * radius * radius);
    let mut bench = Bench::new(material.clone());
    bench.moving(ball().0, ball().1, at(0.0, 0.0, radius), [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
    let mut run = bench.start(DOWN, PenaltySettings::default());
    run.steps(300, 1e-3);
    let lost = 3.0 - run.state.v[2];
    // The first steps settle into the floor, one part in a hundred of 300.
    assert!((lost / (0.3 * spin_rate) - 1.0).abs() < 0.01, "{lost} {}", 0.3 * spin_rate);
    // The bristles against spin, 400 N m/rad under 0.004 kg m², oscillate at 316 rad/s and lose 10 /s of it.
    run.steps(3700, 1e-3);
    assert!(run.state.v[2].abs() < 1e-9, "bristles hold it: {}", run.state.v[2]);

    // Rolling along x: the torque rolling · m g takes 5/7 (rolling / r) g.
    let mut bench = Bench::new(material);
    bench.moving(ball().0, ball().1, at(0.0, 0.0, radius), [0.0, 10.0, 0.0, 1.0, 0.0, 0.0]);
    let mut run = bench.start(DOWN, PenaltySettings::default());
    run.steps(1000, 1e-3);
    let slowed = (1.0 - run.state.v[3]) / (5.0 / 7.0 * rolling / radius * 9.81);
    assert!((slowed - 1.0).abs() < 0.01, "{slowed}");
    let slip = run.state.v[3] - radius * run.state.v[1];
    assert!(slip.abs() < 1e-5, "it rolls: {slip}");
}
