//! How far joints, loops and couplings have come apart, in metres.
//!
//! From the poses of the bodies alone: the distance of anchors that should coincide, of a slider from its line, of a rod
//! from its length, of a sliding follower from where its coupling has it. `of` names one joint, loop or coupling. Engines
//! in joint coordinates hold tree joints to rounding; engines that hold bodies together with forces or impulses show here
//! how well.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;
use crate::violation::worst_violation;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "constraint_violation",
    unit: "m",
    text: "the largest distance between parts held together by joints, loops and couplings",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_violation(subject, options, |v| v.gap)
}
