//! A capsule that flies into the hollow of a bracket was clamped there with forty million newton seconds, and gained
//! energy.
//!
//! Pile 9939: the capsule touches both inner walls, and the line through the two points lies inside both friction
//! cones. Opposite forces of any size along it change no velocity. Newton's method moved out along that line until
//! rounding stopped it, the solver kept that point as its best, and its sweeps could not return; the next step started
//! from those impulses, did not converge either, and added 6.0e-4 of the pile's energy.

use crate::generator::pile;
use veracity_contact::{Paradigm, Stepping, SteppingSettings};
use veracity_dynamics::energy::energy;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{NoEfforts, Workspace};

#[test]
fn two_walls_do_not_clamp_with_more_than_there_is() {
    let pile = pile(9939);
    let mut paradigm = Stepping::new(&pile.world, SteppingSettings::default()).unwrap();
    let system = paradigm.world().system.clone();
    let mut ws = Workspace::new(&system);
    let mut state = State { time: 0.0, q: pile.q.clone(), v: pile.v.clone() };
    let start = energy(&system, &mut ws, &state.q, &state.v).total();
    // No more momentum than if all of the initial energy moved all of the mass in one direction [N s].
    let mass: f64 = system.block_masses().iter().sum();
    let most = (2.0 * mass * start).sqrt();
    let (mut lowest, mut rise, mut largest) = (start, 0.0_f64, 0.0_f64);
    for _ in 0..400 {
        paradigm.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
        let now = energy(&system, &mut ws, &state.q, &state.v).total();
        rise = rise.max(now - lowest);
        lowest = lowest.min(now);
        let size = |x: [f64; 3]| (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
        largest = paradigm.touches().iter().fold(largest, |most, t| most.max(size(t.impulse)));
    }
    assert!(largest < most, "{largest:e} N s, where all there is are {most:e}");
    // The bound of all piles (`piles/main.rs`).
    assert!(rise < 1e-4 * start, "rises by {:e} of its energy", rise / start);
}
