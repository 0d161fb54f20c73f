//! The three ways an engine says no: it cannot express a world, it was told something impossible, its arithmetic broke.

use crate::spec::SpecError;

/// Something an engine cannot express. Never a silent substitute.
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
    #[error("the start state was not taken: {0}")]
    State(String),
    /// The bytes are no snapshot of this simulation.
    #[error("the snapshot was not taken: {0}")]
    Snapshot(String),
    /// Anything else, in a sentence.
    #[error("{0}")]
    Other(String),
}

/// Numerical trouble: data for the record, not a panic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at t = {time} s: {reason}")]
pub struct Trouble {
    /// [s]
    pub time: f64,
    /// In a sentence, with what to do.
    pub reason: String,
}
