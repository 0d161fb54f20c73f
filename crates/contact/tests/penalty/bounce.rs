//! Bounces: restitution against Hunt and Crossley's closed form, and the order of convergence.

use crate::worlds::*;
use veracity_contact::Paradigm;
use veracity_contact::penalty::PenaltySettings;
use veracity_contact::penalty::normal::{Elastic, restitution};
use veracity_dynamics::NoEfforts;
use veracity_model::{Inertia, Material, Shape, Vec3, geometry::at};

/// The ratio of separation speed to approach speed of a ball of 1 kg, without gravity.
fn bounce(material: Material, elastic: Elastic, speed: f64, step_s: f64) -> f64 {
    let mut bench = Bench::new(material);
    let radius = 0.1;
    let down = [0.0, 0.0, 0.0, 0.0, 0.0, -speed];
    bench.moving(Inertia::solid_sphere(1.0, radius), Shape::Sphere { radius }, at(0.0, 0.0, radius + 1e-3), down);
    let mut run = bench.start(Vec3::zeros(), PenaltySettings { elastic, ..Default::default() });
    while run.state.v[5] < 0.0 || run.state.q[2] < radius {
        run.steps(1, step_s);
    }
    run.state.v[5] / speed
}

fn hunt_crossley(c: f64) -> Material {
    Material { name: "m".into(), stiffness: Some(1e5), dissipation: c, friction: [0.0; 2], ..Default::default() }
}

#[test]
fn restitution_is_hunt_and_crossleys_at_order_one() {
    let speed = 0.5;
    for elastic in [Elastic::Linear, Elastic::Hertz { depth_m: 1e-3 }] {
        for c in [0.2, 1.0] {
            let exact = restitution(1.5 * c * speed);
            let error = |h: f64| (bounce(hunt_crossley(c), elastic, speed, h) - exact).abs();
            let errors = [4e-5, 2e-5, 1e-5].map(error);
            let order = (errors[0] / errors[2]).log2() / 2.0;
            let name = if elastic == Elastic::Linear { "linear" } else { "hertz" };
            println!(
                "ACCEPT penalty-bounce-{name}-{c}: e = {exact:.4} missed by {:.1e} at 10 us, order {order:.2}",
                errors[2]
            );
            // Order 1; where in a step the contact begins and ends causes a ripple of a step over the contact's 10 ms.
            assert!((order - 1.0).abs() < 0.15, "{name} {c}: {errors:?}");
            // Backward Euler damps an oscillation of rate ω by ω h / 2; over the half period of a contact, π ω h / 2 =
            // 5e-3.
            assert!(errors[2] < 5e-3, "{errors:?}");
        }
    }
}

#[test]
fn a_material_with_a_restitution_has_it_at_every_speed() {
    for e in [0.3, 0.8] {
        for speed in [0.1, 1.0] {
            let material = Material {
                name: "m".into(),
                stiffness: Some(1e5),
                restitution: e,
                friction: [0.0; 2],
                ..Default::default()
            };
            let found = bounce(material, Elastic::Linear, speed, 5e-6);
            // Backward Euler loses a fraction of a step over the contact time, 5e-6 over 1e-2, times a few.
            assert!((found - e).abs() < 2e-3, "{e} at {speed}: {found}");
        }
    }
}

#[test]
fn a_step_too_coarse_for_the_contact_loses_the_restitution() {
    // The default at 1 ms: the contact lasts 0.1 ms. Included, because a table that hides it would be misleading.
    let material = Material {
        name: "m".into(),
        stiffness: Some(1e9),
        restitution: 1.0,
        friction: [0.0; 2],
        ..Default::default()
    };
    let found = bounce(material.clone(), Elastic::Linear, 1.0, 1e-3);
    println!("ACCEPT penalty-bounce-coarse: e = 1 at k = 1e9 N/m and 1 ms comes out as {found:.3}");
    assert!(found < 0.9);
}

#[test]
fn motion_through_contacts_converges_at_order_one() {
    // A ball dropped on a soft floor with friction and spin: two bounces in 0.4 s.
    let end = |h: f64| {
        let mut bench = Bench::new(Material {
            stiffness: Some(2e3),
            dissipation: 0.3,
            friction: [0.3; 2],
            name: "m".into(),
            ..Default::default()
        });
        let radius = 0.1;
        let start = [0.0, 5.0, 0.0, 0.2, 0.0, 0.0];
        bench.moving(
            Inertia::solid_sphere(1.0, radius),
            Shape::Sphere { radius },
            at(0.0, 0.0, radius + 0.02),
            start,
        );
        let mut run = bench.start(DOWN, PenaltySettings::default());
        run.steps((0.4 / h).round() as usize, h);
        [run.state.q[0], run.state.q[2]]
    };
    let runs = [1e-3, 5e-4, 2.5e-4, 1.25e-4].map(end);
    let change = |i: usize| (runs[i][0] - runs[i + 1][0]).hypot(runs[i][1] - runs[i + 1][1]);
    let order = (change(0) / change(2)).log2() / 2.0;
    println!("ACCEPT penalty-order: {order:.2} through two bounces with friction");
    // Order 1 over three halvings; contact begins anywhere in a step.
    assert!((order - 1.0).abs() < 0.25, "{:?}", [change(0), change(1), change(2)]);
}

#[test]
fn steps_follow_their_error() {
    // A ball of 1 kg on 1e5 N/m: steps grow in flight and shrink in the 10 ms of contact.
    let (speed, radius, c) = (0.5, 0.1, 0.2);
    let bounce = |tolerance: f64| {
        let mut bench = Bench::new(hunt_crossley(c));
        let down = [0.0, 0.0, 0.0, 0.0, 0.0, -speed];
        bench.moving(Inertia::solid_sphere(1.0, radius), Shape::Sphere { radius }, at(0.0, 0.0, radius + 0.01), down);
        let settings = PenaltySettings { step_tolerance: Some(tolerance), ..Default::default() };
        let mut run = bench.start(Vec3::zeros(), settings);
        let (mut steps, mut largest, mut least) = (0, 0.0_f64, f64::INFINITY);
        while run.state.v[5] < 0.0 || run.state.q[2] < radius + 0.01 {
            let report = run.penalty.step(&mut NoEfforts, &mut run.state, 0.01).unwrap();
            assert!(report.taken_s <= 0.01 && report.error_ratio <= 1.0);
            (largest, least) = (largest.max(report.taken_s), least.min(report.taken_s));
            steps += 1;
        }
        let error = (run.state.v[5] / speed - restitution(1.5 * c * speed)).abs();
        (error, steps, largest / least)
    };
    let runs = [1e-6, 1e-8, 1e-10].map(bounce);
    for ((error, steps, range), tolerance) in runs.iter().zip(["1e-6", "1e-8", "1e-10"]) {
        println!(
            "ACCEPT penalty-adaptive-{tolerance}: restitution missed by {error:.1e} in {steps} steps, the largest {range:.0} \
             times the least"
        );
    }
    // A hundredth of the tolerance is a tenth of the error, within the size of a step at the ends of contact.
    for pair in runs.windows(2) {
        assert!(pair[1].0 < 0.2 * pair[0].0, "{runs:?}");
    }
    assert!(runs[2].2 > 10.0, "{runs:?}");
}

/// The user is warned in that case: number of impacts, their duration, the loss, and a sufficient step.
#[test]
fn impacts_too_short_for_the_step_are_counted_with_a_step_that_suffices() {
    let seen = |restitution: f64, step_s: f64| {
        let material = Material {
            name: "m".into(),
            stiffness: Some(2e5),
            restitution,
            friction: [0.0; 2],
            ..Default::default()
        };
        let mut bench = Bench::new(material);
        let down = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0];
        bench.moving(Inertia::solid_sphere(1.0, 0.1), Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, 0.101), down);
        let mut run = bench.start(Vec3::zeros(), PenaltySettings::default());
        run.steps((0.05 / step_s) as usize, step_s);
        (run.penalty.unresolved(), run.state.v[5])
    };
    // Ball and ground have equal stiffness: k = 1e5 N/m with 1 kg, 316 /s, 9.9 ms.
    let (coarse, speed) = seen(0.9, 1e-3);
    assert_eq!(coarse.impacts, 1);
    assert!((coarse.fastest_per_s / 1e5_f64.sqrt() - 1.0).abs() < 1e-9, "{coarse:?}");
    // The actual loss equals the reported one, to the square of ω h = 0.3.
    assert!((coarse.lost - (1.0 - speed / 0.9)).abs() < 0.1, "{coarse:?} {speed}");
    let (fine, speed) = seen(0.9, coarse.sufficient_step_s());
    assert!((speed / 0.9 - 1.0).abs() < 0.012, "{speed}");
    // At half of it the loss is too small for a warning; without restitution nothing can be lost.
    let (half, _) = seen(0.9, 0.5 * coarse.sufficient_step_s());
    assert_eq!((fine.impacts <= 1, half.impacts), (true, 0));
    assert_eq!(seen(0.0, 1e-3).0.impacts, 0);
}
