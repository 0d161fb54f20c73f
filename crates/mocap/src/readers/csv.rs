//! Tables of poses as text.
//!
//! The first line names the columns, `name [unit]`: a time (`time_s`, `time`, `t` in seconds, `stamp_ns` in
//! nanoseconds) and `x y z qw qx qy qz`, each with the same prefix, `body/x` …, where there are several bodies. Metres,
//! or millimetres if the unit says so. A column `take`, `toss` or `trial` splits the file into several recordings.
//! Empty cells are a missing sample. Lines that begin with `#` are skipped.

use super::lines::Lines;
use super::numbers::number;
use super::{Content, Damage, PoseSource, ReadOptions, Reader, checked};
use crate::notes::Notes;
use crate::stream::Sample;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use veracity_record::FileError;

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "csv",
    text: "table of poses: time, x y z, qw qx qy qz",
    fits: |extension, head| {
        extension == "csv" || head.split(|b| *b == b'\n').next().is_some_and(|l| l.contains(&b','))
    },
    open: |path, options| Ok(Content::Poses(Box::new(Csv::open(path, options)?))),
};

const PARTS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const TAKES: [&str; 4] = ["take", "toss", "trial", "session"];

struct Csv {
    lines: Lines<File>,
    subject: String,
    width: usize,
    time: (usize, f64),
    pose: [usize; 7],
    scale: f64,
    take: Option<(usize, Option<i64>)>,
    seen_take: Option<i64>,
    damage: Damage,
    other_takes: u64,
    cells: Vec<(usize, usize)>,
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
        let columns: Vec<(String, String)> = head.split(',').map(name_and_unit).collect();
        let find = |name: &str| columns.iter().position(|(n, _)| n == name);
        let times = [("time_s", 1e9), ("time", 1e9), ("t", 1e9), ("stamp_ns", 1.0), ("time_ns", 1.0)];
        let time = times
            .iter()
            .find_map(|(name, scale)| find(name).map(|i| (i, *scale)))
            .ok_or_else(|| lines.error("no column is a time; name it `time_s`, `t` or `stamp_ns`"))?;
        // Prefixes that have all seven parts.
        let mut bodies: BTreeMap<&str, [Option<usize>; 7]> = BTreeMap::new();
        for (i, (name, _)) in columns.iter().enumerate() {
            let (prefix, part) = name.rsplit_once('/').unwrap_or(("", name));
            if let Some(k) = PARTS.iter().position(|p| *p == part) {
                bodies.entry(prefix).or_default()[k] = Some(i);
            }
        }
        bodies.retain(|_, parts| parts.iter().all(Option::is_some));
        let names: Vec<&str> = bodies.keys().copied().collect();
        let chosen = match (&options.subject, names.as_slice()) {
            (_, []) => return Err(lines.error("no body has all of x, y, z, qw, qx, qy, qz")),
            (Some(wanted), _) => names
                .iter()
                .find(|n| *n == wanted)
                .copied()
                .ok_or_else(|| lines.error(format!("no body `{wanted}`; the file has: {}", names.join(", "))))?,
            (None, [one]) => one,
            (None, several) => {
                return Err(lines
                    .error(format!("the file has several bodies; choose with --subject: {}", several.join(", "))));
            }
        };
        let pose = bodies[chosen].map(|i| i.unwrap_or(0));
        let scale = match columns[pose[0]].1.as_str() {
            "" | "m" => 1.0,
            "mm" => 1e-3,
            other => return Err(lines.error(format!("unknown unit of position `{other}`; use m or mm"))),
        };
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let subject = if chosen.is_empty() { stem } else { chosen.to_string() };
        let take = TAKES.iter().find_map(|name| find(name)).map(|i| (i, options.take));
        if take.is_none() && options.take.is_some() {
            return Err(lines.error(format!("--take needs a column {}; the file has none", TAKES.join(", "))));
        }
        let width = columns.len();
        let (damage, cells) = (Damage::default(), Vec::new());
        Ok(Self { lines, subject, width, time, pose, scale, take, seen_take: None, damage, other_takes: 0, cells })
    }

    fn cell(&self, i: usize) -> &[u8] {
        let (from, to) = self.cells[i];
        &self.lines.text()[from..to]
    }

    fn value(&self, i: usize) -> Option<f64> {
        match self.cell(i).trim_ascii() {
            b"" => Some(f64::NAN),
            cell => number(cell),
        }
    }
}

fn name_and_unit(head: &str) -> (String, String) {
    let head = head.trim().trim_matches('"');
    let split = head.strip_suffix(']').and_then(|h| h.rsplit_once('['));
    let (name, unit) = split.unwrap_or((head, ""));
    (name.trim().to_string(), unit.trim().to_string())
}

impl PoseSource for Csv {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn rate_hz(&self) -> Option<f64> {
        None
    }

    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
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
            self.cells.clear();
            let mut from = 0;
            for (i, byte) in text.iter().enumerate() {
                if *byte == b',' {
                    self.cells.push((from, i));
                    from = i + 1;
                }
            }
            self.cells.push((from, text.len()));
            let line = self.lines.number();
            let stamp = (self.cells.len() == self.width).then(|| self.value(self.time.0)).flatten();
            let Some(stamp) = stamp.filter(|t| t.is_finite()) else {
                let (cells, width, shown) = (self.cells.len(), self.width, self.lines.shown());
                let what = match cells == width {
                    true => format!("`{shown}` has no time"),
                    false => format!("`{shown}`: expected {width} cells, found {cells}"),
                };
                if let Some(sentence) = self.damage.count(true) {
                    return Err(self.lines.error(format!("{what}; {sentence}")));
                }
                notes.warn("damaged", || format!("line {line}: {what}; the line was skipped"));
                continue;
            };
            if let Some((column, wanted)) = self.take {
                let take = self.value(column).map(|v| v as i64);
                match (wanted, take) {
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
            let stamp_ns = (stamp * self.time.1).round() as i64;
            let values = self.pose.map(|i| self.value(i));
            let sample = match values {
                [Some(x), Some(y), Some(z), Some(w), Some(i), Some(j), Some(k)] => {
                    let place = [x, y, z].map(|v| v * self.scale);
                    checked(stamp_ns, place, [w, i, j, k], || format!("line {line}"), notes)
                }
                _ => {
                    let shown = self.lines.shown();
                    notes.warn("damaged", || {
                        format!("line {line}: `{shown}` has a cell that is not a number; the sample is missing")
                    });
                    Sample::missing(stamp_ns)
                }
            };
            if let Some(sentence) = self.damage.count(!sample.is_known()) {
                return Err(self.lines.error(sentence));
            }
            return Ok(Some(sample));
        }
    }
}
