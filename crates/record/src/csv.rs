//! Tables as text: a track, and recorded time series to compare with.
//!
//! The first line names the columns, `name [unit]`; numbers are the shortest that are read back bit for bit (NaN
//! without its payload). [`write_csv`] writes one line for each instant of a record; [`read_csv`] reads any table whose
//! first column is the time in seconds.

use crate::file::{Fault, FileError, write_atomically};
use crate::table_of_track::{self, Column};
use crate::{Record, Signal};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;

/// Columns over time, e.g. a recorded reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeSeries {
    /// [s], increasing.
    pub times: Vec<f64>,
    /// The other columns.
    pub columns: Vec<Signal>,
}

impl TimeSeries {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Signal> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Writes the track: the same columns as [`crate::write_track`].
pub fn write_csv(record: &Record, path: &Path) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let columns = table_of_track::columns(record)?;
        let head: Vec<String> = columns.iter().map(column_head).collect();
        writeln!(sink, "{}", head.join(","))?;
        let mut line = String::new();
        for row in 0..record.track.rows() {
            line.clear();
            for (i, column) in columns.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(line, "{comma}{:?}", column.value(row)).map_err(Fault::from)?;
            }
            writeln!(sink, "{line}")?;
        }
        Ok(())
    })
}

/// Limit on the text [bytes]; a table in memory takes about as much as its text.
const LARGEST: u64 = 1 << 30;

/// Reads a table whose first column is `time_s` (or `time [s]`, `t`). Lines that begin with `#` and empty lines are
/// skipped; an empty cell is NaN. A file whose name ends in `.gz` is unpacked.
pub fn read_csv(path: &Path) -> Result<TimeSeries, FileError> {
    let text = if path.extension().is_some_and(|e| e == "gz") {
        unpacked(path).map_err(|e| FileError::read(path, &e))?
    } else {
        veracity_model::input::read_text(path, LARGEST).map_err(|e| FileError::read(path, &e))?
    };
    parse(&text).map_err(|(line, what)| FileError::damaged(path, format!("line {line}"), what))
}

/// The text of a file compressed with gzip.
fn unpacked(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let file = std::io::BufReader::new(std::fs::File::open(path)?);
    let mut unpack = flate2::bufread::MultiGzDecoder::new(file).take(LARGEST + 1);
    unpack.read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        let what = format!("unpacked it is larger than {LARGEST} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, what));
    }
    Ok(text)
}

fn column_head(column: &Column) -> String {
    match column.unit {
        "" => quoted(&column.name),
        unit => quoted(&format!("{} [{unit}]", column.name)),
    }
}

/// Quotes a name with a comma or a quote, so that it stays one column.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}

fn parse(text: &str) -> Result<TimeSeries, (usize, String)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (line, head) =
        lines.next().ok_or((1, "the file is empty; its first line must name the columns".to_string()))?;
    let names = cells(head).map_err(|what| (line, what))?;
    let mut columns: Vec<Signal> = names.iter().map(|name| signal(name)).collect();
    let time = columns.remove(0);
    let is_time = ["time_s", "time", "t"].contains(&time.name.as_str()) && ["", "s"].contains(&time.unit.as_str());
    if !is_time {
        let what = format!("the first column is `{}`; it must be the time in seconds, `time_s`", names[0]);
        return Err((line, what));
    }
    let mut times: Vec<f64> = Vec::new();
    for (line, row) in lines {
        let values = cells(row).map_err(|what| (line, what))?;
        if values.len() != names.len() {
            return Err((line, format!("expected {} cells, found {}", names.len(), values.len())));
        }
        let number = |cell: &String| match cell.as_str() {
            "" => Ok(f64::NAN),
            text => text.parse().map_err(|_| (line, format!("`{text}` is not a number"))),
        };
        let time = number(&values[0])?;
        if !time.is_finite() || times.last().is_some_and(|last| *last >= time) {
            return Err((line, format!("time {time} is not after the previous one")));
        }
        times.push(time);
        for (column, cell) in columns.iter_mut().zip(&values[1..]) {
            column.values.push(number(cell)?);
        }
    }
    Ok(TimeSeries { times, columns })
}

/// `name [unit]`, or a name alone.
fn signal(head: &str) -> Signal {
    let split = head.strip_suffix(']').and_then(|head| head.rsplit_once(" ["));
    let (name, unit) = split.unwrap_or((head, ""));
    Signal { name: name.to_string(), unit: unit.to_string(), values: Vec::new() }
}

/// The cells of a line, unquoted.
fn cells(line: &str) -> Result<Vec<String>, String> {
    let mut cells = vec![String::new()];
    let mut in_quotes = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.len() - 1;
        match character {
            '"' if in_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                cells[last].push('"');
            }
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => cells.push(String::new()),
            other => cells[last].push(other),
        }
    }
    if in_quotes {
        return Err("a quote is not closed".to_string());
    }
    Ok(cells.into_iter().map(|cell| cell.trim().to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_tables_are_read_with_their_units() {
        let table = parse("# recorded by hand\ntime_s,x [m],\"a,b\"\n0,1.5,\n0.5,-inf,2e-3\n\n").unwrap();
        assert_eq!(table.times, [0.0, 0.5]);
        assert_eq!((table.columns[0].name.as_str(), table.columns[0].unit.as_str()), ("x", "m"));
        assert_eq!(table.column("x").unwrap().values, [1.5, f64::NEG_INFINITY]);
        assert!(table.column("a,b").unwrap().values[0].is_nan());
    }

    #[test]
    fn errors_name_their_line() {
        let said = |text: &str| parse(text).unwrap_err();
        assert_eq!(said(""), (1, "the file is empty; its first line must name the columns".to_string()));
        assert_eq!(
            said("x,y\n"),
            (1, "the first column is `x`; it must be the time in seconds, `time_s`".to_string())
        );
        assert_eq!(said("time [ms],y\n").0, 1);
        assert_eq!(said("t,y\n0,1\n1\n"), (3, "expected 2 cells, found 1".to_string()));
        assert_eq!(said("t,y\n0,one\n"), (2, "`one` is not a number".to_string()));
        assert_eq!(said("t,y\n1,0\n1,0\n"), (3, "time 1 is not after the previous one".to_string()));
        assert_eq!(said("t,y\n0,\"1\n"), (2, "a quote is not closed".to_string()));
    }
}
