//! Which links of a model may touch each other.
//!
//! Two links of one model of the file can touch if either has `self_collide`; links connected by a joint never do
//! (SDFormat specification). Links of different models can touch, even if one model is nested in the other, as in
//! Gazebo, which compares the models that contain the links.

use super::group::Making;
use crate::finding::Severity;
use std::collections::BTreeMap;

/// Maximum number of links of one model with individual self-collision settings: excluded pairs are listed
/// individually.
const MAX_FILTERED_LINKS: usize = 2000;

/// Excludes contact between bodies of links that do not touch.
pub(super) fn add_contact_filters(making: &mut Making<'_, '_>) {
    let (flat, group) = (making.flat, making.group);
    // Links without self-collision, by the model that contains them. Static links never touch each other.
    let mut quiet: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &link in &group.links {
        let model = flat.links[link].model;
        let list = quiet.entry(model).or_default();
        if !flat.links[link].text.self_collide && !flat.models[model].is_static {
            list.push(link);
        }
    }
    let only = quiet.values().next().filter(|_| quiet.len() == 1);
    if only.is_some_and(|links| links.len() == group.links.len()) {
        making.builder.self_collide(false);
        return;
    }
    for (model, links) in quiet {
        if links.len() > MAX_FILTERED_LINKS {
            let source = Some(flat.models[model].text.source.clone());
            let text = format!(
                "{} links of a model do not collide with each other while others may; above {MAX_FILTERED_LINKS} this is \
                 not supported and all may touch",
                links.len()
            );
            making.findings.add(Severity::Warning, "unsupported", source, &flat.models[model].text.name, text);
            continue;
        }
        for (i, a) in links.iter().enumerate() {
            for b in &links[i + 1..] {
                if let (Some(&a), Some(&b)) = (making.body_of.get(a), making.body_of.get(b)) {
                    making.builder.exclude_contact(a, b);
                }
            }
        }
    }
}
