//! The recommendation, printed before the evidence: which engine to use for a task, and why the others fail.

use crate::output::Output;
use std::io::{self, Write};
use veracity_lab::{StudyResult, answers};

/// Studies with more scenarios than this print only their rankings: one line each is more useful than a page of
/// sentences.
const SCENARIOS: usize = 3;

/// Prints the answer for each scenario. One row that is not accepted is described below the table.
pub fn print(out: &mut Output, result: &StudyResult) -> io::Result<()> {
    let answers = answers(result);
    if answers.len() > SCENARIOS {
        return Ok(());
    }
    for answer in answers {
        let rows = result.rows.iter().filter(|row| row.scenario == answer.scenario).count();
        if rows < 2 && answer.most_accurate.is_none() {
            continue;
        }
        let paint = out.paint();
        let mut lines = answer.lines.iter();
        if let Some(first) = lines.next() {
            writeln!(out, "for {}: {first}", paint.strong(&answer.scenario))?;
        }
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}
