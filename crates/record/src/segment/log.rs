//! The log of a segment that is not yet full.
//!
//! ```text
//! file  = magic frame*
//! frame = mark(1) length(8, little endian) digest(32) payload(length)
//! mark  = 'W': payload is a world (World::to_bytes), named by the digest
//!       | 'R': payload is a record (Record::to_bytes)
//! digest = SHA-256 of payload
//! ```
//!
//! A world precedes the first record that needs it. Bytes after the last complete frame are of a record that was being
//! written when the writer was stopped.

use crate::Record;
use crate::file::{Fault, FileError};
use crate::stored::{Parts, StoredRecordError};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_model::{Digest, World};

/// The last digit is the version of the framing.
const MAGIC: &[u8; 8] = b"VERSEG01";
const FRAME_HEAD: usize = 1 + 8 + 32;
const WORLD: u8 = b'W';
const RECORD: u8 = b'R';

/// A payload and its position.
#[derive(Clone, Copy, Debug)]
struct Frame {
    at: u64,
    length: u64,
    digest: Digest,
}

/// The content of a log, found by scanning it. The payloads stay on disk.
#[derive(Debug, Default)]
pub struct Contents {
    worlds: BTreeMap<Digest, Frame>,
    records: Vec<Frame>,
    /// End of the last complete frame.
    pub end: u64,
}

impl Contents {
    /// How many records.
    pub fn records(&self) -> usize {
        self.records.len()
    }

    /// Whether this world is in the log.
    pub fn has_world(&self, digest: &Digest) -> bool {
        self.worlds.contains_key(digest)
    }
}

/// An open log.
pub struct Log {
    path: PathBuf,
    file: File,
    pub contents: Contents,
    /// Frames read by scans.
    pub scanned: u64,
}

impl Log {
    /// Creates an empty log.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let error = |e: std::io::Error| FileError::write(path, &e);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(error)?;
        lock(path, &file)?;
        // Only now that no other process has it.
        file.set_len(0).and_then(|()| file.write_all(MAGIC)).map_err(error)?;
        let contents = Contents { end: MAGIC.len() as u64, ..Contents::default() };
        Ok(Self { path: path.to_path_buf(), file, contents, scanned: 0 })
    }

    /// Opens an existing log for appending. Bytes after the last complete frame are cut off; returns how many.
    pub fn resume(path: &Path) -> Result<(Self, u64), FileError> {
        let error = |e: std::io::Error| FileError::write(path, &e);
        let file = File::options().read(true).write(true).open(path).map_err(error)?;
        lock(path, &file)?;
        let mut log = Self { path: path.to_path_buf(), file, contents: Contents::default(), scanned: 0 };
        let length = log.scan()?;
        let lost = length - log.contents.end;
        log.file.set_len(log.contents.end).map_err(error)?;
        if log.contents.end == 0 {
            // Stopped before even the magic was complete.
            log.file.rewind().and_then(|()| log.file.write_all(MAGIC)).map_err(error)?;
            log.contents.end = MAGIC.len() as u64;
        }
        Ok((log, lost))
    }

    /// Opens a log for reading while another process may be writing it: its complete frames.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
        let mut log = Self { path: path.to_path_buf(), file, contents: Contents::default(), scanned: 0 };
        log.scan()?;
        Ok(log)
    }

    /// Reads the frames that another process has added since the last scan.
    pub fn look_again(&mut self) -> Result<(), FileError> {
        self.scan().map(|_| ())
    }

    /// Adds a record, and its world unless it is there; returns the record's index.
    pub fn append(&mut self, record: &Record) -> Result<u32, FileError> {
        let before = self.contents.end;
        let added = self.try_append(record);
        added.map_err(|fault| {
            // The next reader would cut off an incomplete frame; cut off now, so that appending can continue.
            let _ = self.file.set_len(before);
            self.contents.end = before;
            FileError::write(&self.path, fault.as_ref())
        })
    }

    /// Flushes everything to disk.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(|e| FileError::write(&self.path, &e))
    }

    /// The record of an index.
    pub fn record(&mut self, index: usize) -> Result<Parts, FileError> {
        let frame = self.contents.records.get(index).copied();
        let frame = frame.ok_or_else(|| self.damaged(index, "no such record"))?;
        let bytes = self.payload(frame, index)?;
        Parts::from_bytes(&bytes).map_err(|error| match error {
            StoredRecordError::Newer { found } => {
                FileError::Newer { path: self.path.clone(), found, known: crate::head::SCHEMA }
            }
            StoredRecordError::Damaged(what) => self.damaged(index, &what),
        })
    }

    /// The world a record names.
    pub fn world(&mut self, digest: &Digest, index: usize) -> Result<Arc<World>, FileError> {
        let bytes = self.world_bytes(digest, index)?;
        World::from_bytes(&bytes).map(Arc::new).map_err(|e| self.damaged(index, &e.to_string()))
    }

    /// The bytes of that world.
    pub fn world_bytes(&mut self, digest: &Digest, index: usize) -> Result<Vec<u8>, FileError> {
        let frame = self.contents.worlds.get(digest).copied();
        let frame = frame.ok_or_else(|| self.damaged(index, "its world is not in the log"))?;
        self.payload(frame, index)
    }

    fn damaged(&self, index: usize, what: &str) -> FileError {
        FileError::damaged(&self.path, format!("record {index}"), what)
    }

    fn try_append(&mut self, record: &Record) -> Result<u32, Fault> {
        let index = u32::try_from(self.contents.records.len())?;
        let mut end = self.contents.end;
        let mut pieces = Vec::new();
        let world = (!self.contents.has_world(&record.head.world)).then(|| record.world.to_bytes());
        if let Some(bytes) = &world {
            if Digest::of(bytes) != record.head.world {
                return Err("the record's head names another world than the record has".into());
            }
            pieces.push((WORLD, bytes.as_slice()));
        }
        let bytes = record.to_bytes();
        pieces.push((RECORD, bytes.as_slice()));
        let mut frames = Vec::new();
        for (mark, payload) in pieces {
            let (head, frame) = frame_of(mark, payload, end);
            self.write_at_end(&[&head, payload])?;
            end = frame.at + frame.length;
            frames.push((mark, frame));
            self.contents.end = end;
        }
        // Counted only now that everything is written.
        frames.into_iter().for_each(|(mark, frame)| self.contents.take_in(mark, frame));
        Ok(index)
    }

    fn write_at_end(&mut self, pieces: &[&[u8]]) -> Result<(), Fault> {
        self.file.seek(SeekFrom::Start(self.contents.end))?;
        for piece in pieces {
            self.file.write_all(piece)?;
        }
        Ok(())
    }

    /// Finds the complete frames after those that are known; returns the length of the file.
    fn scan(&mut self) -> Result<u64, FileError> {
        let path = self.path.clone();
        let error = |e: std::io::Error| FileError::read(&path, &e);
        let length = self.file.metadata().map_err(error)?.len();
        let mut magic = [0; MAGIC.len()];
        if length < MAGIC.len() as u64 {
            return Ok(length);
        }
        if self.contents.end == 0 {
            self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_exact(&mut magic)).map_err(error)?;
            if &magic != MAGIC {
                return Err(FileError::damaged(&self.path, "byte 0", "not a log of records; move it away"));
            }
            self.contents.end = MAGIC.len() as u64;
        }
        while length.saturating_sub(self.contents.end) >= FRAME_HEAD as u64 {
            self.scanned += 1;
            let mut head = [0; FRAME_HEAD];
            self.file.seek(SeekFrom::Start(self.contents.end)).map_err(error)?;
            self.file.read_exact(&mut head).map_err(error)?;
            let (mark, frame) = parse_head(&head, self.contents.end);
            let end = frame.at.saturating_add(frame.length);
            if ![WORLD, RECORD].contains(&mark) || end > length {
                break;
            }
            // A frame with another after it was written completely; the last one may be a hole of zeros after a power
            // cut.
            let is_last = length - end < FRAME_HEAD as u64;
            if is_last && self.payload(frame, self.contents.records.len()).is_err() {
                break;
            }
            self.contents.take_in(mark, frame);
            self.contents.end = end;
        }
        Ok(length)
    }

    fn payload(&mut self, frame: Frame, index: usize) -> Result<Vec<u8>, FileError> {
        // The length was checked against the file before the frame was accepted.
        let mut bytes = vec![0; frame.length as usize];
        let read = self.file.seek(SeekFrom::Start(frame.at)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|e| FileError::read(&self.path, &e))?;
        if Digest::of(&bytes) != frame.digest {
            return Err(self.damaged(
                index,
                &format!("the checksum of the bytes from {} is wrong; run the trial again", frame.at),
            ));
        }
        Ok(bytes)
    }
}

impl Contents {
    fn take_in(&mut self, mark: u8, frame: Frame) {
        self.end = frame.at + frame.length;
        match mark {
            WORLD => drop(self.worlds.insert(frame.digest, frame)),
            _ => self.records.push(frame),
        }
    }
}

fn frame_of(mark: u8, payload: &[u8], end: u64) -> ([u8; FRAME_HEAD], Frame) {
    let (length, digest) = (payload.len() as u64, Digest::of(payload));
    let mut head = [0; FRAME_HEAD];
    head[0] = mark;
    head[1..9].copy_from_slice(&length.to_le_bytes());
    head[9..].copy_from_slice(&digest.0);
    (head, Frame { at: end + FRAME_HEAD as u64, length, digest })
}

fn parse_head(head: &[u8; FRAME_HEAD], start: u64) -> (u8, Frame) {
    let (mut length, mut digest) = ([0; 8], [0; 32]);
    length.copy_from_slice(&head[1..9]);
    digest.copy_from_slice(&head[9..]);
    let frame = Frame { at: start + FRAME_HEAD as u64, length: u64::from_le_bytes(length), digest: Digest(digest) };
    (head[0], frame)
}

/// Two writers of one log would overwrite each other.
fn lock(path: &Path, file: &File) -> Result<(), FileError> {
    let reason = match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => {
            "another process is writing it; wait for it or choose another folder".to_string()
        }
        Err(std::fs::TryLockError::Error(e)) => e.to_string(),
    };
    Err(FileError::Write { path: path.to_path_buf(), reason })
}
