//! How far bodies sink that should be carried.
//!
//! The way of a body's centre of mass along gravity since the first row that counts, positive downwards; the worst body
//! and the worst instant. `of` names one body; without it every body that can move counts. Bodies that rise have sunk by
//! nothing: `displacement` sees them.

use super::displacement::worst_of;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::{centre, chosen_bodies};
use crate::rows::{Rows, need_poses, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "sink",
    unit: "m",
    text: "the largest displacement of a body along gravity",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let Some(down) = subject.record.world.gravity.try_normalize(0.0) else {
        return CannotTell::new("there is no gravity to sink along; measure `displacement` instead");
    };
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let bodies = chosen_bodies(subject, options)?;
    let way = |row: usize, body: usize| {
        let way = (centre(subject, row, body) - centre(subject, rows[0], body)).dot(&down);
        if way.is_nan() { way } else { way.max(0.0) }
    };
    Ok(worst_of(subject, options, &rows, &bodies, way))
}
