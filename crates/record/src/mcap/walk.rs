//! Walks through an MCAP file from start to end, record by record, without trusting its contents.
//!
//! A length is checked against the bytes that follow before memory is allocated, chunks are unpacked one at a time, and
//! every error names the channel and the byte. The `mcap` crate unpacks chunks and checks their checksums; each chunk
//! is passed to it on its own, trimmed, because its readers trust lengths inside.

use crate::file::FileError;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// An item passed to a visitor.
pub enum Item<'a> {
    /// A message and the channel it came on.
    Message {
        /// The channel.
        channel: &'a Channel,
        /// [ns]
        log_time: u64,
        /// The encoded message.
        data: &'a [u8],
    },
    /// An attachment.
    Attachment {
        /// Its name.
        name: &'a str,
        /// Its bytes.
        data: &'a [u8],
    },
    /// A metadata record: named lines of text.
    Metadata {
        /// Its name.
        name: &'a str,
        /// Its lines.
        lines: BTreeMap<String, String>,
    },
}

/// A channel with its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub topic: String,
    /// `cdr`, `json` …
    pub encoding: String,
    /// The message type, e.g. `sensor_msgs/msg/JointState`; empty without a schema.
    pub schema: String,
}

/// Limit on an unpacked chunk [bytes]: writers begin a new chunk after a few megabytes, or one image.
const LARGEST_CHUNK: u64 = 256 << 20;
/// Limit on the compression ratio: zstd stores 128 KiB of one value in four bytes at best.
const LARGEST_RATIO: u64 = 1 << 15;
/// Limit on all chunks of a file together: bounds time, not memory, because one chunk is unpacked at a time.
const MOST_UNPACKED: u64 = 16 << 30;

/// Kinds of records.
mod op {
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const CHANNEL: u8 = 0x04;
    pub const MESSAGE: u8 = 0x05;
    pub const CHUNK: u8 = 0x06;
    pub const ATTACHMENT: u8 = 0x09;
    pub const METADATA: u8 = 0x0c;
    pub const DATA_END: u8 = 0x0f;
}

/// An error in a record, and its channel if known.
struct RecordError {
    channel: Option<String>,
    what: String,
}

impl From<String> for RecordError {
    fn from(what: String) -> Self {
        Self { channel: None, what }
    }
}

impl From<&str> for RecordError {
    fn from(what: &str) -> Self {
        what.to_string().into()
    }
}

/// Passes every message, attachment and metadata record to `visit`, in file order. An error of `visit` is returned with
/// the file, the channel and the byte.
pub fn walk(path: &Path, visit: impl FnMut(Item) -> Result<(), String>) -> Result<(), FileError> {
    match walk_to_cut(path, visit)? {
        None => Ok(()),
        Some(at) => Err(cut_off(path, at)),
    }
}

/// The error of a file that ends too early.
pub fn cut_off(path: &Path, at: u64) -> FileError {
    let what = "the file is truncated: it was cut off, or its writer was stopped";
    FileError::damaged(path, format!("byte {at}"), what)
}

/// The same for a file that may be cut off: passes what is there, up to the last whole message, and returns the byte
/// where the file ends too early.
pub fn walk_to_cut(path: &Path, visit: impl FnMut(Item) -> Result<(), String>) -> Result<Option<u64>, FileError> {
    let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
    let length = file.metadata().map_err(|e| FileError::read(path, &e))?.len();
    let mut walker = Walker { visit, schemas: BTreeMap::new(), channels: BTreeMap::new(), unpacked: 0 };
    walker.walk(path, BufReader::new(file), length)
}

struct Walker<V> {
    visit: V,
    schemas: BTreeMap<u16, String>,
    channels: BTreeMap<u16, Channel>,
    /// Bytes of all chunks so far.
    unpacked: u64,
}

impl<V: FnMut(Item) -> Result<(), String>> Walker<V> {
    fn walk(&mut self, path: &Path, mut file: impl Read, length: u64) -> Result<Option<u64>, FileError> {
        let read_error = |e: std::io::Error| FileError::read(path, &e);
        let mut magic = [0; mcap::MAGIC.len()];
        let mut at = magic.len() as u64;
        if length < at {
            return Err(FileError::damaged(path, "byte 0", "not an MCAP file: too short"));
        }
        file.read_exact(&mut magic).map_err(read_error)?;
        if magic != mcap::MAGIC {
            return Err(FileError::damaged(path, "byte 0", "not an MCAP file: wrong first bytes"));
        }
        let mut body = Vec::new();
        let mut data_ended = false;
        loop {
            let mut head = [0; 9];
            if length - at < head.len() as u64 {
                return Ok(Some(length));
            }
            file.read_exact(&mut head).map_err(read_error)?;
            let (kind, size) = (head[0], u64_of(&head[1..]));
            let start = at;
            at += head.len() as u64;
            body.clear();
            if size > length - at {
                if kind == op::CHUNK && !data_ended {
                    (&mut file).take(length - at).read_to_end(&mut body).map_err(read_error)?;
                    self.cut_chunk(&head, &body);
                }
                return Ok(Some(length));
            }
            (&mut file).take(size).read_to_end(&mut body).map_err(read_error)?;
            at += size;
            if body.len() as u64 != size {
                return Ok(Some(at));
            }
            match kind {
                op::FOOTER => break,
                op::DATA_END => data_ended = true,
                // What follows repeats schemas, channels and offsets for random access.
                _ if data_ended => {}
                _ => self.record(kind, &head, &mut body).map_err(|error| {
                    let channel = error.channel.map(|topic| format!("channel {topic}, ")).unwrap_or_default();
                    FileError::damaged(path, format!("{channel}byte {start}"), error.what)
                })?,
            }
        }
        let ends_well = length - at == magic.len() as u64 && file.read_exact(&mut magic).is_ok();
        if !ends_well || magic != mcap::MAGIC {
            return Err(FileError::damaged(path, format!("byte {at}"), "the file does not end like an MCAP file"));
        }
        Ok(None)
    }

    /// The records at the beginning of a chunk that is cut off. Its checksum is at its end and cannot be tested: the
    /// first record that does not fit ends it.
    fn cut_chunk(&mut self, head: &[u8; 9], body: &[u8]) {
        let limit = (body.len() as u64).saturating_mul(LARGEST_RATIO).min(LARGEST_CHUNK) as usize;
        let options = LinearReaderOptions::default()
            .with_skip_start_magic(true)
            .with_skip_end_magic(true)
            .with_record_length_limit(limit);
        let mut reader = LinearReader::new_with_options(options);
        let mut rest: &[u8] = &[&head[..], body].concat();
        while let Some(Ok(event)) = reader.next_event() {
            match event {
                LinearReadEvent::ReadRequest(_) if rest.is_empty() => return,
                LinearReadEvent::ReadRequest(wanted) => {
                    let (given, kept) = rest.split_at(wanted.min(rest.len()));
                    reader.insert(given.len()).copy_from_slice(given);
                    reader.notify_read(given.len());
                    rest = kept;
                }
                LinearReadEvent::Record { data, opcode } => {
                    if self.small_record(opcode, data).is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn record(&mut self, kind: u8, head: &[u8; 9], body: &mut Vec<u8>) -> Result<(), RecordError> {
        match kind {
            op::CHUNK => self.chunk(head, body),
            op::ATTACHMENT => {
                let mut fields = Fields { bytes: body };
                let _times = (fields.u64()?, fields.u64()?);
                let (name, _media_type) = (fields.text()?, fields.text()?);
                let size = fields.u64()?;
                let data = fields.take(usize::try_from(size).map_err(|e| e.to_string())?)?;
                Ok((self.visit)(Item::Attachment { name, data })?)
            }
            op::METADATA => {
                let mut fields = Fields { bytes: body };
                let name = fields.text()?;
                Ok((self.visit)(Item::Metadata { name, lines: fields.lines()? })?)
            }
            _ => self.small_record(kind, body),
        }
    }

    /// A record that may be inside or outside a chunk.
    fn small_record(&mut self, kind: u8, body: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields { bytes: body };
        match kind {
            op::SCHEMA => {
                let (id, name) = (fields.u16()?, fields.text()?.to_string());
                self.schemas.insert(id, name);
            }
            op::CHANNEL => {
                let (id, schema) = (fields.u16()?, fields.u16()?);
                let (topic, encoding) = (fields.text()?.to_string(), fields.text()?.to_string());
                // Zero means no schema.
                let schema = match self.schemas.get(&schema) {
                    Some(name) => name.clone(),
                    None if schema == 0 => String::new(),
                    None => return Err(format!("channel {topic} names schema {schema}, which does not exist").into()),
                };
                self.channels.insert(id, Channel { topic, encoding, schema });
            }
            op::MESSAGE => {
                let (id, _sequence) = (fields.u16()?, fields.u32()?);
                let (log_time, _publish_time) = (fields.u64()?, fields.u64()?);
                let channel = self.channels.get(&id);
                let channel = channel.ok_or_else(|| format!("a message names channel {id}, which does not exist"))?;
                let seen = (self.visit)(Item::Message { channel, log_time, data: fields.bytes });
                seen.map_err(|what| RecordError { channel: Some(channel.topic.clone()), what })?;
            }
            // Header, indexes, private records.
            _ => {}
        }
        Ok(())
    }

    fn chunk(&mut self, head: &[u8; 9], body: &mut Vec<u8>) -> Result<(), RecordError> {
        let mut fields = Fields { bytes: body };
        let _times = (fields.u64()?, fields.u64()?);
        let unpacked = fields.u64()?;
        let _checksum = fields.u32()?;
        let compression = fields.text()?.to_string();
        let packed = fields.u64()?;
        let left = fields.bytes.len() as u64;
        if unpacked > LARGEST_CHUNK.min(packed.saturating_mul(LARGEST_RATIO)) {
            return Err(format!("a chunk claims to unpack to {unpacked} bytes, which is above the limit").into());
        }
        self.unpacked = self.unpacked.saturating_add(unpacked);
        if self.unpacked > MOST_UNPACKED {
            return Err(format!("the file unpacks to more than {} GiB; cut it first", MOST_UNPACKED >> 30).into());
        }
        if packed > left || (compression.is_empty() && packed != unpacked) {
            return Err("the lengths of a chunk contradict each other".into());
        }
        body.truncate(body.len() - (left - packed) as usize);
        // A file of this one chunk, without header and footer.
        let size = (body.len() as u64).to_le_bytes();
        let source = [&head[..1], &size, body.as_slice()].concat();
        let options = LinearReaderOptions::default()
            .with_skip_start_magic(true)
            .with_skip_end_magic(true)
            .with_validate_chunk_crcs(true)
            .with_record_length_limit(source.len().max(unpacked as usize));
        let mut reader = LinearReader::new_with_options(options);
        let mut rest = source.as_slice();
        while let Some(event) = reader.next_event() {
            match event.map_err(|e| chunk_error(&compression, &e))? {
                LinearReadEvent::ReadRequest(wanted) => {
                    let (given, kept) = rest.split_at(wanted.min(rest.len()));
                    reader.insert(given.len()).copy_from_slice(given);
                    reader.notify_read(given.len());
                    rest = kept;
                }
                LinearReadEvent::Record { data, opcode } => self.small_record(opcode, data)?,
            }
        }
        Ok(())
    }
}

fn chunk_error(compression: &str, error: &mcap::McapError) -> RecordError {
    match error {
        mcap::McapError::UnsupportedCompression(name) => {
            format!("a chunk is compressed by `{name}`; only zstd, lz4 and no compression are supported").into()
        }
        other => format!("a chunk ({compression}) cannot be unpacked: {other}").into(),
    }
}

/// The fields of a record, one after the other.
struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or("a field is longer than its record")?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, String> {
        Ok(u16::from_le_bytes(array(self.take(2)?)))
    }

    fn u32(&mut self) -> Result<u32, String> {
        Ok(u32::from_le_bytes(array(self.take(4)?)))
    }

    fn u64(&mut self) -> Result<u64, String> {
        Ok(u64_of(self.take(8)?))
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let length = self.u32()? as usize;
        std::str::from_utf8(self.take(length)?).map_err(|_| "a text is not UTF-8".to_string())
    }

    fn lines(&mut self) -> Result<BTreeMap<String, String>, String> {
        let length = self.u32()? as usize;
        let mut inner = Fields { bytes: self.take(length)? };
        let mut lines = BTreeMap::new();
        while !inner.bytes.is_empty() {
            lines.insert(inner.text()?.to_string(), inner.text()?.to_string());
        }
        Ok(lines)
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

fn u64_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(array(bytes))
}
