//! Event driven: once the sizes have occurred, neither a step nor an impact allocates. A counting allocator verifies
//! it.

mod scenes;

use scenes::*;
use veracity_contact::Paradigm;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings, Restitution};
use veracity_counting::{Counting, allocations};
use veracity_dynamics::NoEfforts;
use veracity_model::{Inertia, Shape, Vec3};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations while a ball bounces and a block slides and stops, after both have occurred once.
fn allocations_of(restitution: Restitution) -> u64 {
    let size = Vec3::new(0.2, 0.2, 0.1);
    let ball = body("ball", Inertia::solid_sphere(1.0, 0.1), Shape::Sphere { radius: 0.1 });
    let block = body("block", Inertia::solid_box(1.0, size), Shape::Box { size });
    let settings = EventDrivenSettings { restitution, ..Default::default() };
    let mut engine = EventDriven::new(on_floor(vec![ball, block], surface(0.4, 0.7)), settings).unwrap();
    let still = Vec3::zeros();
    let begin = start(
        &engine,
        &[(Vec3::new(0.0, 0.0, 0.6), still, still), (Vec3::new(1.0, 0.0, 0.05), Vec3::new(1.0, 0.0, 0.0), still)],
    );
    let mut state = begin.clone();
    let mut run = |state: &mut veracity_dynamics::integrate::State| {
        while state.time < 1.0 {
            engine.step(&mut NoEfforts, state, 0.01).unwrap();
        }
    };
    // The second run begins with the step size the first ended with, and samples other instants: both sizes must have
    // occurred.
    for _ in 0..2 {
        run(&mut state);
        state.clone_from(&begin);
    }
    let before = allocations();
    run(&mut state);
    allocations() - before
}

#[test]
fn bouncing_and_sliding_allocate_nothing() {
    assert_eq!(allocations_of(Restitution::Newton), 0);
    assert_eq!(allocations_of(Restitution::Poisson), 0);
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let v = std::hint::black_box(vec![1.0f64; 8]);
    assert_eq!(allocations() - before, 1, "{v:?}");
}
