//! Every number that is dropped on the way into MuJoCo is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;

use veracity_worker::{Limits, WorkerEngine};

fn hold(spec: &str, least: usize) {
    let engine = WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-mujoco").into(), Limits::default());
    engine.try_hello().unwrap();
    dropping::holding::hold(&engine, spec, 1, least);
}

#[test]
fn as_it_comes() {
    hold("mujoco", 107);
}
