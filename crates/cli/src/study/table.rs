//! The table of verdicts: scenarios down, engines across.

use crate::output::Output;
use crate::paint::Paint;
use std::io::{self, Write};
use veracity_lab::{Conclusion, Row, RowVerdict, StudyResult};

/// Prints it, then every verdict that needs a sentence.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    let columns = unique(result.rows.iter().map(|r| r.engine.clone()));
    let lines = unique(result.rows.iter().map(|r| line_of(result, r)));
    print_audit(out, result)?;
    let numbers: Vec<String> = (1..=columns.len()).map(|n| format!("[{n}]")).collect();
    for (number, name) in numbers.iter().zip(&columns) {
        writeln!(out, "  {} {name}", paint.strong(format!("{number:>4}")))?;
    }
    let width = lines.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    for (numbers, columns) in numbers.chunks(COLUMNS_AT_ONCE).zip(columns.chunks(COLUMNS_AT_ONCE)) {
        let heads: Vec<String> = numbers.iter().map(|n| format!("{n:^11}")).collect();
        writeln!(out, "\n  {:width$} {}", "", heads.join(" ").trim_end())?;
        for line in &lines {
            let here = |r: &&Row, engine: &String| r.engine == *engine && line_of(result, r) == *line;
            let of = |engine: &String| result.rows.iter().filter(|r| here(r, engine)).collect::<Vec<_>>();
            let rows: Vec<Vec<&Row>> = columns.iter().map(of).collect();
            // A line that nobody of these columns ran says nothing here.
            if rows.iter().any(|r| !r.is_empty()) {
                let cells: Vec<String> = rows.iter().map(|rows| cell(paint, result, rows)).collect();
                writeln!(out, "  {line:width$} {}", cells.join(" ").trim_end())?;
            }
        }
    }
    print_sentences(out, result)?;
    // In a suite of many scenarios these are in the report and --json.
    let one_scenario = result.rows.iter().all(|r| r.scenario == result.rows[0].scenario);
    if one_scenario { print_comparisons(out, result) } else { Ok(()) }
}

fn print_comparisons(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    if !result.comparisons.is_empty() {
        writeln!(out)?;
    }
    for c in &result.comparisons {
        let engines = c.engines.join(" and ");
        let found = match (c.comparison.as_str(), c.value) {
            (_, v) if v.is_nan() => format!("{engines}: cannot tell: {}", c.note),
            ("split_point", v) if v.is_finite() => {
                format!("{engines} part by a millimetre at {v:.3} s (± {:.0e} s)", c.uncertainty)
            }
            ("split_point", _) => format!("{engines} never part by a millimetre"),
            (_, v) => format!("{engines}: errors fall with order {v:.2} ± {:.2} of the step", c.uncertainty),
        };
        writeln!(out, "  {found}")?;
    }
    Ok(())
}

/// A line of the table: the scenario, and the step where it is not the one most of its trials have.
fn line_of(result: &StudyResult, row: &Row) -> String {
    let of_scenario = || result.rows.iter().filter(|r| r.scenario == row.scenario);
    let count = |step: f64| of_scenario().filter(|r| r.step_s == step).count();
    // Among equals the first.
    let usual = of_scenario().rev().max_by_key(|r| count(r.step_s)).map_or(row.step_s, |r| r.step_s);
    if row.step_s == usual { row.scenario.clone() } else { at_step(row) }
}

fn at_step(row: &Row) -> String {
    format!("{} at {} s", row.scenario, row.step_s)
}

/// Several trials of a cell (variations, seeds) are counted; one is shown by its verdict.
fn cell(paint: Paint, result: &StudyResult, rows: &[&Row]) -> String {
    let Some(worst) = rows.iter().max_by_key(|r| (r.as_expected() == Some(false), rank(r.verdict))) else {
        return format!("{:^11}", "");
    };
    let word = match worst.verdict {
        RowVerdict::NotExpressible => "n/e",
        other => other.text(),
    };
    let same = rows.iter().filter(|r| r.verdict == worst.verdict).count();
    let count = if rows.len() > 1 { format!(" {same}/{}", rows.len()) } else { String::new() };
    let mark = match worst.as_expected() {
        Some(false) => "!",
        _ => "",
    };
    let text = format!("{:^11}", format!("{word}{count}{mark}"));
    match (worst.as_expected(), worst.verdict) {
        (Some(false), _) => paint.bad(text),
        (_, RowVerdict::Accepted) => paint.good(text),
        // A planned rejection is what the table is for.
        (Some(true), RowVerdict::Rejected) => paint.quiet(text),
        (_, RowVerdict::NotExpressible) => paint.quiet(text),
        // Of a guest nothing is asked unless something is expected: no failure, and no success.
        (None, RowVerdict::Rejected | RowVerdict::Failed) if !result.is_guest(worst) => paint.bad(text),
        _ => paint.doubtful(text),
    }
}

fn rank(verdict: RowVerdict) -> u8 {
    match verdict {
        RowVerdict::Accepted => 0,
        RowVerdict::NotExpressible => 1,
        RowVerdict::CannotTell => 2,
        RowVerdict::TooSlow => 3,
        RowVerdict::Rejected => 4,
        RowVerdict::Failed => 5,
    }
}

fn print_audit(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    if result.audit.is_empty() {
        return Ok(());
    }
    let head = out.paint().doubtful("before any ranking, the experiment itself:");
    writeln!(out, "  {head}")?;
    // One line for each scenario and kind of finding: a robot with ten odd links has one problem, not ten.
    let code = |text: &str| {
        text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(code, _)| code.to_string())
    };
    let kinds = unique(result.audit.iter().map(|(scenario, text)| format!("{scenario} {:?}", code(text))));
    for kind in kinds {
        let of_kind: Vec<_> =
            result.audit.iter().filter(|(scenario, text)| format!("{scenario} {:?}", code(text)) == kind).collect();
        if let [(scenario, first), others @ ..] = &of_kind[..] {
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more of the kind)", others.len()) };
            writeln!(out, "    {scenario}: {first}{more}")?;
        }
    }
    writeln!(out)
}

/// Everything that is not accepted, scenario by scenario; engines with the same sentence share it.
fn print_sentences(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    let wanted = |r: &&Row| r.verdict != RowVerdict::Accepted || r.as_expected() == Some(false);
    let mut groups: Vec<(&Row, Vec<&str>)> = Vec::new();
    for row in result.rows.iter().filter(wanted) {
        let alike = |g: &&mut (&Row, Vec<&str>)| {
            (&g.0.scenario, &g.0.reason, g.0.step_s) == (&row.scenario, &row.reason, row.step_s)
                && (g.0.verdict, g.0.as_expected()) == (row.verdict, row.as_expected())
        };
        match groups.iter_mut().find(alike) {
            Some((_, engines)) => engines.push(&row.engine),
            None => groups.push((row, vec![&row.engine])),
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    // A large study has its sentences in the report.
    for (row, engines) in groups.iter().take(SENTENCES) {
        let expected = match row.as_expected() {
            Some(true) => paint.quiet(", as expected"),
            Some(false) => paint.bad(format!(", expected {}", row.unmet().join("; "))),
            None if result.is_guest(row) => paint.quiet(", no expectation"),
            None => String::new(),
        };
        let head = format!("{} at {} s on {}", row.scenario, row.step_s, engines.join(", "));
        writeln!(out, "\n  {head}: {}{expected}", paint.strong(row.verdict.text()))?;
        writeln!(out, "    {}", paint.quiet(shortened(&row.reason)))?;
    }
    if groups.len() > SENTENCES {
        writeln!(out, "\n  … and {} more: see the report or --json", groups.len() - SENTENCES)?;
    }
    Ok(())
}

/// Columns side by side: more do not fit a wide terminal, and the table goes on below.
const COLUMNS_AT_ONCE: usize = 12;

/// How many sentences a terminal takes.
const SENTENCES: usize = 60;

/// A list of many parts is told by its first; the report and --json have all.
pub fn shortened(reason: &str) -> String {
    let parts: Vec<&str> = reason.split("not expressible in this engine; ").collect();
    match parts.len() {
        0..=2 => reason.to_string(),
        n => {
            let first = reason.find("; '").or_else(|| reason.find("; the ")).map_or(reason, |at| &reason[..at]);
            format!("{first}; and {} more of the kind", n - 2)
        }
    }
}

/// In the order of their first appearance.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// The last line.
pub fn summary(result: &StudyResult) -> String {
    Conclusion::new(result, None).summary
}
