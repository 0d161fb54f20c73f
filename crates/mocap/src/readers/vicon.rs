//! The text stream of a Vicon client: records of four lines.
//!
//! ```text
//! time(min:sec:ms): 20:46:284
//! pos: 0.0189854, -0.356981, 0.0391952
//! quat: -0.123917, -0.518952, 0.134435, 0.835021
//! (blank)
//! ```
//!
//! The numbers in the time are not padded: `23:28:8` is 8 ms. Metres; the quaternion is x y z w. Stamps are arrival
//! times: see [`crate::steps::time_base`].

use super::lines::Lines;
use super::numbers::{comma_separated, whole};
use super::units::QuatOrder;
use super::{Content, Damage, PoseSource, ReadOptions, Reader, checked};
use crate::notes::Notes;
use crate::stream::Sample;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use veracity_record::FileError;

/// This format's entry in the list.
pub const ENTRY: Reader = Reader {
    name: "vicon",
    text: "text stream of a Vicon client: time, pos, quat",
    fits: |_, head| head.trim_ascii_start().starts_with(TIME) || head.starts_with(b"\xEF\xBB\xBFtime("),
    open: |path, options| {
        let mut reader = ViconText::<File>::open(path)?;
        reader.set(options);
        Ok(Content::Poses(Box::new(reader)))
    },
};

const TIME: &[u8] = b"time(";
const HOUR_MS: i64 = 3_600_000;

/// Reader of the text stream.
pub struct ViconText<R> {
    lines: Lines<R>,
    subject: String,
    damage: Damage,
    last_ms: i64,
    hours_ms: i64,
    /// The current line begins a record and was found while another record was read.
    held: bool,
    mixed_told: bool,
    length_m: f64,
    order: QuatOrder,
}

impl ViconText<File> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self::new(path, Lines::open(path)?))
    }
}

impl<R: Read> ViconText<R> {
    /// Reads lines from any source; `path` gives the subject's name.
    pub fn new(path: &Path, lines: Lines<R>) -> Self {
        let subject = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            lines,
            subject,
            damage: Damage::default(),
            last_ms: 0,
            hours_ms: 0,
            held: false,
            mixed_told: false,
            length_m: 1.0,
            order: QuatOrder::Xyzw,
        }
    }

    /// Units and order instead of the format's own.
    pub fn set(&mut self, options: &ReadOptions) {
        self.length_m = options.units.length_m.unwrap_or(1.0);
        self.order = options.quat_order.unwrap_or(QuatOrder::Xyzw);
    }

    /// Moves to the next line that is not blank.
    fn next_line(&mut self) -> Result<bool, FileError> {
        while self.lines.advance()? {
            if !self.lines.text().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The stamp (ms), with whole hours added.
    fn stamp(&mut self, [minutes, seconds, milliseconds]: [i64; 3], notes: &mut Notes) -> i64 {
        let mut ms = minutes * 60_000 + seconds * 1000 + milliseconds + self.hours_ms;
        let line = self.lines.number();
        if self.damage.records > 0 && ms < self.last_ms {
            if self.last_ms - ms > HOUR_MS / 2 {
                self.hours_ms += HOUR_MS;
                ms += HOUR_MS;
                notes.note("hour", || {
                    format!("line {line}: the minutes wrapped around; an hour is added from here on")
                });
            } else {
                let back = self.last_ms - ms;
                notes.warn("time-back", || format!("line {line}: the time decreases by {back} ms"));
            }
        }
        self.last_ms = ms;
        ms
    }

    /// Reports a damaged record, which counts as a missing sample.
    fn damaged(&mut self, stamp_ms: Option<i64>, what: &str, notes: &mut Notes) -> Result<Sample, FileError> {
        let (line, shown) = (self.lines.number(), self.lines.shown());
        if let Some(sentence) = self.damage.count(true) {
            return Err(self.lines.error(format!("`{shown}` is not {what}; {sentence}")));
        }
        notes.warn("damaged", || format!("line {line}: `{shown}` is not {what}; the sample is missing"));
        Ok(Sample::missing(stamp_ms.unwrap_or(self.last_ms).saturating_mul(1_000_000)))
    }

    /// Skips the rest of a damaged record.
    fn skip_to_time(&mut self) -> Result<(), FileError> {
        while !self.lines.text().starts_with(TIME) {
            if !self.next_line()? {
                return Ok(());
            }
        }
        self.held = true;
        Ok(())
    }

    /// A line where a record should begin. If a position or a quaternion follows before the next time, it is a record
    /// whose first line is damaged: a missing sample. Else it is a stray line and no sample: counted as one, it would shift
    /// the time of all that follow.
    fn odd_line(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        let (line, shown) = (self.lines.number(), self.lines.shown());
        let is_part = |text: &[u8]| text.starts_with(b"pos:") || text.starts_with(b"quat:");
        let mut record = is_part(self.lines.text());
        while self.next_line()? {
            if self.lines.text().starts_with(TIME) {
                self.held = true;
                break;
            }
            record |= is_part(self.lines.text());
        }
        if let Some(sentence) = self.damage.count(true) {
            return Err(self.lines.error_at(line, format!("`{shown}` is not {TIME_LINE}; {sentence}")));
        }
        let end = if record { "the sample is missing" } else { "the stray line was skipped" };
        notes.warn("damaged", || format!("line {line}: `{shown}` is not {TIME_LINE}; {end}"));
        Ok(record.then(|| Sample::missing(self.last_ms.saturating_mul(1_000_000))))
    }

    fn cut_off(&mut self, notes: &mut Notes) -> Option<Sample> {
        let line = self.lines.number();
        notes.warn("cut-off", || format!("line {line}: the file ends inside a record; that record was skipped"));
        None
    }
}

const TIME_LINE: &str = "`time(min:sec:ms): minutes:seconds:milliseconds`";
const POS_LINE: &str = "`pos: x, y, z`";
const QUAT_LINE: &str = "`quat: x, y, z, w`";

impl<R: Read> PoseSource for ViconText<R> {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn rate_hz(&self) -> Option<f64> {
        None
    }

    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        if !self.held && !self.next_line()? {
            if self.damage.records == 0 {
                return Err(self.lines.error("no records found; this is not a Vicon text stream"));
            }
            return Ok(None);
        }
        self.held = false;
        if !self.mixed_told && self.lines.ends().are_mixed() {
            self.mixed_told = true;
            let line = self.lines.number();
            notes.note("line-ends", || format!("line {line}: line ends are mixed (LF, CR LF, CR); all are accepted"));
        }
        let Some(fields) = time_fields(self.lines.text()) else {
            if self.damage.records == 0 {
                let shown = self.lines.shown();
                return Err(self
                    .lines
                    .error(format!("`{shown}` is not {TIME_LINE}; this is not a Vicon text stream")));
            }
            return match self.odd_line(notes)? {
                Some(sample) => Ok(Some(sample)),
                None => self.next_sample(notes),
            };
        };
        let stamp_ms = self.stamp(fields, notes);
        if !self.next_line()? {
            return Ok(self.cut_off(notes));
        }
        let position = self.lines.text().strip_prefix(b"pos:").and_then(comma_separated::<3>);
        let Some(position) = position else {
            let sample = self.damaged(Some(stamp_ms), POS_LINE, notes)?;
            self.skip_to_time()?;
            return Ok(Some(sample));
        };
        if !self.next_line()? {
            return Ok(self.cut_off(notes));
        }
        let turn = self.lines.text().strip_prefix(b"quat:").and_then(comma_separated::<4>);
        let Some(turn) = turn else {
            let sample = self.damaged(Some(stamp_ms), QUAT_LINE, notes)?;
            self.skip_to_time()?;
            return Ok(Some(sample));
        };
        let line = self.lines.number();
        let place = || format!("line {line}");
        let (position, turn) = (position.map(|x| x * self.length_m), self.order.wxyz(turn));
        let sample = checked(stamp_ms.saturating_mul(1_000_000), position, turn, place, notes);
        // NaN or zeros are what a tracker sends for a body it does not see: missing, not damaged.
        self.damage.records += 1;
        Ok(Some(sample))
    }
}

/// Minutes, seconds and milliseconds.
fn time_fields(line: &[u8]) -> Option<[i64; 3]> {
    let rest = line.strip_prefix(TIME)?;
    let at = rest.iter().position(|b| *b == b')')?;
    let fields = rest[at + 1..].strip_prefix(b":")?;
    let mut parts = fields.split(|b| *b == b':');
    let mut out = [0; 3];
    for value in &mut out {
        *value = whole(parts.next()?).filter(|v| *v < 1_000_000)? as i64;
    }
    parts.next().is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Vec<Sample>, Notes), String> {
        let path = Path::new("t.txt");
        let mut reader = ViconText::new(path, Lines::new(path, text.as_bytes()));
        let (mut notes, mut out) = (Notes::default(), Vec::new());
        while let Some(sample) = reader.next_sample(&mut notes).map_err(|e| e.to_string())? {
            out.push(sample);
        }
        Ok((out, notes))
    }

    const ONE: &str = "time(min:sec:ms): 20:46:8\npos: 1, 2, 3\nquat: 0, 0, 0, 1\n\n";

    #[test]
    fn a_record_is_read_and_its_quaternion_reordered() {
        let (samples, notes) = read(ONE).unwrap();
        assert_eq!(
            samples,
            [Sample { stamp_ns: 1_246_008_000_000, position: [1.0, 2.0, 3.0], orientation: [1.0, 0.0, 0.0, 0.0] }]
        );
        assert!(notes.is_empty());
        let (mixed, notes) =
            read(&format!("{}{}{}", ONE, ONE.replace('\n', "\r\n"), ONE.replace('\n', "\r"))).unwrap();
        assert_eq!(mixed, [samples[0]; 3]);
        assert_eq!(notes.count("line-ends"), 1);
    }

    #[test]
    fn damage_makes_a_sample_missing_and_is_noted_with_its_line() {
        let text = format!("{ONE}{}{ONE}", ONE.replace("pos: 1, 2, 3", "pos: 1, 2"));
        let (samples, notes) = read(&text).unwrap();
        assert_eq!(samples.iter().map(Sample::is_known).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(notes.lines()[0].text, "line 6: `pos: 1, 2` is not `pos: x, y, z`; the sample is missing");

        let (samples, notes) = read(&format!("{ONE}{}", ONE.replace("0, 0, 0, 1", "0, 0, 0, 0"))).unwrap();
        assert!(!samples[1].is_known());
        assert!(notes.lines()[0].text.starts_with("line 7: the quaternion has norm 0.000e0"), "{notes:?}");

        let (samples, notes) = read(&format!("{ONE}{}", ONE.replace("1, 2, 3", "nan, 2, 3"))).unwrap();
        assert!(!samples[1].is_known() && notes.count("pose-not-finite") == 1);

        // A stray line is no sample: the time base counts samples.
        let (samples, notes) = read(&format!("{ONE}# battery changed\n\n{ONE}")).unwrap();
        assert_eq!(samples.iter().map(Sample::is_known).collect::<Vec<_>>(), [true, true]);
        assert!(notes.lines()[0].text.ends_with("the stray line was skipped"), "{notes:?}");

        // A record whose first line is lost is one missing sample, not two.
        let (samples, _) = read(&format!("{ONE}{}{ONE}", ONE.replace("time(min:sec:ms)", "tim"))).unwrap();
        assert_eq!(samples.iter().map(Sample::is_known).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn truncated_records_and_decreasing_times_are_noted() {
        for cut in ["time(min:sec:ms): 20:47:0\n", "time(min:sec:ms): 20:47:0\npos: 1, 2, 3\n"] {
            let (samples, notes) = read(&format!("{ONE}{cut}")).unwrap();
            assert_eq!((samples.len(), notes.count("cut-off")), (1, 1));
        }
        let (samples, notes) = read(&format!("{ONE}{}", ONE.replace("46:8", "46:2"))).unwrap();
        assert_eq!((samples.len(), notes.count("time-back")), (2, 1));
        let (samples, notes) = read(&format!("{}{ONE}", ONE.replace("20:46", "59:59"))).unwrap();
        assert_eq!((samples[1].stamp_ns - samples[0].stamp_ns, notes.count("hour")), (1_247_000_000_000, 1));
    }

    #[test]
    fn a_file_of_another_format_is_rejected_with_its_line() {
        assert_eq!(read("").unwrap_err(), "t.txt: line 0: no records found; this is not a Vicon text stream");
        assert!(read("hello\n").unwrap_err().starts_with("t.txt: line 1: `hello` is not `time(min:sec:ms)"));
        let bad = ONE.replace("pos: 1", "pos: a").repeat(40);
        let said = read(&format!("{ONE}{bad}")).unwrap_err();
        assert!(said.contains("11 of 12 records so far are damaged"), "{said}");
    }
}
