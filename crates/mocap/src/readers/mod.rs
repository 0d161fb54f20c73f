//! Readers of recordings: one file and one entry in [`READERS`] each.
//!
//! A reader returns one sample at a time and holds at most a line or a frame. A sample that cannot be read is *missing*
//! (it is still counted, because the time base counts samples) and leaves a note in the [`Notes`]; a file that is not
//! of its format, or of which more than [`MOST_DAMAGED`] is damaged, is an error that names the line.

pub mod c3d;
pub mod csv;
pub mod csv_header;
pub mod lines;
pub mod mcap;
pub mod numbers;
pub mod signals;
pub mod trc;
pub mod units;
pub mod vicon;
pub mod vsk;

use crate::notes::Notes;
use crate::steps::rigid::{MarkerModel, RigidSource};
use crate::stream::{MarkerFrame, MarkerStream, PoseStream, Quaternion, Sample};
use std::io::Read;
use std::path::Path;
use veracity_record::FileError;

/// Share of damaged records beyond which a file is rejected.
pub const MOST_DAMAGED: f64 = 0.05;

/// Default limit of samples kept in memory: 256 MB of poses, 11 hours at 100 Hz.
pub const MOST_SAMPLES: u64 = 4_000_000;

/// Source of the samples of one body, in the order of the file.
pub trait PoseSource {
    /// The body's name in the file.
    fn subject(&self) -> &str;
    /// Sample rate, where the file states it [Hz].
    fn rate_hz(&self) -> Option<f64>;
    /// The next sample; `None` at the end.
    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError>;
}

/// Source of frames of loose markers, in the order of the file.
pub trait MarkerSource {
    /// Names of the markers.
    fn names(&self) -> &[String];
    /// Frame rate [Hz].
    fn rate_hz(&self) -> f64;
    /// Reads the next frame into `frame`; `false` at the end.
    fn next_frame(&mut self, frame: &mut MarkerFrame, notes: &mut Notes) -> Result<bool, FileError>;
}

/// Content of a file.
pub enum Content {
    /// Poses of a rigid body.
    Poses(Box<dyn PoseSource>),
    /// Loose markers.
    Markers(Box<dyn MarkerSource>),
}

/// Options for reading a recording.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Which take, toss or trial of a file that has several.
    pub take: Option<i64>,
    /// Which subject, topic or frame of a file that has several.
    pub subject: Option<String>,
    /// Units instead of those of the file.
    pub units: units::Units,
    /// Order of a quaternion's numbers, where the file's format does not name them.
    pub quat_order: Option<units::QuatOrder>,
    /// Columns of a table by part: `time`, `x` … `qz` to the name in the file.
    pub columns: std::collections::BTreeMap<String, String>,
    /// The body that markers belong to; without it the first frame that shows all markers defines it.
    pub body: Option<MarkerModel>,
    /// Only samples from this time on [s]; the first sample is at time zero.
    pub from_s: Option<f64>,
    /// Only samples before this time [s].
    pub to_s: Option<f64>,
    /// At most this many samples are kept; a longer recording is an error that says how to cut it. [`MOST_SAMPLES`] if
    /// `None`.
    pub most_samples: Option<u64>,
}

/// A format.
pub struct Reader {
    /// Name, as given to `--format`.
    pub name: &'static str,
    /// Description.
    pub text: &'static str,
    /// Whether a file is of this format, by its extension and its first bytes.
    pub fits: fn(extension: &str, head: &[u8]) -> bool,
    /// Opens a file of this format.
    pub open: fn(path: &Path, options: &ReadOptions) -> Result<Content, FileError>,
}

/// Every format, the most distinctive first.
pub const READERS: &[Reader] = &[mcap::ENTRY, c3d::ENTRY, vicon::ENTRY, trc::ENTRY, csv::ENTRY];

/// Opens a recording, in the format named or detected.
pub fn open(path: &Path, format: Option<&str>, options: &ReadOptions) -> Result<Content, FileError> {
    let reader = match format {
        Some(name) => READERS.iter().find(|r| r.name == name).ok_or_else(|| {
            let known: Vec<&str> = READERS.iter().map(|r| r.name).collect();
            FileError::damaged(path, "format", format!("`{name}` is not one of {}", known.join(", ")))
        })?,
        None => detect_format(path)?,
    };
    (reader.open)(path, options)
}

/// Opens a recording as poses: markers are fitted with their body.
pub fn open_poses(
    path: &Path,
    format: Option<&str>,
    options: &ReadOptions,
) -> Result<Box<dyn PoseSource>, FileError> {
    Ok(match open(path, format, options)? {
        Content::Poses(source) => source,
        Content::Markers(source) => Box::new(RigidSource::new(path, source, options.body.clone())),
    })
}

/// Reads a recording into memory.
pub fn read(path: &Path, format: Option<&str>, options: &ReadOptions) -> Result<PoseStream, FileError> {
    let mut source = open_poses(path, format, options)?;
    collect(path, source.as_mut(), options)
}

/// Capacity for the samples of a file of this size: a record of text is about a hundred bytes.
fn capacity(path: &Path, most: u64) -> usize {
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
    (bytes / 100).min(most) as usize
}

/// Collects the samples of a source, within the limits of the options.
pub fn collect(path: &Path, source: &mut dyn PoseSource, options: &ReadOptions) -> Result<PoseStream, FileError> {
    let mut notes = Notes::default();
    let most = options.most_samples.unwrap_or(MOST_SAMPLES);
    let mut samples: Vec<Sample> = Vec::with_capacity(capacity(path, most));
    let (from, to) = (options.from_s.unwrap_or(f64::NEG_INFINITY), options.to_s.unwrap_or(f64::INFINITY));
    let (mut first, mut before, mut after) = (None, 0u64, 0u64);
    while let Some(sample) = source.next_sample(&mut notes)? {
        let zero = *first.get_or_insert(sample.stamp_ns);
        let time = sample.stamp_ns.saturating_sub(zero) as f64 * 1e-9;
        if time < from {
            before += 1;
            continue;
        }
        if time >= to {
            // Counted to the end, so that the number left out can be reported.
            after += 1;
            continue;
        }
        if samples.len() as u64 >= most {
            let what = format!(
                "the recording has more than {most} samples; select a part with --from-s and --to-s, or raise --most-samples"
            );
            return Err(FileError::damaged(path, format!("sample {}", before + most), what));
        }
        samples.push(sample);
    }
    if before + after > 0 {
        notes
            .note("outside", || format!("{before} samples before {from} s and {after} from {to} s on were not read"));
    }
    if samples.is_empty() {
        return Err(FileError::damaged(path, "end", "the recording has no samples; is this the right file?"));
    }
    let (subject, rate_hz) = (source.subject().to_string(), source.rate_hz());
    Ok(PoseStream { subject, rate_hz, samples, notes })
}

/// Reads all frames of markers into memory.
pub fn read_markers(path: &Path, format: Option<&str>, options: &ReadOptions) -> Result<MarkerStream, FileError> {
    let Content::Markers(mut source) = open(path, format, options)? else {
        return Err(FileError::damaged(path, "format", "the file holds poses, not markers"));
    };
    let most = options.most_samples.unwrap_or(MOST_SAMPLES) / (source.names().len().max(1) as u64);
    let mut stream = MarkerStream { names: source.names().to_vec(), rate_hz: source.rate_hz(), ..Default::default() };
    let mut frame = MarkerFrame::default();
    while source.next_frame(&mut frame, &mut stream.notes)? {
        if stream.frames.len() as u64 >= most {
            let what = format!("the recording has more than {most} frames; raise --most-samples");
            return Err(FileError::damaged(path, format!("frame {most}"), what));
        }
        stream.frames.push(frame.clone());
    }
    Ok(stream)
}

fn detect_format(path: &Path) -> Result<&'static Reader, FileError> {
    let file = std::fs::File::open(path).map_err(|e| FileError::read(path, &e))?;
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head).map_err(|e| FileError::read(path, &e))?;
    if let Some(what) = lines::not_utf8(&head) {
        return Err(FileError::damaged(path, "line 1", what));
    }
    if head.trim_ascii().is_empty() {
        return Err(FileError::damaged(path, "line 1", "the file is empty"));
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    READERS.iter().find(|r| (r.fits)(&extension, &head)).ok_or_else(|| {
        let known: Vec<String> = READERS.iter().map(|r| format!("{} ({})", r.name, r.text)).collect();
        let what = format!("unknown format, expected one of {}; name the format with --format", known.join(", "));
        FileError::damaged(path, "beginning", what)
    })
}

/// Validates a pose from a file: a non-finite pose or a quaternion without direction is a missing sample, with a note;
/// a quaternion that is not of norm one is normalised, with a note.
pub(crate) fn checked(
    stamp_ns: i64,
    position: [f64; 3],
    mut orientation: Quaternion,
    place: impl Fn() -> String,
    notes: &mut Notes,
) -> Sample {
    if !position.iter().chain(&orientation).all(|x| x.is_finite()) {
        notes.warn("pose-not-finite", || {
            format!("{}: the pose contains NaN or infinity; the sample is missing", place())
        });
        return Sample::missing(stamp_ns);
    }
    let norm = crate::turns::dot(&orientation, &orientation).sqrt();
    // Six printed digits leave an error of 1e-6; a norm far from one means this is not a rotation.
    if !(0.5..=2.0).contains(&norm) {
        notes.warn("quaternion-norm", || {
            format!("{}: the quaternion has norm {norm:.3e} and is not a rotation; the sample is missing", place())
        });
        return Sample::missing(stamp_ns);
    }
    if (norm - 1.0).abs() > 1e-4 {
        notes.note("quaternion-scaled", || {
            format!("{}: the quaternion had norm {norm:.6}; it was normalised", place())
        });
        orientation = orientation.map(|x| x / norm);
    }
    Sample { stamp_ns, position, orientation }
}

/// Counts records and damaged records, and decides when a file is rejected.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Damage {
    pub records: u64,
    pub damaged: u64,
}

impl Damage {
    /// Counts a record; returns a sentence when too many were damaged.
    pub fn count(&mut self, damaged: bool) -> Option<String> {
        self.records += 1;
        self.damaged += u64::from(damaged);
        // Early on a single bad record is a large share.
        let allowed = (MOST_DAMAGED * self.records as f64).max(10.0);
        (self.damaged as f64 > allowed).then(|| {
            format!(
                "{} of {} records so far are damaged; this is more than {} %, and the file is rejected",
                self.damaged,
                self.records,
                100.0 * MOST_DAMAGED
            )
        })
    }
}
