//! A task condition: an object left its grippers.
//!
//! It is dropped at the first row in which no contact between it and any of the `grippers` is recorded, and in which its
//! centre of mass is lower than `below_m` over the world's origin or has moved more than `farther_m` in the frames of all
//! `grippers` since the first row that counts. The value is that instant; infinite when nothing was dropped. Without a
//! bound a check demands that nothing is dropped.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "dropped",
    unit: "s",
    text: "the instant at which an object was dropped",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    crate::task_conditions::measure("dropped", subject, options)
}
