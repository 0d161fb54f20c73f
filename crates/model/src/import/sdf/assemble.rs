//! Builds a [`World`] from the flat lists: groups models and places them.
//!
//! Each top-level model of the world becomes one [`crate::Model`], including its nested models. Models connected by a
//! joint of the world become one, because a joint needs both its bodies in one model.

use super::description::{Setting, WorldText};
use super::flatten::{Flat, flatten};
use super::frames::WORLD;
use super::group::{Group, build};
use crate::combination::Combination;
use crate::finding::{Findings, Severity};
use crate::geometry::Pose;
use crate::world::{Placement, World};
use std::sync::Arc;

/// Builds the world; `None` if an error prevents it.
pub(super) fn assemble(text: &WorldText, findings: &mut Findings) -> Option<World> {
    let flat = flatten(text, findings)?;
    let mut placements = Vec::new();
    let mut settings = text.settings.clone();
    let mut complete = true;
    for group in groups(text, &flat) {
        if group.links.is_empty() {
            let models: Vec<_> = group.tops.iter().map(|t| text.models[*t].name.as_str()).collect();
            let source = Some(text.models[group.tops[0]].source.clone());
            let what = format!("model '{}' has no links and is left out", models.join("', '"));
            findings.add(Severity::Warning, "model-empty", source, models[0], what);
            continue;
        }
        let world_from_model =
            if group.base == WORLD { Pose::identity() } else { flat.frames.world_from[group.base] };
        settings.extend(group_settings(text, &flat, &group));
        match build(&flat, &group, findings) {
            Some(model) => {
                let (name, model) = (group.name.clone(), Arc::new(model));
                placements.push(Placement { name, model, world_from_model });
            }
            None => complete = false,
        }
    }
    if placements.is_empty() && complete {
        let text = "the document has no model with a link; there is nothing to simulate";
        findings.add(Severity::Error, "model-empty", None, "", text);
        return None;
    }
    for frame in flat.named_frames.iter().filter(|f| f.top.is_none() && flat.frames.link[f.frame].is_none()) {
        // It was needed to place others; nothing moves with it.
        let source = Some(frame.text.source.clone());
        let what = format!("frame '{}' of the world is used only to place models", frame.name);
        findings.add(Severity::Note, "unsupported", source, &frame.name, what);
    }
    let (name, gravity) = (text.name.clone(), text.gravity);
    let combination = Combination::default();
    complete.then_some(World { name, gravity, placements, contact: true, combination, engine_settings: settings })
}

/// Top-level models of the world, merged where a joint of the world connects them, in file order.
fn groups(text: &WorldText, flat: &Flat<'_>) -> Vec<Group> {
    let top_of_link = |link: usize| flat.models[flat.links[link].model].top;
    let mut leader: Vec<usize> = (0..text.models.len()).collect();
    fn find(leader: &mut [usize], mut i: usize) -> usize {
        while leader[i] != i {
            leader[i] = leader[leader[i]];
            i = leader[i];
        }
        i
    }
    for joint in flat.joints.iter().filter(|j| j.top.is_none()) {
        let ends = [joint.parent, joint.child].map(|f| flat.frames.link[f].map(top_of_link));
        if let [Some(a), Some(b)] = ends {
            let (a, b) = (find(&mut leader, a), find(&mut leader, b));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: Vec<usize> = vec![0; text.models.len()];
    for top in 0..text.models.len() {
        let first = find(&mut leader, top);
        if first == top {
            group_of[top] = groups.len();
            groups.push(Group::default());
        } else {
            group_of[top] = group_of[first];
        }
        groups[group_of[top]].tops.push(top);
    }
    for group in &mut groups {
        let names: Vec<_> = group.tops.iter().map(|t| text.models[*t].name.as_str()).collect();
        group.name = names.join("+");
        group.base = match group.tops[..] {
            [only] => flat.models[flat.top_models[only]].frame,
            _ => WORLD,
        };
        group.canonical = flat.models[flat.top_models[group.tops[0]]].canonical;
        group.warnings = group.tops.iter().flat_map(|t| text.models[*t].warnings.iter().cloned()).collect();
    }
    for link in 0..flat.links.len() {
        groups[group_of[top_of_link(link)]].links.push(link);
    }
    for (index, joint) in flat.joints.iter().enumerate() {
        let mut links = [joint.child, joint.parent].into_iter().filter_map(|f| flat.frames.link[f]);
        let top = joint.top.or_else(|| links.next().map(top_of_link));
        if let Some(top) = top {
            groups[group_of[top]].joints.push(index);
        }
    }
    for (index, frame) in flat.named_frames.iter().enumerate() {
        let top = frame.top.or_else(|| flat.frames.link[frame.frame].map(top_of_link));
        if let Some(top) = top {
            groups[group_of[top]].frames.push(index);
        }
    }
    groups
}

/// Engine settings in the file for this group, keyed by the group's name.
fn group_settings(text: &WorldText, flat: &Flat<'_>, group: &Group) -> Vec<Setting> {
    let of_models = group.tops.iter().flat_map(|t| &text.models[*t].settings);
    let mut out: Vec<Setting> = of_models
        .map(|(engine, key, value)| (engine.clone(), format!("{}/{key}", group.name), value.clone()))
        .collect();
    for joint in group.joints.iter().map(|j| &flat.joints[*j]) {
        let name = group.scoped(flat, joint.top, &joint.name);
        for (engine, key, value) in &joint.text.settings {
            out.push((engine.clone(), format!("{}/joints/{name}/{key}", group.name), value.clone()));
        }
    }
    out
}
