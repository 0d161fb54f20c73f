//! Recordings with known truth: any simulated record seen by a virtual motion-capture system.
//!
//! [`truth`] extracts a body's motion from a record at the cameras' rate. [`capture`] turns it into what a tracker
//! sends: noise, snaps, samples without a pose, lost samples, arrival stamps. [`cameras`] makes markers seen by a ring
//! of cameras. [`lamp`] makes the signal file of an actuator filmed by a video camera. [`files`] writes all of them in
//! the formats the readers read. [`ball`] generates a motion without an engine.
//!
//! Random numbers are addressed by seed, purpose and sample: the same recording for any order of evaluation.

pub mod ball;
pub mod c3d_file;
pub mod cameras;
pub mod capture;
pub mod files;
pub mod lamp;

use crate::stream::Sample;
use crate::turns::slerp;
use veracity_record::Record;

/// A body's motion at regular times, from a record with rows at any times.
///
/// Positions are interpolated linearly between rows and orientations by slerp, so rows should be no further apart than
/// samples. `None` without such a body or with fewer than two rows.
pub fn truth(record: &Record, body: &str, rate_hz: f64) -> Option<Vec<Sample>> {
    let slot = record.layout().body(body)?;
    let track = &record.track;
    let (first, last) = (*track.times.first()?, *track.times.last()?);
    if last.partial_cmp(&first) != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    // A last row that is a rounding error short of a sample still counts for it.
    let count = ((last - first) * rate_hz + 1e-6).floor() as usize + 1;
    let mut row = 0;
    let mut out = Vec::with_capacity(count);
    for k in 0..count {
        let time = first + k as f64 / rate_hz;
        while row + 2 < track.rows() && track.times[row + 1] <= time {
            row += 1;
        }
        let part = ((time - track.times[row]) / (track.times[row + 1] - track.times[row])).clamp(0.0, 1.0);
        let (a, b) = (track.pose(row, slot), track.pose(row + 1, slot));
        let position = [0, 1, 2].map(|i| a[i] + part * (b[i] - a[i]));
        let turn = |pose: &[f64]| [pose[3], pose[4], pose[5], pose[6]];
        let orientation = slerp(&turn(a), &turn(b), part);
        out.push(Sample { stamp_ns: (time * 1e9).round() as i64, position, orientation });
    }
    Some(out)
}
