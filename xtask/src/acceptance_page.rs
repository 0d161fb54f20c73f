//! `docs/acceptance.md`: the result of each claim's last run at full size, with the date and the commit of that run.
//!
//! All claims together take many hours. A claim that is not run now keeps its row, whose commit says how old it is; a claim
//! whose text has changed since loses its row, because the result belongs to the old text.

use crate::table::{self, Table};

/// Verdict of a claim without a result.
const NOT_RUN: &str = "not run";

const HEADING: [&str; 6] = ["claim", "what it says", "verdict", "minutes", "run", "numbers"];

/// One claim on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the claim.
    pub claim: String,
    /// Text of the claim, with its bound.
    pub says: String,
    /// `shown`, `**not shown**` or `not run`.
    pub verdict: String,
    /// Wall time.
    pub minutes: String,
    /// Date and commit.
    pub run: String,
    /// Numbers its test measured.
    pub numbers: String,
}

impl Row {
    /// The row of a claim that was never run.
    pub fn not_run(claim: &str, says: &str) -> Self {
        let [minutes, run, numbers] = [const { String::new() }; 3];
        Self { claim: claim.into(), says: says.into(), verdict: NOT_RUN.into(), minutes, run, numbers }
    }

    /// The row of this claim on an earlier page, if its text is unchanged.
    pub fn kept(earlier: &[Row], claim: &str, says: &str) -> Self {
        let same = |row: &&Row| row.claim == claim && row.says == says;
        earlier.iter().find(same).cloned().unwrap_or_else(|| Self::not_run(claim, says))
    }
}

/// The rows of a page; empty if it has another format.
pub fn read(page: &str) -> Vec<Row> {
    let mut lines = page.lines().filter_map(table::markdown_cells);
    if !lines.by_ref().any(|cells| cells == HEADING) {
        return Vec::new();
    }
    let row = |cells: Vec<String>| {
        let [claim, says, verdict, minutes, run, numbers] = cells.try_into().ok()?;
        Some(Row { claim, says, verdict, minutes, run, numbers })
    };
    // The rule below the heading.
    lines.skip(1).filter_map(row).collect()
}

/// The page.
pub fn write(rows: &[Row], machine: &str) -> String {
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    let (shown, not_run) = (count("shown"), count(NOT_RUN));
    let mut table = Table::new(&HEADING);
    for Row { claim, says, verdict, minutes, run, numbers } in rows.iter().cloned() {
        table.row([claim, says, verdict, minutes, run, numbers]);
    }
    format!(
        "# Acceptance\n\nWritten by `cargo xtask acceptance` on {machine}.\nEvery claim that was run was run at full size; the numbers \
         are what its test measured, at the commit its row names.\n\n{shown} shown, {} not shown, {not_run} not run.\n\n{}",
        rows.len() - shown - not_run,
        table.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(claim: &str, says: &str) -> Row {
        let [verdict, minutes, run, numbers] =
            ["shown", "0.1", "2026-11-17, abc", "|x| 3e-11 m; y 2"].map(str::to_owned);
        Row { claim: claim.into(), says: says.into(), verdict, minutes, run, numbers }
    }

    #[test]
    fn a_page_with_bars_in_cells_reads_back() {
        let rows = [row("a", "to 1e-10 m"), Row::not_run("b", "something")];
        let page = write(&rows, "a machine");
        assert!(page.contains("1 shown, 0 not shown, 1 not run."), "{page}");
        assert_eq!(read(&page), rows);
    }

    #[test]
    fn a_claim_whose_text_changed_counts_as_not_run() {
        let earlier = [row("a", "to 1e-10 m")];
        assert_eq!(Row::kept(&earlier, "a", "to 1e-10 m"), earlier[0]);
        assert_eq!(Row::kept(&earlier, "a", "to 1e-12 m").verdict, NOT_RUN);
        assert_eq!(Row::kept(&earlier, "c", "to 1e-10 m").verdict, NOT_RUN);
    }

    #[test]
    fn a_page_of_another_format_has_no_rows() {
        assert!(read("# Acceptance\n\n| claim | verdict |\n|---|---|\n| a | shown |\n").is_empty());
    }
}
