//! A moment of inertia that does not fit the body's shapes.
//!
//! Mass inside a box with half sides `e` about any centre has, about its own centre of mass and the box's axes,
//!
//! ```text
//! (1)  Ixx <= m (ey² + ez²)        (each coordinate's variance is at most its half range squared)
//! ```
//!
//! with equality for masses at the corners. The box is the one around all shapes, colliding or drawn. More than (1) is
//! impossible for mass inside it; because shapes are simplified and cables stick out, it is a warning up to ten times,
//! where mass would sit three times farther out than anything drawn, and an error beyond.
//!
//! On the small side there is no bound (a point mass is legal), but a body that turns twenty times more easily than
//! its shapes filled evenly has its mass within a quarter of their size: usually a unit or a forgotten scale.

use crate::Check;
use crate::context::{BodyRef, Context, Notes, is_bounded};
use crate::extent::{self, Extent};
use crate::show::number;
use veracity_model::{Findings, Pose, Severity};

pub(super) const CHECK: Check = Check {
    code: "inertia-proportion",
    text: "moments of inertia fit the mass and the size of the body's shapes",
    run,
};

/// Over (1): rounding of the file's digits.
const ROUNDING: f64 = 1.01;
/// Over (1): beyond what simplified shapes explain.
const IMPOSSIBLE: f64 = 10.0;
/// Of the evenly filled shapes.
const TOO_EASY: f64 = 1.0 / 20.0;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies().filter(|b| b.body.inertia.mass > 0.0) {
        let drawn = b.body.shapes.iter().filter(|s| is_bounded(s));
        let Some(extent) = Extent::of_shapes(drawn, &Pose::identity()) else { continue };
        if let Some((severity, text)) = judge(&b, &extent) {
            notes.add(b.severity(severity), &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}

fn judge(b: &BodyRef<'_>, extent: &Extent) -> Option<(Severity, String)> {
    let (name, inertia) = (&b.body.name, &b.body.inertia);
    let squares = (extent.size() * 0.5).map(|e| e * e);
    let bounds = [squares.y + squares.z, squares.z + squares.x, squares.x + squares.y].map(|s| s * inertia.mass);
    let (axis, over) = (0..3)
        .filter(|k| bounds[*k] > 0.0)
        .map(|k| (k, inertia.tensor[(k, k)] / bounds[k]))
        .max_by(|x, y| x.1.total_cmp(&y.1))?;
    let even = extent::solid(b.sizing_shapes()).filter(|s| s.mass > 0.0).map(|s| s.tensor * (inertia.mass / s.mass));
    let letter = ["x", "y", "z"][axis];
    let moment = inertia.tensor[(axis, axis)];
    if over > ROUNDING {
        let size = extent.size();
        let times = even.map(|t| moment / t[(axis, axis)]).filter(|r| r.is_finite() && *r > 1.0);
        let against = times.map(|r| format!(" ({r:.0} times its shapes filled evenly)")).unwrap_or_default();
        let text = format!(
            "body '{name}' has I{letter}{letter} = {} kg m²{against}, but {} kg inside its {} x {} x {} m can have at most {}; check units and scale of the inertia, or draw what is missing",
            number(moment),
            number(inertia.mass),
            number(size.x),
            number(size.y),
            number(size.z),
            number(bounds[axis])
        );
        return Some((if over > IMPOSSIBLE { Severity::Error } else { Severity::Warning }, text));
    }
    let even = even?;
    // A body written as a point mass is meant to be one.
    if inertia.tensor.norm() == 0.0 {
        return None;
    }
    let largest = |t: &veracity_model::Mat3| t.symmetric_eigenvalues().max();
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
