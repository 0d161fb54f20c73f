//! A planned study: every trial with its scenario, engine and key, in the study's order.

use crate::axes::Axis;
use crate::results::Expected;
use crate::session::SessionSetup;
use crate::trial::{Start, TrialKey, TrialSpec};
use std::collections::BTreeSet;
use std::sync::Arc;
use veracity_control::{ControlLoop, Sensing, Setup, controllers};
use veracity_engine::{Engine, EngineSpec, Settings, SpecError};
use veracity_model::{Digest, Layout, Overrides};
use veracity_scenario::{self as scenario, Inertias, Scenario, Study, StudyEngine};

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

/// All trials of a study. Holds a few numbers for each: settings are shared, and a varied scenario is made when its
/// turn comes ([`Plan::case`]), so that memory does not grow with the size of a scenario.
pub struct Plan<'a> {
    study: &'a Study,
    engines: &'a Engines<'a>,
    /// Digest of each scenario of the study.
    digests: Vec<Digest>,
    /// What each engine of the study is; `None` for a guest that is not installed.
    resolved: Vec<Option<Resolved>>,
    /// Trials, in order.
    places: Vec<Place>,
    /// Full specs of the guests that are installed: their rows decide nothing unless something is expected of them.
    pub guests: Vec<String>,
    /// Guests that are not installed, as the study names them.
    pub absent: Vec<EngineSpec>,
}

/// An engine spec of a study, resolved once for all its trials.
struct Resolved {
    engine: &'static dyn Engine,
    settings: Settings,
    full_spec: String,
    version: String,
    identity: String,
}

/// A trial as indices into its study.
#[derive(Clone, Copy)]
struct Place {
    scenario: u32,
    variation: u32,
    engine: u32,
    step_ns: i64,
    seed: u64,
}

/// Trials of one kind take about as long as each other: the same scenario, engine and step, under any variation.
pub(crate) type Kind = (u32, u32, i64);

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
    /// A controller or sensor that cannot work at a step of the study.
    #[error("scenario '{scenario}' on {engine} at {step_s} s: {what}")]
    Control {
        /// The scenario.
        scenario: String,
        /// The engine.
        engine: String,
        /// [s]
        step_s: f64,
        /// What is wrong, with what to do.
        what: String,
    },
    /// An expectation that matches no trial of the study: it would never be tested.
    #[error("the study expects '{scenario}' on {engine} and runs no such trial; remove the line or run it")]
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
        Ok(self.plan_resolved(case, number, point, &Resolved::new(self, &point.engine)?))
    }

    fn plan_resolved(&self, case: &Case, number: usize, point: &Point, resolved: &Resolved) -> Planned {
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
        let key = resolved.key(&spec, self.build);
        let setup = SessionSetup {
            scenario: Arc::clone(&case.scenario),
            overrides: case.overrides.clone(),
            step_ns: point.step_ns,
            seed: point.seed,
            index: point.index,
        };
        let (expected, expected_checks) = (point.expected.clone(), point.expected_checks.clone());
        let (engine, settings) = (resolved.engine, resolved.settings.clone());
        Planned { spec, key, setup, engine, settings, case: number, expected, expected_checks, assumed: None }
    }
}

impl Resolved {
    fn new(engines: &Engines<'_>, spec: &EngineSpec) -> Result<Self, SpecError> {
        let (engine, settings) = engines.resolve(spec)?;
        let (full_spec, version, identity) = (settings.full_spec(), engine.version(), engine.identity());
        Ok(Self { engine, settings, full_spec, version, identity })
    }

    fn key(&self, spec: &TrialSpec, build: &str) -> TrialKey {
        spec.key(&self.full_spec, &self.version, &self.identity, build)
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

impl<'a> Plan<'a> {
    /// Plans a study. Everything that can be known to fail is reported here, before the first trial runs: specs,
    /// variations, steps that a controller cannot divide, expectations of trials that do not exist.
    pub fn new(engines: &'a Engines<'a>, study: &'a Study) -> Result<Self, PlanError> {
        let mut plan = Plan {
            study,
            engines,
            digests: study.scenarios.iter().map(|s| s.digest()).collect(),
            resolved: Vec::new(),
            places: Vec::new(),
            guests: Vec::new(),
            absent: Vec::new(),
        };
        for engine in &study.engines {
            let resolved = plan.resolve(engine)?;
            plan.resolved.push(resolved);
        }
        for (scenario, base) in study.scenarios.iter().enumerate() {
            for (variation, overrides) in study.variations.iter().enumerate() {
                let case = Case::of(base, plan.digests[scenario], overrides)?;
                for (engine, entry) in study.engines.iter().enumerate().filter(|(_, e)| study.runs(e, base)) {
                    let Some(resolved) = &plan.resolved[engine] else { continue };
                    for step_ns in study.steps_for(entry, base) {
                        if variation == 0 || changes_control(overrides) {
                            controls(&case.scenario, resolved, step_ns)?;
                        }
                        let place = |seed: &u64| Place {
                            scenario: scenario as u32,
                            variation: variation as u32,
                            engine: engine as u32,
                            step_ns,
                            seed: *seed,
                        };
                        plan.places.extend(study.seeds.iter().map(place));
                    }
                }
            }
        }
        plan.find_orphans()?;
        Ok(plan)
    }

    /// Number of trials.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of cases; some may have no trials.
    pub fn cases(&self) -> usize {
        self.study.scenarios.len() * self.study.variations.len()
    }

    /// The case (scenario and variation) that a trial belongs to.
    pub fn case_of(&self, trial: usize) -> usize {
        let place = &self.places[trial];
        place.scenario as usize * self.study.variations.len() + place.variation as usize
    }

    /// Makes a case: the scenario with its variation applied.
    pub fn case(&self, number: usize) -> Result<Case, PlanError> {
        let (scenario, variation) = (number / self.study.variations.len(), number % self.study.variations.len());
        Case::of(&self.study.scenarios[scenario], self.digests[scenario], &self.study.variations[variation])
    }

    /// Makes the case of a trial with one of its varied numbers at another value.
    pub(crate) fn changed(&self, trial: usize, axis: &Axis, value: f64) -> Result<Case, PlanError> {
        let place = &self.places[trial];
        let mut overrides = self.study.variations[place.variation as usize].clone();
        overrides.insert(axis.path.as_str(), value);
        axis.also.iter().for_each(|path| overrides.insert(path.as_str(), value));
        let scenario = place.scenario as usize;
        Case::of(&self.study.scenarios[scenario], self.digests[scenario], &overrides)
    }

    /// Makes a trial of its case.
    pub fn trial(&self, number: usize, case: &Case) -> Planned {
        let place = &self.places[number];
        let (engine, resolved) = self.engine_of(place);
        let of = |check: Option<&str>| {
            let found = self.study.expectation(&case.base.name, &engine.spec, place.step_ns, &case.overrides, check);
            found.map(|e| Expected { verdict: e.answer.into(), why: e.why.clone() })
        };
        let of_check = |c: &scenario::Check| Some((c.name.clone(), of(Some(&c.name))?));
        let point = Point {
            engine: engine.spec.clone(),
            step_ns: place.step_ns,
            seed: place.seed,
            index: u64::from(place.variation),
            expected: of(None),
            expected_checks: case.base.checks.iter().filter_map(of_check).collect(),
        };
        self.engines.plan_resolved(case, self.case_of(number), &point, resolved)
    }

    /// Where a trial is stored that reached its cap of CPU time.
    pub(crate) fn too_slow_key(&self, number: usize) -> TrialKey {
        let scenario = &self.study.scenarios[self.places[number].scenario as usize];
        self.key(number).too_slow(scenario.cpu_cap_s)
    }

    /// The key of a trial, without making its scenario.
    pub fn key(&self, number: usize) -> TrialKey {
        let place = &self.places[number];
        let (engine, resolved) = self.engine_of(place);
        let spec = TrialSpec {
            scenario: String::new(),
            base: self.digests[place.scenario as usize],
            overrides: pairs(&self.study.variations[place.variation as usize]),
            engine: engine.spec.clone(),
            step_ns: place.step_ns,
            seed: place.seed,
            index: u64::from(place.variation),
            start: Start::Zero,
        };
        resolved.key(&spec, self.engines.build)
    }

    /// See [`Kind`].
    pub(crate) fn kind(&self, number: usize) -> Kind {
        let place = &self.places[number];
        (place.scenario, place.engine, place.step_ns)
    }

    fn engine_of(&self, place: &Place) -> (&StudyEngine, &Resolved) {
        let engine = place.engine as usize;
        let resolved = self.resolved[engine].as_ref().expect("trials are planned for resolved engines only");
        (&self.study.engines[engine], resolved)
    }

    /// A guest that is not installed is left out; one that is installed and rejects its settings is an error like any
    /// other.
    fn resolve(&mut self, engine: &StudyEngine) -> Result<Option<Resolved>, PlanError> {
        match Resolved::new(self.engines, &engine.spec) {
            Ok(resolved) => {
                if engine.if_present {
                    self.guests.push(resolved.full_spec.clone());
                }
                Ok(Some(resolved))
            }
            Err(SpecError::UnknownEngine { .. } | SpecError::Version { .. }) if engine.if_present => {
                if !self.absent.contains(&engine.spec) {
                    self.absent.push(engine.spec.clone());
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn find_orphans(&self) -> Result<(), PlanError> {
        let kinds: BTreeSet<Kind> = (0..self.len()).map(|number| self.kind(number)).collect();
        for e in self.study.expectations.iter().filter(|e| !self.absent.contains(&e.engine)) {
            let fits = |(scenario, engine, step_ns): &Kind| {
                self.study.scenarios[*scenario as usize].name == e.scenario
                    && self.study.engines[*engine as usize].spec == e.engine
                    && e.step_ns.is_none_or(|s| s == *step_ns)
            };
            if !kinds.iter().any(fits) {
                return Err(PlanError::Orphan { scenario: e.scenario.clone(), engine: e.engine.to_string() });
            }
        }
        Ok(())
    }
}

/// Whether the controllers and sensors of a scenario can work at a step of an engine.
fn controls(scenario: &Scenario, resolved: &Resolved, step_ns: i64) -> Result<(), PlanError> {
    if scenario.controllers.is_empty() && scenario.sensors.is_empty() {
        return Ok(());
    }
    let layout = Layout::new(&scenario.world);
    let capabilities = resolved.engine.capabilities(&resolved.settings);
    let around = Setup { world: &scenario.world, layout: &layout, capabilities, step_ns, seed: 0, trial: 0 };
    let built = Sensing::new(&around, &scenario.sensors).and_then(|sensing| {
        let parts = scenario.controllers.iter().map(|c| controllers::build(c, &around, &sensing));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        ControlLoop::with_controllers(&around, sensing, parts)
    });
    built.map(|_| ()).map_err(|error| PlanError::Control {
        scenario: scenario.name.clone(),
        engine: resolved.settings.short_spec(),
        step_s: step_ns as f64 * 1e-9,
        what: error.to_string(),
    })
}

/// Whether a variation changes a number of a controller or sensor, such as its period.
fn changes_control(variation: &Overrides) -> bool {
    variation.iter().any(|(path, _)| path.starts_with("controllers/") || path.starts_with("sensors/"))
}

fn pairs(variation: &Overrides) -> Vec<(String, f64)> {
    variation.iter().map(|(path, x)| (path.to_string(), x)).collect()
}

impl Case {
    /// A scenario with a variation applied.
    pub fn new(base: &Arc<Scenario>, variation: &Overrides) -> Result<Self, PlanError> {
        Self::of(base, base.digest(), variation)
    }

    /// The same where the digest of the scenario is known: it takes longer than the rest.
    pub fn of(base: &Arc<Scenario>, base_digest: Digest, variation: &Overrides) -> Result<Self, PlanError> {
        Self::with_inertias(base, base_digest, variation, Inertias::Possible)
    }

    /// The same; with [`Inertias::Raw`], inertia tensors may be ones that no solid has.
    pub fn with_inertias(
        base: &Arc<Scenario>,
        base_digest: Digest,
        variation: &Overrides,
        inertias: Inertias,
    ) -> Result<Self, PlanError> {
        let overrides = pairs(variation);
        if overrides.is_empty() {
            return Ok(Self { base: Arc::clone(base), scenario: Arc::clone(base), overrides, base_digest });
        }
        let varied = base.with_inertias(variation, inertias).map_err(|findings| PlanError::Variation {
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
