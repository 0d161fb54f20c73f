//! Calibration files.

use crate::CalibrateError;
use crate::transform::{Range, Scale};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veracity_model::input::{MOST_TEXT, read_text};

/// A calibration file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// 1.
    pub schema: u32,
    /// Short and stable.
    pub name: String,
    /// In a line.
    pub title: String,
    /// The scenario: a path relative to this file, or the name of a built-in one.
    pub scenario: String,
    /// The engine spec.
    #[serde(default = "native")]
    pub engine: String,
    /// Step, if not the scenario's [s].
    pub step_s: Option<f64>,
    /// Numbers of the scenario for every recording, by path.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Checks of the scenario that decide, by name; all if empty (goal `cheapest`).
    #[serde(default)]
    pub checks: Vec<String>,
    /// Further scenarios that the same settings must satisfy (goal `cheapest`). They are tried in this order, each only
    /// with settings that satisfy those before it: put the cheap ones first.
    #[serde(default)]
    pub also_hold: Vec<AlsoHold>,
    /// What is fitted.
    pub parameters: Vec<Parameter>,
    /// What it is fitted to; none if the goal is `cheapest`.
    #[serde(default)]
    pub recordings: Vec<RecordingTable>,
    /// How the best parameters are searched.
    #[serde(default)]
    pub search: SearchTable,
}

/// `[[also_hold]]`: a further scenario that settings must satisfy.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlsoHold {
    /// A path relative to this file, or the name of a built-in one.
    pub scenario: String,
    /// Its checks that decide, by name; all if empty.
    #[serde(default)]
    pub checks: Vec<String>,
    /// Its own numbers, by path.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
}

fn native() -> String {
    "native".to_owned()
}

/// `[[parameters]]`: a number of the scenario or a setting of the engine.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Path of a number (see `veracity paths`); or give `setting`.
    pub path: Option<String>,
    /// Further paths that get the same value.
    #[serde(default)]
    pub also: Vec<String>,
    /// Setting of the engine; `step_s` is the step.
    pub setting: Option<String>,
    /// A property of the replayed inputs.
    pub input: Option<InputProperty>,
    /// A property of the measured channels: a nuisance parameter of the measurement, not of the robot.
    pub measured: Option<MeasuredProperty>,
    /// Body whose inertia is changed, e.g. `world/arm/bodies/link`, with `component`.
    pub inertia_of: Option<String>,
    /// Component of the log-Cholesky factor, as a change from the model's: see `inertia.rs`.
    pub component: Option<InertiaComponent>,
    /// Columns of `input` or `measured`; all if empty.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// First value tried; the middle if absent.
    pub start: Option<f64>,
    /// Spacing between the bounds.
    #[serde(default)]
    pub scale: Scale,
    /// Rounded to a whole number.
    #[serde(default)]
    pub whole: bool,
    /// What is known without the recordings: counts as one more measurement of the parameter.
    pub prior: Option<Prior>,
}

/// Properties of replayed inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputProperty {
    /// The input acts this much later than its rows say [s]; may be negative.
    DelayS,
    /// The input is multiplied by it.
    Gain,
}

/// Properties of measured channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredProperty {
    /// The measured value is the true one at an earlier instant, by this much [s].
    DelayS,
    /// The measured value is the true one times this.
    Scale,
    /// The measured value is the true one plus this.
    Offset,
}

/// Components of the log-Cholesky factor of an inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InertiaComponent {
    /// Mass and inertia together, as a logarithm.
    Alpha,
    /// Extent along the first axis, as a logarithm.
    D1,
    /// Along the second.
    D2,
    /// Along the third.
    D3,
    /// Shear of the first by the second axis [m].
    S12,
    /// Of the second by the third [m].
    S23,
    /// Of the first by the third [m].
    S13,
    /// Centre of mass along the first axis [m].
    T1,
    /// Along the second [m].
    T2,
    /// Along the third [m].
    T3,
}

/// A value with a standard deviation.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// The value.
    pub value: f64,
    /// Its standard deviation, in the parameter's unit.
    pub sigma: f64,
}

impl Parameter {
    /// Its bounds.
    pub fn range(&self) -> Range {
        Range { low: self.low, high: self.high, scale: self.scale }
    }

    /// Its path, `engine/SETTING`, `input/…`, `measured/…` or `BODY/inertia/COMPONENT`.
    pub fn name(&self) -> String {
        let of_columns = |head: &str, what: &str| {
            let rest: String = self.columns.iter().map(|column| format!("/{column}")).collect();
            format!("{head}/{what}{rest}")
        };
        match (&self.path, &self.setting, self.input, self.measured, &self.inertia_of) {
            (Some(path), ..) => path.clone(),
            (_, Some(setting), ..) => format!("engine/{setting}"),
            (_, _, Some(InputProperty::DelayS), ..) => of_columns("input", "delay_s"),
            (_, _, Some(InputProperty::Gain), ..) => of_columns("input", "gain"),
            (_, _, _, Some(MeasuredProperty::DelayS), _) => of_columns("measured", "delay_s"),
            (_, _, _, Some(MeasuredProperty::Scale), _) => of_columns("measured", "scale"),
            (_, _, _, Some(MeasuredProperty::Offset), _) => of_columns("measured", "offset"),
            (_, _, _, _, Some(body)) => {
                let component = self.component.map(|c| format!("{c:?}").to_lowercase()).unwrap_or_default();
                format!("{body}/inertia/{component}")
            }
            _ => String::new(),
        }
    }

    /// Whether it applies to a column.
    pub fn applies_to(&self, column: &str) -> bool {
        self.columns.is_empty() || self.columns.iter().any(|c| c == column)
    }

    /// Its value at `u`.
    pub fn value(&self, u: f64) -> f64 {
        let value = self.range().value(u);
        if self.whole { value.round() } else { value }
    }

    fn fault(&self) -> Option<String> {
        let name = self.name();
        let given = [
            self.path.is_some(),
            self.setting.is_some(),
            self.input.is_some(),
            self.measured.is_some(),
            self.inertia_of.is_some(),
        ];
        let kinds = given.iter().filter(|given| **given).count();
        let start = self.start.filter(|x| !(self.low..=self.high).contains(x));
        let prior = self.prior.filter(|p| !(p.sigma > 0.0 && p.sigma.is_finite() && p.value.is_finite()));
        match () {
            () if kinds != 1 => {
                Some("a parameter has exactly one of `path`, `setting`, `input`, `measured`, `inertia_of`".to_owned())
            }
            () if self.inertia_of.is_some() != self.component.is_some() => {
                Some("`inertia_of` and `component` belong together".to_owned())
            }
            () if start.is_some() => Some(format!("the start of '{name}' is outside its bounds")),
            () if prior.is_some() => Some(format!("the prior of '{name}' needs a positive sigma")),
            () => self.range().fault().map(|what| format!("'{name}': {what}")),
        }
    }
}

/// `[[recordings]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordingTable {
    /// Path relative to this file, or else to the data folder: a record (.mcap), a table (.csv, .csv.gz, .parquet) or a
    /// ROS 2 bag. A `*` in its last part stands for anything: one recording for each file.
    pub file: PathBuf,
    /// The scenario, if not the calibration's.
    pub scenario: Option<String>,
    /// Not fitted, only compared. The whole recording: rows are never split.
    #[serde(default)]
    pub hold_out: bool,
    /// Numbers of the scenario for this recording: its start, its duration.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Instant of the recording that is the scenario's time zero [s].
    #[serde(default)]
    pub begin_s: f64,
    /// Several windows of the recording, each simulated from its own start; the first begins at `begin_s`.
    pub windows: Option<WindowsTable>,
    /// The start of every joint with a measured position is fitted to the rows within this time of the window's
    /// beginning, by a parabola [s].
    pub start_window_s: Option<f64>,
    /// Columns that drive the simulation.
    #[serde(default)]
    pub replay: Vec<ReplayTable>,
    /// Horizons are counted from the last row before a channel has moved by this much [the channel's unit]; from the
    /// beginning if absent.
    pub first_motion: Option<f64>,
    /// What was measured.
    pub channels: Vec<ChannelTable>,
}

/// `windows` of a recording.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowsTable {
    /// From one beginning to the next [s].
    pub every_s: f64,
    /// How many.
    pub count: u32,
}

/// `[[recordings.replay]]`: a column that drives a joint or an actuator.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayTable {
    /// The column.
    pub column: String,
    /// Joint on which it acts as an effort [N m or N].
    pub effort_of: Option<String>,
    /// Actuator whose command it is.
    pub command_of: Option<String>,
    /// Between two rows.
    #[serde(default)]
    pub between: Between,
}

/// A replayed value between two rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// That of the earlier row: commands.
    #[default]
    Earlier,
    /// That of the later row: a measured value that was reached by a command sent after the earlier row.
    Later,
    /// On a line.
    Linear,
}

/// `[[recordings.channels]]`: exactly one of the four quantities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelTable {
    /// Position of this joint with one freedom [rad or m].
    pub position_of_joint: Option<String>,
    /// Its speed [rad/s or m/s].
    pub speed_of_joint: Option<String>,
    /// Position of this body, or of a point of it: three columns [m].
    pub position_of: Option<String>,
    /// Orientation of this body: four columns, w x y z.
    pub orientation_of: Option<String>,
    /// The point, in the body's frame [m].
    #[serde(default)]
    pub point_m: [f64; 3],
    /// Columns of the file.
    pub columns: Vec<String>,
    /// Standard deviation of each measured number [rad, m, rad/s or m/s].
    pub sigma: f64,
}

/// `[search]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchTable {
    /// What is searched for.
    pub goal: Goal,
    /// How the best is approached.
    pub method: Method,
    /// Most evaluations; one is a trial of every training recording.
    pub budget: usize,
    /// Points of the global start, the given start not counted.
    pub starts: usize,
    /// Number of the best of them from which the search continues.
    pub refine: usize,
    /// Difference for derivatives, as a share of the range.
    pub difference: f64,
    /// Seed of `cma_es` and of the bootstrap.
    pub seed: u64,
    /// What is minimised.
    pub loss: FitLoss,
    /// Intervals from the profile of the likelihood instead of the curvature: right for parameters that act
    /// nonlinearly, at the cost of more evaluations.
    pub profile: bool,
    /// Most CPU time for one second of simulation [s]: points that take more are out of bounds.
    pub most_cpu_per_simulated_s: Option<f64>,
}

impl Default for SearchTable {
    fn default() -> Self {
        Self {
            goal: Goal::Agree,
            method: Method::LeastSquares,
            budget: 300,
            starts: 15,
            refine: 2,
            difference: 1e-3,
            seed: 0,
            loss: FitLoss::Squares,
            profile: false,
            most_cpu_per_simulated_s: None,
        }
    }
}

/// Goals of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Agreement with the recordings.
    Agree,
    /// The settings of the engine with which the scenario's checks hold at the least CPU time. Every parameter is a
    /// `setting`.
    Cheapest,
}

/// Methods of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Levenberg-Marquardt with differences: smooth problems.
    LeastSquares,
    /// CMA-ES: discontinuous problems, settings, whole numbers. Intervals still come from differences.
    CmaEs,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FitLoss {
    /// The sum of squared residuals: the likelihood of independent errors of the stated size.
    Squares,
    /// The mean over recordings of their mean error: for motions that diverge (impacts, chaos), where a few recordings
    /// far off would decide a sum of squares. Intervals then come from resampled recordings.
    MeanError,
}

/// The JSON Schema of a calibration file: docs/schema/calibration.json.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Calibration)
}

impl Calibration {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Self, CalibrateError> {
        let file = path.display().to_string();
        let text = read_text(path, MOST_TEXT)
            .map_err(|e| CalibrateError::Unfit(format!("{file}: could not be read: {e}")))?;
        Self::parse(&text, &file)
    }

    /// From the text of a file.
    pub fn parse(text: &str, file: &str) -> Result<Self, CalibrateError> {
        let wrong = |line: usize, what: String| CalibrateError::Line { file: file.to_owned(), line, what };
        let read: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            wrong(line, error.message().to_owned())
        })?;
        let line_of = |head: &str, which: usize| {
            let heads = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with(head));
            heads.map(|(line, _)| line + 1).nth(which).unwrap_or(1)
        };
        if read.schema != 1 {
            return Err(wrong(1, format!("schema {} is newer than this program, which reads 1", read.schema)));
        }
        if read.parameters.is_empty() || read.parameters.len() > crate::sobol::MOST {
            let count = read.parameters.len();
            return Err(wrong(1, format!("{count} parameters; between 1 and {} can be fitted", crate::sobol::MOST)));
        }
        for (k, parameter) in read.parameters.iter().enumerate() {
            if let Some(what) = parameter.fault() {
                return Err(wrong(line_of("[[parameters]]", k), what));
            }
            if read.parameters[..k].iter().any(|other| other.name() == parameter.name()) {
                return Err(wrong(line_of("[[parameters]]", k), format!("'{}' is fitted twice", parameter.name())));
            }
        }
        for (k, recording) in read.recordings.iter().enumerate() {
            let bad = recording.channels.iter().find(|c| !(c.sigma > 0.0 && c.sigma.is_finite()));
            let odd = |r: &ReplayTable| r.effort_of.is_some() == r.command_of.is_some();
            if recording.replay.iter().any(odd) {
                let what = "a replayed column has either `effort_of` or `command_of`".to_owned();
                return Err(wrong(line_of("[[recordings]]", k), what));
            }
            let window =
                recording.windows.is_some_and(|w| !(w.every_s > 0.0 && w.every_s.is_finite() && w.count > 0));
            if window
                || !recording.begin_s.is_finite()
                || recording.start_window_s.is_some_and(|w| w.is_nan() || w <= 0.0)
            {
                let what = "`begin_s`, `windows` and `start_window_s` need finite positive times".to_owned();
                return Err(wrong(line_of("[[recordings]]", k), what));
            }
            if recording.channels.is_empty() || bad.is_some() {
                let what = "a recording needs channels, each with a positive `sigma`, the error of its numbers";
                return Err(wrong(line_of("[[recordings]]", k), what.to_owned()));
            }
        }
        if read.search.goal == Goal::Agree && read.recordings.iter().all(|r| r.hold_out) {
            return Err(wrong(1, "no recording is fitted; leave `hold_out` out of at least one".to_owned()));
        }
        let SearchTable { budget, difference, .. } = read.search;
        if budget < 1 || !(1e-8..=0.1).contains(&difference) {
            let what = "`budget` must be at least 1 and `difference` between 1e-8 and 0.1".to_owned();
            return Err(wrong(line_of("[search]", 0), what));
        }
        Ok(read)
    }
}
