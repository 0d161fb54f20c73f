//! Orders links and joints into a tree with parents first.

use super::super::xml::Element;
use super::joint::UrdfJoint;
use super::link::Link;
use crate::finding::{Findings, Severity};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// One link and the joint that carries it; the root has none.
pub(super) struct Step {
    pub link: usize,
    pub joint: Option<usize>,
    /// The parent link of the joint; meaningless for the root.
    pub parent_link: usize,
}

/// Links with parents first and otherwise in file order; `None`, with errors, if they do not form one tree.
pub(super) fn order(
    root: Element<'_>,
    links: &[Link],
    joints: &[UrdfJoint<'_>],
    findings: &mut Findings,
) -> Option<Vec<Step>> {
    if links.is_empty() {
        root.error(findings, "tree-empty", "", "<robot> has no links, so there is nothing to move");
        return None;
    }
    let mut problems = Findings::new();
    let mut complain = |code: &'static str, source, subject: String, text: String| {
        problems.add(Severity::Error, code, source, subject, text);
    };

    let mut link_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        let name = link.body.name.as_str();
        let subject = format!("bodies/{name}");
        if name.is_empty() {
            complain("name-empty", link.body.source.clone(), subject, "a link has no name; give it one".into());
        } else if link_of.insert(name, i).is_some() {
            let text = format!("two links are called '{name}'; rename one");
            complain("name-clash", link.body.source.clone(), subject, text);
        }
    }
    let mut joint_names: BTreeMap<&str, ()> = BTreeMap::new();
    // For each link, the joint that carries it and the joints attached to it.
    let mut carried_by: Vec<Option<usize>> = vec![None; links.len()];
    let mut hanging: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut unplaced = false;
    for (j, joint) in joints.iter().enumerate() {
        let (name, source) = (joint.name(), joint.joint.source.clone());
        if name.is_empty() {
            complain("name-empty", source.clone(), joint.subject(), "a joint has no name; give it one".into());
        } else if joint_names.insert(name, ()).is_some() {
            let text = format!("two joints are called '{name}'; rename one");
            complain("name-clash", source.clone(), joint.subject(), text);
        }
        let mut find = |role: &str, link: &str| {
            let found = link_of.get(link).copied();
            // A missing link name has been reported where the joint was read.
            if found.is_none() && !link.is_empty() {
                let text = format!("the {role} of joint '{name}' is '{link}', which is not a link; correct the name");
                complain("joint-link", source.clone(), joint.subject(), text);
            }
            found
        };
        let (parent, child) = (find("parent", joint.parent), find("child", joint.child));
        let (Some(parent), Some(child)) = (parent, child) else {
            unplaced = true;
            continue;
        };
        if let Some(other) = carried_by[child].replace(j) {
            let text = format!(
                "link '{}' is the child of joints '{}' and '{name}'; URDF has no loops: cut it and close it with a \
                 [[loop]] in a .toml next to the file",
                joint.child,
                joints[other].name()
            );
            complain("tree-two-parents", source, joint.subject(), text);
        }
        hanging[parent].push(j);
    }
    let sound = problems.is_empty() && !unplaced;
    findings.extend(problems);
    if !sound {
        return None;
    }

    let roots: Vec<usize> = (0..links.len()).filter(|i| carried_by[*i].is_none()).collect();
    if roots.len() > 1 {
        let names: Vec<String> = roots.iter().take(8).map(|i| format!("'{}'", links[*i].body.name)).collect();
        let more = if roots.len() > 8 { " and more" } else { "" };
        let text = format!("links {}{more} hang on nothing; join them so that one is the root", names.join(", "));
        findings.add(Severity::Error, "tree-roots", links[roots[1]].body.source.clone(), "", text);
        return None;
    }
    // Always take the first link in the file whose parent is placed.
    let mut ready: BinaryHeap<Reverse<usize>> = roots.into_iter().map(Reverse).collect();
    let mut steps = Vec::with_capacity(links.len());
    let mut placed = vec![false; links.len()];
    while let Some(Reverse(link)) = ready.pop() {
        placed[link] = true;
        let joint = carried_by[link];
        let parent_link = joint.and_then(|j| link_of.get(joints[j].parent).copied()).unwrap_or(link);
        steps.push(Step { link, joint, parent_link });
        for j in &hanging[link] {
            ready.extend(link_of.get(joints[*j].child).map(|child| Reverse(*child)));
        }
    }
    // With at most one root and one parent each, an unreached link is in or below a cycle.
    if let Some(lost) = placed.iter().position(|p| !p) {
        let body = &links[lost].body;
        let text = format!(
            "link '{}' is its own ancestor: the joints go round in a circle; URDF has no loops: cut it and close it \
             with a [[loop]] in a .toml next to the file",
            body.name
        );
        findings.add(Severity::Error, "tree-circle", body.source.clone(), format!("bodies/{}", body.name), text);
        return None;
    }
    Some(steps)
}
