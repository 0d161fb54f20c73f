//! How deep any two bodies go into each other that may touch.
//!
//! Measured again from the recorded poses and the collision shapes of the recorded world, over every pair that the
//! model's rules let touch; zero where none overlap. `penetration` looks at named pairs alone. `of` names a body: then
//! its pairs count. Rows between the recorded ones are not seen.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, need_joints, need_poses, pose, rows_that_count};
use crate::truth::Truth;
use veracity_collide::{Configuration, ShapeId, overlaps};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "overlap",
    unit: "m",
    text: "the deepest overlap of any two bodies that may touch",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    need_joints(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let wanted = match &options.of {
        None => None,
        Some(name) => match subject.layout.body(name) {
            Some(slot) => Some(slot),
            None => return CannotTell::new(format!("the world has no body '{name}'; correct `of`")),
        },
    };
    let slot = |id: &ShapeId| {
        let bodies = subject.layout.bodies.iter();
        bodies.clone().position(|b| b.placement == id.placement && b.body == id.body).unwrap_or(usize::MAX)
    };
    let (mut worst, mut note, mut doubt) = (0.0, String::new(), Vec::new());
    let mut series = Vec::with_capacity(rows.len());
    for row in rows {
        let configuration = configuration(subject, row);
        if configuration.world_from_body.iter().flatten().any(|p| !p.translation.vector.iter().all(|x| x.is_finite()))
        {
            return Ok(Measured { at_s: Some(subject.record.track.times[row]), ..Measured::new(f64::NAN, 0.0) });
        }
        let found = overlaps(&subject.record.world, &configuration);
        if let Some(trouble) = found.unmeasured.first() {
            let name = &subject.layout.bodies[slot(&trouble.a)].name;
            return CannotTell::new(format!("the overlap of '{name}' cannot be measured: {}", trouble.why));
        }
        let meant = |id: &ShapeId| wanted.is_none_or(|w| slot(id) == w);
        let mut deepest = (0.0, 0.0);
        for overlap in found.found.iter().filter(|o| meant(&o.a) || meant(&o.b)) {
            let gap = &overlap.gap;
            if -gap.distance > deepest.0 {
                deepest = (-gap.distance, gap.bounds[1] - gap.bounds[0]);
            }
            if -gap.distance > worst {
                worst = -gap.distance;
                let name = |id: &ShapeId| &subject.layout.bodies[slot(id)].name;
                note = format!("worst are {} and {}", name(&overlap.a), name(&overlap.b));
            }
        }
        series.push((subject.record.track.times[row], deepest.0));
        doubt.push(deepest.1);
    }
    Ok(Measured { note, ..largest(series, &doubt) })
}

/// Poses of all bodies of the world in a row.
fn configuration(subject: &Subject<'_>, row: usize) -> Configuration {
    let track = &subject.record.track;
    let (mut slot, mut at) = (0, 0);
    let (mut q, mut poses) = (Vec::new(), Vec::new());
    for placement in &subject.record.world.placements {
        let (bodies, positions) = (placement.model.bodies().len(), placement.model.neutral_positions().len());
        q.push(track.q(row)[at..at + positions].to_vec());
        poses.push((slot..slot + bodies).map(|body| pose(track, row, body)).collect());
        (slot, at) = (slot + bodies, at + positions);
    }
    Configuration { q, world_from_body: poses }
}
