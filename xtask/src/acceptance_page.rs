//! `docs/acceptance.md`: how each claim went when it was last run at full size, with the day and the commit of that run.
//!
//! All claims together take many hours. A claim that is not run now keeps its row, whose commit says how old it is; a claim
//! that has since been worded differently loses it, because what was shown is no longer what is said.

use crate::table::{self, Table};

/// What a claim without a row has for a verdict.
const NOT_RUN: &str = "not run";

const HEADING: [&str; 6] = ["claim", "what it says", "verdict", "minutes", "run", "numbers"];

/// One claim on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub claim: String,
    /// What it says, with its bound.
    pub says: String,
    /// `shown`, `**not shown**` or `not run`.
    pub verdict: String,
    /// Wall time.
    pub minutes: String,
    /// Day and commit.
    pub run: String,
    /// What its test measured.
    pub numbers: String,
}

impl Row {
    /// A claim nobody has run.
    pub fn not_run(claim: &str, says: &str) -> Self {
        let [minutes, run, numbers] = [const { String::new() }; 3];
        Self { claim: claim.into(), says: says.into(), verdict: NOT_RUN.into(), minutes, run, numbers }
    }

    /// The row this claim has on an earlier page, if it still says the same.
    pub fn kept(earlier: &[Row], claim: &str, says: &str) -> Self {
        let same = |row: &&Row| row.claim == claim && row.says == says;
        earlier.iter().find(same).cloned().unwrap_or_else(|| Self::not_run(claim, says))
    }
}

/// The rows of a page; none if it is of another form.
pub fn read(page: &str) -> Vec<Row> {
    let mut lines = page.lines().filter_map(table::markdown_cells);
    if !lines.by_ref().any(|cells| cells == HEADING) {
        return Vec::new();
    }
    let row = |cells: Vec<String>| {
        let [claim, says, verdict, minutes, run, numbers] = cells.try_into().ok()?;
        Some(Row { claim, says, verdict, minutes, run, numbers })
    };
    // Below the heading stands the rule.
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
    fn a_page_reads_back_bars_and_all() {
        let rows = [row("a", "to 1e-10 m"), Row::not_run("b", "something")];
        let page = write(&rows, "a machine");
        assert!(page.contains("1 shown, 0 not shown, 1 not run."), "{page}");
        assert_eq!(read(&page), rows);
    }

    #[test]
    fn a_claim_that_says_something_else_now_has_not_been_run() {
        let earlier = [row("a", "to 1e-10 m")];
        assert_eq!(Row::kept(&earlier, "a", "to 1e-10 m"), earlier[0]);
        assert_eq!(Row::kept(&earlier, "a", "to 1e-12 m").verdict, NOT_RUN);
        assert_eq!(Row::kept(&earlier, "c", "to 1e-10 m").verdict, NOT_RUN);
    }

    #[test]
    fn a_page_of_another_form_has_no_rows() {
        assert!(read("# Acceptance\n\n| claim | verdict |\n|---|---|\n| a | shown |\n").is_empty());
    }
}
