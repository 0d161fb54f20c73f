//! Minima of gaps.
//!
//! Given three neighbouring instants, the middle one lower by `f` than the one `a` seconds before and by `r` than the
//! one `b` seconds after it, the parabola through them has at the middle
//!
//! ```text
//! slope s = (r a/b - f b/a) / (a + b),   half its curvature c = (r/b + f/a) / (a + b)                     (1)
//! t* = t - s / (2 c),   gap* = gap - s² / (4 c)                                                            (2)
//! ```
//!
//! off by O(h³) in the gap for a smooth motion, where the sample itself is off by O(h²).

use serde::{Deserialize, Serialize};
use veracity_record::EventRules;

/// Memory of the gap of a named pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GapMemory {
    last: [f64; 2],
    /// The highest since the last near miss or contact [m].
    high: f64,
    /// Whether the gap has fallen from there far enough.
    falling: bool,
    before: [f64; 2],
    low: [f64; 2],
    after: Option<[f64; 2]>,
}

impl GapMemory {
    /// A run begins.
    pub(super) fn begin(&mut self, time: f64, gap: f64) {
        *self = Self { last: [time, gap], high: gap, ..Self::default() };
    }

    /// Processes an instant; returns time, error and gap of a near miss that has become certain. `busy` says whether
    /// the pair touches: a minimum there is not a near miss.
    pub(super) fn look(&mut self, time: f64, gap: f64, busy: bool, rules: &EventRules) -> Option<[f64; 3]> {
        let last = std::mem::replace(&mut self.last, [time, gap]);
        if busy || gap.is_nan() || gap <= 0.0 {
            (self.high, self.falling) = (f64::NEG_INFINITY, false);
            return None;
        }
        if !self.falling {
            self.high = self.high.max(gap);
            if gap < self.high - rules.near_miss_rise {
                self.falling = true;
                (self.before, self.low, self.after) = (last, [time, gap], None);
            }
            return None;
        }
        // On a flat stretch the last instant is the lowest.
        if gap <= self.low[1] {
            (self.before, self.low, self.after) = (last, [time, gap], None);
            return None;
        }
        let after = *self.after.get_or_insert([time, gap]);
        if gap < self.low[1] + rules.near_miss_rise {
            return None;
        }
        (self.high, self.falling) = (gap, false);
        let [time, least] = lowest(self.before, self.low, after);
        let error = 0.5 * (after[0] - self.before[0]);
        (least <= rules.near_miss_gap).then_some([time, error, least])
    }
}

/// Time and value of the lowest point, (2).
fn lowest(before: [f64; 2], low: [f64; 2], after: [f64; 2]) -> [f64; 2] {
    let (a, b) = (low[0] - before[0], after[0] - low[0]);
    let (fall, rise) = (before[1] - low[1], after[1] - low[1]);
    // (1)
    let curvature = (rise / b + fall / a) / (a + b);
    let slope = (rise * a / b - fall * b / a) / (a + b);
    // (2)
    let shift = -0.5 * slope / curvature;
    let value = low[1] + 0.5 * slope * shift;
    // If the parabola is degenerate or its minimum lies outside, the sample is kept.
    if shift.is_finite() && shift > -a && shift < b && value > 0.0 { [low[0] + shift, value] } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest point of a parabola sampled unevenly is found to rounding.
    #[test]
    fn minimum_of_a_parabola_is_exact() {
        let gap = |t: f64| 0.01 + 3.0 * (t - 0.123) * (t - 0.123);
        let at = |t: f64| [t, gap(t)];
        let [time, least] = lowest(at(0.1), at(0.12), at(0.17));
        assert!((time - 0.123).abs() < 1e-14 && (least - 0.01).abs() < 1e-15, "{time} {least}");
    }

    #[test]
    fn noise_and_contact_are_not_near_misses() {
        let rules = EventRules::default();
        let mut memory = GapMemory::default();
        memory.begin(0.0, 0.5);
        let mut look = |t: f64, gap: f64, busy: bool| memory.look(t, gap, busy, &rules);
        for n in 1..100u32 {
            let noise = if n.is_multiple_of(2) { 1e-7 } else { -1e-7 };
            assert_eq!(look(f64::from(n), 0.5 + noise, false), None);
        }
        // Down to a contact and up again.
        for (n, gap) in [0.3, 0.1, 1e-4, 0.1, 0.3].into_iter().enumerate() {
            assert_eq!(look(100.0 + n as f64, gap, gap < 1e-3), None);
        }
        // Down and up without one.
        let found: Vec<_> =
            [0.1, 0.05, 0.1].into_iter().enumerate().filter_map(|(n, g)| look(200.0 + n as f64, g, false)).collect();
        assert_eq!(found, [[201.0, 1.0, 0.05]]);
    }
}
