//! The form of every metric.

use crate::truth::Truth;
use serde::{Deserialize, Serialize};
use veracity_model::Layout;
use veracity_record::Record;

/// What a metric looks at.
pub struct Subject<'a> {
    /// The record.
    pub record: &'a Record,
    /// The layout of its world.
    pub layout: &'a Layout,
}

/// What a scenario may say about a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The body, joint or pair meant; `None` for all of them (the worst counts) or where it has no meaning.
    pub of: Option<String>,
    /// A point in that body's frame [m].
    pub point: Option<[f64; 3]>,
    /// Instants to look at [s]; empty for every recorded one.
    pub at_s: Vec<f64>,
    /// First instant that counts [s].
    pub from_s: Option<f64>,
    /// Last instant that counts [s].
    pub until_s: Option<f64>,
}

/// A number and what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// In the metric's unit.
    pub value: f64,
    /// Half-width of the interval the true value lies in: error of the reference, of interpolation, of sampling.
    pub uncertainty: f64,
    /// Where it was taken [s], for a largest or a first.
    pub at_s: Option<f64>,
    /// Over time, for plots: [s] and the metric's unit.
    pub series: Vec<(f64, f64)>,
    /// The same number by the engine's own account, where it gives one.
    pub said_by_engine: Option<f64>,
}

impl Measured {
    /// A number without a history.
    pub fn new(value: f64, uncertainty: f64) -> Self {
        Self { value, uncertainty, at_s: None, series: Vec::new(), said_by_engine: None }
    }
}

/// Why there is no number, in a sentence with what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CannotTell(pub String);

/// One line of the list of metrics.
pub struct MetricEntry {
    /// As in scenario files: lower case with underscores.
    pub name: &'static str,
    /// SI unit; empty for a pure number; `of` stands for the unit of what is looked at.
    pub unit: &'static str,
    /// What it is, in a line.
    pub text: &'static str,
    /// Whether it needs a reference.
    pub needs_truth: bool,
    /// Computes it.
    pub measure: fn(&Subject<'_>, Option<&Truth>, &Options) -> Result<Measured, CannotTell>,
}
