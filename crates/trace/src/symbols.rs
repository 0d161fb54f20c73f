//! From an event log to a sequence of symbols that can be compared between particles.
//!
//! ```text
//! (1)  symbol   the pair for an impact or a touch, else the pair and the kind: whether a foot lands hard or softly is
//!               not another behaviour
//! (2)  chatter  an event is dropped when the same symbol occurred less than `debounce` before it
//! (3)  flight   a touch is dropped when the pair separated less than `apart` before it: a foot that rocks has not stepped
//! (4)  window   only events from `from_s` to `until_s` count; with `first_only`, only the first of each symbol
//! (5)  set      events less than `together` after the first of a set are simultaneous: the set is sorted by name
//! ```
//!
//! Thresholds decide what is an event, so sequences are made at three tolerances ([`TOLERANCES`]): what is reported as a
//! split must be one at all of them.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use veracity_record::{Event, EventKind};
use veracity_scenario::trace::EventSymbols;

/// Factors of the two times; the middle one is what the file says.
pub const TOLERANCES: [f64; 3] = [0.5, 1.0, 2.0];

/// One set of simultaneous events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Time of its first event [s].
    pub at_s: f64,
    /// Names, sorted, joined by ` + `.
    pub name: Arc<str>,
}

/// The symbols of a log, with `debounce`, `apart` and `together` multiplied by `tolerance`.
pub fn symbols(events: &[Event], rules: &EventSymbols, tolerance: f64) -> Vec<Symbol> {
    let wanted = |e: &&Event| {
        rules.kinds.contains(&e.kind)
            && (rules.pairs.is_empty() || rules.pairs.iter().any(|word| e.pair.contains(word.as_str())))
    };
    let mut last: Vec<(String, f64)> = Vec::new();
    let mut kept: Vec<(f64, String)> = Vec::new();
    let mut separated: Vec<(&str, f64)> = Vec::new();
    for event in events {
        let lifted = separated.iter_mut().find(|(pair, _)| *pair == event.pair);
        // (3)
        if matches!(event.kind, EventKind::Impact | EventKind::Touch)
            && lifted.as_ref().is_some_and(|(_, t)| event.time - t < rules.apart_s * tolerance)
        {
            continue;
        }
        if event.kind == EventKind::Liftoff {
            match lifted {
                Some((_, time)) => *time = event.time,
                None => separated.push((&event.pair, event.time)),
            }
        }
        // (4)
        if !wanted(&event) || !(rules.from_s..=rules.until_s).contains(&event.time) {
            continue;
        }
        let name = name(event);
        if rules.first_only && last.iter().any(|(n, _)| *n == name) {
            continue;
        }
        let known = last.iter_mut().find(|(n, _)| *n == name);
        let chatter = known.as_ref().is_some_and(|(_, t)| event.time - t < rules.debounce_s * tolerance);
        match known {
            Some((_, time)) => *time = event.time,
            None => last.push((name.clone(), event.time)),
        }
        if !chatter {
            kept.push((event.time, name));
        }
    }
    let mut out: Vec<(f64, Vec<String>)> = Vec::new();
    for (time, name) in kept {
        match out.last_mut() {
            Some((began, set)) if time - *began < rules.together_s * tolerance => {
                if !set.contains(&name) {
                    set.push(name);
                }
            }
            _ => out.push((time, vec![name])),
        }
    }
    let symbol = |(at_s, mut set): (f64, Vec<String>)| {
        set.sort();
        Symbol { at_s, name: set.join(" + ").into() }
    };
    out.into_iter().take(rules.most).map(symbol).collect()
}

/// (1)
fn name(event: &Event) -> String {
    match event.kind {
        EventKind::Impact | EventKind::Touch => event.pair.clone(),
        other => format!("{} {}", event.pair, other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: f64, pair: &str, kind: EventKind) -> Event {
        Event {
            time,
            time_error: 0.0,
            substep: 0,
            pair: pair.to_string(),
            ordinal: 1,
            kind,
            normal_speed: 0.0,
            tangential_speed: 0.0,
            normal_impulse: 0.0,
            tangential_impulse: 0.0,
            gap: 0.0,
        }
    }

    fn names(events: &[Event], rules: &EventSymbols, tolerance: f64) -> Vec<String> {
        symbols(events, rules, tolerance).iter().map(|s| s.name.to_string()).collect()
    }

    #[test]
    fn simultaneous_footfalls_are_one_set_in_any_order() {
        let rules = EventSymbols::default();
        let one = [event(1.0, "rh ground", EventKind::Impact), event(1.002, "lf ground", EventKind::Touch)];
        let other = [event(1.0, "lf ground", EventKind::Impact), event(1.002, "rh ground", EventKind::Impact)];
        assert_eq!(names(&one, &rules, 1.0), ["lf ground + rh ground"]);
        assert_eq!(names(&one, &rules, 1.0), names(&other, &rules, 1.0));
        // At half the tolerance they are still within 2.5 ms; 4 ms apart they are two events.
        assert_eq!(names(&one, &rules, 0.5).len(), 1);
        let apart = [event(1.0, "a", EventKind::Impact), event(1.004, "b", EventKind::Impact)];
        assert_eq!((names(&apart, &rules, 0.5).len(), names(&apart, &rules, 1.0).len()), (2, 1));
    }

    #[test]
    fn chatter_is_one_event_however_long_it_lasts() {
        let rules = EventSymbols::default();
        let chatter: Vec<Event> = (0..50).map(|i| event(0.02 * f64::from(i), "foot", EventKind::Impact)).collect();
        assert_eq!(names(&chatter, &rules, 1.0), ["foot"]);
        let steps: Vec<Event> = (0..5).map(|i| event(0.5 * f64::from(i), "foot", EventKind::Impact)).collect();
        assert_eq!(names(&steps, &rules, 2.0).len(), 5);
    }

    #[test]
    fn only_named_kinds_and_pairs_count() {
        let rules = EventSymbols { kinds: vec![EventKind::Slip], pairs: vec!["foot".into()], ..Default::default() };
        let events = [
            event(0.0, "foot", EventKind::Impact),
            event(1.0, "foot", EventKind::Slip),
            event(2.0, "hand", EventKind::Slip),
        ];
        assert_eq!(names(&events, &rules, 1.0), ["foot slip"]);
        assert!(names(&events, &EventSymbols { most: 0, ..rules }, 1.0).is_empty());
    }

    #[test]
    fn a_foot_that_rocks_has_not_stepped_and_only_the_window_counts() {
        let log = [
            event(0.1, "left", EventKind::Touch),
            event(0.3, "left", EventKind::Liftoff),
            event(0.31, "left", EventKind::Touch),
            event(0.4, "left", EventKind::Liftoff),
            event(0.6, "left", EventKind::Impact),
            event(0.9, "right", EventKind::Touch),
            event(1.4, "right", EventKind::Touch),
        ];
        let names = |rules: &EventSymbols| -> Vec<f64> { symbols(&log, rules, 1.0).iter().map(|s| s.at_s).collect() };
        let all = EventSymbols::default();
        assert_eq!(names(&all), [0.1, 0.31, 0.6, 0.9, 1.4]);
        let steps = EventSymbols { apart_s: 0.05, ..all.clone() };
        assert_eq!(names(&steps), [0.1, 0.6, 0.9, 1.4]);
        assert_eq!(names(&EventSymbols { from_s: 0.2, until_s: 1.0, ..steps.clone() }), [0.6, 0.9]);
        assert_eq!(names(&EventSymbols { first_only: true, ..steps }), [0.1, 0.9]);
    }
}
