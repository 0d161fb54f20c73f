//! `<default>` classes: attribute values for elements that do not give their own.
//!
//! A class inherits from its enclosing class, and a class is read completely before its nested classes, so an element's
//! attributes are those of its chain of classes, from the outermost to the innermost, then its own. Actuators share one
//! set of defaults whatever their tag; [`super::actuator_law`] handles that.

use super::context::Context;
use super::node::Node;
use super::pose::ORIENTATIONS;
use std::collections::BTreeMap;

/// Name of the class that always exists.
pub(super) const MAIN: &str = "main";

/// Lists that MuJoCo fills from the front, keeping the inherited values for the rest.
const FILLED_FROM_THE_FRONT: [&str; 13] = [
    "size",
    "friction",
    "solref",
    "solimp",
    "gear",
    "gainprm",
    "biasprm",
    "dynprm",
    "polycoef",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
];

/// One class.
#[derive(Clone, Debug, Default)]
struct Class {
    parent: Option<String>,
    /// Attributes of each kind of element, without inherited ones.
    elements: BTreeMap<String, Vec<(String, String)>>,
    /// Actuator elements of this class in order, as written.
    actuators: Vec<Node>,
}

/// All classes of the file.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { classes: BTreeMap::from([(MAIN.to_string(), Class::default())]) }
    }
}

impl Defaults {
    /// Whether a class of this name was defined.
    pub fn has(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// The class and those it inherits from, outermost first.
    fn chain(&self, class: &str) -> Vec<&Class> {
        let mut chain = Vec::new();
        let mut next = self.classes.get(class);
        while let Some(class) = next {
            chain.push(class);
            next = class.parent.as_ref().and_then(|name| self.classes.get(name));
        }
        chain.reverse();
        chain
    }

    /// `node` without its children and with all attributes of its class.
    pub fn complete(&self, node: &Node, kind: &str, class: &str) -> Node {
        let mut attributes = Vec::new();
        for class in self.chain(class) {
            if let Some(own) = class.elements.get(kind) {
                lay_over(&mut attributes, own);
            }
        }
        lay_over(&mut attributes, &node.attributes);
        Node {
            name: node.name.clone(),
            attributes,
            children: Vec::new(),
            source: node.source.clone(),
            scope: node.scope,
        }
    }

    /// The actuator elements of the class and those it inherits from: one list for each class, outermost first.
    pub fn actuators(&self, class: &str) -> Vec<&[Node]> {
        self.chain(class).into_iter().map(|class| class.actuators.as_slice()).collect()
    }
}

/// Applies the attributes `over` to `under`.
pub(super) fn lay_over(under: &mut Vec<(String, String)>, over: &[(String, String)]) {
    // An element with its own orientation does not inherit another notation of one.
    if over.iter().any(|(name, _)| ORIENTATIONS.contains(&name.as_str())) {
        under.retain(|(name, _)| !ORIENTATIONS.contains(&name.as_str()));
    }
    for (name, value) in over {
        match under.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) if FILLED_FROM_THE_FRONT.contains(&name.as_str()) => {
                let rest = old.split_whitespace().skip(value.split_whitespace().count());
                *old = std::iter::once(value.as_str()).chain(rest).collect::<Vec<_>>().join(" ");
            }
            Some((_, old)) => old.clone_from(value),
            None => under.push((name.clone(), value.clone())),
        }
    }
}

/// Actuator tags.
pub(super) const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// Kinds of elements a class may contain in addition to actuators.
const ELEMENTS: [&str; 10] =
    ["mesh", "texture", "material", "joint", "geom", "site", "camera", "light", "pair", "equality"];

/// Reads a top-level `<default>`.
pub(super) fn read(node: &Node, ctx: &mut Context<'_>) {
    match node.attribute("class") {
        None | Some(MAIN) => read_class(node, MAIN, ctx),
        // The outermost class of an attached model, whose name has its prefix.
        Some(name) if node.scope != 0 => {
            ctx.defaults.classes.entry(name.to_string()).or_default();
            read_class(node, name, ctx);
        }
        Some(other) => {
            let text = format!("the outermost default class is '{other}'; it must be called 'main' or nothing");
            ctx.error(node, "default-class", text);
        }
    }
}

fn read_class(node: &Node, name: &str, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "default");
    for child in node.children.iter().filter(|child| child.name != "default") {
        let kind = child.name.as_str();
        let is_actuator = ACTUATORS.contains(&kind);
        if !is_actuator && !ELEMENTS.contains(&kind) && kind != "tendon" {
            let what = format!("<{kind}> in <default>");
            ctx.unsupported(child, &what, "check its spelling");
            continue;
        }
        ctx.check_attributes(child, kind);
        if let Some(class) = ctx.defaults.classes.get_mut(name) {
            if is_actuator {
                class.actuators.push(child.clone());
            } else {
                lay_over(class.elements.entry(kind.to_string()).or_default(), &child.attributes);
            }
        }
    }
    for child in node.children.iter().filter(|child| child.name == "default") {
        match child.attribute("class") {
            None | Some("") => ctx.error(child, "default-class", "a default class inside another needs a name"),
            Some(inner) if ctx.defaults.has(inner) => {
                ctx.error(child, "default-class", format!("there are two default classes '{inner}'; rename one"));
            }
            Some(inner) => {
                let class = Class { parent: Some(name.to_string()), ..Class::default() };
                ctx.defaults.classes.insert(inner.to_string(), class);
                read_class(child, inner, ctx);
            }
        }
    }
}

/// The class of an element: its own, or that of the enclosing body or frame.
pub(super) fn class_of<'c>(node: &'c Node, around: &'c str, ctx: &mut Context<'_>) -> &'c str {
    match node.attribute("class") {
        None => around,
        Some(class) if ctx.defaults.has(class) => class,
        Some(class) => {
            ctx.error(node, "default-class", format!("there is no default class '{class}'"));
            around
        }
    }
}
