//! Studies with variations: the axes, verdict maps, rankings over the whole range, boundaries of acceptance.

use crate::output::Output;
use crate::paint::Paint;
use std::io::{self, Write};
use veracity_lab::answer::span;
use veracity_lab::axes::short_number;
use veracity_lab::{
    MapCell, RangeBoard, Row, StudyResult, TrialVerdict, VerdictMap, range_boards, variation_text, verdict_maps,
};

/// Maps printed to a terminal; --json has all.
const MAPS: usize = 12;
/// Columns of a map that fit a terminal.
const COLUMNS: usize = 14;
/// Boundaries printed to a terminal.
const BOUNDARIES: usize = 40;

/// The changed numbers of a row as an addition to its engine and step: ` with friction 0.2`.
pub fn with(result: &StudyResult, row: &Row) -> String {
    if row.overrides.is_empty() {
        return String::new();
    }
    format!(" with {}", variation_text(&result.axes, &row.overrides))
}

/// Names the axes, before the table.
pub fn print_axes(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    for axis in &result.axes {
        let values = match axis.values.len() {
            0 => format!("drawn from {} to {}", short_number(axis.low), axis.number(axis.high)),
            1..=8 => {
                let list: Vec<String> = axis.values.iter().map(|x| short_number(*x)).collect();
                format!("{} {}", list.join(", "), axis.unit)
            }
            count => format!("{count} values from {} to {}", short_number(axis.low), axis.number(axis.high)),
        };
        let path = out.paint().quiet(format!("({})", axis.path));
        writeln!(out, "  varied: {}: {} {path}", out.paint().strong(&axis.name), values.trim_end())?;
    }
    if !result.axes.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// Prints maps, rankings and boundaries, after the table.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let maps = verdict_maps(result);
    for map in maps.iter().take(MAPS) {
        print_map(out, map)?;
    }
    if maps.len() > MAPS {
        writeln!(out, "\n  … and {} more maps: see --json", maps.len() - MAPS)?;
    }
    if !maps.is_empty() {
        let paint = out.paint();
        let legend = TrialVerdict::ALL.map(|verdict| format!("{} {verdict}", letter(verdict))).join(", ");
        writeln!(out, "\n  {}", paint.quiet(format!("{legend}; 2/5: accepted of several trials")))?;
    }
    for board in range_boards(result).iter().filter(|board| board.places.len() > 1) {
        print_board(out, board, result)?;
    }
    print_boundaries(out, result)
}

fn print_map(out: &mut Output, map: &VerdictMap) -> io::Result<()> {
    let paint = out.paint();
    let fixed: String = map.fixed.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let unit = if map.columns.unit.is_empty() { String::new() } else { format!(" [{}]", map.columns.unit) };
    let title = format!("{}{fixed}: {}{unit} against {}", map.scenario, map.columns.name, map.rows.name);
    writeln!(out, "\n  {}", paint.strong(title))?;
    let side = map.rows.labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    for first in (0..map.columns.labels.len()).step_by(COLUMNS) {
        let labels = &map.columns.labels[first..map.columns.labels.len().min(first + COLUMNS)];
        let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0).max(5);
        let head: Vec<String> = labels.iter().map(|label| format!("{label:>width$}")).collect();
        writeln!(out, "    {:side$}  {}", "", paint.quiet(head.join(" ")))?;
        for (label, cells) in map.rows.labels.iter().zip(&map.cells) {
            let cells: Vec<String> =
                cells[first..first + labels.len()].iter().map(|cell| shown(paint, cell, width)).collect();
            writeln!(out, "    {label:side$}  {}", cells.join(" ").trim_end())?;
        }
    }
    Ok(())
}

fn letter(verdict: TrialVerdict) -> char {
    match verdict {
        TrialVerdict::Accepted => 'A',
        TrialVerdict::CannotTell => '?',
        TrialVerdict::Rejected => 'R',
        TrialVerdict::NotExpressible => 'n',
        TrialVerdict::TooSlow => 's',
        TrialVerdict::Failed => 'F',
    }
}

fn shown(paint: Paint, cell: &MapCell, width: usize) -> String {
    let Some(verdict) = cell.verdict() else { return format!("{:>width$}", "") };
    let text = match cell.trials.len() {
        1 => letter(verdict).to_string(),
        all => format!("{}/{all}", cell.count(TrialVerdict::Accepted)),
    };
    coloured(paint, verdict, format!("{text:>width$}"))
}

fn coloured(paint: Paint, verdict: TrialVerdict, text: String) -> String {
    match verdict {
        TrialVerdict::Accepted => paint.good(text),
        TrialVerdict::Rejected | TrialVerdict::Failed => paint.bad(text),
        TrialVerdict::NotExpressible => paint.quiet(text),
        _ => paint.doubtful(text),
    }
}

fn print_board(out: &mut Output, board: &RangeBoard, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    writeln!(out, "\n  {}", paint.strong(format!("{}: over the whole range", board.scenario)))?;
    let width = board.places.iter().map(|p| p.engine.chars().count()).max().unwrap_or(0).max(6);
    let [accepted, worst, cost] = ["accepted", "worst", "CPU per s"].map(|t| format!("{t:>10}"));
    writeln!(out, "       {:width$}  {:>8}  {accepted}  {worst}  {cost}  worst at", "engine", "step")?;
    for place in &board.places {
        let share = format!("{:>10}", format!("{}/{}", place.accepted(), place.trials));
        let verdict = if place.accepted() == place.trials { TrialVerdict::Accepted } else { TrialVerdict::Rejected };
        let share = coloured(paint, verdict, share);
        let worst = place.worst.map_or("-".to_string(), |(_, e)| super::leaderboard::share_of(e.value, e.bound));
        let cost = place.cpu_per_simulated_s.map_or("-".to_string(), span);
        let row = place.worst.map(|(row, _)| row).or(place.failed);
        let at = row.map_or(String::new(), |row| variation_text(&result.axes, &result.rows[row].overrides));
        let spec = format!("{:width$}  {:>8}", place.engine, span(place.step_s));
        writeln!(out, "  {:>3}  {spec}  {share}  {worst:>10}  {cost:>10}  {}", place.rank, paint.quiet(at))?;
    }
    Ok(())
}

fn print_boundaries(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    if result.boundaries.is_empty() {
        return Ok(());
    }
    let paint = out.paint();
    writeln!(out, "\n  {}", paint.strong("where acceptance ends"))?;
    for found in result.boundaries.iter().take(BOUNDARIES) {
        writeln!(out, "    {}", found.sentence(&result.axes))?;
        writeln!(out, "      {}", paint.quiet(veracity_lab::results::shortened(&found.reason)))?;
    }
    if result.boundaries.len() > BOUNDARIES {
        writeln!(out, "    … and {} more: see --json", result.boundaries.len() - BOUNDARIES)?;
    }
    Ok(())
}
