//! The recorded Weazelball sessions as complete motions, for comparisons of distributions and for drawing.

use crate::error::Error;
use crate::motion::Motion;
use crate::turn::{about, product, rotate};
use std::path::Path;
use veracity_mocap::readers::{self, ReadOptions};
use veracity_mocap::weazelball::{PUBLISHED_CENTRE, SESSIONS, STEP_S};

/// Sessions below a folder, `vicon/trial_01.txt` and so on. Samples within snaps or before the valid start split a
/// motion into pieces. Positions are of the ball's centre; orientations are in the model's frame, whose y is the
/// motor's axis.
pub fn sessions(folder: &Path) -> Result<Vec<Motion>, Error> {
    let turn = about(&[1.0, 0.0, 0.0], -std::f64::consts::FRAC_PI_2);
    SESSIONS
        .iter()
        .map(|session| {
            let path = folder.join(format!("vicon/trial_{:02}.txt", session.number));
            let stream = readers::read(&path, Some("vicon"), &ReadOptions::default())
                .map_err(|e| Error::Unfit(e.to_string()))?;
            let mut motion =
                Motion { name: format!("session {}", session.number), interval_s: STEP_S, ..Motion::default() };
            let mut begun = 0;
            for (k, sample) in stream.samples.iter().enumerate() {
                if !session.is_good(k) || !sample.is_known() {
                    motion.end_piece(&mut begun);
                    continue;
                }
                let away = rotate(&sample.orientation, &PUBLISHED_CENTRE);
                motion.position.push([0, 1, 2].map(|axis| sample.position[axis] + away[axis]));
                motion.orientation.push(product(&sample.orientation, &turn));
                motion.angle.push(0.0);
            }
            motion.end_piece(&mut begun);
            Ok(motion)
        })
        .collect()
}
