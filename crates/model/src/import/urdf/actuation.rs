//! Mimic joints, transmissions and `ros2_control`: coupled and driven joints.

use super::super::xml::Element;
use super::joint::UrdfJoint;
use super::unread::Unread;
use crate::actuator::Actuator;
use crate::builder::ModelBuilder;
use crate::coupling::Coupling;
use crate::finding::Findings;
use crate::model::JointId;
use std::collections::{BTreeMap, BTreeSet};

/// Makes mimic joints follow their leaders.
pub(super) fn add_couplings(
    builder: &mut ModelBuilder,
    joints: &[UrdfJoint<'_>],
    ids: &BTreeMap<&str, JointId>,
    findings: &mut Findings,
) {
    let mut leader_of: BTreeMap<JointId, JointId> = BTreeMap::new();
    for joint in joints {
        let (Some(mimic), Some(&follower)) = (joint.mimic(), ids.get(joint.name())) else { continue };
        let wanted = mimic.attribute("joint").unwrap_or("").trim();
        let multiplier = mimic.number("multiplier", findings).unwrap_or(1.0);
        let offset = mimic.number("offset", findings).unwrap_or(0.0);
        let one_dof = |id: JointId| builder.so_far().joint(id).kind.dof_count() == 1;
        let leader = match ids.get(wanted).copied() {
            None => {
                let text = format!(
                    "joint '{}' mimics '{wanted}', which is not a joint, so it moves on its own here; correct the name",
                    joint.name()
                );
                mimic.error(findings, "mimic", &joint.subject(), text);
                continue;
            }
            Some(leader) if !one_dof(leader) || !one_dof(follower) => {
                let text = format!(
                    "joint '{}' mimics '{wanted}'; both must have one degree of freedom, so it moves on its own here",
                    joint.name()
                );
                mimic.warning(findings, "mimic", &joint.subject(), text);
                continue;
            }
            Some(leader) => leader,
        };
        leader_of.insert(follower, leader);
        builder.add_coupling(Coupling {
            name: format!("{}_mimic", joint.name()),
            follower,
            leader: Some(leader),
            coefficients: vec![offset, multiplier],
            shared_motor: false,
            source: Some(mimic.source()),
        });
    }
    report_circle(joints, ids, &leader_of, findings);
}

/// Reports cycles of mimic joints: a joint that follows itself through others has no defined position.
fn report_circle(
    joints: &[UrdfJoint<'_>],
    ids: &BTreeMap<&str, JointId>,
    leader_of: &BTreeMap<JointId, JointId>,
    findings: &mut Findings,
) {
    // Each joint is visited once: `walked` holds the start from which it was first reached.
    let mut walked: BTreeMap<JointId, JointId> = BTreeMap::new();
    for joint in joints {
        let Some(&start) = ids.get(joint.name()) else { continue };
        let mut at = start;
        while !walked.contains_key(&at) {
            walked.insert(at, start);
            match leader_of.get(&at) {
                Some(leader) => at = *leader,
                None => break,
            }
        }
        if leader_of.contains_key(&at) && walked.get(&at) == Some(&start) {
            let text =
                format!("the joints that '{}' mimics follow each other in a circle; let one lead", joint.name());
            joint.element.error(findings, "mimic-circle", &joint.subject(), text);
        }
    }
}

/// Adds the actuators of transmissions and `ros2_control`, or, if the file has neither, one on every joint with an
/// effort limit.
pub(super) fn add_actuators(
    builder: &mut ModelBuilder,
    root: Element<'_>,
    joints: &[UrdfJoint<'_>],
    ids: &BTreeMap<&str, JointId>,
    unread: &mut Unread,
    findings: &mut Findings,
) {
    let mut drives = Drives { builder, ids, findings, names: BTreeSet::new() };
    for transmission in root.children_named("transmission") {
        add_transmission(transmission, &mut drives, unread);
    }
    for system in root.children_named("ros2_control") {
        for joint in system.children_named("joint") {
            let commands: Vec<Element<'_>> = joint.children_named("command_interface").collect();
            if let Some(first) = commands.first() {
                note_interface(*first, first.attribute("name").unwrap_or(""), unread);
                let name = joint.attribute("name").unwrap_or("").trim();
                drives.add(joint, name, name);
            }
        }
        unread.check(system, &["name", "type"], &["joint", "hardware"]);
    }
    if root.child("transmission").is_some() || root.child("ros2_control").is_some() {
        return;
    }
    for joint in joints {
        let one_dof = joint.joint.kind.dof_count() == 1;
        if one_dof && joint.has_effort && joint.mimic().is_none() {
            drives.add(joint.element, joint.name(), joint.name());
        }
    }
}

fn add_transmission(transmission: Element<'_>, drives: &mut Drives<'_, '_>, unread: &mut Unread) {
    unread.check(
        transmission,
        &["name", "type"],
        &["type", "joint", "actuator", "mechanicalReduction", "motorTorqueConstant"],
    );
    let kind = transmission.child("type").map(|t| t.text()).or_else(|| transmission.attribute("type")).unwrap_or("");
    let joints: Vec<Element<'_>> = transmission.children_named("joint").collect();
    let simple = kind.is_empty() || kind.ends_with("SimpleTransmission");
    let (true, [joint]) = (simple, joints.as_slice()) else {
        let what = format!("a transmission of type '{kind}' on {} joints", joints.len());
        unread.warn(
            transmission,
            what,
            "its joints are not driven; write an [[actuator]] in a .toml next to the file",
        );
        return;
    };
    unread.check(*joint, &["name"], &["hardwareInterface"]);
    let actuators: Vec<Element<'_>> = transmission.children_named("actuator").collect();
    let interfaces = joint.children_named("hardwareInterface");
    let interfaces = interfaces.chain(actuators.iter().flat_map(|a| a.children_named("hardwareInterface")));
    if let Some(interface) = interfaces.into_iter().next() {
        note_interface(interface, interface.text(), unread);
    }
    for reduction in actuators.iter().chain([&transmission]).filter_map(|e| e.child("mechanicalReduction")) {
        // The value is not used, so it is not validated: some generators leave the word `reduction` here.
        if reduction.text().parse::<f64>() != Ok(1.0) {
            unread.note(
                reduction,
                "a <mechanicalReduction> other than 1".into(),
                "commands are efforts at the joint, as in ros_control, where it cancels",
            );
        }
    }
    let joint_name = joint.attribute("name").unwrap_or("").trim();
    let actuator_name = actuators.first().and_then(|a| a.attribute("name")).or(transmission.attribute("name"));
    drives.add(transmission, actuator_name.unwrap_or(joint_name).trim(), joint_name);
}

/// URDF gives no gains, so the actuator is commanded with effort whatever the interface.
fn note_interface(element: Element<'_>, interface: &str, unread: &mut Unread) {
    let kind = interface.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    if kind.starts_with("position") || kind.starts_with("velocity") {
        let what = format!("the command interface '{interface}'");
        unread.note(element, what, "the actuator accepts efforts: URDF gives no gains, the controller has them");
    }
}

struct Drives<'b, 'i> {
    builder: &'b mut ModelBuilder,
    ids: &'i BTreeMap<&'i str, JointId>,
    findings: &'b mut Findings,
    names: BTreeSet<String>,
}

impl Drives<'_, '_> {
    /// An effort actuator with the limits of its joint.
    fn add(&mut self, element: Element<'_>, name: &str, joint: &str) {
        let subject = format!("actuators/{name}");
        let Some(&id) = self.ids.get(joint) else {
            let text =
                format!("'{joint}' is not a joint of this robot, so '{name}' drives nothing; correct the name");
            element.warning(self.findings, "transmission-joint", &subject, text);
            return;
        };
        let [dof] = self.builder.so_far().joint(id).dofs.as_slice() else {
            let text = format!("joint '{joint}' does not have one degree of freedom, so '{name}' drives nothing");
            element.warning(self.findings, "transmission-joint", &subject, text);
            return;
        };
        let own_name = if self.names.contains(name) && name != joint {
            let text =
                format!("two actuators are called '{name}'; this one is called '{joint}' here, after its joint");
            element.warning(self.findings, "name-clash", &subject, text);
            joint
        } else {
            name
        };
        self.names.insert(own_name.to_string());
        let mut actuator = Actuator::effort(own_name, id);
        actuator.effort_range = [-dof.effort_limit, dof.effort_limit];
        actuator.velocity_limit = dof.velocity_limit;
        actuator.source = Some(element.source());
        self.builder.add_actuator(actuator);
    }
}
