//! The conformance suite over Simbody's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::crosscheck::{self, heap_of_balls, repeats_in};
use conforming::{conforms, engine};

/// By its law, equation (5) of `surfaces.hpp`, a ball that rebounds with half of 1 m/s does so with 0.32 of the 2 m/s
/// that it has here; `tests/compliant.rs` tests that law.
const ONE_SPEED: (&str, &str) = ("contact-bounce", "restitution equals the world's value at impacts of 1 m/s only");

#[test]
fn as_it_comes() {
    conforms("simbody", &[ONE_SPEED]);
}

#[test]
fn eulers_step() {
    let thrown =
        "the force at the step's beginning, 0.2 to 1 mm deep, throws bodies off the ground within a millisecond";
    let touching =
        ["contact-rest", "contact-bounce", "contact-friction", "event-contact"].map(|claim| (claim, thrown));
    let stop = ("limit-held", "with an Euler step the stop's damping throws the sled back");
    conforms("simbody:semi_explicit_euler", &[&touching[..], &[stop]].concat());
}

#[test]
fn a_step_is_the_map_that_all_know() {
    let summary = crosscheck::is_semi_implicit_euler(&engine(), "simbody:semi_explicit_euler");
    println!("ACCEPT agree-euler-simbody: {summary}");
}

#[test]
fn two_runs_are_one() {
    let chain = (crosscheck::chain(), vec![0.0; 10]);
    for spec in ["simbody", "simbody:semi_explicit_euler"] {
        println!("ACCEPT repeat-simbody: {}", repeats_in(&engine(), &engine(), spec, &chain, "the chain"));
    }
    // Sticking is ten times less stiff at ten times the transition speed, which is that much faster.
    let spec = "simbody:transition_speed_m_s=0.01";
    let summary = repeats_in(&engine(), &engine(), spec, &heap_of_balls(), "nine balls that fall and scatter");
    println!("ACCEPT repeat-simbody: {summary}");
}
