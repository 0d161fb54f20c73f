//! CPU seconds for each simulated second.
//!
//! From the host part of the record: it differs from run to run and from machine to machine, has no place in a verdict
//! that must be repeatable, and says nothing without an accuracy beside it. One run says nothing of its own spread: a
//! tenth is taken, which caches, clocks and neighbours on a shared machine easily make; repetitions tell more. The note
//! gives the real-time factor (simulated over wall time) and the CPU time of a step.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "cost",
    unit: "s/s",
    text: "CPU seconds for each simulated second",
    needs_truth: false,
    deterministic: false,
    measure,
};

/// Relative accuracy of one timing on a shared machine.
const SPREAD: f64 = 0.1;

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, _options: &Options) -> Result<Measured, CannotTell> {
    let (host, times) = (&subject.record.host, &subject.record.track.times);
    let simulated = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
    if simulated <= 0.0 {
        return CannotTell::new("nothing was simulated");
    }
    if host.cpu_s <= 0.0 {
        return CannotTell::new("the record has no cost: it is a recording, or was read from a file");
    }
    let cost = host.cpu_s / simulated;
    let mut measured = Measured::new(cost, SPREAD * cost);
    let factor = simulated / host.wall_s;
    let each = 1e6 * host.cpu_s / host.steps.max(1) as f64;
    measured.note = format!("real-time factor {factor:.3}, {each:.2} µs for each of {} steps", host.steps);
    Ok(measured)
}
