//! Studies with variations: engine specs ranked over the whole range, and maps of verdicts.

use super::Fact;
use serde::{Deserialize, Serialize};
use veracity_measure::TrialVerdict;

/// One engine spec at one step, over all variations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangePlace {
    /// From 1; equal for specs that cannot be distinguished.
    pub rank: usize,
    /// The engine spec in one line.
    pub spec: String,
    /// [s]
    pub step_s: f64,
    /// Number of accepted trials.
    pub accepted: usize,
    /// Number of trials.
    pub trials: usize,
    /// The largest error as a fraction of its bound; `None` where nothing was measured.
    pub worst_of_bound: Option<f64>,
    /// The variation with that error, or with the worst verdict where there is no error; empty if all are accepted
    /// without a number.
    pub worst_at: String,
    /// Median CPU time per simulated second [s].
    pub cpu_per_simulated_s: Option<f64>,
}

/// Verdicts over two dimensions of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictMap {
    /// What is the same in the whole map: dimension and value.
    pub fixed: Vec<Fact>,
    /// From left to right.
    pub columns: MapSide,
    /// From top to bottom.
    pub rows: MapSide,
    /// One list for each row, one cell for each column.
    pub cells: Vec<Vec<MapCell>>,
    /// Located boundaries of acceptance.
    pub ends: Vec<MapEnd>,
}

/// One side of a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapSide {
    /// Name of the dimension.
    pub name: String,
    /// Unit of the labels; empty if they have none, or each its own.
    pub unit: String,
    /// One for each value, in order.
    pub labels: Vec<String>,
}

/// The trials of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapCell {
    /// The worst verdict of its trials; `None` for a cell without trials.
    pub verdict: Option<TrialVerdict>,
    /// Number of accepted trials.
    pub accepted: usize,
    /// Number of trials.
    pub count: usize,
    /// Index of the trial with that verdict, in the scenario's trials.
    pub trial: Option<usize>,
}

/// A located boundary on a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapEnd {
    /// Row of the map.
    pub row: usize,
    /// Where on the columns: 1.5 is half way between the values of columns 1 and 2, counted from 0.
    pub column: f64,
    /// A sentence.
    pub text: String,
}
