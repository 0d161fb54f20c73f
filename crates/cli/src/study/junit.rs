//! Verdicts as JUnit XML: a test case for each trial, for continuous integration.

use std::fmt::Write;
use veracity_lab::{Row, RowVerdict, StudyResult};

/// The document.
pub fn document(result: &StudyResult) -> String {
    let (failures, errors, skipped) =
        (count(result, Kind::Failure), count(result, Kind::Error), count(result, Kind::Skipped));
    let time: f64 = result.rows.iter().map(|r| r.cpu_s).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time:.3}\"",
        result.rows.len()
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"veracity\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{}\" {counts}>", escape(&result.study));
    for row in &result.rows {
        case(&mut out, row, kind(result, row));
    }
    out += "  </testsuite>\n</testsuites>\n";
    out
}

#[derive(PartialEq)]
enum Kind {
    Passed,
    Failure,
    Error,
    Skipped,
}

/// What an expectation asked for passes, whatever it is; without one only acceptance does, and of a guest nothing is asked.
fn kind(result: &StudyResult, row: &Row) -> Kind {
    match (row.as_expected(), row.verdict) {
        (None, verdict) if verdict != RowVerdict::Accepted && result.is_guest(row) => Kind::Skipped,
        (Some(true), RowVerdict::NotExpressible) | (None, RowVerdict::NotExpressible) => Kind::Skipped,
        (Some(true), _) | (None, RowVerdict::Accepted) => Kind::Passed,
        (_, RowVerdict::Failed | RowVerdict::TooSlow) => Kind::Error,
        _ => Kind::Failure,
    }
}

fn count(result: &StudyResult, wanted: Kind) -> usize {
    result.rows.iter().filter(|r| kind(result, r) == wanted).count()
}

fn case(out: &mut String, row: &Row, kind: Kind) {
    let name = format!("{} at {} s", row.engine, row.step_s);
    let varied: Vec<String> = row.overrides.iter().map(|(path, x)| format!("{path}={x}")).collect();
    let name = if varied.is_empty() { name } else { format!("{name}, {}", varied.join(", ")) };
    let (class, name) = (escape(&row.scenario), escape(&name));
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{:.3}\"", row.cpu_s);
    let message = escape(&format!("{}: {}", row.verdict, row.reason));
    let _ = match kind {
        Kind::Passed => writeln!(out, "/>"),
        Kind::Skipped => writeln!(out, ">\n      <skipped message=\"{message}\"/>\n    </testcase>"),
        Kind::Failure => writeln!(out, ">\n      <failure message=\"{message}\"/>\n    </testcase>"),
        Kind::Error => writeln!(out, ">\n      <error message=\"{message}\"/>\n    </testcase>"),
    };
}

/// For attributes. Characters XML has no place for are left out.
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
