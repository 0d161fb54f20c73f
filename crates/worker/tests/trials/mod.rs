//! Trials with a worker that fails on request: dies, hangs, uses up memory.
#![allow(dead_code)] // Not every test uses every part.

use std::path::PathBuf;
use std::time::Duration;
use veracity_engine::{Engine, EngineSpec, Inputs, LoadOptions, Samples, Simulation};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
use veracity_worker::{Limits, WorkerEngine};

/// `cargo test` builds the examples of a package along with its tests.
pub fn faulty() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let folder = exe.ancestors().nth(2).unwrap();
    let path = folder.join("examples/faulty");
    assert!(path.is_file(), "{} is not built; run cargo build --example faulty", path.display());
    path
}

pub fn limits() -> Limits {
    // Short, to keep the tests short: none of the motions here takes a hundredth of it.
    Limits {
        patience: Duration::from_secs(4),
        grace: Duration::from_millis(500),
        memory: 512 << 20,
        ..Limits::default()
    }
}

pub fn pendulum(name: &str) -> World {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::solid_sphere(1.0, 0.1));
    let mut hinge = Joint::new("hinge", JointKind::revolute(Vec3::y()));
    hinge.child_from_joint.translation.vector = Vec3::new(-1.0, 0.0, 0.0);
    builder.add_body(bob, hinge, None);
    let mut world = World::with_model(builder.build().unwrap());
    world.name = name.to_string();
    world.contact = false;
    world
}

pub fn load(engine: &WorkerEngine, name: &str) -> Box<dyn Simulation> {
    let settings = engine.resolve(&"faulty".parse::<EngineSpec>().unwrap()).unwrap();
    engine.load(&pendulum(name), &settings, &LoadOptions { step_s: 1e-3 }).unwrap()
}

/// One trial of a second: its last position, or the reason of its failure.
pub fn trial(engine: &WorkerEngine, name: &str) -> Result<f64, String> {
    let mut simulation = load(engine, name);
    let mut samples = Samples::new(simulation.layout(), 10_000_000, 100);
    let inputs = Inputs::none(1);
    simulation.advance(1.0, &inputs, &mut samples).map_err(|trouble| trouble.reason)?;
    assert_eq!(samples.track.rows(), 100);
    Ok(simulation.q()[0])
}

pub fn alive(process: u32) -> bool {
    // A process that ended and was waited for has no folder any more.
    std::path::Path::new(&format!("/proc/{process}")).exists()
}
