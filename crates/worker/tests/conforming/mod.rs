//! The conformance suite over a worker's specs: included by the tests of each worker, as
//!
//! ```ignore
//! #[path = "../../../worker/tests/conforming/mod.rs"]
//! mod conforming;
//! ```
//!
//! under just this name, by which the claim about fresh processes finds its errand.

#[path = "../crosscheck/mod.rs"]
pub mod crosscheck;
#[path = "../program/mod.rs"]
mod program;

pub use program::engine;
use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};

/// Executed in a process of its own by the claim about fresh processes.
#[test]
fn errand() {
    process::answer_if_asked(&engine());
}

/// Holds the worker under a spec, at a millisecond, to every claim but the exceptions, each with its reason.
pub fn conforms(spec: &str, exceptions: &[(&str, &str)]) {
    let engine = engine();
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let fresh = |errand: &process::Errand| process::in_this_test_binary("conforming::errand", errand);
    let host = Host { fresh_process: Some(&fresh), allocations: None };
    match hold(&Subject { engine: &engine, settings: &settings, step_s: 1e-3, host }, exceptions) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

/// See [`crosscheck::repeats`]: two runs, each in a process of its own, give the same bits; tells of how many.
#[allow(dead_code)] // Where bodies of all shapes touch, or none.
pub fn repeats(spec: &str) -> String {
    crosscheck::repeats(&engine(), &engine(), spec)
}
