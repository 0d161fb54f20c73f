//! C3D: markers in binary, the common format of motion capture.
//!
//! Blocks of 512 bytes: a header, parameters in groups, then frames of points (and analog channels, which are skipped
//! with a note). Numbers are in the format of one of three processors: Intel (little-endian), DEC (VAX floats) or MIPS
//! (big-endian). Points are four floats or four scaled 16-bit numbers: x, y, z and a word that is negative for a point
//! that was not seen.

use super::{Content, MarkerSource, Reader};
use crate::notes::Notes;
use crate::stream::MarkerFrame;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use veracity_record::FileError;

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "c3d",
    text: "markers in binary: C3D",
    fits: |extension, head| extension == "c3d" || (head.len() == 512 && head[1] == 0x50 && head[0] < 20),
    open: |path, options| {
        let mut reader = C3d::open(path)?;
        reader.unit = options.units.length_m.unwrap_or(reader.unit);
        Ok(Content::Markers(Box::new(reader)))
    },
};

const BLOCK: u64 = 512;

/// Number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Processor {
    Intel,
    Dec,
    Mips,
}

impl Processor {
    fn u16(self, b: [u8; 2]) -> u16 {
        if self == Processor::Mips { u16::from_be_bytes(b) } else { u16::from_le_bytes(b) }
    }

    fn f32(self, b: [u8; 4]) -> f64 {
        f64::from(match self {
            Processor::Intel => f32::from_le_bytes(b),
            Processor::Mips => f32::from_be_bytes(b),
            // VAX: 16-bit words swapped, exponent larger by two.
            Processor::Dec => f32::from_le_bytes([b[2], b[3], b[0], b[1]]) / 4.0,
        })
    }
}

/// A parameter: its kind, its dimensions and its bytes. The bytes are a slice of the section, not a copy: parameters
/// may overlap, and thousands of copies of one section would be gigabytes.
#[derive(Clone, Debug)]
struct Parameter<'a> {
    kind: i8,
    dimensions: Vec<usize>,
    data: &'a [u8],
}

impl Parameter<'_> {
    fn numbers(&self, processor: Processor) -> Vec<f64> {
        match self.kind {
            1 => self.data.iter().map(|b| f64::from(*b)).collect(),
            2 => self.data.chunks_exact(2).map(|b| f64::from(processor.u16([b[0], b[1]]))).collect(),
            4 => self.data.chunks_exact(4).map(|b| processor.f32([b[0], b[1], b[2], b[3]])).collect(),
            _ => Vec::new(),
        }
    }

    fn texts(&self) -> Vec<String> {
        let width = self.dimensions.first().copied().unwrap_or(self.data.len()).max(1);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_matches(['\0', ' ']).to_string();
        self.data.chunks(width).map(text).collect()
    }
}

struct C3d {
    path: PathBuf,
    file: BufReader<File>,
    processor: Processor,
    names: Vec<String>,
    rate_hz: f64,
    /// Factor to metres.
    unit: f64,
    /// Scale of 16-bit points; `None` for floats.
    scale: Option<f64>,
    analog_bytes: usize,
    frames: u64,
    read: u64,
    buffer: Vec<u8>,
    analog_reported: bool,
}

impl C3d {
    fn open(path: &Path) -> Result<Self, FileError> {
        let fault = |place: &str, what: String| FileError::damaged(path, place, what);
        let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
        let length = file.metadata().map_err(|e| FileError::read(path, &e))?.len();
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut header = [0; BLOCK as usize];
        if length < BLOCK {
            return Err(fault("byte 0", format!("{length} bytes are too few for a C3D file")));
        }
        file.read_exact(&mut header).map_err(|e| FileError::read(path, &e))?;
        if header[1] != 0x50 || header[0] == 0 {
            return Err(fault("byte 1", "not a C3D file: wrong first bytes".to_string()));
        }
        let at = (u64::from(header[0]) - 1) * BLOCK;
        if at + 4 > length {
            return Err(fault(&format!("byte {at}"), "the file ends before its parameters".to_string()));
        }
        file.seek(SeekFrom::Start(at)).map_err(|e| FileError::read(path, &e))?;
        let mut start = [0; 4];
        file.read_exact(&mut start).map_err(|e| FileError::read(path, &e))?;
        let processor = match start[3] {
            84 => Processor::Intel,
            85 => Processor::Dec,
            86 => Processor::Mips,
            other => {
                let what = format!("unknown processor {other}: must be 84 (Intel), 85 (DEC) or 86 (MIPS)");
                return Err(fault(&format!("byte {}", at + 3), what));
            }
        };
        // The count of blocks may be zero; a section is never longer than one byte can count.
        let size = (u64::from(start[2].max(1)) * BLOCK).min(length - at) as usize - 4;
        let mut section = vec![0; size];
        file.read_exact(&mut section).map_err(|e| FileError::read(path, &e))?;
        let parameters = parameters(&section, processor)
            .map_err(|(offset, what)| fault(&format!("byte {}", at + 4 + offset as u64), what))?;

        let word = |i: usize| processor.u16([header[2 * i], header[2 * i + 1]]);
        let real = |i: usize| processor.f32([header[2 * i], header[2 * i + 1], header[2 * i + 2], header[2 * i + 3]]);
        let first_number = |name: &str| parameters.get(name).and_then(|p| p.numbers(processor).first().copied());
        let points = usize::from(word(1));
        let scale = first_number("POINT:SCALE").unwrap_or(real(6));
        let rate_hz = first_number("POINT:RATE").filter(|r| *r > 0.0).unwrap_or(real(10));
        if points == 0 || rate_hz.is_nan() || rate_hz <= 0.0 || !rate_hz.is_finite() {
            return Err(fault(
                "header",
                format!("invalid recording: {points} points at {rate_hz} frames per second"),
            ));
        }
        // Its sign says whether points are floats or words, so it must have one.
        if !scale.is_finite() {
            return Err(fault("POINT:SCALE", format!("invalid scale {scale}: must be a finite number")));
        }
        let unit = match parameters.get("POINT:UNITS").map(|p| p.texts().concat()).as_deref() {
            None | Some("mm") | Some("") => 1e-3,
            Some("cm") => 1e-2,
            Some("m") => 1.0,
            Some(other) => {
                return Err(fault("POINT:UNITS", format!("unknown unit `{other}`; use mm, cm or m")));
            }
        };
        let mut names: Vec<String> = Vec::new();
        for key in ["POINT:LABELS", "POINT:LABELS2", "POINT:LABELS3"] {
            names.extend(parameters.get(key).map(Parameter::texts).unwrap_or_default());
        }
        names.truncate(points);
        for i in names.len()..points {
            names.push(format!("point{i}"));
        }
        let number_size = if scale < 0.0 { 4 } else { 2 };
        let analog_bytes = usize::from(word(2)) * number_size;
        let frames = frame_count(&parameters, processor, word(3), word(4));
        let data_at = match first_number("POINT:DATA_START").map_or(u64::from(word(8)), |n| n as u64) {
            0 => return Err(fault("POINT:DATA_START", "the start of the data is missing".to_string())),
            block => (block - 1).saturating_mul(BLOCK),
        };
        let frame_bytes = points * 4 * number_size + analog_bytes;
        let fit = length.saturating_sub(data_at) / frame_bytes as u64;
        if data_at > length {
            return Err(fault(
                "POINT:DATA_START",
                format!("the data start at byte {data_at}, after the end of the file"),
            ));
        }
        file.seek(SeekFrom::Start(data_at)).map_err(|e| FileError::read(path, &e))?;
        let c3d = Self {
            path: path.to_path_buf(),
            file,
            processor,
            names,
            rate_hz,
            unit,
            scale: (scale >= 0.0).then_some(scale),
            analog_bytes,
            frames,
            read: 0,
            buffer: vec![0; frame_bytes],
            analog_reported: false,
        };
        if frames == 0 || (fit == 0 && frames > 0) {
            return Err(fault(&format!("byte {data_at}"), "the file has no frames".to_string()));
        }
        Ok(c3d)
    }

    fn point(&self, j: usize) -> [f64; 3] {
        match self.scale {
            None => {
                let real = |k: usize| {
                    let at = 16 * j + 4 * k;
                    self.processor.f32([0, 1, 2, 3].map(|b| self.buffer[at + b]))
                };
                // The fourth word is the residual, negative for a point that was not seen.
                if real(3) < 0.0 { [f64::NAN; 3] } else { [0, 1, 2].map(|k| real(k) * self.unit) }
            }
            Some(scale) => {
                let whole = |k: usize| {
                    let at = 8 * j + 2 * k;
                    self.processor.u16([self.buffer[at], self.buffer[at + 1]]) as i16
                };
                if whole(3) < 0 { [f64::NAN; 3] } else { [0, 1, 2].map(|k| f64::from(whole(k)) * scale * self.unit) }
            }
        }
    }
}

/// Number of frames. The header counts to 65535; longer recordings have their count in parameters.
fn frame_count(parameters: &BTreeMap<String, Parameter<'_>>, processor: Processor, first: u16, last: u16) -> u64 {
    let field = |name: &str| {
        let numbers = parameters.get(name)?.numbers(processor);
        match numbers[..] {
            [low, high, ..] => Some(low + 65536.0 * high),
            _ => None,
        }
    };
    if let (Some(start), Some(end)) = (field("TRIAL:ACTUAL_START_FIELD"), field("TRIAL:ACTUAL_END_FIELD"))
        && end >= start
    {
        return ((end - start) as u64).saturating_add(1);
    }
    let header = u64::from(last).saturating_sub(u64::from(first)) + 1;
    let stated = parameters.get("POINT:FRAMES").and_then(|p| p.numbers(processor).first().copied()).unwrap_or(0.0);
    // A 16-bit count at its maximum may be truncated and is not used.
    if stated > 65535.0 || header == 1 { stated.max(1.0) as u64 } else { header }
}

/// Parameters by `GROUP:NAME`, in upper case.
fn parameters(section: &[u8], processor: Processor) -> Result<BTreeMap<String, Parameter<'_>>, (usize, String)> {
    let mut groups: BTreeMap<i8, String> = BTreeMap::new();
    let mut found: Vec<(i8, String, Parameter<'_>)> = Vec::new();
    let mut at = 0;
    let take = |at: usize, count: usize| {
        section.get(at..at.saturating_add(count)).ok_or((at, "a parameter extends beyond its section".to_string()))
    };
    while let Some(head) = section.get(at..at + 2) {
        // A locked parameter has a negative length.
        let (length, group) = ((head[0] as i8).unsigned_abs() as usize, head[1] as i8);
        if length == 0 || group == 0 {
            break;
        }
        let name = String::from_utf8_lossy(take(at + 2, length)?).trim().to_uppercase();
        let next_at = at + 2 + length;
        let next = take(next_at, 2)?;
        let offset = usize::from(processor.u16([next[0], next[1]]));
        if group < 0 {
            groups.insert(group.saturating_neg(), name);
        } else {
            let kind_at = next_at + 2;
            let kind = take(kind_at, 2)?;
            let (kind, count) = (kind[0] as i8, usize::from(kind[1]));
            let dimensions: Vec<usize> = take(kind_at + 2, count)?.iter().map(|d| usize::from(*d)).collect();
            let size = dimensions.iter().try_fold(usize::from(kind.unsigned_abs()), |n, d| n.checked_mul(*d));
            let size = size.ok_or((kind_at, format!("parameter {name} is too large")))?;
            let data = take(kind_at + 2 + count, size)?;
            found.push((group, name, Parameter { kind, dimensions, data }));
        }
        if offset == 0 {
            break;
        }
        at = next_at + offset;
    }
    Ok(found
        .into_iter()
        .map(|(group, name, parameter)| {
            (format!("{}:{name}", groups.get(&group).map_or("", String::as_str)), parameter)
        })
        .collect())
}

impl MarkerSource for C3d {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    fn next_frame(&mut self, frame: &mut MarkerFrame, notes: &mut Notes) -> Result<bool, FileError> {
        if self.read >= self.frames {
            return Ok(false);
        }
        if self.analog_bytes > 0 && !self.analog_reported {
            self.analog_reported = true;
            notes.note("analog", || "the file has analog channels; they are not read".to_string());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read(&mut buffer[filled..]).map_err(|e| FileError::read(&self.path, &e))? {
                0 => break,
                n => filled += n,
            }
        }
        let whole = filled == buffer.len();
        self.buffer = buffer;
        if !whole {
            let (read, stated) = (self.read, self.frames);
            notes.warn("cut-off", || format!("the file ends after {read} of {stated} frames"));
            self.frames = self.read;
            return Ok(false);
        }
        frame.stamp_ns = (self.read as f64 * 1e9 / self.rate_hz).round() as i64;
        self.read += 1;
        frame.markers.clear();
        let (read, names) = (self.read - 1, self.names.len());
        for j in 0..names {
            let place = self.point(j);
            let plausible = place.iter().all(|x| x.abs() < 1e4);
            if !plausible && place[0].is_finite() {
                notes.warn("point-implausible", || {
                    format!("frame {read}: {} is at {place:?} m and was not used", self.names[j])
                });
            }
            frame.markers.push(if plausible { place } else { [f64::NAN; 3] });
        }
        Ok(true)
    }
}
