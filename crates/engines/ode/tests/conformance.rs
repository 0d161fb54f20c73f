//! The conformance suite over ODE's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::{conforms, repeats};

#[test]
fn the_direct_solver() {
    conforms("ode", &[]);
}

#[test]
fn sweeps() {
    conforms("ode:quick,iters=100", &[]);
}

#[test]
fn two_runs_are_one() {
    for spec in ["ode", "ode:quick"] {
        println!("ACCEPT repeat-ode: {}", repeats(spec));
    }
}
