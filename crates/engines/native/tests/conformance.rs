//! The conformance suite over the native engine, under each of its integrators.

mod counting;

use veracity_engine::Engine;
use veracity_engine::conformance::{self, Host, Subject, process};
use veracity_engine_native::ENGINE;

/// Run in a process of its own by the suite; on its own it does nothing.
#[test]
fn errand() {
    process::answer_if_asked(&ENGINE);
}

fn hold(spec: &str) {
    let settings = ENGINE.resolve(&spec.parse().unwrap()).unwrap();
    let fresh_process = |errand: &process::Errand| process::in_this_test_binary("errand", errand);
    let host = Host { fresh_process: Some(&fresh_process), allocations: Some(counting::allocations) };
    let subject = Subject { engine: &ENGINE, settings: &settings, step_s: 1e-3, host };
    match conformance::hold(&subject, &[]) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

#[test]
fn euler_conforms() {
    hold("native:euler");
}

#[test]
fn rk4_conforms() {
    hold("native:rk4");
}

#[test]
fn dop853_conforms() {
    hold("native:dop853");
}

#[test]
fn midpoint_conforms() {
    hold("native:midpoint");
}

#[test]
fn implicit_conforms() {
    hold("native:implicit");
}
