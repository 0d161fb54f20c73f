//! The table of one engine, printed row by row as the experiments finish.

use crate::output::Output;
use std::io::{self, Write};
use veracity_audit::{Audit, Experiment, Finding, ReadBack};
use veracity_engine::{Engine, EngineSpec};

/// Widths of the columns.
pub struct Widths {
    name: usize,
    unit: usize,
}

impl Widths {
    /// For these rows.
    pub fn of(experiments: &[&'static Experiment]) -> Self {
        let longest = |text: fn(&Experiment) -> &'static str| {
            experiments.iter().map(|e| text(e).chars().count()).max().unwrap_or(0)
        };
        Self { name: longest(|e| e.name), unit: longest(|e| e.unit) }
    }
}

pub fn heading(out: &mut Output, spec: &EngineSpec, engine: &dyn Engine) -> io::Result<()> {
    let paint = out.paint();
    writeln!(out, "{}  {}", paint.strong(spec.to_string()), paint.quiet(engine.version()))
}

pub fn row(out: &mut Output, finding: &Finding, widths: &Widths, group: &mut &'static str) -> io::Result<()> {
    let paint = out.paint();
    let e = finding.experiment;
    if *group != e.group {
        *group = e.group;
        writeln!(out, "\n  {}", paint.strong(e.group))?;
    }
    let (name, unit) = (widths.name, widths.unit);
    let word = format!("{:15}", finding.verdict.word());
    let word = match finding.verdict {
        ReadBack::Honoured => paint.good(word),
        ReadBack::Approximated => paint.doubtful(word),
        ReadBack::NotExpressible => paint.quiet(word),
        ReadBack::Wrong => paint.bad(word),
    };
    let numbers = match (finding.measured, finding.relative_error) {
        (Some(measured), Some(error)) => format!("{measured:>13.6}  {error:>+9.1e}"),
        _ => format!("{:>13}  {:>9}", "-", ""),
    };
    writeln!(
        out,
        "    {:name$}  {:>9} {:unit$}  {numbers}  {word} {}",
        e.name,
        e.given,
        e.unit,
        paint.quiet(&finding.reason)
    )?;
    // An engine in a separate process takes a while: show each row at once.
    out.flush()
}

pub fn totals(out: &mut Output, audit: &Audit) -> io::Result<()> {
    let paint = out.paint();
    let part = |verdict: ReadBack| format!("{} {}", audit.count(verdict), verdict.word());
    let parts = [ReadBack::Honoured, ReadBack::Approximated, ReadBack::NotExpressible].map(part).join(", ");
    let wrong = audit.count(ReadBack::Wrong);
    let wrong_text = part(ReadBack::Wrong);
    let wrong_text = if wrong == 0 { paint.good(wrong_text) } else { paint.bad(wrong_text) };
    let sentence = audit.repeatability.sentence();
    let sentence = if audit.repeatability.as_declared() { sentence } else { paint.bad(sentence) };
    writeln!(out, "\n  {parts}, {wrong_text}; {sentence}\n")
}
