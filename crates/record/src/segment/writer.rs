//! Adding records to a folder of segments.

use super::log::Log;
use super::{Location, Names, segments_in, table};
use crate::Record;
use crate::file::{FileError, is_unfinished};
use std::fs;
use std::path::{Path, PathBuf};

/// When a segment is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Records in a segment.
    pub records: u32,
    /// Bytes of its log.
    pub bytes: u64,
}

impl Default for Limits {
    /// 10,000 trials make ten files; half a gigabyte of log becomes a table in seconds.
    fn default() -> Self {
        Self { records: 1024, bytes: 512 << 20 }
    }
}

/// What was found when a folder was reopened after its writer had been stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Records in the log, which are kept.
    pub records: u32,
    /// Bytes of an incomplete record, which were cut off.
    pub lost_bytes: u64,
}

/// The only writer of a folder of segments. A second one is rejected.
pub struct SegmentWriter {
    folder: PathBuf,
    limits: Limits,
    segment: u32,
    log: Log,
    recovered: Recovered,
}

impl SegmentWriter {
    /// Opens a folder, creating it if necessary, and continues where the last writer ended or was stopped.
    pub fn open(folder: &Path) -> Result<Self, FileError> {
        Self::open_with(folder, Limits::default())
    }

    /// The same with other limits.
    pub fn open_with(folder: &Path, limits: Limits) -> Result<Self, FileError> {
        fs::create_dir_all(folder).map_err(|e| FileError::write(folder, &e))?;
        let mut segment = segments_in(folder)?.last().copied().unwrap_or(0);
        let names = Names::of(folder, segment);
        let (mut log, mut recovered) = (None, Recovered::default());
        if names.table.exists() {
            // A table is renamed into place when it is complete: a log with the same number is redundant.
            segment = next_number(folder, segment)?;
        } else if names.log.exists() {
            let (resumed, lost_bytes) = Log::resume(&names.log)?;
            recovered = Recovered { records: resumed.contents.records() as u32, lost_bytes };
            log = Some(resumed);
        }
        let log = match log {
            Some(log) => log,
            None => Log::create(&Names::of(folder, segment).log)?,
        };
        // Only now that the log is locked is it certain that no other writer is active.
        remove_leftovers(folder)?;
        Ok(Self { folder: folder.to_path_buf(), limits, segment, log, recovered })
    }

    /// What was found when the folder was opened.
    pub fn recovered(&self) -> Recovered {
        self.recovered
    }

    /// Adds a record. When this returns, `kill -9` no longer loses it; [`Self::sync`] makes it survive a power cut too.
    /// After an error (a full disk) everything added before is still there, and adding can be retried.
    pub fn append(&mut self, record: &Record) -> Result<Location, FileError> {
        if self.is_full() {
            self.seal()?;
            self.segment = next_number(&self.folder, self.segment)?;
            self.log = Log::create(&Names::of(&self.folder, self.segment).log)?;
        }
        let index = self.log.append(record)?;
        Ok(Location { segment: self.segment, index })
    }

    /// Flushes every added record to disk.
    pub fn sync(&self) -> Result<(), FileError> {
        self.log.sync()
    }

    /// Turns the rest into a table: the folder then holds only tables.
    pub fn finish(mut self) -> Result<(), FileError> {
        if self.log.contents.records() > 0 {
            return self.seal();
        }
        let log = Names::of(&self.folder, self.segment).log;
        fs::remove_file(&log).map_err(|e| FileError::write(&log, &e))
    }

    fn is_full(&self) -> bool {
        let contents = &self.log.contents;
        contents.records() as u64 >= u64::from(self.limits.records.max(1)) || contents.end >= self.limits.bytes
    }

    /// Turns the log into a table and removes the log. If stopped in between, the next writer removes the log.
    fn seal(&mut self) -> Result<(), FileError> {
        let names = Names::of(&self.folder, self.segment);
        table::write(&names.table, &mut self.log)?;
        fs::remove_file(&names.log).map_err(|e| FileError::write(&names.log, &e))
    }
}

fn next_number(folder: &Path, segment: u32) -> Result<u32, FileError> {
    let full = || FileError::Write { path: folder.to_path_buf(), reason: "it holds too many segments".to_string() };
    segment.checked_add(1).ok_or_else(full)
}

/// Removes half-written tables, and logs whose table is complete.
fn remove_leftovers(folder: &Path) -> Result<(), FileError> {
    for entry in fs::read_dir(folder).map_err(|e| FileError::read(folder, &e))? {
        let path = entry.map_err(|e| FileError::read(folder, &e))?.path();
        let is_log = path.extension().is_some_and(|e| e == "log");
        let replaced = is_log && Names::number(&path).is_some_and(|n| Names::of(folder, n).table.exists());
        if replaced || (is_unfinished(&path) && !path.is_dir()) {
            fs::remove_file(&path).map_err(|e| FileError::write(&path, &e))?;
        }
    }
    Ok(())
}
