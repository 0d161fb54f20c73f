//! The clock of a video in the recording's time.
//!
//! One event seen in both ties the clocks together: at `synch frame` of the video and at a sample of the recording,
//!
//! ```text
//! (1)  t(frame) = t_synch + (frame - synch frame) / fps
//! ```
//!
//! The signal file has the event's sample twice, by stamp and by count; both are checked against the recording, because
//! people exchange them.

use super::time_base::TimeBase;
use crate::readers::signals::SignalFile;
use crate::report::StepReport;
use crate::stream::Sample;

/// Conversion from video frames to the recording's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VideoClock {
    /// Frames a second [Hz].
    pub frame_rate_hz: f64,
    /// Frame of the event.
    pub synch_frame: f64,
    /// Time of the event in the recording [s].
    pub synch_time_s: f64,
    /// One standard deviation of it [s]: the event was seen in a frame and in a sample.
    pub sigma_s: f64,
}

impl VideoClock {
    /// Time of a frame in the recording [s], (1).
    pub fn time_s(&self, frame: f64) -> f64 {
        self.synch_time_s + (frame - self.synch_frame) / self.frame_rate_hz
    }
}

/// Synchronises a signal file with a recording.
pub fn from_signals(signals: &SignalFile, samples: &[Sample], base: &TimeBase) -> (VideoClock, StepReport) {
    let mut report = StepReport::new("synchronisation");
    let first = samples.first().map_or(0, |s| s.stamp_ns);
    let stamp_of = |sample: usize| samples.get(sample).map(|s| s.stamp_ns.saturating_sub(first) as f64 * 1e-9);
    let sample_of = |time: f64| (time * signals.sample_rate_hz).round().max(0.0) as usize;
    // Distance of the counted sample's stamp from the stated stamp.
    let miss =
        |counted: f64, stamped: f64| stamp_of(sample_of(counted)).map_or(f64::INFINITY, |t| (t - stamped).abs());
    let (stated, exchanged) =
        (miss(signals.virtual_time_s, signals.stamp_time_s), miss(signals.stamp_time_s, signals.virtual_time_s));
    let period = 1.0 / signals.sample_rate_hz;
    let mut counted = signals.virtual_time_s;
    if stated > 5.0 * period && exchanged <= 5.0 * period {
        counted = signals.stamp_time_s;
        report.warn(
            "times-exchanged",
            format!(
                "the two times of the synchronising event are exchanged in the signal file: sample {} is stamped {:.3} s; this was corrected",
                sample_of(counted),
                signals.virtual_time_s
            ),
        );
    } else if stated > 5.0 * period {
        report.warn(
            "times-apart",
            format!(
                "the stamp of sample {} should be {:.3} s by the signal file but is {:.3} s off; the sample count was used",
                sample_of(counted),
                signals.stamp_time_s,
                stated
            ),
        );
    }
    let sample = sample_of(counted);
    let synch_time_s = base.times_s.get(sample).copied().unwrap_or(counted);
    if sample >= base.times_s.len() {
        report.warn(
            "synch-outside",
            format!("the synchronising event at sample {sample} is after the recording's end"),
        );
    }
    // Each is known to one frame and one sample, uniformly.
    let sigma_s = libm::hypot(1.0 / signals.frame_rate_hz, period) / 12f64.sqrt();
    let clock = VideoClock {
        frame_rate_hz: signals.frame_rate_hz,
        synch_frame: signals.synch_frame as f64,
        synch_time_s,
        sigma_s,
    };
    report.measured("time of video frame 0", "s", clock.time_s(0.0), sigma_s);
    report.number("synchronising sample", "", sample as f64);
    report.number("valid start", "s", clock.time_s(signals.valid_start_frame as f64));
    let before =
        signals.runs().iter().flat_map(|(run, _)| run.clone()).filter(|(f, _)| clock.time_s(*f as f64) < 0.0).count();
    if before > 0 {
        report.note("signals-before", format!("{before} signals are before the first sample and were not used"));
    }
    (clock, report)
}
