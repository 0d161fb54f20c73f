//! The trace: one scenario with uncertain numbers, run as many particles.

use crate::distribution::Distribution;
use crate::file::trace_file::{SamplingWord, WhenWord};
use crate::scenario::Scenario;
use std::sync::Arc;
use veracity_engine::EngineSpec;
use veracity_model::Findings;
use veracity_record::EventKind;

/// One scenario, its engines, and what is uncertain about it.
#[derive(Clone, Debug)]
pub struct TraceSetup {
    /// Lower case with underscores.
    pub name: String,
    /// Title for display.
    pub title: String,
    /// The question it answers.
    pub text: String,
    /// The scenario with its nominal numbers.
    pub scenario: Arc<Scenario>,
    /// The engine specs.
    pub engines: Vec<EngineSpec>,
    /// Step of every engine [ns].
    pub step_ns: i64,
    /// Particles on each engine, the nominal one included.
    pub particles: u64,
    /// Seed of the random streams.
    pub seed: u64,
    /// How particles are placed.
    pub sampling: SamplingWord,
    /// Independent uncertain numbers.
    pub uncertain: Vec<Uncertain>,
    /// Groups that vary together.
    pub correlated: Vec<Correlated>,
    /// What can happen, in order of precedence.
    pub outcomes: Vec<OutcomeRule>,
    /// Name of the outcome where none applies.
    pub otherwise: String,
    /// Name of the check whose distance to its bound is the margin.
    pub margin: Option<String>,
    /// How events become symbols.
    pub events: EventSymbols,
    /// Limits on probabilities.
    pub gates: Vec<(String, f64)>,
    /// Findings to read before a result is trusted.
    pub findings: Findings,
}

/// An uncertain number.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// Its path.
    pub path: String,
    /// Further paths that get the same value.
    pub also: Vec<String>,
    /// How it is distributed.
    pub distribution: Distribution,
}

/// Numbers with a common covariance: `x = mean + L z` with standard normal `z`.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlated {
    /// Their paths.
    pub paths: Vec<String>,
    /// Their means.
    pub means: Vec<f64>,
    /// Cholesky factor `L` of the covariance, row by row.
    pub factor: Vec<Vec<f64>>,
}

/// When a particle has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeRule {
    /// Name for display.
    pub name: String,
    /// What decides it.
    pub decided_by: DecidedBy,
}

/// What decides an outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum DecidedBy {
    /// A check of the scenario.
    Check {
        /// Its name.
        name: String,
        /// What it must say.
        when: WhenWord,
    },
    /// An impact or touch of a pair whose name contains every one of these words.
    Touch {
        /// The words.
        words: Vec<String>,
    },
}

/// How the event log becomes symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSymbols {
    /// Kinds that count.
    pub kinds: Vec<EventKind>,
    /// Words of which a pair's name must contain one; empty for all pairs.
    pub pairs: Vec<String>,
    /// The same event within this time is one [s].
    pub debounce_s: f64,
    /// Events within this time are simultaneous [s].
    pub together_s: f64,
    /// Symbols kept of a particle.
    pub most: usize,
}

impl Default for EventSymbols {
    fn default() -> Self {
        Self {
            kinds: vec![EventKind::Impact, EventKind::Touch, EventKind::Limit],
            pairs: Vec::new(),
            debounce_s: 0.03,
            together_s: 0.005,
            most: 64,
        }
    }
}

impl TraceSetup {
    /// The paths of all uncertain numbers, in order.
    pub fn paths(&self) -> Vec<&str> {
        let own = self.uncertain.iter().map(|u| u.path.as_str());
        own.chain(self.correlated.iter().flat_map(|c| c.paths.iter().map(String::as_str))).collect()
    }
}
