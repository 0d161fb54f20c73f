//! Torsional and rolling friction are torques bounded by a length times the normal force, in both kinds of coordinates.

#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use program::engine;
use veracity_engine::{Engine, Inputs, LoadOptions, Samples};
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, World};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

/// A ball of 1 kg on the ground, both of one surface.
fn ball(surface: Material) -> World {
    let mut builder = ModelBuilder::new("ball");
    let surface = builder.add_material(surface);
    let of_surface = |mut body: Body| {
        body.shapes.iter_mut().for_each(|shape| shape.material = Some(surface));
        body
    };
    let ball = Body::new("ball", Inertia::solid_sphere(1.0, RADIUS))
        .with_shape(Shape::Sphere { radius: RADIUS }, Pose::identity());
    builder.add_body(of_surface(ball), Joint::new("free", JointKind::Free), None);
    let ground = Body::new("ground", Inertia::solid_sphere(1.0, 1.0)).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(of_surface(ground), Joint::new("fixed", JointKind::Fixed), None);
    World::with_model(builder.build().unwrap())
}

/// The ball's velocities half a second after it was put down with given ones.
fn after(spec: &str, surface: Material, v: [f64; 6]) -> Vec<f64> {
    let engine = engine();
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let mut simulation = engine.load(&ball(surface), &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    // A thousandth of a millimetre deep, so that the first step has a contact.
    simulation.set_state(0.0, &[0.0, 0.0, RADIUS - 1e-6, 1.0, 0.0, 0.0, 0.0], &v).unwrap();
    let mut none = Samples::none(simulation.layout());
    simulation.advance(0.5, &Inputs::none(6), &mut none).unwrap();
    simulation.v().to_vec()
}

fn surface(torsional_friction: f64, rolling_friction: f64) -> Material {
    Material {
        name: "surface".to_string(),
        friction: [1.0; 2],
        torsional_friction,
        rolling_friction,
        ..Material::default()
    }
}

#[test]
fn a_spinning_ball_is_slowed_by_torsional_friction() {
    for spec in ["bullet", "bullet:maximal"] {
        let length = 1e-3;
        let found = after(spec, surface(length, 0.0), [0.0, 0.0, 5.0, 0.0, 0.0, 0.0])[2];
        // I dw/dt = - length m g, with I = 2/5 m r^2.
        let expected = 5.0 - 0.5 * length * G / (0.4 * RADIUS * RADIUS);
        // The normal force is within a percent of the weight while the overlap is corrected.
        assert!((found - expected).abs() < 0.01 * (5.0 - expected), "{spec}: {found}, expected {expected}");
        let without = after(spec, surface(0.0, 0.0), [0.0, 0.0, 5.0, 0.0, 0.0, 0.0])[2];
        assert!((without - 5.0).abs() < 1e-9, "{spec}: without it, the spin is {without}");
    }
}

#[test]
fn a_rolling_ball_is_slowed_by_rolling_friction() {
    for spec in ["bullet", "bullet:maximal"] {
        let length = 1e-3;
        // Rolling along x: it turns about y.
        let found = after(spec, surface(0.0, length), [0.0, 1.0 / RADIUS, 0.0, 1.0, 0.0, 0.0])[3];
        // (m r^2 + 2/5 m r^2) dw/dt = - length m g: the speed falls by length g / (1.4 r) in a second.
        let expected = 1.0 - 0.5 * length * G / (1.4 * RADIUS);
        assert!((found - expected).abs() < 0.02 * (1.0 - expected), "{spec}: {found}, expected {expected}");
    }
}
