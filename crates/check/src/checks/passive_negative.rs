//! Damping, friction, rotor inertia or drag below zero: energy out of nothing. A negative spring is legal, and seldom
//! meant.

use crate::Check;
use crate::context::{Context, Notes};
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "passive-negative", text: "damping, friction, armature and drag are not negative", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        let joint = b.joint;
        for d in &joint.dofs {
            for (what, value) in [("damping", d.damping), ("friction", d.friction), ("armature", d.armature)] {
                if value < 0.0 {
                    let text = format!(
                        "joint '{}' has a {what} of {value}, which adds energy; make it positive",
                        joint.name
                    );
                    let subject = context.path(b.placement, &format!("joints/{}", joint.name));
                    notes.add(Severity::Error, &joint.source, subject, text);
                }
            }
            if d.stiffness < 0.0 {
                let text = format!(
                    "joint '{}' has a spring of stiffness {}, which pushes away from rest; check the sign",
                    joint.name, d.stiffness
                );
                let subject = context.path(b.placement, &format!("joints/{}", joint.name));
                notes.add(Severity::Warning, &joint.source, subject, text);
            }
        }
        for (what, value) in [("linear", b.body.linear_damping), ("angular", b.body.angular_damping)] {
            if value < 0.0 {
                let text = format!(
                    "body '{}' has a {what} drag of {value} 1/s, which adds energy; make it positive",
                    b.body.name
                );
                notes.add(Severity::Error, &b.body.source, b.path(context), text);
            }
        }
    }
    for (placement, model) in context.models() {
        for s in model.springs().iter().filter(|s| s.damping < 0.0) {
            let text = format!(
                "spring '{}' has a damping of {} N s/m, which adds energy; make it positive",
                s.name, s.damping
            );
            notes.add(Severity::Error, &s.source, context.path(placement, &format!("springs/{}", s.name)), text);
        }
    }
    notes.done()
}
