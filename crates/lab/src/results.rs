//! Results of a study: one row for each trial, with its verdict.

use crate::axes::Axis;
use crate::boundary::Boundary;
use serde::{Deserialize, Serialize};
use veracity_measure::{Judgement, TrialVerdict};
use veracity_model::{Digest, Finding};

/// One check of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Name in the scenario.
    pub name: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Value, bound and verdict.
    pub judgement: Judgement,
    /// What it was compared with, as a phrase; empty without a reference.
    pub against: String,
    /// Reason for the bound.
    pub bound_reason: String,
}

/// The verdict that a study expects of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The verdict.
    pub verdict: TrialVerdict,
    /// Why.
    pub why: String,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The scenario.
    pub scenario: String,
    /// The engine spec without its defaults.
    pub engine: String,
    /// The engine spec with every setting.
    pub full_spec: String,
    /// [s]
    pub step_s: f64,
    /// Seed.
    pub seed: u64,
    /// Numbers changed for this trial.
    pub overrides: Vec<(String, f64)>,
    /// Of the trial.
    pub verdict: TrialVerdict,
    /// Reason, in one sentence: the deciding check, or how the trial ended.
    pub reason: String,
    /// Expected verdict of the whole trial, if any.
    pub expected: Option<Expected>,
    /// Expected verdicts of single checks, by name.
    pub expected_checks: Vec<(String, Expected)>,
    /// Every check.
    pub checks: Vec<CheckResult>,
    /// The record's digest; `None` when nothing was run.
    pub digest: Option<Digest>,
    /// Where the record is stored.
    pub key: Digest,
    /// CPU time of stepping [s].
    pub cpu_s: f64,
    /// Simulated time reached [s].
    pub simulated_s: f64,
    /// Steps taken.
    pub steps: u64,
    /// Warnings to read before the numbers are trusted.
    pub warnings: Vec<String>,
    /// What ended the trial before its duration, where the scenario has a `[stop]`.
    pub stopped: Option<Stopped>,
}

/// The end of a trial that its scenario stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Time of the last row [s].
    pub at_s: f64,
    /// The check whose condition came true.
    pub check: String,
    /// What happened, as a phrase.
    pub reason: String,
}

impl Row {
    /// Whether every expectation was satisfied; `None` when nothing was expected. If expectations name single checks
    /// only, the others must be accepted. A trial that never reached its checks is compared by its own verdict.
    pub fn as_expected(&self) -> Option<bool> {
        let whole = self.expected.as_ref().map(|e| e.verdict == self.verdict);
        if self.expected_checks.is_empty() {
            return whole;
        }
        let named = |name: &str| self.expected_checks.iter().find(|(check, _)| check == name).map(|(_, e)| e.verdict);
        let each = if self.checks.is_empty() {
            self.expected_checks.iter().all(|(_, e)| e.verdict == self.verdict)
        } else {
            let must = |c: &CheckResult| named(&c.name).or(whole.is_none().then_some(TrialVerdict::Accepted));
            self.checks.iter().all(|c| must(c).is_none_or(|v| v == c.judgement.verdict.into()))
        };
        Some(each && whole.unwrap_or(true))
    }

    /// Expectations that were not satisfied, in words; empty if all were satisfied or nothing was expected.
    pub fn unmet(&self) -> Vec<String> {
        let whole = self.expected.iter().filter(|e| e.verdict != self.verdict);
        let mut out: Vec<String> = whole.map(|e| format!("{}: {}", e.verdict, e.why)).collect();
        for (name, e) in &self.expected_checks {
            let found = self.checks.iter().find(|c| c.name == *name).map(|c| c.judgement.verdict.into());
            if found.unwrap_or(self.verdict) != e.verdict {
                out.push(format!("'{name}' {}: {}", e.verdict, e.why));
            }
        }
        out
    }

    /// Whether it finished without a verdict: the scenario has no checks.
    pub fn is_unjudged(&self) -> bool {
        self.verdict == TrialVerdict::CannotTell && self.checks.is_empty()
    }
}

/// A number computed from several records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The scenario.
    pub scenario: String,
    /// `split_point` [s] or `order_of_convergence`.
    pub comparison: String,
    /// The engine specs, without their defaults.
    pub engines: Vec<String>,
    /// The steps of the records compared [s].
    pub steps_s: Vec<f64>,
    /// Infinite for records that never diverge; NaN where it cannot be determined.
    pub value: f64,
    /// Half-width of the interval the true value lies in.
    pub uncertainty: f64,
    /// What was found, or why not, in one sentence.
    pub note: String,
}

/// A finding about the experiment of a scenario, to be read before its results are trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentFinding {
    /// The scenario.
    pub scenario: String,
    /// What was found.
    pub finding: Finding,
}

/// Results of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The study's name.
    pub study: String,
    /// Version of Veracity.
    pub veracity_version: String,
    /// One for each trial, in the study's order.
    pub rows: Vec<Row>,
    /// Findings of the inspection of the experiment, before any ranking.
    pub audit: Vec<ExperimentFinding>,
    /// When engines diverge, and the order at which errors fall.
    pub comparisons: Vec<Comparison>,
    /// Whether every trial was run; an interrupted study has the rows that were finished.
    pub complete: bool,
    /// Full specs that ran because their engine is installed: where nothing is expected of them they decide nothing.
    pub guests: Vec<String>,
    /// Specs of the study whose engine is not installed.
    pub absent: Vec<String>,
    /// The numbers that the study varies.
    pub axes: Vec<Axis>,
    /// Boundaries of acceptance along them, where the study asks for their location.
    pub boundaries: Vec<Boundary>,
}

/// Raised whenever stored results change their meaning. 2: guests and absent engines, at the end. 3: expectations of
/// single checks, and until when a number is known; older ones are read by `results_before`. 4: what stopped a trial.
/// 5: findings as values, not as lines; axes and boundaries.
pub const SCHEMA: u32 = 5;

impl StudyResult {
    /// Digest of the deterministic part of all records: equal for two runs of one study, whatever the thread count.
    pub fn digest(&self) -> Digest {
        let line = |r: &Row| {
            let digest = r.digest.map_or("none".to_string(), |d| d.to_string());
            format!("{} {} {:?} {} {:?} {digest}\n", r.scenario, r.full_spec, r.step_s, r.seed, r.overrides)
        };
        Digest::of(self.rows.iter().map(line).collect::<String>().as_bytes())
    }

    /// Whether a row belongs to an engine that ran only because it is installed.
    pub fn is_guest(&self, row: &Row) -> bool {
        self.guests.contains(&row.full_spec)
    }
}

/// A list of many features that an engine cannot express, shortened to its first; JSON has all.
pub fn shortened(reason: &str) -> String {
    let parts: Vec<&str> = reason.split("not expressible in this engine; ").collect();
    match parts.len() {
        0..=2 => reason.to_string(),
        n => {
            let first = reason.find("; '").or_else(|| reason.find("; the ")).map_or(reason, |at| &reason[..at]);
            format!("{first}; and {} more of the kind", n - 2)
        }
    }
}
