//! A task condition: a body reached its target.
//!
//! It is reached when `point_m` of body `of` (the origin of its frame unless given) is no farther than `within_m` from
//! `target_m`, when the body's orientation is no farther than `within_rad` from `target_rpy_rad`, or both, in the frame of
//! body `with` (the world unless given), and stays so for `for_s`. The value is the instant from which it was so; infinite
//! when it never was. Without a bound a check demands that it is reached before the trial ends; `at_most = 2` demands that
//! it is reached by 2 s.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "reached",
    unit: "s",
    text: "the instant at which a body reached its target",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    crate::task_conditions::measure("reached", subject, options)
}
