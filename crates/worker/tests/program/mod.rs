//! The worker program of the crate whose tests include this.

use veracity_worker::{Limits, WorkerEngine};

/// Freshly found, and proven to answer.
pub fn engine() -> WorkerEngine {
    // A worker's program has the name of its package.
    let path = env!(concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME")));
    let engine = WorkerEngine::new(path.into(), Limits::default());
    engine.try_hello().unwrap();
    engine
}
