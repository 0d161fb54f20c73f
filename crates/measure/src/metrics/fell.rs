//! A task condition: a body fell.
//!
//! It has fallen at the first row in which the centre of mass of body `of` is lower than `below_m` over the world's origin,
//! or in which the body leans more than `tilt_rad`: the angle to the vertical of the direction that pointed up in the first
//! row that counts. Turning about the vertical is no lean. The value is that instant; infinite when it never fell. Without a
//! bound a check demands that it does not fall.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "fell",
    unit: "s",
    text: "the instant at which a body fell",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    crate::task_conditions::measure("fell", subject, options)
}
