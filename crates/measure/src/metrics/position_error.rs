//! How far a point of a body is from the reference.
//!
//! The distance of the two points, at the worst instant. `of` names the body; without it every point the reference knows
//! counts. `point` chooses among several points of one body that the reference knows.
//!
//! Poses are those of the engine: an engine whose joints come apart cannot hide it behind its joint positions.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "position_error",
    unit: "m",
    text: "the largest distance of a point of a body from the reference",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "position", |q| matches!(q, Quantity::Point { .. }))
}
