//! What a trace file may hold. `docs/traces.md` explains it with examples.

use crate::file::study_file::VaryTable;
use schemars::JsonSchema;
use serde::Deserialize;
use veracity_control::SensorConfig;
use veracity_control::config::CommandNoise;

/// A trace: one scenario, many particles, each with other values of the uncertain numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// Version of this format: 1.
    pub schema: i64,
    /// Lower case letters, digits and underscores.
    pub name: String,
    /// Title for display.
    #[serde(default)]
    pub title: Option<String>,
    /// The question it answers.
    #[serde(default)]
    pub text: String,
    /// A scenario file relative to this one (ending in .toml) or the name of a built-in scenario.
    pub scenario: String,
    /// Engine specs; the same particles run on each.
    #[schemars(length(min = 1))]
    pub engines: Vec<String>,
    /// Step [s]; the scenario's own unless given.
    #[serde(default)]
    pub step_s: Option<f64>,
    /// Number of particles on each engine. Particle 0 is nominal: no number is changed.
    #[schemars(range(min = 2, max = 10000000))]
    pub particles: u32,
    /// Seed of the random streams.
    #[serde(default)]
    pub seed: u64,
    /// How the particles fill the space of the uncertain numbers.
    #[serde(default)]
    pub sampling: SamplingWord,
    /// Independent scramblings of Sobol points, whose spread gives the intervals; 10 unless given.
    #[serde(default)]
    #[schemars(range(min = 10, max = 1000))]
    pub scramblings: Option<u32>,
    /// Inertia tensors may be ones that no solid has: independent noise on their entries, as published. The number of such particles is
    /// reported.
    #[serde(default)]
    pub raw_inertia: bool,
    /// Where a particle starts; `scenario` unless given.
    #[serde(default)]
    pub start: StartWord,
    /// Each particle runs on one of the engines, chosen at random: the engine is one more uncertain number. Unless given,
    /// every particle runs on every engine.
    #[serde(default)]
    pub mix_engines: bool,
    /// Uncertain numbers, fixed for a particle: a path and its distribution. `mean` of a normal or Student t distribution is the
    /// scenario's own value unless given.
    #[schemars(length(min = 1))]
    pub uncertain: Vec<VaryTable>,
    /// Groups of numbers that vary together, as a multivariate normal distribution.
    #[serde(default)]
    pub correlated: Vec<CorrelatedTable>,
    /// Noise that is drawn anew at every sample and control tick of every particle but the nominal one.
    #[serde(default)]
    pub noise: NoiseTable,
    /// What can happen to a particle; the first that applies is its outcome.
    #[serde(default)]
    pub outcomes: Vec<OutcomeTable>,
    /// Name of the outcome of a particle to which none applies.
    #[serde(default = "otherwise")]
    pub otherwise: String,
    /// A check of the scenario whose distance to its bound says how near a particle came to failing.
    #[serde(default)]
    pub margin: Option<String>,
    /// How events become symbols.
    #[serde(default)]
    pub events: EventsTable,
    /// Stop before all particles have run once enough is known.
    #[serde(default)]
    pub until: Option<UntilTable>,
    /// Probability that `margin` reaches zero, however small, by adaptive multilevel splitting.
    #[serde(default)]
    pub splitting: Option<SplittingTable>,
    /// Limits on probabilities, for a gate in continuous integration.
    #[serde(default)]
    pub gate: Vec<GateTable>,
}

fn otherwise() -> String {
    "other".to_string()
}

/// How particles are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SamplingWord {
    /// Independent pseudo-random numbers: exact intervals for probabilities.
    #[default]
    Random,
    /// Latin hypercube: every number's range is covered evenly. Probabilities have no exact interval.
    Latin,
    /// Scrambled Sobol points in `scramblings` independent sets, whose spread gives the intervals.
    Sobol,
}

/// Where a particle starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartWord {
    /// In the scenario's start state.
    #[default]
    Scenario,
    /// On its own limit cycle, computed again for the particle's numbers (`[cycle]` of the scenario). Uncertain numbers of `start/`
    /// are added to the state of the cycle, which is then brought back onto the ground.
    Cycle,
}

/// `[until]`: when to stop early.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntilTable {
    /// The next particle shows a behaviour that none has shown with at most this probability (95 % bound).
    pub unseen: f64,
    /// Particles between two looks; 100 unless given.
    #[serde(default)]
    pub every: Option<u32>,
}

/// `[splitting]`
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplittingTable {
    /// Points of a run; 100 unless given.
    #[serde(default)]
    pub population: Option<u32>,
    /// Independent runs; 10 unless given.
    #[serde(default)]
    pub runs: Option<u32>,
    /// Moves of a copied point; 10 unless given.
    #[serde(default)]
    pub moves: Option<u32>,
}

/// `[[correlated]]`: numbers with a common covariance matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrelatedTable {
    /// Paths of the numbers.
    #[schemars(length(min = 2))]
    pub paths: Vec<String>,
    /// Means; the scenario's own values unless given.
    #[serde(default)]
    pub means: Vec<f64>,
    /// Covariance matrix, row by row: symmetric and positive definite.
    pub covariance: Vec<Vec<f64>>,
}

/// `[noise]`: sensors and commands with errors.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseTable {
    /// Sensors as in a scenario's `[[sensors]]`; one with the name of a sensor of the scenario replaces it.
    #[serde(default)]
    pub sensors: Vec<SensorConfig>,
    /// Errors of commands and of their delay.
    #[serde(default)]
    pub commands: Vec<CommandNoiseTable>,
}

/// `[[noise.commands]]`: errors of the commands of one controller.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandNoiseTable {
    /// Name of a controller of the scenario.
    pub controller: String,
    /// Its errors, as `noise` of a controller.
    pub noise: CommandNoise,
}

/// `[[outcomes]]`: a named result of a particle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeTable {
    /// Name in tables and plots.
    pub name: String,
    /// The scenario's check that decides it.
    #[serde(default)]
    pub check: Option<String>,
    /// Instead of a check: it applies when two bodies touch, and every one of these words occurs in the name of the pair.
    #[serde(default)]
    pub touches: Vec<String>,
    /// Instead of a check: it applies when the largest multiplier of a stride of the particle's limit cycle is above this (`start = "cycle"`).
    #[serde(default)]
    pub stride_radius_above: Option<f64>,
    /// When the check makes it apply; for `held`, `dropped`, `fell` and `reached` when that happened, for other checks when the check is
    /// rejected, unless given.
    #[serde(default)]
    pub when: Option<WhenWord>,
}

/// When an outcome applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenWord {
    /// The task outcome happened.
    Happened,
    /// The check is accepted.
    Accepted,
    /// The check is rejected.
    Rejected,
}

/// `[events]`: how the event log of a particle becomes a sequence of symbols.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsTable {
    /// Kinds of events that count; `impact`, `touch` and `limit` unless given.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only pairs whose name contains one of these words; all unless given.
    #[serde(default)]
    pub pairs: Vec<String>,
    /// The same event again within this time is one event [s]; 0.03 unless given.
    #[serde(default)]
    pub debounce_s: Option<f64>,
    /// Events within this time of each other are simultaneous: their order does not count [s]; 0.005 unless given.
    #[serde(default)]
    pub together_s: Option<f64>,
    /// A touch less than this after the pair separated is no new one: a foot that rocks has not stepped [s]; 0 unless given.
    #[serde(default)]
    pub apart_s: Option<f64>,
    /// Events before this do not count [s].
    #[serde(default)]
    pub from_s: Option<f64>,
    /// Events after this do not count [s].
    #[serde(default)]
    pub until_s: Option<f64>,
    /// Only the first event of each pair and kind counts.
    #[serde(default)]
    pub first_only: bool,
    /// At most this many symbols of a particle are kept; 64 unless given.
    #[serde(default)]
    pub most: Option<u32>,
}

/// `[[gate]]`: a limit on the probability of an outcome.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateTable {
    /// The outcome.
    pub outcome: String,
    /// Its probability must be at most this.
    pub at_most: f64,
}
