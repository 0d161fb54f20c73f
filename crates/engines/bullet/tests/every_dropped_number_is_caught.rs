//! Every number that is dropped on the way into Bullet is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;

use veracity_worker::{Limits, WorkerEngine};

fn hold(spec: &str, least: usize) {
    let engine = WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-bullet").into(), Limits::default());
    engine.try_hello().unwrap();
    dropping::holding::hold(&engine, spec, 1, least);
}

#[test]
fn multibodies() {
    hold("bullet", 101);
}

#[test]
fn maximal_coordinates() {
    hold("bullet:maximal", 101);
}
