//! Things that are written down and used by nothing: often a reference with a spelling mistake elsewhere.

use crate::Check;
use crate::context::{Context, Notes};
use std::collections::BTreeSet;
use veracity_model::{Findings, Severity, Transmission};

pub(super) const CHECK: Check = Check { code: "unused", text: "what is defined is also used", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (placement, model) in context.models() {
        let of_shapes = model.bodies().iter().flat_map(|b| &b.shapes).filter_map(|s| s.material);
        let used: BTreeSet<_> = of_shapes.chain(model.contact_pairs().iter().filter_map(|p| p.material)).collect();
        for (i, m) in model.materials().iter().enumerate() {
            if !used.contains(&veracity_model::MaterialId(i)) {
                let text = format!("material '{}' is not used by any shape; remove it or assign it", m.name);
                let subject = context.path(placement, &format!("materials/{}", m.name));
                notes.add(Severity::Note, &context.file_of(placement), subject, text);
            }
        }
        for a in model.actuators() {
            let idle = match &a.transmission {
                Transmission::Joint { gear, .. } => *gear == 0.0,
                Transmission::Tendon { terms, gear } => *gear == 0.0 || terms.iter().all(|(_, c)| *c == 0.0),
            };
            if idle {
                let text = format!("actuator '{}' has a gear of zero and moves nothing; set its gear ratio", a.name);
                let subject = context.path(placement, &format!("actuators/{}", a.name));
                notes.add(Severity::Warning, &a.source, subject, text);
            }
        }
    }
    notes.done()
}
