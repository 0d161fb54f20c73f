//! How many bodies have gone where no way leads: through a wall or a floor.
//!
//! The number of bodies whose centre of mass lies, in any row that counts, lower along gravity than `level` [m], a height
//! over the world's origin that none can reach without passing through something. `of` names one body. Bodies whose place
//! is not a number count as well.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::{centre, chosen_bodies};
use crate::rows::{Rows, need_poses, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "tunnelled",
    unit: "",
    text: "the number of bodies that passed through what should hold them",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let Some(down) = subject.record.world.gravity.try_normalize(0.0) else {
        return CannotTell::new("without gravity there is no downward direction");
    };
    let Some(level) = options.level else {
        return CannotTell::new("give `level`, the height in metres that no body can get below");
    };
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let bodies = chosen_bodies(subject, options)?;
    let mut below = vec![false; bodies.len()];
    let mut series = Vec::with_capacity(rows.len());
    for &row in &rows {
        for (gone, &body) in below.iter_mut().zip(&bodies) {
            let height = -centre(subject, row, body).dot(&down);
            *gone |= height.is_nan() || height < level;
        }
        series.push((subject.record.track.times[row], below.iter().filter(|gone| **gone).count() as f64));
    }
    let count = series.last().map_or(0.0, |(_, count)| *count);
    let at_s = series.iter().find(|(_, count)| *count > 0.0).map(|(t, _)| *t);
    let note = format!("of {} bodies", bodies.len());
    Ok(Measured { at_s, series, note, ..Measured::new(count, 0.0) })
}
