//! Engine specs of a scenario ranked by verdict, then by the error of the scenario's main metric.
//!
//! The main metric is that of the scenario's first check with an upper bound: task conditions and lower bounds are not errors,
//! and count through the verdict only. Where several checks share the metric and its reference (six blocks on slopes),
//! the row is ranked by the check that is nearest to its bound, or furthest beyond it. Within a verdict the smaller
//! fraction of the bound ranks higher; errors that do not differ by more than their uncertainties share a place, in the
//! study's order. Cost is shown with a place but never decides it: it depends on the machine. Rows without a number
//! (the motion broke down, too slow, failed, not expressible) have no place and are listed at the end, so that no row
//! is missing. A scenario of task conditions alone is ranked by verdict: rows with the same one share a place.
//!
//! Rows with a seed other than the study's first are left out, and so are rows with changed numbers, unless the same
//! numbers are changed in every row (`compare --set`). Where variations differ, [`crate::range_board`] ranks over all of
//! them.

use crate::results::{CheckResult, Row, StudyResult};
use std::collections::BTreeMap;
use veracity_measure::{Better, TrialVerdict};

/// The ranking of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaderboard {
    /// The scenario.
    pub scenario: String,
    /// The main metric; `None` where no row was measured.
    pub metric: Option<String>,
    /// Unit of errors and bounds.
    pub unit: String,
    /// The changed numbers, which are the same in every row; empty for the scenario as written.
    pub overrides: Vec<(String, f64)>,
    /// Best first.
    pub places: Vec<Place>,
}

/// One row of a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// From 1; `None` for a row without a number.
    pub rank: Option<usize>,
    /// Index into the study's rows.
    pub row: usize,
    /// The error it is ranked by.
    pub error: Option<RankedError>,
}

/// The error that a row is ranked by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedError {
    /// Index into the row's checks.
    pub check: usize,
    /// Its size, in the metric's unit.
    pub value: f64,
    /// Half-width of the interval the true value lies in.
    pub uncertainty: f64,
    /// The bound on it.
    pub bound: f64,
}

impl RankedError {
    /// The error as a fraction of its bound.
    pub fn of_bound(&self) -> f64 {
        self.parts().0
    }

    /// The error and its uncertainty as fractions of the bound; for a bound of zero, unscaled.
    fn parts(&self) -> (f64, f64) {
        let unit = if self.bound.abs() > 0.0 { self.bound.abs() } else { 1.0 };
        (self.value / unit, self.uncertainty / unit)
    }
}

impl Row {
    /// CPU time per simulated second [s]; `None` when nothing was simulated.
    pub fn cpu_per_simulated_s(&self) -> Option<f64> {
        (self.cpu_s > 0.0 && self.simulated_s > 0.0).then(|| self.cpu_s / self.simulated_s)
    }

    /// Steps per second of CPU time; `None` when no step was taken.
    pub fn steps_per_cpu_s(&self) -> Option<f64> {
        (self.cpu_s > 0.0 && self.steps > 0).then(|| self.steps as f64 / self.cpu_s)
    }
}

impl Leaderboard {
    /// Whether any row was judged: a scenario without checks has nothing to rank.
    pub fn is_judged(&self, rows: &[Row]) -> bool {
        self.places.iter().any(|place| !rows[place.row].checks.is_empty())
    }

    /// The accepted row with the least CPU time per simulated second (index into the study's rows), and that time [s]:
    /// González' score, for a given problem and required precision, with settings and step free. `None` where no row is
    /// accepted.
    pub fn cheapest(&self, rows: &[Row]) -> Option<(usize, f64)> {
        let accepted = self.places.iter().map(|p| p.row).filter(|r| rows[*r].verdict == TrialVerdict::Accepted);
        let costs = accepted.filter_map(|row| Some((row, rows[row].cpu_per_simulated_s()?)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// One leaderboard for each scenario that has rows as written, or all its rows with the same changed numbers, in the
/// study's order.
pub fn leaderboards(result: &StudyResult) -> Vec<Leaderboard> {
    let seed = result.rows.first().map_or(0, |row| row.seed);
    // The changed numbers that are shown of each scenario; `None` where they differ from row to row.
    let mut shown: BTreeMap<&str, Option<&[(String, f64)]>> = BTreeMap::new();
    for row in &result.rows {
        let one = shown.entry(&row.scenario).or_insert(Some(&row.overrides));
        if row.overrides.is_empty() || one.is_some_and(<[_]>::is_empty) {
            *one = Some(&[]);
        } else if *one != Some(&row.overrides) {
            *one = None;
        }
    }
    let mut boards: Vec<Leaderboard> = Vec::new();
    let mut board_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, row) in result.rows.iter().enumerate() {
        if shown.get(row.scenario.as_str()).copied().flatten() != Some(&row.overrides) || row.seed != seed {
            continue;
        }
        let at = *board_of.entry(&row.scenario).or_insert_with(|| {
            let (scenario, unit) = (row.scenario.clone(), String::new());
            let overrides = row.overrides.clone();
            boards.push(Leaderboard { scenario, metric: None, unit, overrides, places: Vec::new() });
            boards.len() - 1
        });
        let board = &mut boards[at];
        if let (Some(check), None) = (row.checks.iter().find(|c| is_error(c)), &board.metric) {
            board.metric = Some(check.metric.clone());
            board.unit.clone_from(&check.unit);
        }
        board.places.push(Place { rank: None, row: index, error: error_of(row) });
    }
    boards.iter_mut().for_each(|board| rank(board, &result.rows));
    boards
}

/// The error that a row is ranked by; `None` where the motion did not reach its end or a number of the main metric is
/// missing.
pub(crate) fn error_of(row: &Row) -> Option<RankedError> {
    if !reached_its_end(row) {
        return None;
    }
    let main = row.checks.iter().find(|c| is_error(c))?;
    let alike = |c: &CheckResult| is_error(c) && (&c.metric, &c.against) == (&main.metric, &main.against);
    let mut worst: Option<RankedError> = None;
    for (check, result) in row.checks.iter().enumerate().filter(|(_, c)| alike(c)) {
        let measured = result.judgement.measured.as_ref().filter(|m| m.value.is_finite())?;
        let (value, uncertainty) = (measured.value.abs(), measured.uncertainty.abs());
        let error = RankedError { check, value, uncertainty, bound: result.judgement.bound };
        if worst.is_none_or(|w| error.parts().0 > w.parts().0) {
            worst = Some(error);
        }
    }
    worst
}

/// Whether the motion went to its end and was judged.
fn reached_its_end(row: &Row) -> bool {
    let judged = matches!(row.verdict, TrialVerdict::Accepted | TrialVerdict::CannotTell | TrialVerdict::Rejected);
    judged && !row.checks.is_empty() && !row.reason.starts_with(crate::judging::BROKE_DOWN)
}

/// Whether a check has an upper bound, so that smaller is better.
fn is_error(check: &CheckResult) -> bool {
    check.judgement.better == Better::Smaller && check.judgement.bound.is_finite()
}

fn rank(board: &mut Leaderboard, rows: &[Row]) {
    let order = |place: &Place| (class(rows[place.row].verdict), place.error.is_none());
    let part = |place: &Place| place.error.map_or(0.0, |e| e.parts().0);
    // A stable sort: equal rows keep the study's order.
    board.places.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| part(a).total_cmp(&part(b))));
    // First row of the current shared place: verdict, error with its uncertainty, rank.
    let mut opened: Option<(TrialVerdict, (f64, f64), usize)> = None;
    let mut ranked = 0;
    for place in &mut board.places {
        let Some(error) = place.error.map(|e| e.parts()) else { continue };
        ranked += 1;
        let verdict = rows[place.row].verdict;
        match opened {
            Some((same, first, rank)) if same == verdict && error.0 - first.0 <= error.1 + first.1 => {
                place.rank = Some(rank);
            }
            _ => {
                place.rank = Some(ranked);
                opened = Some((verdict, error, ranked));
            }
        }
    }
    if board.metric.is_none() {
        let classes: Vec<u8> = board.places.iter().map(|place| class(rows[place.row].verdict)).collect();
        for place in board.places.iter_mut().filter(|place| reached_its_end(&rows[place.row])) {
            let own = class(rows[place.row].verdict);
            place.rank = Some(1 + classes.iter().filter(|other| **other < own).count());
        }
    }
    // Rows that share a place are listed in the study's order, not by rounding.
    board.places.sort_by_key(|place| {
        let row = &rows[place.row];
        (class(row.verdict), place.rank.unwrap_or(usize::MAX), place.row)
    });
}

/// Verdicts from good to bad; a scenario that was not run at all comes last.
fn class(verdict: TrialVerdict) -> u8 {
    match verdict {
        TrialVerdict::Accepted => 0,
        TrialVerdict::CannotTell => 1,
        TrialVerdict::Rejected => 2,
        TrialVerdict::TooSlow => 3,
        TrialVerdict::Failed => 4,
        TrialVerdict::NotExpressible => 5,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use veracity_measure::{Measured, TrialVerdict, judge};
    use veracity_model::Digest;

    /// A row of the scenario `swing`, with one check if it has an error.
    pub(crate) fn row(engine: &str, verdict: TrialVerdict, error: Option<(f64, f64)>) -> Row {
        let check = |(value, uncertainty)| CheckResult {
            name: "angle".to_string(),
            metric: "joint_error".to_string(),
            unit: "rad".to_string(),
            judgement: judge(Ok(Measured::new(value, uncertainty)), 1e-3, "rad"),
            against: String::new(),
            bound_reason: String::new(),
        };
        Row {
            scenario: "swing".to_string(),
            engine: engine.to_string(),
            full_spec: engine.to_string(),
            step_s: 1e-3,
            seed: 0,
            overrides: Vec::new(),
            verdict,
            reason: String::new(),
            expected: None,
            expected_checks: Vec::new(),
            checks: error.map(check).into_iter().collect(),
            digest: None,
            key: Digest::of(b""),
            cpu_s: 0.5,
            simulated_s: 10.0,
            steps: 10_000,
            warnings: Vec::new(),
            stopped: None,
        }
    }

    /// A finished study with these rows.
    pub(crate) fn result(rows: Vec<Row>) -> StudyResult {
        StudyResult {
            schema: crate::results::SCHEMA,
            study: "s".to_string(),
            veracity_version: String::new(),
            rows,
            audit: Vec::new(),
            comparisons: Vec::new(),
            complete: true,
            guests: Vec::new(),
            absent: Vec::new(),
            axes: Vec::new(),
            boundaries: Vec::new(),
        }
    }

    #[test]
    fn task_conditions_alone_rank_by_verdict() {
        let asked = |engine: &str, verdict| {
            let mut row = row(engine, verdict, Some((0.0, 0.0)));
            // As a task condition that must not come true: no finite bound.
            row.checks[0].judgement.bound = f64::INFINITY;
            row
        };
        use TrialVerdict::{Accepted, NotExpressible, Rejected};
        let rows =
            vec![asked("a", Rejected), asked("b", Accepted), row("c", NotExpressible, None), asked("d", Accepted)];
        assert_eq!(shown(rows), "1b 1d 3a -c");
        let unjudged = result(vec![row("a", TrialVerdict::CannotTell, None)]);
        let board = &leaderboards(&unjudged)[0];
        assert!(!board.is_judged(&unjudged.rows) && board.places[0].rank.is_none(), "{board:?}");
    }

    fn shown(rows: Vec<Row>) -> String {
        let result = result(rows);
        let [board] = &leaderboards(&result)[..] else { panic!("one scenario has one board") };
        let one =
            |p: &Place| format!("{}{}", p.rank.map_or("-".to_string(), |r| r.to_string()), result.rows[p.row].engine);
        board.places.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_verdict_comes_before_the_error_and_the_error_before_the_study_s_order() {
        use TrialVerdict::*;
        let rows = vec![
            row("a", NotExpressible, None),
            row("b", Rejected, Some((1e-6, 0.0))),
            row("c", Accepted, Some((9e-4, 0.0))),
            row("d", CannotTell, Some((1e-9, 0.0))),
            row("e", Accepted, Some((-1e-5, 0.0))),
            row("f", Failed, None),
            row("g", TooSlow, Some((1e-9, 0.0))),
        ];
        assert_eq!(shown(rows), "1e 2c 3d 4b -g -f -a");
    }

    #[test]
    fn errors_that_cannot_be_told_apart_share_a_place_and_the_next_one_is_counted_on() {
        use TrialVerdict::*;
        let rows = vec![
            row("a", Accepted, Some((3e-12, 2e-12))),
            row("b", Accepted, Some((1e-12, 2e-12))),
            row("c", Accepted, Some((8e-12, 2e-12))),
            row("d", Rejected, Some((8e-12, 2e-12))),
        ];
        // c is within the uncertainty of a but not of b, the first of the place: sharing does not propagate along a
        // chain.
        assert_eq!(shown(rows), "1a 1b 3c 4d");
    }

    #[test]
    fn a_motion_that_broke_down_has_no_place_whatever_its_numbers_say() {
        let mut broken = row("a", TrialVerdict::Rejected, Some((1e-9, 0.0)));
        broken.reason = format!("{} at 0.1 s: overflow", crate::judging::BROKE_DOWN);
        let lost = row("c", TrialVerdict::Rejected, Some((f64::INFINITY, 0.0)));
        assert_eq!(shown(vec![broken, row("b", TrialVerdict::Rejected, Some((1.0, 0.0))), lost]), "1b -a -c");
    }

    #[test]
    fn of_several_checks_of_the_main_metric_the_one_nearest_to_its_bound_counts() {
        let mut two = row("a", TrialVerdict::Accepted, Some((1e-6, 0.0)));
        let mut second = two.checks[0].clone();
        (second.name, second.judgement) = ("end".to_string(), judge(Ok(Measured::new(1e-5, 0.0)), 1.0, "rad"));
        let mut other = second.clone();
        (other.metric, other.judgement) = ("energy".to_string(), judge(Ok(Measured::new(0.9, 0.0)), 1.0, "rad"));
        // The same metric against another reference, such as printed values, is a different question.
        let mut printed = second.clone();
        (printed.against, printed.judgement) =
            ("a table".to_string(), judge(Ok(Measured::new(0.9, 0.0)), 1.0, "rad"));
        two.checks.extend([second, other, printed]);
        let study = result(vec![two]);
        let board = &leaderboards(&study)[0];
        assert_eq!(board.metric.as_deref(), Some("joint_error"));
        // A thousandth of its bound; the larger number is a hundred-thousandth of its own bound.
        assert_eq!(board.places[0].error.map(|e| (e.check, e.value)), Some((0, 1e-6)));
    }

    #[test]
    fn least_cpu_time_counts_only_what_is_within_the_bounds() {
        let costing = |engine: &str, verdict, cpu_s: f64| Row { cpu_s, ..row(engine, verdict, Some((1e-6, 0.0))) };
        let study = result(vec![
            costing("fast", TrialVerdict::Rejected, 0.01),
            costing("undecided", TrialVerdict::CannotTell, 0.02),
            costing("best", TrialVerdict::Accepted, 5.0),
            costing("cheap", TrialVerdict::Accepted, 0.4),
        ]);
        let board = &leaderboards(&study)[0];
        // 0.4 s for the 10 s that were simulated.
        assert_eq!(
            board.cheapest(&study.rows).map(|(r, s)| (study.rows[r].engine.as_str(), s)),
            Some(("cheap", 0.04))
        );
        let none = result(vec![costing("fast", TrialVerdict::Rejected, 0.01)]);
        assert_eq!(leaderboards(&none)[0].cheapest(&none.rows), None);
    }

    #[test]
    fn variations_and_other_seeds_are_left_out() {
        let mut varied = row("a", TrialVerdict::Accepted, Some((0.0, 0.0)));
        varied.overrides = vec![("world/gravity/z".to_string(), -1.6)];
        let mut again = row("b", TrialVerdict::Accepted, Some((0.0, 0.0)));
        again.seed = 7;
        let written = row("c", TrialVerdict::Accepted, Some((1e-6, 0.0)));
        assert_eq!(shown(vec![written, varied.clone(), again]), "1c");
        // The same change in every row is a ranking of the changed scenario; two different changes have no common ranking.
        let other = Row { engine: "d".to_string(), ..varied.clone() };
        assert_eq!(shown(vec![varied.clone(), other.clone()]), "1a 1d");
        let moon = Row { overrides: vec![("world/gravity/z".to_string(), -3.7)], ..other };
        assert!(leaderboards(&result(vec![varied, moon])).is_empty());
    }

    #[test]
    fn a_guest_without_an_expectation_decides_nothing() {
        let mut study = result(vec![row("ode", TrialVerdict::Rejected, Some((1.0, 0.0)))]);
        assert!(crate::Conclusion::new(&study, None).exit_code() != 0);
        study.guests = vec!["ode".to_string()];
        assert!(crate::Conclusion::new(&study, None).exit_code() == 0);
        study.rows[0].expected = Some(crate::Expected { verdict: TrialVerdict::Accepted, why: String::new() });
        assert!(crate::Conclusion::new(&study, None).exit_code() != 0);
    }
}
