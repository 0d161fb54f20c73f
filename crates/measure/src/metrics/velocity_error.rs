//! How wrong the velocity of a point of a body is.
//!
//! Length of the difference of the two vectors in world axes. Engines differ in the instant their velocities belong to
//! (semi-implicit Euler is half a step ahead): that is an error of theirs and shows here, as it does in a controller.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "velocity_error",
    unit: "m/s",
    text: "the largest difference of a point's velocity from the reference's",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "velocity", |q| matches!(q, Quantity::PointVelocity { .. }))
}
