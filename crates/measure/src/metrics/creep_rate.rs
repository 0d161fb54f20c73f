//! How fast a body creeps that friction should hold.
//!
//! The straight line through the places of the body's centre of mass over time, by least squares; its slope is the rate.
//! It sees a steady drift of nanometres under jitter of micrometres, which a distance between two rows does not. `of`
//! names one body; without it the worst of those that can move counts. The uncertainty is one standard error of the slope,
//! the scatter about the line taken as noise.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::{centre, chosen_bodies};
use crate::rows::{Rows, need_poses, rows_that_count};
use crate::truth::Truth;
use veracity_model::Vec3;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "creep_rate",
    unit: "m/s",
    text: "the steady speed of a body that friction should hold",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) if rows.len() < 3 => {
            return CannotTell::new("a rate needs three rows or more: widen the window");
        }
        Rows::Some(rows) => rows,
    };
    let times: Vec<f64> = rows.iter().map(|&row| subject.record.track.times[row]).collect();
    let mut worst: Option<(f64, f64, usize)> = None;
    for body in chosen_bodies(subject, options)? {
        let places: Vec<Vec3> = rows.iter().map(|&row| centre(subject, row, body)).collect();
        let (rate, error) = slope(&times, &places);
        if worst.is_none_or(|(most, ..)| rate.is_nan() || rate > most) {
            worst = Some((rate, error, body));
        }
        if rate.is_nan() {
            break;
        }
    }
    let Some((rate, error, body)) = worst else { return CannotTell::new("no selected body can move") };
    let from = centre(subject, rows[0], body);
    let series = rows.iter().zip(&times).map(|(&row, &t)| (t, (centre(subject, row, body) - from).norm())).collect();
    let note = format!("worst is {}; its path is plotted", subject.layout.bodies[body].name);
    Ok(Measured { series, note, ..Measured::new(rate, error) })
}

/// Length of the slope of the line through the positions, and its standard error.
fn slope(times: &[f64], places: &[Vec3]) -> (f64, f64) {
    let count = times.len() as f64;
    let middle = times.iter().sum::<f64>() / count;
    // Subtract the first position: centimetres of position must not mask nanometres of displacement.
    let ways: Vec<Vec3> = places.iter().map(|p| p - places[0]).collect();
    let mean = ways.iter().sum::<Vec3>() / count;
    let spread: f64 = times.iter().map(|t| (t - middle) * (t - middle)).sum();
    let slope = times.iter().zip(&ways).map(|(t, w)| (w - mean) * (t - middle)).sum::<Vec3>() / spread;
    let off = |(t, w): (&f64, &Vec3)| (w - mean - slope * (t - middle)).norm_squared();
    let scatter = times.iter().zip(&ways).map(off).sum::<f64>() / (count - 2.0);
    (slope.norm(), (scatter / spread).sqrt())
}
