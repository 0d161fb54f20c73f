//! Ranking of engine specs by scenario: a table with every spec, or a line with the first three.

use crate::output::Output;
use crate::paint::Paint;
use std::io::{self, Write};
use veracity_lab::answer::{as_written, span, three_digits, two_digits};
use veracity_lab::{Leaderboard, Place, Row, StudyResult, TrialVerdict, leaderboards};
use veracity_measure::Verdict;

/// Number of specs that a line names.
const NAMED: usize = 3;

/// Tables if there is one scenario or all are requested, else one line for each scenario.
pub fn print(out: &mut Output, result: &StudyResult, all: bool) -> io::Result<()> {
    let boards = leaderboards(result);
    // Nothing to rank: one engine, or none that could be measured.
    let worth = |b: &&Leaderboard| b.is_judged(&result.rows) && b.places.len() > 1;
    let boards: Vec<&Leaderboard> = boards.iter().filter(worth).collect();
    if all || boards.len() == 1 {
        return boards.iter().try_for_each(|board| table(out, board, &result.rows));
    }
    if boards.is_empty() {
        return Ok(());
    }
    let head = out.paint().strong("first by verdict, then by error, with the CPU time of a simulated second");
    writeln!(out, "\n  {head} (every place: --leaderboard)\n")?;
    let width = boards.iter().map(|b| b.scenario.chars().count()).max().unwrap_or(0);
    for board in boards {
        let paint = out.paint();
        let first = board.places.iter().filter(|p| p.rank.is_some()).take(NAMED);
        let named: Vec<String> = first.map(|p| named(paint, p, &result.rows[p.row])).collect();
        writeln!(out, "  {:width$}  {}", board.scenario, named.join("  "))?;
    }
    Ok(())
}

fn named(paint: Paint, place: &Place, row: &Row) -> String {
    let error = place.error.map_or(String::new(), |e| two_digits(e.value));
    let cost = row.cpu_per_simulated_s().map_or(String::new(), |s| format!(", {}", span(s)));
    let rank = place.rank.map_or(String::new(), |r| format!("{r}. "));
    let name = match row.verdict {
        TrialVerdict::Accepted => row.engine.clone(),
        other => format!("{} {other}", row.engine),
    };
    format!("{rank}{name} {}", paint.quiet(format!("({error}{cost})")))
}

/// Ranking of every spec of one scenario.
fn table(out: &mut Output, board: &Leaderboard, rows: &[Row]) -> io::Result<()> {
    let paint = out.paint();
    let unit = if board.unit.is_empty() { String::new() } else { format!(" {}", board.unit) };
    let metric = board.metric.as_deref().unwrap_or("by verdict").replace('_', " ");
    let mut bounds: Vec<f64> = board.places.iter().filter_map(|p| p.error.map(|e| e.bound)).collect();
    bounds.dedup();
    // Checks of one metric may have different bounds; the column `of bound` shows each.
    let bound = if let [one] = bounds[..] { format!(", at most {}{unit}", as_written(one)) } else { String::new() };
    let with = match board.overrides.is_empty() {
        true => String::new(),
        false => format!(" with {}", veracity_lab::variation_text(&[], &board.overrides)),
    };
    writeln!(out, "\n  {}: {metric}{bound}", paint.strong(format!("{}{with}", board.scenario)))?;
    let width = board.places.iter().map(|p| rows[p.row].engine.chars().count()).max().unwrap_or(0).max(6);
    let titles = ["error", "of bound", "CPU per s", "steps/s"];
    let [error, share, cost, speed] = titles.map(|t| format!("{t:>10}"));
    writeln!(out, "       {:width$}  {:>8}  {:15}  {error}  {share}  {cost}  {speed}", "engine", "step", "verdict")?;
    for place in &board.places {
        let row = &rows[place.row];
        let or_dash = |text: Option<String>| format!("{:>10}", text.unwrap_or_else(|| "-".to_string()));
        let rank = place.rank.map_or("-".to_string(), |r| r.to_string());
        let cells = [
            or_dash(place.error.map(|e| if e.value == 0.0 { "0".to_string() } else { format!("{:.2e}", e.value) })),
            or_dash(place.error.map(|e| share_of(e.value, e.bound))),
            or_dash(row.cpu_per_simulated_s().map(span)),
            or_dash(row.steps_per_cpu_s().map(|n| format!("{n:.0}"))),
        ];
        let verdict = coloured(paint, row, format!("{:15}", verdict(row)));
        let line = format!("{:width$}  {:>8}  {verdict}  {}", row.engine, span(row.step_s), cells.join("  "));
        let broken = row.checks.iter().find(|c| c.judgement.verdict == Verdict::Rejected);
        let broken = broken.map_or(String::new(), |c| format!("  {}", paint.quiet(format!("fails '{}'", c.name))));
        writeln!(out, "  {rank:>3}  {line}{broken}")?;
    }
    if let Some((row, cost)) = board.cheapest(rows) {
        let at = format!("{} at {}", rows[row].engine, span(rows[row].step_s));
        writeln!(out, "       least CPU time within the bounds: {at}, {} per simulated second", span(cost))?;
    }
    Ok(())
}

/// The error as a fraction of the bound: `0.2 %`, `38 %`, `x12`.
pub fn share_of(error: f64, bound: f64) -> String {
    match error / bound {
        share if !share.is_finite() => "-".to_string(),
        share if share < 1e-4 => "< 0.01 %".to_string(),
        share if share < 0.1 => format!("{:.2} %", 100.0 * share),
        share if share <= 1.0 => format!("{:.0} %", 100.0 * share),
        share if share < 1e4 => format!("x{}", three_digits(share)),
        share => format!("x{share:.0e}"),
    }
}

fn verdict(row: &Row) -> String {
    let mark = if row.as_expected() == Some(false) { "!" } else { "" };
    format!("{}{mark}", row.verdict)
}

fn coloured(paint: Paint, row: &Row, text: String) -> String {
    match (row.as_expected(), row.verdict) {
        (Some(false), _) => paint.bad(text),
        (_, TrialVerdict::Accepted) => paint.good(text),
        (_, TrialVerdict::NotExpressible) | (Some(true), _) => paint.quiet(text),
        (_, TrialVerdict::Rejected | TrialVerdict::Failed) => paint.bad(text),
        _ => paint.doubtful(text),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn shares_of_the_bound_are_readable() {
        let shares = [1e-9, 2e-3, 0.38, 1.0, 12.345, 3e7].map(|error| super::share_of(error, 1.0));
        assert_eq!(shares, ["< 0.01 %", "0.20 %", "38 %", "100 %", "x12.3", "x3e7"]);
        assert_eq!(super::share_of(1.0, 0.0), "-");
    }
}
