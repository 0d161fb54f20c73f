//! Every number that is dropped on the way into MuJoCo is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;

use dropping::holding::{WHOLE, hold};
use veracity_worker::{Limits, WorkerEngine};

fn catches_all(spec: &str, least: usize) {
    let engine = WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-mujoco").into(), Limits::default());
    engine.try_hello().unwrap();
    hold(&engine, spec, WHOLE, least, &[]);
}

#[test]
fn as_it_comes() {
    catches_all("mujoco", 107);
}
