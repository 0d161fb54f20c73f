//! The clock of a video in the recording's time.
//!
//! One event seen in both ties the clocks together: at `synch frame` of the video and at a sample of the recording,
//!
//! ```text
//! (1)  t(frame) = t_synch + (frame - synch frame) / fps
//! ```
//!
//! The signal file has the event's sample twice, by stamp and by count; both are checked against the recording, because
//! people exchange them. Where no event was marked, two lists of events are matched,
//!
//! ```text
//! (2)  offset = the shift under which most events of one list have one of the other within the tolerance,
//!              then the mean over those; its standard deviation is theirs over the root of their number
//! ```

use super::time_base::TimeBase;
use crate::readers::signals::SignalFile;
use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::{minus, norm, times};

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

/// Offset between two lists of events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// To be added to times of the first list [s].
    pub offset_s: f64,
    /// One standard deviation [s]; NaN with fewer than three events.
    pub sigma_s: f64,
    /// Events that have a partner.
    pub matched: usize,
    /// The most events matched at another offset, further than two tolerances away.
    pub runner_up: usize,
}

impl Offset {
    /// Summary of the offset, with a warning when another offset is as good.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("synchronisation by events");
        report.measured("offset", "s", self.offset_s, self.sigma_s);
        report.number("events matched", "", self.matched as f64);
        if 2 * self.runner_up > self.matched {
            report.warn(
                "ambiguous",
                format!("another offset matches {} events: mark one event by hand", self.runner_up),
            );
        }
        report
    }
}

/// (2), with offsets up to `most_s` and partners within `tolerance_s`; `None` when no two events match.
pub fn match_events(first: &[f64], second: &[f64], most_s: f64, tolerance_s: f64) -> Option<Offset> {
    let mut shifts: Vec<f64> = Vec::new();
    for a in first {
        shifts.extend(second.iter().map(|b| b - a).filter(|d| d.abs() <= most_s));
    }
    let partner = |a: f64, shift: f64| {
        let at = second.partition_point(|b| *b < a + shift);
        let near = |i: usize| second.get(i).map(|b| b - a - shift);
        let after = near(at);
        let before = at.checked_sub(1).and_then(near);
        [before, after]
            .into_iter()
            .flatten()
            .min_by(|x, y| x.abs().total_cmp(&y.abs()))
            .filter(|d| d.abs() <= tolerance_s)
    };
    let count = |shift: f64| first.iter().filter(|a| partner(**a, shift).is_some()).count();
    let counts: Vec<(f64, usize)> = shifts.iter().map(|s| (*s, count(*s))).collect();
    let &(mut offset, _) = counts.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.abs().total_cmp(&a.0.abs())))?;
    // The mean over partners moves the offset, which may add a partner; a few iterations converge.
    let mut off: Vec<f64> = Vec::new();
    for _ in 0..5 {
        off = first.iter().filter_map(|a| partner(*a, offset)).collect();
        offset += off.iter().sum::<f64>() / off.len().max(1) as f64;
    }
    let n = off.len() as f64;
    let mean = off.iter().sum::<f64>() / n;
    let sigma_s = match off.len() {
        0..3 => f64::NAN,
        _ => (off.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0) / n).sqrt(),
    };
    let elsewhere = counts.iter().filter(|(s, _)| (s - offset).abs() > 2.0 * tolerance_s);
    let runner_up = elsewhere.map(|c| c.1).max().unwrap_or(0);
    Some(Offset { offset_s: offset, sigma_s, matched: off.len(), runner_up })
}

/// Times at which the velocity changes by `least` [m/s] or more within a step: impacts, as a video shows them. Of
/// several in a row only the strongest is returned.
pub fn impacts(samples: &[Sample], times_s: &[f64], least: f64) -> Vec<f64> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for i in 2..samples.len().saturating_sub(2) {
        let pace = |a: usize, b: usize| {
            times(&minus(&samples[b].position, &samples[a].position), 1.0 / (times_s[b] - times_s[a]))
        };
        let change = norm(&minus(&pace(i, i + 2), &pace(i - 2, i)));
        if change.is_nan() || change < least {
            continue;
        }
        match out.last_mut() {
            Some((time, strength)) if times_s[i] - *time < 0.05 => {
                if change > *strength {
                    (*time, *strength) = (times_s[i], change);
                }
            }
            _ => out.push((times_s[i], change)),
        }
    }
    out.into_iter().map(|(time, _)| time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    #[test]
    fn the_offset_of_two_lists_of_events_is_found() {
        let stream = Stream::new(3, 0, 0, Purpose::SensorNoise);
        let recorded: Vec<f64> = (0..30u64)
            .scan(0.0, |t, i| {
                *t += 0.5 + 3.0 * stream.uniform(i, 0);
                Some(*t)
            })
            .collect();
        // The video begins 2.345 s later, misses every fifth impact, has false impacts, and has frames of 1/30 s.
        let mut video: Vec<f64> = recorded
            .iter()
            .enumerate()
            .filter(|(i, _)| i % 5 != 0)
            .map(|(i, t)| t - 2.345 + (stream.uniform(i as u64, 1) - 0.5) / 30.0)
            .collect();
        video.extend((0..8u64).map(|i| 40.0 * stream.uniform(i, 2)));
        video.sort_by(f64::total_cmp);
        let offset = match_events(&video, &recorded, 10.0, 0.02).unwrap();
        assert!(offset.matched >= 24 && 2 * offset.runner_up <= offset.matched, "{offset:?}");
        // Half a dozen standard deviations of the mean of 24 uniform errors of a frame.
        assert!((offset.offset_s - 2.345).abs() < 6.0 / 30.0 / 12f64.sqrt() / 24f64.sqrt(), "{offset:?}");
        assert!(match_events(&[0.0], &[100.0], 10.0, 0.02).is_none());
    }
}
