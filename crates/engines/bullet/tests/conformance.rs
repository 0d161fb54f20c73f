//! The conformance suite over Bullet's specs, through its worker.

use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};
use veracity_worker::{Limits, WorkerEngine};

#[path = "../../../worker/tests/crosscheck/mod.rs"]
mod crosscheck;

fn engine() -> WorkerEngine {
    WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-bullet").into(), Limits::default())
}

/// Executed in a process of its own by the claim about fresh processes.
#[test]
fn errand() {
    process::answer_if_asked(&engine());
}

fn conforms(spec: &str, exceptions: &[(&str, &str)]) {
    let engine = engine();
    engine.try_hello().unwrap();
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let fresh = |errand: &process::Errand| process::in_this_test_binary("errand", errand);
    let host = Host { fresh_process: Some(&fresh), allocations: None };
    match hold(&Subject { engine: &engine, settings: &settings, step_s: 1e-3, host }, exceptions) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

const CORNER_BY_CORNER: (&str, &str) =
    ("event-contact", "a box on a plane finds one corner in a step: it lands corner by corner, and rocks");

#[test]
fn multibodies() {
    conforms("bullet", &[CORNER_BY_CORNER]);
}

#[test]
fn multibodies_whose_contacts_are_found_anew() {
    conforms("bullet:contact_cache=dropped,perturbations=8", &[]);
}

#[test]
fn maximal_coordinates() {
    conforms("bullet:maximal", &[CORNER_BY_CORNER]);
}

#[test]
fn maximal_coordinates_whose_contacts_are_found_anew() {
    conforms("bullet:maximal,contact_cache=dropped,perturbations=8", &[]);
}

#[test]
fn a_step_is_the_map_that_all_know() {
    let told = crosscheck::is_semi_implicit_euler(&engine(), "bullet");
    println!("ACCEPT agree-euler-bullet: {told}");
}

#[test]
fn two_runs_are_one() {
    for spec in ["bullet", "bullet:maximal"] {
        println!("ACCEPT repeat-bullet: {}", crosscheck::repeats(&engine(), &engine(), spec));
    }
}
