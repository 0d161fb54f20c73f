//! How far bodies have moved that should stay where they are.
//!
//! The distance of a body's centre of mass from where it was in the first row that counts; the worst body and the worst
//! instant. `of` names one body; without it every body that can move counts. With `level` [m] the note says when the
//! first of them had moved that far: the time to collapse of a tower.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::{centre, chosen_bodies, first_beyond};
use crate::rows::{Rows, largest, need_poses, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "displacement",
    unit: "m",
    text: "the largest displacement of a body from its start",
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
    let way = |row: usize, body: usize| (centre(subject, row, body) - centre(subject, rows[0], body)).norm();
    Ok(worst_of(subject, options, &rows, &bodies, way))
}

/// The largest over bodies and rows of a quantity that is zero in the first row, with the body and the time in the
/// note.
pub(super) fn worst_of(
    subject: &Subject<'_>,
    options: &Options,
    rows: &[usize],
    bodies: &[usize],
    value: impl Fn(usize, usize) -> f64,
) -> Measured {
    let mut worst = (f64::NEG_INFINITY, bodies[0]);
    let of_row = |row: usize| {
        let mut most = 0.0f64;
        for &body in bodies {
            let here = value(row, body);
            if here > worst.0 {
                worst = (here, body);
            }
            most = if here.is_nan() { here } else { most.max(here) };
        }
        (subject.record.track.times[row], most)
    };
    let series: Vec<(f64, f64)> = rows.iter().copied().map(of_row).collect();
    let none = vec![0.0; series.len()];
    let mut measured = largest(series, &none);
    measured.note = format!("worst is {}", subject.layout.bodies[worst.1].name);
    if let Some(level) = options.level {
        measured.note += &first_beyond(&measured.series, level);
    }
    measured
}
