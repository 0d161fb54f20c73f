//! How far a body has turned in the frame of another, whichever models they belong to.
//!
//! The angle of the rotation that leads from the orientation of body `of` in the frame of body `with` in the first row that
//! counts to the present one, the largest of all rows. The partner of `relative_displacement`, which measures metres.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, need_poses, rows_that_count};
use crate::task_conditions::{angle, body, relative};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "relative_angle",
    unit: "rad",
    text: "the largest rotation of a body in the frame of another",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let one = body(subject.layout, "of", options.of.as_ref())?;
    let other = body(subject.layout, "with", options.with.as_ref())?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let track = &subject.record.track;
    let from = relative(track, rows[0], one, Some(other)).rotation.inverse();
    let turned = |row: usize| angle(&(from * relative(track, row, one, Some(other)).rotation));
    let series: Vec<(f64, f64)> = rows.iter().map(|&row| (track.times[row], turned(row))).collect();
    let none = vec![0.0; series.len()];
    Ok(largest(series, &none))
}
