//! The time between two flips of a body that turns about its intermediate axis.
//!
//! A body spun about the principal axis of its intermediate moment turns over again and again (the T-handle). Each flip
//! is a change of sign of the spin about that axis, in the body's own frame; the value is the mean time from one to the
//! next. The whole motion repeats after two. `of` names the body; without it there must be one free body.

use super::period::mean_interval;
use crate::crossing::crossings;
use crate::curve::Curve;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{BodyRow, Rows, need_twists, rows_that_count, window};
use crate::truth::Truth;
use veracity_model::{Inertia, JointKind, Vec3};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "flip_period",
    unit: "s",
    text: "the mean time between flips of a body that turns about its intermediate axis",
    needs_truth: false,
    deterministic: true,
    measure,
};

/// Two principal moments closer than this, relative to the largest, define no intermediate axis.
const EQUAL_MOMENTS: f64 = 1e-9;

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_twists(subject)?;
    if let Rows::BrokeDown(broken) = rows_that_count(subject, options)? {
        return Ok(broken);
    }
    let body = the_body(subject, options)?;
    let slot = &subject.layout.bodies[body];
    let inertia = &subject.record.world.placements[slot.placement].model.body(slot.body).inertia;
    let axis = intermediate_axis(inertia)?;
    let track = &subject.record.track;
    let about_axis = |row: usize| {
        let motion = BodyRow::read(track, row, body);
        Vec3::new((motion.world_from_body.rotation * axis).dot(&motion.spin), 0.0, 0.0)
    };
    let spin = Curve::vector(&track.times, (0..track.rows()).map(about_axis).collect(), None);
    mean_interval(subject, &crossings(&spin, 0.0, window(&track.times, options)), "flip period")
}

/// The principal axis of the middle moment, in the body.
fn intermediate_axis(inertia: &Inertia) -> Result<Vec3, CannotTell> {
    let eigen = inertia.tensor.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let moment = order.map(|k| eigen.eigenvalues[k]);
    let apart = EQUAL_MOMENTS * moment[2];
    if moment[1] - moment[0] <= apart || moment[2] - moment[1] <= apart {
        return CannotTell::new(format!(
            "moments of inertia {moment:?} kg m² have no intermediate one: nothing flips"
        ));
    }
    Ok(eigen.eigenvectors.column(order[1]).into_owned())
}

fn the_body(subject: &Subject<'_>, options: &Options) -> Result<usize, CannotTell> {
    if let Some(name) = &options.of {
        return match subject.layout.body(name) {
            Some(slot) => Ok(slot),
            None => CannotTell::new(format!("the world has no body '{name}'; correct `of`")),
        };
    }
    let mut free = subject.layout.joints.iter().filter(|j| j.kind == JointKind::Free).map(|j| j.body);
    match (free.next(), free.next()) {
        (Some(body), None) => Ok(body),
        _ => CannotTell::new("the world does not have exactly one free body: name one with `of`"),
    }
}
