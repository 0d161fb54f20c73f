//! The period of a joint that swings.
//!
//! Upward crossings of the joint's position through `level` (zero if not given) or, where there are fewer than two, of
//! its speed through zero: a joint that swings about another place. Crossings are found between rows with the cubic that
//! positions and speeds give (fourth order in the sampling). The value is the mean over all whole periods; its uncertainty
//! that of the first and the last crossing. Single periods are the series, and the note says how much they differ: a
//! damped swing has no one period.

use crate::against_truth::record_curve;
use crate::crossing::{Crossing, crossings};
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, broke_down, rows_that_count, window};
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "period",
    unit: "s",
    text: "the mean time between upward crossings of a joint that swings",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    if let Rows::BrokeDown(broken) = rows_that_count(subject, options)? {
        return Ok(broken);
    }
    let joint = the_joint(subject, options)?;
    let rows = window(&subject.record.track.times, options);
    let position = record_curve(subject, &Quantity::JointPosition(joint))?;
    let speed = record_curve(subject, &Quantity::JointSpeed(joint))?;
    let upward = |found: Vec<Crossing>| found.into_iter().filter(|c| c.upward).collect::<Vec<_>>();
    let mut found = upward(crossings(&position, options.level.unwrap_or(0.0), rows.clone()));
    if found.len() < 2 && options.level.is_none() {
        found = upward(crossings(&speed, 0.0, rows));
    }
    mean_interval(subject, &found, "period")
}

/// Mean time between crossings, with the single intervals as a series.
pub(super) fn mean_interval(subject: &Subject<'_>, found: &[Crossing], what: &str) -> Result<Measured, CannotTell> {
    let (Some(first), Some(last)) = (found.first(), found.last()) else {
        return no_interval(subject, what);
    };
    if found.len() < 2 {
        return no_interval(subject, what);
    }
    let count = (found.len() - 1) as f64;
    let series: Vec<(f64, f64)> = found.windows(2).map(|w| (w[1].time, w[1].time - w[0].time)).collect();
    let shortest = series.iter().map(|s| s.1).fold(f64::INFINITY, f64::min);
    let longest = series.iter().map(|s| s.1).fold(0.0, f64::max);
    let note = format!("over {count}, from {shortest:.6} to {longest:.6} s");
    let uncertainty = (first.error + last.error) / count;
    Ok(Measured { series, note, ..Measured::new((last.time - first.time) / count, uncertainty) })
}

fn no_interval(subject: &Subject<'_>, what: &str) -> Result<Measured, CannotTell> {
    let last = subject.record.track.times.last().copied().unwrap_or(0.0);
    match broke_down(subject, last) {
        Some(broken) => Ok(broken),
        None => CannotTell::new(format!("no complete {what} was recorded in {last} s; simulate longer")),
    }
}

/// The selected joint, or the only one.
fn the_joint(subject: &Subject<'_>, options: &Options) -> Result<usize, CannotTell> {
    if let Some(name) = &options.of {
        return match subject.layout.joint(name) {
            Some(slot) => Ok(slot),
            None => CannotTell::new(format!("the world has no joint '{name}'; correct `of`")),
        };
    }
    let joints = subject.layout.joints.iter().enumerate();
    let mut single = joints.filter(|(_, j)| j.kind.dof_count() == 1).map(|(i, _)| i);
    match (single.next(), single.next()) {
        (Some(joint), None) => Ok(joint),
        (None, _) => CannotTell::new("the world has no joint with one degree of freedom"),
        _ => CannotTell::new("the world has several joints: name one with `of`"),
    }
}
