//! The study: scenarios combined with engines, steps, variations and seeds to answer a question.

use crate::axis::VariedNumber;
pub use crate::file::study_file::ClaimWord;
use crate::scenario::Scenario;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use veracity_engine::EngineSpec;
use veracity_measure::{TrialVerdict, Verdict};
use veracity_model::{Findings, Overrides};

/// One engine spec of a study: two specs of one engine are two entries.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyEngine {
    /// The spec.
    pub spec: EngineSpec,
    /// Its own steps; empty: the study's.
    pub steps_ns: Vec<i64>,
    /// Names of the scenarios it runs; empty: all.
    pub scenarios: Vec<String>,
    /// What it represents, in a few words; may be empty.
    pub label: String,
    /// A guest: it runs where the engine is installed and is left out otherwise. It counts only through what is
    /// expected of it.
    pub if_present: bool,
}

/// Scenarios x engine specs x steps x variations x seeds.
#[derive(Clone, Debug)]
pub struct Study {
    /// Lower case with underscores.
    pub name: String,
    /// Title for display.
    pub title: String,
    /// The question it answers.
    pub text: String,
    /// The scenarios.
    pub scenarios: Vec<Arc<Scenario>>,
    /// The engine specs.
    pub engines: Vec<StudyEngine>,
    /// Steps; empty: each scenario's own.
    pub steps_ns: Vec<i64>,
    /// Seeds of the random streams; at least one.
    pub seeds: Vec<u64>,
    /// Changed numbers, expanded; at least one entry, which is empty in a study without variations.
    pub variations: Vec<Overrides>,
    /// Names of the varied numbers, in the order of the file; empty in a study without variations.
    pub axes: Vec<VariedNumber>,
    /// The reference engine that makes converged references; `None` for the method that converges on each world.
    pub converged: Option<EngineSpec>,
    /// The engine that the others are compared with, number by number.
    pub control: Option<EngineSpec>,
    /// Expected verdicts.
    pub expectations: Vec<Expectation>,
    /// What is shown and concluded besides verdicts.
    pub evidence: Evidence,
    /// Findings to read before a result is trusted.
    pub findings: Findings,
}

/// What a study shows and concludes besides verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Names of checks whose values stand in the table of scenarios and engines.
    pub shown: Vec<String>,
    /// Claims about one change.
    pub hypotheses: Vec<Hypothesis>,
    /// Printed results of others.
    pub published: Vec<PublishedCell>,
    /// Engines that do not run every scenario, and why.
    pub left_out: Vec<(EngineSpec, String)>,
}

/// A claim about one change, decided over variations and seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// Short.
    pub name: String,
    /// The claim, in a sentence.
    pub text: String,
    /// What is compared with.
    pub control: Side,
    /// The same with one change.
    pub change: Side,
    /// Name of the check whose value decides.
    pub check: String,
    /// What the change is said to be.
    pub says: ClaimWord,
    /// Least factor between two values that counts as a difference; above one.
    pub factor: f64,
    /// A value this bad is lost; pairs in which both are lost are left out.
    pub lost: Option<f64>,
}

/// One side of a comparison; `None` stands for every one, each compared with itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Name of a scenario.
    pub scenario: Option<String>,
    /// A spec as written in the study.
    pub engine: Option<EngineSpec>,
}

/// What others printed for a scenario on an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCell {
    /// Name of the scenario.
    pub scenario: String,
    /// The spec as written in the study.
    pub engine: EngineSpec,
    /// What was printed.
    pub value: String,
    /// Why ours may differ; may be empty.
    pub why: String,
}

/// Expected verdict of a scenario on an engine, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The scenario's name.
    pub scenario: String,
    /// The spec as written in the study.
    pub engine: EngineSpec,
    /// At this step; `None`: at all steps.
    pub step_ns: Option<i64>,
    /// Where these numbers are changed to these values, by path; empty: everywhere.
    pub at: Vec<(String, f64)>,
    /// Of this check; `None`: of the scenario as a whole, the worst of its checks.
    pub check: Option<String>,
    /// The expected verdict.
    pub answer: Expected,
    /// Reason: theory, or known behaviour of the engine.
    pub why: String,
}

/// An answer that can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// All checks hold.
    Accepted,
    /// A check does not hold.
    Rejected,
    /// Cannot tell.
    CannotTell,
    /// The engine lacks what the scenario needs, and says so.
    NotExpressible,
}

impl From<Verdict> for Expected {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => Expected::Accepted,
            Verdict::Rejected => Expected::Rejected,
            Verdict::CannotTell => Expected::CannotTell,
        }
    }
}

impl From<Expected> for TrialVerdict {
    fn from(expected: Expected) -> Self {
        match expected {
            Expected::Accepted => TrialVerdict::Accepted,
            Expected::Rejected => TrialVerdict::Rejected,
            Expected::CannotTell => TrialVerdict::CannotTell,
            Expected::NotExpressible => TrialVerdict::NotExpressible,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TrialVerdict::from(*self).fmt(f)
    }
}

impl Study {
    /// One scenario on several engines, at these steps or, without any, at its own. The error names the step that does
    /// not fit.
    pub fn of_scenario(scenario: Scenario, engines: &[EngineSpec], steps_ns: Vec<i64>) -> Result<Self, String> {
        for step_ns in &steps_ns {
            scenario.step_fits(*step_ns)?;
        }
        let of = |spec: &EngineSpec| StudyEngine {
            spec: spec.clone(),
            steps_ns: Vec::new(),
            scenarios: Vec::new(),
            label: String::new(),
            if_present: false,
        };
        Ok(Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            text: scenario.text.clone(),
            engines: engines.iter().map(of).collect(),
            scenarios: vec![Arc::new(scenario)],
            steps_ns,
            seeds: vec![0],
            variations: vec![Overrides::new()],
            axes: Vec::new(),
            converged: None,
            control: None,
            expectations: Vec::new(),
            evidence: Evidence::default(),
            findings: Findings::new(),
        })
    }

    /// The steps at which an engine runs a scenario.
    pub fn steps_for(&self, engine: &StudyEngine, scenario: &Scenario) -> Vec<i64> {
        match (engine.steps_ns.is_empty(), self.steps_ns.is_empty()) {
            (false, _) => engine.steps_ns.clone(),
            (true, false) => self.steps_ns.clone(),
            (true, true) => vec![scenario.step_ns],
        }
    }

    /// Whether an engine runs a scenario.
    pub fn runs(&self, engine: &StudyEngine, scenario: &Scenario) -> bool {
        engine.scenarios.is_empty() || engine.scenarios.contains(&scenario.name)
    }

    /// The expectation for a trial, whose changed numbers are `changed`: the most specific one.
    pub fn expectation(
        &self,
        scenario: &str,
        engine: &EngineSpec,
        step_ns: i64,
        changed: &[(String, f64)],
        check: Option<&str>,
    ) -> Option<&Expectation> {
        let fits = |e: &&Expectation| {
            e.scenario == scenario
                && e.engine == *engine
                && e.step_ns.is_none_or(|s| s == step_ns)
                && e.at.iter().all(|number| changed.contains(number))
                && e.check.as_deref() == check
        };
        self.expectations.iter().filter(fits).max_by_key(|e| (e.at.len(), e.step_ns.is_some()))
    }
}
