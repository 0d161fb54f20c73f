//! The condition behind `held`: an object has moved or turned too far in the gripper that holds it.

use super::{Condition, Recorded, TaskConditionEntry, angle, inertia, no_more, relative};
use crate::grasp::Roles;
use crate::metric::CannotTell;

/// See `docs/metrics.md`.
pub const ENTRY: TaskConditionEntry = TaskConditionEntry {
    name: "held",
    keys: &["grippers", "objects", "within_m", "within_rad"],
    // The instant is that of the loss: a check without a bound demands that there is none.
    wanted: false,
    condition: |_, layout, options| {
        let task = &options.task;
        if task.within_m.is_none() && task.within_rad.is_none() {
            return CannotTell::new("say how far an object may move in its gripper with 'within_m' or 'within_rad'");
        }
        let roles = Roles::new(layout, options)?;
        Ok(Box::new(Lost { roles, within_m: task.within_m, within_rad: task.within_rad }))
    },
};

struct Lost {
    roles: Roles,
    within_m: Option<f64>,
    within_rad: Option<f64>,
}

impl Condition for Lost {
    fn look(&self, recorded: &Recorded<'_>, first: usize, row: usize) -> Option<String> {
        for &object in &self.roles.objects {
            let name = &recorded.layout.bodies[object].name;
            for &gripper in &self.roles.grippers {
                let holder = &recorded.layout.bodies[gripper].name;
                let moved = moved(recorded, first, row, object, gripper);
                // NaN counts as lost as well.
                if self.within_m.is_some_and(|most| !no_more(moved, most)) {
                    return Some(format!("no longer held: {name} has moved {moved:.4} m in the frame of {holder}"));
                }
                let before = relative(recorded.track, first, object, Some(gripper)).rotation;
                let turned =
                    angle(&(before.inverse() * relative(recorded.track, row, object, Some(gripper)).rotation));
                if self.within_rad.is_some_and(|most| !no_more(turned, most)) {
                    return Some(format!(
                        "no longer held: {name} has turned {turned:.4} rad in the frame of {holder}"
                    ));
                }
            }
        }
        None
    }
}

/// How far the object's centre of mass has moved in the gripper's frame since the first row [m].
pub(super) fn moved(recorded: &Recorded<'_>, first: usize, row: usize, object: usize, gripper: usize) -> f64 {
    let com = inertia(recorded.world, recorded.layout, object).com;
    let place = |row: usize| {
        let pose = relative(recorded.track, row, object, Some(gripper));
        pose.translation.vector + pose.rotation * com
    };
    (place(row) - place(first)).norm()
}
