//! The cheapest settings of an engine with which the checks of a scenario hold.
//!
//! ```text
//! (1)  minimise  CPU time per simulated second   over settings whose trial is accepted
//! (2)  elsewhere the loss is  F · (1 + ln(1 + worst value / bound))        F larger than any time
//! ```
//!
//! Several scenarios may have to hold with the same settings: times of (1) are then summed over them, the worst value of
//! (2) decides, and a scenario is tried only with settings that satisfy those before it.
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

/// Weight of a scenario that was not tried, in the logarithm of (2): more than any ratio of value and bound.
const UNTRIED: f64 = 40.0;

/// Stands for the bound of an instant that must never come, in (2) [s].
const NEVER_S: f64 = 1e4;

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
    /// In the order in which they are tried; at least one.
    scenarios: Vec<Arc<Scenario>>,
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
    let mut scenarios = vec![named(&file.scenario, &file.set, &file.checks, folder).map_err(unfit)?];
    for also in &file.also_hold {
        scenarios.push(named(&also.scenario, &also.set, &also.checks, folder).map_err(unfit)?);
    }
    let spec = file.engine.parse().map_err(|e| unfit(format!("engine '{}': {e}", file.engine)))?;
    let problem = Settings { file, scenarios, spec, lab, tried: Mutex::new(Vec::new()) };
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
            times.extend(problem.rows(&[(spec.clone(), *step_ns)])?.iter().map(|rows| cost(rows)));
        }
        let timed = TriedSettings { cpu_per_simulated_s: median(&times), ..settings.clone() };
        if best.as_ref().is_none_or(|b| timed.cpu_per_simulated_s < b.cpu_per_simulated_s) {
            best = Some(timed);
        }
    }
    Ok(CheapestSettings { best, start, tried: list, converged })
}

/// A scenario with its own numbers and the checks that decide.
fn named(
    name: &str,
    set: &std::collections::BTreeMap<String, f64>,
    checks: &[String],
    folder: &Path,
) -> Result<Arc<Scenario>, String> {
    let mut overrides = Overrides::new();
    set.iter().for_each(|(path, value)| overrides.insert(path, *value));
    let scenario = load(name, folder)?.with(&overrides).map_err(|findings| findings.to_string())?;
    let mut scenario = scenario.within_its_duration();
    if let Some(missing) = checks.iter().find(|wanted| !scenario.checks.iter().any(|c| c.name == **wanted)) {
        let known = scenario.checks.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(format!("scenario '{}' has no check '{missing}'; it has {known}", scenario.name));
    }
    // A check that ends trials stays, so that hopeless settings cost little.
    let stop = scenario.stop.clone();
    scenario.checks.retain(|c| checks.is_empty() || checks.contains(&c.name) || stop.contains(&c.name));
    if scenario.checks.is_empty() {
        return Err(format!("scenario '{}' has no checks: any settings would do", scenario.name));
    }
    Ok(Arc::new(scenario))
}

/// CPU time of a simulated second, over all scenarios [s].
fn cost(rows: &[Row]) -> f64 {
    let sum = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
    sum(|row| row.cpu_s) / sum(|row| row.simulated_s).max(1e-9)
}

/// The row that decides: the last, because a scenario is tried only after those before it hold.
fn deciding(rows: &[Row]) -> Option<&Row> {
    rows.last()
}

/// The divisor of `base_ns` that is nearest to a step, as a ratio [ns].
fn nearest_step(base_ns: i64, wanted_ns: f64) -> i64 {
    let off = |step: i64| libm::log(step as f64 / wanted_ns).abs();
    let divisors = (1..=100_000).filter(|n| base_ns % n == 0).map(|n| base_ns / n);
    divisors.min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(base_ns)
}

/// What every step must divide: the intervals of recorded rows and the periods of controllers [ns].
fn common_period(scenarios: &[Arc<Scenario>]) -> i64 {
    let mut base = 0;
    let mut divide = |ns: i64| {
        let (mut a, mut b) = (base, ns);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        base = a;
    };
    for scenario in scenarios {
        divide(scenario.record_every_ns);
        for controller in &scenario.controllers {
            let period_s = controller.period_s.or(controller.rate_hz.map(|rate| 1.0 / rate));
            if let Some(period_s) = period_s {
                divide((period_s * 1e9).round() as i64);
            }
        }
    }
    base
}

impl Settings<'_> {
    fn at(&self, u: &[f64]) -> (EngineSpec, i64) {
        let (mut spec, mut step_ns) =
            (self.spec.clone(), self.file.step_s.map_or(self.scenarios[0].step_ns, |s| (s * 1e9).round() as i64));
        for (parameter, u) in self.file.parameters.iter().zip(u) {
            let value = parameter.value(*u);
            match parameter.setting.as_deref() {
                Some("step_s") => step_ns = nearest_step(common_period(&self.scenarios), value * 1e9),
                Some(key) => {
                    spec.settings.retain(|(k, _)| k != key);
                    spec.settings.push((key.to_owned(), value.to_string()));
                }
                None => {}
            }
        }
        (spec, step_ns)
    }

    /// For each of the settings, which are all different, the rows of the scenarios that were tried.
    fn rows(&self, settings: &[(EngineSpec, i64)]) -> Result<Vec<Vec<Row>>, CalibrateError> {
        let mut out: Vec<Vec<Row>> = vec![Vec::new(); settings.len()];
        for scenario in &self.scenarios {
            let left: Vec<usize> = (0..settings.len())
                .filter(|&k| deciding(&out[k]).is_none_or(|row| row.verdict == TrialVerdict::Accepted))
                .collect();
            if left.is_empty() {
                break;
            }
            let chosen: Vec<(EngineSpec, i64)> = left.iter().map(|&k| settings[k].clone()).collect();
            for (k, row) in left.iter().zip(self.rows_of(scenario, &chosen)?) {
                out[*k].push(row);
            }
        }
        Ok(out)
    }

    /// One row of a scenario for each of the settings.
    fn rows_of(&self, scenario: &Arc<Scenario>, settings: &[(EngineSpec, i64)]) -> Result<Vec<Row>, CalibrateError> {
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
            scenarios: vec![Arc::clone(scenario)],
            engines: settings.iter().map(engine).collect(),
            steps_ns: Vec::new(),
            seeds: vec![0],
            variations: vec![Overrides::new()],
            axes: Vec::new(),
            converged: None,
            control: None,
            expectations: Vec::new(),
            evidence: Default::default(),
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
            let of_one = different.iter().position(|d| *d == one).and_then(|k| rows.get(k));
            let Some((of_one, row)) = of_one.and_then(|rows| Some((rows, deciding(rows)?))) else {
                return Err(CalibrateError::Unfit("a trial left no row".to_owned()));
            };
            let loss = loss(of_one, self.scenarios.len());
            out.push(Evaluated {
                residuals: vec![loss.sqrt()],
                groups: std::iter::once(0..1).collect(),
                failure: None,
            });
            let settings = TriedSettings {
                engine: one.0.to_string(),
                step_s: row.step_s,
                verdict: row.verdict.to_string(),
                reason: format!("{}: {}", row.scenario, row.reason),
                cpu_per_simulated_s: cost(of_one),
            };
            self.tried.lock().unwrap_or_else(PoisonError::into_inner).push((settings, one.0, one.1));
        }
        Ok(out)
    }
}

/// (1) and (2), for settings that were tried in the first of `scenarios`.
fn loss(rows: &[Row], scenarios: usize) -> f64 {
    let Some(row) = deciding(rows) else { return f64::INFINITY };
    if row.verdict == TrialVerdict::Accepted {
        return cost(rows);
    }
    let ratio = |check: &veracity_lab::CheckResult| {
        let value = check.judgement.measured.as_ref().map_or(f64::NAN, |m| m.value.abs());
        let ratio = match check.judgement.better {
            // An instant that must never come: the later, the better.
            Better::Larger if check.judgement.bound.is_infinite() => NEVER_S / value.max(1e-3),
            Better::Larger => check.judgement.bound.abs() / value,
            _ => value / check.judgement.bound.abs(),
        };
        if ratio.is_finite() { ratio } else { 1e12 }
    };
    let worst = row.checks.iter().map(ratio).fold(1.0, f64::max);
    // The earlier it fails, the worse.
    let untried = (scenarios - rows.len()) as f64;
    NOT_ACCEPTED * (1.0 + libm::log(1.0 + worst) + UNTRIED * untried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_divide_rows_and_control_periods() {
        let arm = Arc::new(Scenario::built_in("ur10_grasp").unwrap());
        let row = Arc::new(Scenario::built_in("block_row_3").unwrap());
        // Rows of the arm come every 10 ms and of the blocks every 20 ms; the arm is controlled at 1 kHz.
        assert_eq!(common_period(&[Arc::clone(&row), arm]), 1_000_000);
        assert_eq!(common_period(&[row]), 20_000_000);
        assert_eq!(nearest_step(1_000_000, 9e5), 1_000_000);
        assert_eq!(nearest_step(1_000_000, 3.3e5), 250_000);
        assert_eq!(nearest_step(1_000_000, 2e6), 1_000_000);
        assert_eq!(nearest_step(20_000_000, 4.9e6), 5_000_000);
    }
}
