//! The table, the CSV file and the JSON document of a run.

use super::motion::{Cost, Motion, Row};
use super::pace::Switch;
use super::plan::Plan;
use crate::output::Output;
use serde::Serialize;
use std::io::{self, Write};
use veracity_check::show::number;

/// Number of positions that fit next to the other columns.
const SHOWN: usize = 6;

/// Prints what is run, and how.
pub fn head(out: &mut Output, file: &str, plan: &Plan) -> io::Result<()> {
    let paint = out.paint();
    let how = if plan.integrator.adaptive {
        format!("tolerance {:e}", plan.settings.relative_tolerance)
    } else {
        format!("step {} s", number(plan.settings.step_s))
    };
    let g = plan.world.gravity;
    writeln!(out, "{}", paint.strong(file))?;
    writeln!(
        out,
        "  {}: {} s {}, gravity {} {} {} m/s², {} with {how}",
        plan.world.name,
        number(plan.duration_s),
        plan.start_text,
        number(g.x),
        number(g.y),
        number(g.z),
        plan.integrator.name
    )?;
    let left_out = plan.left_out();
    if !left_out.is_empty() {
        writeln!(out, "  {} {}", paint.doubtful("not simulated:"), left_out.join(", "))?;
    }
    writeln!(out)
}

/// A table printed line by line.
pub struct Table {
    widths: Vec<usize>,
    shown: usize,
    with_residual: bool,
}

impl Table {
    /// Prints the head of the table.
    pub fn start(out: &mut Output, names: &[String], with_residual: bool) -> io::Result<Self> {
        let shown = names.len().min(SHOWN);
        let mut heads: Vec<String> =
            ["time_s", "energy_J", "change_J", "error"].iter().map(|s| s.to_string()).collect();
        if with_residual {
            heads.push("residual".into());
        }
        heads.extend(names[..shown].iter().cloned());
        // Wide enough for `-1.2345e-10`.
        let widths: Vec<usize> = heads.iter().map(|h| h.chars().count().max(11)).collect();
        let cells: Vec<String> = heads.iter().zip(&widths).map(|(h, w)| format!("{h:>w$}")).collect();
        let line = out.paint().quiet(cells.join("  "));
        writeln!(out, "{line}")?;
        Ok(Self { widths, shown, with_residual })
    }

    /// Prints a line.
    pub fn row(&self, out: &mut Output, row: &Row) -> io::Result<()> {
        let mut cells = vec![
            number(row.time_s),
            format!("{:.4e}", row.energy_j),
            format!("{:.1e}", row.energy_change_j),
            format!("{:.1e}", row.position_error),
        ];
        if self.with_residual {
            cells.push(format!("{:.1e}", row.constraint_residual));
        }
        cells.extend(row.q[..self.shown].iter().map(|x| format!("{x:.6}")));
        let cells: Vec<String> = cells.iter().zip(&self.widths).map(|(c, w)| format!("{c:>w$}")).collect();
        writeln!(out, "{}", cells.join("  "))
    }
}

/// Prints accuracy and cost of the run.
pub fn foot(out: &mut Output, plan: &Plan, rows: &[Row], motion: &Motion) -> io::Result<()> {
    let paint = out.paint();
    let (cost, positions) = (motion.cost(), plan.q.len());
    let worst = rows.iter().map(|r| r.position_error).fold(0.0, f64::max);
    let against = if motion.integrator().adaptive { "a hundredth of the tolerance" } else { "half the step" };
    writeln!(out)?;
    if positions > SHOWN {
        writeln!(out, "  {} more positions; --csv FILE writes all", positions - SHOWN)?;
    }
    if let Some(switch) = &motion.switched {
        let Switch { time_s, to, step_s, why, .. } = switch;
        let label = paint.doubtful("stiff:");
        writeln!(out, "  {label} {why}; from t = {} s on {to} with steps of {} s", number(*time_s), number(*step_s))?;
    }
    writeln!(
        out,
        "  {} {worst:.1e} (rad or m), the largest of any position, from a second run with {against}",
        paint.strong("error:")
    )?;
    let peak = rows.iter().map(|r| r.kinetic_energy_j).fold(0.0, f64::max);
    let change = rows.iter().map(|r| r.energy_change_j.abs()).fold(0.0, f64::max);
    if plan.conserves_energy() {
        let relative =
            if peak > 0.0 { format!(", {:.1e} of the peak kinetic energy", change / peak) } else { String::new() };
        writeln!(out, "  {} changes by {change:.1e} J{relative}", paint.strong("energy:"))?;
    } else {
        writeln!(out, "  {} not conserved by this model (damping, friction or motors)", paint.strong("energy:"))?;
    }
    let rejected = if cost.rejected > 0 { format!(", {} rejected", cost.rejected) } else { String::new() };
    writeln!(
        out,
        "  {} {} steps{rejected}, {} evaluations of the accelerations",
        paint.strong("cost:"),
        cost.steps,
        cost.evaluations
    )
}

/// All rows as comma-separated values.
pub fn csv(to: &mut dyn Write, positions: &[String], velocities: &[String], rows: &[Row]) -> io::Result<()> {
    let quoted = |prefix: &str, name: &String| {
        let text = format!("{prefix}{name}");
        if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let mut heads: Vec<String> =
        ["time_s", "kinetic_energy_J", "energy_J", "energy_change_J", "position_error", "constraint_residual"]
            .iter()
            .map(|s| s.to_string())
            .collect();
    heads.extend(positions.iter().map(|n| quoted("q:", n)));
    heads.extend(velocities.iter().map(|n| quoted("v:", n)));
    writeln!(to, "{}", heads.join(","))?;
    for r in rows {
        let energies = [r.time_s, r.kinetic_energy_j, r.energy_j, r.energy_change_j, r.position_error];
        let numbers = energies.iter().chain([&r.constraint_residual]).chain(&r.q).chain(&r.v);
        // The shortest text that parses to the same number.
        let cells: Vec<String> = numbers.map(|x| format!("{x:?}")).collect();
        writeln!(to, "{}", cells.join(","))?;
    }
    Ok(())
}

/// The document `--json` prints; every field is described in docs/json.md.
#[derive(Serialize)]
pub struct Json<'a> {
    schema: &'static str,
    version: &'static str,
    file: &'a str,
    integrator: &'static str,
    step_s: f64,
    relative_tolerance: f64,
    conserves_energy: bool,
    left_out: Vec<&'static str>,
    positions: &'a [String],
    velocities: &'a [String],
    rows: &'a [Row],
    cost: Cost,
    switched: Option<&'a Switch>,
    trouble: Option<String>,
}

impl<'a> Json<'a> {
    /// Document of a run that finished or failed.
    pub fn new(
        file: &'a str,
        plan: &Plan,
        names: [&'a [String]; 2],
        rows: &'a [Row],
        motion: &'a Motion,
        trouble: Option<String>,
    ) -> Self {
        Self {
            schema: "veracity-run/1",
            version: env!("CARGO_PKG_VERSION"),
            file,
            integrator: motion.integrator().name,
            step_s: plan.settings.step_s,
            relative_tolerance: plan.settings.relative_tolerance,
            conserves_energy: plan.conserves_energy(),
            left_out: plan.left_out(),
            positions: names[0],
            velocities: names[1],
            rows,
            cost: motion.cost(),
            switched: motion.switched.as_ref(),
            trouble,
        }
    }
}
