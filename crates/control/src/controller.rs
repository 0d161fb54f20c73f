//! The trait of all controllers.

use crate::signal_layout::{Command, Observation};
use serde::{Deserialize, Serialize};

/// When a controller runs and when its command acts. Whole nanoseconds: two clocks meet here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// From one activation to the next.
    pub period_ns: i64,
    /// The first activation.
    pub phase_ns: i64,
    /// From activation to the moment its command acts.
    pub latency_ns: i64,
    /// Deadline after activation; `None` for none.
    pub deadline_ns: Option<i64>,
}

/// Why a controller could not be built, run or restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("controller '{controller}': {what}")]
pub struct ControllerError {
    /// Its name.
    pub controller: String,
    /// What is wrong and what to do.
    pub what: String,
}

/// Turns observations into commands. Built-in, Python, recorded, external-process and NaoQi controllers all implement
/// it.
pub trait Controller: Send {
    /// Resets to the initial state.
    fn reset(&mut self) -> Result<(), ControllerError>;

    /// One activation at `time_ns`. The command still holds the last values; values that are not written stay.
    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError>;

    /// Appends its memory.
    fn snapshot(&self, out: &mut Vec<u8>);

    /// Restores a snapshot; the whole slice belongs to it.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError>;
}
