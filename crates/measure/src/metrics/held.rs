//! A task condition: objects stay where they are in the grippers that hold them.
//!
//! An object is lost at the first row in which its centre of mass has moved more than `within_m` in the frame of one of the
//! `grippers`, or in which it has turned more than `within_rad` in it, since the first row that counts (`from_s`, when the
//! grasp is closed). `objects` and `grippers` name bodies of any model. The value is the instant of the loss, between that
//! row and the one before it; infinite when every object was held to the end. Without a bound a check demands that nothing
//! is lost; `at_least = 3` demands that it is held until 3 s.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "held",
    unit: "s",
    text: "the instant at which an object is no longer held",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    crate::task_conditions::measure("held", subject, options)
}
