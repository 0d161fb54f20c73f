//! Runs a robot's real programs in step with simulated time: the CPU time each one uses advances with the world's.
//!
//! Simulators freeze the world while a controller or planner thinks. Here a planner that needs a second finds a world that
//! has moved on by a second, as on the robot. [`run()`] takes a scenario and programs ([`TempoConfig`]) and gives the record
//! of the motion and what was told of the programs ([`Told`]).
//!
//! Where to read on: `coordinator` owns everybody, `slices` lets them run and charges them, `errand` does so
//! by the short way, `asking` answers them, `seat` is one client at its
//! table, [`tree`] and [`policies`] say whose turn it is, [`schedule`] is the record a replay goes by, `sys` holds what the
//! kernel must be asked without a safe wrapper. docs/tempo.md is the design, with the words.
//!
//! What is deliberately absent: any clock but the clients' CPU clocks in a decision about time; more than one core.

mod asking;
pub mod config;
pub mod coordinator;
mod core_of_ours;
mod detector;
mod errand;
mod error;
pub mod floors;
mod guard;
mod linkage;
mod mailbox;
pub mod outcome;
mod page;
pub mod policies;
mod preemptor;
mod process;
mod run;
pub mod schedule;
mod seat;
mod slices;
mod standing;
mod stopwatch;
mod sys;
mod threads;
pub mod timeline;
mod timer;
pub mod tree;

pub use config::TempoConfig;
pub use coordinator::Mode;
pub use error::TempoError;
pub use outcome::Told;
pub use page::page;
pub use run::{Run, RunOptions, run};
