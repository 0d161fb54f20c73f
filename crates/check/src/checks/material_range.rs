//! Surfaces no surface can have: friction or dissipation below zero, a bounce that gains speed.

use crate::Check;
use crate::context::{Context, Notes};
use veracity_model::{Findings, MaterialId, Severity};

pub(super) const CHECK: Check =
    Check { code: "material-range", text: "friction is not negative and restitution lies between 0 and 1", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (placement, model) in context.models() {
        for (i, m) in model.materials().iter().enumerate() {
            // A material has no line of its own: use the first shape made of it.
            let mut shapes = model.bodies().iter().flat_map(|b| &b.shapes);
            let user = shapes.find(|s| s.material == Some(MaterialId(i))).and_then(|s| s.source.clone());
            let source = user.or_else(|| context.file_of(placement));
            let mut bad = |what: &str, value: f64, advice: &str| {
                let text = format!("material '{}' has a {what} of {value}; {advice}", m.name);
                let subject = context.path(placement, &format!("materials/{}", m.name));
                notes.add(Severity::Error, &source, subject, text);
            };
            let not_negative = [
                ("friction", m.friction[0]),
                ("second friction", m.friction[1]),
                ("torsional friction", m.torsional_friction),
                ("rolling friction", m.rolling_friction),
                ("dissipation", m.dissipation),
            ];
            for (what, value) in not_negative {
                if value < 0.0 || value.is_nan() {
                    bad(what, value, "it cannot be negative");
                }
            }
            if !(0.0..=1.0).contains(&m.restitution) {
                bad("restitution", m.restitution, "it lies between 0 (no bounce) and 1 (no loss)");
            }
            if let Some(stiffness) = m.stiffness.filter(|k| *k <= 0.0 || k.is_nan()) {
                bad("stiffness", stiffness, "it is positive");
            }
        }
    }
    notes.done()
}
