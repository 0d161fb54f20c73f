//! A body of negative mass, or one that resists turning without having mass.

use crate::Check;
use crate::context::{Context, Notes};
use crate::mass_properties::impossible;
use crate::show::number;
use veracity_model::Findings;

pub(super) const CHECK: Check =
    Check { code: "mass-not-positive", text: "every mass is positive, or zero together with its inertia", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        let (name, mass) = (&b.body.name, b.body.inertia.mass);
        let turning = b.body.inertia.principal_moments()[2];
        if mass < 0.0 {
            let text = format!("body '{name}' has a mass of {} kg; give it its real mass", number(mass));
            notes.add(impossible(&b), &b.body.source, b.path(context), text);
        } else if mass == 0.0 && turning > 0.0 {
            let text = format!(
                "body '{name}' has no mass but a moment of inertia of {} kg m²; a body without mass cannot have inertia: give it mass, or remove the inertia",
                number(turning)
            );
            notes.add(impossible(&b), &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}
