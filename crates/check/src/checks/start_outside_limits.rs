//! A joint that starts outside its limits. Engines throw it back in the first step, or never notice.

use crate::Check;
use crate::context::{Context, Notes};
use crate::show::number;
use veracity_model::{Findings, JointId, Severity};

pub(super) const CHECK: Check =
    Check { code: "start-outside-limits", text: "every joint starts between its limits", run };

/// Rounding of printed limits [rad or m]: a start at zero with a limit of 1e-7 is on the limit.
const ROUNDING: f64 = 1e-6;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let mut rest = context.q.as_slice();
    for (p, placement) in context.world.placements.iter().enumerate() {
        let model = &placement.model;
        let (q, others) = rest.split_at(model.position_count());
        rest = others;
        for (i, joint) in model.joints().iter().enumerate() {
            // Joints with quaternions have no position limits.
            if joint.kind.position_count() != joint.dofs.len() {
                continue;
            }
            let first = model.position_offset(JointId(i));
            for (dof, x) in joint.dofs.iter().zip(&q[first..]) {
                let outside = (dof.lower - x).max(x - dof.upper);
                if outside > ROUNDING && dof.lower <= dof.upper {
                    let text = format!(
                        "joint '{}' starts at {}, outside its limits {} to {}; give it a start inside",
                        joint.name,
                        number(*x),
                        number(dof.lower),
                        number(dof.upper)
                    );
                    let subject = context.path(p, &format!("joints/{}", joint.name));
                    notes.add(Severity::Warning, &joint.source, subject, text);
                }
            }
        }
    }
    notes.done()
}
