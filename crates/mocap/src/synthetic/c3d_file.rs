//! C3D files of synthetic markers: Intel or MIPS numbers, floats or scaled 16-bit words.

use crate::stream::MarkerStream;
use std::io::Write;
use std::path::Path;
use veracity_record::FileError;
use veracity_record::file::write_atomically;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Big-endian numbers.
    pub mips: bool,
    /// 16-bit points in steps of a tenth of a millimetre.
    pub words: bool,
}

/// Scale of a 16-bit point (mm).
const SCALE: f32 = 0.1;

/// Writes markers, in millimetres.
pub fn write(path: &Path, stream: &MarkerStream, style: Style) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let bytes = Bytes { style };
        let (points, frames) = (stream.names.len(), stream.frames.len());
        let parameters = bytes.parameters(stream);
        let blocks = (parameters.len() + 4).div_ceil(512);
        let data_block = (2 + blocks) as u16;
        let scale = if style.words { SCALE } else { -1.0 };
        let mut header = vec![2u8, 0x50];
        for word in [points as u16, 0, 1, frames.min(65535) as u16, 0] {
            header.extend(bytes.word(word));
        }
        header.extend(bytes.real(scale));
        header.extend(bytes.word(data_block));
        header.extend(bytes.word(0));
        header.extend(bytes.real(stream.rate_hz as f32));
        header.resize(512, 0);
        sink.write_all(&header)?;
        let mut section = vec![1, 0x50, blocks as u8, if style.mips { 86 } else { 84 }];
        // DATA_START is the last parameter; its value is known only now.
        section.extend(patched(parameters, &bytes.word(data_block)));
        section.resize(512 * blocks, 0);
        sink.write_all(&section)?;
        for frame in &stream.frames {
            for p in &frame.markers {
                let seen = p[0].is_finite();
                let mm = if seen { p.map(|x| 1e3 * x) } else { [0.0; 3] };
                for value in mm {
                    match style.words {
                        true => sink.write_all(&bytes.word((value / f64::from(SCALE)).round() as i16 as u16))?,
                        false => sink.write_all(&bytes.real(value as f32))?,
                    }
                }
                match style.words {
                    true => sink.write_all(&bytes.word(if seen { 0 } else { -1i16 as u16 }))?,
                    false => sink.write_all(&bytes.real(if seen { 0.0 } else { -1.0 }))?,
                }
            }
        }
        Ok(())
    })
}

fn patched(mut parameters: Vec<u8>, data_start: &[u8; 2]) -> Vec<u8> {
    // The number is before the last description's length and the ending offset.
    let at = parameters.len() - 5;
    parameters[at..at + 2].copy_from_slice(data_start);
    parameters
}

struct Bytes {
    style: Style,
}

impl Bytes {
    fn word(&self, value: u16) -> [u8; 2] {
        if self.style.mips { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn real(&self, value: f32) -> [u8; 4] {
        if self.style.mips { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn group(&self, out: &mut Vec<u8>, id: i8, name: &str) {
        out.push(name.len() as u8);
        out.push(id.wrapping_neg() as u8);
        out.extend(name.as_bytes());
        // Offset from this field to the next entry: the field itself and the description's length.
        out.extend(self.word(3));
        out.push(0);
    }

    fn parameter(&self, out: &mut Vec<u8>, group: i8, name: &str, kind: i8, dimensions: &[u8], data: &[u8]) {
        out.push(name.len() as u8);
        out.push(group as u8);
        out.extend(name.as_bytes());
        let rest = 2 + 2 + dimensions.len() + data.len() + 1;
        out.extend(self.word(rest as u16));
        out.push(kind as u8);
        out.push(dimensions.len() as u8);
        out.extend(dimensions);
        out.extend(data);
        out.push(0);
    }

    fn parameters(&self, stream: &MarkerStream) -> Vec<u8> {
        let mut out = Vec::new();
        let (points, frames) = (stream.names.len() as u16, stream.frames.len());
        self.group(&mut out, 1, "POINT");
        self.group(&mut out, 2, "TRIAL");
        let long = |n: usize| [self.word((n & 0xFFFF) as u16), self.word((n >> 16) as u16)].concat();
        self.parameter(&mut out, 2, "ACTUAL_START_FIELD", 2, &[2], &long(1));
        self.parameter(&mut out, 2, "ACTUAL_END_FIELD", 2, &[2], &long(frames));
        self.parameter(&mut out, 1, "USED", 2, &[], &self.word(points));
        let scale = if self.style.words { SCALE } else { -1.0 };
        self.parameter(&mut out, 1, "SCALE", 4, &[], &self.real(scale));
        self.parameter(&mut out, 1, "RATE", 4, &[], &self.real(stream.rate_hz as f32));
        self.parameter(&mut out, 1, "FRAMES", 2, &[], &self.word(frames.min(65535) as u16));
        self.parameter(&mut out, 1, "UNITS", -1, &[2], b"mm");
        let width = stream.names.iter().map(String::len).max().unwrap_or(1).min(255);
        let labels: Vec<u8> = stream
            .names
            .iter()
            .flat_map(|n| n.bytes().chain(std::iter::repeat(b' ')).take(width).collect::<Vec<u8>>())
            .collect();
        self.parameter(&mut out, 1, "LABELS", -1, &[width as u8, points as u8], &labels);
        self.parameter(&mut out, 1, "DATA_START", 2, &[], &self.word(0));
        // An entry without a name ends the list.
        out.extend([0, 0]);
        out
    }
}
