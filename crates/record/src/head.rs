//! What was run.

use crate::EventRules;
use serde::{Deserialize, Serialize, Serializer};
use veracity_model::Digest;

/// Raised whenever the deterministic part changes its meaning; newer files are rejected, older ones read.
///
/// | schema | new in it |
/// |---|---|
/// | 2 | [`Head::events`] |
pub const SCHEMA: u32 = 2;

/// The first schema whose heads have thresholds of events.
const WITH_EVENT_RULES: u32 = 2;

/// Description of what was run, sufficient to run it again.
#[derive(Clone, Debug, PartialEq)]
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
    /// The version of veracity.
    pub veracity_version: String,
    /// Nominal step of the engine [s].
    pub step_s: f64,
    /// Nominal duration of the trial [s].
    pub duration_s: f64,
    /// Seed of the random streams.
    pub seed: u64,
    /// Numbers that were changed for this trial, by path.
    pub overrides: Vec<(String, f64)>,
    /// Digest of the world.
    pub world: Digest,
    /// Thresholds of the event log; `None` if there is no log: recordings, engines without one, files of schema 1.
    pub events: Option<EventRules>,
}

/// A head of schema 1, and the beginning of every later one.
#[derive(Serialize, Deserialize)]
pub(crate) struct FirstHead {
    schema: u32,
    scenario: String,
    key: Option<Digest>,
    engine: String,
    engine_version: String,
    veracity_version: String,
    step_s: f64,
    duration_s: f64,
    seed: u64,
    overrides: Vec<(String, f64)>,
    world: Digest,
}

impl FirstHead {
    pub(crate) fn with_events(self, events: Option<EventRules>) -> Head {
        Head {
            schema: self.schema,
            scenario: self.scenario,
            key: self.key,
            engine: self.engine,
            engine_version: self.engine_version,
            veracity_version: self.veracity_version,
            step_s: self.step_s,
            duration_s: self.duration_s,
            seed: self.seed,
            overrides: self.overrides,
            world: self.world,
            events,
        }
    }
}

impl Serialize for Head {
    /// In the form of its own schema, so that the digest of an old file stays the same.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let first = FirstHead {
            schema: self.schema,
            scenario: self.scenario.clone(),
            key: self.key,
            engine: self.engine.clone(),
            engine_version: self.engine_version.clone(),
            veracity_version: self.veracity_version.clone(),
            step_s: self.step_s,
            duration_s: self.duration_s,
            seed: self.seed,
            overrides: self.overrides.clone(),
            world: self.world,
        };
        if self.schema < WITH_EVENT_RULES {
            first.serialize(serializer)
        } else {
            (first, self.events).serialize(serializer)
        }
    }
}
