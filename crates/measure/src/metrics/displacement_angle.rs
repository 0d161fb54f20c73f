//! How far bodies have turned that should stay as they are.
//!
//! The angle of the rotation that leads from a body's orientation in the first row that counts to the present one; the
//! worst body and the worst instant. `of` names one body; without it every body that can move counts. The partner of
//! `displacement`, which measures metres.

use super::displacement::worst_of;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::chosen_bodies;
use crate::rows::{Rows, need_poses, pose, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "displacement_angle",
    unit: "rad",
    text: "the largest rotation of a body from its start",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let bodies = chosen_bodies(subject, options)?;
    let track = &subject.record.track;
    let turn = |row: usize, body: usize| {
        let between = pose(track, rows[0], body).rotation.inverse() * pose(track, row, body).rotation;
        // From the vector part: computed from the cosine, everything below 1e-8 rad would be lost.
        let q = between.quaternion();
        2.0 * libm::atan2(q.imag().norm(), q.w.abs())
    };
    Ok(worst_of(subject, options, &rows, &bodies, turn))
}
