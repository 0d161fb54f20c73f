//! The worker program of the crate whose tests include this.

use veracity_worker::{Limits, WorkerEngine};

/// A new engine that has answered a hello.
pub fn engine() -> WorkerEngine {
    // A worker's program has the name of its package.
    let path = env!(concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME")));
    let engine = WorkerEngine::new(path.into(), Limits::default());
    engine.try_hello().unwrap();
    engine
}
