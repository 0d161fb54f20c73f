//! The conformance suite over Rapier's specs.
//!
//! One claim is excepted, and the suite fails if it should ever hold: Rapier allocates while it steps. Our own layer
//! does not: the same pendulum in Rapier alone allocates as often.

mod scenes;

use veracity_counting::{Counting, allocations};
use veracity_engine::conformance::{Host, Subject, hold, process};
use veracity_engine::{Engine, Inputs, LoadOptions, Samples};
use veracity_engine_rapier::ENGINE;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Known not to hold, under any spec.
const EXCEPTIONS: &[(&str, &str)] = &[("no-allocation", "Rapier allocates in its own step")];

/// Executed in a separate process by the claim about fresh processes.
#[test]
fn run_task() {
    process::answer_if_asked(&ENGINE);
}

fn conforms(spec: &str) {
    let settings = ENGINE.resolve(&spec.parse().unwrap()).unwrap();
    let fresh = |task: &process::ResumeTask| process::in_this_test_binary("run_task", task);
    let host = Host { fresh_process: Some(&fresh), allocations: Some(allocations) };
    let subject = Subject { engine: &ENGINE, settings: &settings, step_s: 1e-3, host };
    match hold(&subject, EXCEPTIONS) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

#[test]
fn impulse_joints_with_4_iterations() {
    conforms("rapier");
}

#[test]
fn impulse_joints_with_20_iterations() {
    conforms("rapier:iters=20");
}

#[test]
fn multibody_joints() {
    conforms("rapier:multibody");
}

#[test]
fn explicit_drives() {
    conforms("rapier:drives=explicit");
}

#[test]
fn the_version_is_the_one_that_is_linked() {
    let lock = include_str!("../../../../Cargo.lock");
    let after = lock.split("name = \"rapier3d-f64\"\nversion = \"").nth(1).unwrap();
    let version = after.split('"').next().unwrap();
    assert_eq!(ENGINE.version(), format!("rapier3d-f64 {version}"));
}

/// Allocations by Rapier alone in 100 steps of a pendulum.
fn allocations_by_rapier_alone() -> u64 {
    use rapier3d_f64::prelude::{JointAxesMask, PhysicsWorld, RevoluteJointBuilder, RigidBodyBuilder, Vector};
    let mut world = PhysicsWorld::new();
    world.integration_parameters.dt = 1e-3;
    let ground = world.bodies.insert(RigidBodyBuilder::fixed());
    let bob = world.bodies.insert(RigidBodyBuilder::dynamic().additional_mass(1.0).can_sleep(false));
    let hinge = RevoluteJointBuilder::new(Vector::Y).local_anchor2(Vector::new(-1.0, 0.0, 0.0)).build();
    assert_eq!(hinge.data.locked_axes, JointAxesMask::LOCKED_REVOLUTE_AXES);
    world.impulse_joints.insert(ground, bob, hinge, true);
    (0..100).for_each(|_| world.step());
    let before = allocations();
    (0..100).for_each(|_| world.step());
    allocations() - before
}

#[test]
fn our_own_layer_does_not_allocate() {
    let settings = ENGINE.resolve(&"rapier".parse().unwrap()).unwrap();
    let mut simulation = ENGINE.load(&scenes::pendulum(), &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    let inputs = Inputs::none(1);
    let mut samples = Samples::new(simulation.layout(), 10_000_000, 100);
    simulation.advance(0.1, &inputs, &mut samples).unwrap();
    let before = allocations();
    simulation.advance(0.2, &inputs, &mut samples).unwrap();
    let asked = allocations() - before;
    assert_eq!(asked, allocations_by_rapier_alone());
}
