//! From parameters to residuals: one trial for each recording, stored like any other.
//!
//! ```text
//! (1)  r_i = (simulated(t_i) - measured_i) / σ_i
//! ```
//!
//! at the instants of the recording; the simulated quantity is interpolated between its rows. Orientations give the three
//! components of the rotation vector between them. Trials are keyed by everything that decides them: a point that was
//! evaluated before, by this fit or another, is read from the store, so that a killed fit continues where it stopped.

use crate::CalibrateError;
use crate::file::{Calibration, FitLoss, InertiaComponent, MeasuredProperty, Parameter};
use crate::inertia::{NUMBERS, changed};
use crate::recording::{Measured, MeasuredChannel, load, read_all, residual_width};
use crate::search::{Evaluated, FAILED, Objective};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use veracity_dynamics::spatial::{quat_conj, quat_log, quat_mul};
use veracity_engine::EngineSpec;
use veracity_lab::plan::{Case, Planned, Point};
use veracity_lab::{Lab, StoreError, run_trial};
use veracity_measure::Quantity;
use veracity_measure::curve::Curve;
use veracity_model::{Overrides, Vec3};
use veracity_record::{Outcome, Record};
use veracity_scenario::Scenario;

/// Residuals of one recording, by channel and component; or why there are none.
pub type Residuals = Result<Vec<Vec<f64>>, String>;

/// A calibration with its recordings read and its scenario loaded.
pub struct Problem<'a> {
    /// The file.
    pub file: &'a Calibration,
    /// Its recordings.
    pub measured: Vec<Measured>,
    spec: EngineSpec,
    step_ns: i64,
    lab: &'a Lab<'a>,
    /// Trials run and trials read from the store.
    counts: Mutex<(usize, usize)>,
}

impl<'a> Problem<'a> {
    /// Reads the scenario and the recordings. `folder` is the file's folder, `data` that of recorded data.
    pub fn new(
        file: &'a Calibration,
        folder: &Path,
        data: Option<&Path>,
        lab: &'a Lab<'a>,
    ) -> Result<Self, CalibrateError> {
        let unfit = |what: String| CalibrateError::Unfit(format!("{}: {what}", file.name));
        let scenario = load(&file.scenario, folder).map_err(unfit)?;
        let spec: EngineSpec = file.engine.parse().map_err(|e| unfit(format!("engine '{}': {e}", file.engine)))?;
        lab.engines.resolve(&spec).map_err(|e| unfit(e.to_string()))?;
        let step_ns = file.step_s.map_or(scenario.step_ns, |s| (s * 1e9).round() as i64);
        scenario.step_fits(step_ns).map_err(unfit)?;
        let measured = read_all(file, folder, data, &scenario).map_err(unfit)?;
        let problem = Self { file, measured, spec, step_ns, lab, counts: Mutex::new((0, 0)) };
        // Every path and setting is tried before the first trial, in every scenario, at the first values.
        let middle: Vec<f64> = file.parameters.iter().map(|p| p.start.map_or(0.5, |x| p.range().place(x))).collect();
        let mut tried: Vec<&str> = Vec::new();
        for measured in &problem.measured {
            if !tried.contains(&measured.scenario.name.as_str()) {
                tried.push(&measured.scenario.name);
                problem.plan(&middle, measured).map_err(unfit)?;
            }
        }
        for parameter in file.parameters.iter().filter(|p| p.input.is_some() || p.measured.is_some()) {
            let known: Vec<&str> = match parameter.input {
                Some(_) => problem.measured.iter().flat_map(|m| &m.inputs).map(|i| i.table.column.as_str()).collect(),
                None => {
                    let channels = problem.measured.iter().flat_map(|m| &m.channels);
                    channels.flat_map(|c| &c.columns).map(String::as_str).collect()
                }
            };
            let odd = parameter.columns.iter().find(|c| !known.contains(&c.as_str()));
            if known.is_empty() || odd.is_some() {
                let which = odd.map_or("no column is replayed".to_owned(), |c| format!("there is no column '{c}'"));
                return Err(unfit(format!("'{}': {which}", parameter.name())));
            }
        }
        Ok(problem)
    }

    /// Numbers measured in the recordings that are fitted.
    pub fn count(&self) -> usize {
        self.measured.iter().filter(|m| !m.hold_out).map(Measured::count).sum()
    }

    /// Trials run here, and trials found in the store.
    pub fn counts(&self) -> (usize, usize) {
        *lock(&self.counts)
    }

    /// Residuals of every point for every recording that is fitted, or of those held out.
    pub fn residuals(&self, points: &[Vec<f64>], held_out: bool) -> Result<Vec<Vec<Residuals>>, CalibrateError> {
        let recordings: Vec<&Measured> = self.measured.iter().filter(|m| m.hold_out == held_out).collect();
        let jobs: Vec<(usize, &Measured)> =
            (0..points.len()).flat_map(|k| recordings.iter().map(move |m| (k, *m))).collect();
        let found: Vec<Mutex<Option<Residuals>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let trouble: Mutex<Option<StoreError>> = Mutex::new(None);
        let job = |number: usize| {
            let (k, measured) = jobs[number];
            match self.one(&points[k], measured) {
                Ok(residuals) => *lock(&found[number]) = Some(residuals),
                Err(error) => {
                    lock(&trouble).get_or_insert(error);
                    self.lab.stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let lost = |number: usize, why: String| *lock(&found[number]) = Some(Err(why));
        self.lab.executor.run(jobs.len(), &job, &lost, &self.lab.stop);
        if let Some(error) = lock(&trouble).take() {
            return Err(error.into());
        }
        if self.lab.stop.load(Ordering::Relaxed) {
            return Err(CalibrateError::Interrupted);
        }
        let mut all = found.into_iter().map(|cell| cell.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut out = Vec::new();
        for _ in points {
            let of_point = all.by_ref().take(recordings.len());
            out.push(of_point.map(|r| r.unwrap_or_else(|| Err("not evaluated".to_owned()))).collect());
        }
        Ok(out)
    }

    fn one(&self, u: &[f64], measured: &Measured) -> Result<Residuals, StoreError> {
        let planned = match self.plan(u, measured) {
            Ok(planned) => planned,
            Err(why) => return Ok(Err(why)),
        };
        let (record, ran) = self.record(&planned)?;
        let mut counts = lock(&self.counts);
        if ran {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
        drop(counts);
        if !record.outcome.is_finished() {
            return Ok(Err(format!("the trial ended early: {:?}", record.outcome)));
        }
        if let Some(most) = self.file.search.most_cpu_per_simulated_s {
            let cost = record.host.cpu_s / record.head.duration_s;
            if cost > most {
                return Ok(Err(format!("{cost:.3} s of CPU time for a simulated second; {most} are allowed")));
            }
        }
        Ok(compare(&record, &measured.channels, &self.values(u)))
    }

    fn values(&self, u: &[f64]) -> Vec<(&'a Parameter, f64)> {
        self.file.parameters.iter().zip(u).map(|(p, u)| (p, p.value(*u))).collect()
    }

    fn plan(&self, u: &[f64], measured: &Measured) -> Result<Planned, String> {
        let mut overrides = Overrides::new();
        let (mut engine, mut step_ns) = (self.spec.clone(), self.step_ns);
        let values = self.values(u);
        let mut inertias: BTreeMap<&str, Vec<(InertiaComponent, f64)>> = BTreeMap::new();
        for (parameter, value) in &values {
            match (parameter.setting.as_deref(), &parameter.inertia_of) {
                (Some("step_s"), _) => {
                    // The nearest step that divides the rows.
                    let rows = measured.scenario.record_every_ns as f64;
                    step_ns = (rows / (rows / (value * 1e9)).round().max(1.0)).round() as i64;
                }
                (Some(key), _) => {
                    engine.settings.retain(|(k, _)| k != key);
                    engine.settings.push((key.to_owned(), value.to_string()));
                }
                (None, Some(body)) => {
                    inertias.entry(body).or_default().extend(parameter.component.map(|c| (c, *value)));
                }
                (None, None) => insert(&mut overrides, parameter, *value),
            }
        }
        for (body, changes) in inertias {
            set_inertia(&mut overrides, &measured.scenario, body, &changes)?;
        }
        let scenario = measured.driven(&values)?;
        let case = Case::new(&scenario, &overrides).map_err(|e| e.to_string())?;
        let point = Point { engine, step_ns, seed: 0, index: 0, expected: None, expected_checks: Vec::new() };
        self.lab.engines.plan_trial(&case, 0, &point).map_err(|e| e.to_string())
    }

    fn record(&self, planned: &Planned) -> Result<(Record, bool), StoreError> {
        if !self.lab.fresh
            && let Some(record) = self.lab.store.record(planned.key)?
        {
            return Ok((record, false));
        }
        let mut record = run_trial(planned, Some(Arc::clone(&self.lab.stop)));
        record.head.key = Some(planned.key.0);
        // What depends on the machine's load, or on a process that died, is not stored.
        if !matches!(record.outcome, Outcome::TooSlow { .. } | Outcome::Failed { .. }) {
            self.lab.store.keep(planned.key, &record)?;
        }
        Ok((record, true))
    }
}

impl Objective for Problem<'_> {
    fn dimension(&self) -> usize {
        self.file.parameters.len()
    }

    fn evaluate(&self, points: &[Vec<f64>]) -> Result<Vec<Evaluated>, CalibrateError> {
        let found = self.residuals(points, false)?;
        Ok(points.iter().zip(found).map(|(u, recordings)| self.joined(u, recordings)).collect())
    }
}

impl Problem<'_> {
    /// Residuals of all recordings that are fitted, one group for each file, and of the priors.
    fn joined(&self, u: &[f64], recordings: Vec<Residuals>) -> Evaluated {
        let mut out = Evaluated::default();
        let trained = self.measured.iter().filter(|m| !m.hold_out);
        let mut file = None;
        for (measured, residuals) in trained.zip(recordings) {
            let begin = out.residuals.len();
            match (residuals, self.file.search.loss) {
                (Ok(channels), FitLoss::Squares) => out.residuals.extend(channels.into_iter().flatten()),
                (Ok(channels), FitLoss::MeanError) => {
                    out.residuals.push(mean_error(&channels, &measured.channels).sqrt());
                }
                (Err(why), loss) => {
                    out.failure.get_or_insert(format!("{}: {why}", measured.name));
                    let count = if loss == FitLoss::Squares { measured.count() } else { 1 };
                    out.residuals.extend(std::iter::repeat_n(FAILED, count));
                }
            }
            match (file == Some(&measured.file), out.groups.last_mut()) {
                (true, Some(last)) => last.end = out.residuals.len(),
                _ => out.groups.push(begin..out.residuals.len()),
            }
            file = Some(&measured.file);
        }
        for (parameter, u) in self.file.parameters.iter().zip(u) {
            out.residuals.extend(parameter.prior.map(|prior| (parameter.value(*u) - prior.value) / prior.sigma));
        }
        out
    }

    /// Files of the groups of [`Evaluated`].
    pub fn trained_files(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for measured in self.measured.iter().filter(|m| !m.hold_out) {
            if out.last() != Some(&measured.file) {
                out.push(measured.file.clone());
            }
        }
        out
    }
}

/// Mean over channels of the mean length of their residuals.
pub(crate) fn mean_error(components: &[Vec<f64>], channels: &[MeasuredChannel]) -> f64 {
    let mut first = 0;
    let mut sum = 0.0;
    for channel in channels {
        let width = residual_width(&channel.truth.quantity);
        let of = &components[first..first + width];
        first += width;
        let rows = of[0].len();
        let length = |k: usize| of.iter().map(|c| c[k] * c[k]).sum::<f64>().sqrt();
        sum += (0..rows).map(length).sum::<f64>() / rows.max(1) as f64;
    }
    sum / channels.len().max(1) as f64
}

fn insert(overrides: &mut Overrides, parameter: &Parameter, value: f64) {
    for path in parameter.path.iter().chain(&parameter.also) {
        overrides.insert(path, value);
    }
}

/// Numbers of a body whose log-Cholesky factor is changed.
fn set_inertia(
    overrides: &mut Overrides,
    scenario: &Scenario,
    body: &str,
    changes: &[(InertiaComponent, f64)],
) -> Result<(), String> {
    let numbers = scenario.numbers();
    let mut inertial = [0.0; 10];
    for (slot, name) in inertial.iter_mut().zip(NUMBERS) {
        let path = format!("{body}/{name}");
        let found = numbers.iter().find(|(p, _)| *p == path);
        *slot = found.ok_or_else(|| format!("'{body}' is not a body: there is no number '{path}'"))?.1;
    }
    let Some(new) = changed(&inertial, changes) else {
        return Err(format!("the inertia of '{body}' is not that of any distribution of mass; it cannot be fitted"));
    };
    NUMBERS.iter().zip(new).for_each(|(name, value)| overrides.insert(format!("{body}/{name}"), value));
    Ok(())
}

/// (1)
fn compare(record: &Record, channels: &[MeasuredChannel], parameters: &[(&Parameter, f64)]) -> Residuals {
    let (track, layout) = (&record.track, record.layout());
    let rows = track.rows();
    let vector = |x: &[f64]| Vec3::new(x[0], x[1], x[2]);
    let mut out = Vec::new();
    let end = track.times.last().copied().unwrap_or(0.0);
    for MeasuredChannel { columns, truth: channel } in channels {
        let width = channel.quantity.width();
        let (mut delay, mut scale, mut offset) = (0.0, [1.0; 3], [0.0; 3]);
        for (parameter, value) in parameters {
            for (k, _) in columns.iter().enumerate().filter(|(_, c)| parameter.applies_to(c)) {
                match parameter.measured {
                    Some(MeasuredProperty::DelayS) => delay = *value,
                    Some(MeasuredProperty::Scale) => scale[k.min(2)] = *value,
                    Some(MeasuredProperty::Offset) => offset[k.min(2)] = *value,
                    None => {}
                }
            }
        }
        let single = |x: f64| Vec3::new(x, 0.0, 0.0);
        let curve = match &channel.quantity {
            Quantity::JointPosition(slot) => {
                let joint = &layout.joints[*slot];
                let x = (0..rows).map(|row| single(track.q(row)[joint.q])).collect();
                let rate = (0..rows).map(|row| single(track.v(row)[joint.v])).collect();
                Curve::vector(&track.times, x, Some(rate))
            }
            Quantity::JointSpeed(slot) => {
                let joint = &layout.joints[*slot];
                Curve::vector(&track.times, (0..rows).map(|row| single(track.v(row)[joint.v])).collect(), None)
            }
            Quantity::Point { body, point } => {
                let place = |row: usize| {
                    let pose = track.pose(row, *body);
                    let turned = rotate([pose[3], pose[4], pose[5], pose[6]], *point);
                    vector(pose) + vector(&turned)
                };
                let rate = |row: usize| {
                    let (pose, twist) = (track.pose(row, *body), track.twist(row, *body));
                    let turned = rotate([pose[3], pose[4], pose[5], pose[6]], *point);
                    vector(&twist[3..]) + vector(twist).cross(&vector(&turned))
                };
                Curve::vector(&track.times, (0..rows).map(place).collect(), Some((0..rows).map(rate).collect()))
            }
            Quantity::Orientation(body) => {
                let pose = |row: usize| {
                    let pose = track.pose(row, *body);
                    [pose[3], pose[4], pose[5], pose[6]]
                };
                let spin = (0..rows).map(|row| vector(track.twist(row, *body))).collect();
                Curve::orientation(&track.times, (0..rows).map(pose).collect(), Some(spin))
            }
            other => return Err(format!("{other:?} cannot be compared with a recording")),
        };
        // One list for each component: neighbours in a list are neighbours in time.
        let mut residuals = vec![Vec::with_capacity(channel.times.len()); residual_width(&channel.quantity)];
        for (k, time) in channel.times.iter().enumerate() {
            // A delayed measurement of the first instants shows the start.
            let Some(found) = curve.at((time - delay).clamp(track.times[0], end.max(*time))) else {
                return Err(format!("the simulation has no row around {time} s"));
            };
            let (measured, sigma) = (&channel.values[k * width..(k + 1) * width], channel.uncertainty[k]);
            let off = match channel.quantity {
                Quantity::Orientation(_) => {
                    let wanted = [measured[0], measured[1], measured[2], measured[3]];
                    quat_log(quat_mul(found.value, quat_conj(wanted)))
                }
                _ => [0, 1, 2]
                    .map(|i| if i < width { scale[i] * found.value[i] + offset[i] - measured[i] } else { 0.0 }),
            };
            residuals.iter_mut().zip(off).for_each(|(list, x)| list.push(x / sigma));
        }
        if residuals.iter().flatten().any(|r| !r.is_finite()) {
            return Err("the simulation contains NaN or infinity".to_owned());
        }
        out.extend(residuals);
    }
    Ok(out)
}

fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let r = quat_mul(quat_mul(q, [0.0, v[0], v[1], v[2]]), quat_conj(q));
    [r[1], r[2], r[3]]
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
