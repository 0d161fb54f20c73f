//! LED signal files: video frames in which a lamp that turns with an actuator was seen.
//!
//! Fifteen fixed lines, a comment and a value in turn, then the signals:
//!
//! ```text
//! # frame of synchronization collision            90
//! # vicon time of synchronization collision       1.34      [s], stamp
//! # virtual time of synchronization collision     1.34      [s], samples / rate
//! # total number of frames in video               3799
//! # framerate of video                            30
//! # video frame of valid start of data gathering  54
//! # samplerate of vicon                           100
//! # signals                                       '-' gap, or FRAME with * (reflection) and + (two frames)
//! ```

use super::lines::Lines;
use super::numbers::{number, whole};
use crate::notes::Notes;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use veracity_record::FileError;

/// Limit of signals; they are written by hand, so no real file comes near this.
const MOST: usize = 10_000_000;
/// Limit of video frames: more than a month at 30 a second. Later steps count turns between frames.
const MOST_FRAMES: f64 = 1e8;

/// One line of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The lamp was hidden for a while.
    Gap,
    /// The lamp was seen.
    Seen {
        /// Video frame.
        frame: i64,
        /// Seen only as a reflection.
        indirect: bool,
        /// In this frame and the next.
        two_frames: bool,
    },
}

/// A signal file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalFile {
    /// Video frame of the synchronising event.
    pub synch_frame: i64,
    /// Its time by the recording's stamps, the first sample at zero [s].
    pub stamp_time_s: f64,
    /// Its time by counted samples [s].
    pub virtual_time_s: f64,
    /// Frames of the video.
    pub frame_count: i64,
    /// Frame rate of the video [Hz].
    pub frame_rate_hz: f64,
    /// First video frame of valid data.
    pub valid_start_frame: i64,
    /// Sample rate [Hz].
    pub sample_rate_hz: f64,
    /// In the order of the file.
    pub signals: Vec<Signal>,
    /// Notes of the reader.
    pub notes: Notes,
}

/// Counts of signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct SignalCounts {
    /// Lines with a frame.
    pub seen: usize,
    /// Lines with a gap.
    pub gaps: usize,
    /// Both: what was published as "identifiable signals".
    pub lines: usize,
    /// Reflections.
    pub indirect: usize,
    /// Seen in two frames.
    pub two_frames: usize,
    /// Longest time between the first and last signal of a run [s].
    pub longest_s: f64,
    /// The published rule: time of the run with the most signals, the first of equals, a last run without a closing gap
    /// not counted [s].
    pub longest_published_s: f64,
}

/// Reads a signal file.
pub fn read(path: &Path) -> Result<SignalFile, FileError> {
    read_lines(Lines::<File>::open(path)?)
}

/// Reads a signal file from lines.
pub fn read_lines<R: Read>(mut lines: Lines<R>) -> Result<SignalFile, FileError> {
    let mut head = [0.0; 7];
    for (i, value) in head.iter_mut().enumerate() {
        comment(&mut lines, HEAD[i])?;
        if !lines.advance()? {
            return Err(lines.error(format!("the file ends before {}", HEAD[i])));
        }
        let read = number(lines.text()).filter(|v| v.is_finite());
        *value = read.ok_or_else(|| lines.error(format!("`{}` is not a number for {}", lines.shown(), HEAD[i])))?;
    }
    comment(&mut lines, "the signals")?;
    let [synch, stamp_time_s, virtual_time_s, frames, frame_rate_hz, valid, sample_rate_hz] = head;
    if frame_rate_hz <= 0.0 || sample_rate_hz <= 0.0 {
        return Err(lines.error("a rate is not positive; rates are in Hz"));
    }
    if [synch, frames, valid].iter().any(|frame| !(0.0..=MOST_FRAMES).contains(frame)) {
        return Err(lines.error(format!("frames are counted from 0 to {MOST_FRAMES}: {synch}, {frames}, {valid}")));
    }
    let mut file = SignalFile {
        synch_frame: synch as i64,
        stamp_time_s,
        virtual_time_s,
        frame_count: frames as i64,
        frame_rate_hz,
        valid_start_frame: valid as i64,
        sample_rate_hz,
        ..SignalFile::default()
    };
    let mut last = None;
    while lines.advance()? {
        let text = lines.text();
        if text.is_empty() {
            continue;
        }
        let signal = signal(text)
            .ok_or_else(|| lines.error(format!("`{}` is neither `-` nor a frame with `*` and `+`", lines.shown())))?;
        let line = lines.number();
        if let Signal::Seen { frame, .. } = signal {
            if last.is_some_and(|last| last >= frame) {
                return Err(lines.error(format!("frame {frame} is not after the previous one")));
            }
            if frame as f64 > MOST_FRAMES {
                return Err(lines.error(format!("frame {frame} is out of range: at most {MOST_FRAMES}")));
            }
            last = Some(frame);
            if frame > file.frame_count {
                let count = file.frame_count;
                file.notes
                    .warn("beyond-video", || format!("line {line}: frame {frame} of a video of {count} frames"));
            }
        }
        if file.signals.len() >= MOST {
            return Err(lines.error(format!("there are more than {MOST} signals")));
        }
        file.signals.push(signal);
    }
    if lines.ends().are_mixed() {
        file.notes.note("line-ends", || "line ends of several kinds are mixed; all are read".to_string());
    }
    Ok(file)
}

const HEAD: [&str; 7] = [
    "the frame of the synchronising event",
    "its time by the stamps [s]",
    "its time by the samples [s]",
    "the number of video frames",
    "the video's frames a second",
    "the frame of the valid start",
    "the samples a second",
];

fn comment<R: Read>(lines: &mut Lines<R>, of: &str) -> Result<(), FileError> {
    if !lines.advance()? {
        return Err(lines.error(format!("the file ends before {of}; this is not a signal file")));
    }
    if !lines.text().starts_with(b"#") {
        return Err(lines.error(format!("`{}` should be a comment, `# …`, before {of}", lines.shown())));
    }
    Ok(())
}

fn signal(text: &[u8]) -> Option<Signal> {
    if text == b"-" {
        return Some(Signal::Gap);
    }
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let flags = text[digits..].trim_ascii();
    if flags.iter().any(|b| *b != b'*' && *b != b'+') {
        return None;
    }
    let frame = whole(&text[..digits])? as i64;
    Some(Signal::Seen { frame, indirect: flags.contains(&b'*'), two_frames: flags.contains(&b'+') })
}

impl SignalFile {
    /// Runs of signals without a gap between them, and whether each was closed by a gap.
    pub fn runs(&self) -> Vec<(Vec<(i64, bool)>, bool)> {
        let mut runs = Vec::new();
        let mut run = Vec::new();
        for signal in &self.signals {
            match *signal {
                Signal::Seen { frame, two_frames, .. } => run.push((frame, two_frames)),
                Signal::Gap if run.is_empty() => {}
                Signal::Gap => runs.push((std::mem::take(&mut run), true)),
            }
        }
        if !run.is_empty() {
            runs.push((run, false));
        }
        runs
    }

    /// Counts the signals.
    pub fn counts(&self) -> SignalCounts {
        let mut counts = SignalCounts { lines: self.signals.len(), ..SignalCounts::default() };
        for signal in &self.signals {
            match signal {
                Signal::Gap => counts.gaps += 1,
                Signal::Seen { indirect, two_frames, .. } => {
                    counts.seen += 1;
                    counts.indirect += usize::from(*indirect);
                    counts.two_frames += usize::from(*two_frames);
                }
            }
        }
        let runs = self.runs();
        let length = |run: &[(i64, bool)]| {
            let ends = run.first().zip(run.last());
            ends.map_or(0.0, |(first, last)| (last.0 - first.0) as f64 / self.frame_rate_hz)
        };
        counts.longest_s = runs.iter().map(|(run, _)| length(run)).fold(0.0, f64::max);
        let mut most: &[(i64, bool)] = &[];
        for (run, closed) in &runs {
            if *closed && run.len() > most.len() {
                most = run;
            }
        }
        counts.longest_published_s = length(most);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "# a\n90\n# b\n1.34\n# c\n1.34\n# d\n3799\n# e\n30\n# f\n54\n# g\n100\n# signals\n";

    fn parse(text: &str) -> Result<SignalFile, String> {
        read_lines(Lines::new(Path::new("s.txt"), text.as_bytes())).map_err(|e| e.to_string())
    }

    #[test]
    fn flags_gaps_and_trailing_blanks_are_parsed() {
        let file = parse(&format!("{HEADER}56\n71 * \n82 *+\n-\n96 +\n101\r\n")).unwrap();
        let seen = |frame, indirect, two_frames| Signal::Seen { frame, indirect, two_frames };
        assert_eq!(file.signals[1..4], [seen(71, true, false), seen(82, true, true), Signal::Gap]);
        let counts = file.counts();
        assert_eq!((counts.seen, counts.gaps, counts.indirect, counts.two_frames), (5, 1, 2, 2));
        assert_eq!((counts.longest_s, counts.longest_published_s), (26.0 / 30.0, 26.0 / 30.0));
    }

    #[test]
    fn errors_name_their_line() {
        assert_eq!(
            parse("").unwrap_err(),
            "s.txt: line 0: the file ends before the frame of the synchronising event; this is not a signal file"
        );
        assert!(
            parse(&HEADER.replace("1.34", "soon")).unwrap_err().starts_with("s.txt: line 4: `soon` is not a number")
        );
        assert!(parse(&format!("{HEADER}5\n4\n")).unwrap_err().starts_with("s.txt: line 17: frame 4 is not after"));
        assert!(
            parse(&format!("{HEADER}9007199254740992\n"))
                .unwrap_err()
                .starts_with("s.txt: line 16: frame 9007199254740992")
        );
        assert!(parse(&HEADER.replace("3799", "9e15")).unwrap_err().contains("frames are counted from 0"));
        assert!(parse(&format!("{HEADER}5 x\n")).unwrap_err().starts_with("s.txt: line 16: `5 x` is neither"));
    }
}
