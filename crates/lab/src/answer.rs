//! The answer to "which engine for this task": what a study's rows say about each scenario, in a few sentences.
//!
//! Only accepted rows are recommended. Among them the cheapest (least CPU time at the precision the scenario's bounds ask for)
//! and the most accurate are named; every rejected row is named with the check that rejected it. Cost is measured on this
//! machine and decides no verdict.

use crate::leaderboard::{Leaderboard, leaderboards};
use crate::results::{Row, RowVerdict, StudyResult};

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

/// One answer for each scenario with checks, in the study's order. Rows with changed numbers, or with a seed other than
/// the first, are left out, as in [`leaderboards`].
pub fn answers(result: &StudyResult) -> Vec<Answer> {
    let boards = leaderboards(result);
    boards.iter().filter(|board| board.metric.is_some()).map(|board| answer(board, &result.rows)).collect()
}

fn answer(board: &Leaderboard, rows: &[Row]) -> Answer {
    let with = |verdict: RowVerdict| board.places.iter().filter(move |p| rows[p.row].verdict == verdict);
    let mut most_accurate = with(RowVerdict::Accepted).next().map(|p| p.row);
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
            let tried = board.places.iter().any(|p| rows[p.row].verdict != RowVerdict::NotExpressible);
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
    let failed = |row: &Row| matches!(row.verdict, RowVerdict::Rejected | RowVerdict::TooSlow | RowVerdict::Failed);
    let failing: Vec<&Row> = board.places.iter().map(|p| &rows[p.row]).filter(|row| failed(row)).collect();
    for row in failing.iter().take(NAMED) {
        let word = if row.verdict == RowVerdict::Rejected { "fails" } else { row.verdict.text() };
        lines.push(format!("{} {word}: {}", named(row), row.reason));
    }
    if failing.len() > NAMED {
        lines.push(format!("{} more fail", failing.len() - NAMED));
    }
    for place in with(RowVerdict::CannotTell).take(1) {
        let (row, count) = (&rows[place.row], with(RowVerdict::CannotTell).count());
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
        format!("{check} {:.1e}{unit} (bound {:e}{unit})", e.value, e.bound)
    });
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
    use RowVerdict::*;

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
        slips.reason = "slip: 9.000e-3 ± 0.0e0 rad at 1.2 s is beyond 1.000e-3 rad".to_string();
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
        assert_eq!(lines[2], "rapier at 1 ms fails: slip: 9.000e-3 ± 0.0e0 rad at 1.2 s is beyond 1.000e-3 rad");
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
    fn spans_need_no_power_of_ten() {
        assert_eq!([1e-3, 0.2, 4.234e-4, 0.0151, 5e-6].map(span), ["1 ms", "0.2 s", "0.42 ms", "15.1 ms", "5 us"]);
    }
}
