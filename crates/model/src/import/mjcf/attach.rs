//! `<attach>`: a body of another model, or all of that model, as part of this one.
//!
//! The other model is a file named by `<model>` in `<asset>`. As in MuJoCo:
//!
//! - every name of the attached model and every reference to one gets the prefix, its default classes included;
//! - elements of other sections (contact, tendon, equality, actuator, sensor) come with it if all they refer to does;
//! - its assets and defaults come whole; its numbers are read by its own `<compiler>`, its files looked up next to it;
//! - of options this model's apply.
//!
//! The rewritten document has a `<frame>` in place of `<attach>`, and further sections. What is not supported is left in
//! place and reported when the tree is read: `frame=`, an attachment within one model, and a body inside a `<frame>` or a
//! `<replicate>` of the other model.

use super::defaults::MAIN;
use super::include;
use super::node::Node;
use crate::finding::Findings;
use crate::import::resources::Resources;
use crate::import::xml::{self, MAX_BYTES};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum depth of models attached to attached models, which also ends circles.
const MAX_ATTACH_DEPTH: usize = 8;
/// Maximum number of attachments in a model.
const MAX_ATTACHMENTS: usize = 1000;

/// Sections whose elements refer to the tree, in an order in which no element refers to a later section.
const REFERRING: [&str; 5] = ["contact", "tendon", "equality", "actuator", "sensor"];

/// Attributes that refer to a named element, other than default classes.
const REFERENCES: [&str; 29] = [
    "mesh",
    "material",
    "hfield",
    "texture",
    "joint",
    "joint1",
    "joint2",
    "jointinparent",
    "tendon",
    "tendon1",
    "tendon2",
    "site",
    "site1",
    "site2",
    "refsite",
    "cranksite",
    "slidersite",
    "sidesite",
    "body",
    "body1",
    "body2",
    "geom",
    "geom1",
    "geom2",
    "objname",
    "refname",
    "reftendon",
    "actuator",
    "target",
];

/// References to assets, which always come with the attached model.
const ASSETS: [&str; 4] = ["mesh", "material", "hfield", "texture"];

/// The document with every supported `<attach>` replaced, and the main file of each scope: that of this document first.
pub(super) fn expand(root: Node, resources: &Resources, findings: &mut Findings) -> (Node, Vec<PathBuf>) {
    let main = PathBuf::from(root.source.file.as_ref());
    if !is_used(&root) {
        return (root, vec![main]);
    }
    let mut attachment = Attachment { files: vec![main], sections: Vec::new() };
    let mut out = attachment.model(root, resources, 0, findings);
    out.children.append(&mut attachment.sections);
    (out, attachment.files)
}

fn is_used(node: &Node) -> bool {
    node.name == "attach" || node.children.iter().any(is_used)
}

struct Attachment {
    /// The main file of each scope.
    files: Vec<PathBuf>,
    /// Sections of attached models.
    sections: Vec<Node>,
}

impl Attachment {
    /// A model with its attachments; their sections are collected apart.
    fn model(&mut self, mut root: Node, resources: &Resources, depth: usize, findings: &mut Findings) -> Node {
        let models: Vec<Node> = children(&root, "asset").flat_map(|a| children(a, "model")).cloned().collect();
        for tree in root.children.iter_mut().filter(|child| child.name == "worldbody") {
            self.replace(tree, &models, resources, depth, findings);
        }
        root
    }

    fn replace(
        &mut self,
        node: &mut Node,
        models: &[Node],
        resources: &Resources,
        depth: usize,
        findings: &mut Findings,
    ) {
        for child in &mut node.children {
            if child.name != "attach" {
                self.replace(child, models, resources, depth, findings);
            } else if let Some(frame) = self.attach(child, models, resources, depth, findings) {
                *child = frame;
            }
        }
    }

    /// The frame in place of an `<attach>`: empty, with an error, if the model cannot be read; `None` if the attachment is of
    /// a kind that is not supported.
    fn attach(
        &mut self,
        node: &Node,
        models: &[Node],
        resources: &Resources,
        depth: usize,
        findings: &mut Findings,
    ) -> Option<Node> {
        let name = node.attribute("model").filter(|_| !node.has("frame"))?;
        let wanted = models.iter().find(|model| model_name(model).as_deref() == Some(name));
        let read = match wanted {
            None => Err(format!("<attach> names model '{name}', which no <model> in <asset> defines")),
            Some(_) if depth >= MAX_ATTACH_DEPTH || self.files.len() >= MAX_ATTACHMENTS => Err(format!(
                "models are attached more than {MAX_ATTACH_DEPTH} deep or {MAX_ATTACHMENTS} times; check for a circle"
            )),
            Some(model) => read_model(model, resources, findings),
        };
        let (other, resources) = match read {
            Ok(read) => read,
            Err(why) => return Some(without(node, &why, findings)),
        };
        let prefix = node.attribute("prefix").unwrap_or("");

        // The attachments of the attached model first, so that the prefix applies to them too.
        let before = self.sections.len();
        let mut other = self.model(other, &resources, depth + 1, findings);
        let inner: Vec<Node> = self.sections.drain(before..).collect();
        let scope = self.files.len();
        self.files.push(PathBuf::from(other.source.file.as_ref()));
        other.children.iter_mut().for_each(|child| set_scope(child, scope));
        other.children.extend(inner);
        other.children.iter_mut().for_each(|section| add_prefix(section, prefix));

        let mut part = match node.attribute("body") {
            None => children(&other, "worldbody").flat_map(|tree| tree.children.iter().cloned()).collect(),
            Some(body) => match find_body(&other, &format!("{prefix}{body}")) {
                Some((body, false)) => vec![body],
                // Inside a frame.
                Some((_, true)) => return None,
                None => {
                    let why = format!("<attach> names body '{body}', which model '{name}' does not have");
                    return Some(without(node, &why, findings));
                }
            },
        };
        self.take_sections(other, prefix, &part, node, findings);
        let mut frame = Node { name: "frame".into(), attributes: Vec::new(), children: Vec::new(), ..node.clone() };
        frame.attributes.push(("childclass".into(), format!("{prefix}{MAIN}")));
        frame.children.append(&mut part);
        Some(frame)
    }

    /// Keeps the sections of an attached model that belong to the attached part.
    fn take_sections(&mut self, other: Node, prefix: &str, part: &[Node], attach: &Node, findings: &mut Findings) {
        let mut known = BTreeSet::new();
        part.iter().for_each(|node| names(node, &mut known));
        known.insert("world".to_string());
        let main = format!("{prefix}{MAIN}");
        let mut has_defaults = false;
        let mut sections = other.children;
        sections.sort_by_key(|section| REFERRING.iter().position(|name| *name == section.name));
        for mut section in sections {
            let kind = section.name.clone();
            match kind.as_str() {
                "compiler" | "extension" | "deformable" => self.sections.push(section),
                "default" => {
                    has_defaults |= section.attribute("class") == Some(&main);
                    self.sections.push(section);
                }
                "asset" => {
                    for asset in section.children.iter_mut().filter(|a| matches!(a.name.as_str(), "mesh" | "hfield"))
                    {
                        give_class(asset, prefix);
                    }
                    section.children.retain(|asset| asset.name != "model");
                    self.sections.push(section);
                }
                "keyframe" if !section.children.is_empty() => {
                    let text = "the keyframes of an attached model are not supported and were left out; write them in \
                                this model";
                    attach.warning(findings, "unsupported", text);
                }
                name if REFERRING.contains(&name) => {
                    section.children.retain(|element| refers_inside(element, &known));
                    for element in &mut section.children {
                        names(element, &mut known);
                        if name != "sensor" {
                            give_class(element, prefix);
                        }
                    }
                    self.sections.push(section);
                }
                _ => {}
            }
        }
        if !has_defaults {
            let name = ("class".to_string(), format!("{prefix}{MAIN}"));
            let scope = self.files.len() - 1;
            let empty =
                Node { name: "default".into(), attributes: vec![name], children: Vec::new(), ..attach.clone() };
            self.sections.push(Node { scope, ..empty });
        }
    }
}

fn children<'n>(node: &'n Node, name: &'static str) -> impl Iterator<Item = &'n Node> {
    node.children.iter().filter(move |child| child.name == name)
}

/// The name of a `<model>`; without one, the stem of its file stands for the model's own name.
fn model_name(model: &Node) -> Option<String> {
    let stem = || Some(Path::new(model.attribute("file")?).file_stem()?.to_string_lossy().into_owned());
    model.given_name().map(str::to_string).or_else(stem)
}

/// The document of a `<model>`, and where its files are looked up.
fn read_model(model: &Node, resources: &Resources, findings: &mut Findings) -> Result<(Node, Resources), String> {
    let file = model.attribute("file").unwrap_or_default();
    let path = resources.find(file).map_err(|missing| format!("the model file '{file}' was not found; {missing}"))?;
    let bytes = crate::input::read_regular(&path, MAX_BYTES as u64)
        .map_err(|e| format!("the model file '{file}' cannot be read: {e}"))?;
    let beside = resources.beside(&path);
    let name: Arc<str> = path.display().to_string().into();
    let read = xml::with_document(&bytes, &name, findings, |root, findings| {
        (root.name() == "mujoco").then(|| include::assemble(root, &beside, findings)).flatten()
    });
    match read.flatten() {
        Some(root) => Ok((root, beside)),
        None => Err(format!("the model file '{file}' is not an MJCF model that can be read")),
    }
}

/// An empty frame in place of an attachment, with the error.
fn without(node: &Node, why: &str, findings: &mut Findings) -> Node {
    let text = format!("{why}: the bodies it brings are missing, with their mass");
    node.error(findings, "mass-lost", text);
    Node { name: "frame".into(), attributes: Vec::new(), children: Vec::new(), ..node.clone() }
}

fn set_scope(node: &mut Node, scope: usize) {
    // Parts of models attached to this one keep their own scope.
    if node.scope == 0 {
        node.scope = scope;
    }
    node.children.iter_mut().for_each(|child| set_scope(child, scope));
}

/// Puts the prefix before every name and every reference to one.
fn add_prefix(node: &mut Node, prefix: &str) {
    match node.name.as_str() {
        "compiler" | "option" | "size" | "statistic" | "visual" | "custom" | "extension" => return,
        // A mesh without a name is called after its file.
        "mesh" | "hfield" if !node.has("name") => {
            if let Some(stem) = node.attribute("file").and_then(|file| Path::new(file).file_stem()) {
                let name = stem.to_string_lossy().into_owned();
                node.attributes.push(("name".into(), name));
            }
        }
        // The outermost class is called `main` if nothing else.
        "default" if !node.has("class") => node.attributes.push(("class".into(), MAIN.into())),
        _ => {}
    }
    for (key, value) in &mut node.attributes {
        let is_name = matches!(key.as_str(), "name" | "class" | "childclass") || REFERENCES.contains(&key.as_str());
        if is_name && !value.is_empty() && value != "world" {
            value.insert_str(0, prefix);
        }
    }
    node.children.iter_mut().for_each(|child| add_prefix(child, prefix));
}

/// An element without class has the outermost class of its own model.
fn give_class(node: &mut Node, prefix: &str) {
    if !node.has("class") {
        node.attributes.push(("class".into(), format!("{prefix}{MAIN}")));
    }
}

/// The body of this name with the `childclass` that applies to it, and whether it is directly inside a frame.
fn find_body(root: &Node, name: &str) -> Option<(Node, bool)> {
    fn search(node: &Node, name: &str, class: Option<&str>, in_frame: bool) -> Option<(Node, bool)> {
        for child in &node.children {
            let class = child.attribute("childclass").or(class);
            let is_frame = matches!(child.name.as_str(), "frame" | "replicate");
            if child.name == "body" && child.attribute("name") == Some(name) {
                let mut found = child.clone();
                if let Some(class) = class.filter(|_| !child.has("childclass")) {
                    found.attributes.push(("childclass".into(), class.to_string()));
                }
                return Some((found, in_frame));
            }
            if is_frame || child.name == "body" {
                // A frame moves only the bodies directly in it.
                if let Some(found) = search(child, name, class, is_frame) {
                    return Some(found);
                }
            }
        }
        None
    }
    children(root, "worldbody").find_map(|tree| search(tree, name, tree.attribute("childclass"), false))
}

/// All names below and including a node.
fn names(node: &Node, into: &mut BTreeSet<String>) {
    into.extend(node.given_name().map(str::to_string));
    node.children.iter().for_each(|child| names(child, into));
}

/// Whether everything an element refers to, other than assets and classes, is known.
fn refers_inside(node: &Node, known: &BTreeSet<String>) -> bool {
    let is_reference = |key: &str| REFERENCES.contains(&key) && !ASSETS.contains(&key);
    node.attributes.iter().all(|(key, value)| !is_reference(key) || known.contains(value))
        && node.children.iter().all(|child| refers_inside(child, known))
}
