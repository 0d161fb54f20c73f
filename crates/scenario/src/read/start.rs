//! `[start]`: positions and velocities.

use super::world::rotation;
use crate::file::document::{Document, at};
use crate::file::names::hint;
use crate::file::scenario_file::{FreeBodyTable, OneOrMany, StartTable};
use crate::start::Start;
use nalgebra as na;
use veracity_model::{Findings, JointKind, Layout, Pose, Quat, Vec3, World};

pub(super) fn read(
    document: &Document,
    table: &StartTable,
    world: &World,
    layout: &Layout,
    findings: &mut Findings,
) -> Start {
    let mut start = Start::default();
    if let Some(name) = &table.keyframe {
        let has = |model: &veracity_model::Model| model.keyframes().iter().any(|k| k.name == *name);
        for placement in world.placements.iter().filter(|p| has(&p.model)) {
            start.keyframes.insert(placement.name.clone(), name.clone());
        }
        if start.keyframes.is_empty() {
            let all = world.placements.iter().flat_map(|p| p.model.keyframes().iter().map(|k| k.name.as_str()));
            let text = format!("no model has a keyframe '{name}'; {}", hint(name, all));
            document.error(at!["start", "keyframe"], text, findings);
        }
    }
    for (word, given, velocities) in [("positions", &table.positions, false), ("velocities", &table.velocities, true)]
    {
        for (joint, values) in given {
            let way = at!["start", word, joint];
            let Some(slot) = layout.joint(joint) else {
                let text = format!("there is no joint '{joint}'; {}", hint(joint, joint_names(layout)));
                document.error(way, text, findings);
                continue;
            };
            let kind = &layout.joints[slot].kind;
            let wanted = if velocities { kind.dof_count() } else { kind.position_count() };
            let values = match values {
                OneOrMany::One(x) => vec![*x],
                OneOrMany::Many(list) => list.clone(),
            };
            if values.len() != wanted {
                let text = format!(
                    "joint '{joint}' is {} and takes {wanted} numbers here, not {}{}",
                    kind.name(),
                    values.len(),
                    if *kind == JointKind::Free { "; or use [start.bodies]" } else { "" }
                );
                document.error(way, text, findings);
                continue;
            }
            let into = if velocities { &mut start.velocities } else { &mut start.positions };
            into.insert(layout.joints[slot].name.clone(), values);
        }
    }
    for (body, values) in &table.bodies {
        free_body(document, body, values, world, layout, &mut start, findings);
    }
    start
}

/// Names of joints that move, short where that is unambiguous.
fn joint_names(layout: &Layout) -> impl Iterator<Item = &str> + Clone {
    let one = layout.placements.len() == 1;
    let moving = layout.joints.iter().filter(|j| j.kind.dof_count() > 0);
    moving
        .map(move |j| if one { j.name.split_once('/').map_or(j.name.as_str(), |(_, joint)| joint) } else { &j.name })
}

fn free_body(
    document: &Document,
    body: &str,
    table: &FreeBodyTable,
    world: &World,
    layout: &Layout,
    start: &mut Start,
    findings: &mut Findings,
) {
    let way = at!["start", "bodies", body];
    let Some(slot) = layout.body(body) else {
        let names = layout.bodies.iter().map(|b| b.name.split_once('/').map_or(b.name.as_str(), |(_, bare)| bare));
        document.error(way, format!("there is no body '{body}'; {}", hint(body, names)), findings);
        return;
    };
    let joint_slot = &layout.joints[slot];
    let placement = &world.placements[joint_slot.placement];
    let joint = &placement.model.joints()[layout.bodies[slot].body.0];
    if joint.kind != JointKind::Free || joint.parent.is_some() {
        let text = format!(
            "'{body}' is not free: its joint '{}' is {}; use [start.positions] with that joint, or base = \"free\"",
            joint.name,
            joint.kind.name()
        );
        document.error(way, text, findings);
        return;
    }
    let Some(turned) = rotation(document, way, table.rpy_rad, table.quat_wxyz, findings) else { return };
    let (q, v) = start.resolve(world);
    let (q, v) = (&q[joint_slot.q..joint_slot.q + 7], &v[joint_slot.v..joint_slot.v + 6]);
    let world_from_parent = placement.world_from_model * joint.parent_from_joint;
    let there = Pose::from_parts(
        Vec3::new(q[0], q[1], q[2]).into(),
        Quat::new_normalize(na::Quaternion::new(q[3], q[4], q[5], q[6])),
    );
    // Pose and velocity of the body without this entry …
    let mut pose = world_from_parent * there * joint.child_from_joint.inverse();
    let lever = |pose: &Pose| pose.rotation * joint.child_from_joint.translation.vector;
    let mut spin = joint.child_from_joint.rotation * Vec3::new(v[0], v[1], v[2]);
    let mut velocity =
        world_from_parent.rotation * Vec3::new(v[3], v[4], v[5]) - (pose.rotation * spin).cross(&lever(&pose));
    // … the changes of the entry …
    if let Some(position) = table.position_m {
        pose.translation.vector = Vec3::from(position);
    }
    if let Some(turned) = turned {
        pose.rotation = turned;
    }
    if let Some(given) = table.spin_rad_s {
        spin = Vec3::from(given);
    }
    if let Some(given) = table.velocity_m_s {
        velocity = Vec3::from(given);
    }
    // … and back to joint coordinates.
    let there = world_from_parent.inverse() * pose * joint.child_from_joint;
    let at_joint = velocity + (pose.rotation * spin).cross(&lever(&pose));
    let linear = world_from_parent.rotation.inverse() * at_joint;
    let angular = joint.child_from_joint.rotation.inverse() * spin;
    let (place, turn) = (there.translation.vector, there.rotation);
    let name = joint_slot.name.clone();
    start.positions.insert(name.clone(), vec![place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k]);
    let motion = [angular.x, angular.y, angular.z, linear.x, linear.y, linear.z];
    start.velocities.insert(name, motion.to_vec());
}
