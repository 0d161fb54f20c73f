//! One scenario: its question, the findings about it, and the result of each engine.

use super::numbers::Real;
use super::plots::{Convergence, ErrorOverTime, SpeedAgainstAccuracy};
use super::replay::Replay;
use super::signals::Signal;
use super::variations::{RangePlace, VerdictMap};
use serde::{Deserialize, Serialize};
pub use veracity_measure::TrialVerdict;

/// A scenario with all its trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name in commands and addresses, e.g. `pendulum`. Unique.
    pub name: String,
    /// Title, e.g. `Simple pendulum`.
    pub title: String,
    /// What it is and what it tests, in a few sentences.
    pub about: String,
    /// The file it was read from, as written.
    pub source: Option<Source>,
    /// The reference.
    pub reference: Option<Reference>,
    /// Findings of the inspection of the experiment, shown before any verdict.
    pub audit: Vec<AuditFinding>,
    /// Which engine to use and why the others fail, in sentences; empty without a ranking and in earlier reports.
    #[serde(default)]
    pub answer: Vec<String>,
    /// One per engine spec and step. Plots and replays point into this list.
    pub trials: Vec<Trial>,
    /// The ranking; `None` when nothing was measured, and in reports of earlier versions.
    #[serde(default)]
    pub leaderboard: Option<Leaderboard>,
    /// Engine specs over the whole range of the study's variations, best first; empty without variations and in earlier
    /// reports, as are the next two.
    #[serde(default)]
    pub range: Vec<RangePlace>,
    /// Verdicts over two varied dimensions.
    #[serde(default)]
    pub maps: Vec<VerdictMap>,
    /// Where acceptance ends along a varied number, in sentences.
    #[serde(default)]
    pub boundaries: Vec<String>,
    /// Error over time, one plot per metric.
    pub errors: Vec<ErrorOverTime>,
    /// Cost against accuracy, one plot per metric.
    pub speed: Vec<SpeedAgainstAccuracy>,
    /// Error against step size, one plot per metric.
    pub convergence: Vec<Convergence>,
    /// Recorded numbers over time.
    #[serde(default)]
    pub signals: Vec<Signal>,
    /// Names of recorded numbers that would have made the page too large.
    #[serde(default)]
    pub signals_left_out: Vec<String>,
    /// The motion itself.
    pub replay: Option<Replay>,
}

impl Scenario {
    /// A scenario without trials.
    pub fn new(name: impl Into<String>, title: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            about: about.into(),
            source: None,
            reference: None,
            audit: Vec::new(),
            answer: Vec::new(),
            trials: Vec::new(),
            leaderboard: None,
            range: Vec::new(),
            maps: Vec::new(),
            boundaries: Vec::new(),
            errors: Vec::new(),
            speed: Vec::new(),
            convergence: Vec::new(),
            signals: Vec::new(),
            signals_left_out: Vec::new(),
            replay: None,
        }
    }
}

/// Trials by verdict, then by the error of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaderboard {
    /// The metric that decides among equal verdicts; empty where the checks have no number that ranks.
    pub metric: String,
    /// Best first, every trial once.
    pub places: Vec<Place>,
}

/// A trial with its rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// From 1; equal for trials that cannot be distinguished; `None` if there is no number to rank by.
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

/// The reference that the engines are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// `closed form`, `published value`, `converged run`, `reference engine`, `recording`.
    pub kind: String,
    /// Which one, with its source.
    pub about: String,
    /// Its own error, with unit, e.g. `1e-13 rad: series truncated below rounding`.
    pub own_error: Option<String>,
}

/// A finding about the experiment, to be read before ranking engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditFinding {
    /// Severity.
    pub severity: Severity,
    /// Stable, e.g. `controller-unstable`.
    pub code: String,
    /// A sentence with the numbers and what to do.
    pub text: String,
    /// File and line, or the path of the number.
    pub place: Option<String>,
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No ranking can be trusted.
    Error,
    /// Read this before trusting a ranking.
    Warning,
    /// For information.
    Note,
}

/// One engine spec at one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The engine spec in one line, e.g. `rapier:joints=multibody,iters=4`.
    pub spec: String,
    /// Step size [s]; `None` for an engine that chooses its own.
    pub step_s: Option<f64>,
    /// The verdict.
    pub verdict: TrialVerdict,
    /// The reason, with the number that decided.
    pub reason: String,
    /// The verdicts the catalogue expects; several if it leaves the choice open, none if it has no expectation.
    pub expected: Vec<TrialVerdict>,
    /// Why it expects that.
    pub expected_reason: Option<String>,
    /// Whether it counts as a success; `None` in reports of earlier versions.
    #[serde(default)]
    pub standing: Option<Standing>,
    /// Every check.
    pub checks: Vec<Check>,
    /// The cost; `None` when it did not run.
    pub cost: Option<Cost>,
    /// Digest of the record's deterministic part, if one was written.
    pub digest: Option<String>,
}

impl Trial {
    /// A trial without numbers.
    pub fn new(spec: impl Into<String>, step_s: Option<f64>, verdict: TrialVerdict) -> Self {
        Self {
            spec: spec.into(),
            step_s,
            verdict,
            reason: String::new(),
            expected: Vec::new(),
            expected_reason: None,
            standing: None,
            checks: Vec::new(),
            cost: None,
            digest: None,
        }
    }

    /// Its standing. Where none was decided, a verdict without an expectation counts only if it is accepted.
    pub fn standing(&self) -> Standing {
        match (self.standing, self.verdict) {
            (Some(decided), _) => decided,
            (None, _) if !self.is_as_expected() => Standing::Failed,
            (None, TrialVerdict::NotExpressible) => Standing::Skipped,
            (None, TrialVerdict::Accepted) => Standing::Passed,
            (None, _) if self.expected.is_empty() => Standing::Skipped,
            (None, _) => Standing::Passed,
        }
    }

    /// Whether the verdict is one the catalogue expects, or the catalogue has no expectation.
    pub fn is_as_expected(&self) -> bool {
        self.expected.is_empty() || self.expected.contains(&self.verdict)
    }
}

/// What a trial contributes to the outcome of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A success: accepted, or as the catalogue expects.
    Passed,
    /// The outcome is not as expected because of it.
    Failed,
    /// No verdict where one was required.
    Error,
    /// Does not count: nothing was checked, or the engine cannot express the scenario.
    Skipped,
}

/// A number compared with a bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The metric's name, e.g. `position_error`.
    pub metric: String,
    /// The measured value.
    pub value: Real,
    /// Half width of its confidence interval, in the same unit; `None` when there is none.
    pub uncertainty: Option<Real>,
    /// The bound; `None` for a number that is only shown.
    pub bound: Option<Bound>,
    /// The unit of value, uncertainty and bound; empty for a pure number.
    pub unit: String,
    /// Whether it held.
    pub outcome: CheckOutcome,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A bound, and its reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bound itself.
    pub value: Real,
    /// Which side is good.
    pub side: Side,
    /// Its reason, written before the result was known.
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
    /// There is no bound.
    Shown,
}

/// The cost of a trial on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU time of stepping [s].
    pub cpu_s: f64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time over CPU time.
    pub real_time_factor: f64,
}
