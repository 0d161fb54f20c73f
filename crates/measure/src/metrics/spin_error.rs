//! How wrong the angular velocity of a body is.
//!
//! Length of the difference of the two vectors in world axes.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "spin_error",
    unit: "rad/s",
    text: "the largest difference of a body's angular velocity from the reference's",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "spin", |q| matches!(q, Quantity::Spin(_)))
}
