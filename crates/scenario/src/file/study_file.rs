//! What a study file may hold. `docs/scenarios.md` tells it with examples.

use crate::study::Expected;
use schemars::JsonSchema;
use serde::Deserialize;

/// A study: scenarios x engines x steps x variations x seeds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Version of this format: 1.
    pub schema: i64,
    /// Lower case letters, digits and underscores.
    pub name: String,
    /// For people, in a line.
    #[serde(default)]
    pub title: Option<String>,
    /// What it is to answer.
    #[serde(default)]
    pub text: String,
    /// Files relative to this one (ending in .toml) or names of built-in scenarios.
    #[schemars(length(min = 1))]
    pub scenarios: Vec<ScenarioEntry>,
    /// Engine specs.
    #[schemars(length(min = 1))]
    pub engines: Vec<EngineEntry>,
    /// Steps [s]; default: each scenario's own.
    #[serde(default)]
    pub steps_s: Vec<f64>,
    /// Seeds of the random streams; default: one, 0.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Numbers to vary; all combinations of the lists, with all samples of the distributions.
    #[serde(default)]
    pub vary: Vec<VaryTable>,
    /// How many samples of the distributions are taken.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub samples: Option<u32>,
    /// A reference engine: the spec that makes converged references. By default, the method that converges on each world.
    #[serde(default)]
    pub converged: Option<String>,
    /// One of the engine specs, which all others are compared with number by number: what each change costs.
    #[serde(default)]
    pub control: Option<String>,
    /// A trial that takes more CPU time is too slow [s]; default: each scenario's own cap.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub cpu_cap_s: Option<f64>,
    /// Names of checks whose values stand in the table of scenarios and engines; a scenario without one has a dash there.
    #[serde(default)]
    pub show: Vec<String>,
    /// Claims about one change, each with a control: decided over all variations and seeds.
    #[serde(default)]
    pub hypotheses: Vec<HypothesisTable>,
    /// What others printed for a scenario on an engine; shown beside our result.
    #[serde(default)]
    pub published: Vec<PublishedTable>,
    /// What answers are expected, planned rejections included.
    #[serde(default)]
    pub expect: Vec<ExpectTable>,
}

/// `[[hypotheses]]`: in most start states, the change is better, worse, or no different.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HypothesisTable {
    /// Short, e.g. "H1".
    pub name: String,
    /// The claim, in a sentence.
    pub text: String,
    /// What is compared with.
    pub control: SideTable,
    /// The same with one change: another scenario, or another engine spec.
    pub change: SideTable,
    /// The check whose value decides; its bound says whether smaller or larger is better.
    pub check: String,
    /// What the change is said to be.
    pub says: ClaimWord,
    /// A value counts as better or worse only by at least this factor, and as the same within it; default: 1.1.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 1.0))]
    pub factor: Option<f64>,
    /// A value this bad, or worse, is lost, in the check's unit; pairs in which both sides are lost are left out. Default: none
    /// is.
    #[serde(default)]
    pub lost: Option<f64>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideTable {
    /// A scenario of the study; default: every scenario, each compared with itself.
    #[serde(default)]
    pub scenario: Option<String>,
    /// An engine spec of the study; default: every engine, each compared with itself.
    #[serde(default)]
    pub engine: Option<String>,
}

/// What a change is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimWord {
    /// Better by the factor, or the control fails where the change does not.
    Better,
    /// Worse by the factor.
    Worse,
    /// Neither: within the factor of each other.
    Same,
}

/// `[[published]]`: a printed result.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// A scenario of the study.
    pub scenario: String,
    /// Specs, as `engines` writes them.
    #[schemars(length(min = 1))]
    pub engines: Vec<String>,
    /// What was printed, in a few words.
    pub value: String,
    /// Why ours may differ, or that it cannot be compared.
    #[serde(default)]
    pub why: String,
}

/// A scenario, as its file or name, or with a shorter run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ScenarioEntry {
    /// File or name.
    Plain(String),
    /// With changes that hold for the whole study.
    Changed(ChangedScenario),
}

/// A scenario with changes that hold for the whole study.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedScenario {
    /// File or name.
    pub scenario: String,
    /// What it is called in this study; needed where one scenario is used twice.
    #[serde(default)]
    pub name: Option<String>,
    /// Numbers to change, by path, e.g. duration_s = 1. A `*` stands for any one part of a path: every number that fits is
    /// changed.
    #[serde(default)]
    pub set: std::collections::BTreeMap<String, f64>,
}

/// An engine, as its spec, or with steps and scenarios of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EngineEntry {
    /// The spec.
    Plain(String),
    /// The spec with more.
    Detailed(EngineTable),
}

/// An engine with steps and scenarios of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineTable {
    /// The spec, e.g. "rapier:impulse,iters=20".
    pub spec: String,
    /// Steps of its own [s].
    #[serde(default)]
    pub steps_s: Vec<f64>,
    /// Names of the scenarios it runs; default: all.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Runs only scenarios whose bodies may touch (true) or may not (false); default: both.
    #[serde(default)]
    pub contact: Option<bool>,
    /// What it stands for, in a few words, where numbers are compared with a control.
    #[serde(default)]
    pub label: String,
    /// Why it does not run the other scenarios, in a sentence; stands in their cells.
    #[serde(default)]
    pub left_out: String,
    /// A guest: runs only where the engine is there, and decides nothing but where something is expected of it.
    #[serde(default)]
    pub if_present: bool,
}

/// `[[vary]]`: a number by path, with `values`, or with `distribution` and its numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VaryTable {
    /// Of the number, e.g. "world/pendulum/parameters/length_m".
    pub path: String,
    /// The values it takes; of a discrete distribution, the values to choose from.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Weights of the values of a discrete distribution; equal unless given.
    #[serde(default)]
    pub weights: Vec<f64>,
    /// How it is distributed.
    #[serde(default)]
    pub distribution: Option<DistributionWord>,
    /// Mean of a normal, centre of a Student t distribution, in the number's unit.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Standard deviation of a normal, scale of a Student t distribution, in the number's unit.
    #[serde(default)]
    pub std: Option<f64>,
    /// Standard deviation as a share of the mean, instead of `std`; in a trace.
    #[serde(default)]
    pub relative_std: Option<f64>,
    /// A normal distribution is cut off at this many standard deviations. A study keeps the tails unless given; a trace
    /// cuts off at 3.
    #[serde(default)]
    pub truncate_std: Option<f64>,
    /// Degrees of freedom of a Student t distribution: the fewer, the heavier its tails.
    #[serde(default)]
    pub dof: Option<f64>,
    /// Location of a skew-normal distribution, in the number's unit.
    #[serde(default)]
    pub location: Option<f64>,
    /// Scale of a skew-normal distribution, in the number's unit.
    #[serde(default)]
    pub scale: Option<f64>,
    /// Shape of a skew-normal distribution: positive leans to larger values.
    #[serde(default)]
    pub shape: Option<f64>,
    /// Lowest value of a uniform or log-uniform distribution.
    #[serde(default)]
    pub low: Option<f64>,
    /// Highest value of a uniform or log-uniform distribution.
    #[serde(default)]
    pub high: Option<f64>,
    /// Paths of other numbers that take the same value, e.g. the second direction of friction.
    #[serde(default)]
    pub also: Vec<String>,
    /// Short name in tables; default: the end of the path.
    #[serde(default)]
    pub name: Option<String>,
    /// Locate the boundary of acceptance between two of the values to this width, in the number's unit.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub boundary: Option<f64>,
}

/// How a number is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DistributionWord {
    /// With mean and standard deviation.
    Normal,
    /// Equally likely between low and high.
    Uniform,
    /// Its logarithm equally likely between those of low and high.
    LogUniform,
    /// Heavy tails: centre, scale and degrees of freedom.
    StudentT,
    /// Leans to one side: location, scale and shape.
    SkewNormal,
    /// One of `values`, with `weights`.
    Discrete,
    /// A direction, the `axis` of a joint, tilted by two normal angles with `std` [rad] at right angles; in a trace.
    Cone,
}

/// `[[expect]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectTable {
    /// Names of scenarios.
    #[schemars(length(min = 1))]
    pub scenarios: Vec<String>,
    /// Specs, as `engines` writes them.
    #[schemars(length(min = 1))]
    pub engines: Vec<String>,
    /// At this step [s]; default: at all of them.
    #[serde(default)]
    pub step_s: Option<f64>,
    /// Only where varied numbers have these values, by name or path; default: everywhere.
    #[serde(default)]
    pub at: std::collections::BTreeMap<String, f64>,
    /// Of this check; default: the scenario as a whole, the worst of its checks.
    #[serde(default)]
    pub check: Option<String>,
    /// The answer.
    pub answer: Expected,
    /// From theory, or from what is known of the engine.
    pub why: String,
}
