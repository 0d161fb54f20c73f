//! Events of a run in the order of time.

use std::cmp::Ordering;
use veracity_record::Event;

/// An event and the step it happened in.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Counted by the engine since the state was set; the start is step 0.
    pub step: u64,
    /// Its position within the step is not yet known.
    pub event: Event,
}

/// Sorts by time, then pair, then kind, and numbers the events of each step.
pub fn in_order(mut events: Vec<Logged>) -> Vec<Event> {
    let key = |a: &Logged, b: &Logged| -> Ordering {
        let by_time = a.event.time.total_cmp(&b.event.time).then(a.step.cmp(&b.step));
        by_time.then_with(|| a.event.pair.cmp(&b.event.pair)).then(a.event.kind.cmp(&b.event.kind))
    };
    events.sort_by(key);
    let mut out: Vec<Event> = Vec::with_capacity(events.len());
    let (mut step, mut count) = (None, 0);
    for logged in events {
        count = if step == Some(logged.step) { count + 1 } else { 0 };
        step = Some(logged.step);
        out.push(Event { substep: count, ..logged.event });
    }
    out
}
