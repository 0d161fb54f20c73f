//! From single jumps to intervals of wrong samples.
//!
//! A snap is a jump away and a jump back. Let jumps be at transitions `a -> a+1`; the first later jump at `b`, `b - a
//! <= 30`, closes the one at `a` when the pose after it fits the pose before the jump,
//!
//! ```text
//! (1)  half angle between q_a and q_{b+1}  <=  min((b + 1 - a) · level · dt, pi/4)
//! ```
//!
//! where `level` is the fastest plausible rotation rate. Samples `a+1 … b` are wrong. A jump without a partner is
//! reported.

use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::half_angle;
use serde::Serialize;

/// The longest snap that is accepted, in samples.
pub const LONGEST: usize = 30;

/// Samples `first .. end` are wrong; `first - 1` and `end` are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Interval {
    /// The first wrong sample.
    pub first: usize,
    /// The first good sample after.
    pub end: usize,
}

impl Interval {
    /// How many samples are wrong.
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// Never: an interval has at least one sample.
    pub fn is_empty(&self) -> bool {
        self.end <= self.first
    }
}

/// Intervals, and the jumps without a partner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paired {
    /// In order, not overlapping.
    pub intervals: Vec<Interval>,
    /// `i` of each jump from sample `i - 1` to `i` without a partner.
    pub unpaired: Vec<usize>,
}

impl Paired {
    /// How many samples are wrong.
    pub fn affected(&self) -> usize {
        self.intervals.iter().map(Interval::len).sum()
    }

    /// Summary of the pairing.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("pairing");
        report.number("snaps", "", self.intervals.len() as f64);
        report.number("samples affected", "", self.affected() as f64);
        for Interval { first, end } in &self.intervals {
            report.note("snap", format!("samples {first} to {} are wrong ({} of them)", end - 1, end - first));
        }
        for i in &self.unpaired {
            report.warn(
                "jump-unpaired",
                format!(
                    "the jump from sample {} to {i} has no jump back within {LONGEST} samples; it was left unchanged",
                    i - 1
                ),
            );
        }
        report
    }
}

/// Pairs the events of the published rule by (1). `level` is its mean + 3 sigma [rad/s].
pub fn pair(samples: &[Sample], events: &[usize], level: f64, step_s: f64) -> Paired {
    let fits = |a: usize, end: usize| {
        let bound = ((end - a) as f64 * level * step_s).min(std::f64::consts::FRAC_PI_4);
        half_angle(&samples[a].orientation, &samples[end].orientation) <= bound
    };
    pair_by(events, fits)
}

/// Pairs jumps: `fits(last good sample, first good sample after)` decides whether two jumps belong together.
pub fn pair_by(events: &[usize], fits: impl Fn(usize, usize) -> bool) -> Paired {
    let mut paired = Paired::default();
    let mut at = 0;
    while at < events.len() {
        let first = events[at];
        let near = events[at + 1..].iter().take_while(|end| **end - first <= LONGEST);
        match near.clone().position(|end| fits(first - 1, *end)) {
            Some(k) => {
                paired.intervals.push(Interval { first, end: events[at + 1 + k] });
                at += k + 2;
            }
            None => {
                paired.unpaired.push(first);
                at += 1;
            }
        }
    }
    paired
}
