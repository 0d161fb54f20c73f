//! What a controller or planner links against to run in step with simulated time.
//!
//! The coordinator (`veracity tempo run`) starts the program and decides when it runs; this library is the program's side
//! of the bargain: read sensors, write commands, exchange plans, ask the time, wait for the next activation. The program's
//! own CPU time *is* time: a second of thinking is a second in which the world moves.
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
//! The same program runs against a real robot by another [`Backend`]: nothing but `connect` knows the simulator.
//! [`wire`] is the layout both sides share; C (`include/veracity_client.h`) and Python (`python/veracity_client.py`) go
//! through the functions of [`c_api`].
//!
//! What is deliberately absent: threads (one thread talks to the coordinator) and trust (the coordinator checks every word).

mod backend;
#[allow(unsafe_code)] // Pointers from C: each function says what it asks of its caller.
pub mod c_api;
mod client;
#[allow(unsafe_code)] // mmap, and descriptors by number from the environment.
pub mod shared;
pub mod wire;

pub use backend::Backend;
pub use client::{Client, ClientError, Observed};
