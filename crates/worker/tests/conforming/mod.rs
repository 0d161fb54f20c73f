//! The conformance suite over a worker's specs: included by the tests of each worker, as
//!
//! ```ignore
//! #[path = "../../../worker/tests/conforming/mod.rs"]
//! mod conforming;
//! ```
//!
//! under exactly this name, by which the claim about fresh processes finds its task.

#[path = "../crosscheck/mod.rs"]
pub mod crosscheck;
#[path = "../program/mod.rs"]
mod program;

pub use program::engine;
use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};

/// Executed in a separate process by the claim about fresh processes.
#[test]
fn run_task() {
    process::answer_if_asked(&engine());
}

/// Tests every claim on the worker under a spec, at a millisecond, except for the exceptions, each with its reason.
pub fn conforms(spec: &str, exceptions: &[(&str, &str)]) {
    let engine = engine();
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let fresh = |task: &process::ResumeTask| process::in_this_test_binary("conforming::run_task", task);
    let host = Host { fresh_process: Some(&fresh), allocations: None };
    match hold(&Subject { engine: &engine, settings: &settings, step_s: 1e-3, host }, exceptions) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

/// See [`crosscheck::repeats`]: two runs in separate processes give the same bits; returns the summary.
#[allow(dead_code)] // Where bodies of all shapes touch, or none.
pub fn repeats(spec: &str) -> String {
    crosscheck::repeats(&engine(), &engine(), spec)
}
