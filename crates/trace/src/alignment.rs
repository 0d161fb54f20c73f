//! How far two event sequences are apart: Victor and Purpura's distance (J. Neurophysiol. 76, 1996) with labels.
//!
//! ```text
//! (1)  the least cost of turning one sequence into the other by
//!      adding or removing an event: 1;   moving an event by Δt: q |Δt|
//! (2)  q = 1 / (median time between events): moving an event by a whole interval costs as much as losing it
//! ```
//!
//! Two runs that differ only in timing are near each other; one event more or less is a distance of one.

use crate::symbols::Symbol;

/// (1)
pub fn distance(a: &[Symbol], b: &[Symbol], per_second: f64) -> f64 {
    let mut row: Vec<f64> = (0..=b.len()).map(|j| j as f64).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = (i + 1) as f64;
        for (j, y) in b.iter().enumerate() {
            let moved =
                if x.name == y.name { diagonal + per_second * (x.at_s - y.at_s).abs() } else { f64::INFINITY };
            diagonal = row[j + 1];
            row[j + 1] = moved.min(row[j + 1] + 1.0).min(row[j] + 1.0);
        }
    }
    row[b.len()]
}

/// (2); zero where no sequence has two events, so that times do not count.
pub fn time_cost(sequences: &[&[Symbol]]) -> f64 {
    let mut intervals: Vec<f64> =
        sequences.iter().flat_map(|s| s.windows(2).map(|w| w[1].at_s - w[0].at_s)).filter(|d| *d > 0.0).collect();
    if intervals.is_empty() {
        return 0.0;
    }
    intervals.sort_by(f64::total_cmp);
    1.0 / intervals[intervals.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(events: &[(&str, f64)]) -> Vec<Symbol> {
        events.iter().map(|(name, at_s)| Symbol { at_s: *at_s, name: (*name).into() }).collect()
    }

    #[test]
    fn costs_are_those_of_the_cheapest_edit() {
        let base = sequence(&[("a", 1.0), ("b", 2.0), ("c", 3.0)]);
        assert_eq!(distance(&base, &base, 1.0), 0.0);
        // Moved by 0.25 s, one left out, one of another name (removed and added).
        let moved = sequence(&[("a", 1.25), ("b", 2.0), ("c", 3.0)]);
        assert_eq!(distance(&base, &moved, 1.0), 0.25);
        assert_eq!(distance(&base, &base[..2], 1.0), 1.0);
        assert_eq!(distance(&base, &sequence(&[("a", 1.0), ("x", 2.0), ("c", 3.0)]), 1.0), 2.0);
        // Far away in time: removing and adding is cheaper.
        assert_eq!(distance(&base[..1], &sequence(&[("a", 9.0)]), 1.0), 2.0);
        assert_eq!(distance(&[], &base, 1.0), 3.0);
    }

    #[test]
    fn alignment_distance_is_a_metric() {
        let all = [
            sequence(&[("a", 0.1), ("b", 0.4), ("a", 0.9)]),
            sequence(&[("b", 0.2), ("b", 0.5)]),
            sequence(&[("a", 0.3)]),
            sequence(&[("a", 0.1), ("b", 0.8), ("a", 0.9), ("c", 1.0)]),
        ];
        for x in &all {
            for y in &all {
                assert_eq!(distance(x, y, 2.0), distance(y, x, 2.0));
                for z in &all {
                    assert!(distance(x, z, 2.0) <= distance(x, y, 2.0) + distance(y, z, 2.0) + 1e-12);
                }
            }
        }
    }

    #[test]
    fn an_interval_costs_as_much_as_an_event() {
        let s = sequence(&[("a", 0.0), ("b", 0.5), ("c", 1.0)]);
        assert_eq!(time_cost(&[&s]), 2.0);
        assert_eq!(time_cost(&[&s[..1]]), 0.0);
    }
}
