//! A joint that moves nothing: neither the body it carries nor any below has mass, and it has no rotor.
//!
//! Its acceleration is force over zero. Bodies without mass are legal in between and behind fixed joints.

use crate::Check;
use crate::context::{Context, Notes};
use crate::pieces::pieces;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "massless-leaf", text: "every joint that can move carries mass somewhere below it", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (placement, model) in context.models() {
        let pieces = pieces(model);
        let mut carries: Vec<bool> =
            pieces.iter().map(|p| p.inertia.mass != 0.0 || p.inertia.tensor.norm() != 0.0).collect();
        for (i, piece) in pieces.iter().enumerate().rev() {
            if let (true, Some(parent)) = (carries[i], piece.parent) {
                carries[parent] = true;
            }
        }
        for (piece, carries) in pieces.iter().zip(carries) {
            let joint = model.joint(piece.joint);
            let rotor = !joint.dofs.is_empty() && joint.dofs.iter().all(|d| d.armature > 0.0);
            if !carries && !piece.fixed && !rotor {
                let text = format!(
                    "joint '{}' ({}) carries only '{}', which has no mass, so nothing resists its motion; give the body \
                     mass or make the joint fixed",
                    joint.name,
                    joint.kind.name(),
                    model.body(piece.root).name
                );
                let subject = context.path(placement, &format!("bodies/{}", model.body(piece.root).name));
                notes.add(Severity::Error, &model.body(piece.root).source, subject, text);
            }
        }
    }
    notes.done()
}
