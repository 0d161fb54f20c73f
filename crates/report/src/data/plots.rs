//! Data of the plots. Axes are logarithmic unless stated otherwise.

use super::numbers::{Real, Rounded, Times};
use super::scenario::Bound;
use serde::{Deserialize, Serialize};

/// A metric over time, a curve per trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorOverTime {
    /// The metric's name.
    pub metric: String,
    /// Its unit; empty for a pure number.
    pub unit: String,
    /// Drawn as a horizontal line.
    pub bound: Option<Bound>,
    /// Whether the value axis is initially logarithmic; the reader can switch.
    pub log: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One trial's curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Index into the scenario's trials.
    pub trial: usize,
    /// Times, increasing [s].
    pub time_s: Times,
    /// As many values. Non-finite values are gaps, which the legend mentions.
    pub value: Rounded,
}

/// Cost against accuracy: a point per trial, those of one spec joined from the largest step to the smallest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedAgainstAccuracy {
    /// The metric's name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Drawn as a horizontal line.
    pub bound: Option<Bound>,
    /// The points.
    pub points: Vec<SpeedPoint>,
}

/// One trial's cost and error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedPoint {
    /// Index into the scenario's trials.
    pub trial: usize,
    /// CPU time per simulated second, a pure number.
    pub cpu_per_simulated: f64,
    /// The metric.
    pub error: Real,
    /// Half width of its confidence interval.
    pub uncertainty: Option<Real>,
}

/// Error against step size, a line per spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// The metric's name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Drawn as a horizontal line.
    pub bound: Option<Bound>,
    /// The lines.
    pub lines: Vec<ConvergenceLine>,
}

/// One spec's errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvergenceLine {
    /// The engine spec.
    pub spec: String,
    /// In any order.
    pub points: Vec<ConvergencePoint>,
    /// The fitted line, if any.
    pub fit: Option<Fit>,
}

/// Error at one step size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvergencePoint {
    /// Index into the scenario's trials, if it is one of them.
    pub trial: Option<usize>,
    /// Step size [s].
    pub step_s: f64,
    /// The metric.
    pub error: Real,
}

/// `error = factor · step^order` over a range of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The order of convergence.
    pub order: f64,
    /// Half width of its confidence interval.
    pub uncertainty: Option<f64>,
    /// The theoretical order of the method.
    pub expected: Option<f64>,
    /// The error at a step of one second, in the metric's unit.
    pub factor: f64,
    /// Smallest step of the fit [s].
    pub from_step_s: f64,
    /// Largest step of the fit [s].
    pub to_step_s: f64,
}
