//! Rest: depth, stacks, a row of blocks held between grippers; bitwise reproducibility.

use crate::worlds::*;
use veracity_contact::Paradigm;
use veracity_contact::penalty::PenaltySettings;
use veracity_dynamics::{ConstantEfforts, NoEfforts, Trouble};
use veracity_model::{Inertia, Joint, JointKind, Material, Shape, Vec3, geometry::at};

fn soft(stiffness: f64) -> Material {
    Material { name: "m".into(), stiffness: Some(stiffness), ..Default::default() }
}

#[test]
fn a_box_rests_at_its_weight_over_four_springs() {
    let mut worst = 0.0_f64;
    for stiffness in [1e6, 1e7, 1e8] {
        // Box and ground have equal stiffness: two springs of twice the stiffness in series.
        let mut bench = Bench::new(soft(2.0 * stiffness));
        let (inertia, shape) = cube(2.0, 0.2);
        bench.free(inertia, shape, at(0.0, 0.0, 0.1));
        let mut run = bench.start(DOWN, PenaltySettings::default());
        run.steps(4000, 1e-3);
        let depth = 0.1 - run.state.q[2];
        let exact = 2.0 * 9.81 / (4.0 * stiffness);
        // Positions of 0.1 m are rounded at 1e-17; the approach to rest ends at that rounding times a few steps.
        let error = (depth - exact).abs();
        worst = worst.max(error);
        assert!(error < 1e-14, "{stiffness}: {depth} {exact}");
        let carried: f64 = run.penalty.touches().iter().map(|t| t.impulse[2]).sum();
        // A rounding of the gap, 1e-17 m, times 1e8 N/m is 1e-9 N.
        // The ground is the first body of the pair: it is pushed down.
        assert!((-carried / (2.0 * 9.81 * 1e-3) - 1.0).abs() < 1e-8, "{carried}");
        assert!(run.penalty.touches().iter().all(|t| t.sticks));
    }
    println!("ACCEPT penalty-rest: depth m g / 4 k to {worst:.1e} m for k = 1e6 … 1e8 N/m at 1 ms");
}

#[test]
fn without_gravity_nothing_is_pressed_in() {
    let mut bench = Bench::new(soft(1e6));
    let (inertia, shape) = cube(2.0, 0.2);
    bench.free(inertia, shape, at(0.0, 0.0, 0.1));
    let mut run = bench.start(Vec3::zeros(), PenaltySettings::default());
    run.steps(100, 1e-3);
    // The check of the depth can fail: without weight there is no depth.
    assert_eq!(run.state.q[2], 0.1);
}

/// Bodies at rest that overlap by less than rounding have no momentum as a reference for the residual: it was infinite,
/// and the step ended with "not converged, residual NaN".
#[test]
fn a_world_at_rest_with_an_overlap_below_rounding_stays_finite() {
    for overlap in [1e-17, 1e-30, 1e-9] {
        let mut bench = Bench::new(Material { name: "m".into(), ..Default::default() });
        let radius = overlap;
        // A ball as small as its overlap is deep: the gap of a larger one would be lost to rounding.
        bench.free(Inertia::solid_sphere(2.0, 0.1), Shape::Sphere { radius }, at(0.0, 0.0, 0.0));
        let mut run = bench.start(Vec3::zeros(), PenaltySettings::default());
        for _ in 0..10 {
            let report = run.penalty.step(&mut NoEfforts, &mut run.state, 1e-3).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(report.unsolved, 0);
        }
        assert!(run.penalty.residual() <= 1e-7, "{}", run.penalty.residual());
        // Pushed out no faster than the spring's energy allows: v = ω d, ω = 1e4 /s.
        let (z, v) = (run.state.q[2], run.state.v[5]);
        assert!(z >= 0.0 && z < 1e3 * overlap && (0.0..=1e4 * overlap).contains(&v), "{overlap}: {z} {v}");
    }
}

/// Block row of grasp.md 1.3: largest displacement and rotation of any block, and the total number of Newton steps.
fn block_row(n: usize, force: f64, mu: f64, steps: usize) -> (f64, f64, u32) {
    let mut bench = Bench::empty(Material { name: "m".into(), friction: [mu; 2], ..Default::default() });
    let half = 0.05 + 0.05 * n as f64;
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let inertia = Inertia::new(1.0, Vec3::zeros(), [6.667, 6.667, 6.667, 0.0, 0.0, 0.0]);
        let body = bench.body(name, inertia, Shape::Box { size: Vec3::new(0.2, 0.1, 0.2) });
        let joint = Joint::new(name, JointKind::prismatic(Vec3::y())).at(at(0.0, side * half, 0.5));
        bench.builder.add_body(body, joint, None);
    }
    let mut q = vec![0.0; 2];
    for i in 0..n {
        let body = bench.body(&format!("b{i}"), cube(1.0, 0.1).0, cube(1.0, 0.1).1);
        bench.builder.add_body(body, Joint::new(format!("b{i}"), JointKind::Free), None);
        q.extend([0.0, 0.05 * (n as f64 - 1.0) - 0.1 * i as f64, 0.5, 1.0, 0.0, 0.0, 0.0]);
    }
    let v = vec![0.0; 2 + 6 * n];
    let mut efforts = vec![0.0; 2 + 6 * n];
    (efforts[0], efforts[1]) = (force, -force);
    let start = q.clone();
    let mut run = run(bench.builder, Vec3::new(0.0, 0.0, -9.8), PenaltySettings::default(), q, v);
    let mut efforts = ConstantEfforts(efforts);
    let (mut place, mut turn, mut iterations) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..steps {
        let report = run.penalty.step(&mut efforts, &mut run.state, 1e-3).unwrap();
        iterations += report.iterations;
        for i in 0..n {
            let (now, then) = (&run.state.q[2 + 7 * i..9 + 7 * i], &start[2 + 7 * i..9 + 7 * i]);
            place = place.max((0..3).map(|k| (now[k] - then[k]).powi(2)).sum::<f64>().sqrt());
            turn = turn.max(2.0 * (now[4] * now[4] + now[5] * now[5] + now[6] * now[6]).sqrt());
        }
    }
    (place, turn, iterations)
}

#[test]
fn a_row_of_blocks_is_held() {
    for n in 1..=3 {
        for mu in [100.0, 0.06] {
            let (place, turn, iterations) = block_row(n, 100.0 * n as f64, mu, 2000);
            println!(
                "ACCEPT penalty-row-{n}-mu-{mu}: {:.2} um and {turn:.1e} rad in 2 s, {:.1} Newton steps each",
                1e6 * place,
                f64::from(iterations) / 2000.0
            );
            // 20 um and 1e-4 rad, as for time stepping. Springs of 1e8 N/m deflect by the weight over that.
            assert!(place < 20e-6 && turn < 1e-4, "n {n} mu {mu}: {place} {turn}");
        }
    }
}

#[test]
fn a_row_that_friction_cannot_hold_falls() {
    // 9.8 - 200 mu at mu = 0.04: 1.8 m/s², for 0.3 s, before it leaves the grippers.
    for n in 1..=2 {
        let (place, _, _) = block_row(n, 100.0 * n as f64, 0.04, 300);
        let expected = 0.5 * 1.8 * 0.09;
        assert!((place / expected - 1.0).abs() < 0.01, "{n}: {place} {expected}");
    }
}

/// A small pile that is still moving, for bitwise comparison.
fn restless(step_tolerance: Option<f64>) -> Run {
    let mut bench = Bench::new(Material {
        name: "m".into(),
        torsional_friction: 0.01,
        rolling_friction: 1e-3,
        ..Default::default()
    });
    for i in 0..4 {
        let (inertia, shape) = cube(1.0, 0.1);
        bench.moving(
            inertia,
            shape,
            at(0.01 * f64::from(i), 0.0, 0.06 + 0.11 * f64::from(i)),
            [0.0, 0.0, 1.0, 0.3, 0.0, 0.0],
        );
    }
    bench.free(Inertia::solid_sphere(1.0, 0.05), Shape::Sphere { radius: 0.05 }, at(0.2, 0.0, 0.05));
    bench.start(DOWN, PenaltySettings { step_tolerance, ..Default::default() })
}

#[test]
fn a_restored_motion_continues_bit_for_bit() {
    for (tolerance, steps) in [(None, 150), (Some(1e-6), 300)] {
        let mut one = restless(tolerance);
        one.steps(steps, 1e-3);
        let (mut memory, kept) = (Vec::new(), one.state.clone());
        one.penalty.memory(&mut memory);
        assert!(memory[1] > 0.0, "something is remembered");
        one.steps(steps, 1e-3);
        let mut two = restless(tolerance);
        // A different history: only state and memory may matter.
        two.steps(40, 1e-3);
        two.state = kept;
        assert!(two.penalty.set_memory(&memory));
        two.steps(steps, 1e-3);
        assert_eq!(one.state, two.state);
        assert!(!two.penalty.set_memory(&[1.0]));
    }
}

#[test]
fn a_number_that_is_none_never_leaves_a_step() {
    let mut run = restless(None);
    run.steps(20, 1e-3);
    let before = run.state.clone();
    let mut bad = ConstantEfforts(vec![0.0; before.v.len()]);
    bad.0[9] = f64::NAN;
    let outcome = run.penalty.step(&mut bad, &mut run.state, 1e-3);
    assert!(matches!(outcome, Err(Trouble::NotFinite { .. } | Trouble::NotConverged { .. })), "{outcome:?}");
    assert_eq!(run.state, before);
    run.penalty.step(&mut NoEfforts, &mut run.state, 1e-3).unwrap();
}
