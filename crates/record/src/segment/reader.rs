//! Reading single records back.

use super::log::Log;
use super::table::Table;
use super::table_columns::{Cells, KEY};
use super::{Location, Names, segments_in};
use crate::Record;
use crate::file::FileError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use veracity_model::{Digest, World};

/// Reads records by their location, also while a [`super::SegmentWriter`] adds others.
///
/// The index of the table and the world that were read last are kept: going through a study in order opens each file
/// once.
pub struct SegmentReader {
    folder: PathBuf,
    table: Mutex<Option<(u32, Arc<Table>)>>,
    world: Mutex<Option<(Digest, Arc<World>)>>,
}

/// What a segment is at the moment.
enum Source {
    Table(Arc<Table>),
    Log(Log),
}

impl SegmentReader {
    /// For a folder of segments.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), table: Mutex::new(None), world: Mutex::new(None) }
    }

    /// The record at a location, whole: its digest is held to the one it was stored with.
    pub fn read(&self, location: Location) -> Result<Record, FileError> {
        let index = location.index as usize;
        match self.source(location.segment)? {
            Source::Table(table) => {
                let (parts, digest) = table.record(index)?;
                if let Some(fault) = parts.track.fault() {
                    return Err(table.damaged(index, fault));
                }
                let world = self.world(parts.head.world, |digest| table.world(digest, index))?;
                let record = parts.with_world(world);
                if record.digest() != digest {
                    return Err(table.damaged(index, "it has another digest than it was stored with; run it again"));
                }
                Ok(record)
            }
            Source::Log(mut log) => {
                let parts = log.record(index)?;
                let world = self.world(parts.head.world, |digest| log.world(digest, index))?;
                Ok(parts.with_world(world))
            }
        }
    }

    /// Where every record is, and its trial's key: what an index of the folder is made again from.
    pub fn contents(&self) -> Result<Vec<(Location, Option<Digest>)>, FileError> {
        let mut contents = Vec::new();
        for segment in segments_in(&self.folder)? {
            let keys = match self.source(segment)? {
                Source::Table(table) => {
                    (0..table.records()).map(|i| key_in(&table, i)).collect::<Result<Vec<_>, _>>()?
                }
                Source::Log(mut log) => {
                    let records = log.contents.records();
                    (0..records).map(|i| Ok(log.record(i)?.head.key)).collect::<Result<_, FileError>>()?
                }
            };
            contents.extend(keys.into_iter().zip(0..).map(|(key, index)| (Location { segment, index }, key)));
        }
        Ok(contents)
    }

    fn source(&self, segment: u32) -> Result<Source, FileError> {
        if let Some(table) = self.table(segment)? {
            return Ok(Source::Table(table));
        }
        // The writer may turn the log into a table between these two looks.
        Log::open(&Names::of(&self.folder, segment).log)
            .map(Source::Log)
            .or_else(|error| self.table(segment)?.map(Source::Table).ok_or(error))
    }

    fn table(&self, segment: u32) -> Result<Option<Arc<Table>>, FileError> {
        let mut last = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = last.as_ref().filter(|(number, _)| *number == segment) {
            return Ok(Some(table.clone()));
        }
        let path = Names::of(&self.folder, segment).table;
        if !path.exists() {
            return Ok(None);
        }
        let table = Arc::new(Table::open(&path)?);
        *last = Some((segment, table.clone()));
        Ok(Some(table))
    }

    fn world(
        &self,
        digest: Digest,
        read: impl FnOnce(&Digest) -> Result<Arc<World>, FileError>,
    ) -> Result<Arc<World>, FileError> {
        let mut last = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, world)) = last.as_ref().filter(|(known, _)| *known == digest) {
            return Ok(world.clone());
        }
        let world = read(&digest)?;
        *last = Some((digest, world.clone()));
        Ok(world)
    }
}

fn key_in(table: &Table, index: usize) -> Result<Option<Digest>, FileError> {
    let Cells::Texts(texts) = table.cells(index, KEY)? else {
        return Err(table.damaged(index, "its key is no text"));
    };
    let text = texts.first().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    match text.as_str() {
        "" => Ok(None),
        text => Digest::parse(text).map(Some).ok_or_else(|| table.damaged(index, "its key is no digest")),
    }
}
