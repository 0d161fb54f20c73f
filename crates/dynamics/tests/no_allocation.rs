//! No step allocates: a counting allocator checks every integrator on a tree and on a closed mechanism.

mod support;

use support::{random_state, random_tree, shipped};
use veracity_counting::{Counting, allocations};
use veracity_dynamics::integrate::{INTEGRATORS, IntegratorSettings};
use veracity_dynamics::{NoEfforts, SmoothSimulation, System};
use veracity_model::Vec3;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_in_steps(mut simulation: SmoothSimulation) -> u64 {
    let before = allocations();
    for _ in 0..20 {
        simulation.step(&mut NoEfforts, 1e-3).unwrap();
    }
    allocations() - before
}

#[test]
fn no_integrator_allocates_on_a_tree() {
    let system = System::from_model(&random_tree(20, 4), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let (q, v) = random_state(&system, 4);
    for entry in INTEGRATORS {
        let mut simulation =
            SmoothSimulation::new(system.clone(), entry.name, IntegratorSettings::default()).unwrap();
        simulation.set_state(0.0, &q, &v).unwrap();
        assert_eq!(allocations_in_steps(simulation), 0, "{}", entry.name);
    }
}

#[test]
fn no_integrator_allocates_on_a_closed_mechanism() {
    let system = System::new(&shipped("bricard/bricard.sdf").world.unwrap()).unwrap();
    for entry in INTEGRATORS {
        let simulation = SmoothSimulation::new(system.clone(), entry.name, IntegratorSettings::default()).unwrap();
        assert_eq!(allocations_in_steps(simulation), 0, "{}", entry.name);
    }
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let v = std::hint::black_box(vec![1.0f64; 8]);
    assert_eq!(allocations() - before, 1, "{v:?}");
}
