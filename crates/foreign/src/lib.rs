//! What every foreign engine needs: a world as rigid pieces with the frames of their joints, who may touch whom, and an
//! engine made of a table of C functions.
//!
//! [`Scene`] is a world laid out flat; [`ShimEngine`] fulfils the contract over a shim, the C++ side of
//! `include/veracity_shim.h`: inputs, samples, guards, gaps, events and snapshots are done here, once. A shim's executable
//! is served to others by `veracity-worker`.
//!
//! What is deliberately absent: any particular engine, and processes.

pub mod coordinates;
mod engine;
mod ffi;
mod loads;
mod motion;
pub mod pieces;
pub mod progress;
mod refusals;
pub mod scene;
mod simulation;
mod touch;

pub use engine::ShimEngine;
pub use ffi::{Abilities, Api, Shim, flags};
pub use refusals::Refusals;
pub use scene::{Place, Scene};
pub use simulation::{ForeignSimulation, logged_point};
pub use touch::{TouchTable, Touching};
