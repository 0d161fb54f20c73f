//! The conformance suite over ODE's specs, through its worker.

use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};
use veracity_worker::{Limits, WorkerEngine};

#[path = "../../../worker/tests/crosscheck/mod.rs"]
mod crosscheck;

fn engine() -> WorkerEngine {
    WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-ode").into(), Limits::default())
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
        println!("ACCEPT repeat-ode: {}", crosscheck::repeats(&engine(), &engine(), spec));
    }
}
