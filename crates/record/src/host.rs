//! The part of a record that is never part of a digest: what depends on the machine and the time of day, and diagnostics of
//! the engine.

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
    /// Largest residual of the engine's solver in the steps since the row before, one for each row, in the engine's own
    /// measure; empty where it is not reported. Stored after all other fields: records written before it existed have none.
    #[serde(skip)]
    pub solver_residuals: Vec<f64>,
}

/// Name of [`Host::solver_residuals`] among the signals of a record.
pub const SOLVER_RESIDUAL: &str = "solver/residual";
