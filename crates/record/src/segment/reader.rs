//! Reading single records.

use super::log::Log;
use super::table::Table;
use super::table_columns::{Cells, KEY};
use super::{Location, Names, segments_in};
use crate::Record;
use crate::file::FileError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use veracity_model::{Digest, World};

/// Reads records by their location, also while a [`super::SegmentWriter`] adds others. It locks and writes nothing.
///
/// The tables, the log and the world that were read last are cached: reading a study in order opens each file once,
/// decodes each row group once and reads each frame of a log once.
pub struct SegmentReader {
    folder: PathBuf,
    tables: Mutex<Tables>,
    log: Mutex<OpenLog>,
    world: Mutex<Option<(Digest, Arc<World>)>>,
}

/// Work done so far: it grows with the records read, not with the number stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadWork {
    /// Row groups decoded.
    pub groups: u64,
    /// Log frames read.
    pub frames: u64,
}

/// Tables kept open: parallel threads may be in two neighbouring segments.
const TABLES_KEPT: usize = 4;

#[derive(Default)]
struct Tables {
    /// The most recently used at the end.
    open: Vec<(u32, Arc<Table>)>,
    /// Groups decoded by tables that were closed.
    groups_before: u64,
}

#[derive(Default)]
struct OpenLog {
    open: Option<(u32, Log)>,
    /// Frames of logs that were closed.
    frames_before: u64,
}

impl SegmentReader {
    /// A reader for a folder of segments.
    pub fn open(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            tables: Mutex::default(),
            log: Mutex::default(),
            world: Mutex::default(),
        }
    }

    /// The record at a location, complete; its digest is verified.
    pub fn read(&self, location: Location) -> Result<Record, FileError> {
        if let Some(table) = self.table(location.segment)? {
            return self.read_table(&table, location.index as usize);
        }
        match self.read_log(location) {
            Ok(record) => Ok(record),
            // Since the log was opened the writer may have turned it into a table, or cut off an incomplete record.
            Err(error) => match self.table(location.segment)? {
                Some(table) => self.read_table(&table, location.index as usize),
                None => {
                    self.close_log();
                    self.read_log(location).map_err(|_| error)
                }
            },
        }
    }

    fn read_table(&self, table: &Table, index: usize) -> Result<Record, FileError> {
        let (parts, digest) = table.record(index)?;
        if let Some(fault) = parts.track.fault() {
            return Err(table.damaged(index, fault));
        }
        let world = self.world(parts.head.world, |digest| table.world(digest, index))?;
        let record = parts.with_world(world);
        if record.digest() != digest {
            return Err(table.damaged(index, "its digest differs from the stored one; run the trial again"));
        }
        Ok(record)
    }

    fn read_log(&self, location: Location) -> Result<Record, FileError> {
        let index = location.index as usize;
        let mut guard = self.open_log(location.segment)?;
        let Some((_, log)) = &mut guard.open else { unreachable!("it was just opened") };
        if index >= log.contents.records() {
            log.look_again()?;
        }
        let parts = log.record(index)?;
        let world = self.world(parts.head.world, |digest| log.world(digest, index))?;
        Ok(parts.with_world(world))
    }

    /// Location and trial key of every record: sufficient to rebuild an index of the folder.
    pub fn contents(&self) -> Result<Vec<(Location, Option<Digest>)>, FileError> {
        let mut contents = Vec::new();
        for segment in segments_in(&self.folder)? {
            let keys = match self.keys_of_log(segment) {
                Some(keys) => keys,
                None => {
                    let table = self.table(segment)?;
                    let table =
                        table.ok_or_else(|| FileError::damaged(&self.folder, "a segment", "it was removed"))?;
                    (0..table.records()).map(|i| key_in(&table, i)).collect::<Result<Vec<_>, _>>()
                }
            }?;
            contents.extend(keys.into_iter().zip(0..).map(|(key, index)| (Location { segment, index }, key)));
        }
        Ok(contents)
    }

    /// The keys of a segment that is a log; `None` if it is a table.
    fn keys_of_log(&self, segment: u32) -> Option<Result<Vec<Option<Digest>>, FileError>> {
        let names = Names::of(&self.folder, segment);
        if names.table.exists() {
            return None;
        }
        let mut log = match Log::open(&names.log) {
            Ok(log) => log,
            // It became a table between the two accesses.
            Err(_) if names.table.exists() => return None,
            Err(error) => return Some(Err(error)),
        };
        Some((0..log.contents.records()).map(|i| Ok(log.record(i)?.head.key)).collect())
    }

    /// Work done so far.
    pub fn work(&self) -> ReadWork {
        let (tables, log) = (lock(&self.tables), lock(&self.log));
        let groups = tables.open.iter().map(|(_, t)| t.groups_decoded()).sum::<u64>() + tables.groups_before;
        let frames = log.open.as_ref().map_or(0, |(_, log)| log.scanned) + log.frames_before;
        ReadWork { groups, frames }
    }

    /// The log of a segment, opened unless it is already open.
    fn open_log(&self, segment: u32) -> Result<MutexGuard<'_, OpenLog>, FileError> {
        let mut guard = lock(&self.log);
        if guard.open.as_ref().is_none_or(|(number, _)| *number != segment) {
            guard.close();
            guard.open = Some((segment, Log::open(&Names::of(&self.folder, segment).log)?));
        }
        Ok(guard)
    }

    fn close_log(&self) {
        lock(&self.log).close();
    }

    fn table(&self, segment: u32) -> Result<Option<Arc<Table>>, FileError> {
        let mut tables = lock(&self.tables);
        if let Some(at) = tables.open.iter().position(|(number, _)| *number == segment) {
            // To the end, where the most recently used are.
            let found = tables.open.remove(at);
            let table = Arc::clone(&found.1);
            tables.open.push(found);
            return Ok(Some(table));
        }
        let path = Names::of(&self.folder, segment).table;
        if !path.exists() {
            return Ok(None);
        }
        let table = Arc::new(Table::open(&path)?);
        if tables.open.len() >= TABLES_KEPT {
            let (_, closed) = tables.open.remove(0);
            tables.groups_before += closed.groups_decoded();
        }
        tables.open.push((segment, Arc::clone(&table)));
        Ok(Some(table))
    }

    fn world(
        &self,
        digest: Digest,
        read: impl FnOnce(&Digest) -> Result<Arc<World>, FileError>,
    ) -> Result<Arc<World>, FileError> {
        let mut last = lock(&self.world);
        if let Some((_, world)) = last.as_ref().filter(|(known, _)| *known == digest) {
            return Ok(world.clone());
        }
        let world = read(&digest)?;
        *last = Some((digest, world.clone()));
        Ok(world)
    }
}

impl OpenLog {
    fn close(&mut self) {
        self.frames_before += self.open.take().map_or(0, |(_, log)| log.scanned);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key_in(table: &Table, index: usize) -> Result<Option<Digest>, FileError> {
    let Cells::Texts(texts) = table.cells(index, KEY)? else {
        return Err(table.damaged(index, "its key is not text"));
    };
    let text = texts.first().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    match text.as_str() {
        "" => Ok(None),
        text => Digest::parse(text).map(Some).ok_or_else(|| table.damaged(index, "its key is not a digest")),
    }
}
