//! A joint with a motor that may push with nothing, or may not move.
//!
//! URDF makes `effort` and `velocity` attributes one must write; zeros mean "not known" to the writer of the file and
//! "never" to an engine.

use crate::Check;
use crate::context::{Context, Notes};
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check = Check { code: "limits-zero", text: "limits of effort and speed are positive", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        for dof in &b.joint.dofs {
            for (what, unit, limit) in
                [("effort", "N m or N", dof.effort_limit), ("speed", "rad/s or m/s", dof.velocity_limit)]
            {
                let name = &b.joint.name;
                let found = if limit < 0.0 {
                    let text = format!(
                        "joint '{name}' has an {what} limit of {} {unit}; a limit is not negative",
                        number(limit)
                    );
                    Some((Severity::Error, text))
                } else if limit == 0.0 {
                    let text = format!(
                        "joint '{name}' has an {what} limit of zero, so an engine that honours it never moves the joint; \
                         write the real limit"
                    );
                    Some((Severity::Warning, text))
                } else {
                    None
                };
                if let Some((severity, text)) = found {
                    let subject = context.path(b.placement, &format!("joints/{name}"));
                    notes.add(severity, &b.joint.source, subject, text.replace("an speed", "a speed"));
                }
            }
        }
    }
    notes.done()
}
