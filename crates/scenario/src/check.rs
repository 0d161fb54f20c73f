//! Checks of a scenario: a metric with a bound and the reason for the bound.

use std::fmt;
use veracity_measure::{Better, MetricEntry, Options};

/// One check. A value beyond the bound is rejected.
#[derive(Clone)]
pub struct Check {
    /// Unique in the scenario.
    pub name: String,
    /// The metric.
    pub metric: &'static MetricEntry,
    /// Which bodies and times it looks at.
    pub options: Options,
    /// Name of the reference, where the metric needs one.
    pub reference: Option<String>,
    /// Upper or lower bound of the value, in the metric's unit. An infinite bound asks whether a condition comes true at
    /// all.
    pub bound: f64,
    /// Which of the two; with two bounds, the lower bound is in here.
    pub better: Better,
    /// Source of the bound: theory, use, or a published tolerance.
    pub reason: String,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, metric, options, reference, bound, better, .. } = self;
        let against = format!("{options:?} against {reference:?}");
        write!(f, "Check({name}: {} {against}, {better:?} with bound {bound})", metric.name)
    }
}
