//! What a scenario demands: a metric held to a bound, with the reason for the bound.

use std::fmt;
use veracity_measure::{Better, MetricEntry, Options};

/// One demand. A value beyond the bound is a rejection.
#[derive(Clone)]
pub struct Check {
    /// Unique in the scenario.
    pub name: String,
    /// What is measured.
    pub metric: &'static MetricEntry,
    /// Where and when.
    pub options: Options,
    /// Which reference it is held against, where the metric needs one.
    pub reference: Option<String>,
    /// The most, or the least, the value may be, in the metric's unit. Infinite asks whether an outcome happens at all.
    pub bound: f64,
    /// Which of the two; with two bounds, the least is in here.
    pub better: Better,
    /// Where the bound comes from: theory, use, or a published tolerance.
    pub reason: String,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, metric, options, reference, bound, better, .. } = self;
        let against = format!("{options:?} against {reference:?}");
        write!(f, "Check({name}: {} {against}, {better:?} with bound {bound})", metric.name)
    }
}
