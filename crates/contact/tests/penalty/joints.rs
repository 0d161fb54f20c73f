//! Limits and dry friction of joints, and loops, in the penalty paradigm.

use crate::worlds::*;
use veracity_contact::penalty::{FrictionKind, PenaltySettings};
use veracity_model::{Body, Inertia, Joint, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Vec3, geometry::at};

fn pendulum(change: impl Fn(&mut veracity_model::Dof)) -> ModelBuilder {
    let mut builder = ModelBuilder::new("p");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())).each_dof(change), None);
    builder
}

#[test]
fn a_limit_holds_at_weight_over_stiffness() {
    // Resting on the upper limit 0 (positive is down about y): torque m g over ω² m l².
    let mut run = run(pendulum(|d| d.upper = 0.0), DOWN, PenaltySettings::default(), vec![-0.2], vec![0.0]);
    run.steps(3000, 1e-3);
    let exact = 9.81 / 1e8;
    assert!((run.state.q[0] - exact).abs() < 1e-12, "{} {exact}", run.state.q[0]);
    // It falls onto the limit from 0.2 rad and does not bounce.
    assert!(run.state.v[0].abs() < 1e-10);
}

#[test]
fn dry_friction_sticks_below_its_effort_and_takes_its_power_above() {
    let held = |friction: f64, kind: FrictionKind| {
        let settings = PenaltySettings { friction: kind, ..Default::default() };
        let mut run = run(pendulum(|d| d.friction = friction), DOWN, settings, vec![0.0], vec![0.0]);
        run.steps(1000, 1e-3);
        let q = run.state.q[0];
        run.steps(1000, 1e-3);
        (run.state.q[0] - q, run.state.q[0])
    };
    // The weight requires 9.81 N m.
    let (drift, _) = held(20.0, FrictionKind::Bristle);
    assert!(drift.abs() < 1e-13, "{drift}");
    let (drift, _) = held(20.0, FrictionKind::Regularised);
    let r = 9.81 / 20.0;
    let creep = 1e-4 * r / f64::sqrt(1.0 - r * r);
    assert!((drift / creep - 1.0).abs() < 1e-3, "{drift} {creep}");
    // With 5 N m it swings and comes to rest where the weight's torque is less than that.
    let settings = PenaltySettings::default();
    let mut run = run(pendulum(|d| d.friction = 5.0), DOWN, settings, vec![0.0], vec![0.0]);
    run.steps(5000, 1e-3);
    assert!(run.state.v[0].abs() < 1e-9 && 9.81 * run.state.q[0].cos().abs() < 5.0 + 1e-6);
}

#[test]
fn a_loop_stays_closed() {
    // A parallelogram of three rods; the coupler hangs between two cranks.
    let mut builder = ModelBuilder::new("four_bar");
    let rod = |name: &str| Body::new(name, Inertia::thin_rod(1.0, Vec3::x()));
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let first = builder.add_body(rod("first"), hinge("a"), None);
    let second = builder.add_body(rod("second"), hinge("b").at(at(0.0, 0.0, -1.0)), None);
    let middle = Body::new("middle", Inertia::thin_rod(1.0, -Vec3::z()));
    let middle = builder.add_body(middle, hinge("c").at(at(1.0, 0.0, 0.0)), Some(first));
    builder.add_loop(LoopJoint {
        name: "close".into(),
        kind: LoopKind::Revolute { axis: Vec3::y() },
        body_a: Some(second),
        body_b: Some(middle),
        a_from_frame: at(1.0, 0.0, 0.0),
        b_from_frame: at(0.0, 0.0, -1.0) * Pose::identity(),
        source: None,
    });
    let mut run = run(builder, DOWN, PenaltySettings::default(), vec![0.0; 3], vec![0.0; 3]);
    let start = run.energy();
    // Before the cranks hang straight, where a parallelogram may fold.
    for _ in 0..350 {
        run.steps(1, 1e-3);
        // A parallelogram: the cranks turn equally, the coupler keeps its direction; projected to rounding.
        let q = &run.state.q;
        assert!((q[0] - q[1]).abs() < 1e-9 && (q[0] + q[2]).abs() < 1e-9, "{q:?}");
    }
    let end = run.energy();
    // Backward Euler's own loss at order 1: the half square of gravity's step, 1 ms of some 50 W.
    assert!((end - start).abs() < 0.1, "{start} {end}");
}
