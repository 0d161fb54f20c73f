//! Selection of the part of a recording that is the experiment.
//!
//! A sample is valid if it is inside the time range, has a pose, and lies in the height range (a ball in a hand is too
//! high). Stretches shorter than the minimum length are not used: a ball carried past the right height is not rolling.

use super::pairing::Interval;
use crate::report::{Mark, Plot, StepReport};
use crate::stream::Sample;

/// Conditions for a valid sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// From this time on [s].
    pub from_s: f64,
    /// Before this time [s].
    pub to_s: f64,
    /// Lowest and highest place of the centre [m].
    pub height: (f64, f64),
    /// Shortest stretch that is used [s].
    pub least_s: f64,
}

impl Default for Rules {
    fn default() -> Self {
        let height = (f64::NEG_INFINITY, f64::INFINITY);
        Self { from_s: f64::NEG_INFINITY, to_s: f64::INFINITY, height, least_s: 0.0 }
    }
}

/// The valid stretches, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Valid {
    /// Samples `first .. end` are valid.
    pub stretches: Vec<Interval>,
    /// Samples of the recording.
    pub samples: usize,
    left_out: Vec<(Interval, String)>,
}

/// Applies the rules.
pub fn select(samples: &[Sample], times_s: &[f64], rules: &Rules) -> Valid {
    let why = |i: usize| {
        let (time, z) = (times_s[i], samples[i].position[2]);
        if time < rules.from_s {
            Some("before the start")
        } else if time >= rules.to_s {
            Some("after the end")
        } else if !samples[i].is_known() {
            Some("without a pose")
        } else if z < rules.height.0 {
            Some("too low")
        } else if z > rules.height.1 {
            Some("too high")
        } else {
            None
        }
    };
    let mut out = Valid { samples: samples.len(), ..Valid::default() };
    let mut i = 0;
    while i < samples.len() {
        let reason = why(i);
        let first = i;
        while i < samples.len() && why(i) == reason {
            i += 1;
        }
        let interval = Interval { first, end: i };
        match reason {
            None if times_s[i - 1] - times_s[first] < rules.least_s => {
                let reason = format!("valid for less than {} s only", rules.least_s);
                out.left_out.push((interval, reason));
            }
            None => out.stretches.push(interval),
            Some(reason) => out.left_out.push((interval, reason.to_string())),
        }
    }
    out
}

impl Valid {
    /// Number of valid samples.
    pub fn count(&self) -> usize {
        self.stretches.iter().map(Interval::len).sum()
    }

    /// From the first valid sample to the one after the last; `None` if there is none.
    pub fn range(&self) -> Option<Interval> {
        Some(Interval { first: self.stretches.first()?.first, end: self.stretches.last()?.end })
    }

    /// Summary of the selection.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("valid samples");
        report.number("valid", "", self.count() as f64);
        report.number("left out", "", (self.samples - self.count()) as f64);
        for (Interval { first, end }, why) in self.left_out.iter().take(40) {
            report.note("left-out", format!("samples {first} to {} are {why}", end - 1));
        }
        if self.left_out.len() > 40 {
            let rest = &self.left_out[40..];
            let samples: usize = rest.iter().map(|(interval, _)| interval.len()).sum();
            report.note("left-out", format!("and {} more stretches of {samples} samples", rest.len()));
        }
        if self.count() == 0 {
            report.warn("nothing-valid", "no sample is valid; check that heights are in metres and times in seconds");
        }
        report
    }
}

/// Height over time, with the valid samples.
pub fn plot(samples: &[Sample], times_s: &[f64], valid: &Valid) -> Plot {
    let at = |i: usize| [times_s[i], 1e3 * samples[i].position[2]];
    Plot::new("Height and valid samples", "time [s]", "height [mm]")
        .with("all", Mark::Line, (0..samples.len()).map(at))
        .with("valid", Mark::Line, valid.stretches.iter().flat_map(|s| s.first..s.end).map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_left_out_are_reported_with_their_reason() {
        let heights = [0.2, 0.2, 0.04, 0.2, 0.04, 0.04, 0.04, f64::NAN, 0.04, 0.04, 0.04];
        let sample = |z: f64| Sample { stamp_ns: 0, position: [z, z, z], orientation: [1.0, 0.0, 0.0, 0.0] };
        let samples = heights.map(sample);
        let times: Vec<f64> = (0..11).map(|i| 0.1 * f64::from(i)).collect();
        let rules = Rules { to_s: 0.95, height: (0.03, 0.05), least_s: 0.05, ..Rules::default() };
        let valid = select(&samples, &times, &rules);
        assert_eq!(valid.stretches, [Interval { first: 4, end: 7 }, Interval { first: 8, end: 10 }]);
        assert_eq!((valid.count(), valid.range()), (5, Some(Interval { first: 4, end: 10 })));
        let said: Vec<String> = valid.report().lines.iter().map(|l| l.text.clone()).collect();
        assert_eq!(said[1], "samples 2 to 2 are valid for less than 0.05 s only");
        assert_eq!(said.len(), 5, "{said:?}");
    }
}
