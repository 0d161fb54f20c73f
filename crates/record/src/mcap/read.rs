//! Reads a record from an MCAP file.

use super::cdr::CdrReader;
use super::channels;
use super::messages;
use super::walk::{Item, walk};
use crate::file::FileError;
use crate::head::SCHEMA;
use crate::stored::{Parts, StoredRecordError};
use crate::{ContactSample, Event, Host, Record};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use veracity_model::{Digest, World};

/// Reads a file written by [`super::write_mcap`], bit for bit, and verifies its digest. A file without a host part
/// gives an empty one.
pub fn read_mcap(path: &Path) -> Result<Record, FileError> {
    let mut found = Found::default();
    let walked = walk(path, |item| found.take_in(item));
    // A newer file may fail in any way before its end; the error must say that it is newer.
    if let Some(newer) = found.newer {
        return Err(FileError::Newer { path: path.to_path_buf(), found: newer, known: SCHEMA });
    }
    walked?;
    found.into_record().map_err(|what| FileError::damaged(path, "the record in it", what))
}

#[derive(Default)]
struct Found {
    newer: Option<u32>,
    digest: Option<Digest>,
    parts: Option<Parts>,
    world: Option<Arc<World>>,
    host: Host,
    residuals: Vec<f64>,
    contacts: Vec<ContactSample>,
    events: Vec<Event>,
    /// Bytes of messages so far.
    bytes: usize,
}

/// Limit on the bytes of messages. A record in memory is about as long as its messages; a compressed file can be a
/// thousand times shorter.
const MOST_BYTES: usize = 2 << 30;

/// Memory of a short message in addition to its own bytes.
const MESSAGE: usize = 64;

impl Found {
    fn take_in(&mut self, item: Item) -> Result<(), String> {
        if let Item::Message { data, .. } = &item {
            self.bytes = self.bytes.saturating_add(data.len() + MESSAGE);
            if self.bytes > MOST_BYTES {
                return Err(format!("the record has more than {} GiB of messages", MOST_BYTES >> 30));
            }
        }
        match item {
            Item::Message { channel, data, .. } => match channel.topic.as_str() {
                channels::INSTANTS => {
                    let parts = self.parts.as_mut().ok_or("a row precedes the head of the record")?;
                    messages::read_instant(data, &mut parts.track)?;
                }
                channels::CONTACTS => self.contacts.push(messages::read_contact(data)?),
                channels::EVENTS => self.events.push(messages::read_event(data)?),
                channels::RESIDUAL => self.residuals.push(CdrReader::new(data)?.f64()?),
                _ => {}
            },
            Item::Attachment { name: channels::RECORD_PART, data } => match Parts::from_bytes(data) {
                Ok(parts) => self.parts = Some(parts),
                Err(error) => {
                    if let StoredRecordError::Newer { found } = error {
                        self.newer = Some(found);
                    }
                    return Err(error.to_string());
                }
            },
            Item::Attachment { name: channels::WORLD_PART, data } => {
                self.world = Some(Arc::new(World::from_bytes(data).map_err(|e| e.to_string())?));
            }
            Item::Metadata { name: channels::HEAD, lines } => {
                let schema: u32 = line(&lines, channels::SCHEMA_LINE)?;
                self.newer = (schema > SCHEMA).then_some(schema);
                let digest: String = line(&lines, channels::DIGEST_LINE)?;
                self.digest = Some(Digest::parse(&digest).ok_or("the digest is not 64 hexadecimal digits")?);
            }
            Item::Metadata { name: channels::HOST, lines } => self.host = host(&lines)?,
            Item::Attachment { .. } | Item::Metadata { .. } => {}
        }
        Ok(())
    }

    fn into_record(self) -> Result<Record, String> {
        let missing = |what: &str| format!("{what} is missing: this file was not written by veracity");
        let mut parts = self.parts.ok_or_else(|| missing("the attachment veracity/record"))?;
        let world = self.world.ok_or_else(|| missing("the attachment veracity/world"))?;
        let digest = self.digest.ok_or_else(|| missing("the metadata veracity"))?;
        parts.contacts = self.contacts;
        parts.events = self.events;
        parts.host = Host { solver_residuals: self.residuals, ..self.host };
        if let Some(fault) = parts.track.fault() {
            return Err(fault);
        }
        if world.digest() != parts.head.world {
            return Err("its world is not the one its head names: the file is damaged".to_string());
        }
        let record = parts.with_world(world);
        if record.digest() != digest {
            return Err("its digest differs from the one it was written with: the file is damaged".to_string());
        }
        Ok(record)
    }
}

fn line<T: FromStr>(lines: &BTreeMap<String, String>, key: &str) -> Result<T, String> {
    let text = lines.get(key).ok_or_else(|| format!("the line `{key}` is missing"))?;
    text.parse().map_err(|_| format!("`{text}` cannot be the value of `{key}`"))
}

fn host(lines: &BTreeMap<String, String>) -> Result<Host, String> {
    Ok(Host {
        cpu_s: line(lines, "cpu_s")?,
        wall_s: line(lines, "wall_s")?,
        load_cpu_s: line(lines, "load_cpu_s")?,
        steps: line(lines, "steps")?,
        evaluations: line(lines, "evaluations")?,
        began_unix_s: line(lines, "began_unix_s")?,
        machine: line(lines, "machine")?,
        solver_residuals: Vec::new(),
    })
}
