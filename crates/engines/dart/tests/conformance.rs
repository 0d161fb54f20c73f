//! The conformance suite over DART's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::{conforms, crosscheck, engine, repeats};

#[test]
fn as_it_comes() {
    conforms("dart", &[]);
}

#[test]
fn sweeps() {
    conforms("dart:pgs,iters=100", &[]);
}

#[test]
fn contacts_of_bullet() {
    let margins = "bullet's points are off by its margins: 3 % of the travel";
    let late = "a point that comes and goes logs a separate stick after the rest";
    conforms("dart:collision=bullet", &[("contact-friction", margins), ("event-contact", late)]);
}

#[test]
fn a_step_is_the_map_that_all_know() {
    let summary = crosscheck::is_semi_implicit_euler(&engine(), "dart");
    println!("ACCEPT agree-euler-dart: {summary}");
}

#[test]
fn two_runs_are_one() {
    for spec in ["dart", "dart:pgs"] {
        println!("ACCEPT repeat-dart: {}", repeats(spec));
    }
}
