//! How much energy appeared or vanished without a cause.
//!
//! The energy of every row is counted from the poses and twists of the bodies with the recorded world (kinetic, height,
//! springs, rotors), the work of recorded efforts and the losses of damping, dry friction and drag are subtracted, and
//! the largest departure from the first row is divided by a scale: `scale` [J] if given, else the largest kinetic energy
//! of the run or the way its potential energy went, whichever is larger. The note states it. A run that explodes has a
//! large scale of its own: its value then saturates near one, which no sensible bound accepts.
//!
//! Cannot tell where bodies touched or a joint met its stop, because what those take is not in a record. What the engine
//! says of its own energy (`engine/energy_J`) is put through the same balance and shown beside.

use crate::balance::Balance;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "energy_error",
    unit: "",
    text: "the largest energy that appeared or vanished without a cause, relative to the energy in motion",
    needs_truth: false,
    deterministic: true,
    measure,
};

/// Energy of motion below this, relative to the sum of all terms, is rounding.
const NOTHING_MOVES: f64 = 1e-13;

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let balance = Balance::new(subject, &rows)?;
    let scale = options.scale.unwrap_or_else(|| balance.scale());
    // Nothing moves: the ratio of two roundings would be meaningless.
    let most = balance.rows.iter().map(|r| r.terms).fold(0.0, f64::max);
    if scale <= NOTHING_MOVES * most && balance.missing.iter().any(|m| *m != 0.0) {
        return CannotTell::new("there is no kinetic energy to scale the error by; give `scale` in joules");
    }
    let relative = |x: f64| if x == 0.0 { 0.0 } else { x.abs() / scale };
    let series = balance.times.iter().zip(&balance.missing).map(|(&t, &m)| (t, relative(m))).collect();
    let doubt: Vec<f64> = balance.doubt.iter().map(|&d| relative(d)).collect();
    let mut measured = largest(series, &doubt);
    measured.note = format!("relative to {scale:.3e} J");
    measured.said_by_engine = subject.record.track.signal("engine/energy_J").and_then(|said| {
        let start = said.values.get(rows[0])?;
        let missing =
            rows.iter().zip(&balance.exchanged).map(|(&r, x)| Some((said.values.get(r)? - start - x).abs()));
        missing.collect::<Option<Vec<_>>>()?.into_iter().map(relative).reduce(f64::max)
    });
    Ok(measured)
}
