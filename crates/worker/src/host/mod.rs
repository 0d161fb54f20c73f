//! The host's side: workers are started, spoken to and watched, and are engines like any other.

mod engine;
mod finding;
mod process;
mod remote;

pub use engine::WorkerEngine;
pub use finding::find;
pub use process::Limits;
