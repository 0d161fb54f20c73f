//! What the engine rejects, and what it warns about.

mod support;

use support::{advance, load, smooth};
use veracity_engine::{Engine, LoadOptions};
use veracity_engine_native::ENGINE;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};

fn two_balls() -> World {
    let mut builder = ModelBuilder::new("balls");
    for (name, x) in [("left", 0.0), ("right", 1.0)] {
        let ball = Body::new(name, Inertia::solid_sphere(1.0, 0.1));
        let ball = ball.with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
        builder.add_body(ball, Joint::new(format!("{name}-free"), JointKind::Free).at(at(x, 0.0, 0.0)), None);
    }
    World::with_model(builder.build().unwrap())
}

#[test]
fn bodies_that_may_touch_do_and_in_a_world_without_contact_they_pass() {
    let mut world = two_balls();
    world.gravity = Vec3::zeros();
    for contact in [true, false] {
        world.contact = contact;
        let mut simulation = load(&world, "native", 1e-3);
        let q = simulation.q().to_vec();
        let mut v = vec![0.0; 12];
        v[3] = 1.0;
        simulation.set_state(0.0, &q, &v).unwrap();
        advance(simulation.as_mut(), 2.0);
        let (left, right) = (simulation.v()[3], simulation.v()[9]);
        // Plastic, with equal masses: both continue at half the speed. Without contact nothing changes.
        let expected = if contact { [0.5, 0.5] } else { [1.0, 0.0] };
        assert!((left - expected[0]).abs() < 1e-9 && (right - expected[1]).abs() < 1e-9, "{contact}: {left} {right}");
    }
}

#[test]
fn shapes_that_nothing_can_touch_are_no_contact() {
    // A link next to the ground it hangs on, and a separate body.
    let mut builder = ModelBuilder::new("lamp");
    let shape = || Shape::Box { size: Vec3::repeat(0.1) };
    let foot = Body::new("foot", Inertia::zero()).with_shape(shape(), Pose::identity());
    let foot = builder.add_body(foot, Joint::new("fixed", JointKind::Fixed), None);
    let arm = Body::new("arm", Inertia::solid_sphere(1.0, 0.1)).with_shape(shape(), Pose::identity());
    builder.add_body(arm, Joint::new("hinge", JointKind::revolute(Vec3::y())), Some(foot));
    let world = World::with_model(builder.build().unwrap());
    assert!(world.contact);
    load(&world, "native", 1e-3);
}

#[test]
fn leaving_the_limits_of_a_joint_is_a_warning() {
    let mut builder = ModelBuilder::new("arm");
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).each_dof(|d| (d.lower, d.upper) = (-0.5, 0.5));
    builder.add_body(Body::new("bob", Inertia::point_mass(1.0, Vec3::x())), hinge, None);
    let mut simulation = load(&smooth(builder), "native", 1e-3);
    simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
    let warned = |simulation: &dyn veracity_engine::Simulation| {
        let mut out = Vec::new();
        simulation.warnings(&mut out);
        out
    };
    advance(simulation.as_mut(), 0.2);
    assert!(warned(simulation.as_ref()).is_empty(), "inside its limits a joint needs no word");
    advance(simulation.as_mut(), 1.0);
    let said = warned(simulation.as_ref());
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("arm/hinge left its limits at t = 0.3"), "{said:?}");
    assert!(said[0].contains("does not enforce them"));
    // It is part of a snapshot.
    let mut bytes = Vec::new();
    simulation.snapshot(&mut bytes);
    simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
    assert!(warned(simulation.as_ref()).is_empty());
    simulation.restore(&bytes).unwrap();
    assert_eq!(warned(simulation.as_ref()), said);
}

#[test]
fn smoothed_friction_is_a_warning() {
    let mut builder = ModelBuilder::new("arm");
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).each_dof(|d| d.friction = 0.1);
    builder.add_body(Body::new("bob", Inertia::point_mass(1.0, Vec3::x())), hinge, None);
    let simulation = load(&smooth(builder), "native", 1e-3);
    let mut said = Vec::new();
    simulation.warnings(&mut said);
    assert!(said.len() == 1 && said[0].contains("creeps"), "{said:?}");
}

#[test]
fn steps_that_are_none_are_refused() {
    let settings = ENGINE.resolve(&"native".parse().unwrap()).unwrap();
    let mut world = two_balls();
    world.contact = false;
    for step_s in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        assert!(ENGINE.load(&world, &settings, &LoadOptions { step_s }).is_err(), "{step_s}");
    }
}
