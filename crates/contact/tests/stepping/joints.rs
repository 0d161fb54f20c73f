//! Limits, dry friction and loops in the same solve.

use crate::support::{Run, shipped};
use veracity_contact::SteppingSettings;
use veracity_dynamics::constraint;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

fn one_joint(kind: JointKind, inertia: Inertia, change: impl Fn(&mut veracity_model::Dof)) -> Run {
    let mut builder = ModelBuilder::new("m");
    builder.add_body(Body::new("b", inertia), Joint::new("j", kind).each_dof(change), None);
    Run::new(&World::with_model(builder.build().unwrap()), SteppingSettings::default())
}

#[test]
fn dry_friction_of_a_joint_sticks_exactly() {
    let pendulum = |friction: f64| {
        one_joint(JointKind::revolute(Vec3::y()), Inertia::point_mass(1.0, Vec3::x()), move |d| d.friction = friction)
    };
    let mut held = pendulum(9.82);
    held.run(1e-3, 2000);
    // Exactly zero within the solve's tolerance, not merely slow.
    assert!(held.state.q[0].abs() < 1e-12 && held.state.v[0].abs() < 1e-12, "{:?}", held.state);
    let mut falls = pendulum(9.80);
    falls.run(1e-3, 1000);
    // (9.81 - 9.80) t² / 2 near the start, where the lever arm hardly changes.
    assert!((falls.state.q[0] - 0.005).abs() < 5e-5, "{}", falls.state.q[0]);
}

#[test]
fn a_slider_stops_at_its_limit() {
    let mass = || Inertia::point_mass(2.0, Vec3::zeros());
    let mut run = one_joint(JointKind::prismatic(Vec3::z()), mass(), |d| (d.lower, d.upper) = (-0.2, 0.3));
    run.run(1e-3, 1000);
    // Drift below 1e-10 is not corrected; the solve's tolerance is 1e-10 too.
    assert!((run.state.q[0] + 0.2).abs() < 2e-10 && run.state.v[0].abs() < 1e-10, "{:?}", run.state);
    // The limit carries the weight.
    assert!((run.stepping.limit_impulses()[0][0] - 2.0 * 9.81e-3).abs() < 1e-9);
    run.state.v[0] = 5.0;
    let mut highest = f64::MIN;
    for _ in 0..1000 {
        run.step(1e-3);
        highest = highest.max(run.state.q[0]);
    }
    // The tolerance of an impact at 5 m/s over one step.
    assert!((highest - 0.3).abs() < 1e-7, "{highest}");
    // 0 … 0 is a weld.
    let mut welded = one_joint(JointKind::revolute(Vec3::y()), Inertia::point_mass(1.0, Vec3::x()), |d| {
        (d.lower, d.upper) = (0.0, 0.0);
    });
    welded.run(1e-3, 1000);
    assert!(welded.state.q[0].abs() < 2e-10, "{}", welded.state.q[0]);
}

#[test]
fn loops_stay_closed() {
    let mut run = Run::new(&shipped("bricard/bricard.sdf"), SteppingSettings::default());
    let start = run.energy();
    let mut worst = 0.0f64;
    for _ in 0..500 {
        run.step(1e-3);
        let (world, ws) = run.stepping.workspace();
        worst = worst.max(constraint::violation(&world.system, ws, &run.state.q));
    }
    // The closing error of one step at rates of some rad/s, (h ω)²: the next step corrects it.
    assert!(worst < 2e-5, "{worst}");
    let lost = (run.energy() - start) / start.abs().max(1.0);
    assert!(lost.abs() < 0.05, "{lost}");
}
