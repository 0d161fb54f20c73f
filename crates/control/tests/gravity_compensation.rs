//! Efforts by recursive Newton-Euler hold an arm in place.

mod support;

use support::{ABLE, MS};
use veracity_control::config::JointLaw;
use veracity_control::controllers::first_command;
use veracity_control::{ControllerConfig, Port, Setup};
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Vec3, World};

/// Two rods of 1 m with 1 kg at their ends, turning about y.
fn arm() -> World {
    let mut builder = ModelBuilder::new("arm");
    let bob = |name: &str| Body::new(name, Inertia::point_mass(1.0, Vec3::x()));
    let first = builder.add_body(bob("a"), Joint::new("j0", JointKind::revolute(Vec3::y())), None);
    let elbow = Joint::new("j1", JointKind::revolute(Vec3::y())).at(veracity_model::geometry::at(1.0, 0.0, 0.0));
    builder.add_body(bob("b"), elbow, Some(first));
    World::with_model(builder.build().unwrap())
}

#[test]
fn the_holding_efforts_are_those_of_statics() {
    let world = arm();
    let layout = Layout::new(&world);
    let law = JointLaw { kp: 0.0, ..Default::default() };
    let config = ControllerConfig {
        name: "hold".into(),
        kind: "pd".into(),
        joints: [("j0".to_string(), law.clone()), ("j1".to_string(), law)].into(),
        gravity_compensation: Some(true),
        ..Default::default()
    };
    let setup = Setup { world: &world, layout: &layout, capabilities: ABLE, step_ns: MS, seed: 0, trial: 0 };
    let (a, b) = (0.3f64, 0.5f64);
    let commands = first_command(&config, &setup, &[a, b], &[0.0, 0.0]).unwrap();
    // About +y the weight of a mass at distance x pulls with +g x: holding is its opposite.
    let g = 9.81;
    let elbow = -g * (a + b).cos();
    let shoulder = -g * (a.cos() + a.cos() + (a + b).cos());
    let found: Vec<f64> =
        [0, 1].map(|dof| commands.iter().find(|(p, _)| *p == Port::Effort { dof }).unwrap().1).into();
    assert!((found[0] - shoulder).abs() < 1e-13 && (found[1] - elbow).abs() < 1e-13, "{found:?}");
}
