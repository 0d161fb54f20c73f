//! Capabilities an engine declares. The conformance suite tests each of them.

use serde::{Deserialize, Serialize};

/// How closely a restored or forked simulation continues the original.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// Byte for byte like the uninterrupted one.
    Exact,
    /// With a difference, measured by the conformance suite and published here.
    Approximate {
        /// Largest difference of any position over the suite's run [rad or m].
        difference: f64,
    },
    /// Not at all.
    None,
}

/// How well the time of a guard's crossing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventTime {
    /// Located inside the step, to the integrator's own accuracy.
    Located,
    /// Between the beginning and the end of a step.
    Bracketed,
}

/// How a joint drive acts within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveForm {
    /// Evaluated at every instant the integrator evaluates.
    Continuous,
    /// With the state at the end of the step: stable at any gain.
    Implicit,
    /// With the state at the beginning of the step: a sampled controller.
    Explicit,
    /// Drives are not supported.
    None,
}

/// What an engine can do under a given spec.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Snapshot, restore and fork.
    pub snapshot: Fidelity,
    /// Guards.
    pub events: EventTime,
    /// Joint drives.
    pub drives: DriveForm,
    /// Bodies can touch.
    pub contact: bool,
    /// Joint limits are enforced.
    pub limits: bool,
    /// Forces through joints are reported.
    pub reactions: bool,
    /// Accelerations of bodies are reported.
    pub accelerations: bool,
    /// Gaps of named pairs are reported.
    pub gaps: bool,
    /// Chooses its own steps; samples then come from inside a step without cutting it.
    pub adaptive: bool,
    /// Two runs give the same bytes.
    pub deterministic: bool,
    /// Numbers are stored in single precision: a state is set to that precision, and every step rounds.
    #[serde(default)]
    pub single_precision: bool,
}
