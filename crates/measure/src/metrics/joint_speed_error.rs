//! How wrong the speed of a joint is.
//!
//! For joints with one degree of freedom, in the joint's own unit per second.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "joint_speed_error",
    unit: "of/s",
    text: "the largest difference of a joint's speed from the reference's, per second",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "joint speed", |q| matches!(q, Quantity::JointSpeed(_)))
}
