//! Errors of an engine: a world it cannot express, an invalid request, or numerical trouble.

use crate::spec::SpecError;

/// A feature an engine cannot express. It is never silently replaced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{feature} is not expressible in this engine; {hint}")]
pub struct Unsupported {
    /// What the world asks for, with the name of the part, e.g. `the screw joint 'arm/lift'`.
    pub feature: String,
    /// What to do.
    pub hint: String,
}

/// Why a world was not loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// The world has features the engine does not; all of them are listed.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unsupported(Vec<Unsupported>),
    /// The spec names settings that do not exist or do not go together.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The start state is of the wrong size, not finite, or not on the constraints.
    #[error("start state rejected: {0}")]
    State(String),
    /// The bytes are not a snapshot of this simulation.
    #[error("snapshot rejected: {0}")]
    Snapshot(String),
    /// Anything else, in a sentence.
    #[error("{0}")]
    Other(String),
}

/// Numerical trouble, as a value for the record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at t = {time} s: {reason}")]
pub struct StepError {
    /// [s]
    pub time: f64,
    /// In a sentence, with what to do.
    pub reason: String,
}
