//! How much energy was gained or lost where every impact is elastic and nothing rubs.
//!
//! With restitution one and no friction the energy of all bodies (kinetic, height, springs, rotors) is the same for ever;
//! the largest departure from the first row that counts is divided by `scale` [J], or else by the largest kinetic energy
//! of the run. It counts through impacts, which `energy_error` does not; it does not know whether the world is elastic:
//! ask for it only where it is.

use crate::energy::EnergyOfRows;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "elastic_energy_error",
    unit: "",
    text: "the largest change of energy of bodies that touch without loss, relative to the energy in motion",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let energy = EnergyOfRows::new(subject)?;
    if energy.has_losses() {
        return CannotTell::new("the world has damping, dry friction or drag, so its energy must decrease");
    }
    let all: Vec<_> = rows.iter().map(|&row| energy.row(row)).collect();
    let scale = options.scale.unwrap_or_else(|| all.iter().map(|e| e.energy.kinetic).fold(0.0, f64::max));
    if scale <= 0.0 {
        return CannotTell::new("nothing moved: give `scale` in joules");
    }
    let start = all[0];
    let off = |e: &crate::energy::EnergyRow| (e.energy.total() - start.energy.total()).abs() / scale;
    let series = rows.iter().zip(&all).map(|(&row, e)| (subject.record.track.times[row], off(e))).collect();
    let doubt: Vec<f64> = all.iter().map(|e| crate::balance::ROUNDING * (e.terms + start.terms) / scale).collect();
    Ok(Measured { note: format!("relative to {scale:.3e} J"), ..largest(series, &doubt) })
}
