//! Poses that a tracker sends while it does not see the body: the last pose again and again, or zeros.
//!
//! A measured pose has noise: of a body that moves, it never repeats to the last bit. With `J_i` the step from sample
//! `i-1` to `i` (displacement plus [`LEVER`] times rotation) and `r` the smallest step that is not zero,
//!
//! ```text
//! (1)  frozen:  at least LEAST equal poses in a row, with  J on entering at least a tenth of the median step of moving
//!               samples, and  J on leaving > 3 J on entering  (the body went on)  or both > 10 r
//! (2)  zero:    position 0 0 0 and the identity, farther than ten median steps and 1 mm from the known neighbours
//! ```
//!
//! A body that comes to rest slows down before it stops and is not (1). The first of the equal poses was measured; the
//! others become missing. What stays in doubt, equal poses up to the end of the recording, is reported and kept.

use super::pairing::Interval;
use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::{half_angle, minus, norm};

/// Equal poses in a row that may be chance in a table of few digits.
pub const LEAST: usize = 5;

/// Displacement that counts like a radian [m].
const LEVER: f64 = 0.1;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frozen {
    /// Samples that repeat the pose before them.
    pub frozen: Vec<Interval>,
    /// Samples of zeros.
    pub zeros: Vec<Interval>,
    /// Equal poses up to the end, kept.
    pub at_end: Option<Interval>,
}

/// Finds (1) and (2) and makes those samples missing.
pub fn drop_frozen(samples: &mut [Sample]) -> Frozen {
    let mut out = Frozen::default();
    drop_zeros(samples, &mut out);
    let known: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].is_known()).collect();
    let steps: Vec<f64> = known.windows(2).map(|p| step(&samples[p[0]], &samples[p[1]])).collect();
    let (Some(least), Some(typical)) = (least(&steps), median_moving(&steps)) else { return out };
    let mut at = 0;
    while at < steps.len() {
        if steps[at] != 0.0 {
            at += 1;
            continue;
        }
        let first = at;
        while at < steps.len() && steps[at] == 0.0 {
            at += 1;
        }
        // Steps first … at-1 are zero: samples known[first + 1] … known[at] repeat known[first].
        if at - first + 1 < LEAST || first == 0 || steps[first - 1] < 0.1 * typical {
            continue;
        }
        let entering = steps[first - 1];
        let went_on = |leaving: f64| leaving > 3.0 * entering || leaving.min(entering) > 10.0 * least;
        let interval = Interval { first: known[first + 1], end: known[at] + 1 };
        match steps.get(at) {
            None if entering > 10.0 * least => out.at_end = Some(interval),
            None => {}
            Some(leaving) if went_on(*leaving) => {
                for k in &known[first + 1..=at] {
                    samples[*k] = Sample::missing(samples[*k].stamp_ns);
                }
                out.frozen.push(interval);
            }
            Some(_) => {}
        }
    }
    out
}

fn is_zero(sample: &Sample) -> bool {
    let [w, x, y, z] = sample.orientation;
    sample.position == [0.0; 3] && w.abs() == 1.0 && [x, y, z] == [0.0; 3]
}

fn drop_zeros(samples: &mut [Sample], out: &mut Frozen) {
    if !samples.iter().any(is_zero) {
        return;
    }
    let others: Vec<usize> =
        (0..samples.len()).filter(|i| samples[*i].is_known() && !is_zero(&samples[*i])).collect();
    let steps: Vec<f64> = others.windows(2).map(|p| step(&samples[p[0]], &samples[p[1]])).collect();
    let far = 10.0 * median_moving(&steps).unwrap_or(0.0);
    let mut i = 0;
    while i < samples.len() {
        if !is_zero(&samples[i]) {
            i += 1;
            continue;
        }
        let first = i;
        while i < samples.len() && (is_zero(&samples[i]) || !samples[i].is_known()) {
            i += 1;
        }
        let before = samples[..first].iter().rev().find(|s| s.is_known());
        let after = samples[i..].iter().find(|s| s.is_known());
        let gaps: Vec<f64> = [before, after].into_iter().flatten().map(|s| step(s, &samples[first])).collect();
        if !gaps.is_empty() && gaps.iter().all(|gap| *gap > far.max(1e-3)) {
            samples[first..i].iter_mut().for_each(|s| *s = Sample::missing(s.stamp_ns));
            out.zeros.push(Interval { first, end: i });
        }
    }
}

fn step(a: &Sample, b: &Sample) -> f64 {
    if a.position == b.position && a.orientation == b.orientation {
        return 0.0;
    }
    norm(&minus(&b.position, &a.position)) + LEVER * 2.0 * half_angle(&a.orientation, &b.orientation)
}

fn least(steps: &[f64]) -> Option<f64> {
    steps.iter().copied().filter(|s| *s > 0.0).min_by(f64::total_cmp)
}

fn median_moving(steps: &[f64]) -> Option<f64> {
    let mut moving: Vec<f64> = steps.iter().copied().filter(|s| *s > 0.0).collect();
    moving.sort_by(f64::total_cmp);
    moving.get(moving.len() / 2).copied()
}

impl Frozen {
    /// Summary; `None` if nothing was found.
    pub fn report(&self) -> Option<StepReport> {
        if *self == Self::default() {
            return None;
        }
        let mut report = StepReport::new("poses of a lost tracker");
        let count = |list: &[Interval]| list.iter().map(Interval::len).sum::<usize>() as f64;
        report.number("samples frozen", "", count(&self.frozen));
        report.number("samples of zeros", "", count(&self.zeros));
        for Interval { first, end } in &self.frozen {
            report.warn(
                "frozen",
                format!(
                    "samples {first} to {} repeat the pose before them while the body moves; they are missing",
                    end - 1
                ),
            );
        }
        for Interval { first, end } in &self.zeros {
            report.warn(
                "zero-pose",
                format!("samples {first} to {} are zeros far from their neighbours; they are missing", end - 1),
            );
        }
        if let Some(Interval { first, end }) = self.at_end {
            report.warn(
                "frozen-end",
                format!(
                    "samples {first} to {} repeat one pose up to the end: the body stopped, or it was lost; they were kept",
                    end - 1
                ),
            );
        }
        Some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::exp;

    fn moving(n: usize) -> Vec<Sample> {
        let one = |i: usize| {
            let t = 0.01 * i as f64;
            Sample {
                stamp_ns: i as i64 * 10_000_000,
                position: [1.0 + 0.5 * t, 0.2 * libm::sin(3.0 * t), 0.1],
                orientation: exp(&[0.0, 0.0, 0.4 * t]),
            }
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn frozen_and_zero_poses_become_missing() {
        let mut samples = moving(200);
        for i in 61..80 {
            (samples[i].position, samples[i].orientation) = (samples[60].position, samples[60].orientation);
        }
        for s in &mut samples[120..130] {
            (s.position, s.orientation) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        }
        let found = drop_frozen(&mut samples);
        assert_eq!(found.frozen, [Interval { first: 61, end: 80 }]);
        assert_eq!(found.zeros, [Interval { first: 120, end: 130 }]);
        assert_eq!(samples.iter().filter(|s| !s.is_known()).count(), 29);
        assert!(samples[60].is_known() && samples[80].is_known());
    }

    #[test]
    fn a_body_at_rest_is_kept() {
        // It slows down, rests with the same digits, and starts again slowly.
        let mut samples = moving(300);
        for (i, s) in samples.iter_mut().enumerate() {
            let t = (0.01 * i as f64 - 1.0).clamp(-1.0, 0.0) + (0.01 * i as f64 - 2.0).max(0.0);
            s.position = [1.0 + t * t * t, 0.0, 0.0];
            s.orientation = [1.0, 0.0, 0.0, 0.0];
        }
        assert_eq!(drop_frozen(&mut samples), Frozen::default());
        // It starts at the origin and moves away.
        let mut start = moving(100);
        start.iter_mut().for_each(|s| s.position[0] -= 1.0);
        start.iter_mut().for_each(|s| s.position[2] = 0.0);
        assert_eq!(drop_frozen(&mut start), Frozen::default());
    }
}
