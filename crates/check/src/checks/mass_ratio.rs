//! Very different masses on the two sides of a joint.
//!
//! Engines that solve joints by iteration pass an impulse on from body to body; it takes about as many iterations as
//! the ratio of the masses until a light body in between holds a heavy one. Fixed joints are seen through; bodies
//! without mass are left to `massless-leaf`.

use crate::Check;
use crate::context::{Context, Notes};
use crate::pieces::pieces;
use crate::show::number;
use veracity_model::{Findings, JointKind, Severity};

pub(super) const CHECK: Check = Check {
    code: "mass-ratio",
    text: "masses on the two sides of a joint differ by a factor of less than a thousand",
    run,
};

const LARGE: f64 = 1000.0;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (placement, model) in context.models() {
        let pieces = pieces(model);
        for piece in &pieces {
            let joint = model.joint(piece.joint);
            let Some(parent) = piece.parent.map(|p| &pieces[p]) else { continue };
            let masses = [parent.inertia.mass, piece.inertia.mass];
            if parent.fixed || joint.kind == JointKind::Free || masses.iter().any(|m| *m <= 0.0) {
                continue;
            }
            let ratio = masses[0].max(masses[1]) / masses[0].min(masses[1]);
            if ratio > LARGE {
                let text = format!(
                    "joint '{}' holds {} kg ('{}') to {} kg ('{}'), {ratio:.0} to one; iterative solvers will stretch it: \
                     check the masses",
                    joint.name,
                    number(masses[1]),
                    model.body(piece.root).name,
                    number(masses[0]),
                    model.body(parent.root).name
                );
                let subject = context.path(placement, &format!("joints/{}", joint.name));
                notes.add(Severity::Warning, &joint.source, subject, text);
            }
        }
    }
    notes.done()
}
