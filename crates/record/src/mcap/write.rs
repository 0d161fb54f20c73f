//! Writes a record to an MCAP file.

use super::cdr::CdrWriter;
use super::schemas::{self, Schema};
use super::{channels, drawing, messages, surface};
use crate::file::{Fault, FileError, write_atomically};
use crate::{Host, Record, names};
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, Compression, WriteOptions, Writer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::path::Path;
use veracity_model::Layout;

/// Writes a record with its host part; see the [module documentation](super) for the content of the file.
pub fn write_mcap(record: &Record, path: &Path) -> Result<(), FileError> {
    write(record, Some(&record.host), &[], path)
}

/// A channel of JSON messages in addition to the record's own channels.
pub struct JsonChannel {
    /// Its topic.
    pub topic: String,
    /// Name of the message type, and its JSON Schema.
    pub schema: (String, String),
    /// Times [ns] and texts, in time order.
    pub messages: Vec<(u64, String)>,
}

/// Like [`write_mcap`], with further channels of the caller.
pub fn write_mcap_beside(record: &Record, extra: &[JsonChannel], path: &Path) -> Result<(), FileError> {
    write(record, Some(&record.host), extra, path)
}

/// Writes the deterministic part only: repetitions of a trial give the same bytes.
pub fn write_mcap_without_host(record: &Record, path: &Path) -> Result<(), FileError> {
    write(record, None, &[], path)
}

fn write(record: &Record, host: Option<&Host>, extra: &[JsonChannel], path: &Path) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let layout = record.layout();
        let track = &record.track;
        let widths = (track.nq, track.nv, track.bodies, track.pairs);
        let expected = (layout.position_count, layout.dof_count(), layout.bodies.len(), layout.pairs.len());
        if let Some(fault) = track.fault() {
            return Err(format!("its track is inconsistent: {fault}").into());
        }
        if track.rows() > 0 && widths != expected {
            return Err("its track does not fit its world".into());
        }
        // One thread: the number of threads would change the compressed bytes.
        let options = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .profile("ros2")
            .library(concat!("veracity ", env!("CARGO_PKG_VERSION")));
        let mut file = File { writer: options.create(sink)?, channels: BTreeMap::new() };
        file.write_head(record)?;
        file.write_messages(record, &layout)?;
        for channel in extra {
            file.write_json(channel)?;
        }
        // Last, so that everything before it is the same in every repetition.
        if let Some(host) = host {
            for (&time, &residual) in track.times.iter().zip(&host.solver_residuals) {
                file.message(channels::RESIDUAL, &schemas::NUMBER, time, &messages::number(residual))?;
            }
            file.writer.write_metadata(&Metadata { name: channels::HOST.to_string(), metadata: host_lines(host) })?;
        }
        file.writer.finish()?;
        Ok(())
    })
}

struct File<W: Write + Seek> {
    writer: Writer<W>,
    /// By topic: the channel's id and the sequence number of its next message.
    channels: BTreeMap<String, (u16, u32)>,
}

impl<W: Write + Seek> File<W> {
    fn write_head(&mut self, record: &Record) -> Result<(), Fault> {
        self.writer.write_metadata(&Metadata { name: channels::HEAD.to_string(), metadata: head_lines(record) })?;
        self.attach(channels::RECORD_PART, messages::without_rows(record).to_bytes())?;
        self.attach(channels::WORLD_PART, record.world.to_bytes())
    }

    fn write_json(&mut self, channel: &JsonChannel) -> Result<(), Fault> {
        let (name, schema) = &channel.schema;
        let schema = self.writer.add_schema(name, "jsonschema", schema.as_bytes())?;
        let id = self.writer.add_channel(schema, &channel.topic, "json", &BTreeMap::new())?;
        for (sequence, (time, text)) in channel.messages.iter().enumerate() {
            let header =
                MessageHeader { channel_id: id, sequence: sequence as u32, log_time: *time, publish_time: *time };
            self.writer.write_to_known_channel(&header, text.as_bytes())?;
        }
        Ok(())
    }

    fn attach(&mut self, name: &str, data: Vec<u8>) -> Result<(), Fault> {
        let media_type = "application/octet-stream".to_string();
        let data = Cow::Owned(data);
        self.writer.attach(&Attachment { log_time: 0, create_time: 0, name: name.to_string(), media_type, data })?;
        Ok(())
    }

    fn write_messages(&mut self, record: &Record, layout: &Layout) -> Result<(), Fault> {
        let track = &record.track;
        let begin = track.times.first().copied().unwrap_or(0.0);
        self.add_channel(channels::INSTANTS, &schemas::INSTANT, column_names(record, layout))?;
        self.message(channels::MARKERS, &schemas::MARKERS, begin, &drawing::markers(&record.world, layout, begin))?;
        for slot in &layout.bodies {
            let body = &record.world.placements[slot.placement].model.bodies()[slot.body.0];
            if let Some(points) = surface::points(body, &slot.name, begin) {
                let topic = format!("{}{}", channels::SURFACE, slot.name);
                self.message(&topic, &schemas::POINTS, begin, &points)?;
            }
        }
        let joints = messages::shown_joints(layout);
        let mut interleaved = InterleavedLogs::default();
        for (row, &time) in track.times.iter().enumerate() {
            interleaved.write_until(self, record, layout, messages::nanoseconds(time))?;
            if track.bodies > 0 {
                self.message("/tf", &schemas::TRANSFORMS, time, &messages::transforms(track, layout, row))?;
            }
            if !joints.is_empty() {
                let message = messages::joint_state(track, &joints, row);
                self.message("/joint_states", &schemas::JOINT_STATE, time, &message)?;
            }
            self.message(channels::INSTANTS, &schemas::INSTANT, time, &messages::instant(track, row))?;
            // NaN means that there was no value.
            for signal in track.signals.iter().filter(|signal| !signal.values[row].is_nan()) {
                let topic = format!("/signals/{}", signal.name);
                self.message(&topic, &schemas::NUMBER, time, &messages::number(signal.values[row]))?;
            }
        }
        interleaved.write_until(self, record, layout, u64::MAX)
    }

    fn message(&mut self, topic: &str, schema: &Schema, time_s: f64, message: &CdrWriter) -> Result<(), Fault> {
        if !self.channels.contains_key(topic) {
            self.add_channel(topic, schema, BTreeMap::new())?;
        }
        let Some((channel_id, sequence)) = self.channels.get_mut(topic) else { return Ok(()) };
        let log_time = messages::nanoseconds(time_s);
        let header = MessageHeader { channel_id: *channel_id, sequence: *sequence, log_time, publish_time: log_time };
        *sequence = sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, message.bytes())?;
        Ok(())
    }

    fn add_channel(&mut self, topic: &str, schema: &Schema, metadata: BTreeMap<String, String>) -> Result<(), Fault> {
        let schema = self.writer.add_schema(schema.name, "ros2msg", schema.text().as_bytes())?;
        let channel = self.writer.add_channel(schema, topic, "cdr", &metadata)?;
        self.channels.insert(topic.to_string(), (channel, 0));
        Ok(())
    }
}

/// How far contacts, events and log have been written: they are interleaved with the rows, each kind in its own order.
#[derive(Default)]
struct InterleavedLogs {
    contacts: usize,
    events: usize,
    log: usize,
}

impl InterleavedLogs {
    fn write_until<W: Write + Seek>(
        &mut self,
        file: &mut File<W>,
        record: &Record,
        layout: &Layout,
        end: u64,
    ) -> Result<(), Fault> {
        let is_due = |time: f64| messages::nanoseconds(time) <= end;
        while let Some(entry) = record.log.get(self.log).filter(|entry| is_due(entry.time)) {
            let line = messages::log_line(entry.time, entry.warning, "veracity", &entry.text);
            file.message(channels::LOG, &schemas::LOG, entry.time, &line)?;
            self.log += 1;
        }
        while let Some(contact) = record.contacts.get(self.contacts).filter(|contact| is_due(contact.time)) {
            let message = messages::contact(contact, layout);
            file.message(channels::CONTACTS, &schemas::CONTACT, contact.time, &message)?;
            self.contacts += 1;
        }
        while let Some(event) = record.events.get(self.events).filter(|event| is_due(event.time)) {
            file.message(channels::EVENTS, &schemas::EVENT, event.time, &messages::event(event))?;
            let line = messages::log_line(event.time, false, "events", &messages::event_text(event));
            file.message(channels::LOG, &schemas::LOG, event.time, &line)?;
            self.events += 1;
        }
        Ok(())
    }
}

/// Description of the run, for people and other programs.
fn head_lines(record: &Record) -> BTreeMap<String, String> {
    let head = &record.head;
    let mut lines = BTreeMap::from(
        [
            (channels::SCHEMA_LINE, head.schema.to_string()),
            (channels::DIGEST_LINE, record.digest().to_string()),
            ("scenario", head.scenario.clone()),
            ("key", head.key.map(|key| key.to_string()).unwrap_or_default()),
            ("engine", head.engine.clone()),
            ("engine_version", head.engine_version.clone()),
            ("veracity_version", head.veracity_version.clone()),
            ("step_s", format!("{:?}", head.step_s)),
            ("duration_s", format!("{:?}", head.duration_s)),
            ("seed", head.seed.to_string()),
            ("world", head.world.to_string()),
            ("event_rules", head.events.map(|rules| rules.text()).unwrap_or_default()),
            ("outcome", format!("{:?}", record.outcome)),
        ]
        .map(|(key, value)| (key.to_string(), value)),
    );
    lines.extend(head.overrides.iter().map(|(path, value)| (format!("override {path}"), format!("{value:?}"))));
    lines
}

/// The host part; `{:?}` prints enough digits to restore a number.
fn host_lines(host: &Host) -> BTreeMap<String, String> {
    // The residuals are a channel.
    let Host { cpu_s, wall_s, load_cpu_s, steps, evaluations, began_unix_s, machine, solver_residuals: _ } = host;
    BTreeMap::from(
        [
            ("cpu_s", format!("{cpu_s:?}")),
            ("wall_s", format!("{wall_s:?}")),
            ("load_cpu_s", format!("{load_cpu_s:?}")),
            ("steps", steps.to_string()),
            ("evaluations", evaluations.to_string()),
            ("began_unix_s", format!("{began_unix_s:?}")),
            ("machine", machine.clone()),
        ]
        .map(|(key, value)| (key.to_string(), value)),
    )
}

/// Names of the numbers in the lists of an instant: a line for each, `name [unit]`.
fn column_names(record: &Record, layout: &Layout) -> BTreeMap<String, String> {
    let lines = |names: Vec<names::Named>| -> String {
        let line = |named: &names::Named| format!("{} [{}]", named.name, named.unit);
        names.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let signals = record.track.signals.iter().map(|s| format!("{} [{}]", s.name, s.unit));
    BTreeMap::from(
        [
            ("q", lines(names::positions(layout))),
            ("v", lines(names::velocities(layout))),
            ("effort", lines(names::efforts(layout))),
            ("pose", lines(names::poses(layout))),
            ("twist", lines(names::twists(layout))),
            ("gap", lines(names::gaps(layout))),
            ("signal", signals.collect::<Vec<_>>().join("\n")),
        ]
        .map(|(key, value)| (key.to_string(), value)),
    )
}
