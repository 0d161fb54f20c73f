//! How far joints, loops and couplings are twisted out of what they hold, in radians.
//!
//! From the poses of the bodies alone: the angle between the two axes of a hinge, of a slider's turn, of a turning
//! follower from where its coupling has it. `of` names one joint, loop or coupling. The partner of
//! `constraint_violation`, which measures metres.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;
use crate::violation::worst_violation;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "constraint_angle",
    unit: "rad",
    text: "the largest angle between directions held together by joints, loops and couplings",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_violation(subject, options, |v| v.angle)
}
