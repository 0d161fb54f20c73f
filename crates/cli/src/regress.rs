//! The result of a regression, printed and as JSON; described in docs/regress.md.

use crate::output::Output;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use veracity_regress::Assessment;
use veracity_regress::behaviour::Compared;
use veracity_regress::study::RegressionStudy;

/// Name of the schema; the number grows when a field changes its meaning or is removed.
const SCHEMA: &str = "veracity-regress/2";

#[derive(Serialize)]
pub struct RegressDocument<'a> {
    schema: &'static str,
    version: &'static str,
    study: &'a str,
    target: &'a str,
    unit: &'a str,
    step: f64,
    exit_code: u8,
    /// Mean absolute error of rows held out at random: shows leakage.
    shuffled_error: f64,
    assessment: &'a Assessment,
    behaviour: &'a [Compared],
    notes: &'a [String],
}

pub fn document<'a>(
    study: &'a RegressionStudy,
    assessment: &'a Assessment,
    shuffled_error: f64,
    behaviour: &'a [Compared],
    notes: &'a [String],
    exit_code: u8,
) -> RegressDocument<'a> {
    RegressDocument {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        study: &study.name,
        target: &study.target.name,
        unit: &study.target.unit,
        step: study.target.step,
        exit_code,
        shuffled_error,
        assessment,
        behaviour,
        notes,
    }
}

pub fn print(
    study: &RegressionStudy,
    a: &Assessment,
    shuffled_error: f64,
    behaviour: &[Compared],
    notes: &[String],
    out: &mut Output,
) -> std::io::Result<()> {
    let percent = |error: f64| format!("{:.1} %", 100.0 * error / study.target.step);
    writeln!(out, "{}: {}", study.name, study.title)?;
    for note in notes {
        writeln!(out, "  {note}")?;
    }
    writeln!(out, "  errors, of one step of {} {}:", study.target.step, study.target.unit)?;
    writeln!(
        out,
        "    held out by {:<22} {} ({} to {})",
        a.split,
        percent(a.error.estimate),
        percent(a.error.low),
        percent(a.error.high)
    )?;
    writeln!(
        out,
        "    mean over each held-out piece      {} ({} to {})",
        percent(a.piece_error.estimate),
        percent(a.piece_error.low),
        percent(a.piece_error.high)
    )?;
    writeln!(out, "    always the mean                    {}", percent(a.constant_error))?;
    writeln!(
        out,
        "    held out at random (leakage: neighbours in time were learned from) {}",
        percent(shuffled_error)
    )?;
    writeln!(out, "  correlation of held-out pieces {:.3}", a.correlation)?;
    if let Some(chance) = a.chance {
        writeln!(out, "  as good by chance: p = {chance:.3}")?;
    }
    writeln!(
        out,
        "  support: median largest kernel value {:.2e}; {:.1} % of {} recorded rows below {:.3} (held-out training: {:.1} %)",
        a.support.median,
        100.0 * a.support.out_of_reach,
        a.predictions.len(),
        a.support.threshold,
        100.0 * a.own_out_of_reach
    )?;
    for stranger in a.support.strangers.iter().take(5) {
        writeln!(
            out,
            "    {}: {:.1} deviations away; {}",
            stranger.column, stranger.median_deviations, stranger.hint
        )?;
    }
    writeln!(out, "  {}", a.explanation.sentence())?;
    for point in &a.recorded {
        writeln!(out, "    {:<32} mean prediction {:.4} over {} rows", point.run, point.predicted, point.rows)?;
    }
    if !behaviour.is_empty() {
        writeln!(
            out,
            "  distributions          simulated  recorded  Wasserstein (95 %)            Kolmogorov-Smirnov (95 %)"
        )?;
    }
    for c in behaviour {
        writeln!(
            out,
            "    {:<20} {:>9.3} {:>9.3}  {:.3} ({:.3} to {:.3})  {:>8.3} ({:.3} to {:.3})",
            format!("{} {}", c.quantity, c.unit),
            c.medians[0],
            c.medians[1],
            c.wasserstein.estimate,
            c.wasserstein.low,
            c.wasserstein.high,
            c.kolmogorov.estimate,
            c.kolmogorov.low,
            c.kolmogorov.high
        )?;
    }
    writeln!(out, "{}: {}", a.verdict, a.reasons.join("; "))
}

/// Reports steps of long work on standard error if it is a terminal; silent otherwise.
pub fn progress() -> impl FnMut(&str, usize, usize) {
    let shown = std::io::stderr().is_terminal();
    move |what, done, of| {
        if shown {
            eprint!("\r\x1b[K{what}: {done} of {of}");
        }
    }
}
