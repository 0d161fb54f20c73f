//! One point of a study: a pure, serialisable, content-addressed job.

use serde::{Deserialize, Serialize};
use veracity_engine::EngineSpec;
use veracity_model::Digest;

/// Everything that decides a record. `TrialSpec -> Record` is a pure function of this, the engine and our build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialSpec {
    /// Name of the scenario, for display.
    pub scenario: String,
    /// Digest of the scenario before the overrides.
    pub base: Digest,
    /// Numbers changed for this trial, by path.
    pub overrides: Vec<(String, f64)>,
    /// The engine.
    pub engine: EngineSpec,
    /// Requested step [ns].
    pub step_ns: i64,
    /// Seed of the study's random streams.
    pub seed: u64,
    /// Index of the trial in the study, for the random streams: the same point keeps its numbers in a larger study.
    pub index: u64,
    /// Where it starts.
    pub start: Start,
}

/// Where a trial starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At time zero, in the scenario's start state.
    Zero,
    /// In a snapshot of another trial: time, engine, controllers and sensors as one blob.
    Snapshot {
        /// As returned by [`crate::Session::snapshot`].
        blob: Vec<u8>,
    },
}

/// The key a trial is stored under: the spec, the engine with all its settings and version, and our build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TrialKey(pub Digest);

impl TrialKey {
    /// Where the trial is stored if it reached this cap of CPU time [s]: another cap may let it finish.
    pub fn too_slow(self, cap_s: f64) -> TrialKey {
        TrialKey(Digest::of_parts([&b"too slow"[..], &cap_s.to_bits().to_le_bytes(), &self.0.0]))
    }
}

impl TrialSpec {
    /// The key for an engine's full spec, version and identity (see [`veracity_engine::Engine::identity`]) and for our
    /// build.
    pub fn key(&self, full_spec: &str, engine_version: &str, identity: &str, build: &str) -> TrialKey {
        // The struct as bytes first, then what only the engine knows. Display names do not count.
        let mut nameless = self.clone();
        nameless.scenario.clear();
        let spec = postcard::to_stdvec(&nameless).expect("a trial spec can be written to memory");
        let parts =
            [&spec[..], full_spec.as_bytes(), engine_version.as_bytes(), identity.as_bytes(), build.as_bytes()];
        TrialKey(Digest::of_parts(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_decides_a_record_is_in_the_key() {
        let spec = TrialSpec {
            scenario: "pendulum".to_string(),
            base: Digest::of(b"pendulum"),
            overrides: vec![("world/pendulum/bodies/bob/mass".to_string(), 1.0)],
            engine: "native".parse().unwrap(),
            step_ns: 1_000_000,
            seed: 1,
            index: 0,
            start: Start::Zero,
        };
        let key = spec.key("native:integrator=rk4", "1", "", "a");
        let changed = |change: fn(&mut TrialSpec)| {
            let mut other = spec.clone();
            change(&mut other);
            other.key("native:integrator=rk4", "1", "", "a")
        };
        let others = [
            changed(|s| s.base = Digest::of(b"other")),
            changed(|s| s.overrides[0].1 = 1.0 + f64::EPSILON),
            changed(|s| s.step_ns = 2_000_000),
            changed(|s| s.seed = 2),
            changed(|s| s.index = 1),
            changed(|s| s.start = Start::Snapshot { blob: Vec::new() }),
            spec.key("native:integrator=euler", "1", "", "a"),
            spec.key("native:integrator=rk4", "2", "", "a"),
            spec.key("native:integrator=rk4", "1", "files", "a"),
            spec.key("native:integrator=rk4", "1", "", "b"),
        ];
        assert!(others.iter().all(|o| *o != key));
        assert_eq!(changed(|s| s.scenario = "another name".to_string()), key);
    }
}
