//! Whether lengths and times have the size of a robot's: the check against a wrong unit.
//!
//! ```text
//! (1)  extent  = diagonal of the region between the 1st and 99th percentile of x, y, z
//! (2)  speed   = 99th percentile of |p(t+h) - p(t)| / h
//! (3)  acceleration = 99th percentile of |p(t+h) - 2 p(t) + p(t-h)| / h²,     h = 50 ms or one sample if that is longer
//! ```
//!
//! Millimetres read as metres make all three a thousand times too large, milliseconds read as seconds make (2) and (3)
//! a thousand and a million times too small. A body that falls, rolls or is carried has accelerations between a hundredth
//! and thirty times gravity; impacts are left out by the percentile. Nothing is changed here; a warning names the unit
//! that would fit.

use crate::report::StepReport;
use crate::steps::time_base::TimeBase;
use crate::stream::Sample;
use crate::turns::{minus, norm, plus};

/// Gravity [m/s²], by which accelerations are judged.
const GRAVITY: f64 = 9.81;

/// Bounds of what a robot, a thrown object or a person does.
const MOST_SPEED: f64 = 60.0;
const MOST_ACCELERATION: f64 = 100.0 * GRAVITY;
const MOST_EXTENT: f64 = 500.0;
const RATES_HZ: std::ops::RangeInclusive<f64> = 1.0..=30_000.0;

/// Span of a difference [s].
const SPAN_S: f64 = 0.05;

/// The report: numbers (1) to (3), and warnings about what cannot be.
pub fn report(samples: &[Sample], base: &TimeBase) -> StepReport {
    let mut report = StepReport::new("plausibility");
    let known: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].is_known()).collect();
    let along = |axis: usize| {
        let mut values: Vec<f64> = known.iter().map(|i| samples[*i].position[axis]).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            values.get(((values.len().max(1) - 1) as f64 * share).round() as usize).copied().unwrap_or(0.0)
        };
        at(0.99) - at(0.01)
    };
    let extent = norm(&[along(0), along(1), along(2)]);
    // With times that are far too short the whole recording may be shorter than the span.
    let lag = ((SPAN_S / base.step_s()).round() as usize).min(samples.len() / 10).max(1);
    let (mut speeds, mut accelerations) = (Vec::new(), Vec::new());
    for i in lag..samples.len().saturating_sub(lag) {
        let (a, b, c) = (&samples[i - lag], &samples[i], &samples[i + lag]);
        let (before, after) = (base.times_s[i] - base.times_s[i - lag], base.times_s[i + lag] - base.times_s[i]);
        // Over a lost sample the spans differ.
        if [a, b, c].iter().all(|s| s.is_known()) && (before - after).abs() < 0.01 * before && before > 0.0 {
            let twice = plus(&b.position, &b.position);
            speeds.push(norm(&minus(&c.position, &b.position)) / after);
            accelerations.push(norm(&minus(&plus(&a.position, &c.position), &twice)) / (before * before));
        }
    }
    let (speed, acceleration) = (high(&mut speeds), high(&mut accelerations));
    report.number("extent", "m", extent);
    report.number("speed, 99th percentile", "m/s", speed);
    report.number("acceleration, 99th percentile", "g", acceleration / GRAVITY);
    if !RATES_HZ.contains(&base.rate_hz) {
        report.warn(
            "rate",
            format!(
                "{} samples a second: times in another unit? give it with --units, for example --units ms",
                short(base.rate_hz)
            ),
        );
    }
    let large = speed > MOST_SPEED || acceleration > MOST_ACCELERATION || extent > MOST_EXTENT;
    let moved = extent > 0.0 && !speeds.is_empty();
    if large {
        let fit = match extent {
            e if e > 1e2 => "positions look like millimetres read as metres (--units mm)",
            _ => "times look too short (--units s) or positions too large (--units mm)",
        };
        report.warn(
            "too-large",
            format!(
                "speed {} m/s, acceleration {} g and extent {} m are more than a robot's: {fit}",
                short(speed),
                short(acceleration / GRAVITY),
                short(extent)
            ),
        );
    } else if moved && extent > 0.02 && acceleration < 1e-4 * GRAVITY && speed < 2e-3 {
        report.warn(
            "too-slow",
            format!(
                "it moves {} m at {} m/s at most: times look like milliseconds read as seconds (--units ms)",
                short(extent),
                short(speed)
            ),
        );
    } else if moved && extent < 5e-3 && extent > 0.0 && acceleration < 5e-3 * GRAVITY {
        report.warn(
            "too-small",
            format!(
                "the whole motion is within {} m: metres in a file that says millimetres? (--units m)",
                short(extent)
            ),
        );
    }
    report
}

fn short(x: f64) -> String {
    format!("{x:.3}").trim_end_matches('0').trim_end_matches('.').to_string()
}

fn high(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * 0.99).round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::time_base::time_base;

    /// A ball rolling around at 0.3 m/s in a room of a metre, 100 Hz.
    fn rolling(length: f64, time: f64) -> Vec<&'static str> {
        let one = |i: i64| {
            let t = 0.01 * i as f64;
            let p = [0.5 * libm::sin(0.6 * t), 0.4 * libm::sin(0.9 * t), 0.04];
            Sample {
                stamp_ns: (0.01 * i as f64 * time * 1e9).round() as i64,
                position: p.map(|x| length * x),
                orientation: [1.0, 0.0, 0.0, 0.0],
            }
        };
        let samples: Vec<Sample> = (0..3000).map(one).collect();
        let base = time_base(&samples, None).unwrap();
        report(&samples, &base).lines.iter().map(|line| line.kind).collect()
    }

    #[test]
    fn wrong_units_are_found_and_right_ones_are_not() {
        assert!(rolling(1.0, 1.0).is_empty());
        assert_eq!(rolling(1000.0, 1.0), ["too-large"]);
        assert_eq!(rolling(1e-3, 1.0), ["too-small"]);
        // Milliseconds read as seconds: 0.1 Hz and 0.3 mm/s.
        assert_eq!(rolling(1.0, 1000.0), ["rate", "too-slow"]);
        // Seconds read as milliseconds: 100 kHz.
        assert_eq!(rolling(1.0, 1e-3), ["rate", "too-large"]);
    }
}
