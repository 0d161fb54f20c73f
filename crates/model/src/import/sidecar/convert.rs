//! Converts sidecar entries to model types; invalid entries are reported.

use super::names::Names;
use super::schema;
use crate::contact::StateCondition;
use crate::coupling::LoopKind;
use crate::geometry::{Pose, Quat, Vec3, quat_from_rpy};
use nalgebra as na;

/// The pose given by a frame.
pub(super) fn pose(frame: &schema::Frame, names: &mut Names<'_>) -> Option<Pose> {
    let rotation = match (frame.rpy_rad, frame.quat_wxyz) {
        (Some(_), Some(_)) => {
            names.error("a frame has both 'rpy_rad' and 'quat_wxyz'; keep one of them");
            return None;
        }
        (Some([roll, pitch, yaw]), None) => quat_from_rpy(roll, pitch, yaw),
        (None, Some([w, x, y, z])) => {
            let quaternion = na::Quaternion::new(w, x, y, z);
            let norm = quaternion.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                names.error("'quat_wxyz' has no direction; write a unit quaternion");
                return None;
            }
            Quat::new_normalize(quaternion)
        }
        (None, None) => Quat::identity(),
    };
    Some(Pose::from_parts(Vec3::from(frame.xyz_m).into(), rotation))
}

/// The loop kind with exactly the numbers it needs.
pub(super) fn loop_kind(given: &schema::Loop, names: &mut Names<'_>) -> Option<LoopKind> {
    let mut unit = |key: &str, axis: Option<[f64; 3]>| {
        let axis = Vec3::from(axis.unwrap_or_default());
        let norm = axis.norm();
        if norm > 0.0 && norm.is_finite() {
            return Some(axis / norm);
        }
        names.error(format!("this kind of [[loop]] needs a direction '{key}' = [x, y, z]"));
        None
    };
    let (kind, used): (LoopKind, &[&str]) = match given.kind {
        schema::LoopWord::Weld => (LoopKind::Weld, &[]),
        schema::LoopWord::Ball => (LoopKind::Ball, &[]),
        schema::LoopWord::Revolute => (LoopKind::Revolute { axis: unit("axis", given.axis)? }, &["axis"]),
        schema::LoopWord::Prismatic => (LoopKind::Prismatic { axis: unit("axis", given.axis)? }, &["axis"]),
        schema::LoopWord::Universal => {
            let axes = (unit("axis_a", given.axis_a), unit("axis_b", given.axis_b));
            (LoopKind::Universal { axis_a: axes.0?, axis_b: axes.1? }, &["axis_a", "axis_b"])
        }
        schema::LoopWord::Distance => {
            let Some(length) = given.length_m else {
                names.error("a [[loop]] that holds a distance needs 'length_m'");
                return None;
            };
            (LoopKind::Distance { length }, &["length_m"])
        }
    };
    let present = [
        ("axis", given.axis.is_some()),
        ("axis_a", given.axis_a.is_some()),
        ("axis_b", given.axis_b.is_some()),
        ("length_m", given.length_m.is_some()),
    ];
    for (key, _) in present.iter().filter(|(key, given)| *given && !used.contains(key)) {
        names.error(format!("a {} [[loop]] does not use '{key}'; remove it", kind.name()));
    }
    Some(kind)
}

/// A condition on one joint.
pub(super) fn condition(given: &schema::Condition, names: &mut Names<'_>) -> Option<StateCondition> {
    let joint = names.joint(&given.joint)?;
    match (given.position, given.velocity) {
        (Some([above, below]), None) => Some(StateCondition::JointPosition { joint, above, below }),
        (None, Some([above, below])) => Some(StateCondition::JointVelocity { joint, above, below }),
        _ => {
            names.error("a condition needs 'position' = [low, high] or 'velocity' = [low, high], and one of them");
            None
        }
    }
}
