//! Warnings of every trial, to be read before numbers are trusted; equal ones are grouped.

use crate::output::Output;
use std::collections::BTreeMap;
use std::io::{self, Write};
use veracity_lab::{Row, StudyResult};

/// Number of kinds of warnings printed to a terminal; the report and --json have all.
const SHOWN: usize = 20;

/// Prints the warnings.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let groups = grouped(&result.rows);
    if groups.is_empty() {
        return Ok(());
    }
    let paint = out.paint();
    writeln!(out, "\n  {}", paint.doubtful("read before trusting these numbers:"))?;
    for (first, text, more) in groups.iter().take(SHOWN) {
        let more =
            if *more == 0 { String::new() } else { format!(" (and {more} more trials with a warning of this kind)") };
        writeln!(out, "    {} at {} s on {}: {text}{more}", first.scenario, first.step_s, first.engine)?;
    }
    if groups.len() > SHOWN {
        writeln!(out, "    … and {} more: see the report or --json", groups.len() - SHOWN)?;
    }
    Ok(())
}

/// Warnings of one engine and scenario that differ only in numbers are one kind: the first trial with it, its text, and
/// the number of other trials that have it.
fn grouped(rows: &[Row]) -> Vec<(&Row, &str, usize)> {
    let mut out: Vec<(&Row, &str, usize)> = Vec::new();
    let mut known: BTreeMap<(&str, &str, String), usize> = BTreeMap::new();
    for row in rows {
        for text in &row.warnings {
            let kind: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
            match known.get(&(row.scenario.as_str(), row.engine.as_str(), kind.clone())) {
                Some(group) => out[*group].2 += 1,
                None => {
                    known.insert((&row.scenario, &row.engine, kind), out.len());
                    out.push((row, text, 0));
                }
            }
        }
    }
    out
}
