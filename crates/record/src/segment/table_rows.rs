//! Conversion between rows of lists and Parquet columns.
//!
//! Every column is either one value for each row or a list of required values, so that one repetition level and one
//! definition level are enough: an empty list is (0, 0), a first element (0, 1), a further one (1, 1), written
//! (repetition, definition).

use super::table_columns::Cells;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedFileWriter;
use std::io::Write;

/// Rows that are written together.
#[derive(Default)]
pub struct Group {
    columns: Vec<Pending>,
    rows: usize,
    bytes: usize,
}

/// One column of a group: all values concatenated, and how many each row has.
struct Pending {
    values: Cells,
    counts: Vec<usize>,
}

impl Group {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Approximate memory [bytes].
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a row; every row must have the same kinds of cells.
    pub fn push(&mut self, row: Vec<Cells>) {
        if self.rows == 0 {
            let empty = |cells: &Cells| match cells {
                Cells::Reals(_) => Cells::Reals(Vec::new()),
                Cells::Wholes(_) => Cells::Wholes(Vec::new()),
                Cells::Texts(_) => Cells::Texts(Vec::new()),
            };
            self.columns = row.iter().map(|cells| Pending { values: empty(cells), counts: Vec::new() }).collect();
        }
        assert_eq!(row.len(), self.columns.len(), "rows of one table have the same columns");
        for (pending, cells) in self.columns.iter_mut().zip(row) {
            let (count, bytes) = match (&mut pending.values, cells) {
                (Cells::Reals(to), Cells::Reals(from)) => append(to, from, |_| 8),
                (Cells::Wholes(to), Cells::Wholes(from)) => append(to, from, |_| 8),
                (Cells::Texts(to), Cells::Texts(from)) => append(to, from, |text| 24 + text.len()),
                _ => unreachable!("a column has one kind"),
            };
            pending.counts.push(count);
            self.bytes += bytes;
        }
        self.rows += 1;
    }

    /// Writes the rows as one group and clears them.
    pub fn write<W: Write + Send>(&mut self, file: &mut SerializedFileWriter<W>) -> Result<()> {
        let mut writer = file.next_row_group()?;
        for pending in std::mem::take(self).columns {
            let Some(mut column) = writer.next_column()? else {
                return Err(ParquetError::General("the schema has fewer columns than a row".to_string()));
            };
            match (column.untyped(), pending.values) {
                (ColumnWriter::DoubleColumnWriter(w), Cells::Reals(values)) => {
                    let levels = Levels::new(&pending.counts, w.get_descriptor().max_rep_level());
                    w.write_batch(&values, levels.definition(), levels.repetition())?;
                }
                (ColumnWriter::Int64ColumnWriter(w), Cells::Wholes(values)) => {
                    let levels = Levels::new(&pending.counts, w.get_descriptor().max_rep_level());
                    w.write_batch(&values, levels.definition(), levels.repetition())?;
                }
                (ColumnWriter::ByteArrayColumnWriter(w), Cells::Texts(values)) => {
                    let levels = Levels::new(&pending.counts, w.get_descriptor().max_rep_level());
                    let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
                    w.write_batch(&values, levels.definition(), levels.repetition())?;
                }
                _ => return Err(ParquetError::General("a column has another kind than the schema says".to_string())),
            }
            column.close()?;
        }
        writer.close()?;
        Ok(())
    }
}

/// A row group decoded once: opening the columns costs far more than reading one row from them.
pub struct DecodedGroup {
    columns: Vec<DecodedColumn>,
}

/// All values of a column, and where those of each row begin; one more at the end.
struct DecodedColumn {
    values: Cells,
    starts: Vec<usize>,
}

impl DecodedGroup {
    /// Reads every column of a group.
    pub fn read(group: &dyn RowGroupReader) -> Result<Self> {
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let columns = (0..group.num_columns()).map(|column| DecodedColumn::read(group, column, rows));
        Ok(Self { columns: columns.collect::<Result<_>>()? })
    }

    /// One row, all columns.
    pub fn row(&self, row: usize) -> Vec<Cells> {
        self.columns.iter().map(|column| column.cells(row)).collect()
    }
}

impl DecodedColumn {
    fn read(group: &dyn RowGroupReader, column: usize, rows: usize) -> Result<Self> {
        let physical = group.metadata().column(column).column_descr().physical_type();
        let (values, starts) = match (group.get_column_reader(column)?, physical) {
            (ColumnReader::DoubleColumnReader(r), PhysicalType::DOUBLE) => {
                let (values, starts) = every::<DoubleType>(r, rows)?;
                (Cells::Reals(values), starts)
            }
            (ColumnReader::Int64ColumnReader(r), PhysicalType::INT64) => {
                let (values, starts) = every::<Int64Type>(r, rows)?;
                (Cells::Wholes(values), starts)
            }
            (ColumnReader::ByteArrayColumnReader(r), PhysicalType::BYTE_ARRAY) => {
                let (values, starts) = every::<ByteArrayType>(r, rows)?;
                (Cells::Texts(values.iter().map(|value| value.data().to_vec()).collect()), starts)
            }
            _ => return Err(ParquetError::General(format!("column {column} has an unexpected type"))),
        };
        Ok(Self { values, starts })
    }

    fn cells(&self, row: usize) -> Cells {
        let range = self.starts[row]..self.starts[row + 1];
        match &self.values {
            Cells::Reals(values) => Cells::Reals(values[range].to_vec()),
            Cells::Wholes(values) => Cells::Wholes(values[range].to_vec()),
            Cells::Texts(values) => Cells::Texts(values[range].to_vec()),
        }
    }
}

/// All rows of a column: the values concatenated and where each row begins.
fn every<T: DataType>(mut reader: ColumnReaderImpl<T>, rows: usize) -> Result<(Vec<T::T>, Vec<usize>)> {
    let (mut values, mut definition, mut repetition) = (Vec::new(), Vec::new(), Vec::new());
    let (records, _, _) = reader.read_records(rows, Some(&mut definition), Some(&mut repetition), &mut values)?;
    // Not reserved for `rows`: the count is from the file and cannot be trusted.
    let mut starts = Vec::new();
    if repetition.is_empty() {
        // One value for each row.
        starts.extend(0..=values.len());
    } else {
        let mut at = 0;
        for (repeated, defined) in repetition.iter().zip(&definition) {
            if *repeated == 0 {
                starts.push(at);
            }
            at += usize::from(*defined > 0);
        }
        starts.push(at);
    }
    if records != rows || starts.len() != rows + 1 || starts[rows] != values.len() {
        return Err(ParquetError::General(format!("a column does not have the {rows} rows of its group")));
    }
    Ok((values, starts))
}

/// One row of a group, all columns.
pub fn read_row(group: &dyn RowGroupReader, row: usize) -> Result<Vec<Cells>> {
    (0..group.num_columns()).map(|column| read_cells(group, column, row)).collect()
}

/// One row of a group, one column.
pub fn read_cells(group: &dyn RowGroupReader, column: usize, row: usize) -> Result<Cells> {
    let physical = group.metadata().column(column).column_descr().physical_type();
    Ok(match (group.get_column_reader(column)?, physical) {
        (ColumnReader::DoubleColumnReader(r), PhysicalType::DOUBLE) => Cells::Reals(nth::<DoubleType>(r, row)?),
        (ColumnReader::Int64ColumnReader(r), PhysicalType::INT64) => Cells::Wholes(nth::<Int64Type>(r, row)?),
        (ColumnReader::ByteArrayColumnReader(r), PhysicalType::BYTE_ARRAY) => {
            let values = nth::<ByteArrayType>(r, row)?;
            Cells::Texts(values.iter().map(|value| value.data().to_vec()).collect())
        }
        _ => return Err(ParquetError::General(format!("column {column} has an unexpected type"))),
    })
}

fn nth<T: DataType>(mut reader: ColumnReaderImpl<T>, row: usize) -> Result<Vec<T::T>> {
    let (mut values, mut definition, mut repetition) = (Vec::new(), Vec::new(), Vec::new());
    let skipped = reader.skip_records(row)?;
    let (records, _, _) = reader.read_records(1, Some(&mut definition), Some(&mut repetition), &mut values)?;
    if skipped != row || records != 1 {
        return Err(ParquetError::General(format!("a column ends before row {row}")));
    }
    Ok(values)
}

fn append<T>(to: &mut Vec<T>, mut from: Vec<T>, size: impl Fn(&T) -> usize) -> (usize, usize) {
    let counted = (from.len(), from.iter().map(size).sum());
    to.append(&mut from);
    counted
}

/// Levels of lists; none for single values.
struct Levels(Option<(Vec<i16>, Vec<i16>)>);

impl Levels {
    fn new(counts: &[usize], max_repetition: i16) -> Self {
        if max_repetition == 0 {
            return Self(None);
        }
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        for &count in counts {
            definition.push(i16::from(count > 0));
            repetition.push(0);
            definition.extend(std::iter::repeat_n(1, count.saturating_sub(1)));
            repetition.extend(std::iter::repeat_n(1, count.saturating_sub(1)));
        }
        Self(Some((definition, repetition)))
    }

    fn definition(&self) -> Option<&[i16]> {
        self.0.as_ref().map(|levels| levels.0.as_slice())
    }

    fn repetition(&self) -> Option<&[i16]> {
        self.0.as_ref().map(|levels| levels.1.as_slice())
    }
}
