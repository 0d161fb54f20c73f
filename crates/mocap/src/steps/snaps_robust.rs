//! Robust detection of snaps in position and rotation, which does not report impacts.
//!
//! Let `J_i` be the step from sample `i-1` to `i`: its rotation vector in world axes and its displacement. A snap
//! changes a single step; an impact changes the velocity from one step on. So a step is compared with both sides,
//!
//! ```text
//! (1)  before_i = middle of J_{i-3 … i-1},   after_i = middle of J_{i+1 … i+3}        component by component
//! (2)  r_i = min(|J_i - before_i|, |J_i - after_i|)
//! (3)  snap when r_i > T in rotation or position,   T = max(0.6 least snap, median r + 12 · 1.4826 median |r - median r|)
//! ```
//!
//! At an impact that changes the step by `D`, anywhere inside step `i`, (2) is at most `D/2` plus noise; at a snap of
//! size `S` it is `S` less noise. The threshold depends on the smallest snap that must be found and on the recording's
//! own noise, not on the mean and deviation of a motion that is far from Gaussian. Where noise raises (3) above the
//! snaps requested, the report states which are certain to be found. Jumps are then paired: the pose after the jump
//! back must be where the motion before and after leads, or the jump back as long as the jump away.

use super::pairing::{LONGEST, Paired, pair_by};
use crate::report::{Mark, Plot, StepReport};
use crate::stream::Sample;
use crate::turns::{between, exp, minus, norm, plus, product, times};

/// The smallest snap that must be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastSnap {
    /// [rad]
    pub turn: f64,
    /// [m]
    pub place: f64,
}

impl Default for LeastSnap {
    /// 15 degrees or 20 mm.
    fn default() -> Self {
        Self { turn: 15f64.to_radians(), place: 0.020 }
    }
}

/// Snaps found.
#[derive(Clone, Debug, PartialEq)]
pub struct RobustSnaps {
    /// (3) for turning [rad].
    pub turn_threshold: f64,
    /// (3) for place [m].
    pub place_threshold: f64,
    /// Median of (2): the recording's own noise [rad], [m].
    pub typical: (f64, f64),
    /// `i` of each jump between sample `i - 1` (or the last known before) and `i`.
    pub jumps: Vec<usize>,
    /// Intervals of wrong samples.
    pub paired: Paired,
}

/// A step: rotation [rad] and displacement [m], each scaled to one nominal step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Step {
    turn: [f64; 3],
    place: [f64; 3],
    /// Its time over the nominal step: more than one where samples between are missing.
    length: f64,
}

const NEIGHBOURS: usize = 3;
/// Threshold as a share of the smallest snap.
const SHARE: f64 = 0.6;
/// Allowance for noise, in median absolute deviations scaled to standard deviations.
const NOISE: f64 = 12.0 * 1.4826;

/// Finds snaps. `times_s` are the samples' times, `step_s` the nominal time between two.
pub fn find(samples: &[Sample], times_s: &[f64], step_s: f64, least: LeastSnap) -> RobustSnaps {
    let known: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].is_known()).collect();
    let steps: Vec<Step> = known.windows(2).map(|p| step(samples, times_s, step_s, p[0], p[1])).collect();
    let residuals: Vec<(f64, f64)> = (0..steps.len()).map(|i| residual(&steps, i)).collect();
    let (turn_median, turn_noise) = spread(residuals.iter().map(|r| r.0));
    let (place_median, place_noise) = spread(residuals.iter().map(|r| r.1));
    let turn_threshold = (SHARE * least.turn).max(turn_median + NOISE * turn_noise);
    let place_threshold = (SHARE * least.place).max(place_median + NOISE * place_noise);
    // Over several missing samples the velocity is known less well.
    let slack = |step: &Step| (0.5 * step.length).max(1.0);
    let is_jump = |i: &usize| {
        let (turn, place) = residuals[*i];
        let slack = slack(&steps[*i]);
        turn > slack * turn_threshold || place > slack * place_threshold
    };
    // Step i of the list ends at known[i + 1].
    let jumps: Vec<usize> = (0..steps.len()).filter(is_jump).map(|i| i + 1).collect();
    let fits = |last_good: usize, first_good: usize| {
        let pace = |at: Option<Step>| at.unwrap_or_default();
        let before = pace(middle_before(&steps, last_good));
        let after = pace(middle_after(&steps, first_good));
        let (a, b) = (&samples[known[last_good]], &samples[known[first_good]]);
        let length = (times_s[known[first_good]] - times_s[known[last_good]]) / step_s;
        let turn = exp(&times(&plus(&before.turn, &after.turn), 0.5 * length));
        let place = times(&plus(&before.place, &after.place), 0.5 * length);
        let off_turn = norm(&between(&product(&turn, &a.orientation), &b.orientation));
        let off_place = norm(&minus(&minus(&b.position, &a.position), &place));
        let slack = 1.0 + 0.25 * length;
        let leads_there = off_turn <= (slack * turn_threshold).min(std::f64::consts::FRAC_PI_2)
            && off_place <= slack * place_threshold;
        // An impact inside the snap leads elsewhere; then the jump back is as long as the jump away.
        let (there, back) = (residuals[last_good], residuals[first_good - 1]);
        let alike = (there.0 - back.0).abs() <= turn_threshold && (there.1 - back.1).abs() <= place_threshold;
        leads_there || alike
    };
    let mut paired = pair_by(&jumps, fits);
    // From indices into the known samples to indices into all samples.
    for interval in &mut paired.intervals {
        (interval.first, interval.end) = (known[interval.first], known[interval.end]);
    }
    paired.unpaired.iter_mut().for_each(|i| *i = known[*i]);
    let jumps = jumps.into_iter().map(|i| known[i]).collect();
    RobustSnaps { turn_threshold, place_threshold, typical: (turn_median, place_median), jumps, paired }
}

fn step(samples: &[Sample], times_s: &[f64], step_s: f64, from: usize, to: usize) -> Step {
    let (a, b) = (&samples[from], &samples[to]);
    let length = (times_s[to] - times_s[from]) / step_s;
    let pace = 1.0 / length;
    let turn = times(&between(&a.orientation, &b.orientation), pace);
    Step { turn, place: times(&minus(&b.position, &a.position), pace), length }
}

/// Median of up to three steps before index `i`.
fn middle_before(steps: &[Step], i: usize) -> Option<Step> {
    middle(&steps[i.saturating_sub(NEIGHBOURS)..i])
}

/// Median of up to three steps from index `i` on.
fn middle_after(steps: &[Step], i: usize) -> Option<Step> {
    middle(&steps[i.min(steps.len())..(i + NEIGHBOURS).min(steps.len())])
}

fn middle(steps: &[Step]) -> Option<Step> {
    let pace = |s: &Step, k: usize| if k < 3 { s.turn[k] } else { s.place[k - 3] };
    let value = |k: usize| match steps {
        [] => f64::NAN,
        [a] => pace(a, k),
        [a, b] => 0.5 * (pace(a, k) + pace(b, k)),
        [a, b, c, ..] => {
            let (a, b, c) = (pace(a, k), pace(b, k), pace(c, k));
            a.max(b).min(c).max(a.min(b))
        }
    };
    if steps.is_empty() {
        return None;
    }
    Some(Step { turn: [value(0), value(1), value(2)], place: [value(3), value(4), value(5)], length: 1.0 })
}

/// (2).
fn residual(steps: &[Step], i: usize) -> (f64, f64) {
    let own = &steps[i];
    let against = |reference: Option<Step>| {
        let Some(reference) = reference else { return (f64::INFINITY, f64::INFINITY) };
        let (turn, place) = (minus(&own.turn, &reference.turn), minus(&own.place, &reference.place));
        (own.length * norm(&turn), own.length * norm(&place))
    };
    let (before, after) = (against(middle_before(steps, i)), against(middle_after(steps, i + 1)));
    (before.0.min(after.0), before.1.min(after.1))
}

/// This many values give a median to one part in a thousand; of more, every k-th is used.
const LOOK: usize = 200_000;

/// Median, and median absolute deviation from it.
fn spread(values: impl ExactSizeIterator<Item = f64>) -> (f64, f64) {
    let stride = values.len().div_ceil(LOOK).max(1);
    let mut values: Vec<f64> = values.step_by(stride).filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let at = values.len() / 2;
    let median = *values.select_nth_unstable_by(at, f64::total_cmp).1;
    values.iter_mut().for_each(|v| *v = (*v - median).abs());
    (median, *values.select_nth_unstable_by(at, f64::total_cmp).1)
}

impl RobustSnaps {
    /// Summary of the detection.
    pub fn report(&self, least: LeastSnap) -> StepReport {
        let mut report = StepReport::new("snaps, robust");
        report.number("threshold in turning", "deg", self.turn_threshold.to_degrees());
        report.number("threshold in place", "mm", 1e3 * self.place_threshold);
        report.number("typical unsteadiness in turning", "deg", self.typical.0.to_degrees());
        report.number("typical unsteadiness in place", "mm", 1e3 * self.typical.1);
        report.number("jumps", "", self.jumps.len() as f64);
        let sure = (self.turn_threshold / SHARE, self.place_threshold / SHARE);
        if sure.0 > 1.01 * least.turn || sure.1 > 1.01 * least.place {
            report.warn(
                "noisy",
                format!(
                    "the recording is so noisy that only snaps of {:.1} degrees or {:.1} mm are certain to be found",
                    sure.0.to_degrees(),
                    1e3 * sure.1
                ),
            );
        }
        let paired = self.paired.report();
        report.numbers.extend(paired.numbers);
        report.lines.extend(paired.lines);
        if self.jumps.len() > 2 * LONGEST && self.paired.unpaired.len() > self.jumps.len() / 2 {
            report.warn(
                "mostly-unpaired",
                "most jumps have no jump back; check the sample rate, and that this is a single body",
            );
        }
        report
    }
}

/// Distance of each step from its neighbours, with the thresholds.
pub fn plots(samples: &[Sample], times_s: &[f64], step_s: f64, found: &RobustSnaps) -> Vec<Plot> {
    let known: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].is_known()).collect();
    let steps: Vec<Step> = known.windows(2).map(|p| step(samples, times_s, step_s, p[0], p[1])).collect();
    let residuals: Vec<(f64, f64)> = (0..steps.len()).map(|i| residual(&steps, i)).collect();
    let end = times_s.last().copied().unwrap_or(0.0);
    let at = |i: usize, turning: bool| {
        let value = if turning { residuals[i].0.to_degrees() } else { 1e3 * residuals[i].1 };
        [times_s[known[i + 1]], value]
    };
    let draw = |title: &str, unit: &str, level: f64, turning: bool| {
        let hits = (0..steps.len()).filter(|i| found.jumps.binary_search(&known[i + 1]).is_ok());
        Plot::new(title, "time [s]", unit)
            .with("against both neighbours", Mark::Line, (0..steps.len()).map(|i| at(i, turning)))
            .with("threshold", Mark::Line, [[0.0, level], [end, level]].into_iter())
            .with("jumps", Mark::Rings, hits.map(|i| at(i, turning)))
    };
    vec![
        draw("Robust detector, rotation", "residual [deg]", found.turn_threshold.to_degrees(), true),
        draw("Robust detector, position", "residual [mm]", 1e3 * found.place_threshold, false),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball that rolls at 0.5 m/s and is thrown back by a wall in the middle.
    fn rolling(n: usize) -> Vec<Sample> {
        let mut out = Vec::new();
        let (mut x, mut q) = (0.0, [1.0, 0.0, 0.0, 0.0]);
        for i in 0..n {
            out.push(Sample { stamp_ns: 0, position: [x, 0.0, 0.041], orientation: q });
            let sign = if i < n / 2 { 1.0 } else { -0.6 };
            x += sign * 0.005;
            q = product(&exp(&[0.0, sign * 0.122, 0.0]), &q);
        }
        out
    }

    fn times_of(n: usize) -> Vec<f64> {
        (0..n).map(|i| 0.01 * i as f64).collect()
    }

    #[test]
    fn impacts_are_not_snaps_and_snaps_in_position_or_rotation_are_found() {
        let clean = rolling(400);
        let times = times_of(400);
        let found = find(&clean, &times, 0.01, LeastSnap::default());
        assert!(found.jumps.is_empty(), "{found:?}");

        let mut broken = clean.clone();
        broken[50].position[1] += 0.021;
        for i in 120..125 {
            broken[i].orientation = product(&exp(&[0.0, 0.0, 0.28]), &broken[i].orientation);
        }
        let found = find(&broken, &times, 0.01, LeastSnap::default());
        let intervals: Vec<(usize, usize)> = found.paired.intervals.iter().map(|i| (i.first, i.end)).collect();
        assert_eq!(intervals, [(50, 51), (120, 125)]);
        assert!(found.paired.unpaired.is_empty());
    }

    #[test]
    fn missing_samples_next_to_a_snap_do_not_hide_it() {
        let mut broken = rolling(400);
        broken[60] = Sample::missing(0);
        broken[61].position[1] += 0.03;
        broken[62].position[1] += 0.03;
        let found = find(&broken, &times_of(400), 0.01, LeastSnap::default());
        let intervals: Vec<(usize, usize)> = found.paired.intervals.iter().map(|i| (i.first, i.end)).collect();
        assert_eq!(intervals, [(61, 63)]);
    }
}
