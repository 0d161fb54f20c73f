//! How far a body has moved in the frame of another, whichever models they belong to.
//!
//! `point_m` of body `of` (the origin of its frame unless given) is followed in the frame of body `with`: the value is the
//! largest distance from where it was in the first row that counts. An object in a closed hand stays; how the hand moves
//! does not count.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, need_poses, rows_that_count};
use crate::task_conditions::{body, relative};
use crate::truth::Truth;
use veracity_model::Vec3;
/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "relative_displacement",
    unit: "m",
    text: "the largest displacement of a body in the frame of another",
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
    let point = Vec3::from(options.point.unwrap_or([0.0; 3]));
    let place = |row: usize| {
        let pose = relative(track, row, one, Some(other));
        pose.translation.vector + pose.rotation * point
    };
    let from = place(rows[0]);
    let series: Vec<(f64, f64)> = rows.iter().map(|&row| (track.times[row], (place(row) - from).norm())).collect();
    let none = vec![0.0; series.len()];
    Ok(largest(series, &none))
}
