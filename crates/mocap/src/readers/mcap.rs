//! Streams of poses in MCAP: ROS 2 bags, Foxglove, and our own records, through [`veracity_record::read_ros2_bag_to_cut`].
//!
//! Reads one frame or topic, chosen by `--subject` if there are several.

use super::{Content, PoseSource, Reader, checked};
use crate::notes::Notes;
use crate::stream::Sample;
use std::path::Path;
use veracity_record::bag::PoseSeries;
use veracity_record::{FileError, read_ros2_bag_to_cut};

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "mcap",
    text: "poses in MCAP: PoseStamped, Odometry, TFMessage, TransformStamped, Foxglove",
    fits: |extension, head| head.starts_with(b"\x89MCAP") || extension == "mcap",
    open: |path, options| Ok(Content::Poses(Box::new(open(path, options.subject.as_deref())?))),
};

/// A bag is held in memory completely; a larger one must be cut first.
pub const LARGEST: u64 = 1 << 30;

struct McapPoses {
    subject: String,
    series: PoseSeries,
    others: Vec<String>,
    skipped: Vec<(String, String)>,
    cut_at: Option<u64>,
    next: usize,
}

fn name_of(series: &PoseSeries) -> &str {
    if series.child.is_empty() { &series.topic } else { &series.child }
}

fn open(path: &Path, subject: Option<&str>) -> Result<McapPoses, FileError> {
    let size = std::fs::metadata(path).map_err(|e| FileError::read(path, &e))?.len();
    if size > LARGEST {
        let what = format!(
            "{size} bytes exceed the limit of {LARGEST}; cut the bag or select topics with another tool first"
        );
        return Err(FileError::damaged(path, "size", what));
    }
    let mut recording = read_ros2_bag_to_cut(path, &[])?;
    let names: Vec<String> = recording.poses.iter().map(|s| name_of(s).to_string()).collect();
    let fits = |s: &&PoseSeries| subject.is_none_or(|wanted| name_of(s) == wanted || s.topic == wanted);
    let found: Vec<usize> = (0..names.len()).filter(|at| fits(&&recording.poses[*at])).collect();
    let series = match found.as_slice() {
        [one] => recording.poses.swap_remove(*one),
        [] => {
            let what = format!("no such stream of poses; the file has: {}", names.join(", "));
            return Err(FileError::damaged(path, format!("subject {}", subject.unwrap_or("")), what));
        }
        _ => {
            let what =
                format!("the file has several streams of poses; choose one with --subject: {}", names.join(", "));
            return Err(FileError::damaged(path, "subject", what));
        }
    };
    let subject = name_of(&series).to_string();
    let others = names.into_iter().filter(|n| *n != subject).collect();
    Ok(McapPoses { subject, series, others, skipped: recording.skipped, cut_at: recording.cut_at, next: 0 })
}

impl PoseSource for McapPoses {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn rate_hz(&self) -> Option<f64> {
        None
    }

    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        if self.next == 0 {
            if let Some(at) = self.cut_at {
                notes.warn("cut-off", || format!("byte {at}: the file ends too early; messages before it were read"));
            }
            for name in &self.others {
                notes.note("other-subjects", || format!("{name} was not read"));
            }
            for (topic, schema) in &self.skipped {
                notes.note("other-topics", || {
                    format!("{topic} was not read: messages of type {schema} are not poses")
                });
            }
        }
        let i = self.next;
        let (Some(&stamp_ns), Some(pose)) = (self.series.times_ns.get(i), self.series.poses.get(i)) else {
            return Ok(None);
        };
        self.next += 1;
        if i > 0 && stamp_ns < self.series.times_ns[i - 1] {
            notes.warn("time-back", || format!("message {i}: the time decreases"));
        }
        let [x, y, z, w, a, b, c] = *pose;
        Ok(Some(checked(stamp_ns, [x, y, z], [w, a, b, c], || format!("message {i}"), notes)))
    }
}
