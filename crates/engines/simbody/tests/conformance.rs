//! The conformance suite over Simbody's specs, through its worker.

use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};
use veracity_worker::{Limits, WorkerEngine};

#[path = "../../../worker/tests/crosscheck/mod.rs"]
mod crosscheck;

fn engine() -> WorkerEngine {
    WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-simbody").into(), Limits::default())
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

#[test]
fn as_it_comes() {
    conforms("simbody", &[]);
}

#[test]
fn eulers_step() {
    let thrown = "under Euler's step the stop's damping throws the sled back";
    conforms("simbody:semi_explicit_euler", &[("limit-held", thrown)]);
}

#[test]
fn a_step_is_the_map_that_all_know() {
    let told = crosscheck::is_semi_implicit_euler(&engine(), "simbody:semi_explicit_euler");
    println!("ACCEPT agree-euler-simbody: {told}");
}

#[test]
fn two_runs_are_one() {
    for spec in ["simbody", "simbody:semi_explicit_euler"] {
        println!("ACCEPT repeat-simbody: {}", crosscheck::repeats(&engine(), &engine(), spec));
    }
}
