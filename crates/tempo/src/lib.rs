//! Runs a robot's programs in step with simulated time: the CPU time of each program advances together with the world.
//!
//! Simulators freeze the world while a controller or planner computes. Here a planner that needs a second finds a world
//! that has moved on by a second, as on the robot. [`run()`] runs a scenario with programs ([`TempoConfig`]) and
//! returns the record of the motion and a summary of the programs ([`RunSummary`]).
//!
//! Where to read on: `coordinator` owns all clients, `slices` runs and charges them, `yield_handoff` does so at a lower
//! cost where it can, `questions` answers them, [`link`] connects them to the robot by messages, `faults` handles clients that end, block or misbehave, `client_slot` is
//! the state of one client, `verdict` judges it, [`tree`] and [`policies`] decide which client runs next, [`schedule`] is the event record
//! that a replay follows, `sys` holds the system calls without a safe wrapper. docs/tempo.md is the design, with a
//! glossary.
//!
//! Deliberately absent: any clock other than the clients' CPU clocks in a decision about time; more than one core.
//!
//! ```
//! use veracity_tempo::policies::{Candidate, policy};
//!
//! // Two programs that want to compute now: the one of higher priority runs first, for at most a millisecond.
//! let planner = Candidate { ready_ns: 0, priority: 1, executed_ns: 0, wakes: false, ran_last: true };
//! let controller = Candidate { priority: 10, ran_last: false, ..planner };
//! let pick = policy("fixed_priority").unwrap().pick(&[planner, controller], 0, 1_000_000);
//! assert_eq!(pick.child, 1);
//! ```

mod account;
mod channels;
mod client_slot;
mod command_queue;
pub mod config;
pub mod coordinator;
mod detector;
mod error;
mod faults;
pub mod floors;
pub mod link;
mod linkage;
mod mailbox;
pub mod outcome;
mod page;
mod pinned_core;
pub mod policies;
mod preemptor;
mod process;
mod process_tree;
mod questions;
mod run;
pub mod schedule;
mod slices;
mod stopwatch;
mod sys;
mod system_call;
mod threads;
pub mod timeline;
mod timer;
pub mod tree;
mod tree_of_config;
mod verdict;
mod yield_handoff;

pub use channels::{Channels, channels};
pub use config::TempoConfig;
pub use coordinator::Mode;
pub use error::TempoError;
pub use outcome::RunSummary;
pub use page::page;
pub use run::{Run, RunOptions, run};
