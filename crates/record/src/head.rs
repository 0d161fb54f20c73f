//! What was run.

use serde::{Deserialize, Serialize};
use veracity_model::Digest;

/// Raised whenever the deterministic part changes its meaning; newer files are refused, older ones read.
pub const SCHEMA: u32 = 1;

/// What was run, so that it can be run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The scenario's name, or that of the recording.
    pub scenario: String,
    /// The trial's key: digest of everything that decides the outcome. `None` for recordings of reality.
    pub key: Option<Digest>,
    /// The engine spec in one line, every setting written out. Empty for recordings of reality.
    pub engine: String,
    /// The engine's own version.
    pub engine_version: String,
    /// Our version.
    pub veracity_version: String,
    /// Step asked of the engine [s].
    pub step_s: f64,
    /// How long the trial was meant to run [s].
    pub duration_s: f64,
    /// Seed of the random streams.
    pub seed: u64,
    /// Numbers that were changed for this trial, by path.
    pub overrides: Vec<(String, f64)>,
    /// Digest of the world.
    pub world: Digest,
}
