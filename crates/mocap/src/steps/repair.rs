//! Interpolation of wrong or missing samples between their good neighbours.
//!
//! With good samples `a-1` and `b` and wrong ones between,
//!
//! ```text
//! (1)  x_i = (1 - s) x_{a-1} + s x_b,   q_i = slerp(q_{a-1}, q_b, s),   s = (t_i - t_{a-1}) / (t_b - t_{a-1})
//! ```
//!
//! in time and not in samples: where samples were lost inside the interval, the ones that are left are not evenly spaced.

use super::pairing::Interval;
use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::slerp;

/// Result of a repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repair {
    /// Intervals that were filled.
    pub filled: Vec<Interval>,
    /// Intervals that could not be filled: no good sample on one side. Their samples are missing.
    pub open: Vec<Interval>,
}

impl Repair {
    /// Summary of the repair.
    pub fn report(&self, step: &'static str) -> StepReport {
        let mut report = StepReport::new(step);
        let count = |list: &[Interval]| list.iter().map(Interval::len).sum::<usize>() as f64;
        report.number("samples filled", "", count(&self.filled));
        report.number("samples left missing", "", count(&self.open));
        for Interval { first, end } in &self.filled {
            report.note(
                "filled",
                format!("samples {first} to {} were interpolated between {} and {end}", end - 1, first - 1),
            );
        }
        for Interval { first, end } in &self.open {
            report.warn(
                "left-missing",
                format!("samples {first} to {} have no good neighbour to be filled from", end - 1),
            );
        }
        report
    }
}

/// Fills the intervals by (1); `times_s` are the samples' times. An interval whose neighbours are missing or wrong stays open.
pub fn repair(samples: &mut [Sample], times_s: &[f64], intervals: &[Interval]) -> Repair {
    let mut out = Repair::default();
    for &interval in intervals {
        let Interval { first, end } = interval;
        let fillable = first > 0 && end < samples.len() && samples[first - 1].is_known() && samples[end].is_known();
        if !fillable {
            let end = end.min(samples.len());
            samples[first..end].iter_mut().for_each(|s| *s = Sample::missing(s.stamp_ns));
            out.open.push(Interval { first, end });
            continue;
        }
        let (before, after) = (samples[first - 1], samples[end]);
        let span = times_s[end] - times_s[first - 1];
        for i in first..end {
            let s = (times_s[i] - times_s[first - 1]) / span;
            let sample = &mut samples[i];
            for k in 0..3 {
                sample.position[k] = (1.0 - s) * before.position[k] + s * after.position[k];
            }
            sample.orientation = slerp(&before.orientation, &after.orientation, s);
        }
        out.filled.push(interval);
    }
    out
}

/// Stretches of missing samples.
pub fn missing(samples: &[Sample]) -> Vec<Interval> {
    let mut out: Vec<Interval> = Vec::new();
    for (i, _) in samples.iter().enumerate().filter(|(_, s)| !s.is_known()) {
        match out.last_mut() {
            Some(last) if last.end == i => last.end = i + 1,
            _ => out.push(Interval { first: i, end: i + 1 }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{exp, half_angle};

    #[test]
    fn uniform_motion_is_restored_and_open_intervals_stay_missing() {
        let sample = |i: usize| Sample {
            stamp_ns: i as i64,
            position: [i as f64, 0.0, -2.0 * i as f64],
            orientation: exp(&[0.1 * i as f64, 0.0, 0.0]),
        };
        let truth: Vec<Sample> = (0..10).map(sample).collect();
        let mut broken = truth.clone();
        for i in [0, 4, 5, 6, 9] {
            broken[i] = Sample::missing(i as i64);
        }
        let gaps = missing(&broken);
        let times: Vec<f64> = (0..10).map(f64::from).collect();
        let done = repair(&mut broken, &times, &gaps);
        assert_eq!((done.filled.len(), done.open.len()), (1, 2));
        for i in 1..9 {
            // Uniform motion is its own interpolation, to rounding.
            assert!((broken[i].position[2] - truth[i].position[2]).abs() < 1e-12);
            assert!(half_angle(&broken[i].orientation, &truth[i].orientation) < 1e-7);
        }
        assert!(!broken[0].is_known() && !broken[9].is_known());
    }

    #[test]
    fn lost_samples_inside_a_gap_do_not_bend_the_motion() {
        // Uniform motion; samples at 4 and 5 were lost, 3 and 6 are wrong.
        let times = [0.0, 1.0, 2.0, 3.0, 6.0, 7.0, 8.0];
        let sample = |t: f64| Sample {
            stamp_ns: t as i64,
            position: [3.0 * t, 0.0, 0.0],
            orientation: exp(&[0.0, 0.1 * t, 0.0]),
        };
        let truth: Vec<Sample> = times.iter().map(|t| sample(*t)).collect();
        let mut broken = truth.clone();
        broken[3].position = [9.0, 9.0, 9.0];
        broken[4].orientation = [1.0, 0.0, 0.0, 0.0];
        repair(&mut broken, &times, &[Interval { first: 3, end: 5 }]);
        for (found, truth) in broken.iter().zip(&truth) {
            // By index the first would be a third of the way, at 11/3 instead of 3: 2 m off.
            assert!((found.position[0] - truth.position[0]).abs() < 1e-12, "{found:?}");
            // The arc cosine near one is accurate to some 1e-8.
            assert!(half_angle(&found.orientation, &truth.orientation) < 1e-7);
        }
    }
}
