//! Reads URDF.
//!
//! A link becomes a body whose frame is the link frame; a joint's origin is its frame in the parent, and the child's
//! frame is the joint frame. The root link is attached to the world by a joint that is fixed or free as given by
//! [`Base`], since URDF cannot express it. Bodies are in the order of the links in the file, except that parents come
//! before children.
//!
//! Supported beyond the specification: capsules, planes, ball joints and the `<contact>` block of PyBullet; friction,
//! stiffness, gravity, springs and self-collision of `<gazebo>` blocks; `<transmission>` and `<ros2_control>` as effort
//! actuators. An actuator is commanded with joint effort, clamped at the joint's effort limit; the velocity limit is
//! stored but not enforced ([`VelocityRule::Ignore`](crate::VelocityRule)), since the specification does not define its
//! effect. A file without transmissions gets such an actuator on every joint with an effort limit.
//!
//! Everything else is reported once for each kind as `unsupported`.

mod actuation;
mod gazebo;
mod geometry;
mod joint;
mod link;
mod origin;
#[cfg(test)]
mod tests;
mod tree;
mod unread;

use super::Base;
use super::mesh::MeshFinder;
use super::resources::Resources;
use super::xml::Element;
use crate::builder::ModelBuilder;
use crate::finding::{Findings, Severity};
use crate::joint::{Joint, JointKind};
use crate::model::{BodyId, JointId};
use crate::world::World;
use std::collections::BTreeMap;
use unread::Unread;

/// Reads the document; `None` if an error prevents a model.
pub fn read(root: Element<'_>, resources: &Resources, base: Option<Base>, findings: &mut Findings) -> Option<World> {
    if let Some(place) = first_macro(root) {
        let text = "this is xacro (`xacro:` elements, `${…}` or `$(…)`), not URDF; expand it first with \
                    `xacro file.xacro > file.urdf`";
        place.error(findings, "xacro", "", text);
        return None;
    }
    let mut unread = Unread::default();
    unread.check(
        root,
        &["name", "version"],
        &["link", "joint", "material", "transmission", "ros2_control", "gazebo"],
    );
    let name = root.attribute("name").unwrap_or("").trim();
    let name = if name.is_empty() {
        root.warning(findings, "name-empty", "", "<robot> has no name; it is called 'robot' here");
        "robot"
    } else {
        name
    };

    let mut meshes = MeshFinder::new(resources);
    let mut links: Vec<link::Link> =
        root.children_named("link").map(|e| link::read(e, &mut meshes, &mut unread, findings)).collect();
    let mut joints: Vec<joint::UrdfJoint<'_>> =
        root.children_named("joint").map(|e| joint::read(e, &mut unread, findings)).collect();
    for appearance in root.children_named("material") {
        unread.appearance(appearance);
    }
    gazebo::apply(root, &mut links, &mut joints, &mut unread, findings);
    let order = tree::order(root, &links, &joints, findings);

    let mut builder = ModelBuilder::new(name);
    if let Some(order) = order {
        let mut body_of_link: BTreeMap<usize, BodyId> = BTreeMap::new();
        let mut joint_of: BTreeMap<&str, JointId> = BTreeMap::new();
        for step in &order {
            let (joint, parent) = match step.joint {
                Some(j) => (joints[j].joint.clone(), Some(body_of_link[&step.parent_link])),
                None => (root_joint(root, base, &joints), None),
            };
            let id = add_link(&mut builder, &links[step.link], joint, parent);
            body_of_link.insert(step.link, id);
            if let Some(j) = step.joint {
                joint_of.insert(joints[j].name(), JointId(id.0));
            }
        }
        actuation::add_couplings(&mut builder, &joints, &joint_of, findings);
        actuation::add_actuators(&mut builder, root, &joints, &joint_of, &mut unread, findings);
        gazebo::exclude_contacts(&mut builder, root, &links, &body_of_link, &mut unread);
    }
    unread.report(findings);
    if super::is_fatal(findings) {
        return None;
    }
    match builder.build() {
        Ok(model) => Some(World::with_model(model)),
        Err(problems) => {
            findings.extend(problems);
            None
        }
    }
}

/// Adds a body with its surface material.
fn add_link(builder: &mut ModelBuilder, link: &link::Link, joint: Joint, parent: Option<BodyId>) -> BodyId {
    let mut body = link.body.clone();
    if let Some(surface) = &link.surface {
        let id = builder.add_material(surface.clone());
        body.shapes.iter_mut().filter(|s| s.collides).for_each(|s| s.material = Some(id));
    }
    builder.add_body(body, joint, parent)
}

/// The joint that holds the root link, under a name no joint of the file has. Only an explicitly requested base has a
/// source: the default is an assumption, which inspections of the base take into account.
fn root_joint(root: Element<'_>, base: Option<Base>, joints: &[joint::UrdfJoint<'_>]) -> Joint {
    let mut name = "world_joint".to_string();
    while joints.iter().any(|j| j.name() == name) {
        name.push('_');
    }
    let kind = match base.unwrap_or_default() {
        Base::Fixed => JointKind::Fixed,
        Base::Free => JointKind::Free,
    };
    let mut joint = Joint::new(name, kind);
    joint.source = base.map(|_| root.source());
    joint
}

/// Xacro elements that define or select something: a file that contains them was never expanded.
const XACRO: [&str; 8] = ["macro", "property", "include", "arg", "if", "unless", "insert_block", "call"];

/// The first element that only the xacro program understands. A call of an undefined macro can remain in expanded files
/// (Valkyrie, OP2): it is reported as not supported, and the rest of the robot is read.
fn first_macro(element: Element<'_>) -> Option<Element<'_>> {
    let macro_element = element.name().strip_prefix("xacro:").is_some_and(|name| XACRO.contains(&name));
    let macro_value = element.attributes().any(|(_, value)| value.contains("${") || value.contains("$("));
    if macro_element || macro_value {
        return Some(element);
    }
    element.children().find_map(first_macro)
}

/// A required number; a missing attribute is an error that names it.
fn required_number(element: Element<'_>, name: &str, subject: &str, findings: &mut Findings) -> Option<f64> {
    if element.attribute(name).is_none() {
        let text = format!("<{}> has no '{name}'; give it a number", element.name());
        findings.add(Severity::Error, "attribute-missing", Some(element.source()), subject, text);
    }
    element.number(name, findings)
}

/// The only child of this name; further ones are reported.
fn only<'a>(element: Element<'a>, name: &str, unread: &mut Unread) -> Option<Element<'a>> {
    let mut all = element.children_named(name);
    let first = all.next();
    for extra in all {
        unread.warn(extra, format!("a second <{name}> in one <{}>", element.name()), "keep one of them");
    }
    first
}
