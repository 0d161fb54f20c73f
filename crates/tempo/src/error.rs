//! Errors that keep a run from starting or continuing.

/// What is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct TempoError {
    /// The client, the file or the part of it.
    pub place: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl TempoError {
    /// An error at a place.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }

    /// An error of a system call.
    pub fn system(place: impl Into<String>, doing: &str, error: impl Into<std::io::Error>) -> Self {
        let error: std::io::Error = error.into();
        Self::new(place, format!("{doing}: {error}"))
    }
}
