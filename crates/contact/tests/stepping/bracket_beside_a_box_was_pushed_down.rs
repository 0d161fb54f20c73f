//! A bracket that a box touches from the side was pushed into the ground, and the box lifted.
//!
//! Pile 2721: a box is some micrometres inside an upright edge of a bracket (a mesh). Its edge also crosses the outline
//! of the bracket's top, 27 mm above, and each crossing counted as a contact that deep with an upright normal. It
//! carried the box's weight, and correcting that depth lifted the pile by 3.0e-4 of its energy, without a source.

use crate::generator::pile;
use veracity_contact::{Paradigm, Stepping, SteppingSettings};
use veracity_dynamics::energy::energy;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{NoEfforts, Workspace};

#[test]
fn edges_that_cross_far_above_are_no_contact() {
    let pile = pile(2721);
    let mut paradigm = Stepping::new(&pile.world, SteppingSettings::default()).unwrap();
    let system = paradigm.world().system.clone();
    let mut ws = Workspace::new(&system);
    let mut state = State { time: 0.0, q: pile.q.clone(), v: pile.v.clone() };
    let start = energy(&system, &mut ws, &state.q, &state.v).total();
    let (mut lowest, mut rise, mut deepest) = (start, 0.0_f64, 0.0_f64);
    for _ in 0..500 {
        paradigm.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
        let now = energy(&system, &mut ws, &state.q, &state.v).total();
        rise = rise.max(now - lowest);
        lowest = lowest.min(now);
        deepest = paradigm.touches().iter().fold(deepest, |d, t| d.max(-t.gap));
    }
    // No body moves by more than a few millimetres in a step: no overlap can be deeper.
    assert!(deepest < 5e-3, "{deepest:e} m deep");
    // The bound of all piles (`piles/main.rs`).
    assert!(rise < 1e-4 * start, "rises by {:e} of its energy", rise / start);
}
