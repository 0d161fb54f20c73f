//! Engines in processes of their own.
//!
//! [`serve()`] puts any engine behind the protocol: a worker is an executable whose `main` calls it. [`WorkerEngine`] is the
//! other side: it starts such executables, speaks to them over shared memory, watches them, and fulfils the engine contract.
//! A worker that crashes, hangs or eats memory ends its own trial, with the reason, and is started again for the next.
//!
//! Controllers and sensors of a trial go there as well, as tables, so that steps with a controller at each of them are one
//! request like any other.
//!
//! The protocol is in `docs/workers.md`, byte for byte; workers in other languages follow it.
//!
//! What is deliberately absent: any particular engine, and anything that a contract's call does not ask for. `unsafe` is in
//! one module, the mapping of the memory (`shared`).

mod channel;
mod held;
mod host;
mod looped;
mod message;
mod serve;
mod shared;
mod wire;

pub use host::{Limits, WorkerEngine, find};
pub use serve::serve;

/// Version of the protocol.
pub const PROTOCOL: u64 = 2;
