//! Verdicts as JUnit XML for continuous integration: a test case for each trial. [`Conclusion`] decides the result of
//! each; a trial of the baseline that is missing is a failed case of its own.

use std::fmt::Write;
use veracity_lab::{Conclusion, Row, RowStanding, Standing, StudyResult};

/// The document.
pub fn document(result: &StudyResult, conclusion: &Conclusion) -> String {
    let count = |wanted: RowStanding| conclusion.rows.iter().filter(|s| **s == wanted).count();
    let missing: Vec<&str> =
        conclusion.regressions.iter().flatten().filter(|r| r.row.is_none()).map(|r| r.text.as_str()).collect();
    let could_not_run = usize::from(conclusion.standing == Standing::CouldNotRun);
    let time: f64 = result.rows.iter().map(|r| r.cpu_s).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{time:.3}\"",
        result.rows.len() + missing.len() + could_not_run,
        count(RowStanding::Failed) + missing.len(),
        count(RowStanding::Error) + could_not_run,
        count(RowStanding::Skipped),
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"veracity\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{}\" {counts}>", escape(&result.study));
    for (index, (row, standing)) in result.rows.iter().zip(&conclusion.rows).enumerate() {
        let worse: Vec<&str> = conclusion.regressions_of(index).collect();
        case(&mut out, row, *standing, &worse);
    }
    for text in missing {
        let message = escape(text);
        let _ = writeln!(
            out,
            "    <testcase classname=\"baseline\" name=\"{message}\" time=\"0\">\n      <failure message=\"{message}\"/>\n    </testcase>"
        );
    }
    if conclusion.standing == Standing::CouldNotRun {
        let message = conclusion.headline;
        let _ = writeln!(
            out,
            "    <testcase classname=\"study\" name=\"complete\" time=\"0\">\n      <error message=\"{message}\"/>\n    </testcase>"
        );
    }
    out += "  </testsuite>\n</testsuites>\n";
    out
}

fn case(out: &mut String, row: &Row, standing: RowStanding, worse: &[&str]) {
    let name = format!("{} at {} s", row.engine, row.step_s);
    let varied: Vec<String> = row.overrides.iter().map(|(path, x)| format!("{path}={x}")).collect();
    let name = if varied.is_empty() { name } else { format!("{name}, {}", varied.join(", ")) };
    let (class, name) = (escape(&row.scenario), escape(&name));
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{:.3}\"", row.cpu_s);
    let worse: String = worse.iter().map(|text| format!("; worse than the baseline: {text}")).collect();
    let unmet: String = row.unmet().iter().map(|text| format!("; expected {text}")).collect();
    let message = escape(&format!("{}: {}{unmet}{worse}", row.verdict, row.reason));
    let _ = match standing {
        RowStanding::Passed => writeln!(out, "/>"),
        RowStanding::Skipped => writeln!(out, ">\n      <skipped message=\"{message}\"/>\n    </testcase>"),
        RowStanding::Failed => writeln!(out, ">\n      <failure message=\"{message}\"/>\n    </testcase>"),
        RowStanding::Error => writeln!(out, ">\n      <error message=\"{message}\"/>\n    </testcase>"),
    };
}

/// Escapes text for attributes. Characters that XML does not allow are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out += "&#9;",
            c if (c as u32) < 0x20 || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_breaks_out_of_an_attribute() {
        assert_eq!(super::escape("a<b> & \"c\"\u{1}\n"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;");
    }
}
