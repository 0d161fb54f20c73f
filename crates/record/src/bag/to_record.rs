//! A recording in the flat arrays of a world.

use super::{JointSeries, PoseSeries, Recording};
use crate::track::{POSE, TWIST};
use crate::{Head, Host, LogEntry, Outcome, Record, Track};
use std::collections::BTreeMap;
use std::sync::Arc;
use veracity_model::{Layout, Quat, Vec3, World};

/// Names of a bag mapped to names of a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// Name of the record.
    pub name: String,
    /// The frame that is the world's. Poses in other frames are not used, and the log says so.
    pub fixed_frame: String,
    /// Joint in the bag → joint of the layout. One that is not listed is looked up under its own name.
    pub joints: BTreeMap<String, String>,
    /// Child frame, or topic of a `PoseStamped` → body of the layout. One that is not listed is looked up under its own
    /// name.
    pub bodies: BTreeMap<String, String>,
}

/// Why a recording cannot be stored for a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// The mapping names something the bag does not have.
    #[error("the bag has no {what} {name}; it has: {known}")]
    NotInBag {
        /// `joint`, or `frame or topic`.
        what: &'static str,
        /// The name in the mapping.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The mapping names something the world does not have.
    #[error("the world has no {what} {name}; it has: {known}")]
    NotInWorld {
        /// `joint` or `body`.
        what: &'static str,
        /// The name in the mapping.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Two series for one joint or body.
    #[error("{first} and {second} both measure {name}; name the topics to be read")]
    Twice {
        /// The joint or body.
        name: String,
        /// A topic.
        first: String,
        /// Another.
        second: String,
    },
    /// No series matches the world.
    #[error("the bag has neither a joint nor a body of this world; map its names to the world's")]
    Nothing,
}

impl Recording {
    /// The recording as a record of reality: no engine, no key. Time zero is the first stamp that is used.
    ///
    /// A name in `mapping` that the bag or the world does not have is an error; a series that is not used is a note in
    /// the log.
    pub fn to_record(&self, world: &Arc<World>, mapping: &Mapping) -> Result<Record, MappingError> {
        let layout = Layout::new(world);
        let mut log = Vec::new();
        let mut note = |text: String| log.push(LogEntry { time: 0.0, warning: false, text });
        let joints = self.joints_of(&layout, mapping, &mut note)?;
        let bodies = self.bodies_of(&layout, mapping, &mut note)?;
        for (topic, schema) in &self.skipped {
            note(format!("{topic} was not read: messages of type {schema} are neither joint states nor poses"));
        }
        let stamps = joints.iter().flat_map(|(_, series)| &series.times_ns);
        let mut stamps: Vec<i64> =
            stamps.chain(bodies.iter().flat_map(|(_, series)| &series.times_ns)).copied().collect();
        stamps.sort_unstable();
        stamps.dedup();
        let begin = *stamps.first().ok_or(MappingError::Nothing)?;
        note(format!("time zero is {begin} ns of the recording's clock"));

        let mut track = empty_track(&layout, stamps.len());
        // Differences in whole nanoseconds first: the stamps themselves have more digits than a double.
        track.times = stamps.iter().map(|stamp| stamp.saturating_sub(begin) as f64 * 1e-9).collect();
        for (_, series) in &joints {
            note_repeated(&series.times_ns, &series.name, &mut note);
        }
        for (_, series) in &bodies {
            note_repeated(&series.times_ns, &series.topic, &mut note);
        }
        for (slot, series) in &joints {
            fill_joint(&mut track, &layout, *slot, series, &stamps);
        }
        for (slot, series) in &bodies {
            fill_body(&mut track, *slot, series, &stamps);
        }
        let duration_s = track.times.last().copied().unwrap_or(0.0);
        let head = Head {
            schema: crate::head::SCHEMA,
            scenario: mapping.name.clone(),
            key: None,
            engine: String::new(),
            engine_version: String::new(),
            veracity_version: env!("CARGO_PKG_VERSION").to_string(),
            step_s: f64::NAN,
            duration_s,
            seed: 0,
            overrides: Vec::new(),
            world: world.digest(),
            events: None,
        };
        let (world, outcome, host) = (world.clone(), Outcome::Finished, Host::default());
        Ok(Record { head, world, track, contacts: Vec::new(), events: Vec::new(), log, outcome, host })
    }

    fn joints_of(
        &self,
        layout: &Layout,
        mapping: &Mapping,
        note: &mut impl FnMut(String),
    ) -> Result<Vec<(usize, &JointSeries)>, MappingError> {
        known_in_bag(mapping.joints.keys(), self.joints.iter().map(|s| s.name.as_str()), "joint")?;
        let mut used = Vec::new();
        for series in &self.joints {
            let given = mapping.joints.get(&series.name);
            let slot = layout.joint(given.unwrap_or(&series.name));
            match (slot, given) {
                (Some(slot), _) if layout.joints[slot].kind.dof_count() == 1 => used.push((slot, series)),
                (Some(slot), _) => {
                    let kind = layout.joints[slot].kind.name();
                    note(format!(
                        "joint {} of {} is not used: a {kind} joint has more than one number",
                        series.name, series.topic
                    ));
                }
                (None, Some(name)) => {
                    return Err(not_in_world("joint", name, layout.joints.iter().map(|joint| joint.name.as_str())));
                }
                (None, None) => note(format!("joint {} of {} is not in the world", series.name, series.topic)),
            }
        }
        let topics = used.iter().map(|(slot, series)| (layout.joints[*slot].name.as_str(), series.topic.as_str()));
        each_once(topics)?;
        Ok(used)
    }

    fn bodies_of(
        &self,
        layout: &Layout,
        mapping: &Mapping,
        note: &mut impl FnMut(String),
    ) -> Result<Vec<(usize, &PoseSeries)>, MappingError> {
        fn name_of(series: &PoseSeries) -> &str {
            if series.child.is_empty() { &series.topic } else { &series.child }
        }
        known_in_bag(mapping.bodies.keys(), self.poses.iter().map(name_of), "frame or topic")?;
        let mut used = Vec::new();
        for series in &self.poses {
            let name = name_of(series);
            let given = mapping.bodies.get(name);
            let slot = layout.body(given.map_or(name, String::as_str));
            match (slot, given) {
                (Some(slot), _) if series.frame == mapping.fixed_frame => used.push((slot, series)),
                (Some(_), _) => note(format!(
                    "the poses of {name} on {} are in the frame {}, not in {}: they are not used",
                    series.topic, series.frame, mapping.fixed_frame
                )),
                (None, Some(body)) => {
                    return Err(not_in_world("body", body, layout.bodies.iter().map(|body| body.name.as_str())));
                }
                (None, None) => note(format!("the frame {name} of {} is not in the world", series.topic)),
            }
        }
        each_once(used.iter().map(|(slot, series)| (layout.bodies[*slot].name.as_str(), series.topic.as_str())))?;
        Ok(used)
    }
}

fn not_in_world<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> MappingError {
    MappingError::NotInWorld { what, name: name.to_string(), known: known.collect::<Vec<_>>().join(", ") }
}

fn each_once<'a>(used: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), MappingError> {
    let mut topics: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, topic) in used {
        if let Some(first) = topics.insert(name, topic) {
            let (name, first, second) = (name.to_string(), first.to_string(), topic.to_string());
            return Err(MappingError::Twice { name, first, second });
        }
    }
    Ok(())
}

fn note_repeated(stamps: &[i64], name: &str, note: &mut impl FnMut(String)) {
    let mut sorted = stamps.to_vec();
    sorted.sort_unstable();
    let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    if repeated > 0 {
        note(format!("{repeated} stamps of {name} occur twice; the later message is used"));
    }
}

fn known_in_bag<'a>(
    wanted: impl Iterator<Item = &'a String>,
    known: impl Iterator<Item = &'a str> + Clone,
    what: &'static str,
) -> Result<(), MappingError> {
    for name in wanted {
        if !known.clone().any(|k| k == name) {
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(MappingError::NotInBag { what, name: name.clone(), known });
        }
    }
    Ok(())
}

fn empty_track(layout: &Layout, rows: usize) -> Track {
    let (nq, nv) = (layout.position_count, layout.dof_count());
    let (bodies, pairs) = (layout.bodies.len(), layout.pairs.len());
    let nothing = |width: usize| vec![f64::NAN; rows * width];
    Track {
        q: nothing(nq),
        v: nothing(nv),
        efforts: nothing(nv),
        poses: nothing(bodies * POSE),
        twists: nothing(bodies * TWIST),
        gaps: nothing(pairs),
        least_gaps: vec![f64::NAN; pairs],
        ..Track::new(nq, nv, bodies, pairs, 0)
    }
}

/// The row of a stamp, which must be among them.
fn row_of(stamps: &[i64], stamp: i64) -> usize {
    stamps.partition_point(|known| *known < stamp)
}

fn fill_joint(track: &mut Track, layout: &Layout, slot: usize, series: &JointSeries, stamps: &[i64]) {
    let (q, v) = (layout.joints[slot].q, layout.joints[slot].v);
    for (i, stamp) in series.times_ns.iter().enumerate() {
        let row = row_of(stamps, *stamp);
        track.q[row * track.nq + q] = series.positions[i];
        track.v[row * track.nv + v] = series.velocities[i];
        track.efforts[row * track.nv + v] = series.efforts[i];
    }
}

fn fill_body(track: &mut Track, slot: usize, series: &PoseSeries, stamps: &[i64]) {
    for (i, stamp) in series.times_ns.iter().enumerate() {
        let place = row_of(stamps, *stamp) * track.bodies + slot;
        let (pose, twist) = (series.poses[i], series.twists[i]);
        track.poses[place * POSE..(place + 1) * POSE].copy_from_slice(&pose);
        // From the child's axes to the world's.
        let turn = Quat::new_normalize(nalgebra::Quaternion::new(pose[3], pose[4], pose[5], pose[6]));
        let angular = turn * Vec3::new(twist[0], twist[1], twist[2]);
        let linear = turn * Vec3::new(twist[3], twist[4], twist[5]);
        track.twists[place * TWIST..place * TWIST + 3].copy_from_slice(angular.as_slice());
        track.twists[place * TWIST + 3..(place + 1) * TWIST].copy_from_slice(linear.as_slice());
    }
}
