//! Results of `veracity mocap`, for the terminal.

use super::one::Told;
use crate::output::Output;
use std::io::Write;
use veracity_mocap::page::short;
use veracity_model::text::one_line;

/// More records than this are summarised in one line.
const SHOWN: usize = 8;

pub fn print(told: &[Told], out: &mut Output) -> std::io::Result<()> {
    let paint = out.paint();
    for (k, told) in told.iter().enumerate() {
        let gap = if k == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{}", paint.strong(&told.file))?;
        for report in &told.reports {
            writeln!(out, "  {}", paint.strong(report.step))?;
            for line in &report.lines {
                match line.warning {
                    true => writeln!(out, "    {} {}", paint.doubtful("warning:"), one_line(&line.text))?,
                    false => writeln!(out, "    {}", one_line(&line.text))?,
                }
            }
            let width = report.numbers.iter().map(|n| n.name.chars().count()).max().unwrap_or(0);
            for n in &report.numbers {
                let sigma = n.sigma.map(|s| format!(" ± {}", short(s))).unwrap_or_default();
                let unit = if n.unit.is_empty() { String::new() } else { format!(" {}", n.unit) };
                writeln!(out, "    {:width$}  {}{sigma}{unit}", n.name, short(n.value))?;
            }
        }
        for made in told.records.iter().take(SHOWN) {
            let place = made.path.as_ref().map(|p| format!(" in {}", p.display())).unwrap_or_default();
            writeln!(out, "  record {}: {} rows{place}, digest {}", made.name, made.rows, made.digest)?;
        }
        if told.records.len() > SHOWN {
            writeln!(out, "  and {} more records", told.records.len() - SHOWN)?;
        }
        if let Some(error) = &told.error {
            writeln!(out, "  {} {error}", paint.bad("could not be cleaned:"))?;
        }
    }
    Ok(())
}
