//! The part of `--json` that studies with variations have: axes, maps, rankings over the range, boundaries.

use super::json::{Override, overrides};
use serde::{Deserialize, Serialize};
use veracity_lab::{Axis, Boundary, MapCell, MapSide, RangeBoard, RangePlace, TrialVerdict, VerdictMap};
use veracity_measure::verdict::words;

#[derive(Serialize, Deserialize)]
pub struct VariedAxis {
    pub path: String,
    /// Other numbers that take the same value.
    pub also: Vec<String>,
    pub name: String,
    pub unit: String,
    /// Empty for a number drawn from a distribution.
    pub values: Vec<f64>,
    pub low: f64,
    pub high: f64,
}

#[derive(Serialize, Deserialize)]
pub struct Map {
    pub scenario: String,
    /// What is the same in the whole map.
    pub fixed: Vec<Named>,
    pub columns: Side,
    pub rows: Side,
    /// One list for each row, one cell for each column.
    pub cells: Vec<Vec<Cell>>,
}

#[derive(Serialize, Deserialize)]
pub struct Named {
    pub name: String,
    pub value: String,
}

#[derive(Serialize, Deserialize)]
pub struct Side {
    pub name: String,
    pub unit: String,
    pub labels: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Cell {
    /// The worst of its trials, in words; `null` without a trial.
    pub verdict: Option<String>,
    pub accepted: usize,
    /// Indices into `trials`.
    pub trials: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
pub struct RangeRanking {
    pub scenario: String,
    pub places: Vec<RangeRanked>,
}

#[derive(Serialize, Deserialize)]
pub struct RangeRanked {
    pub rank: usize,
    pub engine: String,
    pub step_s: f64,
    pub trials: usize,
    pub accepted: usize,
    pub cannot_tell: usize,
    pub rejected: usize,
    /// Largest error as a fraction of its bound, and the trial that has it (index into `trials`).
    pub worst_of_bound: Option<f64>,
    pub worst_trial: Option<usize>,
    /// The median over its trials.
    pub cpu_per_simulated_s: Option<f64>,
}

#[derive(Serialize, Deserialize)]
pub struct LocatedBoundary {
    pub scenario: String,
    pub engine: String,
    pub step_s: f64,
    pub seed: u64,
    /// The varied number, and the others, which are the same on both sides.
    pub path: String,
    pub others: Vec<Override>,
    /// The two ends of the bracket.
    pub accepted: f64,
    pub not_accepted: f64,
    #[serde(with = "words")]
    pub verdict: TrialVerdict,
    pub reason: String,
    /// Whether the bracket is as narrow as requested.
    pub located: bool,
    /// Trials run to find it; they are not among `trials`.
    pub trials_run: usize,
}

impl VariedAxis {
    pub fn new(axis: &Axis) -> Self {
        let Axis { path, also, name, unit, values, low, high } = axis.clone();
        Self { path, also, name, unit, values, low, high }
    }
}

impl Map {
    pub fn new(map: VerdictMap) -> Self {
        let side = |side: MapSide| Side { name: side.name, unit: side.unit, labels: side.labels };
        let cell = |cell: MapCell| Cell {
            verdict: cell.verdict().map(|v| v.text().to_string()),
            accepted: cell.count(TrialVerdict::Accepted),
            trials: cell.trials,
        };
        Self {
            scenario: map.scenario,
            fixed: map.fixed.into_iter().map(|(name, value)| Named { name, value }).collect(),
            columns: side(map.columns),
            rows: side(map.rows),
            cells: map.cells.into_iter().map(|line| line.into_iter().map(cell).collect()).collect(),
        }
    }
}

impl RangeRanking {
    pub fn new(board: &RangeBoard) -> Self {
        let place = |p: &RangePlace| RangeRanked {
            rank: p.rank,
            engine: p.engine.clone(),
            step_s: p.step_s,
            trials: p.trials,
            accepted: p.accepted(),
            cannot_tell: p.count(TrialVerdict::CannotTell),
            rejected: p.count(TrialVerdict::Rejected),
            worst_of_bound: p.worst.map(|(_, e)| e.of_bound()).filter(|x| x.is_finite()),
            worst_trial: p.worst.map(|(row, _)| row),
            cpu_per_simulated_s: p.cpu_per_simulated_s,
        };
        Self { scenario: board.scenario.clone(), places: board.places.iter().map(place).collect() }
    }
}

impl LocatedBoundary {
    pub fn new(b: &Boundary) -> Self {
        Self {
            scenario: b.scenario.clone(),
            engine: b.engine.clone(),
            step_s: b.step_s,
            seed: b.seed,
            path: b.path.clone(),
            others: overrides(&b.others),
            accepted: b.accepted,
            not_accepted: b.not_accepted,
            verdict: b.verdict,
            reason: b.reason.clone(),
            located: b.is_located(),
            trials_run: b.trials,
        }
    }
}
