//! How high a body gets.
//!
//! The largest height of the body's centre of mass against gravity over the world's origin, `of` naming the body, in the
//! window from `from_s` to `until_s`. Between a row that rises and one that falls the body is taken to be in flight: its
//! speed falls in a straight line, and the summit is exact.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::inertia;
use crate::rows::{BodyRow, Rows, need_twists, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "highest",
    unit: "m",
    text: "the largest height of a body's centre of mass",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_twists(subject)?;
    let Some(up) = (-subject.record.world.gravity).try_normalize(0.0) else {
        return CannotTell::new("without gravity there is no height");
    };
    let Some(body) = options.of.as_ref().and_then(|name| subject.layout.body(name)) else {
        return CannotTell::new("name the body whose height is wanted with `of`");
    };
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let com = inertia(subject, body).com;
    let track = &subject.record.track;
    let seen = |row: usize| {
        let motion = BodyRow::read(track, row, body);
        (track.times[row], up.dot(&motion.point(&com)), up.dot(&motion.point_velocity(&com)))
    };
    let points: Vec<(f64, f64, f64)> = rows.iter().map(|&row| seen(row)).collect();
    if let Some(lost) = points.iter().find(|p| p.1.is_nan() || p.2.is_nan()) {
        return Ok(Measured { at_s: Some(lost.0), ..Measured::new(f64::NAN, 0.0) });
    }
    let mut best = (points[0].1, points[0].0);
    for pair in points.windows(2) {
        for (height, at) in [(pair[1].1, pair[1].0)].into_iter().chain(summit(pair[0], pair[1])) {
            if height > best.0 {
                best = (height, at);
            }
        }
    }
    let series = points.iter().map(|p| (p.0, p.1)).collect();
    Ok(Measured { at_s: Some(best.1), series, ..Measured::new(best.0, 0.0) })
}

/// The highest point of the flight from a rising to a falling row, and its time. The speed falls linearly, as in
/// flight; its zero crossing divides the interval, and the mean of the heights extrapolated from both ends cancels the
/// error of the rows' velocities.
fn summit(a: (f64, f64, f64), b: (f64, f64, f64)) -> Option<(f64, f64)> {
    if !(a.2 > 0.0 && b.2 < 0.0) {
        return None;
    }
    let span = b.0 - a.0;
    let share = a.2 / (a.2 - b.2);
    let from_left = a.1 + 0.5 * a.2 * share * span;
    let from_right = b.1 - 0.5 * b.2 * (1.0 - share) * span;
    Some((0.5 * (from_left + from_right), a.0 + share * span))
}
