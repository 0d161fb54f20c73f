//! The conformance suite over Bullet's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::{conforms, crosscheck, engine, repeats};

const CORNER_BY_CORNER: (&str, &str) =
    ("event-contact", "a box on a plane finds one corner per step: it lands corner by corner and rocks");

#[test]
fn multibodies() {
    conforms("bullet", &[CORNER_BY_CORNER]);
}

#[test]
fn multibodies_without_contact_cache() {
    conforms("bullet:contact_cache=dropped,perturbations=8", &[]);
}

#[test]
fn maximal_coordinates() {
    conforms("bullet:maximal", &[CORNER_BY_CORNER]);
}

#[test]
fn maximal_coordinates_without_contact_cache() {
    conforms("bullet:maximal,contact_cache=dropped,perturbations=8", &[]);
}

#[test]
fn a_step_is_the_map_that_all_know() {
    let summary = crosscheck::is_semi_implicit_euler(&engine(), "bullet");
    println!("ACCEPT agree-euler-bullet: {summary}");
}

#[test]
fn two_runs_are_one() {
    for spec in ["bullet", "bullet:maximal"] {
        println!("ACCEPT repeat-bullet: {}", repeats(spec));
    }
}
