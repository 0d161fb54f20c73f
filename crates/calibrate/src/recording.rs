//! Recordings, ready to be compared: rows of a window, what drove the robot, and the start.
//!
//! Windows of one file are simulated separately, each from its own start, but they are one recording where recordings are
//! resampled or held out: their errors share whatever was peculiar to that run.

use crate::file::{Between, Calibration, ChannelTable, Parameter, RecordingTable, ReplayTable};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_measure::{Quantity, TruthChannel};
use veracity_model::numbers::escape;
use veracity_model::{Layout, Overrides};
use veracity_scenario::reference::ChannelMap;
use veracity_scenario::{LoadOptions, Scenario, references};

/// A recording, ready to be compared.
pub struct Measured {
    /// Its file, with the window's beginning where there are several.
    pub name: String,
    /// Its file: windows of one file are resampled together.
    pub file: String,
    /// Whether it is only compared.
    pub hold_out: bool,
    /// When it begins to move, in the scenario's time [s].
    pub first_motion_s: f64,
    /// The scenario with the recording's own numbers.
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) channels: Vec<MeasuredChannel>,
    pub(crate) inputs: Vec<Input>,
}

/// A measured channel and its columns.
pub(crate) struct MeasuredChannel {
    pub columns: Vec<String>,
    pub truth: TruthChannel,
}

/// A replayed column, in the scenario's time.
pub(crate) struct Input {
    pub table: ReplayTable,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Measured {
    /// Numbers measured.
    pub fn count(&self) -> usize {
        self.channels.iter().map(|c| c.truth.times.len() * residual_width(&c.truth.quantity)).sum()
    }

    /// Name of the joint, body or point of each component of the residuals, with the component.
    pub fn component_names(&self) -> Vec<String> {
        let name = |c: &MeasuredChannel| match residual_width(&c.truth.quantity) {
            1 => vec![c.columns.join(" ")],
            3 if c.columns.len() == 3 => c.columns.clone(),
            n => (0..n).map(|k| format!("{} {k}", c.columns.join(" "))).collect(),
        };
        self.channels.iter().flat_map(name).collect()
    }

    /// The scenario with its inputs delayed and scaled.
    pub(crate) fn driven(&self, parameters: &[(&Parameter, f64)]) -> Result<Arc<Scenario>, String> {
        if self.inputs.is_empty() {
            return Ok(Arc::clone(&self.scenario));
        }
        let mut scenario = (*self.scenario).clone();
        let mut table = toml::Table::new();
        table.insert("name".into(), "replay".into());
        table.insert("kind".into(), "schedule".into());
        let (mut efforts, mut commands) = (toml::Table::new(), toml::Table::new());
        for input in &self.inputs {
            let (mut delay, mut gain) = (0.0, 1.0);
            for (parameter, value) in parameters.iter().filter(|(p, _)| p.applies_to(&input.table.column)) {
                match parameter.input {
                    Some(crate::file::InputProperty::DelayS) => delay += value,
                    Some(crate::file::InputProperty::Gain) => gain *= value,
                    None => {}
                }
            }
            let (times, values) = input.shifted(delay, gain);
            let mut schedule = toml::Table::new();
            let list = |numbers: Vec<f64>| toml::Value::Array(numbers.into_iter().map(toml::Value::Float).collect());
            schedule.insert("times_s".into(), list(times));
            schedule.insert("values".into(), list(values));
            let between = if input.table.between == Between::Linear { "linear" } else { "hold" };
            schedule.insert("interpolation".into(), between.into());
            match (&input.table.effort_of, &input.table.command_of) {
                (Some(joint), _) => efforts.insert(joint.clone(), schedule.into()),
                (None, Some(actuator)) => commands.insert(actuator.clone(), schedule.into()),
                (None, None) => None,
            };
        }
        for (key, of) in [("efforts", efforts), ("commands", commands)] {
            if !of.is_empty() {
                table.insert(key.into(), of.into());
            }
        }
        scenario.controllers.push(toml::Value::Table(table).try_into().map_err(|e| format!("replayed inputs: {e}"))?);
        Ok(Arc::new(scenario))
    }
}

impl Input {
    /// Times from zero on and values, for a schedule.
    fn shifted(&self, delay: f64, gain: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.times.len();
        let value = |k: usize| {
            let row = if self.table.between == Between::Later { (k + 1).min(n - 1) } else { k };
            gain * self.values[row]
        };
        // Before time zero only what acts at zero is kept; whole nanoseconds, as a schedule needs.
        let at = |k: usize| ((self.times[k] + delay) * 1e9).round() * 1e-9;
        let first = (0..n).rev().find(|k| at(*k) <= 0.0).unwrap_or(0);
        let mut times = vec![0.0];
        let mut values = vec![value(first)];
        if self.table.between == Between::Linear && first + 1 < n && at(first) < 0.0 {
            let share = -at(first) / (at(first + 1) - at(first));
            values[0] += share * (value(first + 1) - value(first));
        }
        for k in first..n {
            let time = at(k);
            if times.last().is_some_and(|last| time > last + 0.5e-9) {
                times.push(time);
                values.push(value(k));
            }
        }
        (times, values)
    }
}

/// Reads every recording of a file. `data` is the folder of recorded data.
pub(crate) fn read_all(
    file: &Calibration,
    folder: &Path,
    data: Option<&Path>,
    base: &Scenario,
) -> Result<Vec<Measured>, String> {
    let mut out = Vec::new();
    let mut scenarios: BTreeMap<String, Scenario> = BTreeMap::new();
    for table in &file.recordings {
        let scenario = match &table.scenario {
            None => base,
            Some(name) => {
                if !scenarios.contains_key(name) {
                    scenarios.insert(name.clone(), load(name, folder)?);
                }
                &scenarios[name]
            }
        };
        for path in files(&table.file, folder, data)? {
            let count = table.windows.map_or(1, |w| w.count);
            for window in 0..count {
                let begin = table.begin_s + table.windows.map_or(0.0, |w| w.every_s * f64::from(window));
                out.push(measured(table, &file.set, &path, begin, count > 1, scenario)?);
            }
        }
    }
    Ok(out)
}

/// A scenario next to the calibration, else a built-in one.
pub(crate) fn load(name: &str, folder: &Path) -> Result<Scenario, String> {
    let path = folder.join(name);
    let scenario =
        if path.is_file() { Scenario::load(&path, &LoadOptions::default()) } else { Scenario::built_in(name) };
    scenario.map_err(|findings| findings.to_string())
}

/// Files of a pattern, next to the calibration or in the data folder.
fn files(pattern: &Path, folder: &Path, data: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let roots: Vec<&Path> = [Some(folder), data].into_iter().flatten().collect();
    let last = pattern.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let missing = || {
        let hint = if data.is_none() { "; recorded data kept elsewhere: --data FOLDER or VERACITY_DATA" } else { "" };
        format!("{}: there is no such file{hint}", pattern.display())
    };
    let Some((head, tail)) = last.split_once('*') else {
        return roots.iter().map(|r| r.join(pattern)).find(|p| p.is_file()).map(|p| vec![p]).ok_or_else(missing);
    };
    for root in roots {
        let parent = root.join(pattern.parent().unwrap_or(Path::new("")));
        let Ok(entries) = std::fs::read_dir(&parent) else { continue };
        let fits =
            |name: &str| name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail);
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.file_name().and_then(|n| n.to_str()).is_some_and(fits))
            .collect();
        found.sort();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(missing())
}

fn measured(
    table: &RecordingTable,
    common: &BTreeMap<String, f64>,
    path: &Path,
    begin_s: f64,
    several: bool,
    scenario: &Scenario,
) -> Result<Measured, String> {
    let file = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
    let name = if several { format!("{file} from {begin_s} s") } else { file.clone() };
    let mut overrides = Overrides::new();
    common.iter().chain(&table.set).for_each(|(path, value)| overrides.insert(path, *value));
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
    let read = references::recorded_channels(path, &mapping).map_err(|why| why.to_string())?;
    let mut channels: Vec<MeasuredChannel> = mapping
        .iter()
        .zip(read)
        .map(|(map, truth)| MeasuredChannel { columns: map.columns.clone(), truth })
        .collect();
    for channel in &mut channels {
        channel.truth.times.iter_mut().for_each(|t| *t -= begin_s);
        if let (Quantity::JointPosition(slot), Some(reach)) = (&channel.truth.quantity, table.start_window_s) {
            let [q, v] = start(&channel.truth, reach).ok_or_else(|| {
                format!("{name}: fewer than three rows within {reach} s of the beginning; raise `start_window_s`")
            })?;
            let joint = &layout.joints[*slot];
            let placement = &layout.placements[joint.placement];
            let short = joint.name.strip_prefix(&format!("{placement}/")).unwrap_or(&joint.name);
            let (placement, short) = (escape(placement), escape(short));
            for (part, value) in [("q", q), ("v", v)] {
                let path = format!("start/{part}/{placement}/{short}");
                if !table.set.contains_key(&path) {
                    overrides.insert(&path, value);
                }
            }
        }
    }
    let scenario = scenario.with(&overrides).map_err(|findings| format!("{name}: {findings}"))?;
    // Only what the simulation lasts.
    let end = scenario.duration_ns as f64 * 1e-9 + 1e-9;
    let windowed = begin_s != 0.0 || several;
    let mut first_motion_s = f64::INFINITY;
    for channel in &mut channels {
        let truth = &mut channel.truth;
        if !windowed && truth.times.first().is_some_and(|t| *t < 0.0) {
            return Err(format!(
                "{name}: times begin before zero; time zero is the scenario's start, or give `begin_s`"
            ));
        }
        let width = truth.quantity.width();
        let kept: Vec<usize> = (0..truth.times.len()).filter(|k| (0.0..=end).contains(&truth.times[*k])).collect();
        truth.values = kept.iter().flat_map(|k| truth.values[k * width..(k + 1) * width].to_vec()).collect();
        truth.uncertainty = kept.iter().map(|k| truth.uncertainty[*k]).collect();
        truth.times = kept.iter().map(|k| truth.times[*k]).collect();
        if kept.len() < 2 {
            return Err(format!("{name}: fewer than two rows within the {end:.3} s of the scenario"));
        }
        if let Some(moved) = table.first_motion {
            let row = |k: usize| &truth.values[k * width..(k + 1) * width];
            let has = |k: &usize| row(*k).iter().zip(row(0)).any(|(a, b)| (a - b).abs() > moved);
            let first = (0..truth.times.len()).find(has).map(|k| truth.times[k.saturating_sub(1)]);
            first_motion_s = first_motion_s.min(first.unwrap_or(f64::INFINITY));
        }
    }
    let first_motion_s = if first_motion_s.is_finite() { first_motion_s } else { 0.0 };
    let mut inputs = Vec::new();
    for replay in &table.replay {
        let (times, values) = references::recorded_column(path, &replay.column).map_err(|why| why.to_string())?;
        let finite: Vec<usize> = (0..times.len()).filter(|k| values[*k].is_finite()).collect();
        if finite.len() < 2 {
            return Err(format!("{name}: column '{}' holds fewer than two numbers", replay.column));
        }
        inputs.push(Input {
            table: replay.clone(),
            times: finite.iter().map(|k| times[*k] - begin_s).collect(),
            values: finite.iter().map(|k| values[*k]).collect(),
        });
    }
    let out = Measured {
        name: name.clone(),
        file,
        hold_out: table.hold_out,
        first_motion_s,
        scenario: Arc::new(scenario),
        channels,
        inputs,
    };
    // Names of joints and actuators are checked before the first trial.
    out.driven(&[])
        .and_then(|s| s.with(&Overrides::new()).map_err(|f| f.to_string()))
        .map_err(|e| format!("{name}: {e}"))?;
    Ok(out)
}

/// Position and speed at time zero from a parabola through the rows within `reach`.
fn start(truth: &TruthChannel, reach: f64) -> Option<[f64; 2]> {
    let near: Vec<usize> = (0..truth.times.len()).filter(|k| truth.times[*k].abs() <= reach).collect();
    if near.len() < 3 {
        return None;
    }
    let rows = near.len();
    // In units of the reach, so that the three columns have like sizes.
    let a = nalgebra::DMatrix::from_fn(rows, 3, |i, j| (truth.times[near[i]] / reach).powi(j as i32));
    let b = nalgebra::DVector::from_fn(rows, |i, _| truth.values[near[i]]);
    let x = (a.transpose() * &a).cholesky()?.solve(&(a.transpose() * b));
    Some([x[0], x[1] / reach])
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

pub(crate) fn residual_width(quantity: &Quantity) -> usize {
    match quantity {
        Quantity::Orientation(_) => 3,
        other => other.width(),
    }
}
