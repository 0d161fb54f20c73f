//! The conformance suite over Rapier's specs.

use veracity_engine::Engine;
use veracity_engine::conformance::{Host, Subject, hold, process};
use veracity_engine_rapier::ENGINE;

/// Executed in a process of its own by the claim about fresh processes.
#[test]
fn errand() {
    process::answer_if_asked(&ENGINE);
}

fn conforms(spec: &str, exceptions: &[(&str, &str)]) {
    let settings = ENGINE.resolve(&spec.parse().unwrap()).unwrap();
    let fresh = |errand: &process::Errand| process::in_this_test_binary("errand", errand);
    let host = Host { fresh_process: Some(&fresh), allocations: None };
    let subject = Subject { engine: &ENGINE, settings: &settings, step_s: 1e-3, host };
    match hold(&subject, exceptions) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

#[test]
fn impulse_joints_with_4_iterations() {
    conforms("rapier", &[]);
}

#[test]
fn impulse_joints_with_20_iterations() {
    conforms("rapier:iters=20", &[]);
}

#[test]
fn multibody_joints() {
    conforms("rapier:multibody", &[]);
}

#[test]
fn explicit_drives() {
    conforms("rapier:drives=explicit", &[]);
}
