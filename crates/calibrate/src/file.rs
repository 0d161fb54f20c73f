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
    /// What is fitted.
    pub parameters: Vec<Parameter>,
    /// What it is fitted to.
    pub recordings: Vec<RecordingTable>,
    /// How the best parameters are searched.
    #[serde(default)]
    pub search: SearchTable,
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

    /// Its path, or `engine/SETTING`.
    pub fn name(&self) -> String {
        match (&self.path, &self.setting) {
            (Some(path), _) => path.clone(),
            (None, Some(setting)) => format!("engine/{setting}"),
            (None, None) => String::new(),
        }
    }

    /// Its value at `u`.
    pub fn value(&self, u: f64) -> f64 {
        let value = self.range().value(u);
        if self.whole { value.round() } else { value }
    }

    fn fault(&self) -> Option<String> {
        let name = self.name();
        let start = self.start.filter(|x| !(self.low..=self.high).contains(x));
        let prior = self.prior.filter(|p| !(p.sigma > 0.0 && p.sigma.is_finite() && p.value.is_finite()));
        match () {
            () if self.path.is_some() == self.setting.is_some() => {
                Some("a parameter has either `path` or `setting`".to_owned())
            }
            () if start.is_some() => Some(format!("the start of '{name}' is outside of its bounds")),
            () if prior.is_some() => Some(format!("the prior of '{name}' needs a positive sigma")),
            () => self.range().fault().map(|what| format!("'{name}': {what}")),
        }
    }
}

/// `[[recordings]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordingTable {
    /// Path relative to this file: a record (.mcap), a table (.csv, .parquet) or a ROS 2 bag.
    pub file: PathBuf,
    /// Not fitted, only compared. The whole recording: rows are never split.
    #[serde(default)]
    pub hold_out: bool,
    /// Numbers of the scenario for this recording: its start, its duration.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// What was measured.
    pub channels: Vec<ChannelTable>,
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
    /// How the best is approached.
    pub method: Method,
    /// Most evaluations; one is a trial of every training recording.
    pub budget: usize,
    /// Points of the global start, the given start not counted.
    pub starts: usize,
    /// The best of them from which the search goes on.
    pub refine: usize,
    /// Difference for derivatives, as a share of the range.
    pub difference: f64,
    /// Seed of `cma_es`.
    pub seed: u64,
    /// Most CPU time for one second of simulation [s]: points that take more are out of bounds.
    pub most_cpu_per_simulated_s: Option<f64>,
}

impl Default for SearchTable {
    fn default() -> Self {
        Self {
            method: Method::LeastSquares,
            budget: 300,
            starts: 15,
            refine: 2,
            difference: 1e-3,
            seed: 0,
            most_cpu_per_simulated_s: None,
        }
    }
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
            if recording.channels.is_empty() || bad.is_some() {
                let what = "a recording needs channels, each with a positive `sigma`, the error of its numbers";
                return Err(wrong(line_of("[[recordings]]", k), what.to_owned()));
            }
        }
        if read.recordings.iter().all(|r| r.hold_out) {
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
