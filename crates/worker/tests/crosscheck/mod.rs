//! A pendulum and a chain on which engines of one integrator must agree: included by the tests of each worker.
//!
//! Semi-implicit Euler in joint coordinates is one map: velocities from the accelerations at the step's beginning,
//! positions from the new velocities. Engines that implement it give the same numbers to rounding; any difference is a
//! solver's error or a scene that did not arrive.

#![allow(dead_code)] // Not every worker uses every part.

use veracity_engine::{BodyState, Engine, Inputs, LoadOptions, Samples, Simulation};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};

/// [m/s²]
const G: f64 = 9.81;
/// [s]
pub const STEP_S: f64 = 1e-3;

/// 1 kg at 1 m with the inertia of a ball of 0.02 m, on a hinge about y; zero is horizontal.
pub fn pendulum() -> World {
    let mut builder = ModelBuilder::new("pend");
    let mut inertia = Inertia::solid_sphere(1.0, 0.02);
    inertia.com = Vec3::new(1.0, 0.0, 0.0);
    builder.add_body(Body::new("bob", inertia), Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    without_contact(builder)
}

/// Ten boxes of 0.2 x 0.04 x 0.04 m and 1 kg, on hinges about y at their ends, horizontal at zero.
pub fn chain() -> World {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..10 {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(0.2, 0.04, 0.04));
        inertia.com = Vec3::new(0.1, 0.0, 0.0);
        let place = if i == 0 { Pose::identity() } else { at(0.2, 0.0, 0.0) };
        let hinge = Joint::new(format!("hinge{i}"), JointKind::revolute(Vec3::y())).at(place);
        parent = Some(builder.add_body(Body::new(format!("link{i}"), inertia), hinge, parent));
    }
    without_contact(builder)
}

fn without_contact(builder: ModelBuilder) -> World {
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    world
}

/// A world under a spec, at rest at zero.
pub fn load(engine: &dyn Engine, spec: &str, world: &World) -> Box<dyn Simulation> {
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let mut simulation = engine.load(world, &settings, &LoadOptions { step_s: STEP_S }).unwrap();
    let (nq, nv) = (simulation.q().len(), simulation.v().len());
    simulation.set_state(0.0, &vec![0.0; nq], &vec![0.0; nv]).unwrap();
    simulation
}

/// Moves on to a time.
pub fn advance(simulation: &mut dyn Simulation, until: f64) {
    let mut none = Samples::none(simulation.layout());
    let inputs = Inputs::none(simulation.v().len());
    simulation.advance(until, &inputs, &mut none).unwrap();
}

/// Kinetic and potential energy from the motion of the bodies [J], computed here, not by the engine.
pub fn energy(simulation: &mut dyn Simulation, world: &World) -> f64 {
    let still = BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    };
    let mut bodies = vec![still; simulation.layout().bodies.len()];
    simulation.bodies(&mut bodies);
    let model = &world.placements[0].model;
    let mut sum = 0.0;
    for (state, body) in bodies.iter().zip(model.bodies()) {
        let arm = state.world_from_body.rotation * body.inertia.com;
        let speed = state.linear_velocity + state.angular_velocity.cross(&arm);
        let spin = state.world_from_body.rotation.inverse() * state.angular_velocity;
        let height = state.world_from_body.translation.vector.z + arm.z;
        let mass = body.inertia.mass;
        sum += 0.5 * mass * speed.norm_squared() + 0.5 * spin.dot(&(body.inertia.tensor * spin)) + mass * G * height;
    }
    sum
}

/// Angle error at 10 s against an adaptive run of order 8 [rad], and energy error over m g l.
pub fn pendulum_errors(engine: &dyn Engine, spec: &str) -> (f64, f64) {
    let world = pendulum();
    let mut truth = load(&veracity_engine_native::ENGINE, "native:integrator=dop853", &world);
    let mut tried = load(engine, spec, &world);
    let before = energy(tried.as_mut(), &world);
    advance(truth.as_mut(), 10.0);
    advance(tried.as_mut(), 10.0);
    // Angles are reported upwards from the horizontal; the hinge about y counts them downwards.
    (truth.q()[0] - tried.q()[0], (energy(tried.as_mut(), &world) - before) / G)
}

/// Energy errors of the chain at 1, 2 and 5 s over (total mass) g (half length) = 98.1 J.
pub fn chain_errors(engine: &dyn Engine, spec: &str) -> [f64; 3] {
    let world = chain();
    let mut tried = load(engine, spec, &world);
    let before = energy(tried.as_mut(), &world);
    [1.0, 2.0, 5.0].map(|time| {
        advance(tried.as_mut(), time);
        (energy(tried.as_mut(), &world) - before) / 98.1
    })
}

/// Largest difference of the chain's joint angles from our own semi-implicit Euler at 1 and 2 s [rad], and when they
/// first differ by a milliradian [s], or 10.
pub fn chain_against_ours(engine: &dyn Engine, spec: &str) -> ([f64; 2], f64) {
    let world = chain();
    let mut ours = load(&veracity_engine_native::ENGINE, "native:integrator=euler", &world);
    let mut tried = load(engine, spec, &world);
    let mut apart = [0.0; 2];
    for tenth in 1..=100 {
        let time = f64::from(tenth) * 0.1;
        advance(ours.as_mut(), time);
        advance(tried.as_mut(), time);
        let most = ours.q().iter().zip(tried.q()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        match tenth {
            10 => apart[0] = most,
            20 => apart[1] = most,
            _ => {}
        }
        if most > 1e-3 {
            return (apart, time);
        }
    }
    (apart, 10.0)
}

/// Compares an engine that claims to be semi-implicit Euler in joint coordinates with that map; returns a summary.
pub fn is_semi_implicit_euler(engine: &dyn Engine, spec: &str) -> String {
    let (angle, energy) = pendulum_errors(engine, spec);
    // The map's own errors, known from five engines to four digits: half a unit of the last one.
    assert!(
        (angle - -2.170e-3).abs() < 5e-7,
        "{spec}: the angle at 10 s is off by {angle} rad, the map by -2.170e-3"
    );
    assert!((energy - -6.005e-4).abs() < 5e-8, "{spec}: the energy is off by {energy} m g l, the map by -6.005e-4");
    let chain = chain_errors(engine, spec);
    for (found, known) in chain.iter().zip([3.83e-2, 5.71e-2, -1.92e-2]) {
        assert!((found - known).abs() < 5e-5, "{spec}: the chain's energies are off by {chain:?}");
    }
    let (apart, split) = chain_against_ours(engine, spec);
    // The same arithmetic in another order: rounding, which grows in a chaotic chain. One that is a milliradian off
    // before 2 s is not followed until then.
    assert!(
        apart[1] < 1e-6 && split > 2.0,
        "{spec}: angles of the chain differ from ours by {apart:?} rad at 1 and 2 s, by a milliradian at {split} s"
    );
    format!(
        "pendulum {angle:.3e} rad, {energy:.3e} m g l at 10 s; chain {:.2e}, {:.2e}, {:.2e} at 1, 2, 5 s; angles {:.0e} and {:.0e} rad \
         from ours at 1 and 2 s, a milliradian at {split:.1} s",
        chain[0], chain[1], chain[2], apart[0], apart[1]
    )
}

/// A heap of balls and boxes that falls on the ground and scatters, no two alike.
pub fn heap() -> (World, Vec<f64>) {
    let mut builder = ModelBuilder::new("heap");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let mut q = Vec::new();
    for i in 0..9 {
        let (shape, inertia) = if i % 3 == 2 {
            let size = Vec3::new(0.12, 0.1, 0.08);
            (Shape::Box { size }, Inertia::solid_box(1.0, size))
        } else {
            (Shape::Sphere { radius: 0.05 }, Inertia::solid_sphere(1.0, 0.05))
        };
        let body = Body::new(format!("piece{i}"), inertia).with_shape(shape, Pose::identity());
        builder.add_body(body, Joint::new(format!("free{i}"), JointKind::Free), None);
        let (column, row) = (f64::from(i % 2), f64::from(i));
        q.extend([0.06 * column + 0.003 * row, 0.02 * column - 0.002 * row, 0.08 + 0.11 * row, 1.0, 0.0, 0.0, 0.0]);
    }
    (World::with_model(builder.build().unwrap()), q)
}

/// A heap of balls of three sizes that falls on the ground and scatters, for engines whose boxes touch no balls.
pub fn heap_of_balls() -> (World, Vec<f64>) {
    let mut builder = ModelBuilder::new("heap-of-balls");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let mut q = Vec::new();
    for i in 0..9 {
        let (column, row) = (f64::from(i % 2), f64::from(i));
        let radius = 0.05 - 0.004 * f64::from(i % 3);
        let inertia = Inertia::solid_sphere(1.0, radius);
        let body = Body::new(format!("piece{i}"), inertia).with_shape(Shape::Sphere { radius }, Pose::identity());
        builder.add_body(body, Joint::new(format!("free{i}"), JointKind::Free), None);
        q.extend([0.06 * column + 0.003 * row, 0.02 * column - 0.002 * row, 0.08 + 0.11 * row, 1.0, 0.0, 0.0, 0.0]);
    }
    (World::with_model(builder.build().unwrap()), q)
}

/// Two runs in separate processes give the same bits in every row: of the heap where bodies touch, else of the chain.
pub fn repeats(first: &dyn Engine, second: &dyn Engine, spec: &str) -> String {
    let settings = first.resolve(&spec.parse().unwrap()).unwrap();
    if first.capabilities(&settings).contact {
        repeats_in(first, second, spec, &heap(), "a heap of nine that falls and scatters")
    } else {
        repeats_in(first, second, spec, &(chain(), vec![0.0; 10]), "the chain")
    }
}

/// The same of a world and the positions from which it starts at rest.
pub fn repeats_in(
    first: &dyn Engine,
    second: &dyn Engine,
    spec: &str,
    (world, q): &(World, Vec<f64>),
    what: &str,
) -> String {
    let settings = first.resolve(&spec.parse().unwrap()).unwrap();
    let run = |engine: &dyn Engine| {
        let mut simulation = engine.load(world, &settings, &LoadOptions { step_s: STEP_S }).unwrap();
        let still = vec![0.0; simulation.v().len()];
        simulation.set_state(0.0, q, &still).unwrap();
        let mut samples = Samples::new(simulation.layout(), 10_000_000, 200);
        let inputs = Inputs::none(still.len());
        simulation.advance(2.0, &inputs, &mut samples).unwrap();
        let track = &samples.track;
        track.q.iter().chain(&track.v).map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    let (one, other) = (run(first), run(second));
    assert!(one.len() > 2000, "the runs recorded too few rows");
    assert_eq!(one, other, "{spec}: two runs differ");
    format!("{spec}, {what}, 2 s: {} numbers, each the same to the bit", one.len())
}
