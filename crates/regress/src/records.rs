//! Motions from records and recordings: a trial's record, a cleaned recording, or any file that `mocap` reads.
//!
//! A record (`.mcap` written by Veracity) has the poses of its bodies, the coordinates of its joints and further columns.
//! Any other file is read and cleaned with the default steps first. Rows without a pose split a motion into pieces.

use crate::error::Error;
use crate::motion::Motion;
use crate::simulate::Subject;
use std::path::Path;
use veracity_mocap::pipeline::{self, CleanOptions};
use veracity_mocap::readers::{self, ReadOptions};
use veracity_mocap::turns::product;
use veracity_model::geometry::quat_from_rpy;
use veracity_record::{Record, read_mcap};

/// Column of a cleaned recording with the angle of an actuator.
const ACTUATOR: &str = "actuator/angle";

/// Rows are evenly spaced if their intervals differ by less than this share of the median.
const EVEN: f64 = 0.2;

/// A file as a record: a record of ours as it is, anything else cleaned.
pub fn record(path: &Path) -> Result<Record, Error> {
    if let Ok(record) = read_mcap(path) {
        return Ok(record);
    }
    let stream =
        readers::read(path, None, &ReadOptions::default()).map_err(|error| Error::Unfit(error.to_string()))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let options = CleanOptions { name, ..CleanOptions::default() };
    let cleaned = pipeline::clean(stream, &options)
        .map_err(|(error, _)| Error::Unfit(format!("{}: {error}", path.display())))?;
    Ok(cleaned.record)
}

/// The motion of a subject in a record. `body_turn_deg` is roll, pitch and yaw of the features' frame in the body's.
pub fn motion(
    record: &Record,
    subject: &Subject,
    body_turn_deg: [f64; 3],
    name: &str,
    targets: &[f64],
) -> Result<Motion, Error> {
    let wrong = |what: String| Error::Unfit(format!("{name}: {what}"));
    let (layout, track) = (record.layout(), &record.track);
    let bodies = || layout.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", ");
    // A recording made without a model has one body with a name of its own.
    let body = match layout.body(&subject.body) {
        Some(body) => body,
        None if layout.bodies.len() == 1 => 0,
        None => return Err(wrong(format!("the record has no body '{}'; it has: {}", subject.body, bodies()))),
    };
    let joint = match &subject.joint {
        None => None,
        Some(joint) => match (layout.joint(joint), track.signal(ACTUATOR)) {
            (Some(slot), _) => Some((0..track.rows()).map(|row| track.q(row)[layout.joints[slot].q]).collect()),
            (None, Some(angle)) => Some(angle.values.clone()),
            (None, None) => {
                return Err(wrong(format!("the record has neither a joint '{joint}' nor a column '{ACTUATOR}'")));
            }
        },
    };
    let angle: Vec<f64> = joint.unwrap_or_else(|| vec![0.0; track.rows()]);
    let interval_s = interval(&track.times).ok_or_else(|| wrong("fewer than two rows".to_owned()))?;
    let [r, p, y] = body_turn_deg.map(f64::to_radians);
    let turn = quat_from_rpy(r, p, y);
    let turn = [turn.w, turn.i, turn.j, turn.k];
    let mut motion = Motion { name: name.to_owned(), targets: targets.to_vec(), interval_s, ..Motion::default() };
    let mut begun = 0;
    for row in 0..track.rows() {
        let pose = track.pose(row, body);
        let apart = row > 0 && (track.times[row] - track.times[row - 1] - interval_s).abs() > EVEN * interval_s;
        if apart {
            motion.end_piece(&mut begun);
        }
        if pose.iter().any(|x| x.is_nan()) || angle[row].is_nan() {
            motion.end_piece(&mut begun);
            continue;
        }
        motion.position.push([pose[0], pose[1], pose[2]]);
        motion.orientation.push(product(&[pose[3], pose[4], pose[5], pose[6]], &turn));
        motion.angle.push(angle[row]);
    }
    motion.end_piece(&mut begun);
    if motion.position.is_empty() {
        let what = format!("no row has a pose of '{}'", layout.bodies[body].name);
        return Err(wrong(what));
    }
    Ok(motion)
}

/// Median interval between rows [s].
fn interval(times: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_mocap::synthetic::ball::{Ball, roll};
    use veracity_mocap::synthetic::{files, truth};

    #[test]
    fn a_record_and_a_table_of_the_same_motion_give_the_same() {
        let folder = std::env::temp_dir().join(format!("veracity-regress-records-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let rolled = roll(&Ball::default(), 3.0, 5).unwrap();
        veracity_record::write_mcap(&rolled, &folder.join("a.mcap")).unwrap();
        let mut samples = truth(&rolled, "body", 100.0).unwrap();
        for sample in &mut samples[100..150] {
            *sample = veracity_mocap::stream::Sample::missing(sample.stamp_ns);
        }
        files::csv(&folder.join("a.csv"), &samples).unwrap();
        let subject = Subject { body: "body".into(), joint: None };
        let of = |name: &str| motion(&record(&folder.join(name)).unwrap(), &subject, [0.0; 3], name, &[2.0]).unwrap();
        let (whole, gap) = (of("a.mcap"), of("a.csv"));
        assert_eq!((whole.pieces.len(), gap.pieces.len(), whole.targets[0]), (1, 2, 2.0));
        assert_eq!(gap.position.len() + 50, whole.position.len());
        // A table has every digit.
        assert!((0..100).all(|k| whole.position[k] == gap.position[k]));
        let wrong = Subject { body: "body".into(), joint: Some("motor".into()) };
        let error = motion(&record(&folder.join("a.mcap")).unwrap(), &wrong, [0.0; 3], "a", &[]).unwrap_err();
        assert!(error.to_string().contains("neither a joint 'motor' nor a column"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
