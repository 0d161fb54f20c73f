//! What should be read before numbers are trusted: the warnings of every trial, those that say the same together.

use crate::output::Output;
use std::collections::BTreeMap;
use std::io::{self, Write};
use veracity_lab::{Row, StudyResult};

/// How many kinds of warnings a terminal takes; the report and --json have all.
const SHOWN: usize = 20;

/// Prints them.
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

/// Warnings of one engine and scenario that differ in numbers alone are of one kind: the first trial with it, its text,
/// and how many other trials have one.
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
