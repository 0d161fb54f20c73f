//! The trace: one scenario with uncertain numbers, run as many particles.

use crate::distribution::Distribution;
use crate::file::trace_file::{SamplingWord, StartWord, WhenWord};
use crate::numbers::Inertias;
use crate::scenario::Scenario;
use std::sync::Arc;
use veracity_control::SensorConfig;
use veracity_control::config::CommandNoise;
use veracity_engine::EngineSpec;
use veracity_model::{Findings, Overrides, Severity};
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
    /// Noise at every sample and control tick of every particle but the nominal one.
    pub noise: Noise,
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
    /// Independent scramblings of Sobol points.
    pub scramblings: u64,
    /// Whether inertia tensors may be ones that no solid has.
    pub inertias: Inertias,
    /// Where a particle starts.
    pub start: StartWord,
    /// Whether each particle runs on one of the engines, chosen at random.
    pub mix_engines: bool,
    /// When to stop early.
    pub until: Option<Until>,
    /// Size of the search for rare failures, if the file asks for one.
    pub splitting: Option<SplittingSize>,
    /// File and line of the uncertain numbers, for messages.
    pub file: String,
    /// Joint axes off by a cone.
    pub cones: Vec<Cone>,
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

/// Errors that are drawn anew at every sample and control tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// Sensors; one with the name of a sensor of the scenario replaces it.
    pub sensors: Vec<SensorConfig>,
    /// Errors of the commands of controllers, by name.
    pub commands: Vec<(String, CommandNoise)>,
}

impl Noise {
    /// A scenario with this noise.
    pub fn added_to(&self, scenario: &Scenario) -> Scenario {
        let mut out = scenario.clone();
        for sensor in &self.sensors {
            match out.sensors.iter_mut().find(|s| s.name == sensor.name) {
                Some(own) => *own = sensor.clone(),
                None => out.sensors.push(sensor.clone()),
            }
        }
        for (name, noise) in &self.commands {
            let named = out.controllers.iter_mut().filter(|c| c.name == *name);
            named.for_each(|controller| controller.noise = Some(*noise));
        }
        out
    }
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

/// A joint axis that is off by a cone: `axis + t₁ e₁ + t₂ e₂`, normalised, with two normal tilts at right angles to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// Path of the axis, without its component.
    pub path: String,
    /// The nominal direction.
    pub axis: [f64; 3],
    /// Distribution of each tilt [rad].
    pub tilt: Distribution,
    /// Names of the two tilts, in [`TraceSetup::paths`].
    pub names: [String; 2],
}

impl Cone {
    /// The tilted axis.
    pub fn tilted(&self, tilts: [f64; 2]) -> [f64; 3] {
        let axis = veracity_model::Vec3::from(self.axis);
        // The coordinate axis least along it gives a direction at right angles.
        let least = axis.map(f64::abs).imin();
        let mut other = veracity_model::Vec3::zeros();
        other[least] = 1.0;
        let first = axis.cross(&other).normalize();
        let second = axis.cross(&first);
        (axis + first * tilts[0] + second * tilts[1]).normalize().into()
    }
}

/// When a trace stops before all particles have run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until {
    /// Bound of the probability of an unseen behaviour.
    pub unseen: f64,
    /// Particles between two looks.
    pub every: u64,
}

/// Size of a search for rare failures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplittingSize {
    /// Points of a run.
    pub population: usize,
    /// Independent runs.
    pub runs: usize,
    /// Moves of a copied point.
    pub moves: usize,
}

/// Name of the number that chooses the engine of a particle.
pub const ENGINE: &str = "engine";

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
    /// The stride radius of the particle's limit cycle is above this; decided before the run.
    StrideRadius {
        /// The largest one that is not.
        above: f64,
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
    /// A touch less than this after the pair separated is no new one [s].
    pub apart_s: f64,
    /// Events before this do not count [s].
    pub from_s: f64,
    /// Events after this do not count [s].
    pub until_s: f64,
    /// Whether only the first event of each symbol counts.
    pub first_only: bool,
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
            apart_s: 0.0,
            from_s: f64::NEG_INFINITY,
            until_s: f64::INFINITY,
            first_only: false,
            most: 64,
        }
    }
}

impl TraceSetup {
    /// The scenario that every particle but the nominal one runs.
    pub fn noisy(&self) -> Arc<Scenario> {
        if self.noise == Noise::default() {
            Arc::clone(&self.scenario)
        } else {
            Arc::new(self.noise.added_to(&self.scenario))
        }
    }

    /// Changed numbers as a particle can have them. Delays of controllers and sensors become whole steps: an engine with fixed
    /// steps can act at no other time.
    pub fn settable(&self, changes: Overrides) -> Overrides {
        let is_delay = |path: &str| {
            path.ends_with("/latency_s") && (path.starts_with("controllers/") || path.starts_with("sensors/"))
        };
        let whole = |x: f64| (x * 1e9 / self.step_ns as f64).round().max(0.0) * self.step_ns as f64 * 1e-9;
        changes.iter().map(|(path, x)| (path.to_string(), if is_delay(path) { whole(x) } else { x })).collect()
    }

    /// The same trace with numbers of its scenario changed. A number that is uncertain already has its distribution: it cannot be set as
    /// well.
    pub fn with(&self, changes: &Overrides) -> Result<Self, Findings> {
        let paths = self.paths();
        let mut problems = Findings::new();
        for (path, _) in changes.iter().filter(|(path, _)| paths.contains(path)) {
            let text =
                format!("'{path}' is uncertain in this trace; change its distribution in {} instead", self.file);
            problems.add(Severity::Error, "override-path", None, path, text);
        }
        if problems.has_errors() {
            return Err(problems);
        }
        Ok(Self { scenario: Arc::new(self.scenario.with(changes)?), ..self.clone() })
    }

    /// The paths of all uncertain numbers, in order.
    pub fn paths(&self) -> Vec<&str> {
        let own = self.uncertain.iter().map(|u| u.path.as_str());
        let grouped = self.correlated.iter().flat_map(|c| c.paths.iter().map(String::as_str));
        let tilts = self.cones.iter().flat_map(|c| c.names.iter().map(String::as_str));
        own.chain(grouped).chain(tilts).chain(self.mix_engines.then_some(ENGINE)).collect()
    }
}
