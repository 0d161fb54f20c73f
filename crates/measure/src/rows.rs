//! Reading a record: which rows count, and the poses of bodies in them.

use crate::curve::SAME_INSTANT_S;
use crate::metric::{CannotTell, Measured, Options, Subject};
use nalgebra as na;
use std::ops::Range;
use veracity_model::{Pose, Quat, Vec3};
use veracity_record::track::{POSE, TWIST};
use veracity_record::{Outcome, Track};

/// Pose and velocity of a body in world axes, from the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRow {
    /// The body's frame in the world.
    pub world_from_body: Pose,
    /// [rad/s]
    pub spin: Vec3,
    /// Of the frame's origin [m/s].
    pub velocity: Vec3,
}

impl BodyRow {
    /// Reads a body in a row.
    pub fn read(track: &Track, row: usize, body: usize) -> Self {
        let w = track.twist(row, body);
        Self {
            world_from_body: pose(track, row, body),
            spin: Vec3::new(w[0], w[1], w[2]),
            velocity: Vec3::new(w[3], w[4], w[5]),
        }
    }

    /// A point of the body, in the world [m].
    pub fn point(&self, in_body: &Vec3) -> Vec3 {
        self.world_from_body.translation.vector + self.world_from_body.rotation * in_body
    }

    /// Velocity of a point of the body [m/s].
    pub fn point_velocity(&self, in_body: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(self.world_from_body.rotation * in_body))
    }
}

/// Pose of a body in a row. Quaternions are normalised: their digits are rounded in files.
pub fn pose(track: &Track, row: usize, body: usize) -> Pose {
    let p = track.pose(row, body);
    let rotation = Quat::new_normalize(na::Quaternion::new(p[3], p[4], p[5], p[6]));
    Pose::from_parts(Vec3::new(p[0], p[1], p[2]).into(), rotation)
}

/// Fails unless the instants of the record are finite and increasing.
fn need_times(subject: &Subject<'_>) -> Result<(), CannotTell> {
    let times = &subject.record.track.times;
    let apart = times.windows(2).all(|w| w[0] < w[1]);
    if !apart || times.iter().any(|t| !t.is_finite()) {
        return CannotTell::new("the times of the record do not increase; the file is damaged");
    }
    Ok(())
}

/// Fails unless the record matches its layout and has poses.
pub fn need_poses(subject: &Subject<'_>) -> Result<(), CannotTell> {
    need_times(subject)?;
    let (track, bodies) = (&subject.record.track, subject.layout.bodies.len());
    if track.bodies != bodies || track.poses.len() != track.rows() * bodies * POSE {
        return CannotTell::new(format!(
            "the record holds no poses of the world's {bodies} bodies; record them, or measure joints instead"
        ));
    }
    Ok(())
}

/// Fails unless it has poses and velocities of bodies.
pub fn need_twists(subject: &Subject<'_>) -> Result<(), CannotTell> {
    need_poses(subject)?;
    let track = &subject.record.track;
    if track.twists.len() != track.rows() * track.bodies * TWIST {
        return CannotTell::new(
            "the record holds no velocities of bodies; record them, or measure positions instead",
        );
    }
    Ok(())
}

/// Fails unless it has joint positions and velocities in the order of the layout.
pub fn need_joints(subject: &Subject<'_>) -> Result<(), CannotTell> {
    need_times(subject)?;
    let (track, layout) = (&subject.record.track, subject.layout);
    let (nq, nv) = (layout.position_count, layout.dof_count());
    let complete = track.q.len() == track.rows() * nq && track.v.len() == track.rows() * nv;
    if track.nq != nq || track.nv != nv || !complete {
        return CannotTell::new("the record holds no joint positions and velocities; measure bodies instead");
    }
    Ok(())
}

/// The rows that count, or the result if the trial broke down before them.
pub enum Rows {
    /// These.
    Some(Vec<usize>),
    /// It broke down before: an infinite value with the reason.
    BrokeDown(Measured),
}

/// The result for a trial that broke down before an instant.
pub fn broke_down(subject: &Subject<'_>, before: f64) -> Option<Measured> {
    let Outcome::BrokeDown { time, reason } = &subject.record.outcome else { return None };
    let note = format!("the trial broke down at {time} s, before {before} s: {reason}");
    Some(Measured { at_s: Some(*time), note, ..Measured::new(f64::INFINITY, 0.0) })
}

/// The recorded instants that a metric without a reference evaluates.
pub fn rows_that_count(subject: &Subject<'_>, options: &Options) -> Result<Rows, CannotTell> {
    let times = &subject.record.track.times;
    let offset = options.time_offset_s;
    let Some((&first, &last)) = times.first().zip(times.last()) else {
        return match broke_down(subject, 0.0) {
            Some(broken) => Ok(Rows::BrokeDown(broken)),
            None => CannotTell::new("the record is empty"),
        };
    };
    let wanted_last = options.at_s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let wanted_last = match (options.at_s.is_empty(), options.until_s) {
        (false, _) => wanted_last + offset,
        (true, Some(until)) => until + offset,
        (true, None) => subject.record.head.duration_s,
    };
    if last + SAME_INSTANT_S < wanted_last {
        if let Some(broken) = broke_down(subject, wanted_last) {
            return Ok(Rows::BrokeDown(broken));
        }
        // Without a requirement in the scenario, the record determines how long it is.
        if !options.at_s.is_empty() || options.until_s.is_some() {
            let stopped = match &subject.record.outcome {
                Outcome::Stopped { check, .. } => format!(" because '{check}' stopped the trial"),
                _ => String::new(),
            };
            return CannotTell::new(format!("the record ends at {last} s, before {wanted_last} s{stopped}"));
        }
    }
    let mut rows = Vec::new();
    for &at in &options.at_s {
        let at = at + offset;
        let row = times.partition_point(|&t| t < at - SAME_INSTANT_S);
        match times.get(row) {
            Some(&t) if (t - at).abs() <= SAME_INSTANT_S => rows.push(row),
            _ => return CannotTell::new(format!("nothing was recorded at {at} s; record at multiples of it")),
        }
    }
    if options.at_s.is_empty() {
        rows.extend(window(times, options));
    }
    if rows.is_empty() {
        return CannotTell::new(format!("the record, from {first} to {last} s, has no row in the requested window"));
    }
    Ok(Rows::Some(rows))
}

/// Rows between `from_s` and `until_s`.
pub fn window(times: &[f64], options: &Options) -> Range<usize> {
    let from = options.from_s.map_or(f64::NEG_INFINITY, |t| t + options.time_offset_s - SAME_INSTANT_S);
    let until = options.until_s.map_or(f64::INFINITY, |t| t + options.time_offset_s + SAME_INSTANT_S);
    let first = times.partition_point(|&t| t < from);
    // A window that ends before it starts is empty.
    first..times.partition_point(|&t| t <= until).max(first)
}

/// The largest of a series with an uncertainty at each instant. A NaN is returned at once.
pub fn largest(series: Vec<(f64, f64)>, doubt: &[f64]) -> Measured {
    let lost = series.iter().find(|(_, x)| x.is_nan()).copied();
    let found = lost.or_else(|| series.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)));
    let Some((at, value)) = found else { return Measured::new(0.0, 0.0) };
    // The true largest lies between the largest lower and the largest upper end.
    let ends = |sign: f64| series.iter().zip(doubt).map(|(s, d)| s.1 + sign * d).fold(f64::NEG_INFINITY, f64::max);
    let uncertainty = if value.is_finite() { (ends(1.0) - value).max(value - ends(-1.0)) } else { 0.0 };
    let doubt_lost = doubt.iter().any(|d| d.is_nan());
    let uncertainty = if doubt_lost { f64::INFINITY } else { uncertainty };
    Measured { at_s: Some(at), series, ..Measured::new(value, uncertainty) }
}
