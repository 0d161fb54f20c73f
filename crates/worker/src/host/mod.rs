//! The host's side: starts, talks to and supervises workers, and presents them as engines.

mod engine;
mod family;
mod finding;
mod greeting;
mod identity;
mod one_line;
mod process;
mod remote;
mod rows;

pub use engine::WorkerEngine;
pub use finding::find;
pub use process::Limits;
