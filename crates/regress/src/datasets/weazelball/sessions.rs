//! The recorded Weazelball sessions as complete motions, for comparisons of distributions and for drawing.

use super::pairs::INTERVAL_S;
use crate::error::Error;
use crate::motion::Motion;
use std::path::{Path, PathBuf};
use veracity_mocap::datasets::weazelball::{PUBLISHED_CENTRE, RADIUS, SESSIONS, STEP_S};
use veracity_mocap::readers::{self, ReadOptions};
use veracity_mocap::steps::snaps_robust::{LeastSnap, find};
use veracity_mocap::steps::time_base::time_base;
use veracity_mocap::stream::Sample;
use veracity_mocap::turns::{about, product, rotate};

/// A centre higher than this is a ball in a hand [m].
const IN_HAND_M: f64 = 1.3 * RADIUS;

/// The file of a session below a folder: `vicon/trial_01.txt` and so on.
pub fn path_of(folder: &Path, session: u32) -> PathBuf {
    folder.join(format!("vicon/trial_{session:02}.txt"))
}

/// An error if the file of a session is missing, before anything long is run.
pub fn check(folder: &Path, sessions: &[u32]) -> Result<(), Error> {
    let missing: Vec<String> = sessions
        .iter()
        .map(|session| path_of(folder, *session))
        .filter(|path| !path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Unfit(format!(
        "recorded sessions are missing: {}; correct --data or the study's list of sessions",
        missing.join(", ")
    )))
}

/// Sessions below a folder. Samples within snaps or before the valid start split a motion into pieces: those the authors
/// marked by hand where they did, else those found by the robust rule, with samples in the hand left out. Positions are
/// of the ball's centre; orientations are in the model's frame, whose y is the motor's axis.
pub fn sessions(folder: &Path, numbers: &[u32]) -> Result<Vec<Motion>, Error> {
    check(folder, numbers)?;
    let turn = about(&[1.0, 0.0, 0.0], -std::f64::consts::FRAC_PI_2);
    numbers
        .iter()
        .map(|number| {
            let stream = readers::read(&path_of(folder, *number), Some("vicon"), &ReadOptions::default())
                .map_err(|e| Error::Unfit(e.to_string()))?;
            let wrong = wrong_samples(&stream.samples, *number)?;
            let mut motion =
                Motion { name: format!("session {number}"), interval_s: INTERVAL_S, ..Motion::default() };
            let mut begun = 0;
            for (sample, wrong) in stream.samples.iter().zip(wrong) {
                if wrong || !sample.is_known() {
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

fn wrong_samples(samples: &[Sample], number: u32) -> Result<Vec<bool>, Error> {
    if let Some(marked) = SESSIONS.iter().find(|s| s.number == number as usize) {
        return Ok((0..samples.len()).map(|k| !marked.is_good(k)).collect());
    }
    let base = time_base(samples, Some(1.0 / STEP_S))
        .ok_or_else(|| Error::Unfit(format!("session {number}: its stamps give no time base")))?;
    let snaps = find(samples, &base.times_s, STEP_S, LeastSnap::default()).paired.intervals;
    let in_snap = |k: usize| snaps.iter().any(|snap| (snap.first..=snap.end).contains(&k));
    Ok((0..samples.len()).map(|k| in_snap(k) || samples[k].position[2] > IN_HAND_M).collect())
}
