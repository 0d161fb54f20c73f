//! Names that will be mixed up: two models of one name, or two parts whose names differ only in case.
//!
//! Two parts of one kind with the very same name are refused when the model is built.

use crate::Check;
use crate::context::{Context, Notes};
use std::collections::BTreeMap;
use veracity_model::{Findings, Model, Severity, Source};

pub(super) const CHECK: Check = Check { code: "names", text: "no two names can be confused", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let mut placements = BTreeMap::new();
    for (i, p) in context.world.placements.iter().enumerate() {
        if placements.insert(p.name.as_str(), ()).is_some() {
            let text = format!("two models are called '{}' in this world; rename one", p.name);
            notes.add(Severity::Error, &context.file_of(i), p.name.clone(), text);
        }
    }
    for (placement, model) in context.models() {
        for (kind, list) in named_parts(model) {
            let mut seen: BTreeMap<String, &str> = BTreeMap::new();
            for (name, source) in list {
                let Some(earlier) = seen.insert(name.trim().to_lowercase(), name) else { continue };
                if earlier == name {
                    continue;
                }
                let text =
                    format!("{kind} '{earlier}' and {kind} '{name}' differ only in case or spaces; rename one");
                let subject = context.path(placement, &format!("{kind}/{name}"));
                notes.add(Severity::Warning, source, subject, text);
            }
        }
    }
    notes.done()
}

type Named<'a> = Vec<(&'a str, &'a Option<Source>)>;

fn named_parts(model: &Model) -> [(&'static str, Named<'_>); 5] {
    [
        ("body", model.bodies().iter().map(|b| (b.name.as_str(), &b.source)).collect()),
        ("joint", model.joints().iter().map(|j| (j.name.as_str(), &j.source)).collect()),
        ("actuator", model.actuators().iter().map(|a| (a.name.as_str(), &a.source)).collect()),
        ("sensor", model.sensors().iter().map(|s| (s.name.as_str(), &s.source)).collect()),
        ("frame", model.frames().iter().map(|f| (f.name.as_str(), &None)).collect()),
    ]
}
