//! A state for the terminal: what fits; the JSON document is complete.

use super::document::InspectDocument;
use crate::output::Output;
use std::io::{self, Write};
use veracity_check::show::number;

/// A matrix with more rows than this is mentioned, not printed.
const MATRIX_ROWS: usize = 12;
/// Lines of a list beyond this are only counted.
const LINES: usize = 40;

/// Prints the state, the equations of motion, the bodies and the contact points.
pub fn print(out: &mut Output, file: &str, d: &InspectDocument) -> io::Result<()> {
    let paint = out.paint();
    writeln!(out, "{}", paint.strong(file))?;
    let [x, y, z] = d.gravity_m_s2.map(number);
    writeln!(out, "  {}: {}, gravity {x} {y} {z} m/s²", d.name, d.at)?;
    let energies = [d.kinetic_energy_j, d.gravity_energy_j, d.elastic_energy_j].map(number);
    writeln!(out, "  energy: kinetic {} J, of height {} J, elastic {} J", energies[0], energies[1], energies[2])?;
    if d.constraint_residual > 0.0 {
        writeln!(out, "  loops and couplings are open by {:.1e} m or rad", d.constraint_residual)?;
    }
    writeln!(out, "\n  {}", paint.strong("positions"))?;
    list(out, d.positions.iter().zip(&d.q).map(|(name, q)| format!("{name} = {}", number(*q))))?;
    let head = paint.strong("degrees of freedom: velocity, bias effort, passive effort, inertia");
    writeln!(out, "\n  {head} (SI)")?;
    let inertias = d.mass_matrix.iter().flat_map(|b| b.rows.iter().enumerate().map(|(i, row)| row[i]));
    let inertias: Vec<f64> = inertias.collect();
    let one = |i: usize| {
        let [v, bias, passive, inertia] = [d.v[i], d.bias[i], d.passive[i], inertias[i]].map(number);
        format!("{}: {v}, {bias}, {passive}, {inertia}", d.velocities[i])
    };
    list(out, (0..d.v.len()).map(one))?;
    for block in &d.mass_matrix {
        let n = block.rows.len();
        let last = block.first + n - 1;
        writeln!(out, "\n  {} {} to {last}", paint.strong("mass matrix, degrees of freedom"), block.first)?;
        if n > MATRIX_ROWS || d.mass_matrix.len() > LINES {
            writeln!(out, "    {n} x {n}: --json has it, and the others")?;
            break;
        }
        for row in &block.rows {
            let cells: Vec<String> = row.iter().map(|x| format!("{x:>11.4e}")).collect();
            writeln!(out, "    {}", cells.join(" "))?;
        }
    }
    writeln!(out, "\n  {}", paint.strong("bodies: position [m], rotation w x y z"))?;
    let numbers = |values: &[f64]| values.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>().join(" ");
    list(
        out,
        d.bodies.iter().map(|b| format!("{}: {}, {}", b.name, numbers(&b.position_m), numbers(&b.rotation_wxyz))),
    )?;
    let within =
        format!("contacts: {} points with a gap of at most {} m", d.contacts.len(), number(d.contact_margin_m));
    writeln!(out, "\n  {}", paint.strong(within))?;
    list(
        out,
        d.contacts.iter().map(|c| {
            let (a, b) = (format!("{}/{}", c.body_a, c.shape_a), format!("{}/{}", c.body_b, c.shape_b));
            format!("{a} and {b}: gap {:.3e} m at {}, normal {}", c.gap_m, numbers(&c.point_a_m), numbers(&c.normal))
        }),
    )?;
    for why in &d.contacts_not_measured {
        writeln!(out, "    {} {why}", paint.doubtful("not measured:"))?;
    }
    Ok(())
}

fn list(out: &mut Output, lines: impl ExactSizeIterator<Item = String>) -> io::Result<()> {
    let count = lines.len();
    for line in lines.take(LINES) {
        writeln!(out, "    {line}")?;
    }
    if count > LINES {
        writeln!(out, "    … and {} more: --json has all", count - LINES)?;
    }
    Ok(())
}
