//! How far a joint's position is from the reference's.
//!
//! For joints with one degree of freedom, in the joint's own unit, whole turns counted. It looks at the recorded joint
//! positions; for engines without joint coordinates they were computed from the bodies. Joints that turn and joints
//! that slide have no common worst: name one with `of`.

use crate::against_truth::worst_error;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "joint_error",
    unit: "of",
    text: "the largest difference of a joint's position from the reference's",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    worst_error(subject, truth, options, "joint position", |q| matches!(q, Quantity::JointPosition(_)))
}
