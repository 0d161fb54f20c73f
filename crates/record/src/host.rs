//! The part of a record that depends on the machine and the time of day: never part of a digest.

use serde::{Deserialize, Serialize};

/// Cost, machine and stamps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// CPU time of stepping the engine, controllers and recording included [s].
    pub cpu_s: f64,
    /// Wall time of the same [s].
    pub wall_s: f64,
    /// CPU time of loading the world [s].
    pub load_cpu_s: f64,
    /// Steps the engine took.
    pub steps: u64,
    /// Evaluations of accelerations, or solver iterations, as the engine counts them.
    pub evaluations: u64,
    /// Start time: seconds since 1970 UTC.
    pub began_unix_s: f64,
    /// Processor and system, in a line.
    pub machine: String,
}
