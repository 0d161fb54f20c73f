//! The cheapest settings of an engine with which the checks of a scenario hold.
//!
//! ```text
//! (1)  minimise  CPU time per simulated second   over settings whose trial is accepted
//! (2)  elsewhere the loss is  F · (1 + ln(1 + worst value / bound))        F larger than any time
//! ```
//!
//! (2) leads a search that starts at settings that fail towards settings that hold. Trials are those of the lab, judged
//! by the scenario's own checks and references. CPU times are noisy: the best few are run again, and the median of
//! their times decides.

use crate::CalibrateError;
use crate::file::Calibration;
use crate::recording::load;
use crate::search::{Evaluated, Objective, PointSearch};
use serde::Serialize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use veracity_engine::EngineSpec;
use veracity_lab::{Lab, Row, Silent, TrialVerdict};
use veracity_measure::Better;
use veracity_measure::statistics::median;
use veracity_model::Overrides;
use veracity_scenario::{Scenario, Study, StudyEngine};

/// F of (2), in seconds of CPU time per simulated second.
const NOT_ACCEPTED: f64 = 1e6;

/// Settings timed again at the end.
const FINALISTS: usize = 3;

/// Times each of them is run.
const REPEATS: usize = 5;

/// Settings that were tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedSettings {
    /// The engine spec.
    pub engine: String,
    /// [s]
    pub step_s: f64,
    /// Verdict of the trial.
    pub verdict: String,
    /// The deciding check, or how the trial ended.
    pub reason: String,
    /// CPU time of a simulated second [s].
    pub cpu_per_simulated_s: f64,
}

/// Result of the search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheapestSettings {
    /// The cheapest settings that are accepted, timed again; absent if none is.
    pub best: Option<TriedSettings>,
    /// The start settings.
    pub start: TriedSettings,
    /// All settings, in the order tried.
    pub tried: Vec<TriedSettings>,
    /// Whether the search ended by itself, not by its budget.
    pub converged: bool,
}

struct Settings<'a> {
    file: &'a Calibration,
    scenario: Arc<Scenario>,
    spec: EngineSpec,
    lab: &'a Lab<'a>,
    tried: Mutex<Vec<(TriedSettings, EngineSpec, i64)>>,
}

/// Searches. Every parameter of the file is a `setting`; recordings are not used.
pub fn cheapest(file: &Calibration, folder: &Path, lab: &Lab<'_>) -> Result<CheapestSettings, CalibrateError> {
    let unfit = |what: String| CalibrateError::Unfit(format!("{}: {what}", file.name));
    if let Some(other) = file.parameters.iter().find(|p| p.setting.is_none()) {
        return Err(unfit(format!(
            "'{}' is not a setting; the cheapest settings leave the world as it is",
            other.name()
        )));
    }
    let mut overrides = Overrides::new();
    file.set.iter().for_each(|(path, value)| overrides.insert(path, *value));
    let scenario = load(&file.scenario, folder).map_err(unfit)?;
    let scenario = Arc::new(scenario.with(&overrides).map_err(|findings| unfit(findings.to_string()))?);
    if scenario.checks.is_empty() {
        return Err(unfit(format!("scenario '{}' has no checks: any settings would do", scenario.name)));
    }
    let spec = file.engine.parse().map_err(|e| unfit(format!("engine '{}': {e}", file.engine)))?;
    let problem = Settings { file, scenario, spec, lab, tried: Mutex::new(Vec::new()) };
    let start: Vec<f64> = file.parameters.iter().map(|p| p.start.map_or(0.5, |x| p.range().place(x))).collect();
    let search = PointSearch::new(&problem, &file.search, start);
    let (converged, _) = search.run()?;
    let mut tried = problem.tried.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let list: Vec<TriedSettings> = tried.iter().map(|(t, ..)| t.clone()).collect();
    let start = list.first().cloned().ok_or_else(|| unfit("nothing was evaluated; raise `budget`".to_owned()))?;
    tried.retain(|(t, ..)| t.verdict == TrialVerdict::Accepted.to_string());
    tried.sort_by(|a, b| a.0.cpu_per_simulated_s.total_cmp(&b.0.cpu_per_simulated_s));
    tried.dedup_by(|a, b| a.0.engine == b.0.engine && a.0.step_s == b.0.step_s);
    let again = Lab {
        engines: lab.engines,
        store: lab.store,
        executor: lab.executor,
        stop: Arc::clone(&lab.stop),
        fresh: true,
    };
    let problem = Settings { lab: &again, ..problem };
    let mut best: Option<TriedSettings> = None;
    for (settings, spec, step_ns) in tried.iter().take(FINALISTS) {
        let mut times = Vec::new();
        for _ in 0..REPEATS {
            let rows = problem.rows(&[(spec.clone(), *step_ns)])?;
            times.extend(rows.iter().map(|row| row.cpu_s / row.simulated_s.max(1e-9)));
        }
        let timed = TriedSettings { cpu_per_simulated_s: median(&times), ..settings.clone() };
        if best.as_ref().is_none_or(|b| timed.cpu_per_simulated_s < b.cpu_per_simulated_s) {
            best = Some(timed);
        }
    }
    Ok(CheapestSettings { best, start, tried: list, converged })
}

impl Settings<'_> {
    fn at(&self, u: &[f64]) -> (EngineSpec, i64) {
        let (mut spec, mut step_ns) =
            (self.spec.clone(), self.file.step_s.map_or(self.scenario.step_ns, |s| (s * 1e9).round() as i64));
        for (parameter, u) in self.file.parameters.iter().zip(u) {
            let value = parameter.value(*u);
            match parameter.setting.as_deref() {
                Some("step_s") => {
                    // The nearest step that divides the rows.
                    let rows = self.scenario.record_every_ns as f64;
                    step_ns = (rows / (rows / (value * 1e9)).round().max(1.0)).round() as i64;
                }
                Some(key) => {
                    spec.settings.retain(|(k, _)| k != key);
                    spec.settings.push((key.to_owned(), value.to_string()));
                }
                None => {}
            }
        }
        (spec, step_ns)
    }

    /// One row for each of the settings, which are all different.
    fn rows(&self, settings: &[(EngineSpec, i64)]) -> Result<Vec<Row>, CalibrateError> {
        let engine = |(spec, step_ns): &(EngineSpec, i64)| StudyEngine {
            spec: spec.clone(),
            steps_ns: vec![*step_ns],
            scenarios: Vec::new(),
            label: String::new(),
            if_present: false,
        };
        let study = Study {
            name: self.file.name.clone(),
            title: self.file.title.clone(),
            text: String::new(),
            scenarios: vec![Arc::clone(&self.scenario)],
            engines: settings.iter().map(engine).collect(),
            steps_ns: Vec::new(),
            seeds: vec![0],
            variations: vec![Overrides::new()],
            axes: Vec::new(),
            converged: None,
            control: None,
            expectations: Vec::new(),
            findings: Default::default(),
        };
        let result = self.lab.run(&study, &Silent).map_err(|e| CalibrateError::Unfit(e.to_string()))?;
        if !result.complete {
            return Err(CalibrateError::Interrupted);
        }
        Ok(result.rows)
    }
}

impl Objective for Settings<'_> {
    fn dimension(&self) -> usize {
        self.file.parameters.len()
    }

    fn evaluate(&self, points: &[Vec<f64>]) -> Result<Vec<Evaluated>, CalibrateError> {
        let all: Vec<(EngineSpec, i64)> = points.iter().map(|u| self.at(u)).collect();
        let mut different: Vec<(EngineSpec, i64)> = Vec::new();
        for one in &all {
            if !different.contains(one) {
                different.push(one.clone());
            }
        }
        let rows = self.rows(&different)?;
        let mut out = Vec::new();
        for one in all {
            let Some(row) = different.iter().position(|d| *d == one).and_then(|k| rows.get(k)) else {
                return Err(CalibrateError::Unfit("a trial left no row".to_owned()));
            };
            let loss = loss(row);
            out.push(Evaluated {
                residuals: vec![loss.sqrt()],
                groups: std::iter::once(0..1).collect(),
                failure: None,
            });
            let settings = TriedSettings {
                engine: one.0.to_string(),
                step_s: row.step_s,
                verdict: row.verdict.to_string(),
                reason: row.reason.clone(),
                cpu_per_simulated_s: row.cpu_s / row.simulated_s.max(1e-9),
            };
            self.tried.lock().unwrap_or_else(PoisonError::into_inner).push((settings, one.0, one.1));
        }
        Ok(out)
    }
}

/// (1) and (2)
fn loss(row: &Row) -> f64 {
    if row.verdict == TrialVerdict::Accepted {
        return row.cpu_s / row.simulated_s.max(1e-9);
    }
    let ratio = |check: &veracity_lab::CheckResult| {
        let value = check.judgement.measured.as_ref().map_or(f64::NAN, |m| m.value.abs());
        let ratio = match check.judgement.better {
            Better::Larger => check.judgement.bound.abs() / value,
            _ => value / check.judgement.bound.abs(),
        };
        if ratio.is_finite() { ratio } else { 1e12 }
    };
    let worst = row.checks.iter().map(ratio).fold(1.0, f64::max);
    NOT_ACCEPTED * (1.0 + libm::log(1.0 + worst))
}
