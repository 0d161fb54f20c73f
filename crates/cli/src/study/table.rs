//! The table of verdicts: scenarios in rows, engines in columns.

use crate::findings::{by_kind, common_folder, line_in, shown_from_here};
use crate::output::Output;
use crate::paint::Paint;
use std::collections::BTreeMap;
use std::io::{self, Write};
use veracity_lab::{Conclusion, Row, StudyResult, TrialVerdict};
use veracity_model::Finding;

/// Prints the table, then every verdict that needs a sentence.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    let Grid { columns, lines, cells } = Grid::new(&result.rows);
    print_audit(out, result)?;
    let numbers: Vec<String> = (1..=columns.len()).map(|n| format!("[{n}]")).collect();
    for (number, name) in numbers.iter().zip(&columns) {
        writeln!(out, "  {} {name}", paint.strong(format!("{number:>4}")))?;
    }
    let width = lines.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    for (part, numbers) in numbers.chunks(COLUMNS_AT_ONCE).enumerate() {
        let first = part * COLUMNS_AT_ONCE;
        let shown = first..first + numbers.len();
        let heads: Vec<String> = numbers.iter().map(|n| format!("{n:^11}")).collect();
        writeln!(out, "\n  {:width$} {}", "", heads.join(" ").trim_end())?;
        for (at, line) in lines.iter().enumerate() {
            // A line without trials in these columns is not printed here.
            if cells.range((at, shown.start)..(at, shown.end)).next().is_none() {
                continue;
            }
            let rows_of = |column: usize| cells.get(&(at, column)).map_or(&[][..], Vec::as_slice);
            let cells: Vec<String> = shown.clone().map(|column| cell(paint, result, rows_of(column))).collect();
            writeln!(out, "  {line:width$} {}", cells.join(" ").trim_end())?;
        }
    }
    print_sentences(out, result)?;
    // For a suite of many scenarios these are in the report and --json.
    let one_scenario = result.rows.iter().all(|r| r.scenario == result.rows[0].scenario);
    if one_scenario {
        print_comparisons(out, result)?;
    }
    super::self_consistency::print(out, result)
}

fn print_comparisons(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    if !result.comparisons.is_empty() {
        writeln!(out)?;
    }
    // Comparisons of a spec with itself have their own table.
    for c in result.comparisons.iter().filter(|c| c.comparison != super::self_consistency::NAME) {
        let engines = c.engines.join(" and ");
        let found = match (c.comparison.as_str(), c.value) {
            (_, v) if v.is_nan() => format!("{engines}: cannot tell: {}", c.note),
            ("split_point", v) if v.is_finite() => {
                format!("{engines} diverge by a millimetre at {v:.3} s (± {:.0e} s)", c.uncertainty)
            }
            ("split_point", _) => format!("{engines} do not diverge by a millimetre"),
            (_, v) => format!("{engines}: errors fall with order {v:.2} ± {:.2} of the step", c.uncertainty),
        };
        writeln!(out, "  {found}")?;
    }
    Ok(())
}

/// The trials sorted into cells, in one pass over the rows: a study of 20,000 trials is printed in the time it takes to
/// write it.
struct Grid<'a> {
    /// Engines, in the order of their first row.
    columns: Vec<&'a str>,
    /// Scenarios, and steps other than a scenario's usual one, in the order of their first row.
    lines: Vec<String>,
    /// The trials of each cell by (line, column), in the study's order; empty cells are absent.
    cells: BTreeMap<(usize, usize), Vec<&'a Row>>,
}

impl<'a> Grid<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let usual = usual_steps(rows);
        let (mut columns, mut lines) = (Vec::new(), Vec::new());
        let mut column_of: BTreeMap<&str, usize> = BTreeMap::new();
        // The bits of the step if it is not the usual one: equal steps have equal bits, because they are read from one
        // file.
        let mut line_of: BTreeMap<(&str, Option<u64>), usize> = BTreeMap::new();
        let mut cells: BTreeMap<(usize, usize), Vec<&Row>> = BTreeMap::new();
        for row in rows {
            let column = *column_of.entry(&row.engine).or_insert_with(|| {
                columns.push(row.engine.as_str());
                columns.len() - 1
            });
            let other = (usual.get(row.scenario.as_str()) != Some(&row.step_s)).then(|| row.step_s.to_bits());
            let line = *line_of.entry((row.scenario.as_str(), other)).or_insert_with(|| {
                lines.push(match other {
                    Some(_) => format!("{} at {} s", row.scenario, row.step_s),
                    None => row.scenario.clone(),
                });
                lines.len() - 1
            });
            cells.entry((line, column)).or_default().push(row);
        }
        Self { columns, lines, cells }
    }
}

/// For each scenario the step of most of its trials; the first of equals.
fn usual_steps(rows: &[Row]) -> BTreeMap<&str, f64> {
    // Number of trials, and index of the first.
    let mut counts: BTreeMap<&str, BTreeMap<u64, (usize, usize)>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let steps = counts.entry(&row.scenario).or_default();
        steps.entry(row.step_s.to_bits()).or_insert((0, index)).0 += 1;
    }
    let most = |steps: BTreeMap<u64, (usize, usize)>| {
        let usual = steps.into_iter().max_by_key(|(_, (count, first))| (*count, std::cmp::Reverse(*first)));
        usual.map_or(f64::NAN, |(bits, _)| f64::from_bits(bits))
    };
    counts.into_iter().map(|(scenario, steps)| (scenario, most(steps))).collect()
}

/// Several trials of a cell (variations, seeds) are counted; a single one is shown by its verdict.
fn cell(paint: Paint, result: &StudyResult, rows: &[&Row]) -> String {
    let Some(worst) = rows.iter().max_by_key(|r| (r.as_expected() == Some(false), rank(r.verdict))) else {
        return format!("{:^11}", "");
    };
    let word = match worst.verdict {
        TrialVerdict::NotExpressible => "n/e",
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
        (_, TrialVerdict::Accepted) => paint.good(text),
        // A planned rejection is as expected: not highlighted.
        (Some(true), TrialVerdict::Rejected) => paint.quiet(text),
        (_, TrialVerdict::NotExpressible) => paint.quiet(text),
        // For a guest without an expectation, a rejection or failure counts neither as bad nor as good.
        (None, TrialVerdict::Rejected | TrialVerdict::Failed) if !result.is_guest(worst) => paint.bad(text),
        _ => paint.doubtful(text),
    }
}

fn rank(verdict: TrialVerdict) -> u8 {
    match verdict {
        TrialVerdict::Accepted => 0,
        TrialVerdict::NotExpressible => 1,
        TrialVerdict::CannotTell => 2,
        TrialVerdict::TooSlow => 3,
        TrialVerdict::Rejected => 4,
        TrialVerdict::Failed => 5,
    }
}

fn print_audit(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    if result.audit.is_empty() {
        return Ok(());
    }
    let folder = common_folder(result.audit.iter().map(|found| &found.finding));
    let of_files = folder.as_ref().map_or(String::new(), |folder| format!(" (files of {})", shown_from_here(folder)));
    let head = out.paint().doubtful(format!("inspection of the experiment, before any ranking{of_files}:"));
    writeln!(out, "  {head}")?;
    let mut scenarios: Vec<&str> = Vec::new();
    let mut of_scenario: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for found in &result.audit {
        of_scenario.entry(&found.scenario).or_insert_with(|| {
            scenarios.push(&found.scenario);
            Vec::new()
        });
        of_scenario.entry(&found.scenario).and_modify(|list| list.push(&found.finding));
    }
    for scenario in scenarios {
        for (finding, more) in by_kind(of_scenario[scenario].iter().copied(), |f| f.code) {
            writeln!(out, "    {scenario}: {}", line_in(finding, more, folder.as_deref()))?;
        }
    }
    writeln!(out)
}

/// Prints everything that is not accepted, scenario by scenario; engines with the same sentence share it.
fn print_sentences(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    let wanted = |r: &&Row| r.verdict != TrialVerdict::Accepted || r.as_expected() == Some(false);
    // Variations differ in their numbers: rows of one engine that fail alike are one sentence.
    let alike = |row: &Row| match row.overrides.is_empty() {
        true => row.reason.clone(),
        false => format!("{} {}", row.engine, row.reason.replace(|c: char| c.is_ascii_digit(), "")),
    };
    let groups = grouped(result.rows.iter().filter(wanted), |row| {
        (&row.scenario, alike(row), row.step_s.to_bits(), rank(row.verdict), row.as_expected())
    });
    if groups.is_empty() {
        return Ok(());
    }
    // The report has all sentences of a large study.
    for rows in groups.iter().take(SENTENCES) {
        let row = rows[0];
        let expected = match row.as_expected() {
            Some(true) => paint.quiet(", as expected"),
            Some(false) => paint.bad(format!(", expected {}", row.unmet().join("; "))),
            None if result.is_guest(row) => paint.quiet(", no expectation"),
            None => String::new(),
        };
        let head = match row.overrides.is_empty() {
            true => format!("{} at {} s on {}", row.scenario, row.step_s, names_with_counts(rows)),
            false => {
                let more = if rows.len() > 1 { format!(" (and {} more)", rows.len() - 1) } else { String::new() };
                let with = super::variations::with(result, row);
                format!("{} at {} s on {}{with}{more}", row.scenario, row.step_s, row.engine)
            }
        };
        writeln!(out, "\n  {head}: {}{expected}", paint.strong(row.verdict.text()))?;
        writeln!(out, "    {}", paint.quiet(veracity_lab::results::shortened(&row.reason)))?;
    }
    if groups.len() > SENTENCES {
        writeln!(out, "\n  … and {} more: see the report or --json", groups.len() - SENTENCES)?;
    }
    Ok(())
}

/// Columns side by side: more do not fit a wide terminal, and the table continues below.
const COLUMNS_AT_ONCE: usize = 12;

/// Number of sentences printed to a terminal.
const SENTENCES: usize = 60;

/// Groups items by key, groups in the order of their first item. No group is empty.
fn grouped<T, K: Ord>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut place: BTreeMap<K, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        let at = *place.entry(key(&item)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(item);
    }
    groups
}

/// The engines of some trials, each once: `native (x12), rapier`.
fn names_with_counts(rows: &[&Row]) -> String {
    let engines = grouped(rows.iter().map(|row| row.engine.as_str()), |name| *name);
    let named = |same: &Vec<&str>| match same.len() {
        1 => same[0].to_string(),
        count => format!("{} (x{count})", same[0]),
    };
    engines.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// The last line.
pub fn summary(result: &StudyResult) -> String {
    Conclusion::new(result, None).summary
}
