//! `<replicate>`: copies of its contents, each displaced from the previous one.
//!
//! With the step `S` of `offset` and `euler`, copy `i` of `count` is in a frame at
//!
//! ```text
//! (1)  parent_from_copy_i = S^i,    S = (offset, R(euler))
//! ```
//!
//! and the names inside get `sep` and the number of the copy appended, padded to as many digits as `count` has; the
//! innermost `<replicate>` appends first. Elements of other sections that refer to a replicated name are replicated
//! with it. The rewritten document has `<frame>` elements in place of `<replicate>`.

use super::context::Context;
use super::node::Node;
use super::pose;
use crate::geometry::{Pose, Quat, Vec3};
use std::collections::BTreeMap;

/// Maximum number of elements after replication.
const MAX_ELEMENTS: usize = 1_000_000;

/// Sections whose elements refer to names in the tree.
const REFERRING: [&str; 5] = ["contact", "tendon", "equality", "actuator", "sensor"];

/// The document with every `<replicate>` replaced.
pub(super) fn expand(root: &Node, ctx: &mut Context<'_>) -> Node {
    let mut expansion = Expansion { names: BTreeMap::new(), elements: 0 };
    let mut out = root.clone();
    for section in out.children.iter_mut().filter(|c| c.name == "worldbody") {
        *section = expansion.node(section, ctx);
    }
    for section in out.children.iter_mut().filter(|c| REFERRING.contains(&c.name.as_str())) {
        section.children = section.children.iter().flat_map(|child| expansion.referring(child)).collect();
    }
    out
}

/// Whether there is anything to expand.
pub(super) fn is_used(root: &Node) -> bool {
    root.name == "replicate" || root.children.iter().any(is_used)
}

struct Expansion {
    /// Names inside `<replicate>`, each with the suffixes of its copies.
    names: BTreeMap<String, Vec<String>>,
    elements: usize,
}

impl Expansion {
    fn node(&mut self, node: &Node, ctx: &mut Context<'_>) -> Node {
        let mut out = Node { children: Vec::new(), ..node.clone() };
        for child in &node.children {
            // Innermost first, so that its suffix comes first.
            let inner = self.node(child, ctx);
            if child.name == "replicate" {
                self.copies(&inner, &mut out.children, ctx);
            } else {
                out.children.push(inner);
            }
        }
        out
    }

    fn copies(&mut self, node: &Node, into: &mut Vec<Node>, ctx: &mut Context<'_>) {
        ctx.check_attributes(node, "replicate");
        let count = node.integer("count", ctx.findings).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let size = elements(node);
        if count == 0 || self.elements.saturating_add(count.saturating_mul(size)) > MAX_ELEMENTS {
            let text = format!("<replicate> needs a count of at least 1 and at most {MAX_ELEMENTS} elements in all");
            ctx.error(node, "replicate", text);
            return;
        }
        self.elements += count * size;
        let offset = node.vector("offset", ctx.findings).unwrap_or_else(Vec3::zeros);
        let turned = Node { attributes: Vec::new(), children: Vec::new(), ..node.clone() };
        let euler = node.attribute("euler").map(|e| ("euler".to_string(), e.to_string()));
        let turn = pose::read(&Node { attributes: euler.into_iter().collect(), ..turned.clone() }, ctx).rotation;
        let step = Pose::from_parts(offset.into(), turn);
        let separator = node.attribute("sep").unwrap_or("");
        let digits = count.to_string().len();
        let suffixes: Vec<String> = (0..count).map(|i| format!("{separator}{i:0digits$}")).collect();
        self.remember(node, &suffixes);
        let mut place = Pose::identity();
        for suffix in &suffixes {
            let mut frame = Node { name: "frame".into(), children: node.children.clone(), ..turned.clone() };
            frame.attributes = frame_attributes(&place);
            if let Some(class) = node.attribute("childclass") {
                frame.attributes.push(("childclass".into(), class.to_string()));
            }
            frame.children.iter_mut().for_each(|child| rename(child, suffix));
            into.push(frame);
            place *= step;
        }
    }

    /// Records the copies of every name below; a name made by an inner `<replicate>` is found under its original name.
    fn remember(&mut self, node: &Node, suffixes: &[String]) {
        for child in &node.children {
            if let Some(name) = child.given_name() {
                let known =
                    self.names.iter_mut().find(|(stem, ends)| ends.iter().any(|end| name == format!("{stem}{end}")));
                match known {
                    Some((stem, ends)) => {
                        let end = name[stem.len()..].to_string();
                        ends.retain(|e| *e != end);
                        ends.extend(suffixes.iter().map(|suffix| format!("{end}{suffix}")));
                    }
                    None => {
                        self.names.insert(name.to_string(), suffixes.to_vec());
                    }
                }
            }
            self.remember(child, suffixes);
        }
    }

    /// An element of another section, once for every copy of the part it refers to.
    fn referring(&self, node: &Node) -> Vec<Node> {
        match first_reference(node, &self.names) {
            None => vec![node.clone()],
            Some(suffixes) => suffixes
                .iter()
                .map(|suffix| {
                    let mut copy = node.clone();
                    follow(&mut copy, &self.names, suffix);
                    copy
                })
                .collect(),
        }
    }
}

fn elements(node: &Node) -> usize {
    1 + node.children.iter().map(elements).sum::<usize>()
}

fn rename(node: &mut Node, suffix: &str) {
    if let Some((_, name)) = node.attributes.iter_mut().find(|(key, name)| key == "name" && !name.is_empty()) {
        name.push_str(suffix);
    }
    node.children.iter_mut().for_each(|child| rename(child, suffix));
}

/// Attributes that refer to parts of the tree.
fn is_reference(attribute: &str) -> bool {
    let kinds = ["body", "joint", "geom", "site", "objname", "refname"];
    attribute != "name" && kinds.iter().any(|kind| attribute.contains(kind))
}

fn first_reference<'n>(node: &Node, names: &'n BTreeMap<String, Vec<String>>) -> Option<&'n [String]> {
    let own = node.attributes.iter().filter(|(key, _)| is_reference(key)).find_map(|(_, value)| names.get(value));
    own.map(Vec::as_slice).or_else(|| node.children.iter().find_map(|child| first_reference(child, names)))
}

/// Appends the suffix to the element's name and to all its references to replicated names.
fn follow(node: &mut Node, names: &BTreeMap<String, Vec<String>>, suffix: &str) {
    for (key, value) in &mut node.attributes {
        let refers = is_reference(key) && names.get(value).is_some_and(|ends| ends.iter().any(|end| end == suffix));
        if refers || (key == "name" && !value.is_empty()) {
            value.push_str(suffix);
        }
    }
    node.children.iter_mut().for_each(|child| follow(child, names, suffix));
}

fn frame_attributes(place: &Pose) -> Vec<(String, String)> {
    let p = place.translation.vector;
    let q: &Quat = &place.rotation;
    vec![
        ("pos".into(), format!("{:?} {:?} {:?}", p.x, p.y, p.z)),
        ("quat".into(), format!("{:?} {:?} {:?} {:?}", q.w, q.i, q.j, q.k)),
    ]
}
