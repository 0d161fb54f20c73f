//! A task condition: a quantity rises above a level.
//!
//! `quantity` names a metric that has a value in a single row (`grasp_published`, `grasp_corrected`, `displacement`,
//! `relative_displacement`) with the keys of that metric, `level` the level in its unit. It is exceeded at the first row
//! in which the quantity is above the level or is not a number. The value is that instant, between that row and the one
//! before it; infinite when it never was. Without a bound a check demands that it never is. Under `[stop]` it ends a
//! trial: `quantity = "grasp_published"` with `level = 1e7` is the exit of the grasp study.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "exceeded",
    unit: "s",
    text: "the instant at which a quantity rises above a level",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    crate::task_conditions::measure("exceeded", subject, options)
}
