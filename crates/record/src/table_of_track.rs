//! A track as a Parquet table: one row for each instant, one column for each number.
//!
//! | column | content |
//! |---|---|
//! | `time_s` | [s] |
//! | `q/JOINT`, `v/JOINT`, `effort/JOINT` | coordinates; with `/x`, `/qw` … after the joint where it has several |
//! | `pose/BODY/x` … `/qz`, `twist/BODY/wx` … `/vz` | each body in the world |
//! | `gap/PAIR` | gaps of named pairs [m] |
//! | `solver/residual` | largest residual of the engine's solver since the row before, in its own measure; absent where it has none |
//! | anything else | signals, under their own names |
//!
//! Units are in the file's metadata as `unit COLUMN`, the description of the run as `veracity KEY`. Numbers keep every
//! bit.

use crate::file::{Fault, FileError, write_atomically};
use crate::{Record, Signal, TimeSeries, names};
use parquet::basic::{Compression, Encoding, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::column::reader::ColumnReader;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A column of the table, borrowed from a record.
pub(crate) struct Column<'a> {
    pub name: String,
    pub unit: &'a str,
    values: &'a [f64],
    offset: usize,
    stride: usize,
}

impl Column<'_> {
    /// The number in a row.
    pub fn value(&self, row: usize) -> f64 {
        self.values[row * self.stride + self.offset]
    }
}

/// Rows in a row group: a group of a hundred columns takes some tens of megabytes.
const GROUP_ROWS: usize = 1 << 16;

/// Every column of a record's track; an error if two would have the same name.
pub(crate) fn columns(record: &Record) -> Result<Vec<Column<'_>>, Fault> {
    let track = &record.track;
    if let Some(fault) = track.fault() {
        return Err(format!("its track is inconsistent: {fault}").into());
    }
    let layout = record.layout();
    let mut columns =
        vec![Column { name: "time_s".to_string(), unit: "s", values: &track.times, offset: 0, stride: 1 }];
    let blocks = [
        ("q", names::positions(&layout), &track.q),
        ("v", names::velocities(&layout), &track.v),
        ("effort", names::efforts(&layout), &track.efforts),
        ("pose", names::poses(&layout), &track.poses),
        ("twist", names::twists(&layout), &track.twists),
        ("gap", names::gaps(&layout), &track.gaps),
    ];
    for (prefix, names, values) in blocks {
        if values.len() != names.len() * track.rows() {
            return Err("its track does not fit its world".into());
        }
        let stride = names.len();
        columns.extend(names.into_iter().enumerate().map(|(offset, named)| Column {
            name: format!("{prefix}/{}", named.name),
            unit: named.unit,
            values,
            offset,
            stride,
        }));
    }
    columns.extend(track.signals.iter().map(|signal| Column {
        name: signal.name.clone(),
        unit: &signal.unit,
        values: &signal.values,
        offset: 0,
        stride: 1,
    }));
    let residuals = &record.host.solver_residuals;
    if !residuals.is_empty() && residuals.len() == track.rows() {
        let name = crate::SOLVER_RESIDUAL.to_string();
        columns.push(Column { name, unit: "", values: residuals, offset: 0, stride: 1 });
    }
    let mut sorted: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("two columns are called {}; give one signal another name", twice[0]).into());
    }
    Ok(columns)
}

/// The columns that [`write_track`] writes, in memory; the first is `time_s`. The error says which part of the record is
/// inconsistent.
pub fn table(record: &Record) -> Result<Vec<Signal>, String> {
    let columns = columns(record).map_err(|fault| fault.to_string())?;
    let rows = record.track.rows();
    let signal = |column: &Column<'_>| Signal {
        name: column.name.clone(),
        unit: column.unit.to_string(),
        values: (0..rows).map(|row| column.value(row)).collect(),
    };
    Ok(columns.iter().map(signal).collect())
}

/// Writes the track of a record; see the module documentation.
pub fn write_track(record: &Record, path: &Path) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let columns = columns(record)?;
        let column_type = |column: &Column| {
            let double = Type::primitive_type_builder(&column.name, PhysicalType::DOUBLE);
            double.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        };
        let fields = columns.iter().map(column_type).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("track").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_created_by(format!("veracity {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(metadata(record, &columns)))
            .build();
        let mut file = SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties))?;
        let rows = record.track.rows();
        for start in (0..rows).step_by(GROUP_ROWS) {
            let mut group = file.next_row_group()?;
            for column in &columns {
                let values: Vec<f64> = (start..rows.min(start + GROUP_ROWS)).map(|row| column.value(row)).collect();
                let Some(mut writer) = group.next_column()? else {
                    return Err("the schema has fewer columns than the track".into());
                };
                writer.typed::<DoubleType>().write_batch(&values, None, None)?;
                writer.close()?;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    })
}

/// Reads a table of numbers, every bit of it: one written by [`write_track`], or any other whose columns are doubles
/// without gaps and whose first column is `time_s`.
pub fn read_track(path: &Path) -> Result<TimeSeries, FileError> {
    let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
    let series = crate::segment::guarded(|| read(file));
    series.map_err(|what| FileError::damaged(path, "the table", what))
}

fn read(file: File) -> Result<TimeSeries, ParquetError> {
    let file = SerializedFileReader::new(file)?;
    let metadata = file.metadata().file_metadata();
    let lines = metadata.key_value_metadata().cloned().unwrap_or_default();
    let unit = |name: &str| {
        let key = format!("{UNIT_KEY}{name}");
        lines.iter().find(|line| line.key == key).and_then(|line| line.value.clone()).unwrap_or_default()
    };
    let mut columns: Vec<Signal> = Vec::new();
    for column in metadata.schema_descr().columns() {
        let name = column.path().string();
        if column.physical_type() != PhysicalType::DOUBLE || column.max_def_level() > 0 {
            return Err(ParquetError::General(format!("the column {name} is not doubles without gaps")));
        }
        let name = column.name().to_string();
        columns.push(Signal { unit: unit(&name), name, values: Vec::new() });
    }
    // The unpacked size is checked before anything is unpacked: a page of one repeated value is a few bytes.
    let groups = file.metadata().row_groups();
    let count = |n: i64| u64::try_from(n).unwrap_or(u64::MAX);
    let rows = groups.iter().fold(0u64, |n, group| n.saturating_add(count(group.num_rows())));
    let unpacked = groups.iter().fold(0u64, |n, group| n.saturating_add(count(group.total_byte_size())));
    if rows.saturating_mul(8 * columns.len() as u64).max(unpacked) > MOST_BYTES {
        let what = format!("{rows} rows of {} columns exceed {} GiB", columns.len(), MOST_BYTES >> 30);
        return Err(ParquetError::General(what));
    }
    for index in 0..file.num_row_groups() {
        let group = file.get_row_group(index)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        for (i, column) in columns.iter_mut().enumerate() {
            let ColumnReader::DoubleColumnReader(mut reader) = group.get_column_reader(i)? else {
                return Err(ParquetError::General(format!("the column {} is not doubles", column.name)));
            };
            let (records, _, _) = reader.read_records(rows, None, None, &mut column.values)?;
            if records != rows {
                return Err(ParquetError::General(format!("the column {} is too short", column.name)));
            }
        }
    }
    if columns.first().is_none_or(|first| first.name != "time_s") {
        return Err(ParquetError::General("its first column is not time_s".to_string()));
    }
    let times = columns.remove(0).values;
    Ok(TimeSeries { times, columns })
}

const UNIT_KEY: &str = "unit ";
/// Limit on the numbers of a table in memory [bytes].
const MOST_BYTES: u64 = 1 << 30;

fn metadata(record: &Record, columns: &[Column]) -> Vec<KeyValue> {
    let head = &record.head;
    let known = columns.iter().filter(|column| !column.unit.is_empty());
    let units = known.map(|column| KeyValue::new(format!("{UNIT_KEY}{}", column.name), column.unit.to_string()));
    let lines = [
        ("scenario", head.scenario.clone()),
        ("engine", head.engine.clone()),
        ("engine_version", head.engine_version.clone()),
        ("step_s", format!("{:?}", head.step_s)),
        ("seed", head.seed.to_string()),
        ("digest", record.digest().to_string()),
    ];
    let lines = lines.into_iter().map(|(key, value)| KeyValue::new(format!("veracity {key}"), value));
    units.chain(lines).collect()
}
