//! Engine specs of a scenario ranked over the whole range of a study's variations.
//!
//! A spec at a step has one row for each variation and seed. It ranks by the share of them that is accepted, then by the
//! share that is not rejected, then by its worst error as a fraction of the bound. Specs that are not distinguished by
//! these three share a place. The median cost is shown and never decides.

use crate::leaderboard::{RankedError, error_of};
use crate::results::{Row, StudyResult};
use std::collections::BTreeMap;
use veracity_measure::TrialVerdict;
use veracity_measure::statistics::median;

/// The ranking of one scenario over its variations.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeBoard {
    /// The scenario.
    pub scenario: String,
    /// Best first.
    pub places: Vec<RangePlace>,
}

/// One engine spec at one step, over all variations.
#[derive(Clone, Debug, PartialEq)]
pub struct RangePlace {
    /// From 1.
    pub rank: usize,
    /// The engine spec without its defaults.
    pub engine: String,
    /// [s]
    pub step_s: f64,
    /// Number of trials.
    pub trials: usize,
    /// How many ended with each verdict, in the order of [`TrialVerdict::ALL`].
    pub counts: [usize; 6],
    /// The row with the largest fraction of its bound (index into the study's rows), and that error.
    pub worst: Option<(usize, RankedError)>,
    /// A row that is not accepted, the worst where several are (index into the study's rows).
    pub failed: Option<usize>,
    /// Median CPU time per simulated second [s].
    pub cpu_per_simulated_s: Option<f64>,
}

impl RangePlace {
    /// Number of trials with a verdict.
    pub fn count(&self, verdict: TrialVerdict) -> usize {
        self.counts[verdict as usize]
    }

    /// Number of accepted trials.
    pub fn accepted(&self) -> usize {
        self.count(TrialVerdict::Accepted)
    }
}

/// One board for each scenario with several variations, in the study's order.
pub fn range_boards(result: &StudyResult) -> Vec<RangeBoard> {
    let mut scenarios: Vec<&str> = Vec::new();
    // Rows by engine and step, in the order of their first.
    let mut groups: BTreeMap<&str, Vec<Vec<usize>>> = BTreeMap::new();
    let mut place: BTreeMap<(&str, &str, u64), usize> = BTreeMap::new();
    for (index, row) in result.rows.iter().enumerate().filter(|(_, row)| !row.overrides.is_empty()) {
        let of_scenario = groups.entry(&row.scenario).or_insert_with(|| {
            scenarios.push(&row.scenario);
            Vec::new()
        });
        let step = row.step_s.to_bits();
        let at = *place.entry((&row.scenario, &row.full_spec, step)).or_insert_with(|| {
            of_scenario.push(Vec::new());
            of_scenario.len() - 1
        });
        of_scenario[at].push(index);
    }
    let mut boards = Vec::new();
    for scenario in scenarios {
        let specs = groups.remove(scenario).unwrap_or_default();
        let several = specs
            .iter()
            .any(|rows| rows.iter().any(|row| result.rows[*row].overrides != result.rows[rows[0]].overrides));
        if several {
            let places = specs.iter().map(|rows| over(&result.rows, rows)).collect();
            boards.push(ranked(RangeBoard { scenario: scenario.to_string(), places }));
        }
    }
    boards
}

fn over(all: &[Row], rows: &[usize]) -> RangePlace {
    let first = &all[rows[0]];
    let mut counts = [0; 6];
    rows.iter().for_each(|row| counts[all[*row].verdict as usize] += 1);
    let errors = rows.iter().filter_map(|row| Some((*row, error_of(&all[*row])?)));
    let worst = errors.max_by(|a, b| a.1.of_bound().total_cmp(&b.1.of_bound()));
    let bad = rows.iter().copied().filter(|row| all[*row].verdict != TrialVerdict::Accepted);
    let share = |row: usize| error_of(&all[row]).map_or(f64::INFINITY, |e| e.of_bound());
    let failed = bad.max_by(|a, b| all[*a].verdict.cmp(&all[*b].verdict).then(share(*a).total_cmp(&share(*b))));
    let costs: Vec<f64> = rows.iter().filter_map(|row| all[*row].cpu_per_simulated_s()).collect();
    RangePlace {
        rank: 0,
        engine: first.engine.clone(),
        step_s: first.step_s,
        trials: rows.len(),
        counts,
        worst,
        failed,
        cpu_per_simulated_s: (!costs.is_empty()).then(|| median(&costs)),
    }
}

fn ranked(mut board: RangeBoard) -> RangeBoard {
    let part = |n: usize, place: &RangePlace| n as f64 / place.trials.max(1) as f64;
    let key = |p: &RangePlace| {
        let not_rejected = p.trials - p.count(TrialVerdict::Rejected);
        let worst = p.worst.map_or(f64::INFINITY, |(_, e)| e.of_bound());
        [-part(p.accepted(), p), -part(not_rejected, p), worst]
    };
    let order = |a: &[f64; 3], b: &[f64; 3]| {
        let parts = a.iter().zip(b).map(|(x, y)| x.total_cmp(y));
        parts.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    // A stable sort: equal specs keep the study's order.
    board.places.sort_by(|a, b| order(&key(a), &key(b)));
    let keys: Vec<[f64; 3]> = board.places.iter().map(key).collect();
    for at in 0..keys.len() {
        let shared = at > 0 && order(&keys[at], &keys[at - 1]).is_eq();
        board.places[at].rank = if shared { board.places[at - 1].rank } else { at + 1 };
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaderboard::tests::{result, row};
    use TrialVerdict::*;

    fn at(engine: &str, friction: f64, verdict: TrialVerdict, error: f64) -> Row {
        let mut one = row(engine, verdict, Some((error, 0.0)));
        one.overrides = vec![("friction".to_string(), friction)];
        one
    }

    #[test]
    fn the_share_accepted_over_the_range_comes_first_then_the_worst_error() {
        let study = result(vec![
            at("often", 0.1, Rejected, 2e-3),
            at("often", 0.2, Accepted, 1e-6),
            at("fine", 0.1, Accepted, 9e-4),
            at("fine", 0.2, Accepted, 1e-6),
            at("best", 0.1, Accepted, 5e-4),
            at("best", 0.2, Accepted, 6e-4),
            at("unsure", 0.1, CannotTell, 1e-3),
            at("unsure", 0.2, Accepted, 1e-6),
        ]);
        let [board] = &range_boards(&study)[..] else { panic!("one scenario has one board") };
        let order: Vec<(usize, &str)> = board.places.iter().map(|p| (p.rank, p.engine.as_str())).collect();
        assert_eq!(order, [(1, "best"), (2, "fine"), (3, "unsure"), (4, "often")]);
        let often = &board.places[3];
        assert_eq!((often.accepted(), often.trials, often.failed), (1, 2, Some(0)));
        assert_eq!(board.places[0].worst.map(|(row, e)| (row, e.value)), Some((5, 6e-4)));
    }

    #[test]
    fn a_single_change_is_no_range() {
        assert!(range_boards(&result(vec![at("a", 0.1, Accepted, 0.0), at("b", 0.1, Accepted, 0.0)])).is_empty());
        assert!(range_boards(&result(vec![row("a", Accepted, None)])).is_empty());
    }
}
