//! Sensors and named frames on the bodies of a model.

use super::description::{SensorOn, SensorText};
use super::flatten::FlatJoint;
use super::group::{Making, TreeJoint};
use crate::finding::Severity;
use crate::geometry::Pose;
use crate::model::{BodyId, Frame};
use crate::sensor::{Sensor, SensorKind};
use std::collections::BTreeMap;

/// Adds the sensors of every link and joint of the group.
pub(super) fn add_sensors(making: &mut Making<'_, '_>) {
    let flat = making.flat;
    let group = making.group;
    let mut found: Vec<(String, Sensor)> = Vec::new();
    for &index in &group.links {
        let link = &flat.links[index];
        let model = &flat.models[link.model];
        let holder = group.scoped(flat, Some(model.top), &link.name);
        for text in &link.text.sensors {
            let SensorOn::Ready(kind) = &text.kind else { continue };
            let body_from_sensor = flat.pose_in(link.frame, model.scope, &text.pose, &mut making.findings);
            let body = making.body_of.get(&index).copied();
            found.push((holder.clone(), sensor(text, kind.clone(), body, body_from_sensor)));
        }
    }
    for &index in &group.joints {
        let joint = &flat.joints[index];
        for text in &joint.text.sensors {
            if let Some(sensor) = joint_sensor(making, index, joint, text) {
                found.push((group.scoped(flat, joint.top, &joint.name), sensor));
            }
        }
    }
    // Sensors of different links often share a name; each is then named after its link or joint.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    found.iter().for_each(|(_, s)| *counts.entry(s.name.clone()).or_default() += 1);
    for (holder, mut sensor) in found {
        if counts[&sensor.name] > 1 {
            sensor.name = format!("{holder}::{}", sensor.name);
        }
        making.builder.add_sensor(sensor);
    }
}

fn sensor(text: &SensorText, kind: SensorKind, body: Option<BodyId>, body_from_sensor: Pose) -> Sensor {
    Sensor {
        name: text.name.clone(),
        kind,
        body,
        body_from_sensor,
        rate_hz: text.rate_hz,
        noise_std: text.noise_std,
        source: Some(text.source.clone()),
    }
}

/// A sensor on a joint is mounted on the joint's child, in the joint frame unless specified otherwise.
fn joint_sensor(
    making: &mut Making<'_, '_>,
    index: usize,
    joint: &FlatJoint<'_>,
    text: &SensorText,
) -> Option<Sensor> {
    let flat = making.flat;
    let kind = match (&text.kind, making.in_tree.get(&index)) {
        (SensorOn::Ready(kind), _) => kind.clone(),
        (SensorOn::HoldingJoint, Some(TreeJoint { id, .. })) => SensorKind::ForceTorque { joint: *id },
        (SensorOn::HoldingJoint, _) => {
            let what = format!(
                "sensor '{}' measures joint '{}', which is not in the tree; it is left out",
                text.name, joint.name
            );
            making.report(Severity::Warning, "unsupported", joint, what);
            return None;
        }
    };
    let link = flat.frames.link[joint.child];
    let base = link.map_or(making.group.base, |l| flat.links[l].frame);
    let joint_from_sensor = flat.pose_in(joint.frame, joint.scope, &text.pose, &mut making.findings);
    let body_from_sensor = flat.frames.relative(base, joint.frame) * joint_from_sensor;
    Some(sensor(text, kind, link.and_then(|l| making.body_of.get(&l).copied()), body_from_sensor))
}

/// Adds every frame named in the file.
pub(super) fn add_frames(making: &mut Making<'_, '_>) {
    let flat = making.flat;
    for &index in &making.group.frames {
        let named = &flat.named_frames[index];
        let link = flat.frames.link[named.frame];
        let base = link.map_or(making.group.base, |l| flat.links[l].frame);
        making.builder.add_frame(Frame {
            name: making.group.scoped(flat, named.top, &named.name),
            body: link.and_then(|l| making.body_of.get(&l).copied()),
            body_from_frame: flat.frames.relative(base, named.frame),
        });
    }
}
