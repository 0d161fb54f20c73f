//! A centre of mass far away from everything the body is drawn with.
//!
//! Inside the shapes it must be; one more diagonal of their box is left for what is not drawn.

use crate::Check;
use crate::context::{Context, Notes, is_bounded};
use crate::extent::Extent;
use crate::show::length;
use veracity_model::{Findings, Pose, Severity};

pub(super) const CHECK: Check =
    Check { code: "com-outside", text: "the centre of mass lies near the body's shapes", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies().filter(|b| b.body.inertia.mass > 0.0) {
        let shapes = b.body.shapes.iter().filter(|s| is_bounded(s));
        let Some(extent) = Extent::of_shapes(shapes, &Pose::identity()) else { continue };
        let away = extent.distance(&b.body.inertia.com);
        if away > extent.diagonal() {
            let text = format!(
                "the centre of mass of body '{}' lies {} outside its shapes, which are {} across; check the \
                 origin of the inertia and the scale of the shapes",
                b.body.name,
                length(away),
                length(extent.diagonal())
            );
            notes.add(Severity::Warning, &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}
