//! Time of each sample.
//!
//! Stamps of a network stream are arrival times: late ones are followed by short intervals, and the camera's own clock
//! is better than any of them. Samples are counted instead,
//!
//! ```text
//! (1)  t_k = k / rate + (samples lost before k) / rate
//! (2)  e_k = stamp_k - k / rate,   m_k = min over j >= k of e_j
//! ```
//!
//! After a late packet the stamps catch up: some later `e` is as low as before, and `m` does not change. After a lost
//! sample they do not: from there on every `e` is a period higher, and `m` steps up. A step of (2) by 0.8 periods or
//! more, with at least [`SAMPLES_AFTER`] samples to show it, is a loss. Samples around it may be late themselves, and
//! the stamps then place it off by a sample or two; the loss is moved to the nearby step that is `lost + 1` times as
//! long as its neighbours. If the stamps are not regular at all, they are used unchanged.

use crate::report::{Mark, Plot, StepReport};
use crate::stream::Sample;
use crate::turns::half_angle;

/// With fewer samples after it, a late sample cannot be distinguished from a loss.
pub const SAMPLES_AFTER: usize = 10;

/// Spread of stamps, in periods, beyond which samples are not considered regular.
const IRREGULAR: f64 = 0.6;

/// A loss of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The last sample before it.
    pub after: usize,
    /// How many samples were lost.
    pub samples: usize,
    /// Time between the stamps around it [s].
    pub stamp_gap_s: f64,
}

/// Times of all samples.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeBase {
    /// Sample rate [Hz].
    pub rate_hz: f64,
    /// Rate according to the stamps [Hz].
    pub stamped_rate_hz: f64,
    /// Time of each sample, the first at zero [s]; increasing.
    pub times_s: Vec<f64>,
    /// Whether samples were counted, (1), or stamps used unchanged.
    pub counted: bool,
    /// Lost samples.
    pub losses: Vec<Loss>,
    /// Standard deviation of the intervals between stamps [s].
    pub jitter_s: f64,
    /// Stamps equal to the previous one.
    pub repeated: usize,
    /// Stamps earlier than the previous one.
    pub back: usize,
    /// Last stamp minus counted time without losses [s].
    pub drift_s: f64,
    /// Intervals of four periods and more after which the stamps caught up: sample before, length [s].
    pub late: Vec<(usize, f64)>,
}

/// Finds the time base. `rate_hz` is the rate given by the file or the user; without it, the rate comes from the
/// stamps, rounded to a whole number of Hertz where it is within a thousandth of one. `None` if the stamps give no
/// rate.
pub fn time_base(samples: &[Sample], rate_hz: Option<f64>) -> Option<TimeBase> {
    let n = samples.len();
    let first = samples.first()?.stamp_ns;
    let stamp = |k: usize| samples[k].stamp_ns.saturating_sub(first) as f64 * 1e-9;
    let stamped = stamped_rate(n, &stamp);
    let rate = match (rate_hz, stamped) {
        (Some(rate), _) => rate,
        (None, Some(rate)) if (rate / rate.round() - 1.0).abs() < 1e-3 => rate.round(),
        (None, Some(rate)) => rate,
        (None, None) => return None,
    };
    let period = 1.0 / rate;
    let intervals = || samples.windows(2).map(|p| p[1].stamp_ns.saturating_sub(p[0].stamp_ns) as f64 * 1e-9);
    let count = (n.max(2) - 1) as f64;
    let mean = stamp(n - 1) / count;
    let (mut squares, mut repeated, mut back) = (0.0, 0, 0);
    for d in intervals() {
        squares += (d - mean) * (d - mean);
        repeated += usize::from(d == 0.0);
        back += usize::from(d < 0.0);
    }
    let jitter_s = (squares / count).sqrt();
    // A few long gaps must not make a regular stream irregular, so the median of the spread is used.
    let stride = (n / 200_000).max(1);
    let typical = middle(intervals().step_by(stride).map(|d| (d - period).abs()).collect());
    let counted = typical < IRREGULAR * period || back > 0 || repeated > 0;
    let (mut losses, mut late, mut times_s) = (Vec::new(), Vec::new(), Vec::with_capacity(n));
    if counted {
        losses = find_losses(n, rate, &stamp);
        losses.iter_mut().for_each(|loss| locate(samples, loss));
        losses.dedup_by_key(|loss| loss.after);
        let (mut lost, mut next) = (0usize, losses.iter().peekable());
        for k in 0..n {
            if let Some(loss) = next.next_if(|loss| loss.after + 1 == k) {
                lost += loss.samples;
            }
            times_s.push((k + lost) as f64 / rate);
        }
        for (k, gap) in intervals().enumerate().map(|(k, gap)| (k + 1, gap)) {
            if gap > 4.0 * period && !losses.iter().any(|loss| loss.after + 1 == k) {
                late.push((k - 1, gap));
            }
        }
    } else {
        times_s.extend((0..n).map(stamp));
    }
    let drift_s = stamp(n - 1) - (n - 1) as f64 * period;
    let stamped_rate_hz = stamped.unwrap_or(f64::NAN);
    Some(TimeBase {
        rate_hz: rate,
        stamped_rate_hz,
        times_s,
        counted,
        losses,
        jitter_s,
        repeated,
        back,
        drift_s,
        late,
    })
}

/// Median of many rates from stamps far apart: neither jitter nor a few losses change it.
fn stamped_rate(n: usize, stamp: &impl Fn(usize) -> f64) -> Option<f64> {
    if n < 2 {
        return None;
    }
    let apart = (n / 10).clamp(1, 200);
    let stride = (n / 2000).max(1);
    let spans = (0..n - apart).step_by(stride).map(|k| (stamp(k + apart) - stamp(k)) / apart as f64).collect();
    let period = middle(spans);
    (period > 0.0).then(|| 1.0 / period)
}

fn middle(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let at = values.len() / 2;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// How many samples back the level before a loss is searched.
const BACK: usize = 20;

/// (2), from the end to the beginning. The last sample before a loss may be late itself: it must be lower than all that
/// follow by a third of a period, and the level before it is that of the twenty samples up to it.
fn find_losses(n: usize, rate: f64, stamp: &impl Fn(usize) -> f64) -> Vec<Loss> {
    let mut losses: Vec<Loss> = Vec::new();
    let late = |k: usize| stamp(k) - k as f64 / rate;
    let mut least = f64::INFINITY;
    for k in (0..n).rev() {
        let e = late(k);
        if least.is_finite() && (least - e) * rate >= 0.3 && n - 1 - k >= SAMPLES_AFTER {
            let before = (k.saturating_sub(BACK)..=k).map(late).fold(f64::INFINITY, f64::min);
            let step = (least - before) * rate;
            if step >= 0.8 {
                losses.push(Loss { after: k, samples: step.round() as usize, stamp_gap_s: stamp(k + 1) - stamp(k) });
                // Late samples before a loss are not losses themselves.
                least = before;
            }
        }
        least = least.min(e);
    }
    losses.reverse();
    // The level before a loss may be that before the previous loss.
    for k in (1..losses.len()).rev() {
        let Loss { after, samples, .. } = losses[k - 1];
        if losses[k].after - after <= BACK {
            losses[k].samples = losses[k].samples.saturating_sub(samples).max(1);
        }
    }
    losses
}

/// Moves a loss to the step that shows it; if no step does, it stays where the stamps place it.
fn locate(samples: &[Sample], loss: &mut Loss) {
    // In longer gaps the body may rotate by more than half a turn, which cannot be seen.
    if loss.samples > 3 {
        return;
    }
    let turned = |k: usize| half_angle(&samples[k].orientation, &samples[k + 1].orientation);
    let around = loss.after.saturating_sub(6)..(loss.after + 8).min(samples.len() - 1);
    let typical = middle(around.map(turned).filter(|angle| angle.is_finite()).collect());
    let times = loss.samples as f64 + 1.0;
    // How much nearer a step is to its neighbours when the lost samples are inserted into it.
    let gain = |k: usize| (turned(k) - typical).abs() - (turned(k) / times - typical).abs();
    let candidates = loss.after.saturating_sub(1)..(loss.after + 4).min(samples.len() - 1);
    let best = candidates.filter(|k| gain(*k).is_finite()).max_by(|a, b| gain(*a).total_cmp(&gain(*b)));
    if let Some(best) = best.filter(|best| gain(*best) > gain(loss.after) + 0.3 * typical) {
        loss.after = best;
    }
}

impl TimeBase {
    /// Nominal time between samples [s].
    pub fn step_s(&self) -> f64 {
        1.0 / self.rate_hz
    }

    /// Summary of the time base.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("time base");
        report.number("rate", "Hz", self.rate_hz);
        report.number("rate by the stamps", "Hz", self.stamped_rate_hz);
        report.number("samples", "", self.times_s.len() as f64);
        report.number("jitter of the stamps", "ms", 1e3 * self.jitter_s);
        report.number("last stamp against counted samples", "s", self.drift_s);
        report.number("samples lost", "", self.losses.iter().map(|l| l.samples).sum::<usize>() as f64);
        match self.counted {
            true => report.note("counted", "samples were counted; the stamps are arrival times"),
            false => report.warn("as-stamped", "samples are not regular; the stamps were used unchanged"),
        }
        if self.repeated > 0 {
            report.note("stamps-repeated", format!("{} stamps are equal to the previous one", self.repeated));
        }
        if self.back > 0 {
            report.warn("stamps-back", format!("{} stamps decrease; samples were counted", self.back));
        }
        for Loss { after, samples, stamp_gap_s } in &self.losses {
            report.warn(
                "lost",
                format!("samples lost after sample {after}: {samples} (no sample for {:.0} ms)", 1e3 * stamp_gap_s),
            );
        }
        for (after, gap) in self.late.iter().take(20) {
            report.note(
                "late",
                format!(
                    "sample {} arrived {:.0} ms after the previous one; later stamps caught up",
                    after + 1,
                    1e3 * gap
                ),
            );
        }
        if self.late.len() > 20 {
            report.note("late", format!("and {} more arrived late", self.late.len() - 20));
        }
        report
    }
}

/// Stamps against counted samples.
pub fn plot(samples: &[Sample], base: &TimeBase) -> Plot {
    let first = samples.first().map_or(0, |s| s.stamp_ns);
    let late = |k: usize| (samples[k].stamp_ns.saturating_sub(first) as f64 * 1e-9 - k as f64 / base.rate_hz) * 1e3;
    let at = |k: usize| [base.times_s[k], late(k)];
    Plot::new("Stamps against counted samples", "time [s]", "stamp - count / rate [ms]")
        .with("stamps", Mark::Line, (0..samples.len()).map(at))
        .with("samples lost", Mark::Rings, base.losses.iter().map(|l| at(l.after + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamped(ms: impl Iterator<Item = i64>) -> Vec<Sample> {
        ms.map(|ms| Sample::missing(ms * 1_000_000)).collect()
    }

    #[test]
    fn late_samples_are_not_lost_and_lost_samples_are_found() {
        // Sample 500 is 60 ms late and delays the next ones; after 800, seven samples are lost.
        let late = |k: i64| if (500..506).contains(&k) { 60 - 10 * (k - 500) } else { k % 3 };
        let samples = stamped((0..1200).map(|k| 10 * k + late(k) + if k > 800 { 70 } else { 0 }));
        let base = time_base(&samples, None).unwrap();
        assert_eq!((base.rate_hz, base.counted), (100.0, true));
        assert_eq!(base.losses.iter().map(|l| (l.after, l.samples)).collect::<Vec<_>>(), [(800, 7)]);
        assert_eq!(base.late.iter().map(|l| l.0).collect::<Vec<_>>(), [499]);
        assert_eq!(base.times_s[801], 8.08);
    }

    #[test]
    fn irregular_stamps_are_kept_and_equal_stamps_give_no_time_base() {
        let samples = stamped([0, 5, 40, 41, 90, 91, 300, 340].into_iter());
        let base = time_base(&samples, None).unwrap();
        assert!(!base.counted && base.times_s[2] == 0.040);
        assert!(time_base(&stamped([7, 7, 7].into_iter()), None).is_none());
        assert!(time_base(&[], Some(100.0)).is_none());
    }
}
