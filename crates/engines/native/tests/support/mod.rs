//! Loading small worlds into the native engine.
#![allow(dead_code)]

use veracity_engine::{BodyState, Engine, Inputs, LoadOptions, Samples, Simulation};
use veracity_engine_native::ENGINE;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Vec3, World};

/// Free fall [m/s²].
pub const G: f64 = 9.81;

/// Loads a world under a spec.
pub fn load(world: &World, spec: &str, step_s: f64) -> Box<dyn Simulation> {
    let settings = ENGINE.resolve(&spec.parse().unwrap()).unwrap();
    ENGINE.load(world, &settings, &LoadOptions { step_s }).unwrap()
}

/// A world without contact.
pub fn smooth(builder: ModelBuilder) -> World {
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    world
}

/// A point mass of 2 kg on a massless rod of 1.5 m; zero is level along +x, and q grows downwards.
pub fn pendulum(mass: f64, length: f64) -> World {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(mass, Vec3::x() * length));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    smooth(builder)
}

/// Advances to a time without inputs.
pub fn advance(simulation: &mut dyn Simulation, until: f64) {
    let inputs = Inputs::none(simulation.layout().dof_count());
    advance_under(simulation, until, &inputs);
}

/// Advances to a time with inputs.
pub fn advance_under(simulation: &mut dyn Simulation, until: f64, inputs: &Inputs) {
    let mut none = Samples::none(simulation.layout());
    simulation.advance(until, inputs, &mut none).unwrap();
}

/// Every body's motion.
pub fn bodies(simulation: &mut dyn Simulation) -> Vec<BodyState> {
    let still = BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    };
    let mut out = vec![still; simulation.layout().bodies.len()];
    simulation.bodies(&mut out);
    out
}
