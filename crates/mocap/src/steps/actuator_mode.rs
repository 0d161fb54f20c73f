//! Actuator angle and rate by the published rule: the most frequent interval is assumed to be the true one.
//!
//! A lamp that turns with the actuator is seen once per turn, in video frames. Between two signals of a run at samples
//! `s0 < s1`,
//!
//! ```text
//! (1)  sample = round(rate (frame / fps - t0)),   t0 = synch frame / fps - synch time        half away from zero
//! (2)  omega = 2 pi rate / (s1 - s0),   theta = omega j / rate   on samples s0 + j, j = 0 … s1 - s0 - 1
//! (3)  "the" frequency is the value of omega that most samples have, those of 5 Hz and more left out
//! ```
//!
//! The rule is biased: 12 frames are always 40 samples, 13 frames are 43 or 44, so the more frequent interval is split
//! over two values and loses. Use the estimator in [`super::actuator`].

use crate::readers::signals::SignalFile;
use crate::report::{Mark, Plot, StepReport};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Intervals of this rate and above are rejected [Hz].
pub const FASTEST_HZ: f64 = 5.0;

/// Angle and rate of every sample.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeRule {
    /// [rad], 0 to 2 pi; zero where nothing is known.
    pub theta: Vec<f64>,
    /// [rad/s]; zero where nothing is known.
    pub omega: Vec<f64>,
    /// Distinct rates below [`FASTEST_HZ`] with how many samples have them, most first: [Hz], count.
    pub rates: Vec<(f64, usize)>,
    /// (3) [rad/s]; zero if there is none.
    pub mode: f64,
}

/// Intervals between neighbouring signals of a run, in frames.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameIntervals {
    /// How often each length occurs.
    pub counts: BTreeMap<i64, usize>,
    /// Total number of intervals.
    pub total: usize,
    /// fps / mean interval [Hz], without intervals of [`FASTEST_HZ`] and more.
    pub mean_hz: f64,
    /// The most frequent length.
    pub mode: i64,
}

/// Sample index of a video frame, (1).
pub fn sample_of(signals: &SignalFile, frame: i64) -> i64 {
    let t0 = signals.synch_frame as f64 / signals.frame_rate_hz - signals.stamp_time_s;
    libm::round(signals.sample_rate_hz * (frame as f64 / signals.frame_rate_hz - t0)) as i64
}

/// Lengths of intervals, in frames.
pub fn frame_intervals(signals: &SignalFile) -> FrameIntervals {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for (run, _) in signals.runs() {
        for pair in run.windows(2) {
            *counts.entry(pair[1].0 - pair[0].0).or_default() += 1;
        }
    }
    let total = counts.values().sum();
    let (frames, number) =
        counts.iter().fold((0i64, 0usize), |(f, n), (frames, count)| (f + frames * *count as i64, n + count));
    let mean_hz = signals.frame_rate_hz * number as f64 / frames as f64;
    let mode = counts.iter().max_by_key(|(frames, count)| (**count, -**frames)).map_or(0, |(frames, _)| *frames);
    FrameIntervals { counts, total, mean_hz, mode }
}

/// Whether the mistakes of the published script are reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// A last run without a closing gap is left out, and samples before the first are indexed from the end.
    AsPublished,
    /// Every run is used, and signals before the first sample are left out.
    Corrected,
}

/// Applies the rule to a recording of `samples` samples.
pub fn mode_rule(signals: &SignalFile, samples: usize, script: Script) -> ModeRule {
    let (mut theta, mut omega) = (vec![0.0; samples], vec![0.0; samples]);
    let step = 1.0 / signals.sample_rate_hz;
    for (run, closed) in signals.runs() {
        if script == Script::AsPublished && !closed {
            continue;
        }
        for pair in run.windows(2) {
            let (s0, s1) = (sample_of(signals, pair[0].0), sample_of(signals, pair[1].0));
            if s1 <= s0 {
                continue;
            }
            let rate = TAU / ((s1 - s0) as f64 * step);
            for j in 0..s1 - s0 {
                let at = match s0 + j {
                    before if before < 0 && script == Script::AsPublished => before + samples as i64,
                    at => at,
                };
                if let Some(at) = usize::try_from(at).ok().filter(|at| *at < samples) {
                    (theta[at], omega[at]) = (rate * step * j as f64, rate);
                }
            }
        }
    }
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for rate in omega.iter().filter(|w| **w > 0.0 && **w < TAU * FASTEST_HZ) {
        *counts.entry(rate.to_bits()).or_default() += 1;
    }
    let mut rates: Vec<(f64, usize)> = counts.into_iter().map(|(bits, n)| (f64::from_bits(bits), n)).collect();
    rates.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    let mode = rates.first().map_or(0.0, |r| r.0);
    let rates = rates.into_iter().map(|(rate, n)| (rate / TAU, n)).collect();
    ModeRule { theta, omega, rates, mode }
}

impl ModeRule {
    /// Summary of the rule's result.
    pub fn report(&self, intervals: &FrameIntervals) -> StepReport {
        let mut report = StepReport::new("actuator, published mode rule");
        report.number("most frequent rate", "Hz", self.mode / TAU);
        report.number("mean rate", "Hz", intervals.mean_hz);
        report.number("most frequent interval", "frames", intervals.mode as f64);
        report.number("intervals", "", intervals.total as f64);
        let known = self.omega.iter().filter(|w| **w > 0.0).count();
        report.number("samples with an angle", "", known as f64);
        for (rate, n) in self.rates.iter().take(4) {
            report.note("rate", format!("{n} samples at {rate:.3} Hz"));
        }
        report
    }
}

/// Histogram of the intervals.
pub fn plot(intervals: &FrameIntervals) -> Plot {
    let bars = intervals.counts.iter().map(|(frames, count)| [*frames as f64, *count as f64]);
    Plot::new("Intervals between signals", "video frames", "count").with("intervals", Mark::Bars, bars)
}
