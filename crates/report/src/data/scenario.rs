//! One scenario: what was asked, what was wrong with the question, and how each engine answered.

use super::numbers::Real;
use super::plots::{Convergence, ErrorOverTime, SpeedAgainstAccuracy};
use super::replay::Replay;
use serde::{Deserialize, Serialize};

/// A scenario with all its trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name in commands and addresses, e.g. `pendulum`. Unique.
    pub name: String,
    /// For people, e.g. `Simple pendulum`.
    pub title: String,
    /// What it is and what it asks of an engine, in a few sentences.
    pub about: String,
    /// The file it was read from, as written.
    pub source: Option<Source>,
    /// What is true.
    pub reference: Option<Reference>,
    /// What the audit found, shown before any verdict.
    pub audit: Vec<AuditFinding>,
    /// One per engine spec and step. Plots and replays point into this list.
    pub trials: Vec<Trial>,
    /// Who does best; `None` when nothing was measured, and in reports of before there were leaderboards.
    #[serde(default)]
    pub leaderboard: Option<Leaderboard>,
    /// Error over time, one plot per metric.
    pub errors: Vec<ErrorOverTime>,
    /// Cost beside accuracy, one plot per metric.
    pub speed: Vec<SpeedAgainstAccuracy>,
    /// Error against step size, one plot per metric.
    pub convergence: Vec<Convergence>,
    /// The motion itself.
    pub replay: Option<Replay>,
}

impl Scenario {
    /// A scenario nothing has been run for.
    pub fn new(name: impl Into<String>, title: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            about: about.into(),
            source: None,
            reference: None,
            audit: Vec::new(),
            trials: Vec::new(),
            leaderboard: None,
            errors: Vec::new(),
            speed: Vec::new(),
            convergence: Vec::new(),
            replay: None,
        }
    }
}

/// Trials by verdict, then by the error of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaderboard {
    /// The metric that decides among equal verdicts.
    pub metric: String,
    /// Best first, every trial once.
    pub places: Vec<Place>,
}

/// A trial in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// From 1; equal for trials that cannot be told apart; `None` where there is no number to rank by.
    pub rank: Option<usize>,
    /// Index into the scenario's trials.
    pub trial: usize,
    /// Which of the trial's checks it is ranked by; `None` without a number.
    pub check: Option<usize>,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, e.g. `pendulum.toml`.
    pub file: String,
    /// Its content.
    pub text: String,
}

/// What the engines are held to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// `closed form`, `published value`, `converged run`, `reference engine`, `recording`.
    pub kind: String,
    /// Which one, with its source.
    pub about: String,
    /// How wrong it may be itself, with unit, e.g. `1e-13 rad: series truncated below rounding`.
    pub own_error: Option<String>,
}

/// Something about the experiment that a reader must know before ranking engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditFinding {
    /// How bad.
    pub severity: Severity,
    /// Stable, e.g. `controller-unstable`.
    pub code: String,
    /// A sentence with the numbers and what to do.
    pub text: String,
    /// File and line, or the path of the number.
    pub place: Option<String>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No ranking can be trusted.
    Error,
    /// Read this before trusting a ranking.
    Warning,
    /// Good to know.
    Note,
}

/// One engine spec at one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The engine spec in one line, e.g. `rapier:joints=multibody,iters=4`.
    pub spec: String,
    /// Step size [s]; `None` for an engine that chooses its own.
    pub step_s: Option<f64>,
    /// What came out.
    pub verdict: Verdict,
    /// In a sentence, with the number that decided.
    pub reason: String,
    /// What the catalogue expects; several when it leaves it open, none when it says nothing.
    pub expected: Vec<Verdict>,
    /// Why it expects that.
    pub expected_reason: Option<String>,
    /// Every number that was held to a bound.
    pub checks: Vec<Check>,
    /// What it cost; `None` when it did not run.
    pub cost: Option<Cost>,
    /// Digest of the record's deterministic part, if one was written.
    pub digest: Option<String>,
}

impl Trial {
    /// The verdict is one the catalogue expects, or it expects none in particular.
    pub fn is_as_expected(&self) -> bool {
        self.expected.is_empty() || self.expected.contains(&self.verdict)
    }
}

/// What came out of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every check held.
    Accepted,
    /// A check did not hold.
    Rejected,
    /// The numbers do not decide.
    CannotTell,
    /// The engine has no way to say this.
    NotExpressible,
    /// It reached its cap of CPU time.
    TooSlow,
    /// It did not finish.
    Failed,
}

/// A number held to a bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The metric's name, e.g. `position_error`.
    pub metric: String,
    /// What was measured.
    pub value: Real,
    /// Half width of its interval of confidence, in the same unit; `None` when there is none.
    pub uncertainty: Option<Real>,
    /// What it is held to; `None` for a number that is only shown.
    pub bound: Option<Bound>,
    /// The unit of value, uncertainty and bound; empty for a pure number.
    pub unit: String,
    /// Whether it held.
    pub outcome: CheckOutcome,
    /// Why, in a sentence.
    pub reason: String,
}

/// What a number is held to, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bound itself.
    pub value: Real,
    /// Which side is good.
    pub side: Side,
    /// Where it comes from, written before the result was known.
    pub reason: String,
}

/// Which side of a bound is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The value must not exceed the bound.
    AtMost,
    /// The value must not fall below the bound.
    AtLeast,
}

/// Whether a check held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// It held.
    Held,
    /// It did not.
    Broken,
    /// The numbers do not decide.
    Undecided,
    /// Nothing was asked of it.
    Shown,
}

/// What a trial cost on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU time of stepping [s].
    pub cpu_s: f64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time over CPU time.
    pub real_time_factor: f64,
}
