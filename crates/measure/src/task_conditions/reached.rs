//! The condition behind `reached`: a point of a body is at its target, and the body is turned as wanted.

use super::{Condition, Recorded, TaskConditionEntry, angle, body, relative};
use crate::metric::CannotTell;
use veracity_model::geometry::quat_from_rpy;
use veracity_model::{Quat, Vec3};

/// See `docs/metrics.md`.
pub const ENTRY: TaskConditionEntry = TaskConditionEntry {
    name: "reached",
    keys: &["of", "with", "point_m", "target_m", "target_rpy_rad", "within_m", "within_rad", "for_s"],
    wanted: true,
    condition: |_, layout, options| {
        let task = &options.task;
        let place = match (task.target_m, task.within_m) {
            (Some(target), Some(within)) => Some((Vec3::from(target), within)),
            (None, None) => None,
            _ => return CannotTell::new("give 'target_m' and 'within_m' together"),
        };
        let turn = match (task.target_rpy_rad, task.within_rad) {
            (Some([roll, pitch, yaw]), Some(within)) => Some((quat_from_rpy(roll, pitch, yaw), within)),
            (None, None) => None,
            _ => return CannotTell::new("give 'target_rpy_rad' and 'within_rad' together"),
        };
        if place.is_none() && turn.is_none() {
            return CannotTell::new(
                "give the target: 'target_m' and 'within_m', 'target_rpy_rad' and 'within_rad', or both",
            );
        }
        let other = options.with.as_ref().map(|name| body(layout, "with", Some(name))).transpose()?;
        let point = Vec3::from(options.point.unwrap_or([0.0; 3]));
        Ok(Box::new(AtTarget { body: body(layout, "of", options.of.as_ref())?, other, point, place, turn }))
    },
};

struct AtTarget {
    body: usize,
    other: Option<usize>,
    point: Vec3,
    place: Option<(Vec3, f64)>,
    turn: Option<(Quat, f64)>,
}

impl Condition for AtTarget {
    fn look(&self, recorded: &Recorded<'_>, _first: usize, row: usize) -> Option<String> {
        let pose = relative(recorded.track, row, self.body, self.other);
        let mut said = Vec::new();
        if let Some((target, within)) = self.place {
            let distance = (pose.translation.vector + pose.rotation * self.point - target).norm();
            if distance.is_nan() || distance > within {
                return None;
            }
            said.push(format!("{distance:.4} m"));
        }
        if let Some((target, within)) = self.turn {
            let turned = angle(&(target.inverse() * pose.rotation));
            if turned.is_nan() || turned > within {
                return None;
            }
            said.push(format!("{turned:.4} rad"));
        }
        Some(format!("{} is within {} of its target", recorded.layout.bodies[self.body].name, said.join(" and ")))
    }
}
