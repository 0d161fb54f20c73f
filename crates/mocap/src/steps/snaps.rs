//! Snaps by the published rule (Taylor 2018, table 3).
//!
//! A tracker that confuses markers jumps to a wrong pose and back. The rule uses the rotation rate alone:
//!
//! ```text
//! (1)  d_i  = acos(min(1, |q_i · q_{i-1}|)) / dt        i = 1 … n-1     [rad/s of half the angle]
//! (2)  event at i when   d_i > mean(d) + 3 sigma(d)
//! ```
//!
//! With 12,000 samples the rule finds outliers even where there are none, and reports a hard impact as a snap; it is
//! kept because it was published. Use [`super::snaps_robust`].

use crate::report::{Mark, Plot, StepReport};
use crate::stream::Sample;
use crate::turns::half_angle;

/// Result of the published rule.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedSnaps {
    /// Number of samples.
    pub samples: usize,
    /// Of (1) [rad/s].
    pub mean: f64,
    /// Of (1), over all of them [rad/s].
    pub sigma: f64,
    /// `i` of each event: the jump is between samples `i - 1` and `i`.
    pub events: Vec<usize>,
    /// Mean of (1) over events [rad/s]; NaN without events.
    pub mean_of_events: f64,
}

impl PublishedSnaps {
    /// The level of (2) [rad/s].
    pub fn level(&self) -> f64 {
        self.mean + 3.0 * self.sigma
    }

    /// Summary of the rule's result.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("snaps, published rule");
        report.number("mean turning rate (half angle)", "rad/s", self.mean);
        report.number("3 sigma", "rad/s", 3.0 * self.sigma);
        report.number("events", "", self.events.len() as f64);
        report.number("mean of the events", "rad/s", self.mean_of_events);
        for i in &self.events {
            report.note(
                "snap-published",
                format!("between samples {} and {i} the rotation is faster than mean + 3 sigma", i - 1),
            );
        }
        report
    }
}

/// Rotation rates (1) [rad/s of half the angle]; the first is that from sample 0 to 1. NaN where a pose is missing.
pub fn turning_rates(samples: &[Sample], step_s: f64) -> Vec<f64> {
    samples.windows(2).map(|p| half_angle(&p[0].orientation, &p[1].orientation) / step_s).collect()
}

/// Applies the rule to samples `step_s` apart.
pub fn published(samples: &[Sample], step_s: f64) -> PublishedSnaps {
    let rates = turning_rates(samples, step_s);
    let known = || rates.iter().copied().filter(|d| !d.is_nan());
    let count = known().count() as f64;
    let mean = known().sum::<f64>() / count;
    let sigma = (known().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (count - 1.0)).sqrt();
    let level = mean + 3.0 * sigma;
    let events: Vec<usize> = (1..samples.len()).filter(|i| rates[i - 1] > level).collect();
    let mean_of_events = events.iter().map(|i| rates[i - 1]).sum::<f64>() / events.len() as f64;
    PublishedSnaps { samples: samples.len(), mean, sigma, events, mean_of_events }
}

/// The rotation rate over time with the threshold of the rule.
pub fn plot(samples: &[Sample], step_s: f64, found: &PublishedSnaps) -> Plot {
    let rates = turning_rates(samples, step_s);
    let at = |i: usize| [i as f64 * step_s, rates[i - 1]];
    Plot::new("Rotation rate and the published rule", "time [s]", "half-angle rate [rad/s]")
        .with("rotation rate", Mark::Line, (1..samples.len()).map(at))
        .with(
            "mean + 3 sigma",
            Mark::Line,
            [0, samples.len()].into_iter().map(|i| [i as f64 * step_s, found.level()]),
        )
        .with("events", Mark::Rings, found.events.iter().map(|i| at(*i)))
}
