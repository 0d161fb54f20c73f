//! Every toss on every engine, through the lab.

use super::protocol::{TossError, TossStart, begin, error};
use super::study::{TossEngine, TossStudy};
use crate::error::Error;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use veracity_calibrate::resample::paired_gain;
use veracity_engine::{EngineSpec, SpecError};
use veracity_lab::{Lab, Progress, TrialKey, TrialVerdict};
use veracity_measure::statistics::{Interval, median, standard_deviation, student_mean};
use veracity_mocap::datasets::tosses::{self, Toss};
use veracity_model::geometry::rpy_from_quat;
use veracity_model::{Layout, Overrides, Quat};
use veracity_scenario::{LoadOptions, Scenario, Study, StudyEngine};

/// Result of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Scores {
    /// Tosses that were simulated.
    pub tosses: usize,
    /// Tosses without a start, each with the reason.
    pub left_out: Vec<String>,
    /// Largest root mean square distance of any flight from its parabola [m].
    pub worst_residual_m: f64,
    /// Error of a cube that stays at its start.
    pub stays: Scored,
    /// One for each engine installed.
    pub engines: Vec<Scored>,
    /// Engines that are not installed.
    pub absent: Vec<String>,
    /// Whether every trial was run.
    pub complete: bool,
}

/// One row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Scored {
    /// The spec, without its defaults.
    pub engine: String,
    /// Label of the study.
    pub label: String,
    /// With every setting.
    pub full_spec: String,
    /// Tosses simulated to their end.
    pub finished: usize,
    /// Mean over tosses of the position error, with its interval [% of the width].
    pub position_percent: Interval,
    /// Its standard deviation over tosses.
    pub position_std: f64,
    /// Its median.
    pub position_median: f64,
    /// Mean over tosses of the rotation error, with its interval, in degrees.
    pub rotation_deg: Interval,
    /// Its standard deviation over tosses.
    pub rotation_std: f64,
    /// Its median.
    pub rotation_median: f64,
    /// CPU time of all tosses [s].
    pub cpu_s: f64,
    /// Reasons for unfinished tosses, and how many tosses each.
    pub failures: Vec<(String, usize)>,
    /// Of a fitted engine: error of the unfitted row less its own, toss by toss; mean with its 95 % interval, position in
    /// per cent and rotation in degrees.
    pub gain: Option<[[f64; 3]; 2]>,
    /// Toss by toss.
    pub of_toss: Vec<TossError>,
}

/// Which tosses are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TossPart {
    /// All.
    #[default]
    All,
    /// Those that parameters are fitted on.
    Fitted,
    /// The others.
    HeldOut,
}

/// Confidence of the means' intervals.
const CONFIDENCE: f64 = 0.95;

/// Runs the study and scores it. `study_folder` is the study's folder, `data` that of recorded data.
pub fn score(
    study: &TossStudy,
    study_folder: &Path,
    data: &Path,
    part: TossPart,
    lab: &Lab<'_>,
    progress: &dyn Progress,
) -> Result<Scores, Error> {
    let path = data.join(&study.table);
    let (all, _) = tosses::read(&path).map_err(|e| Error::Unfit(e.to_string()))?;
    let wanted = |toss: &Toss| match (part, study.fitted_on) {
        (TossPart::All, _) => Ok(true),
        (_, None) => Err(Error::Unfit(format!("{}: the study has no `fitted_on`", study.name))),
        (TossPart::Fitted, Some(on)) => Ok(on.holds(toss.number)),
        (TossPart::HeldOut, Some(on)) => Ok(!on.holds(toss.number)),
    };
    let mut kept = Vec::new();
    for toss in all {
        if wanted(&toss)? {
            kept.push(toss);
        }
    }
    let scenario = Scenario::load(&study_folder.join(&study.scenario), &LoadOptions::default());
    let scenario = Arc::new(scenario.map_err(|findings| Error::Unfit(findings.to_string()))?);
    let paths = Paths::new(study, &scenario)?;

    let (mut started, mut left_out): (Vec<(Toss, TossStart)>, Vec<String>) = (Vec::new(), Vec::new());
    for toss in kept.into_iter().step_by(study.every) {
        match begin(&toss, study.half_width_m, study.flight_samples) {
            Ok(start) => started.push((toss, start)),
            Err(why) => left_out.push(format!("toss {}: {why}", toss.number)),
        }
    }
    if started.is_empty() {
        return Err(Error::Unfit(format!("{}: no toss has a start; {}", path.display(), left_out.join("; "))));
    }
    let mut out = Scores {
        tosses: started.len(),
        left_out,
        worst_residual_m: started.iter().map(|(_, b)| b.residual).fold(0.0, f64::max),
        stays: stays(&started, study.half_width_m),
        engines: Vec::new(),
        absent: Vec::new(),
        complete: true,
    };
    for engine in &study.engines {
        let spec: EngineSpec =
            engine.spec.parse().map_err(|e| Error::Unfit(format!("engine '{}': {e}", engine.spec)))?;
        match lab.engines.resolve(&spec) {
            Ok(_) => {}
            Err(e @ (SpecError::UnknownEngine { .. } | SpecError::Version { .. })) => {
                out.absent.push(format!("{spec}: {e}"));
                continue;
            }
            Err(e) => return Err(Error::Unfit(e.to_string())),
        }
        let (scored, complete) = run(study, engine, spec, &scenario, &paths, &started, lab, progress)?;
        out.engines.push(scored);
        out.complete &= complete;
        if !complete {
            break;
        }
    }
    compare_fitted(study, &mut out);
    Ok(out)
}

/// Gains of fitted rows over the unfitted row of their engine.
fn compare_fitted(study: &TossStudy, out: &mut Scores) {
    for engine in &study.engines {
        let Some(base) = &engine.base else { continue };
        let normal = |spec: &str| spec.parse::<EngineSpec>().map(|s| s.to_string()).unwrap_or_default();
        let (own, base) = (normal(&engine.spec), normal(base));
        let fitted = out.engines.iter().position(|s| s.engine == own && s.label == engine.label);
        let unfitted = |e: &&TossEngine| e.base.is_none() && normal(&e.spec) == base;
        let Some(plain) = study.engines.iter().find(unfitted) else { continue };
        let before = out.engines.iter().find(|s| s.engine == base && s.label == plain.label);
        let (Some(fitted), Some(before)) = (fitted, before) else { continue };
        let pairs: Vec<(TossError, TossError)> = out.engines[fitted]
            .of_toss
            .iter()
            .filter_map(|after| Some((*before.of_toss.iter().find(|b| b.toss == after.toss)?, *after)))
            .collect();
        let gain = |of: fn(&TossError) -> f64| {
            let (before, after): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(b, a)| (of(b), of(a))).unzip();
            paired_gain(&before, &after)
        };
        let both = gain(|e| e.position_percent).zip(gain(|e| e.rotation_deg));
        out.engines[fitted].gain = both.map(|(p, r)| [p, r]);
    }
}

/// Paths of the numbers that a toss sets.
pub(super) struct Paths {
    position: [String; 3],
    rpy: [String; 3],
    v: [String; 6],
    body: usize,
}

impl Paths {
    pub(super) fn new(study: &TossStudy, scenario: &Scenario) -> Result<Self, Error> {
        let layout = Layout::new(&scenario.world);
        let missing = || Error::Unfit(format!("{} has no body '{}'", scenario.name, study.body));
        let body = layout.body(&study.body).ok_or_else(missing)?;
        let numbers = scenario.numbers();
        // A free joint has a yaw in its start.
        let head = format!("start/q/{}/", study.placement);
        let joint = numbers.iter().find_map(|(path, _)| path.strip_prefix(&head)?.strip_suffix("/yaw"));
        let Some(joint) = joint else {
            return Err(Error::Unfit(format!("{}: '{}' has no free joint", scenario.name, study.placement)));
        };
        let q = |part: &str| format!("{head}{joint}/{part}");
        let v = |k: usize| format!("start/v/{}/{joint}/{k}", study.placement);
        Ok(Self {
            position: ["x", "y", "z"].map(q),
            rpy: ["roll", "pitch", "yaw"].map(q),
            v: [0, 1, 2, 3, 4, 5].map(v),
            body,
        })
    }

    /// The scenario's numbers for a toss.
    pub(super) fn overrides(
        &self,
        toss: &Toss,
        start: &TossStart,
        scenario: &Scenario,
        set: &BTreeMap<String, f64>,
    ) -> Overrides {
        let mut out = Overrides::new();
        let [w, x, y, z] = start.orientation;
        let turned = Quat::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
        let rpy = rpy_from_quat(&turned);
        for axis in 0..3 {
            out.insert(&self.position[axis], start.position[axis]);
            out.insert(&self.rpy[axis], rpy[axis]);
            // A free joint's v: angular in the body's axes, then linear in the world's.
            out.insert(&self.v[axis], start.spin[axis]);
            out.insert(&self.v[3 + axis], start.velocity[axis]);
        }
        let rows = toss.samples.len() - start.sample - 1;
        out.insert("duration_s", (rows.max(1) as i64 * scenario.record_every_ns) as f64 * 1e-9);
        set.iter().for_each(|(path, value)| {
            out.insert(path, *value);
        });
        out
    }
}

#[expect(clippy::too_many_arguments, reason = "one call, from the loop over engines")]
fn run(
    study: &TossStudy,
    engine: &TossEngine,
    spec: EngineSpec,
    scenario: &Arc<Scenario>,
    paths: &Paths,
    started: &[(Toss, TossStart)],
    lab: &Lab<'_>,
    progress: &dyn Progress,
) -> Result<(Scored, bool), Error> {
    let failed = |e: String| Error::Unfit(format!("{}: {e}", engine.spec));
    let trials = Study {
        name: study.name.clone(),
        title: study.title.clone(),
        text: study.text.clone(),
        scenarios: vec![Arc::clone(scenario)],
        engines: vec![StudyEngine {
            spec: spec.clone(),
            steps_ns: Vec::new(),
            scenarios: Vec::new(),
            label: engine.label.clone(),
            if_present: false,
        }],
        steps_ns: Vec::new(),
        seeds: vec![0],
        variations: started.iter().map(|(toss, start)| paths.overrides(toss, start, scenario, &engine.set)).collect(),
        axes: Vec::new(),
        converged: None,
        control: None,
        expectations: Vec::new(),
        evidence: Default::default(),
        findings: Default::default(),
    };
    let result = lab.run(&trials, progress).map_err(|e| failed(e.to_string()))?;
    let mut errors = Vec::new();
    let mut failures: BTreeMap<String, usize> = BTreeMap::new();
    let (mut cpu_s, mut full_spec) = (0.0, String::new());
    // Rows are in the order of the variations; an interrupted study lacks some.
    for (row, (toss, start)) in result.rows.iter().zip(started).take_while(|_| result.complete) {
        cpu_s += row.cpu_s;
        full_spec.clone_from(&row.full_spec);
        let ran = matches!(row.verdict, TrialVerdict::Accepted | TrialVerdict::CannotTell);
        let record = if ran { lab.store.record(TrialKey(row.key)).map_err(|e| failed(e.to_string()))? } else { None };
        let found = record.and_then(|r| error(toss, start, &r.track, paths.body, study.half_width_m));
        match found {
            Some(error) => errors.push(error),
            None => *failures.entry(format!("{}: {}", row.verdict, row.reason)).or_default() += 1,
        }
    }
    let mut scored = summary(spec.to_string(), engine.label.clone(), errors);
    (scored.full_spec, scored.cpu_s) = (full_spec, cpu_s);
    scored.failures = failures.into_iter().collect();
    Ok((scored, result.complete))
}

/// Score of a cube that stays at its start: the baseline without simulation.
fn stays(started: &[(Toss, TossStart)], half_width: f64) -> Scored {
    let error = |(toss, start): &(Toss, TossStart)| {
        let mut track = veracity_record::Track::new(0, 0, 1, 0, 0);
        for k in start.sample..toss.samples.len() {
            track.times.push(toss.times_s[k]);
            track.poses.extend(start.position.iter().chain(&start.orientation));
        }
        error(toss, start, &track, 0, half_width)
    };
    summary("stays where it starts".to_owned(), String::new(), started.iter().filter_map(error).collect())
}

fn summary(engine: String, label: String, errors: Vec<TossError>) -> Scored {
    let position: Vec<f64> = errors.iter().map(|e| e.position_percent).collect();
    let rotation: Vec<f64> = errors.iter().map(|e| e.rotation_deg).collect();
    let of = |values: &[f64]| match values.len() {
        0 | 1 => {
            let estimate = values.first().copied().unwrap_or(f64::NAN);
            (Interval { estimate, low: f64::NAN, high: f64::NAN, confidence: CONFIDENCE }, f64::NAN, estimate)
        }
        _ => (student_mean(values, CONFIDENCE), standard_deviation(values), median(values)),
    };
    let ((position_percent, position_std, position_median), (rotation_deg, rotation_std, rotation_median)) =
        (of(&position), of(&rotation));
    Scored {
        engine,
        label,
        full_spec: String::new(),
        finished: errors.len(),
        position_percent,
        position_std,
        position_median,
        rotation_deg,
        rotation_std,
        rotation_median,
        cpu_s: 0.0,
        failures: Vec::new(),
        gain: None,
        of_toss: errors,
    }
}
