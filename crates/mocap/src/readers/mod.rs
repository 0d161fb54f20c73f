//! Readers of recordings: one file and one line in [`READERS`] each.
//!
//! A reader gives one sample at a time and holds no more than a line or a frame. What it cannot read of a sample makes
//! that sample *missing* (never absent: the count of samples carries the time base) and leaves a line in the [`Notes`];
//! a file that is not of its format, or of which more than [`MOST_DAMAGED`] is damaged, is an error with the line.

pub mod c3d;
pub mod csv;
pub mod lines;
pub mod mcap;
pub mod numbers;
pub mod signals;
pub mod tosses;
pub mod trc;
pub mod vicon;
pub mod vsk;

use crate::notes::Notes;
use crate::steps::rigid::{MarkerModel, RigidSource};
use crate::stream::{MarkerFrame, MarkerStream, PoseStream, Sample, Turn};
use std::io::Read;
use std::path::Path;
use veracity_record::FileError;

/// Share of damaged records beyond which a file is not believed.
pub const MOST_DAMAGED: f64 = 0.05;

/// Samples a reader keeps in memory unless told otherwise: 256 MB of poses, 11 hours at 100 Hz.
pub const MOST_SAMPLES: u64 = 4_000_000;

/// Gives the samples of one body, in the order of the file.
pub trait PoseSource {
    /// What the file calls the body.
    fn subject(&self) -> &str;
    /// Samples a second, where the file says so [Hz].
    fn rate_hz(&self) -> Option<f64>;
    /// The next sample; `None` at the end.
    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError>;
}

/// Gives frames of loose markers, in the order of the file.
pub trait MarkerSource {
    /// Names of the markers.
    fn names(&self) -> &[String];
    /// Frames a second [Hz].
    fn rate_hz(&self) -> f64;
    /// The next frame into `frame`; `false` at the end.
    fn next_frame(&mut self, frame: &mut MarkerFrame, notes: &mut Notes) -> Result<bool, FileError>;
}

/// What a file holds.
pub enum Content {
    /// Poses of a rigid body.
    Poses(Box<dyn PoseSource>),
    /// Loose markers.
    Markers(Box<dyn MarkerSource>),
}

/// How a recording is to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Which take, toss or trial of a file that has several.
    pub take: Option<i64>,
    /// Which subject, topic or frame of a file that has several.
    pub subject: Option<String>,
    /// The body that markers belong to; without it the first frame that shows all of them is taken for it.
    pub body: Option<MarkerModel>,
    /// Only samples from this time on [s]; the first sample is time zero.
    pub from_s: Option<f64>,
    /// Only samples before this time [s].
    pub to_s: Option<f64>,
    /// At most this many samples are kept; a longer recording is an error that says how to cut it. [`MOST_SAMPLES`] if none.
    pub most_samples: Option<u64>,
}

/// A format.
pub struct Reader {
    /// As `--format` takes it.
    pub name: &'static str,
    /// What it is.
    pub text: &'static str,
    /// Whether a file is of this format, by its name's end and its first bytes.
    pub fits: fn(extension: &str, head: &[u8]) -> bool,
    /// Opens it.
    pub open: fn(path: &Path, options: &ReadOptions) -> Result<Content, FileError>,
}

/// Every format, the surest signs first.
pub const READERS: &[Reader] = &[mcap::ENTRY, c3d::ENTRY, vicon::ENTRY, trc::ENTRY, csv::ENTRY];

/// Opens a recording, by the format named or by its looks.
pub fn open(path: &Path, format: Option<&str>, options: &ReadOptions) -> Result<Content, FileError> {
    let reader = match format {
        Some(name) => READERS.iter().find(|r| r.name == name).ok_or_else(|| {
            let known: Vec<&str> = READERS.iter().map(|r| r.name).collect();
            FileError::damaged(path, "format", format!("`{name}` is not one of {}", known.join(", ")))
        })?,
        None => by_looks(path)?,
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

/// Room for what a file of this size may hold: a record of text is a hundred bytes or so.
fn room(path: &Path, most: u64) -> usize {
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
    (bytes / 100).min(most) as usize
}

/// Collects what a source gives, within the limits asked for.
pub fn collect(path: &Path, source: &mut dyn PoseSource, options: &ReadOptions) -> Result<PoseStream, FileError> {
    let mut notes = Notes::default();
    let most = options.most_samples.unwrap_or(MOST_SAMPLES);
    let mut samples: Vec<Sample> = Vec::with_capacity(room(path, most));
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
            // Counted to the end: what is left out is told.
            after += 1;
            continue;
        }
        if samples.len() as u64 >= most {
            let what = format!(
                "the recording has more than {most} samples; take a part of it with --from-s and --to-s, or raise --most-samples"
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
        return Err(FileError::damaged(
            path,
            "end",
            "there is no sample in it; is this the recording that was meant?",
        ));
    }
    let (subject, rate_hz) = (source.subject().to_string(), source.rate_hz());
    Ok(PoseStream { subject, rate_hz, samples, notes })
}

/// Reads all frames of markers into memory.
pub fn read_markers(path: &Path, format: Option<&str>, options: &ReadOptions) -> Result<MarkerStream, FileError> {
    let Content::Markers(mut source) = open(path, format, options)? else {
        return Err(FileError::damaged(path, "format", "it holds poses, not markers"));
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

fn by_looks(path: &Path) -> Result<&'static Reader, FileError> {
    let file = std::fs::File::open(path).map_err(|e| FileError::read(path, &e))?;
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head).map_err(|e| FileError::read(path, &e))?;
    if head.trim_ascii().is_empty() {
        return Err(FileError::damaged(path, "line 1", "the file is empty; there is no recording in it"));
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    READERS.iter().find(|r| (r.fits)(&extension, &head)).ok_or_else(|| {
        let known: Vec<String> = READERS.iter().map(|r| format!("{} ({})", r.name, r.text)).collect();
        let what = format!("this looks like none of {}; name the format with --format", known.join(", "));
        FileError::damaged(path, "beginning", what)
    })
}

/// A pose as it stands in a file, held to being one: not finite or without direction it is missing, with a note; a
/// quaternion of another length than one is made one, with a note.
pub(crate) fn checked(
    stamp_ns: i64,
    position: [f64; 3],
    mut orientation: Turn,
    place: impl Fn() -> String,
    notes: &mut Notes,
) -> Sample {
    if !position.iter().chain(&orientation).all(|x| x.is_finite()) {
        notes.warn("pose-not-finite", || {
            format!("{}: the pose is not of finite numbers; the sample is missing", place())
        });
        return Sample::missing(stamp_ns);
    }
    let norm = crate::turns::dot(&orientation, &orientation).sqrt();
    // Six printed digits leave 1e-6; a norm that is far off is another thing than a quaternion.
    if !(0.5..=2.0).contains(&norm) {
        notes.warn("quaternion-norm", || {
            format!("{}: the quaternion has norm {norm:.3e}, which is no rotation; the sample is missing", place())
        });
        return Sample::missing(stamp_ns);
    }
    if (norm - 1.0).abs() > 1e-4 {
        notes.note("quaternion-scaled", || format!("{}: the quaternion had norm {norm:.6}; it was made 1", place()));
        orientation = orientation.map(|x| x / norm);
    }
    Sample { stamp_ns, position, orientation }
}

/// Counts records and damaged ones, and says when a file is not to be believed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Damage {
    pub records: u64,
    pub damaged: u64,
}

impl Damage {
    /// After a record; gives a sentence when too many were damaged.
    pub fn count(&mut self, damaged: bool) -> Option<String> {
        self.records += 1;
        self.damaged += u64::from(damaged);
        // Early on one bad record is a large share.
        let allowed = (MOST_DAMAGED * self.records as f64).max(10.0);
        (self.damaged as f64 > allowed).then(|| {
            format!(
                "{} of {} records so far are damaged; this is more than {} % and the file is not believed",
                self.damaged,
                self.records,
                100.0 * MOST_DAMAGED
            )
        })
    }
}
