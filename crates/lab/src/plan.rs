//! A planned study: every trial with its scenario, engine and key, in the study's order.

use crate::results::{Expected, RowVerdict};
use crate::session::SessionSetup;
use crate::trial::{Start, TrialKey, TrialSpec};
use std::sync::Arc;
use veracity_engine::{Engine, EngineSpec, Settings, SpecError};
use veracity_model::{Digest, Overrides};
use veracity_scenario::{self as scenario, Scenario, Study, StudyEngine};

/// The engines of this program, and the build they are part of.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// One entry each, assembled by the binary.
    pub list: &'a [&'static dyn Engine],
    /// Names the build: a digest of the program file. Engines in other programs add their own identity to their own trials.
    pub build: &'a str,
}

/// A trial ready to run.
#[derive(Clone)]
pub struct Planned {
    /// The pure job.
    pub spec: TrialSpec,
    /// Where its record is stored.
    pub key: TrialKey,
    /// What a session is made from.
    pub setup: SessionSetup,
    /// The engine.
    pub engine: &'static dyn Engine,
    /// Its settings.
    pub settings: Settings,
    /// The plan's case (scenario and variation) it belongs to.
    pub case: usize,
    /// Expected verdict of the whole trial.
    pub expected: Option<Expected>,
    /// Expected verdicts of single checks, by name.
    pub expected_checks: Vec<(String, Expected)>,
    /// The scenario that the controllers assume, where it is not the one that moves: see [`Planned::assuming`].
    pub assumed: Option<Arc<Scenario>>,
}

impl Planned {
    /// The same trial with controllers that assume another scenario: the nominal robot, while the engine moves a
    /// perturbed one. It has a key of its own, because its record may differ.
    pub fn assuming(mut self, nominal: &Arc<Scenario>) -> Self {
        if !self.spec.overrides.is_empty() && !nominal.controllers.is_empty() {
            self.key = TrialKey(Digest::of_parts([&b"controllers assume"[..], &nominal.digest().0, &self.key.0.0]));
            self.assumed = Some(Arc::clone(nominal));
        }
        self
    }
}

/// A scenario under one variation: trials of one case share their references.
#[derive(Clone)]
pub struct Case {
    /// The scenario without the variation.
    pub base: Arc<Scenario>,
    /// The scenario with the variation.
    pub scenario: Arc<Scenario>,
    /// The changed numbers.
    pub overrides: Vec<(String, f64)>,
    /// Digest of the scenario without the variation.
    pub base_digest: Digest,
}

/// All trials of a study.
pub struct Plan {
    /// Scenarios with their variations.
    pub cases: Vec<Case>,
    /// Trials, in order.
    pub trials: Vec<Planned>,
    /// Full specs of the guests that are installed: their rows decide nothing unless something is expected of them.
    pub guests: Vec<String>,
    /// Guests that are not installed, as the study names them.
    pub absent: Vec<EngineSpec>,
}

/// Why a study cannot be planned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Invalid engine spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A variation does not fit its scenario.
    #[error("scenario '{scenario}': {what}")]
    Variation {
        /// The scenario.
        scenario: String,
        /// Findings, as sentences.
        what: String,
    },
    /// An expectation that matches no trial of the study: it would never be tested.
    #[error("the study expects '{scenario}' on {engine} and runs no such trial; take the line out or run it")]
    Orphan {
        /// The scenario.
        scenario: String,
        /// The engine.
        engine: String,
    },
}

impl<'a> Engines<'a> {
    /// The engine a spec names, with its settings resolved.
    pub fn resolve(&self, spec: &EngineSpec) -> Result<(&'static dyn Engine, Settings), SpecError> {
        let mut named = self.list.iter().filter(|e| e.name() == spec.engine).peekable();
        if named.peek().is_none() {
            let known = self.list.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
            return Err(SpecError::UnknownEngine { name: spec.engine.clone(), known });
        }
        // Several versions of one engine may be installed; without a version in the spec the first is used.
        let mut present = Vec::new();
        for engine in named {
            let version = engine.version();
            let fits = |wanted: &String| version.split(' ').any(|part| part.starts_with(wanted.as_str()));
            if spec.version.as_ref().is_none_or(fits) {
                return Ok((*engine, engine.resolve(spec)?));
            }
            present.push(version);
        }
        let wanted = spec.version.clone().unwrap_or_default();
        Err(SpecError::Version { engine: spec.engine.clone(), wanted, present: present.join(", ") })
    }

    /// Plans one trial.
    pub fn plan_trial(&self, case: &Case, number: usize, point: &Point) -> Result<Planned, SpecError> {
        let (engine, settings) = self.resolve(&point.engine)?;
        let spec = TrialSpec {
            scenario: case.base.name.clone(),
            base: case.base_digest,
            overrides: case.overrides.clone(),
            engine: point.engine.clone(),
            step_ns: point.step_ns,
            seed: point.seed,
            index: point.index,
            start: Start::Zero,
        };
        let key = spec.key(&settings.full_spec(), &engine.version(), &engine.identity(), self.build);
        let setup = SessionSetup {
            scenario: Arc::clone(&case.scenario),
            overrides: case.overrides.clone(),
            step_ns: point.step_ns,
            seed: point.seed,
            index: point.index,
        };
        let (expected, expected_checks) = (point.expected.clone(), point.expected_checks.clone());
        Ok(Planned { spec, key, setup, engine, settings, case: number, expected, expected_checks, assumed: None })
    }
}

/// The position of a trial in a study.
#[derive(Clone, Debug)]
pub struct Point {
    /// The engine.
    pub engine: EngineSpec,
    /// [ns]
    pub step_ns: i64,
    /// Seed of the random streams.
    pub seed: u64,
    /// Index of the variation, for the random streams.
    pub index: u64,
    /// Expected verdict of the whole trial.
    pub expected: Option<Expected>,
    /// Expected verdicts of single checks, by name.
    pub expected_checks: Vec<(String, Expected)>,
}

impl Plan {
    /// Plans a study.
    pub fn new(engines: &Engines<'_>, study: &Study) -> Result<Self, PlanError> {
        let mut plan = Plan { cases: Vec::new(), trials: Vec::new(), guests: Vec::new(), absent: Vec::new() };
        plan.see_who_is_here(engines, study)?;
        for base in &study.scenarios {
            for (index, variation) in study.variations.iter().enumerate() {
                let case = Case::new(base, variation)?;
                let number = plan.cases.len();
                let here = |e: &&StudyEngine| !(e.if_present && plan.absent.contains(&e.spec));
                let running: Vec<&StudyEngine> =
                    study.engines.iter().filter(|e| study.runs(e, base)).filter(here).collect();
                for engine in running {
                    for step_ns in study.steps_for(engine, base) {
                        for &seed in &study.seeds {
                            let of = |check: Option<&str>| {
                                study.expectation(&base.name, &engine.spec, step_ns, check).map(expected)
                            };
                            let of_check = |c: &scenario::Check| Some((c.name.clone(), of(Some(&c.name))?));
                            let point = Point {
                                engine: engine.spec.clone(),
                                step_ns,
                                seed,
                                index: index as u64,
                                expected: of(None),
                                expected_checks: base.checks.iter().filter_map(of_check).collect(),
                            };
                            plan.trials.push(engines.plan_trial(&case, number, &point)?);
                        }
                    }
                }
                plan.cases.push(case);
            }
        }
        plan.find_orphans(study)?;
        Ok(plan)
    }

    /// A guest that is not installed is left out; one that is installed and rejects its settings is an error like any
    /// other.
    fn see_who_is_here(&mut self, engines: &Engines<'_>, study: &Study) -> Result<(), PlanError> {
        for guest in study.engines.iter().filter(|e| e.if_present) {
            match engines.resolve(&guest.spec) {
                Ok((_, settings)) => self.guests.push(settings.full_spec()),
                Err(SpecError::UnknownEngine { .. } | SpecError::Version { .. }) => {
                    if !self.absent.contains(&guest.spec) {
                        self.absent.push(guest.spec.clone());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn find_orphans(&self, study: &Study) -> Result<(), PlanError> {
        for e in study.expectations.iter().filter(|e| !self.absent.contains(&e.engine)) {
            let meets = |t: &Planned| {
                t.spec.scenario == e.scenario
                    && t.spec.engine == e.engine
                    && e.step_ns.is_none_or(|s| s == t.spec.step_ns)
            };
            if !self.trials.iter().any(meets) {
                return Err(PlanError::Orphan { scenario: e.scenario.clone(), engine: e.engine.to_string() });
            }
        }
        Ok(())
    }
}

impl Case {
    /// A scenario with a variation applied.
    pub fn new(base: &Arc<Scenario>, variation: &Overrides) -> Result<Self, PlanError> {
        let overrides: Vec<(String, f64)> = variation.iter().map(|(path, x)| (path.to_string(), x)).collect();
        let base_digest = base.digest();
        if overrides.is_empty() {
            return Ok(Self { base: Arc::clone(base), scenario: Arc::clone(base), overrides, base_digest });
        }
        let varied = base.with(variation).map_err(|findings| PlanError::Variation {
            scenario: base.name.clone(),
            what: findings.to_string().trim_end().replace('\n', "; "),
        })?;
        Ok(Self { base: Arc::clone(base), scenario: Arc::new(varied), overrides, base_digest })
    }
}

impl Case {
    /// The same case without `[stop]`: its trials are other trials, under other keys.
    pub fn without_stop(&self) -> Self {
        if self.base.stop.is_empty() && self.scenario.stop.is_empty() {
            return self.clone();
        }
        let without = |scenario: &Scenario| Scenario { stop: Vec::new(), ..scenario.clone() };
        let base = Arc::new(without(&self.base));
        let base_digest = base.digest();
        Self { base, scenario: Arc::new(without(&self.scenario)), overrides: self.overrides.clone(), base_digest }
    }
}

fn expected(e: &scenario::Expectation) -> Expected {
    let verdict = match e.answer {
        scenario::Expected::Accepted => RowVerdict::Accepted,
        scenario::Expected::Rejected => RowVerdict::Rejected,
        scenario::Expected::CannotTell => RowVerdict::CannotTell,
        scenario::Expected::NotExpressible => RowVerdict::NotExpressible,
    };
    Expected { verdict, why: e.why.clone() }
}
