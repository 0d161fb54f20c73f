//! Features of a world that an engine cannot express, collected so that one error names them all.

use veracity_engine::{LoadError, Unsupported};

/// The list, in the order of the world.
#[derive(Debug, Default)]
pub struct Refusals(Vec<Unsupported>);

impl Refusals {
    /// Adds a refusal.
    pub fn add(&mut self, feature: impl Into<String>, hint: impl Into<String>) {
        self.0.push(Unsupported { feature: feature.into(), hint: hint.into() });
    }

    /// An error if there were any.
    pub fn result(self) -> Result<(), LoadError> {
        if self.0.is_empty() { Ok(()) } else { Err(LoadError::Unsupported(self.0)) }
    }
}
