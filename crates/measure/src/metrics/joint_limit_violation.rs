//! How far joints go beyond their limits.
//!
//! For joints with one degree of freedom the position is that of the two bodies' poses (the recorded `q` says only which
//! turn it is); for the others it is the recorded one. `of` names a joint. Joints that turn and joints that slide have no
//! common worst.

use crate::machine::{Machine, slides};
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, need_joints, need_poses, rows_that_count};
use crate::truth::Truth;
use veracity_model::{Dof, JointKind};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "joint_limit_violation",
    unit: "of",
    text: "the largest distance of a joint beyond its limits",
    needs_truth: false,
    deterministic: true,
    measure,
};

/// A degree of freedom with limits: the joint's slot, the index of its position, and the limits.
type Limited<'a> = (usize, usize, &'a Dof);

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    need_joints(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let machine = Machine::new(subject);
    let limited = limited(subject, &machine, options)?;
    let track = &subject.record.track;
    let mut worst = (f64::NEG_INFINITY, "");
    let mut series = Vec::with_capacity(rows.len());
    for row in rows {
        let mut of_row = 0.0f64;
        for &(slot, position, dof) in &limited {
            let by_poses = machine.joint_position(track, row, slot);
            let x = by_poses.unwrap_or(track.q(row)[machine.bodies[slot].q + position]);
            let beyond = (x - dof.upper).max(dof.lower - x).max(0.0);
            let beyond = if x.is_nan() { f64::NAN } else { beyond };
            of_row = if beyond.is_nan() { beyond } else { of_row.max(beyond) };
            if beyond > worst.0 {
                worst = (beyond, &subject.layout.joints[slot].name);
            }
        }
        series.push((track.times[row], of_row));
    }
    let none = vec![0.0; series.len()];
    let mut measured = largest(series, &none);
    if measured.value > 0.0 {
        measured.note = format!("worst is {}", worst.1);
    }
    Ok(measured)
}

fn limited<'a>(
    subject: &Subject<'a>,
    machine: &Machine<'a>,
    options: &Options,
) -> Result<Vec<Limited<'a>>, CannotTell> {
    let wanted = match &options.of {
        None => None,
        Some(name) => match subject.layout.joint(name) {
            Some(slot) => Some(slot),
            None => return CannotTell::new(format!("the world has no joint '{name}'; correct `of`")),
        },
    };
    let mut limited: Vec<Limited<'a>> = Vec::new();
    for (slot, b) in machine.bodies.iter().enumerate().filter(|(slot, _)| wanted.is_none_or(|w| w == *slot)) {
        let joint: &'a veracity_model::Joint = b.joint;
        for (k, dof) in joint.dofs.iter().enumerate().filter(|(_, d)| d.lower.is_finite() || d.upper.is_finite()) {
            let position = match joint.kind {
                JointKind::Ball => continue,
                JointKind::Free if k < 3 => continue,
                JointKind::Free => k - 3,
                _ => k,
            };
            limited.push((slot, position, dof));
        }
    }
    if limited.is_empty() {
        return CannotTell::new("no selected joint has limits");
    }
    let is_length = |&(slot, position, _): &Limited<'_>| match machine.bodies[slot].joint.kind {
        JointKind::Planar { .. } => position < 2,
        JointKind::Free => true,
        kind => slides(&kind),
    };
    let lengths = limited.iter().filter(|l| is_length(l)).count();
    if lengths > 0 && lengths < limited.len() {
        return CannotTell::new("some joints with limits turn and some slide: name one with `of`");
    }
    Ok(limited)
}
