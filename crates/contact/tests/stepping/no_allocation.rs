//! No step allocates once its number of contacts has occurred, and a restored run continues bit for bit.

use crate::support::{Run, balls, block_row, pinch};
use veracity_contact::{Paradigm, SteppingSettings};
use veracity_counting::Counting;
use veracity_dynamics::ConstantEfforts;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn held_cube() -> Run {
    let (world, tau) = pinch();
    let mut run = Run::new(&world, SteppingSettings::default());
    run.efforts = Box::new(ConstantEfforts(tau));
    run
}

#[test]
fn steps_allocate_nothing() {
    let settled = |mut run: Run| {
        run.run(1e-3, 200);
        let before = veracity_counting::allocations();
        run.run(1e-3, 200);
        veracity_counting::allocations() - before
    };
    assert_eq!(settled(held_cube()), 0, "pinch");
    assert_eq!(settled(Run::new(&block_row(3, 100.0), SteppingSettings::default())), 0, "row");
    // Balls at rest on the ground in one layer: the contacts do not change.
    assert_eq!(settled(Run::new(&balls(1, 0.1, 1.0, 0.5, 0.3, 0.1, 0.0), SteppingSettings::default())), 0, "ball");
}

#[test]
fn a_restored_run_goes_on_bit_for_bit() {
    let mut first = held_cube();
    first.run(1e-3, 150);
    let mut memory = Vec::new();
    first.stepping.memory(&mut memory);
    let mut second = held_cube();
    second.state = first.state.clone();
    assert!(second.stepping.set_memory(&memory));
    first.run(1e-3, 150);
    second.run(1e-3, 150);
    assert_eq!(first.state, second.state);
    // Without its memory the run differs: the test can fail.
    let mut third = held_cube();
    third.run(1e-3, 150);
    third.stepping.set_memory(&{
        let mut empty = Vec::new();
        held_cube().stepping.memory(&mut empty);
        empty
    });
    third.run(1e-3, 150);
    assert_ne!(first.state, third.state);
    assert!(!second.stepping.set_memory(&memory[..memory.len() - 1]));
}
