//! From parameters to residuals: one trial for each recording, stored like any other.
//!
//! ```text
//! (1)  r_i = (simulated(t_i) - measured_i) / σ_i
//! ```
//!
//! at the instants of the recording; the simulated quantity is interpolated between its rows. Orientations give the three
//! components of the rotation vector between them. Trials are keyed by everything that decides them: a point that was
//! evaluated before, by this fit or another, is read from the store, so that a killed fit goes on where it stopped.

use crate::CalibrateError;
use crate::file::{Calibration, ChannelTable, Parameter};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use veracity_dynamics::spatial::{quat_conj, quat_log, quat_mul};
use veracity_engine::EngineSpec;
use veracity_lab::plan::{Case, Planned, Point};
use veracity_lab::{Lab, StoreError, run_trial};
use veracity_measure::curve::Curve;
use veracity_measure::{Quantity, TruthChannel};
use veracity_model::{Layout, Overrides, Vec3};
use veracity_record::{Outcome, Record};
use veracity_scenario::reference::{ChannelMap, ReferenceConfig, ReferenceKind};
use veracity_scenario::{LoadOptions, Scenario, references};

/// A recording, ready to be compared.
pub struct Measured {
    /// Its file, as named.
    pub name: String,
    /// Whether it is only compared.
    pub hold_out: bool,
    /// The scenario with the recording's own numbers.
    scenario: Arc<Scenario>,
    channels: Vec<TruthChannel>,
}

impl Measured {
    /// Numbers measured.
    pub fn count(&self) -> usize {
        self.channels.iter().map(|c| c.times.len() * residual_width(&c.quantity)).sum()
    }
}

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
    /// Reads the scenario and the recordings. `folder` is the file's folder.
    pub fn new(file: &'a Calibration, folder: &std::path::Path, lab: &'a Lab<'a>) -> Result<Self, CalibrateError> {
        let unfit = |what: String| CalibrateError::Unfit(format!("{}: {what}", file.name));
        // A file next to the calibration, else a built-in one.
        let path = folder.join(&file.scenario);
        let scenario = if path.is_file() {
            Scenario::load(&path, &LoadOptions::default())
        } else {
            Scenario::built_in(&file.scenario)
        };
        let scenario = scenario.map_err(|findings| unfit(findings.to_string()))?;
        let spec: EngineSpec = file.engine.parse().map_err(|e| unfit(format!("engine '{}': {e}", file.engine)))?;
        lab.engines.resolve(&spec).map_err(|e| unfit(e.to_string()))?;
        let step_ns = file.step_s.map_or(scenario.step_ns, |s| (s * 1e9).round() as i64);
        scenario.step_fits(step_ns).map_err(unfit)?;
        let measured =
            file.recordings.iter().map(|table| measured(table, &scenario, folder)).collect::<Result<_, _>>();
        let problem =
            Self { file, measured: measured.map_err(unfit)?, spec, step_ns, lab, counts: Mutex::new((0, 0)) };
        // Every path is tried before the first trial.
        for parameter in file.parameters.iter().filter(|p| p.path.is_some()) {
            let mut overrides = Overrides::new();
            insert(&mut overrides, parameter, parameter.value(0.5));
            scenario.with(&overrides).map_err(|findings| unfit(findings.to_string()))?;
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
        Ok(compare(&record, &measured.channels))
    }

    fn plan(&self, u: &[f64], measured: &Measured) -> Result<Planned, String> {
        let mut overrides = Overrides::new();
        let (mut engine, mut step_ns) = (self.spec.clone(), self.step_ns);
        for (parameter, u) in self.file.parameters.iter().zip(u) {
            let value = parameter.value(*u);
            match parameter.setting.as_deref() {
                None => insert(&mut overrides, parameter, value),
                Some("step_s") => {
                    // The nearest step that divides the rows.
                    let rows = measured.scenario.record_every_ns as f64;
                    step_ns = (rows / (rows / (value * 1e9)).round().max(1.0)).round() as i64;
                }
                Some(key) => {
                    engine.settings.retain(|(k, _)| k != key);
                    engine.settings.push((key.to_owned(), value.to_string()));
                }
            }
        }
        let case = Case::new(&measured.scenario, &overrides).map_err(|e| e.to_string())?;
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

fn insert(overrides: &mut Overrides, parameter: &Parameter, value: f64) {
    for path in parameter.path.iter().chain(&parameter.also) {
        overrides.insert(path, value);
    }
}

fn measured(
    table: &crate::file::RecordingTable,
    scenario: &Scenario,
    folder: &std::path::Path,
) -> Result<Measured, String> {
    let name = table.file.display().to_string();
    let mut overrides = Overrides::new();
    table.set.iter().for_each(|(path, value)| {
        overrides.insert(path, *value);
    });
    let scenario = scenario.with(&overrides).map_err(|findings| format!("{name}: {findings}"))?;
    let layout = Layout::new(&scenario.world);
    let map = |channel: &ChannelTable| {
        let quantity = quantity(channel, &layout)?;
        let width = quantity.width();
        if channel.columns.len() != width {
            return Err(format!("{name}: {} columns are named where {width} are needed", channel.columns.len()));
        }
        Ok(ChannelMap { quantity, columns: channel.columns.clone(), uncertainty: channel.sigma })
    };
    let mapping = table.channels.iter().map(map).collect::<Result<Vec<_>, String>>()?;
    let kind = ReferenceKind::Recorded { file: folder.join(&table.file), mapping };
    let truth = references::work_out(&ReferenceConfig { name: name.clone(), kind }, &scenario, &[]);
    let mut channels = truth.map_err(|why| why.to_string())?.channels;
    // Only what the simulation lasts.
    let end = scenario.duration_ns as f64 * 1e-9 + 1e-9;
    for channel in &mut channels {
        let kept = channel.times.iter().filter(|t| (0.0..=end).contains(*t)).count();
        if channel.times.first().is_some_and(|t| *t < 0.0) {
            return Err(format!("{name}: times begin before zero; time zero is the scenario's start"));
        }
        channel.times.truncate(kept);
        channel.values.truncate(kept * channel.quantity.width());
        channel.uncertainty.truncate(kept);
        if kept < 2 {
            return Err(format!("{name}: fewer than two rows within the {end:.3} s of the scenario"));
        }
    }
    Ok(Measured { name, hold_out: table.hold_out, scenario: Arc::new(scenario), channels })
}

fn quantity(channel: &ChannelTable, layout: &Layout) -> Result<Quantity, String> {
    let joint = |name: &String| {
        let slot = layout.joint(name).filter(|slot| layout.joints[*slot].kind.dof_count() == 1);
        slot.ok_or_else(|| {
            let single = layout.joints.iter().filter(|j| j.kind.dof_count() == 1);
            let known: Vec<&str> = single.map(|j| j.name.as_str()).collect();
            format!("there is no joint '{name}' with one freedom; there are: {}", known.join(", "))
        })
    };
    let body = |name: &String| {
        layout.body(name).ok_or_else(|| {
            let known: Vec<&str> = layout.bodies.iter().map(|b| b.name.as_str()).collect();
            format!("there is no body '{name}'; there are: {}", known.join(", "))
        })
    };
    match (&channel.position_of_joint, &channel.speed_of_joint, &channel.position_of, &channel.orientation_of) {
        (Some(name), None, None, None) => Ok(Quantity::JointPosition(joint(name)?)),
        (None, Some(name), None, None) => Ok(Quantity::JointSpeed(joint(name)?)),
        (None, None, Some(name), None) => Ok(Quantity::Point { body: body(name)?, point: channel.point_m }),
        (None, None, None, Some(name)) => Ok(Quantity::Orientation(body(name)?)),
        _ => {
            Err("a channel has exactly one of position_of_joint, speed_of_joint, position_of, orientation_of"
                .to_owned())
        }
    }
}

fn residual_width(quantity: &Quantity) -> usize {
    match quantity {
        Quantity::Orientation(_) => 3,
        other => other.width(),
    }
}

/// (1)
fn compare(record: &Record, channels: &[TruthChannel]) -> Residuals {
    let (track, layout) = (&record.track, record.layout());
    let rows = track.rows();
    let vector = |x: &[f64]| Vec3::new(x[0], x[1], x[2]);
    let mut out = Vec::new();
    for channel in channels {
        let width = channel.quantity.width();
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
            let Some(found) = curve.at(*time) else {
                return Err(format!("the simulation has no row around {time} s"));
            };
            let (measured, sigma) = (&channel.values[k * width..(k + 1) * width], channel.uncertainty[k]);
            let off = match channel.quantity {
                Quantity::Orientation(_) => {
                    let wanted = [measured[0], measured[1], measured[2], measured[3]];
                    quat_log(quat_mul(found.value, quat_conj(wanted)))
                }
                _ => [0, 1, 2].map(|i| if i < width { found.value[i] - measured[i] } else { 0.0 }),
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
