//! A study as a comment on a pull request: the conclusion, what failed and why, the answer for each scenario.

use std::fmt::Write;
use veracity_lab::{Conclusion, RowStanding, Standing, StudyResult, answers};
use veracity_scenario::Study;

/// Number of failed rows listed; a comment on a pull request holds 65,536 characters.
const LISTED: usize = 50;

/// The document.
pub fn document(study: &Study, result: &StudyResult, conclusion: &Conclusion) -> String {
    let mark = if conclusion.standing == Standing::Passed { "✅" } else { "❌" };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "### {mark} Veracity: {}\n", cell(conclusion.headline));
    let _ = writeln!(out, "{}: {}.\n", cell(&result.study), cell(&conclusion.summary));
    let bad = |standing: &RowStanding| matches!(standing, RowStanding::Failed | RowStanding::Error);
    let failed: Vec<usize> = (0..result.rows.len()).filter(|row| bad(&conclusion.rows[*row])).collect();
    if !failed.is_empty() {
        out += "| scenario | engine | step | verdict | why |\n|---|---|---|---|---|\n";
    }
    for &index in failed.iter().take(LISTED) {
        let row = &result.rows[index];
        let mut why = vec![row.reason.clone()];
        why.extend(row.unmet().into_iter().map(|text| format!("expected {text}")));
        why.extend(conclusion.regressions_of(index).map(|text| format!("worse than the baseline: {text}")));
        let varied: String = row.overrides.iter().map(|(path, x)| format!(" {path}={x}")).collect();
        let (scenario, engine) = (cell(&format!("{}{varied}", row.scenario)), cell(&row.engine));
        let why = cell(&why.join("; "));
        let _ = writeln!(out, "| {scenario} | {engine} | {} s | {} | {why} |", row.step_s, row.verdict);
    }
    if failed.len() > LISTED {
        let _ = writeln!(out, "\n{} more are in the report.", failed.len() - LISTED);
    }
    for missing in conclusion.regressions.iter().flatten().filter(|r| r.row.is_none()).take(LISTED) {
        let _ = writeln!(out, "\n- worse than the baseline: {}", cell(&missing.text));
    }
    let answers = answers(result);
    if !answers.is_empty() {
        out += "\n<details><summary>Which engine for which task</summary>\n\n";
        for answer in answers {
            let lines: Vec<String> = answer.lines.iter().map(|line| cell(line)).collect();
            let _ = writeln!(out, "- **{}**: {}", cell(&answer.scenario), lines.join("; "));
        }
        out += "\n</details>\n";
    }
    out += &super::evidence::markdown(study, result, &|text| cell(text));
    let _ = writeln!(out, "\nDigest of all deterministic parts: `{}`", result.digest().short());
    out
}

/// Escapes text so that it cannot leave its table cell or become a tag, a link or a mention.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '|' | '`' | '*' | '[' | ']' | '!' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '@' => out += "&#64;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_cannot_leave_their_cell() {
        assert_eq!(super::cell("a|b\n<b> @all"), "a\\|b &lt;b&gt; &#64;all");
    }
}
