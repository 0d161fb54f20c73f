//! The signal file of a lamp that turns with an actuator, filmed by a video camera.
//!
//! The lamp is lit around each whole turn for `lit` frames; a frame within that time shows it. Sometimes the lamp is
//! hidden from the camera for a while; the signal file then has a gap.

use crate::readers::signals::{Signal, SignalFile};
use std::f64::consts::TAU;
use veracity_engine::random::{Purpose, Stream};

/// How the lamp is filmed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filming {
    /// Frames a second [Hz].
    pub frame_rate_hz: f64,
    /// Samples a second of the recording [Hz].
    pub sample_rate_hz: f64,
    /// How long the lamp is lit, in frames, 1 to 2.
    pub lit_frames: f64,
    /// Time of frame 0 in the recording [s].
    pub video_start_s: f64,
    /// Time of the synchronising event in the recording [s].
    pub synch_time_s: f64,
    /// Turns that are seen before a gap, on average.
    pub run_turns: f64,
    /// Turns a gap lasts, on average.
    pub gap_turns: f64,
}

impl Default for Filming {
    fn default() -> Self {
        Self {
            frame_rate_hz: 30.0,
            sample_rate_hz: 100.0,
            lit_frames: 1.2,
            video_start_s: -0.37,
            synch_time_s: 2.0,
            run_turns: 7.0,
            gap_turns: 3.0,
        }
    }
}

/// Films an actuator whose angle [rad], increasing, is `angles` at `times_s`.
pub fn film(times_s: &[f64], angles: &[f64], filming: &Filming, seed: u64) -> SignalFile {
    let stream = Stream::new(seed, 0, 2, Purpose::SensorNoise);
    let frame_of = |time: f64| (time - filming.video_start_s) * filming.frame_rate_hz;
    let synch_sample = (filming.synch_time_s * filming.sample_rate_hz).round() / filming.sample_rate_hz;
    let last = times_s.last().copied().unwrap_or(0.0);
    let mut file = SignalFile {
        // The event falls between frames; the nearest frame shows it.
        synch_frame: frame_of(filming.synch_time_s).round() as i64,
        stamp_time_s: synch_sample,
        virtual_time_s: synch_sample,
        frame_count: frame_of(last).ceil() as i64 + 30,
        frame_rate_hz: filming.frame_rate_hz,
        valid_start_frame: frame_of(0.5).ceil() as i64,
        sample_rate_hz: filming.sample_rate_hz,
        ..SignalFile::default()
    };
    let mut seen = true;
    let mut turn = 1.0 + (angles.first().copied().unwrap_or(0.0) / TAU).floor();
    let mut at = 0;
    let mut tick = 0u64;
    while at + 1 < angles.len() {
        if angles[at + 1] < TAU * turn {
            at += 1;
            continue;
        }
        let part = (TAU * turn - angles[at]) / (angles[at + 1] - angles[at]);
        let middle = frame_of(times_s[at] + part * (times_s[at + 1] - times_s[at]));
        turn += 1.0;
        tick += 1;
        let [leave, kind] = stream.uniform_pair(tick, 0);
        let lasts = if seen { filming.run_turns } else { filming.gap_turns };
        if leave < 1.0 / lasts {
            seen = !seen;
            if !seen && matches!(file.signals.last(), Some(Signal::Seen { .. })) {
                file.signals.push(Signal::Gap);
            }
        }
        let half = 0.5 * filming.lit_frames;
        let (first, end) = ((middle - half).ceil() as i64, (middle + half).floor() as i64);
        if seen && first >= 0 && end >= first {
            file.signals.push(Signal::Seen { frame: first, indirect: kind < 0.25, two_frames: end > first });
        }
    }
    file
}
