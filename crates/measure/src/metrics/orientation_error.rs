//! The angle between a body's orientation and the reference's.
//!
//! The angle of the one rotation that leads from the one to the other, at most half a turn. Whole turns do not show:
//! `joint_error` counts them.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "orientation_error",
    unit: "rad",
    text: "the largest angle between a body's orientation and the reference's",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "orientation", |q| matches!(q, Quantity::Orientation(_)))
}
