//! The answer to "which engine for this task": what a study's rows say about each scenario, in a few sentences.
//!
//! Only accepted rows are recommended. Among them the cheapest (least CPU time at the precision the scenario's bounds ask for)
//! and the most accurate are named; every rejected row is named with the check that rejected it. Cost is measured on this
//! machine and decides no verdict.

use crate::axes::variation_text;
use crate::leaderboard::{Leaderboard, leaderboards};
use crate::range_board::{RangeBoard, RangePlace, range_boards};
use crate::results::{Row, StudyResult};
use std::collections::{BTreeMap, BTreeSet};
use veracity_measure::TrialVerdict;

/// Rejected rows named individually; the rest are counted.
const NAMED: usize = 4;

/// Costs closer than this count as equal: CPU times of short trials repeat to about a tenth.
const SAME_COST: f64 = 1.2;

/// What the rows of one scenario say about the engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The scenario.
    pub scenario: String,
    /// The accepted row with the least CPU time per simulated second; index into the study's rows.
    pub cheapest: Option<usize>,
    /// The accepted row with the smallest fraction of its bound; index into the study's rows.
    pub most_accurate: Option<usize>,
    /// Sentences, the recommendation first.
    pub lines: Vec<String>,
}

/// One answer for each scenario with checks, in the study's order: of the scenario as in [`leaderboards`] or, where
/// numbers vary, over the whole range.
pub fn answers(result: &StudyResult) -> Vec<Answer> {
    let boards = leaderboards(result);
    let judged = boards.iter().filter(|board| board.is_judged(&result.rows));
    let as_written = judged.map(|board| answer(board, &result.rows));
    let mut out: Vec<Answer> = as_written.collect();
    let ranges = range_boards(result);
    if ranges.is_empty() {
        return out;
    }
    let answered: BTreeSet<String> = out.iter().map(|answer| answer.scenario.clone()).collect();
    let open = ranges.iter().filter(|board| !answered.contains(&board.scenario));
    out.extend(open.map(|board| range_answer(board, result)));
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, row) in result.rows.iter().enumerate() {
        first.entry(&row.scenario).or_insert(index);
    }
    out.sort_by_key(|answer| first.get(answer.scenario.as_str()).copied());
    out
}

/// The answer over all variations.
fn range_answer(board: &RangeBoard, result: &StudyResult) -> Answer {
    let ranges: Vec<String> = result.axes.iter().map(|axis| axis.range()).collect();
    let over = if ranges.is_empty() { String::new() } else { format!(" over {}", ranges.join(", ")) };
    let spec = |place: &RangePlace| format!("{} at {}", place.engine, span(place.step_s));
    let at = |row: usize| variation_text(&result.axes, &result.rows[row].overrides);
    let whole = |place: &RangePlace| place.accepted() == place.trials;
    let numbers = |place: &RangePlace| {
        let worst = place.worst.map(|(row, error)| {
            let check = result.rows[row].checks.get(error.check);
            let (name, unit) = check.map_or(("", ""), |c| (c.name.as_str(), c.unit.as_str()));
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            let (value, bound) = (two_digits(error.value), as_written(error.bound));
            format!("; worst {name} {value}{unit} (bound {bound}{unit}) at {}", at(row))
        });
        let cost = place.cpu_per_simulated_s.map(|s| format!("; {} of CPU time per simulated second", span(s)));
        worst.unwrap_or_default() + &cost.unwrap_or_default()
    };
    let mut lines = Vec::new();
    if let Some(first) = board.places.first() {
        lines.push(if whole(first) {
            format!("{}: accepted in all {} trials{over}{}", spec(first), first.trials, numbers(first))
        } else if first.accepted() > 0 {
            let part = format!("{} of {}", first.accepted(), first.trials);
            format!("no engine is accepted{over} throughout; {} in most, {part}{}", spec(first), numbers(first))
        } else {
            format!("no engine is accepted anywhere{over}")
        });
        let cost = |place: &RangePlace| place.cpu_per_simulated_s.unwrap_or(f64::INFINITY);
        let cheaper = board.places.iter().filter(|p| whole(p) && cost(p) * SAME_COST < cost(first));
        if let Some(cheap) = cheaper.min_by(|a, b| cost(a).total_cmp(&cost(b))).filter(|_| whole(first)) {
            let part = fraction(cost(cheap) / cost(first));
            lines.push(format!("or {}, {part} of the cost: accepted in all{}", spec(cheap), numbers(cheap)));
        }
    }
    let failing: Vec<&RangePlace> = board.places.iter().filter(|place| !whole(place)).collect();
    for place in failing.iter().take(NAMED) {
        let Some(row) = place.failed else { continue };
        let (share, verdict) = (format!("{} of {}", place.accepted(), place.trials), result.rows[row].verdict);
        let reason = crate::results::shortened(&result.rows[row].reason);
        lines.push(format!("{} accepted in {share}; {verdict} at {}: {reason}", spec(place), at(row)));
    }
    if failing.len() > NAMED {
        lines.push(format!("{} more are not accepted throughout", failing.len() - NAMED));
    }
    Answer { scenario: board.scenario.clone(), cheapest: None, most_accurate: None, lines }
}

fn answer(board: &Leaderboard, rows: &[Row]) -> Answer {
    let with = |verdict: TrialVerdict| board.places.iter().filter(move |p| rows[p.row].verdict == verdict);
    let mut most_accurate = with(TrialVerdict::Accepted).next().map(|p| p.row);
    let cost = |row: usize| rows[row].cpu_per_simulated_s();
    let cheapest = board.cheapest(rows).map(|(row, _)| row);
    // Rows that share the first place are equally accurate: name the cheapest of them.
    if let (Some(cheap), Some(first)) = (cheapest, most_accurate) {
        let rank = |row: usize| board.places.iter().find(|p| p.row == row).and_then(|p| p.rank);
        if rank(cheap) == rank(first) {
            most_accurate = Some(cheap);
        }
    }
    let mut lines = Vec::new();
    match (most_accurate, cheapest) {
        (None, _) => {
            let tried = board.places.iter().any(|p| rows[p.row].verdict != TrialVerdict::NotExpressible);
            lines.push(if tried { "no engine is accepted" } else { "no engine can express it" }.to_string());
        }
        (Some(first), Some(cheap)) if first != cheap => {
            lines.push(format!("{}, the most accurate: {}", named(&rows[first]), numbers(board, rows, first)));
            if let (Some(ours), Some(theirs)) = (cost(first), cost(cheap))
                && ours > theirs * SAME_COST
            {
                let numbers = numbers(board, rows, cheap);
                lines.push(format!("or {}, {} of the cost: {numbers}", named(&rows[cheap]), fraction(theirs / ours)));
            }
        }
        (Some(only), _) => lines.push(format!("{}: {}", named(&rows[only]), numbers(board, rows, only))),
    }
    let failed =
        |row: &Row| matches!(row.verdict, TrialVerdict::Rejected | TrialVerdict::TooSlow | TrialVerdict::Failed);
    let failing: Vec<&Row> = board.places.iter().map(|p| &rows[p.row]).filter(|row| failed(row)).collect();
    for row in failing.iter().take(NAMED) {
        let word = if row.verdict == TrialVerdict::Rejected { "fails" } else { row.verdict.text() };
        lines.push(format!("{} {word}: {}", named(row), row.reason));
    }
    if failing.len() > NAMED {
        lines.push(format!("{} more fail", failing.len() - NAMED));
    }
    let unable: Vec<&str> = with(TrialVerdict::NotExpressible).map(|p| rows[p.row].engine.as_str()).collect();
    if !unable.is_empty() && unable.len() < board.places.len() {
        let more = if unable.len() > NAMED { format!(" and {} more", unable.len() - NAMED) } else { String::new() };
        let named = unable[..unable.len().min(NAMED)].join(", ");
        lines.push(format!("{named}{more} cannot express it"));
    }
    for place in with(TrialVerdict::CannotTell).take(1) {
        let (row, count) = (&rows[place.row], with(TrialVerdict::CannotTell).count());
        let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        lines.push(format!("{}{more} cannot tell: {}", named(row), row.reason));
    }
    Answer { scenario: board.scenario.clone(), cheapest, most_accurate, lines }
}

fn named(row: &Row) -> String {
    format!("{} at {}", row.engine, span(row.step_s))
}

/// `angle error 3.1e-12 rad of 1e-3 allowed, 0.42 ms of CPU time per simulated second`.
fn numbers(board: &Leaderboard, rows: &[Row], row: usize) -> String {
    let unit = if board.unit.is_empty() { String::new() } else { format!(" {}", board.unit) };
    let error = board.places.iter().find(|p| p.row == row).and_then(|p| p.error);
    let error = error.map(|e| {
        let check = rows[row].checks.get(e.check).map_or("", |c| c.name.as_str());
        format!("{check} {}{unit} (bound {}{unit})", two_digits(e.value), as_written(e.bound))
    });
    // Task conditions have no number: the names of the checks are the result.
    let passed = || rows[row].checks.iter().map(|c| format!("'{}'", c.name)).collect::<Vec<_>>().join(", ");
    let error = error.or_else(|| board.metric.is_none().then(|| format!("passes {}", passed())));
    let cost = rows[row].cpu_per_simulated_s().map(|s| format!("{} of CPU time per simulated second", span(s)));
    error.into_iter().chain(cost).collect::<Vec<_>>().join(", ")
}

/// `half`, `a third`, else a percentage.
fn fraction(part: f64) -> String {
    match part {
        p if (0.45..0.55).contains(&p) => "half".to_string(),
        p if (0.30..0.37).contains(&p) => "a third".to_string(),
        p if (0.23..0.27).contains(&p) => "a quarter".to_string(),
        p if p >= 0.1 => format!("{:.0} %", 100.0 * p),
        p => format!("{:.1} %", 100.0 * p),
    }
}

/// A duration in the unit that needs no power of ten: `1 ms`, `0.2 s`, `5 us`.
pub fn span(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        s if s >= 0.1 => (1.0, "s"),
        s if s >= 1e-4 => (1e3, "ms"),
        s if s >= 1e-7 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", three_digits(seconds * factor))
}

/// `6.5e-14`; zero is `0`.
pub fn two_digits(value: f64) -> String {
    if value == 0.0 { "0".to_string() } else { format!("{value:.1e}") }
}

/// A bound with all its digits; zero is `0`.
pub fn as_written(bound: f64) -> String {
    if bound == 0.0 { "0".to_string() } else { format!("{bound:e}") }
}

/// Three significant digits, without trailing zeros.
pub fn three_digits(value: f64) -> String {
    let places = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaderboard::tests::{result, row};
    use TrialVerdict::*;

    fn lines(rows: Vec<Row>) -> Vec<String> {
        let result = result(rows);
        let [answer] = &answers(&result)[..] else { panic!("one scenario has one answer") };
        answer.lines.clone()
    }

    fn costing(mut row: Row, cpu_s: f64) -> Row {
        row.cpu_s = cpu_s;
        row
    }

    #[test]
    fn the_most_accurate_and_a_cheaper_accepted_row_are_named_and_failures_with_their_check() {
        let mut slips = row("rapier", Rejected, Some((9e-3, 0.0)));
        slips.reason = "slip: 9.000e-3 rad at 1.2 s is beyond 1.000e-3 rad".to_string();
        let rows = vec![
            costing(row("native", Accepted, Some((1e-6, 0.0))), 0.9),
            costing(row("bullet", Accepted, Some((5e-4, 0.0))), 0.3),
            slips,
        ];
        let lines = lines(rows);
        assert_eq!(
            lines[0],
            "native at 1 ms, the most accurate: angle 1.0e-6 rad (bound 1e-3 rad), 90 ms of CPU time per simulated second"
        );
        assert!(lines[1].starts_with("or bullet at 1 ms, a third of the cost: angle 5.0e-4 rad"), "{}", lines[1]);
        assert_eq!(lines[2], "rapier at 1 ms fails: slip: 9.000e-3 rad at 1.2 s is beyond 1.000e-3 rad");
    }

    #[test]
    fn a_task_without_a_number_is_answered_by_the_names_of_its_checks() {
        let asked = |engine: &str, verdict, cpu_s| {
            let mut row = costing(row(engine, verdict, Some((0.0, 0.0))), cpu_s);
            row.checks[0].name = "held".to_string();
            row.checks[0].judgement.bound = f64::INFINITY;
            row.reason = "held: it happened at 0.1 s".to_string();
            row
        };
        let rows = vec![
            asked("native", Accepted, 0.9),
            asked("rapier", Rejected, 0.1),
            asked("bullet", Accepted, 0.3),
            row("ode", NotExpressible, None),
        ];
        assert_eq!(
            lines(rows),
            [
                "bullet at 1 ms: passes 'held', 30 ms of CPU time per simulated second",
                "rapier at 1 ms fails: held: it happened at 0.1 s",
                "ode cannot express it",
            ]
        );
    }

    #[test]
    fn a_rejected_row_is_never_recommended_however_cheap() {
        let rows = vec![
            costing(row("fast", Rejected, Some((1.0, 0.0))), 1e-6),
            costing(row("slow", Accepted, Some((1e-6, 0.0))), 9.0),
        ];
        assert!(lines(rows)[0].starts_with("slow at 1 ms: "));
        assert_eq!(lines(vec![row("a", Rejected, Some((1.0, 0.0)))])[0], "no engine is accepted");
        let undecided = lines(vec![row("a", CannotTell, Some((1e-3, 1e-4)))]);
        assert_eq!((undecided[0].as_str(), undecided[1].contains("cannot tell")), ("no engine is accepted", true));
    }

    #[test]
    fn of_equally_accurate_rows_the_cheapest_is_named_alone() {
        let rows = vec![
            costing(row("a", Accepted, Some((1e-12, 2e-12))), 0.9),
            costing(row("b", Accepted, Some((2e-12, 2e-12))), 0.3),
        ];
        let lines = lines(rows);
        assert!(lines.len() == 1 && lines[0].starts_with("b at 1 ms: "), "{lines:?}");
    }

    #[test]
    fn over_a_range_the_spec_accepted_throughout_is_named_and_the_others_with_where_they_fail() {
        let at = |engine: &str, friction: f64, verdict, error| {
            let mut one = row(engine, verdict, Some((error, 0.0)));
            one.overrides = vec![("world/block/friction".to_string(), friction)];
            one.reason = "angle: beyond".to_string();
            one
        };
        let mut study = result(vec![
            at("rapier", 0.1, Rejected, 2e-3),
            at("rapier", 0.4, Accepted, 1e-6),
            at("native", 0.1, Accepted, 5e-4),
            at("native", 0.4, Accepted, 1e-6),
        ]);
        study.axes = vec![crate::Axis {
            path: "world/block/friction".to_string(),
            also: Vec::new(),
            name: "friction".to_string(),
            unit: String::new(),
            values: vec![0.1, 0.4],
            low: 0.1,
            high: 0.4,
        }];
        let [answer] = &answers(&study)[..] else { panic!("one scenario has one answer") };
        let first = "native at 1 ms: accepted in all 2 trials over friction 0.1 to 0.4; worst angle 5.0e-4 rad";
        assert!(answer.lines[0].starts_with(first), "{}", answer.lines[0]);
        assert_eq!(answer.lines[1], "rapier at 1 ms accepted in 1 of 2; rejected at friction 0.1: angle: beyond");
    }

    #[test]
    fn spans_need_no_power_of_ten() {
        assert_eq!([1e-3, 0.2, 4.234e-4, 0.0151, 5e-6].map(span), ["1 ms", "0.2 s", "0.42 ms", "15.1 ms", "5 us"]);
    }
}
