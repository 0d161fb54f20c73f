//! Cost of a step through a worker: `worker_speed WORKER SPEC chain|pinch STEPS batch|each`.
//!
//! `batch` advances in one call with 100 rows a second; `each` advances by one step per call, as with a controller at
//! every step. Prints CPU seconds of host and worker together, and the median wall time of a call [us].
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::time::Instant;
use veracity_engine::{Engine, Inputs, LoadOptions, Samples, helpers};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};
use veracity_worker::{Limits, WorkerEngine};

fn chain() -> World {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..10 {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(0.2, 0.04, 0.04));
        inertia.com = Vec3::new(0.1, 0.0, 0.0);
        let place = if i == 0 { Pose::identity() } else { at(0.2, 0.0, 0.0) };
        let hinge = Joint::new(format!("hinge{i}"), JointKind::revolute(Vec3::y())).at(place);
        parent = Some(builder.add_body(Body::new(format!("link{i}"), inertia), hinge, parent));
    }
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    world
}

fn pinch() -> World {
    let mut builder = ModelBuilder::new("pinch");
    let block = |name: &str, size: Vec3| {
        Body::new(name, Inertia::solid_box(1.0, size)).with_shape(Shape::Box { size }, Pose::identity())
    };
    let cube = Joint::new("free", JointKind::Free).at(at(0.0, 0.0, 1.0));
    builder.add_body(block("cube", Vec3::repeat(0.1)), cube, None);
    for (name, x) in [("left", -0.07), ("right", 0.07)] {
        let slide = Joint::new(format!("{name}-slide"), JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 1.0));
        builder.add_body(block(name, Vec3::new(0.04, 0.1, 0.1)), slide, None);
    }
    World::with_model(builder.build().unwrap())
}

fn thread_cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [worker, spec, scene, steps, mode] = &arguments[..] else {
        panic!("worker_speed WORKER SPEC chain|pinch STEPS batch|each");
    };
    let engine = WorkerEngine::new(worker.into(), Limits::default());
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let world = if scene == "chain" { chain() } else { pinch() };
    let mut simulation = engine.load(&world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    let nv = simulation.v().len();
    let mut inputs = Inputs::none(nv);
    if scene == "pinch" {
        (inputs.efforts[nv - 2], inputs.efforts[nv - 1]) = (100.0, -100.0);
    }
    let steps: u64 = steps.parse().unwrap();
    let mut samples = Samples::new(simulation.layout(), 10_000_000, steps as usize / 10 + 1);
    let mut calls = Vec::new();
    let begun = thread_cpu_s() + helpers::cpu_s_here();
    if mode == "batch" {
        simulation.advance(steps as f64 * 1e-3, &inputs, &mut samples).unwrap();
    } else {
        for step in 1..=steps {
            let call = Instant::now();
            simulation.advance(step as f64 * 1e-3, &inputs, &mut samples).unwrap();
            calls.push(call.elapsed().as_secs_f64() * 1e6);
        }
    }
    let spent = thread_cpu_s() + helpers::cpu_s_here() - begun;
    calls.sort_by(f64::total_cmp);
    println!("{spent:.17e} {:.3}", calls.get(calls.len() / 2).copied().unwrap_or(0.0));
}
