//! Verdict maps: the verdicts of a study with variations over two of its dimensions.
//!
//! Columns are the first varied number with listed values. Rows are the steps if there are several, else the second such
//! number, else the engines. Every other dimension with several values gives a map of its own; seeds and numbers drawn
//! from distributions are counted within a cell.

use crate::answer::span;
use crate::results::{Row, StudyResult};
use std::collections::BTreeMap;
use veracity_measure::TrialVerdict;

/// Verdicts of one scenario over two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictMap {
    /// The scenario.
    pub scenario: String,
    /// What is the same in the whole map: dimension and value, in words.
    pub fixed: Vec<(String, String)>,
    /// From left to right.
    pub columns: MapSide,
    /// From top to bottom.
    pub rows: MapSide,
    /// One list for each row, one cell for each column.
    pub cells: Vec<Vec<MapCell>>,
}

/// One side of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSide {
    /// Name of the dimension: of the axis, `step` or `engine`.
    pub name: String,
    /// Unit of the labels; empty if they have none, or each its own.
    pub unit: String,
    /// One for each value, in order.
    pub labels: Vec<String>,
}

/// The trials of one cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapCell {
    /// How many ended with each verdict, in the order of [`TrialVerdict::ALL`].
    pub counts: [usize; 6],
    /// Indices into the study's rows.
    pub trials: Vec<usize>,
}

impl MapCell {
    /// The verdict of the cell: that of all its trials, or the worst.
    pub fn verdict(&self) -> Option<TrialVerdict> {
        TrialVerdict::ALL.into_iter().rev().find(|v| self.count(*v) > 0)
    }

    /// Number of trials with a verdict.
    pub fn count(&self, verdict: TrialVerdict) -> usize {
        self.counts[verdict as usize]
    }
}

/// A dimension of a study: the values that its rows take, as labels.
struct Dimension {
    name: String,
    unit: String,
    labels: Vec<String>,
    /// Index of the label of each row of the scenario.
    of_row: Vec<usize>,
}

/// The maps of every scenario with a varied number of listed values, in the study's order.
pub fn verdict_maps(result: &StudyResult) -> Vec<VerdictMap> {
    let listed: Vec<_> = result.axes.iter().filter(|axis| axis.values.len() > 1).collect();
    if listed.is_empty() {
        return Vec::new();
    }
    let mut scenarios: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, row) in result.rows.iter().enumerate() {
        let at = *place.entry(&row.scenario).or_insert_with(|| {
            scenarios.push((&row.scenario, Vec::new()));
            scenarios.len() - 1
        });
        scenarios[at].1.push(index);
    }
    scenarios.into_iter().flat_map(|(scenario, rows)| maps_of(result, scenario, &rows)).collect()
}

fn maps_of(result: &StudyResult, scenario: &str, rows: &[usize]) -> Vec<VerdictMap> {
    let of = |index: &usize| &result.rows[*index];
    let mut dimensions: Vec<Dimension> = Vec::new();
    for axis in result.axes.iter().filter(|axis| axis.values.len() > 1) {
        let labels = axis.values.iter().map(|value| crate::axes::short_number(*value)).collect();
        let place = |row: &Row| {
            let value = axis.value_in(&row.overrides)?;
            axis.values.iter().position(|v| v.to_bits() == value.to_bits())
        };
        // Every variation of a study sets every axis.
        let Some(of_row) = rows.iter().map(|i| place(of(i))).collect::<Option<Vec<_>>>() else { return Vec::new() };
        dimensions.push(Dimension { name: axis.name.clone(), unit: axis.unit.clone(), labels, of_row });
    }
    let numbers = dimensions.len();
    let mut steps: Vec<f64> = rows.iter().map(|i| of(i).step_s).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let step_of = |i: &usize| steps.iter().position(|s| *s == of(i).step_s).unwrap_or(0);
    dimensions.push(Dimension {
        name: "step".to_string(),
        unit: String::new(),
        labels: steps.iter().map(|s| span(*s)).collect(),
        of_row: rows.iter().map(step_of).collect(),
    });
    let mut engines: Vec<&str> = Vec::new();
    let of_row = rows.iter().map(|i| {
        let name = of(i).engine.as_str();
        engines.iter().position(|e| *e == name).unwrap_or_else(|| {
            engines.push(name);
            engines.len() - 1
        })
    });
    let of_row: Vec<usize> = of_row.collect();
    let labels = engines.iter().map(ToString::to_string).collect();
    dimensions.push(Dimension { name: "engine".to_string(), unit: String::new(), labels, of_row });

    let (step, engine) = (numbers, numbers + 1);
    let down = if dimensions[step].labels.len() > 1 {
        step
    } else if numbers > 1 {
        1
    } else {
        engine
    };
    let mut maps: BTreeMap<Vec<usize>, VerdictMap> = BTreeMap::new();
    // The engine first: maps of one engine stand together.
    let others: Vec<usize> =
        (0..dimensions.len()).rev().filter(|d| *d != 0 && *d != down && dimensions[*d].labels.len() > 1).collect();
    let side = |d: &Dimension| MapSide { name: d.name.clone(), unit: d.unit.clone(), labels: d.labels.clone() };
    let (columns, lines) = (&dimensions[0], &dimensions[down]);
    for (at, index) in rows.iter().enumerate() {
        let key: Vec<usize> = others.iter().map(|d| dimensions[*d].of_row[at]).collect();
        let map = maps.entry(key).or_insert_with(|| VerdictMap {
            scenario: scenario.to_string(),
            fixed: others.iter().map(|d| dimensions[*d].value_of(at)).collect(),
            columns: side(columns),
            rows: side(lines),
            cells: vec![vec![MapCell::default(); columns.labels.len()]; lines.labels.len()],
        });
        let cell = &mut map.cells[lines.of_row[at]][columns.of_row[at]];
        cell.counts[of(index).verdict as usize] += 1;
        cell.trials.push(*index);
    }
    maps.into_values().collect()
}

impl Dimension {
    fn value_of(&self, row: usize) -> (String, String) {
        let label = &self.labels[self.of_row[row]];
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        (self.name.clone(), format!("{label}{unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Axis;
    use crate::leaderboard::tests::{result, row};
    use TrialVerdict::*;

    /// Friction 0.1, 0.2, 0.4; accepted from 0.2 up, at 2 ms only from 0.4 up.
    fn study(engines: &[&str], steps: &[f64]) -> StudyResult {
        let mut rows = Vec::new();
        for friction in [0.1, 0.2, 0.4] {
            for engine in engines {
                for step_s in steps {
                    let least = if *step_s > 1.5e-3 { 0.4 } else { 0.2 };
                    let verdict = if friction >= least { Accepted } else { Rejected };
                    let mut one = row(engine, verdict, Some((1e-6, 0.0)));
                    one.step_s = *step_s;
                    one.overrides = vec![("world/block/friction".to_string(), friction)];
                    rows.push(one);
                }
            }
        }
        let mut study = result(rows);
        study.axes = vec![Axis {
            path: "world/block/friction".to_string(),
            also: Vec::new(),
            name: "friction".to_string(),
            unit: String::new(),
            values: vec![0.1, 0.2, 0.4],
            low: 0.1,
            high: 0.4,
        }];
        study
    }

    fn drawn(map: &VerdictMap) -> Vec<String> {
        let letter = |cell: &MapCell| match cell.verdict() {
            Some(Accepted) => 'A',
            Some(Rejected) => 'R',
            _ => '-',
        };
        map.cells.iter().map(|line| line.iter().map(letter).collect()).collect()
    }

    #[test]
    fn friction_against_step_makes_a_map_for_each_engine() {
        let maps = verdict_maps(&study(&["native", "rapier"], &[1e-3, 2e-3]));
        assert_eq!(maps.len(), 2);
        assert_eq!((maps[0].columns.name.as_str(), maps[0].rows.name.as_str()), ("friction", "step"));
        assert_eq!(maps[0].columns.labels, ["0.1", "0.2", "0.4"]);
        assert_eq!(maps[0].rows.labels, ["1 ms", "2 ms"]);
        assert_eq!(maps[1].fixed, [("engine".to_string(), "rapier".to_string())]);
        assert_eq!(drawn(&maps[0]), ["RAA", "RRA"]);
        // Every trial is in one cell.
        let all: usize = maps.iter().flat_map(|m| m.cells.iter().flatten()).map(|c| c.trials.len()).sum();
        assert_eq!(all, 12);
    }

    #[test]
    fn at_one_step_the_engines_are_the_rows() {
        let maps = verdict_maps(&study(&["native", "rapier"], &[1e-3]));
        assert_eq!((maps.len(), maps[0].rows.name.as_str()), (1, "engine"));
        assert_eq!(maps[0].rows.labels, ["native", "rapier"]);
        assert_eq!(drawn(&maps[0]), ["RAA", "RAA"]);
    }

    #[test]
    fn a_cell_of_several_trials_has_the_worst_verdict_and_counts() {
        let mut study = study(&["native"], &[1e-3]);
        let mut again = study.rows[1].clone();
        (again.seed, again.verdict) = (1, CannotTell);
        study.rows.push(again);
        let cell = &verdict_maps(&study)[0].cells[0][1];
        assert_eq!((cell.verdict(), cell.count(Accepted), cell.trials.len()), (Some(CannotTell), 1, 2));
    }
}
