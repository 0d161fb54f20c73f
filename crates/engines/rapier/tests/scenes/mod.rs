//! The scenes of the tests and how to run them.
#![allow(dead_code)] // Each test file uses some of them.

use veracity_engine::{Engine, Inputs, LoadError, LoadOptions, Samples, Simulation};
use veracity_engine_rapier::ENGINE;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};

pub const G: f64 = 9.81;

/// Loads a world under a spec.
pub fn load(spec: &str, world: &World, step_s: f64) -> Result<Box<dyn Simulation>, LoadError> {
    let settings = ENGINE.resolve(&spec.parse().unwrap())?;
    ENGINE.load(world, &settings, &LoadOptions { step_s })
}

/// Moves to a time with nothing acting.
pub fn coast(simulation: &mut dyn Simulation, until: f64) {
    let inputs = Inputs::none(simulation.layout().dof_count());
    advance(simulation, until, &inputs);
}

/// Moves to a time.
pub fn advance(simulation: &mut dyn Simulation, until: f64, inputs: &Inputs) {
    let mut samples = Samples::none(simulation.layout());
    simulation.advance(until, inputs, &mut samples).unwrap();
}

/// A hinge along y at the origin and 1 kg at 1 m along x, with the tensor of a sphere of radius 2 cm.
pub fn pendulum_model(hinge: Joint) -> ModelBuilder {
    let mut builder = ModelBuilder::new("pendulum");
    let mut inertia = Inertia::solid_sphere(1.0, 0.02);
    inertia.com = Vec3::x();
    builder.add_body(Body::new("bob", inertia), hinge, None);
    builder
}

pub fn hinge() -> Joint {
    Joint::new("hinge", JointKind::revolute(Vec3::y()))
}

pub fn pendulum() -> World {
    World::with_model(pendulum_model(hinge()).build().unwrap())
}

/// Moment about the hinge of [`pendulum`].
pub const PENDULUM_MOMENT: f64 = 1.0 + 0.4 * 0.02 * 0.02;

/// `I q'' = torque(q, q')` by the classical fourth-order method at 1e-5 s: exact to 1e-12 over the times used here.
pub fn true_motion(moment: f64, mut q: f64, mut v: f64, until: f64, torque: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let steps = (until / 1e-5).round() as usize;
    let h = until / steps as f64;
    let a = |q, v| torque(q, v) / moment;
    for _ in 0..steps {
        let (k1, l1) = (v, a(q, v));
        let (k2, l2) = (v + 0.5 * h * l1, a(q + 0.5 * h * k1, v + 0.5 * h * l1));
        let (k3, l3) = (v + 0.5 * h * l2, a(q + 0.5 * h * k2, v + 0.5 * h * l2));
        let (k4, l4) = (v + h * l3, a(q + h * k3, v + h * l3));
        q += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    (q, v)
}

/// Links of 0.2 m and 1 kg on hinges along y, stretched out along x.
pub fn chain(links: usize) -> World {
    damped_chain(links, 0.0)
}

/// The same with damping in every hinge [N m s/rad].
pub fn damped_chain(links: usize, damping: f64) -> World {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..links {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(0.2, 0.04, 0.04));
        inertia.com = Vec3::new(0.1, 0.0, 0.0);
        let joint = Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y())).each_dof(|d| d.damping = damping);
        let joint = joint.at(at(if i == 0 { 0.0 } else { 0.2 }, 0.0, 0.0));
        parent = Some(builder.add_body(Body::new(format!("l{i}"), inertia), joint, parent));
    }
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    world
}

/// A plane and a cube of 0.1 m and 1 kg on a free joint, centre at `height`.
pub fn cube_on_plane(height: f64) -> World {
    let mut builder = ModelBuilder::new("cube");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let size = Vec3::repeat(0.1);
    let cube = Body::new("cube", Inertia::solid_box(1.0, size)).with_shape(Shape::Box { size }, Pose::identity());
    builder.add_body(cube, Joint::new("free", JointKind::Free), None);
    builder.start_at(vec![0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0]);
    World::with_model(builder.build().unwrap())
}

/// Kinetic and potential energy by the model's own masses, from the bodies the engine reports.
pub fn energy(world: &World, simulation: &mut dyn Simulation) -> f64 {
    let layout = simulation.layout().clone();
    let mut states = vec![nowhere(); layout.bodies.len()];
    simulation.bodies(&mut states);
    let mut sum = 0.0;
    for (slot, state) in layout.bodies.iter().zip(&states) {
        let inertia = &world.placements[slot.placement].model.bodies()[slot.body.0].inertia;
        let arm = state.world_from_body.rotation * inertia.com;
        let v = state.linear_velocity + state.angular_velocity.cross(&arm);
        let w = state.world_from_body.rotation.inverse() * state.angular_velocity;
        let place = state.world_from_body.translation.vector + arm;
        sum += 0.5 * inertia.mass * v.norm_squared() + 0.5 * w.dot(&(inertia.tensor * w));
        sum -= inertia.mass * world.gravity.dot(&place);
    }
    sum
}

/// A body state to be overwritten.
pub fn nowhere() -> veracity_engine::BodyState {
    veracity_engine::BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    }
}
