//! The table of a full segment.

use super::log::Log;
use super::table_columns::{self as columns, Cells, MESSAGE, TABLE_SCHEMA};
use super::table_rows::{self, DecodedGroup, Group};
use crate::file::{Fault, FileError, write_atomically};
use crate::stored::Parts;
use parquet::basic::{Compression, Encoding, Type as PhysicalType, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use veracity_model::{Digest, World};

/// Size at which a row group is written. Reading one record reads its group: small enough for that to be fast, large
/// enough to compress well.
const GROUP_BYTES: usize = 4 << 20;

/// The keys of the file's own metadata.
const SCHEMA_KEY: &str = "veracity.schema";
/// `digest row` lines: which row stores which world.
const WORLDS_KEY: &str = "veracity.worlds";

/// Writes everything of a log as a table, completely or not at all.
pub fn write(path: &Path, log: &mut Log) -> Result<(), FileError> {
    // An error of the log must be returned unchanged, not as an error of the table.
    let mut log_error = None;
    let written = write_atomically(path, |sink| {
        let properties = properties()?;
        let schema = Arc::new(parse_message_type(MESSAGE)?);
        let mut file = SerializedFileWriter::new(sink, schema, Arc::new(properties))?;
        let mut worlds = Worlds::default();
        let mut group = Group::default();
        for index in 0..log.contents.records() {
            let row = worlds.row_of(log, index).map_err(|error| {
                log_error = Some(error.clone());
                Fault::from(error)
            })?;
            group.push(row);
            if group.bytes() >= GROUP_BYTES {
                group.write(&mut file)?;
            }
        }
        if group.rows() > 0 {
            group.write(&mut file)?;
        }
        let worlds: String = worlds.keepers.iter().map(|(digest, row)| format!("{digest} {row}\n")).collect();
        file.append_key_value_metadata(KeyValue::new(SCHEMA_KEY.to_string(), TABLE_SCHEMA.to_string()));
        file.append_key_value_metadata(KeyValue::new(WORLDS_KEY.to_string(), worlds));
        file.close()?;
        Ok(())
    });
    match log_error {
        Some(error) => Err(error),
        None => written,
    }
}

/// Which row stores which world, and the world of the previous row: neighbours mostly share it.
#[derive(Default)]
struct Worlds {
    keepers: BTreeMap<Digest, usize>,
    last: Option<(Digest, Arc<World>)>,
}

impl Worlds {
    fn row_of(&mut self, log: &mut Log, index: usize) -> Result<Vec<Cells>, FileError> {
        let parts = log.record(index)?;
        let digest = parts.head.world;
        let world = match &self.last {
            Some((known, world)) if *known == digest => world.clone(),
            _ => log.world(&digest, index)?,
        };
        self.last = Some((digest, world.clone()));
        let bytes = match self.keepers.contains_key(&digest) {
            true => Vec::new(),
            false => log.world_bytes(&digest, index)?,
        };
        self.keepers.entry(digest).or_insert(index);
        Ok(columns::flatten(&parts.with_world(world), bytes))
    }
}

fn properties() -> Result<WriterProperties, Fault> {
    // Byte-stream split compresses far better than whole numbers in sequence.
    let builder = WriterProperties::builder()
        .set_created_by(format!("veracity {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_dictionary_enabled(false);
    let schema = SchemaDescriptor::new(Arc::new(parse_message_type(MESSAGE)?));
    let doubles = schema.columns().iter().filter(|c| c.physical_type() == PhysicalType::DOUBLE);
    let split = |builder: WriterPropertiesBuilder, column: &ColumnDescPtr| {
        builder.set_column_encoding(column.path().clone(), Encoding::BYTE_STREAM_SPLIT)
    };
    Ok(doubles.fold(builder, split).build())
}

/// The row group read last: records are mostly read in order, and a group holds hundreds of small ones.
#[derive(Default)]
struct Reading {
    group: Option<(usize, DecodedGroup)>,
}

/// An open table.
pub struct Table {
    path: PathBuf,
    file: SerializedFileReader<File>,
    /// Held while a row is read: the library's handles of one file share its position, and two threads would move it
    /// concurrently.
    reading: Mutex<Reading>,
    worlds: BTreeMap<Digest, usize>,
    /// The first row of each group, and the number of rows.
    starts: Vec<usize>,
    /// Schema of its columns.
    schema: u32,
    /// How often a group was decoded.
    decoded: AtomicU64,
}

impl Table {
    /// Reads only the file's index.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let damaged = |what: String| FileError::damaged(path, "the index at its end", what);
        let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
        let file = guarded(|| SerializedFileReader::new(file)).map_err(damaged)?;
        let metadata = file.metadata().file_metadata();
        let value = |key: &str| {
            let entries = metadata.key_value_metadata()?;
            entries.iter().find(|entry| entry.key == key)?.value.clone()
        };
        let schema = value(SCHEMA_KEY).and_then(|text| text.parse().ok());
        let found: u32 = schema.ok_or_else(|| damaged("not a table of veracity records".to_string()))?;
        if found > TABLE_SCHEMA {
            return Err(FileError::Newer { path: path.to_path_buf(), found, known: TABLE_SCHEMA });
        }
        let expected = parse_message_type(&columns::message(found)).map_err(|e| damaged(e.to_string()))?;
        if metadata.schema_descr().root_schema() != &expected {
            return Err(damaged("the columns are not those of records".to_string()));
        }
        let worlds = value(WORLDS_KEY).unwrap_or_default();
        let worlds = worlds.lines().map(parse_world_line).collect::<Option<_>>();
        let worlds = worlds.ok_or_else(|| damaged("the list of worlds is not readable".to_string()))?;
        let mut starts = vec![0];
        for group in file.metadata().row_groups() {
            let rows = usize::try_from(group.num_rows()).map_err(|_| damaged("a negative count".to_string()))?;
            starts.push(starts[starts.len() - 1] + rows);
        }
        let (reading, decoded) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { path: path.to_path_buf(), file, reading, worlds, starts, schema: found, decoded })
    }

    /// How many records.
    pub fn records(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The record of an index, and the digest it was stored with.
    pub fn record(&self, index: usize) -> Result<(Parts, Digest), FileError> {
        let (group, row) = self.place(index)?;
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if reading.group.as_ref().is_none_or(|(number, _)| *number != group) {
            let decoded = guarded(|| DecodedGroup::read(self.file.get_row_group(group)?.as_ref()));
            self.decoded.fetch_add(1, Ordering::Relaxed);
            reading.group = decoded.ok().map(|decoded| (group, decoded));
        }
        let cells = match &reading.group {
            Some((_, decoded)) => Ok(decoded.row(row)),
            // Damage in a group must not affect records that can still be read one by one.
            None => guarded(|| table_rows::read_row(self.file.get_row_group(group)?.as_ref(), row)),
        };
        drop(reading);
        cells.and_then(|cells| columns::unflatten(self.schema, cells)).map_err(|what| self.damaged(index, what))
    }

    /// How often a row group was decoded: the work of reading.
    pub fn groups_decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// The world a record names.
    pub fn world(&self, digest: &Digest, index: usize) -> Result<Arc<World>, FileError> {
        let keeper = self.worlds.get(digest).ok_or_else(|| self.damaged(index, "its world is not in the file"))?;
        let cells = self.cells(*keeper, columns::WORLD_BYTES)?;
        let Cells::Texts(texts) = cells else { return Err(self.damaged(index, "the world is not bytes")) };
        let bytes = texts.first().map(Vec::as_slice).unwrap_or_default();
        if Digest::of(bytes) != *digest {
            return Err(self.damaged(index, "its world has the wrong digest: the file is damaged"));
        }
        World::from_bytes(bytes).map(Arc::new).map_err(|e| self.damaged(index, e.to_string()))
    }

    /// One column of one record.
    pub fn cells(&self, index: usize, column: usize) -> Result<Cells, FileError> {
        let (group, row) = self.place(index)?;
        let _alone = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let cells = guarded(|| table_rows::read_cells(self.file.get_row_group(group)?.as_ref(), column, row));
        cells.map_err(|what| self.damaged(index, what))
    }

    /// An error about a record.
    pub fn damaged(&self, index: usize, what: impl Into<String>) -> FileError {
        FileError::damaged(&self.path, format!("record {index}"), what)
    }

    fn place(&self, index: usize) -> Result<(usize, usize), FileError> {
        if index >= self.records() {
            return Err(self.damaged(index, "no such record"));
        }
        let group = self.starts.partition_point(|start| *start <= index) - 1;
        Ok((group, index - self.starts[group]))
    }
}

/// The Parquet reader panics on some damaged pages. A damaged file must affect only its own record, so the panic is
/// caught here; nothing that was being read is used afterwards.
pub fn guarded<T>(read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|e| e.to_string()),
        Err(_) => Err("its pages cannot be decoded: the file is damaged".to_string()),
    }
}

fn parse_world_line(line: &str) -> Option<(Digest, usize)> {
    let (digest, row) = line.split_once(' ')?;
    Some((Digest::parse(digest)?, row.parse().ok()?))
}
