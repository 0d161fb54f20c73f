//! What a report shows of a study with variations: rankings over the range, verdict maps and located boundaries.

use crate::data::Fact;
use crate::data::variations::{MapCell, MapEnd, MapSide, RangePlace, VerdictMap};
use std::collections::BTreeMap;
use veracity_lab::{Axis, Boundary, StudyResult, range_boards, variation_text, verdict_maps};
use veracity_measure::TrialVerdict;

/// Maps of one scenario on a page: more are not read, and `--json` has all.
const MAPS: usize = 60;

/// Rankings and maps of every scenario with variations.
pub(crate) struct Variations {
    ranges: BTreeMap<String, Vec<RangePlace>>,
    maps: BTreeMap<String, Vec<veracity_lab::VerdictMap>>,
}

impl Variations {
    pub(crate) fn new(result: &StudyResult) -> Self {
        let mut maps: BTreeMap<String, Vec<veracity_lab::VerdictMap>> = BTreeMap::new();
        for map in verdict_maps(result) {
            let of_scenario = maps.entry(map.scenario.clone()).or_default();
            if of_scenario.len() < MAPS {
                of_scenario.push(map);
            }
        }
        let places = |board: veracity_lab::RangeBoard| {
            let shown = board.places.iter().map(|place| range_place(place, result)).collect();
            (board.scenario, shown)
        };
        Self { ranges: range_boards(result).into_iter().map(places).collect(), maps }
    }

    /// Engine specs of a scenario over the whole range, best first.
    pub(crate) fn range(&self, scenario: &str) -> Vec<RangePlace> {
        self.ranges.get(scenario).cloned().unwrap_or_default()
    }

    /// Maps of a scenario; `indices` are the study's rows of that scenario, in increasing order.
    pub(crate) fn maps(&self, result: &StudyResult, scenario: &str, indices: &[usize]) -> Vec<VerdictMap> {
        let maps = self.maps.get(scenario).map_or(&[][..], Vec::as_slice);
        maps.iter().map(|map| shown(map, result, indices)).collect()
    }
}

fn range_place(place: &veracity_lab::RangePlace, result: &StudyResult) -> RangePlace {
    let row = place.worst.map(|(row, _)| row).or(place.failed);
    RangePlace {
        rank: place.rank,
        spec: place.engine.clone(),
        step_s: place.step_s,
        accepted: place.accepted(),
        trials: place.trials,
        worst_of_bound: place.worst.map(|(_, error)| error.of_bound()).filter(|share| share.is_finite()),
        worst_at: row.map_or(String::new(), |row| variation_text(&result.axes, &result.rows[row].overrides)),
        cpu_per_simulated_s: place.cpu_per_simulated_s,
    }
}

fn shown(map: &veracity_lab::VerdictMap, result: &StudyResult, indices: &[usize]) -> VerdictMap {
    let side = |side: &veracity_lab::MapSide| MapSide {
        name: side.name.clone(),
        unit: side.unit.clone(),
        labels: side.labels.clone(),
    };
    let cell = |cell: &veracity_lab::MapCell| {
        let verdict = cell.verdict();
        let worst = cell.trials.iter().find(|row| Some(result.rows[**row].verdict) == verdict);
        MapCell {
            verdict,
            accepted: cell.count(TrialVerdict::Accepted),
            count: cell.trials.len(),
            trial: worst.and_then(|row| indices.binary_search(row).ok()),
        }
    };
    let axis = result.axes.iter().find(|axis| axis.name == map.columns.name);
    let mut ends = Vec::new();
    for (row, cells) in map.cells.iter().enumerate() {
        for found in result.boundaries.iter().filter(|b| b.scenario == map.scenario) {
            let column = axis.filter(|a| a.path == found.path).and_then(|a| column_of(a, found));
            if let Some(column) = column.filter(|_| is_of(found, cells, result)) {
                ends.push(MapEnd { row, column, text: found.sentence(&result.axes) });
            }
        }
    }
    VerdictMap {
        fixed: map.fixed.iter().map(|(name, value)| Fact { name: name.clone(), value: value.clone() }).collect(),
        columns: side(&map.columns),
        rows: side(&map.rows),
        cells: map.cells.iter().map(|row| row.iter().map(cell).collect()).collect(),
        ends,
    }
}

/// Whether a boundary lies among the trials of one row of a map: the same engine, step and seed, and the same other numbers.
fn is_of(found: &Boundary, cells: &[veracity_lab::MapCell], result: &StudyResult) -> bool {
    cells.iter().flat_map(|cell| &cell.trials).any(|index| {
        let row = &result.rows[*index];
        let same = (&row.engine, row.step_s, row.seed) == (&found.engine, found.step_s, found.seed);
        let axis = result.axes.iter().find(|axis| axis.path == found.path);
        let mut others = row.overrides.iter().filter(|(path, _)| axis.is_none_or(|axis| !axis.moves(path)));
        same && others.all(|other| found.others.contains(other))
    })
}

/// The middle of the bracket on the axis' values.
fn column_of(axis: &Axis, found: &Boundary) -> Option<f64> {
    let at = 0.5 * (found.accepted + found.not_accepted);
    let right = axis.values.iter().position(|value| *value >= at)?;
    if right == 0 {
        return (axis.values[0] == at).then_some(0.0);
    }
    let (low, high) = (axis.values[right - 1], axis.values[right]);
    Some((right - 1) as f64 + (at - low) / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis() -> Axis {
        Axis {
            path: "p".to_string(),
            also: Vec::new(),
            name: "friction".to_string(),
            unit: String::new(),
            values: vec![0.1, 0.2, 0.4],
            low: 0.1,
            high: 0.4,
        }
    }

    #[test]
    fn a_boundary_lies_between_the_columns_that_enclose_it() {
        let found = |accepted, not_accepted| Boundary {
            scenario: "s".to_string(),
            engine: "native".to_string(),
            step_s: 1e-3,
            seed: 0,
            path: "p".to_string(),
            others: Vec::new(),
            accepted,
            not_accepted,
            verdict: TrialVerdict::Rejected,
            reason: String::new(),
            trials: 3,
            width: 0.1,
        };
        let at = |a, b| column_of(&axis(), &found(a, b)).map(|x| (1e6 * x).round() / 1e6);
        assert_eq!([at(0.26, 0.24), at(0.12, 0.1), at(0.9, 0.8)], [Some(1.25), Some(0.1), None]);
    }
}
