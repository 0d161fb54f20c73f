//! ROS 2 bags in MCAP: joint states and poses recorded by a real robot or another simulator.
//!
//! [`read_ros2_bag`] collects every channel of a known type into a [`Recording`]: time series by name, with the stamps
//! of the messages' headers. [`Recording::to_record`] puts them into the flat arrays of a world, for `measure` to
//! compare. Rows are the instants at which something was measured; what was not measured at that instant is NaN.
//! Nothing is interpolated here.

mod messages;
mod to_record;

pub use to_record::{Mapping, MappingError};

use crate::file::FileError;
use crate::mcap::{Item, cut_off, walk_to_cut};
use messages::Sample;
use std::collections::BTreeMap;
use std::path::Path;

/// The supported content of a bag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// By topic and joint.
    pub joints: Vec<JointSeries>,
    /// By topic and child frame.
    pub poses: Vec<PoseSeries>,
    /// Channels that were not read: topic and message type.
    pub skipped: Vec<(String, String)>,
    /// Byte where the file ends too early, if its writer was stopped: messages before it were read.
    pub cut_at: Option<u64>,
}

/// One joint over time. The four lists have the same length; NaN means that the message had no value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointSeries {
    /// The channel's topic.
    pub topic: String,
    /// The joint's name in the messages.
    pub name: String,
    /// Stamps of the headers [ns].
    pub times_ns: Vec<i64>,
    /// [rad or m]
    pub positions: Vec<f64>,
    /// [rad/s or m/s]
    pub velocities: Vec<f64>,
    /// [N m or N]
    pub efforts: Vec<f64>,
}

/// One frame over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseSeries {
    /// The channel's topic.
    pub topic: String,
    /// The frame the poses are given in.
    pub frame: String,
    /// The frame that moves; empty where the message does not name it (`PoseStamped`).
    pub child: String,
    /// Stamps of the headers [ns].
    pub times_ns: Vec<i64>,
    /// `frame_from_child`: x y z, quaternion w x y z.
    pub poses: Vec<[f64; 7]>,
    /// Angular, then linear, in the axes of the child as in `Odometry`; NaN where there is none.
    pub twists: Vec<[f64; 6]>,
}

/// Limit on the samples kept of a bag: each takes about 128 bytes, all of them a gigabyte. A compressed file of a
/// hundred kilobytes can hold more.
const MOST_SAMPLES: usize = 8_000_000;

/// Reads a bag. With `topics`, only those are read, and a missing one is an error, as is a file that ends too early.
pub fn read_ros2_bag(path: &Path, topics: &[&str]) -> Result<Recording, FileError> {
    let recording = read_ros2_bag_to_cut(path, topics)?;
    match recording.cut_at {
        None => Ok(recording),
        Some(at) => Err(cut_off(path, at)),
    }
}

/// Reads a bag that may be cut off: what is there, with [`Recording::cut_at`].
pub fn read_ros2_bag_to_cut(path: &Path, topics: &[&str]) -> Result<Recording, FileError> {
    let mut collector = Collector::default();
    let cut_at = walk_to_cut(path, |item| {
        let Item::Message { channel, log_time, data } = item else { return Ok(()) };
        if !topics.is_empty() && !topics.contains(&channel.topic.as_str()) {
            return Ok(());
        }
        match messages::decode(&channel.schema, &channel.encoding, data)? {
            Some(samples) => {
                collector.samples += samples.len();
                if collector.samples > MOST_SAMPLES {
                    return Err(format!(
                        "there are more than {MOST_SAMPLES} samples; cut the bag or leave topics out"
                    ));
                }
                samples.into_iter().for_each(|sample| collector.take_in(&channel.topic, log_time, sample))
            }
            None => drop(collector.skipped.insert(channel.topic.clone(), channel.schema.clone())),
        }
        collector.seen.insert(channel.topic.clone(), ());
        Ok(())
    })?;
    if let Some(missing) = topics.iter().find(|topic| !collector.seen.contains_key(**topic)) {
        let seen = collector.seen.into_keys().collect::<Vec<_>>().join(", ");
        let what = format!("no messages; of the topics requested, the bag has: {seen}");
        return Err(FileError::damaged(path, format!("channel {missing}"), what));
    }
    Ok(Recording { cut_at, ..collector.finish() })
}

/// A series with its log times, for messages with empty headers.
#[derive(Default)]
struct Timed<S> {
    series: S,
    log_times_ns: Vec<i64>,
}

#[derive(Default)]
struct Collector {
    samples: usize,
    seen: BTreeMap<String, ()>,
    joints: BTreeMap<(String, String), Timed<JointSeries>>,
    poses: BTreeMap<(String, String, String), Timed<PoseSeries>>,
    skipped: BTreeMap<String, String>,
}

impl Collector {
    fn take_in(&mut self, topic: &str, log_time: u64, sample: Sample) {
        let log_time = i64::try_from(log_time).unwrap_or(i64::MAX);
        match sample {
            Sample::Joint { stamp_ns, name, position, velocity, effort } => {
                let timed = self.joints.entry((topic.to_string(), name.clone())).or_default();
                timed.log_times_ns.push(log_time);
                let series = &mut timed.series;
                (series.topic, series.name) = (topic.to_string(), name);
                series.times_ns.push(stamp_ns);
                series.positions.push(position);
                series.velocities.push(velocity);
                series.efforts.push(effort);
            }
            Sample::Pose { stamp_ns, frame, child, pose, twist } => {
                let key = (topic.to_string(), frame.clone(), child.clone());
                let timed = self.poses.entry(key).or_default();
                timed.log_times_ns.push(log_time);
                let series = &mut timed.series;
                (series.topic, series.frame, series.child) = (topic.to_string(), frame, child);
                series.times_ns.push(stamp_ns);
                series.poses.push(pose);
                series.twists.push(twist);
            }
        }
    }

    fn finish(self) -> Recording {
        let joints = self.joints.into_values().map(|mut timed| {
            stamp_by_log_if_empty(&mut timed.series.times_ns, timed.log_times_ns);
            timed.series
        });
        let poses = self.poses.into_values().map(|mut timed| {
            stamp_by_log_if_empty(&mut timed.series.times_ns, timed.log_times_ns);
            timed.series
        });
        Recording {
            joints: joints.collect(),
            poses: poses.collect(),
            skipped: self.skipped.into_iter().collect(),
            cut_at: None,
        }
    }
}

/// Some drivers leave the header empty: all stamps zero. The log time is then used instead.
fn stamp_by_log_if_empty(stamps: &mut Vec<i64>, log_times: Vec<i64>) {
    if stamps.len() > 1 && stamps.iter().all(|stamp| *stamp == 0) {
        *stamps = log_times;
    }
}
