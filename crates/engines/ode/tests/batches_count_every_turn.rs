//! Joint coordinates are computed from ODE's bodies on demand. Doing so at every step or once in two thousand makes no
//! difference: whole turns are counted, quaternions keep their sign, and trouble is noticed at its own step.

#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use program::engine;
use veracity_engine::{Engine, Inputs, LoadOptions, Samples, Simulation, StepError};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
use veracity_worker::WorkerEngine;

/// A chain of two wheels, a pendulum on a universal and one on a ball joint, a sled on a plane and a free body: every
/// kind of joint whose coordinates continue from the last ones.
fn world() -> World {
    let mut builder = ModelBuilder::new("spinners");
    let inertia = || Inertia::solid_box(1.0, Vec3::new(0.1, 0.2, 0.3));
    let y = Vec3::y();
    let wheel = builder.add_body(Body::new("a", inertia()), Joint::new("a", JointKind::revolute(y)), None);
    let second = Joint::new("b", JointKind::Continuous { axis: y }).at(at(0.3, 0.0, 0.0));
    builder.add_body(Body::new("b", inertia()), second, Some(wheel));
    let kinds = [
        ("c", JointKind::Universal { axis1: Vec3::x(), axis2: y }),
        ("d", JointKind::Ball),
        ("e", JointKind::prismatic(y)),
        ("f", JointKind::Free),
    ];
    for (i, (name, kind)) in kinds.into_iter().enumerate() {
        let joint = Joint::new(name, kind).at(at(5.0 * (i + 1) as f64, 0.0, 0.0));
        builder.add_body(Body::new(name, inertia()), joint, None);
    }
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    world
}

fn loaded(engine: &WorkerEngine, world: &World, speed: f64) -> Box<dyn Simulation> {
    let settings = engine.resolve(&"ode".parse().unwrap()).unwrap();
    let mut simulation = engine.load(world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    let (q, mut v) = (simulation.q().to_vec(), simulation.v().to_vec());
    v.iter_mut().enumerate().for_each(|(i, v)| *v = speed * (1.0 - 0.07 * i as f64));
    simulation.set_state(0.0, &q, &v).unwrap();
    simulation
}

fn bits(simulation: &dyn Simulation) -> Vec<u64> {
    simulation.q().iter().chain(simulation.v()).map(|x| x.to_bits()).collect()
}

#[test]
fn two_thousand_steps_at_once_are_two_thousand_steps() {
    let (engine, world) = (engine(), world());
    let none = Inputs::none(world_dofs(&world));
    // From slow rotation to a third of a turn in a step: 0.002, 0.05 and 2 rad.
    for speed in [2.0, 50.0, 2000.0] {
        let mut each = loaded(&engine, &world, speed);
        let mut turns: f64 = 0.0;
        for _ in 0..2000 {
            each.step(&none, 1.0).unwrap();
            turns = turns.max(each.q()[0].abs() / std::f64::consts::TAU);
        }
        let mut batch = loaded(&engine, &world, speed);
        let mut samples = Samples::none(batch.layout());
        batch.advance(2.0, &none, &mut samples).unwrap();
        assert_eq!(bits(&*batch), bits(&*each), "at {speed} rad/s");
        let mut rows = loaded(&engine, &world, speed);
        let mut samples = Samples::new(rows.layout(), 500_000_000, 4);
        rows.advance(2.0, &none, &mut samples).unwrap();
        let last: Vec<u64> = samples.track.q(3).iter().map(|x| x.to_bits()).collect();
        assert_eq!(last, bits(&*each)[..last.len()], "the last row at {speed} rad/s");
        // The test covers several turns.
        assert!(speed < 10.0 || turns > 3.0, "{turns} turns");
    }
}

#[test]
fn trouble_is_reported_at_its_own_step() {
    let (engine, world) = (engine(), world());
    let none = Inputs::none(world_dofs(&world));
    let mut steps: Vec<(u64, String)> = Vec::new();
    for batch in [true, false] {
        let mut simulation = loaded(&engine, &world, 1.0);
        let (q, mut v) = (simulation.q().to_vec(), simulation.v().to_vec());
        // The free body spins so fast that the square of its speed overflows.
        let last = v.len() - 6;
        v[last..].fill(1e160);
        simulation.set_state(0.0, &q, &v).unwrap();
        let mut samples = Samples::none(simulation.layout());
        let trouble: StepError = if batch {
            simulation.advance(1.0, &none, &mut samples).unwrap_err()
        } else {
            (1..=1000).find_map(|n| simulation.advance(f64::from(n) * 1e-3, &none, &mut samples).err()).unwrap()
        };
        steps.push((trouble.time.to_bits(), trouble.reason));
    }
    assert_eq!(steps[0], steps[1]);
}

fn world_dofs(world: &World) -> usize {
    veracity_model::Layout::new(world).dof_count()
}
