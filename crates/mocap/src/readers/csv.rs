//! Tables of poses as text.
//!
//! The first line names the columns ([`super::csv_header`]): a time and `x y z qw qx qy qz`, each with the same prefix
//! where there are several bodies. A column `take`, `toss` or `trial` splits the file into several recordings. Empty
//! cells and `nan` are a missing sample: the body was hidden, the file is not damaged. Lines that begin with `#` are
//! skipped. With semicolons or tabs between cells, `1,5` is one and a half.

use super::csv_header::{self, Header, TAKES};
use super::lines::Lines;
use super::numbers::number;
use super::{Content, Damage, PoseSource, ReadOptions, Reader, checked};
use crate::notes::Notes;
use crate::stream::Sample;
use std::fs::File;
use std::path::Path;
use veracity_record::FileError;

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "csv",
    text: "table of poses: time, x y z, qw qx qy qz",
    fits: |extension, head| {
        let cells = |line: &[u8]| line.iter().any(|b| [b',', b';'].contains(b));
        extension == "csv" || head.split(|b| *b == b'\n').next().is_some_and(cells)
    },
    open: |path, options| Ok(Content::Poses(Box::new(Csv::open(path, options)?))),
};

struct Csv {
    lines: Lines<File>,
    subject: String,
    header: Header,
    wanted_take: Option<i64>,
    seen_take: Option<i64>,
    damage: Damage,
    other_takes: u64,
    cells: Vec<(usize, usize)>,
    last_ns: Option<i64>,
    remarks_made: bool,
}

impl Csv {
    fn open(path: &Path, options: &ReadOptions) -> Result<Self, FileError> {
        let mut lines = Lines::open(path)?;
        loop {
            if !lines.advance()? {
                return Err(lines.error("the file is empty; its first line must name the columns"));
            }
            if !lines.text().is_empty() && !lines.text().starts_with(b"#") {
                break;
            }
        }
        let head = String::from_utf8_lossy(lines.text()).into_owned();
        let header = csv_header::parse(&head, options).map_err(|what| lines.error(what))?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let subject = if header.body.is_empty() { stem } else { header.body.clone() };
        if header.take.is_none() && options.take.is_some() {
            return Err(lines.error(format!("--take needs a column {}; the file has none", TAKES.join(", "))));
        }
        Ok(Self {
            lines,
            subject,
            header,
            wanted_take: options.take,
            seen_take: None,
            damage: Damage::default(),
            other_takes: 0,
            cells: Vec::new(),
            last_ns: None,
            remarks_made: false,
        })
    }

    fn cell(&self, i: usize) -> &[u8] {
        let (from, to) = self.cells[i];
        self.lines.text()[from..to].trim_ascii()
    }

    /// NaN for an empty cell, `None` for one that is not a number.
    fn value(&self, i: usize) -> Option<f64> {
        match self.cell(i) {
            b"" => Some(f64::NAN),
            cell => number(cell).or_else(|| {
                // A decimal comma, where commas do not separate cells.
                let comma = self.header.separator != b',' && cell.contains(&b',');
                comma
                    .then(|| cell.iter().map(|b| if *b == b',' { b'.' } else { *b }).collect::<Vec<u8>>())
                    .and_then(|cell| number(&cell))
            }),
        }
    }

    fn cut(&mut self) {
        self.cells.clear();
        let mut from = 0;
        let text = self.lines.text();
        for (i, byte) in text.iter().enumerate() {
            if *byte == self.header.separator {
                self.cells.push((from, i));
                from = i + 1;
            }
        }
        self.cells.push((from, text.len()));
    }

    /// The stamp of the line [ns], if its time can be read.
    fn stamp(&self) -> Option<i64> {
        let (column, scale) = self.header.time;
        let time = if column < self.cells.len() { self.value(column) } else { None };
        time.filter(|t| t.is_finite()).map(|t| (t * scale).round() as i64)
    }

    /// A line that is not a row. With a time it is a missing sample, so that the count of samples stays right; without
    /// one it is no sample.
    fn damaged(&mut self, what: &str, stamp: Option<i64>, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        let (line, shown) = (self.lines.number(), self.lines.shown());
        if let Some(sentence) = self.damage.count(true) {
            return Err(self.lines.error(format!("`{shown}` {what}; {sentence}")));
        }
        let end = if stamp.is_some() { "the sample is missing" } else { "the line was skipped" };
        notes.warn("damaged", || format!("line {line}: `{shown}` {what}; {end}"));
        Ok(stamp.map(Sample::missing))
    }

    /// Notes a time that decreases.
    fn watch_time(&mut self, stamp_ns: i64, notes: &mut Notes) {
        let line = self.lines.number();
        if let Some(last) = self.last_ns.filter(|last| stamp_ns < *last) {
            let back = (last - stamp_ns) as f64 * 1e-6;
            notes.warn("time-back", || format!("line {line}: the time decreases by {back} ms"));
        }
        self.last_ns = Some(stamp_ns);
    }
}

impl PoseSource for Csv {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn rate_hz(&self) -> Option<f64> {
        None
    }

    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        if !self.remarks_made {
            self.remarks_made = true;
            self.header.remarks.iter().for_each(|remark| notes.warn("units", || remark.clone()));
        }
        loop {
            if !self.lines.advance()? {
                if self.other_takes > 0 {
                    let others = std::mem::take(&mut self.other_takes);
                    notes.note("other-takes", || format!("{others} lines belong to other takes and were not read"));
                }
                return Ok(None);
            }
            let text = self.lines.text();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            self.cut();
            let (line, stamp, width) = (self.lines.number(), self.stamp(), self.header.width);
            if self.cells.len() != width {
                let what = format!("has {} cells, expected {width}", self.cells.len());
                // One cell is a remark, more are a row that was cut.
                let stamp = stamp.filter(|_| self.cells.len() > 1);
                match self.damaged(&what, stamp, notes)? {
                    Some(sample) => return Ok(Some(sample)),
                    None => continue,
                }
            }
            if let Some(column) = self.header.take {
                let take = self.value(column).map(|v| v as i64);
                match (self.wanted_take, take) {
                    (Some(wanted), Some(take)) if take != wanted => {
                        self.other_takes += 1;
                        continue;
                    }
                    (None, Some(take)) if *self.seen_take.get_or_insert(take) != take => {
                        return Err(self.lines.error("the file has several takes; choose one with --take"));
                    }
                    _ => {}
                }
            }
            let Some(stamp_ns) = stamp else {
                // A row without a time still counts: it is between its neighbours.
                let last = self.last_ns.unwrap_or(0);
                return self.damaged("has no time", Some(last), notes);
            };
            self.watch_time(stamp_ns, notes);
            let values = self.header.pose.map(|i| self.value(i));
            if values.iter().any(Option::is_none) {
                return self.damaged("has a cell that is not a number", Some(stamp_ns), notes);
            }
            let [x, y, z, w, i, j, k] = values.map(|v| v.unwrap_or(f64::NAN));
            if [x, y, z, w, i, j, k].iter().any(|v| v.is_nan()) {
                self.damage.records += 1;
                notes.note("hidden", || format!("line {line}: the pose has empty cells; the sample is missing"));
                return Ok(Some(Sample::missing(stamp_ns)));
            }
            let s = self.header.scale;
            let sample =
                checked(stamp_ns, [x * s[0], y * s[1], z * s[2]], [w, i, j, k], || format!("line {line}"), notes);
            // A quaternion of zeros is what a tracker sends for a body it does not see: missing, not damaged.
            self.damage.records += 1;
            return Ok(Some(sample));
        }
    }
}
