//! The effect of each change: every number of every engine next to that of the control.

use crate::engines;
use crate::output::Output;
use std::collections::BTreeMap;
use std::io::{self, Write};
use veracity_engine::EngineSpec;
use veracity_lab::{CheckResult, Row, StudyResult};
use veracity_scenario::Study;

/// Prints a table for each scenario, where the study names a control.
pub fn print(out: &mut Output, study: &Study, result: &StudyResult) -> io::Result<()> {
    let Some(control) = &study.control else { return Ok(()) };
    let paint = out.paint();
    let shown = |spec: &EngineSpec| short(spec).unwrap_or_else(|| spec.to_string());
    let control = shown(control);
    let mut first: BTreeMap<(&str, &str), &Row> = BTreeMap::new();
    for row in &result.rows {
        first.entry((row.scenario.as_str(), row.engine.as_str())).or_insert(row);
    }
    for scenario in &study.scenarios {
        let of = |engine: &str| first.get(&(scenario.name.as_str(), engine)).copied();
        let Some(base) = of(&control) else { continue };
        writeln!(out, "\n  {}", paint.strong(format!("{}: what each costs against {control}", scenario.title)))?;
        let names: Vec<String> = base.checks.iter().map(|c| format!("{} [{}]", c.name, unit(c))).collect();
        let widths: Vec<usize> = names.iter().map(|n| n.chars().count().max(20)).collect();
        let heads: Vec<String> = names.iter().zip(&widths).map(|(n, w)| format!("{n:>w$}")).collect();
        writeln!(out, "  {:34} {} {:>12}", "", heads.join("  "), "CPU s/s")?;
        for engine in &study.engines {
            let spec = shown(&engine.spec);
            let Some(row) = of(&spec) else { continue };
            let label = if engine.label.is_empty() { spec.clone() } else { engine.label.clone() };
            let cells: Vec<String> = base
                .checks
                .iter()
                .zip(&widths)
                .map(|(check, w)| format!("{:>w$}", cell(row, check, spec == control)))
                .collect();
            let cost = if row.simulated_s > 0.0 { format!("{:.3}", row.cpu_s / row.simulated_s) } else { "-".into() };
            writeln!(out, "  {label:34} {} {cost:>12}", cells.join("  "))?;
        }
    }
    Ok(())
}

/// The number, and its ratio to the control's.
fn cell(row: &Row, base: &CheckResult, is_control: bool) -> String {
    let Some(found) = row.checks.iter().find(|c| c.name == base.name) else { return row.verdict.text().to_string() };
    let value = |check: &CheckResult| check.judgement.measured.as_ref().map(|m| m.value);
    let (Some(value), Some(from)) = (value(found), value(base)) else { return found.judgement.verdict.to_string() };
    if is_control || from == 0.0 || !value.is_finite() {
        return format!("{value:.2e}");
    }
    format!("{value:.2e} (x{:.0e})", value / from)
}

fn unit(check: &CheckResult) -> &str {
    if check.unit.is_empty() { "-" } else { &check.unit }
}

/// As in rows: without default settings.
fn short(spec: &EngineSpec) -> Option<String> {
    engines::resolve(spec).ok().map(|resolved| resolved.settings.short_spec())
}
