//! One table for several engines: a row for each number, a column for each engine.

use veracity_audit::{Audit, Finding, ReadBack};

pub fn table(audits: &[(String, Audit)]) -> String {
    let mut text = String::from("| number | given |");
    audits.iter().for_each(|(spec, _)| text += &format!(" `{spec}` |"));
    text += "\n|---|---|";
    text += &"---|".repeat(audits.len());
    text.push('\n');
    let rows = audits.first().map_or(0, |(_, audit)| audit.findings.len());
    for row in 0..rows {
        let e = audits[0].1.findings[row].experiment;
        text += format!("| {} | {} {}", e.name, e.given, e.unit).trim_end();
        text += " |";
        audits.iter().for_each(|(_, audit)| text += &format!(" {} |", cell(&audit.findings[row])));
        text.push('\n');
    }
    text += "| repeatable | |";
    for (_, audit) in audits {
        let repeat = &audit.repeatability;
        text += &if repeat.difference == 0.0 {
            " yes |".to_string()
        } else {
            format!(" no, {:.0e} |", repeat.difference)
        };
    }
    text.push('\n');
    text
}

/// The relative error; below one part in 10⁹ it is rounding.
fn cell(finding: &Finding) -> String {
    let error = finding.relative_error.filter(|e| e.is_finite());
    let number = match error {
        Some(error) if error.abs() < 1e-9 => "0".to_string(),
        Some(error) => format!("{error:+.0e}"),
        None => String::new(),
    };
    match finding.verdict {
        ReadBack::Honoured => number,
        ReadBack::Approximated => format!("≈ {number}"),
        ReadBack::NotExpressible => "–".to_string(),
        ReadBack::Wrong => format!("**WRONG** {number}").trim_end().to_string(),
    }
}
