//! A moment of inertia that does not fit the body's shapes.
//!
//! Mass inside a box with half sides `e` about any centre has, about its own centre of mass and the box's axes,
//!
//! ```text
//! (1)  Ixx <= m (ey² + ez²)        (each coordinate's variance is at most its half range squared)
//! ```
//!
//! with equality for masses at the corners. The box is the one around all shapes, colliding or drawn, of the body and of the
//! bodies fixed to it: files often draw one rigid part in one link and weigh it in another. More than (1) is impossible for
//! mass inside it; because shapes are simplified and cables stick out, it is a warning up to ten times, where mass would sit
//! three times farther out than anything drawn, and an error beyond. It stays a warning where the drawing does not say how
//! large the body is: a shape could not be read, only collision shapes are given, or all of the box filled with osmium would
//! weigh less than the body (a marker in place of a part).
//!
//! On the small side there is no bound (a point mass is legal), but a body that turns twenty times more easily than
//! its shapes filled evenly has its mass within a quarter of their size: usually a unit or a forgotten scale.

use crate::Check;
use crate::context::{BodyRef, Context, Notes, is_bounded};
use crate::extent::{self, Extent};
use crate::pieces::places;
use crate::show::number;
use veracity_model::{Body, Findings, Mat3, Pose, Severity};

pub(super) const CHECK: Check = Check {
    code: "inertia-proportion",
    text: "moments of inertia fit the mass and the size of the body's shapes",
    run,
};

/// Factor on (1): rounding of the digits in the file.
const ROUNDING: f64 = 1.01;
/// Factor on (1): more than simplified shapes can explain.
const IMPOSSIBLE: f64 = 10.0;
/// Density of the heaviest solid [kg/m³].
const OSMIUM: f64 = 22_600.0;
/// Factor on the moments of the evenly filled shapes.
const TOO_EASY: f64 = 1.0 / 20.0;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let places: Vec<Vec<(usize, Pose)>> = context.world.placements.iter().map(|p| places(&p.model)).collect();
    for b in context.bodies().filter(|b| b.body.inertia.mass > 0.0) {
        let found = match own_extent(b.body) {
            Some(own) if excess(&b, &own).is_none_or(|(_, over)| over <= ROUNDING) => too_easy(&b),
            // Beyond its own shapes: the shapes of the rest of its rigid part count as well.
            _ => too_hard(context, &b, &places[b.placement]).or_else(|| too_easy(&b)),
        };
        if let Some((severity, text)) = found {
            notes.add(b.severity(severity), &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}

fn own_extent(body: &Body) -> Option<Extent> {
    Extent::of_shapes(body.shapes.iter().filter(|s| is_bounded(s)), &Pose::identity())
}

/// The largest ratio of a moment to its bound (1), with the axis.
fn excess(b: &BodyRef<'_>, extent: &Extent) -> Option<(usize, f64)> {
    let bounds = bounds(b, extent);
    (0..3)
        .filter(|k| bounds[*k] > 0.0)
        .map(|k| (k, b.body.inertia.tensor[(k, k)] / bounds[k]))
        .max_by(|x, y| x.1.total_cmp(&y.1))
}

/// The right-hand side of (1).
fn bounds(b: &BodyRef<'_>, extent: &Extent) -> [f64; 3] {
    let squares = (extent.size() * 0.5).map(|e| e * e);
    [squares.y + squares.z, squares.z + squares.x, squares.x + squares.y].map(|s| s * b.body.inertia.mass)
}

/// The tensor of the body's own shapes filled evenly with its mass.
fn filled_evenly(b: &BodyRef<'_>) -> Option<Mat3> {
    let solid = extent::solid(b.sizing_shapes()).filter(|s| s.mass > 0.0)?;
    Some(solid.tensor * (b.body.inertia.mass / solid.mass))
}

/// Reports moments larger than mass inside the drawn shapes can have.
fn too_hard(context: &Context<'_>, b: &BodyRef<'_>, places: &[(usize, Pose)]) -> Option<(Severity, String)> {
    let (piece, root_from_body) = &places[b.id.0];
    let part = || b.model.bodies().iter().zip(places).filter(|(_, (p, _))| p == piece);
    let around = |(body, (_, root_from_other)): (&Body, &(usize, Pose))| {
        let pose = root_from_body.inverse() * root_from_other;
        Extent::of_shapes(body.shapes.iter().filter(|s| is_bounded(s)), &pose)
    };
    let extent = part().filter_map(around).reduce(Extent::union)?;
    let (axis, over) = excess(b, &extent).filter(|(_, over)| *over > ROUNDING)?;
    let (name, inertia) = (&b.body.name, &b.body.inertia);
    let letter = ["x", "y", "z"][axis];
    let (moment, size) = (inertia.tensor[(axis, axis)], extent.size());
    let times = filled_evenly(b).map(|t| moment / t[(axis, axis)]).filter(|r| r.is_finite() && *r > 1.0);
    let against = times.map(|r| format!(" ({r:.0} times its shapes filled evenly)")).unwrap_or_default();
    let whose = if own_extent(b.body) == Some(extent) { "its" } else { "the rigid part's" };
    let shapes = || part().flat_map(|(body, _)| &body.shapes);
    let unsure = if part().any(|(body, _)| context.may_lack_shapes(body)) {
        Some("not all of its shapes were read")
    } else if !shapes().any(|s| s.visible) {
        Some("only collision shapes are given")
    } else if size.product() * OSMIUM < inertia.mass {
        Some("the shapes are too small for its mass")
    } else {
        None
    };
    let unsure = unsure.filter(|_| over > IMPOSSIBLE);
    let because = unsure.map(|why| format!("; no error because {why}")).unwrap_or_default();
    let text = format!(
        "body '{name}' has I{letter}{letter} = {} kg m²{against}, but {} kg inside {whose} {} x {} x {} m can have at most {}; \
         check units and scale of the inertia, or add the missing shapes{because}",
        number(moment),
        number(inertia.mass),
        number(size.x),
        number(size.y),
        number(size.z),
        number(bounds(b, &extent)[axis])
    );
    Some((if over > IMPOSSIBLE && unsure.is_none() { Severity::Error } else { Severity::Warning }, text))
}

/// Reports moments much smaller than those of the evenly filled shapes.
fn too_easy(b: &BodyRef<'_>) -> Option<(Severity, String)> {
    let (name, inertia) = (&b.body.name, &b.body.inertia);
    let even = filled_evenly(b)?;
    // A body written as a point mass is intended to be one.
    if inertia.tensor.norm() == 0.0 {
        return None;
    }
    let largest = |t: &Mat3| t.symmetric_eigenvalues().max();
    let ratio = largest(&inertia.tensor) / largest(&even);
    (ratio < TOO_EASY).then(|| {
        let text = format!(
            "body '{name}' turns {:.0} times more easily than its shapes filled evenly with its {} kg ({} against {} kg \
             m²); check units of the inertia and scale of the shapes",
            1.0 / ratio,
            number(inertia.mass),
            number(largest(&inertia.tensor)),
            number(largest(&even))
        );
        (Severity::Warning, text)
    })
}
