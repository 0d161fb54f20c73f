//! A joint whose lowest position is above its highest, or the same.
//!
//! An empty range holds nothing. A range of one point is how some files write a fixed joint; engines then hold it
//! with a limit, which gives way, and not with a weld.

use crate::Check;
use crate::context::{Context, Notes};
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "limits-inverted", text: "the lower limit of a joint is below its upper limit", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        for dof in &b.joint.dofs {
            let (name, lower, upper) = (&b.joint.name, number(dof.lower), number(dof.upper));
            let found = if dof.lower > dof.upper {
                let text =
                    format!("joint '{name}' has limits {lower} to {upper}, the lower above the upper; swap them");
                Some((Severity::Error, text))
            } else if dof.lower == dof.upper {
                let text = format!(
                    "joint '{name}' can only be at {lower}, held there by limits that give way in most engines; make it \
                     a fixed joint"
                );
                Some((Severity::Warning, text))
            } else {
                None
            };
            if let Some((severity, text)) = found {
                let subject = context.path(b.placement, &format!("joints/{name}"));
                notes.add(severity, &b.joint.source, subject, text);
            }
        }
    }
    notes.done()
}
