//! Bodies that start inside each other.
//!
//! No two solids can be in one place; an engine pushes them apart in the first steps, with a speed that has nothing to
//! do with the robot. Two shapes may touch: a depth below ten micrometres is touching, under the slop that engines leave
//! between resting bodies and above what measuring curved shapes leaves. Simplified shapes that intrude a little are a
//! warning; deeper than a tenth of the smaller one they are inside each other, which is an error.

use crate::Check;
use crate::context::{Context, Notes};
use crate::extent::Extent;
use crate::show::length;
use std::collections::BTreeMap;
use veracity_collide::{Overlap, ShapeId, overlaps};
use veracity_model::{Body, BodyShape, Findings, Pose, Severity};

pub(super) const CHECK: Check = Check { code: "overlap", text: "no two bodies start inside each other", run };

/// [m]
const TOUCHING: f64 = 1e-5;
/// Fraction of the smallest side of the smaller shape.
const STANDING_IN: f64 = 0.1;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &context.start else { return notes.done() };
    // If contact is disabled, shapes are only drawn.
    if !context.world.contact {
        return notes.done();
    }
    let result = overlaps(context.world, &start.configuration);
    // One finding per pair of bodies: the deepest overlap of their shapes.
    let mut deepest: BTreeMap<_, (Overlap, usize)> = BTreeMap::new();
    for o in result.found.iter().filter(|o| o.gap.depth() > TOUCHING) {
        let key = ((o.a.placement, o.a.body), (o.b.placement, o.b.body));
        let entry = deepest.entry(key).or_insert((*o, 0));
        entry.1 += 1;
        if o.gap.depth() > entry.0.gap.depth() {
            entry.0 = *o;
        }
    }
    for (o, count) in deepest.values() {
        let [(body_a, shape_a), (body_b, shape_b)] = [o.a, o.b].map(|id| parts(context, id));
        let depth = o.gap.depth();
        let smaller = [shape_a, shape_b].iter().filter_map(|s| thickness(s)).fold(f64::INFINITY, f64::min);
        let severity = if depth > STANDING_IN * smaller { Severity::Error } else { Severity::Warning };
        let others = if *count > 1 { format!(", the deepest of {count} pairs of shapes") } else { String::new() };
        let text = format!(
            "bodies '{}' and '{}' start inside each other by {} (shapes '{}' and '{}'{others}); move them apart or exclude \
             the pair from contact",
            body_a.name,
            body_b.name,
            length(depth),
            shape_a.name,
            shape_b.name
        );
        let subject = context.path(o.a.placement, &format!("bodies/{}", body_a.name));
        let source = if shape_a.source.is_some() { &shape_a.source } else { &body_a.source };
        notes.add(severity, source, subject, text);
    }
    for u in &result.unmeasured {
        let (body, shape) = parts(context, u.a);
        let text = format!("cannot tell whether body '{}' starts inside another: {}", body.name, u.why);
        let subject = context.path(u.a.placement, &format!("bodies/{}", body.name));
        notes.add(Severity::Warning, &shape.source, subject, text);
    }
    notes.done()
}

fn parts<'a>(context: &Context<'a>, id: ShapeId) -> (&'a Body, &'a BodyShape) {
    let body = context.world.placements[id.placement].model.body(id.body);
    (body, &body.shapes[id.shape])
}

/// The smallest side of a shape's bounding box [m]; `None` if unbounded or of zero thickness.
fn thickness(shape: &BodyShape) -> Option<f64> {
    let in_own_frame = shape.body_from_shape.inverse();
    let extent = Extent::of_shape(shape, &Pose::from_parts(in_own_frame.translation, in_own_frame.rotation))?;
    Some(extent.size().min()).filter(|t| *t > 0.0)
}
