//! TRC: markers as a table of text, from Motion Analysis and OpenSim.
//!
//! ```text
//! PathFileType  4  (X/Y/Z)  name.trc
//! DataRate  CameraRate  NumFrames  NumMarkers  Units  …
//! 100       100         12000      8           mm     …
//! Frame#  Time  m0          m1          …
//!               X1  Y1  Z1  X2  Y2  Z2  …
//! (blank)
//! 1       0.000 …
//! ```
//!
//! Fields are separated by tabs; empty fields, or a row that ends early, are markers that were not seen.

use super::lines::Lines;
use super::numbers::number;
use super::units::{LENGTHS, size};
use super::{Content, Damage, MarkerSource, ReadOptions, Reader};
use crate::notes::Notes;
use crate::stream::MarkerFrame;
use std::fs::File;
use std::path::Path;
use veracity_record::FileError;

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "trc",
    text: "markers as a table of text: TRC",
    fits: |extension, head| head.starts_with(b"PathFileType") || extension == "trc",
    open: |path, options| Ok(Content::Markers(Box::new(Trc::open(path, options)?))),
};

/// Limit of markers, far above that of any real body.
const MOST_MARKERS: usize = 10_000;

struct Trc {
    lines: Lines<File>,
    names: Vec<String>,
    rate_hz: f64,
    scale: f64,
    frames: Option<u64>,
    read: u64,
    damage: Damage,
    mismatch_reported: bool,
    /// Seconds in one unit of the column Time.
    time_s: f64,
    /// A contradiction in the file, until it is noted.
    remark: Option<String>,
}

/// Rates that differ by less are the same, written with few digits.
const RATES_AGREE: f64 = 0.01;

/// Frames from which the rate of the column Time is computed.
const FRAMES_LOOKED_AT: usize = 200;

/// Frames a second by the column Time, over the first frames; `None` if they have no times.
///
/// The mean of the intervals near the median: lost frames do not count, and times written with three decimals (0.008, 0.017,
/// 0.025 for 120 Hz) average to their rate, which no single one of them shows.
fn rate_of_times(path: &Path, time_s: f64) -> Result<Option<f64>, FileError> {
    let mut lines = Lines::open(path)?;
    let mut times = Vec::new();
    let mut number_of_line = 0;
    while times.len() < FRAMES_LOOKED_AT && lines.advance()? {
        number_of_line += 1;
        let time = lines.text().split(|b| *b == b'\t').nth(1).and_then(number);
        if number_of_line > 5
            && let Some(time) = time.filter(|t| t.is_finite())
        {
            times.push(time * time_s);
        }
    }
    let mut intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|d| *d > 0.0).collect();
    intervals.sort_by(f64::total_cmp);
    let Some(&median) = intervals.get(intervals.len() / 2) else { return Ok(None) };
    let near: Vec<f64> = intervals.into_iter().filter(|d| (d / median - 1.0).abs() < 0.5).collect();
    Ok(Some(near.len() as f64 / near.iter().sum::<f64>()))
}

impl Trc {
    fn open(path: &Path, options: &ReadOptions) -> Result<Self, FileError> {
        let mut lines = Lines::open(path)?;
        let mut line = |what: &str| -> Result<Vec<String>, FileError> {
            if !lines.advance()? {
                return Err(lines.error(format!("the file ends before {what}; this is not a TRC file")));
            }
            // Leading and trailing tabs separate fields; only other blanks were trimmed.
            let text = String::from_utf8_lossy(lines.text()).into_owned();
            Ok(text.split('\t').map(|f| f.trim().to_string()).collect())
        };
        let first = line("`PathFileType`")?;
        let keys = line("the names of the settings")?;
        let values = line("the settings")?;
        let names = line("the names of the markers")?;
        let _axes = line("the axes")?;
        let lines_now = &lines;
        let fault = |at: u64, what: String| Err(lines_now.error_at(at, what));
        if first.first().map(String::as_str) != Some("PathFileType") {
            return fault(1, "a TRC file begins with `PathFileType`".to_string());
        }
        let value = |key: &str| keys.iter().position(|k| k == key).and_then(|i| values.get(i)).cloned();
        let positive =
            |key: &str| value(key).and_then(|v| number(v.as_bytes())).filter(|v| v.is_finite() && *v > 0.0);
        let Some(rate_hz) = positive("DataRate") else {
            return fault(3, "`DataRate` is not a positive number".to_string());
        };
        let units = value("Units").unwrap_or_default();
        let Some(scale) = options.units.length_m.or_else(|| size(LENGTHS, &units)) else {
            return fault(3, format!("`Units` is `{units}`; use mm, cm or m, or give --units"));
        };
        let time_s = options.units.time_s.unwrap_or(1.0);
        let names: Vec<String> = names.into_iter().skip(2).filter(|n| !n.is_empty()).collect();
        if names.is_empty() || names.len() > MOST_MARKERS {
            return fault(4, format!("expected 1 to {MOST_MARKERS} markers, found {}", names.len()));
        }
        if let Some(stated) = positive("NumMarkers").filter(|n| *n != names.len() as f64) {
            return fault(4, format!("`NumMarkers` is {stated}, but the number of marker names is {}", names.len()));
        }
        let frames = positive("NumFrames").map(|n| n as u64);
        // The header's rate is used only if the times agree with it.
        let stamped = rate_of_times(path, time_s)?;
        let differs = stamped.filter(|stamped| (stamped / rate_hz - 1.0).abs() > RATES_AGREE);
        let remark = differs.map(|stamped| {
            format!(
                "`DataRate` is {rate_hz}, but the column Time has {stamped:.6} frames a second; the times were used"
            )
        });
        let rate_hz = differs.unwrap_or(rate_hz);
        Ok(Self {
            time_s,
            remark,
            lines,
            names,
            rate_hz,
            scale,
            frames,
            read: 0,
            damage: Damage::default(),
            mismatch_reported: false,
        })
    }
}

impl MarkerSource for Trc {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    fn next_frame(&mut self, frame: &mut MarkerFrame, notes: &mut Notes) -> Result<bool, FileError> {
        if let Some(remark) = self.remark.take() {
            notes.warn("rate-differs", || remark);
        }
        loop {
            if !self.lines.advance()? {
                if let Some(stated) = self.frames.filter(|n| *n != self.read && !self.mismatch_reported) {
                    self.mismatch_reported = true;
                    let read = self.read;
                    notes.warn("frames-differ", || format!("the header states {stated} frames, the file has {read}"));
                }
                return Ok(false);
            }
            if !self.lines.text().is_empty() {
                break;
            }
        }
        self.read += 1;
        let mut fields = self.lines.text().split(|b| *b == b'\t').map(|f| f.trim_ascii());
        let _number = fields.next();
        let time = fields.next().and_then(number).filter(|t| t.is_finite());
        frame.markers.clear();
        let mut bad = time.is_none();
        for _ in 0..self.names.len() {
            let mut place = [f64::NAN; 3];
            for axis in &mut place {
                match fields.next() {
                    None | Some(b"") => {}
                    Some(field) => match number(field) {
                        Some(value) => *axis = value * self.scale,
                        None => bad = true,
                    },
                }
            }
            // A marker with a missing coordinate has no position.
            let place = if place.iter().all(|x| x.is_finite()) { place } else { [f64::NAN; 3] };
            frame.markers.push(place);
        }
        bad |= fields.next().is_some_and(|field| !field.is_empty());
        if bad {
            frame.markers.iter_mut().for_each(|p| *p = [f64::NAN; 3]);
            let (line, shown) = (self.lines.number(), self.lines.shown());
            notes.warn("damaged", || {
                format!(
                    "line {line}: `{shown}` is not a frame, a time and three numbers a marker; the frame is missing"
                )
            });
        }
        if let Some(sentence) = self.damage.count(bad) {
            return Err(self.lines.error(sentence));
        }
        let time = time.map_or((self.read - 1) as f64 / self.rate_hz, |time| time * self.time_s);
        frame.stamp_ns = (time * 1e9).round() as i64;
        Ok(true)
    }
}
