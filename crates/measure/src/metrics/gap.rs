//! The least gap of a named pair of bodies.
//!
//! Measured again from the recorded poses and the collision shapes of the recorded world; negative where they overlap.
//! `of` names the pair; without it the least of all counts. With `with`, `of` and `with` name two bodies, of any models. Beside it stands the least over every step of the run, which
//! only the engine's side could see. A demand holds it to a known value through `scalar_error`; `penetration` is its
//! negative part.

use crate::gaps::least_gap;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "gap",
    unit: "m",
    text: "the least gap of a named pair of bodies, negative where they overlap",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    least_gap(subject, options)
}
