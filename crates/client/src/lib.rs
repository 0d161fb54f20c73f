//! Library that a controller or planner links against to run in step with simulated time.
//!
//! The coordinator (`veracity tempo run`) starts the program and decides when it runs. With this library the program
//! reads sensors, writes commands, exchanges plans, reads the time and waits for the next activation. Its CPU time *is*
//! time: while it computes for a second, the world moves for a second.
//!
//! ```no_run
//! let mut robot = veracity_client::Client::connect().unwrap();
//! let hinge = robot.observation_place("hinge/position").unwrap();
//! while robot.wait().unwrap() {
//!     let seen = robot.observe().unwrap();
//!     let effort = -30.0 * seen.values[hinge];
//!     robot.command(&[effort]).unwrap();
//! }
//! ```
//!
//! The same program runs on a real robot with another [`Backend`]: only `connect` is specific to the simulator.
//! [`wire`] is the memory layout both sides share; C (`include/veracity_client.h`) and Python
//! (`python/veracity_client.py`) use the functions of [`c_api`].
//!
//! Deliberately absent: threads (one thread talks to the coordinator) and trust (the coordinator checks every word).

mod backend;
#[allow(unsafe_code)] // Pointers from C: each function states what its caller must guarantee.
pub mod c_api;
mod client;
#[allow(unsafe_code)] // The CPU clock of another process has no safe wrapper.
pub mod members;
#[allow(unsafe_code)] // mmap, and descriptors by number from the environment.
pub mod shared;
pub mod wire;

pub use backend::Backend;
pub use client::{Client, ClientError, Observed, channel_place};
