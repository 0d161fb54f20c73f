//! Coupled joints: `<mimic>` and `type="gearbox"`.

use super::description::{JointType, MimicText};
use super::flatten::FlatJoint;
use super::frames::FrameId;
use super::group::{Making, TreeJoint};
use super::motion::{axis_in_joint, has_properties};
use crate::coupling::Coupling;
use crate::finding::Severity;
use crate::geometry::Vec3;
use crate::joint::JointKind;
use crate::model::JointId;
use std::collections::BTreeMap;

/// Two axes within this angle [rad] count as equal; files print about six digits.
const SAME_AXIS: f64 = 1e-5;

/// Joints by their parent and child links.
type JointsBetween = BTreeMap<[Option<usize>; 2], Vec<usize>>;

/// Adds every coupling of the group.
pub(super) fn add_couplings(making: &mut Making<'_, '_>) {
    let flat = making.flat;
    let mut between: JointsBetween = BTreeMap::new();
    for &index in &making.group.joints {
        let joint = &flat.joints[index];
        let ends = [joint.parent, joint.child].map(|f| flat.frames.link[f]);
        between.entry(ends).or_default().push(index);
    }
    for &index in &making.group.joints {
        let joint = &flat.joints[index];
        for axis in &joint.text.axes {
            if let Some(mimic) = &axis.mimic {
                add_mimic(making, index, joint, mimic);
            }
        }
        if let JointType::Gearbox { ratio } = joint.text.kind {
            add_gearbox(making, &between, joint, ratio);
        }
    }
}

/// `follower = multiplier · (leader - reference) + offset`.
fn add_mimic(making: &mut Making<'_, '_>, follower: usize, joint: &FlatJoint<'_>, mimic: &MimicText) {
    let refuse = |making: &mut Making<'_, '_>, text: String| {
        let source = Some(mimic.source.clone());
        making.findings.add(Severity::Error, "mimic", source, format!("joints/{}", joint.name), text);
    };
    let name = &joint.name;
    let Some(leader) = making.flat.joint_named(joint.scope, &mimic.joint) else {
        return refuse(making, format!("joint '{name}' mimics '{}', which is not a joint here", mimic.joint));
    };
    let follower = match making.in_tree.get(&follower) {
        Some(TreeJoint { id, motion }) if motion.kind.dof_count() == 1 => *id,
        _ => {
            return refuse(
                making,
                format!("joint '{name}' mimics another but does not have exactly one axis in the tree"),
            );
        }
    };
    let constant = mimic.offset - mimic.multiplier * mimic.reference;
    let (leader, coefficients) = match making.in_tree.get(&leader) {
        Some(TreeJoint { id, motion }) if motion.kind.dof_count() == 1 && mimic.axis == "axis" => {
            (Some(*id), vec![constant, mimic.multiplier])
        }
        // A locked leader holds its follower still.
        Some(TreeJoint { motion, .. }) if motion.locked_at.is_some() => {
            (None, vec![constant + mimic.multiplier * motion.locked_at.unwrap_or(0.0)])
        }
        _ => {
            let what = format!(
                "joint '{name}' mimics '{}' of '{}', which does not have exactly one axis in the tree",
                mimic.axis, mimic.joint
            );
            return refuse(making, what);
        }
    };
    making.builder.add_coupling(Coupling {
        name: making.group.scoped(making.flat, joint.top, &joint.name),
        follower,
        leader,
        coefficients,
        shared_motor: false,
        source: Some(mimic.source.clone()),
    });
}

/// `theta_child = -ratio · theta_parent`, angles of the two links relative to the reference body about `axis2` and
/// `axis` (SDFormat specification). It couples the hinges between the reference body and each link.
fn add_gearbox(making: &mut Making<'_, '_>, between: &JointsBetween, joint: &FlatJoint<'_>, ratio: f64) {
    let name = &joint.name;
    let refuse = |making: &mut Making<'_, '_>, text: String| making.report(Severity::Error, "gearbox", joint, text);
    let Some(reference) = &joint.text.gearbox_reference else {
        return refuse(making, format!("gearbox '{name}' has no <gearbox_reference_body>"));
    };
    let Some(reference) = making.flat.frame_named(joint.scope, reference) else {
        return refuse(making, format!("gearbox '{name}' refers to '{reference}', which is not a link here"));
    };
    if joint.text.axes.len() < 2 {
        return;
    }
    if joint.text.axes.iter().any(|a| has_properties(&a.dof)) {
        let text =
            format!("limits, damping, springs and friction of gearbox '{name}' are not supported and were left out");
        making.report(Severity::Warning, "unsupported", joint, text);
    }
    let leader = hinge(making, between, joint, reference, joint.parent, 0);
    let follower = hinge(making, between, joint, reference, joint.child, 1);
    let (Some((leader, leader_sign)), Some((follower, follower_sign))) = (leader, follower) else {
        return refuse(
            making,
            format!(
                "gearbox '{name}' needs a revolute joint of the tree between its reference body and each of its links, \
                 about the gearbox's own axes"
            ),
        );
    };
    making.builder.add_coupling(Coupling {
        name: making.group.scoped(making.flat, joint.top, &joint.name),
        follower,
        leader: Some(leader),
        coefficients: vec![0.0, -ratio * leader_sign * follower_sign],
        shared_motor: false,
        source: Some(joint.text.source.clone()),
    });
}

/// The hinge between `reference` and the link of `end`, and the sign that makes its position the angle of that link
/// relative to the reference about the gearbox's axis `index`.
fn hinge(
    making: &Making<'_, '_>,
    between: &JointsBetween,
    gearbox: &FlatJoint<'_>,
    reference: FrameId,
    end: FrameId,
    index: usize,
) -> Option<(JointId, f64)> {
    let flat = making.flat;
    let link = |frame: FrameId| flat.frames.link[frame];
    let wanted: Vec3 = flat.frames.world_from[gearbox.frame].rotation * axis_in_joint(flat, gearbox, index);
    let ends = [link(reference), link(end)];
    let directions = [(ends, 1.0), ([ends[1], ends[0]], -1.0)];
    let candidates = directions
        .iter()
        .flat_map(|(ends, outwards)| between.get(ends).into_iter().flatten().map(move |index| (*index, *outwards)));
    candidates.into_iter().find_map(|(index, outwards)| {
        let TreeJoint { id, motion } = making.in_tree.get(&index)?;
        if !matches!(motion.kind, JointKind::Revolute { .. } | JointKind::Continuous { .. }) {
            return None;
        }
        // The axis of the file, not of the tree: a joint traversed backwards keeps the meaning of its position.
        let joint = &flat.joints[index];
        let axis = flat.frames.world_from[joint.frame].rotation * axis_in_joint(flat, joint, 0);
        let along = axis.dot(&wanted);
        ((axis * along.signum() - wanted).norm() < SAME_AXIS).then_some((*id, outwards * along.signum()))
    })
}
