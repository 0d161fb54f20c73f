//! Encoding and decoding of messages; their fields are those of [`super::schemas`].

use super::cdr::{CdrReader, CdrWriter};
use crate::{ContactSample, Event, EventKind, Record, Track};
use veracity_model::Layout;

/// The frame of all poses.
pub const WORLD_FRAME: &str = "world";

/// Simulated time for viewers: nanoseconds, from zero. Negative or non-finite times are shown at zero; the exact time
/// is in the messages.
pub fn nanoseconds(time_s: f64) -> u64 {
    // The cast saturates, and converts NaN to zero.
    (time_s * 1e9).round() as u64
}

/// Seconds and nanoseconds, as in a ROS time.
pub fn stamp(message: &mut CdrWriter, time_s: f64) {
    let nanoseconds = nanoseconds(time_s);
    let seconds = i32::try_from(nanoseconds / 1_000_000_000).unwrap_or(i32::MAX);
    message.i32(seconds).u32((nanoseconds % 1_000_000_000) as u32);
}

/// The pose of every body. Non-finite poses cannot be drawn and are left out here.
pub fn transforms(track: &Track, layout: &Layout, row: usize) -> CdrWriter {
    let shown: Vec<usize> =
        (0..track.bodies).filter(|body| track.pose(row, *body).iter().all(|x| x.is_finite())).collect();
    let mut message = CdrWriter::new();
    message.length(shown.len());
    for body in shown {
        stamp(&mut message, track.times[row]);
        message.text(WORLD_FRAME).text(&layout.bodies[body].name);
        let [x, y, z, qw, qx, qy, qz] = pose_numbers(track.pose(row, body));
        message.f64s(&[x, y, z, qx, qy, qz, qw]);
    }
    message
}

/// A degree of freedom whose position is one number, with its index in `q` and `v`.
pub struct ShownJoint {
    name: String,
    q: usize,
    v: usize,
}

/// The joints viewers can plot. The rotation of ball and free joints has no single number: it is in the transforms.
pub fn shown_joints(layout: &Layout) -> Vec<ShownJoint> {
    let names = crate::names::positions(layout);
    let shown = layout.dof_position.iter().enumerate();
    shown.filter_map(|(v, q)| q.map(|q| ShownJoint { name: names[q].name.clone(), q, v })).collect()
}

/// Positions, velocities and efforts.
pub fn joint_state(track: &Track, joints: &[ShownJoint], row: usize) -> CdrWriter {
    let mut message = CdrWriter::new();
    stamp(&mut message, track.times[row]);
    message.text("");
    message.length(joints.len());
    for joint in joints {
        message.text(&joint.name);
    }
    let column = |width: usize, values: &[f64], place: fn(&ShownJoint) -> usize| -> Vec<f64> {
        joints.iter().map(|joint| values[row * width + place(joint)]).collect()
    };
    message.f64_list(&column(track.nq, &track.q, |joint| joint.q));
    message.f64_list(&column(track.nv, &track.v, |joint| joint.v));
    message.f64_list(&column(track.nv, &track.efforts, |joint| joint.v));
    message
}

/// A line of text.
pub fn log_line(time_s: f64, warning: bool, source: &str, text: &str) -> CdrWriter {
    const INFO: u8 = 20;
    const WARN: u8 = 30;
    let mut message = CdrWriter::new();
    stamp(&mut message, time_s);
    message.u8(if warning { WARN } else { INFO }).text(source).text(text).text("").text("").u32(0);
    message
}

/// The text of an event in a log.
pub fn event_text(event: &Event) -> String {
    let kind = event.kind.name();
    // An instant that the engine located has no bracket.
    let error = if event.time_error == 0.0 { String::new() } else { format!(" (± {} s)", event.time_error) };
    format!("{kind} {} of {} at {} s{error}", event.ordinal, event.pair, event.time)
}

/// One number.
pub fn number(value: f64) -> CdrWriter {
    let mut message = CdrWriter::new();
    message.f64(value);
    message
}

/// A row of the track.
pub fn instant(track: &Track, row: usize) -> CdrWriter {
    let of = |values: &[f64], width: usize| values[row * width..(row + 1) * width].to_vec();
    let signals: Vec<f64> = track.signals.iter().map(|signal| signal.values[row]).collect();
    let mut message = CdrWriter::new();
    message.f64(track.times[row]);
    message.f64_list(&of(&track.q, track.nq));
    message.f64_list(&of(&track.v, track.nv));
    message.f64_list(&of(&track.efforts, track.nv));
    message.f64_list(&of(&track.poses, track.bodies * crate::track::POSE));
    message.f64_list(&of(&track.twists, track.bodies * crate::track::TWIST));
    message.f64_list(&of(&track.gaps, track.pairs));
    message.f64_list(&signals);
    message
}

/// Adds the row of a message to a track; the lengths are checked at the end.
pub fn read_instant(bytes: &[u8], track: &mut Track) -> Result<(), String> {
    let mut message = CdrReader::new(bytes)?;
    track.times.push(message.f64()?);
    let columns =
        [&mut track.q, &mut track.v, &mut track.efforts, &mut track.poses, &mut track.twists, &mut track.gaps];
    for column in columns {
        column.extend(message.f64_list()?);
    }
    let signals = message.f64_list()?;
    if signals.len() != track.signals.len() {
        return Err(format!("the row has {} signals, the record {}", signals.len(), track.signals.len()));
    }
    track.signals.iter_mut().zip(signals).for_each(|(signal, value)| signal.values.push(value));
    Ok(())
}

/// A contact.
pub fn contact(contact: &ContactSample, layout: &Layout) -> CdrWriter {
    let slot = |body: Option<u32>| body.map_or(-1, i64::from);
    let name = |body: Option<u32>| {
        let known = body.and_then(|body| layout.bodies.get(body as usize));
        known.map_or(WORLD_FRAME, |body| body.name.as_str())
    };
    let mut message = CdrWriter::new();
    message.f64(contact.time).text(name(contact.body_a)).text(name(contact.body_b));
    message.i64(slot(contact.body_a)).i64(slot(contact.body_b));
    message.f64s(&contact.point).f64s(&contact.normal).f64(contact.gap).f64s(&contact.impulse);
    message
}

/// The contact of a message.
pub fn read_contact(bytes: &[u8]) -> Result<ContactSample, String> {
    let mut message = CdrReader::new(bytes)?;
    let time = message.f64()?;
    let _names = (message.text()?, message.text()?);
    let mut slot = || Ok::<_, String>(u32::try_from(message.i64()?).ok());
    let (body_a, body_b) = (slot()?, slot()?);
    let (point, normal, gap, impulse) = (message.f64s()?, message.f64s()?, message.f64()?, message.f64s()?);
    Ok(ContactSample { time, body_a, body_b, point, normal, gap, impulse })
}

/// An event.
pub fn event(event: &Event) -> CdrWriter {
    let mut message = CdrWriter::new();
    message.f64(event.time).f64(event.time_error).u32(event.substep).text(&event.pair);
    message.u32(event.ordinal).text(event.kind.name());
    message.f64s(&[event.normal_speed, event.tangential_speed, event.normal_impulse, event.tangential_impulse]);
    message.f64(event.gap);
    message
}

/// The event of a message.
pub fn read_event(bytes: &[u8]) -> Result<Event, String> {
    let mut message = CdrReader::new(bytes)?;
    let (time, time_error) = (message.f64()?, message.f64()?);
    let (substep, pair, ordinal) = (message.u32()?, message.text()?.to_string(), message.u32()?);
    let kind = message.text()?;
    let kind = EventKind::named(kind).ok_or_else(|| format!("the event kind `{kind}` is unknown"))?;
    let [normal_speed, tangential_speed, normal_impulse, tangential_impulse, gap] = message.f64s()?;
    Ok(Event {
        time,
        time_error,
        substep,
        pair,
        ordinal,
        kind,
        normal_speed,
        tangential_speed,
        normal_impulse,
        tangential_impulse,
        gap,
    })
}

/// The record without its rows, contacts, events and host part: what is stored once in a file.
pub fn without_rows(record: &Record) -> Record {
    let track = &record.track;
    let signal = |signal: &crate::Signal| crate::Signal { values: Vec::new(), ..signal.clone() };
    Record {
        head: record.head.clone(),
        world: record.world.clone(),
        track: Track {
            least_gaps: track.least_gaps.clone(),
            signals: track.signals.iter().map(signal).collect(),
            ..Track::new(track.nq, track.nv, track.bodies, track.pairs, 0)
        },
        contacts: Vec::new(),
        events: Vec::new(),
        log: record.log.clone(),
        outcome: record.outcome.clone(),
        host: crate::Host::default(),
    }
}

fn pose_numbers(pose: &[f64]) -> [f64; crate::track::POSE] {
    let mut numbers = [0.0; crate::track::POSE];
    numbers.copy_from_slice(pose);
    numbers
}
