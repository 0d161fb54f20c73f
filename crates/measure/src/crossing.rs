//! Instants at which a quantity crosses a level.

use crate::curve::Curve;

/// One crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Time [s].
    pub time: f64,
    /// Error from interpolation and rounding [s].
    pub error: f64,
    /// Whether it crossed upwards.
    pub upward: bool,
}

/// Where the first component of a curve crosses a level, in rows `from..until`.
///
/// A crossing lies between two rows on different sides; it is located on the interpolated curve by bisection, and its
/// error is the curve's own error there, divided by the slope. A curve that touches the level and turns back between
/// two rows is not detected.
pub fn crossings(curve: &Curve<'_>, level: f64, rows: std::ops::Range<usize>) -> Vec<Crossing> {
    let times = curve.times();
    let at = |t: f64| curve.at(t).map_or((f64::NAN, f64::NAN), |s| (s.value[0] - level, s.error));
    let mut found = Vec::new();
    for i in rows.start..rows.end.saturating_sub(1) {
        let (before, after) = (at(times[i]).0, at(times[i + 1]).0);
        // Zero belongs to the upper side, so that a row on the level counts once.
        let upward = before < 0.0 && after >= 0.0;
        let downward = before >= 0.0 && after < 0.0;
        if !upward && !downward {
            continue;
        }
        let (mut low, mut high) = (times[i], times[i + 1]);
        while high - low > f64::EPSILON * high.abs() {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if (at(middle).0 >= 0.0) == upward { high = middle } else { low = middle }
        }
        let time = if upward { high } else { low };
        // Slopes are computed over more than the tolerance within which an instant snaps to a row.
        let reach = 1e-2 * (times[i + 1] - times[i]);
        let (a, b) = ((time - reach).max(times[i]), (time + reach).min(times[i + 1]));
        let slope = ((at(b).0 - at(a).0) / (b - a)).abs();
        // There is no interpolation error at a row; next to it there is that of the interval.
        let error = at(a).1.max(at(b).1).max(at(time).1) / slope + f64::EPSILON * time.abs();
        found.push(Crossing { time, error: error.min(times[i + 1] - times[i]), upward });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::Vec3;

    #[test]
    fn a_sine_is_met_at_multiples_of_pi_within_the_stated_error() {
        for every in [0.3, 0.1, 0.03] {
            let times: Vec<f64> = (0..(20.0 / every) as usize).map(|i| 0.05 + i as f64 * every).collect();
            let wave = |f: fn(f64) -> f64| times.iter().map(|t| Vec3::new(f(*t), 0.0, 0.0)).collect::<Vec<_>>();
            for rate in [None, Some(wave(libm::cos))] {
                let curve = Curve::vector(&times, wave(libm::sin), rate);
                let found = crossings(&curve, 0.0, 0..times.len());
                assert!(found.len() >= 5);
                for (k, c) in found.iter().enumerate() {
                    let expected = std::f64::consts::PI * (k + 1) as f64;
                    assert!((c.time - expected).abs() <= c.error, "{c:?} and not {expected} at {every}");
                    assert_eq!(c.upward, k % 2 == 1);
                }
            }
        }
    }

    #[test]
    fn a_row_on_the_level_is_one_crossing() {
        let times = [0.0, 1.0, 2.0];
        let x = [-1.0, 0.0, 1.0].map(|x| Vec3::new(x, 0.0, 0.0)).to_vec();
        let found = crossings(&Curve::vector(&times, x, None), 0.0, 0..3);
        assert_eq!(found.len(), 1);
        assert!((found[0].time - 1.0).abs() < 1e-9 && found[0].upward);
    }
}
