//! How deep bodies of a named pair go into each other.
//!
//! The negative part of `gap`: zero where they never overlap.

use crate::gaps::least_gap;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "penetration",
    unit: "m",
    text: "the deepest overlap of a named pair of bodies",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let gap = least_gap(subject, options)?;
    if !gap.value.is_finite() {
        return Ok(gap);
    }
    let depth = |gap: f64| (-gap).max(0.0);
    // Far from contact, the uncertainty of the gap does not cause a penetration.
    let deepest = depth(gap.value - gap.uncertainty);
    let uncertainty = deepest - depth(gap.value);
    Ok(Measured {
        value: depth(gap.value),
        uncertainty,
        series: gap.series.iter().map(|&(t, g)| (t, depth(g))).collect(),
        said_by_engine: gap.said_by_engine.map(depth),
        ..gap
    })
}
