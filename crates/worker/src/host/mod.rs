//! The host's side: workers are started, spoken to and watched, and are engines like any other.

mod engine;
mod family;
mod finding;
mod greeting;
mod identity;
mod process;
mod remote;
mod rows;
mod said;

pub use engine::WorkerEngine;
pub use finding::find;
pub use process::Limits;
