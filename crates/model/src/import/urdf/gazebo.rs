//! `<gazebo>` blocks: the physical properties that Gazebo adds to links and joints.

use super::super::xml::Element;
use super::joint::UrdfJoint;
use super::link::Link;
use super::unread::Unread;
use crate::builder::ModelBuilder;
use crate::finding::Findings;
use crate::model::BodyId;
use std::collections::BTreeMap;

/// Maximum number of pairs of bodies excluded individually; a robot has hundreds.
const MAX_PAIRS: usize = 1_000_000;

/// Applies every block with a reference to its link or joint.
pub(super) fn apply(
    root: Element<'_>,
    links: &mut [Link],
    joints: &mut [UrdfJoint<'_>],
    unread: &mut Unread,
    findings: &mut Findings,
) {
    let link_of: BTreeMap<String, usize> = links.iter().enumerate().map(|(i, l)| (l.body.name.clone(), i)).collect();
    let joint_of: BTreeMap<String, usize> = joints.iter().enumerate().map(|(i, j)| (j.name().into(), i)).collect();
    for block in root.children_named("gazebo") {
        unread.check(block, &["reference"], &block.children().map(|c| c.name()).collect::<Vec<_>>());
        let Some(reference) = block.attribute("reference").map(str::trim) else { continue };
        if let Some(link) = link_of.get(reference) {
            block.children().for_each(|child| apply_to_link(child, &mut links[*link], unread, findings));
        } else if let Some(joint) = joint_of.get(reference) {
            block.children().for_each(|child| apply_to_joint(child, &mut joints[*joint], unread, findings));
        } else {
            let text = format!("<gazebo> refers to '{reference}', which is not a link or joint; correct the name");
            block.warning(findings, "gazebo-reference", "", text);
        }
    }
}

/// Settings of Gazebo's solver, not properties of the robot.
const OF_THE_SOLVER: [&str; 6] = ["implicitSpringDamper", "maxVel", "minDepth", "maxContacts", "stopCfm", "stopErp"];

fn solver_setting(child: Element<'_>, unread: &mut Unread) {
    let what = format!("<{}> in a <gazebo> block, a setting of Gazebo's solver,", child.name());
    unread.note(child, what, "choose settings of an engine in its spec");
}

fn apply_to_link(child: Element<'_>, link: &mut Link, unread: &mut Unread, findings: &mut Findings) {
    match child.name() {
        "mu1" | "mu" => link.surface_mut().friction[0] = number(child, findings).unwrap_or(1.0),
        "mu2" => link.surface_mut().friction[1] = number(child, findings).unwrap_or(1.0),
        "kp" => link.surface_mut().stiffness = number(child, findings),
        // In N s/m; the model's dissipation is a different quantity.
        "kd" => link.surface_mut().engine_settings.push(("gazebo".into(), "kd".into(), value(child).into())),
        "fdir1" => {
            let words: Vec<f64> = value(child).split_whitespace().filter_map(|w| w.parse().ok()).collect();
            match words.as_slice() {
                // In Gazebo, zero leaves the choice to the engine.
                [x, y, z] if [x, y, z].iter().any(|c| **c != 0.0) => {
                    link.surface_mut().friction_direction = Some([*x, *y, *z].into());
                }
                [_, _, _] => {}
                _ => child.error(findings, "number", "fdir1", "'fdir1' needs three numbers"),
            }
        }
        "turnGravityOff" if truth(child, findings) => link.body.gravity_scale = 0.0,
        "gravity" if !truth(child, findings) => link.body.gravity_scale = 0.0,
        "turnGravityOff" | "gravity" => {}
        "selfCollide" => link.self_collide = Some(truth(child, findings)),
        "material" | "visual" => unread.appearance(child),
        "sensor" => unread.note(child, "<sensor> in a <gazebo> block".into(), "describe sensors in the scenario"),
        name if OF_THE_SOLVER.contains(&name) => solver_setting(child, unread),
        name => {
            unread.warn(child, format!("<{name}> in a <gazebo> block for a link"), "write it in SDF or a scenario")
        }
    }
}

fn apply_to_joint(child: Element<'_>, joint: &mut UrdfJoint<'_>, unread: &mut Unread, findings: &mut Findings) {
    let dofs = &mut joint.joint.dofs;
    match child.name() {
        "springStiffness" => {
            let stiffness = number(child, findings).unwrap_or(0.0);
            dofs.iter_mut().for_each(|d| d.stiffness = stiffness);
        }
        "springReference" => {
            let reference = number(child, findings).unwrap_or(0.0);
            dofs.iter_mut().for_each(|d| d.spring_reference = reference);
        }
        // Both ask Gazebo not to merge two links; links are never merged here.
        "preserveFixedJoint" | "disableFixedJointLumping" => {}
        "provideFeedback" => {
            unread.note(child, "<provideFeedback>".into(), "it publishes a joint's force and changes no motion");
        }
        name if OF_THE_SOLVER.contains(&name) => solver_setting(child, unread),
        name => {
            unread.warn(child, format!("<{name}> in a <gazebo> block for a joint"), "write it in SDF or a scenario")
        }
    }
}

/// Applies self-collision settings of links, and blocks about the robot as a whole.
pub(super) fn exclude_contacts(
    builder: &mut ModelBuilder,
    root: Element<'_>,
    links: &[Link],
    body_of_link: &BTreeMap<usize, BodyId>,
    unread: &mut Unread,
) {
    let mut ignored = Findings::new();
    for block in root.children_named("gazebo").filter(|b| b.attribute("reference").is_none()) {
        for child in block.children() {
            match child.name() {
                "self_collide" => builder.self_collide(truth(child, &mut ignored)),
                name => unread.warn(child, format!("<{name}> in a <gazebo> block"), "write it in SDF or a scenario"),
            }
        }
    }
    let shy: Vec<usize> = (0..links.len()).filter(|i| links[*i].self_collide == Some(false)).collect();
    if shy.len() == links.len() {
        builder.self_collide(false);
        return;
    }
    if shy.len().saturating_mul(links.len()) > MAX_PAIRS {
        unread.warn(root, "<selfCollide> on so many links".into(), "state it once for the whole robot");
        return;
    }
    for i in &shy {
        for other in 0..links.len() {
            let both_shy = links[other].self_collide == Some(false);
            if other != *i && !(both_shy && other < *i) {
                builder.exclude_contact(body_of_link[i], body_of_link[&other]);
            }
        }
    }
}

/// Gazebo accepts both `<mu1>0.2</mu1>` and `<mu1 value="0.2"/>`.
fn value<'a>(element: Element<'a>) -> &'a str {
    element.attribute("value").map_or_else(|| element.text(), str::trim)
}

fn number(element: Element<'_>, findings: &mut Findings) -> Option<f64> {
    if element.attribute("value").is_some() {
        element.number("value", findings)
    } else {
        element.text_number(findings)
    }
}

fn truth(element: Element<'_>, findings: &mut Findings) -> bool {
    match value(element).to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => true,
        "false" | "0" | "no" => false,
        _ => {
            let text = format!("<{}> is neither true nor false", element.name());
            element.error(findings, "number", element.name(), text);
            false
        }
    }
}
