//! How restless bodies are that should be at rest.
//!
//! The root mean square, over the rows that count, of the speed of a body's surface: that of its centre of mass and that
//! of its turning, the latter times the radius of gyration, root of their squares' sum. The worst body counts; `of` names
//! one, without it every body that can move counts. Choose `from_s` late enough that all has come to rest.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::resting::{chosen_bodies, inertia};
use crate::rows::{BodyRow, Rows, need_twists, rows_that_count};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "jitter",
    unit: "m/s",
    text: "the root mean square speed of a body that should be at rest",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_twists(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let bodies = chosen_bodies(subject, options)?;
    let track = &subject.record.track;
    // Twice the kinetic energy over the mass: the mean square speed of the mass.
    let squared = |row: usize, body: usize| {
        let (motion, inertia) = (BodyRow::read(track, row, body), inertia(subject, body));
        let spin = motion.world_from_body.rotation.inverse() * motion.spin;
        motion.point_velocity(&inertia.com).norm_squared() + spin.dot(&(inertia.tensor * spin)) / inertia.mass
    };
    let mut worst = (f64::NEG_INFINITY, bodies[0]);
    for &body in &bodies {
        let mean = rows.iter().map(|&row| squared(row, body)).sum::<f64>() / rows.len() as f64;
        if mean.is_nan() || mean > worst.0 {
            worst = (mean, body);
        }
        if mean.is_nan() {
            break;
        }
    }
    let series = rows.iter().map(|&row| (track.times[row], squared(row, worst.1).sqrt())).collect();
    let note = format!("worst is {}", subject.layout.bodies[worst.1].name);
    Ok(Measured { series, note, ..Measured::new(worst.0.sqrt(), 0.0) })
}
