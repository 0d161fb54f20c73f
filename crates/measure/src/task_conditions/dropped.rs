//! The condition behind `dropped`: no gripper touches the object, and it is too low or too far away.

use super::held::moved;
use super::{Condition, Recorded, TaskConditionEntry, inertia, no_more, up};
use crate::curve::SAME_INSTANT_S;
use crate::grasp::Roles;
use crate::metric::CannotTell;
use crate::rows::pose;
use veracity_model::Vec3;

/// See `docs/metrics.md`.
pub const ENTRY: TaskConditionEntry = TaskConditionEntry {
    name: "dropped",
    keys: &["grippers", "objects", "below_m", "farther_m"],
    wanted: false,
    condition: |world, layout, options| {
        let task = &options.task;
        let up = match task.below_m {
            Some(_) => up(world)?,
            None if task.farther_m.is_none() => {
                return CannotTell::new(
                    "say when it counts as dropped with 'below_m' (height) or 'farther_m' (distance)",
                );
            }
            None => Vec3::zeros(),
        };
        let roles = Roles::new(layout, options)?;
        Ok(Box::new(Gone { roles, up, below_m: task.below_m, farther_m: task.farther_m }))
    },
};

struct Gone {
    roles: Roles,
    up: Vec3,
    below_m: Option<f64>,
    farther_m: Option<f64>,
}

impl Condition for Gone {
    fn look(&self, recorded: &Recorded<'_>, first: usize, row: usize) -> Option<String> {
        self.roles.objects.iter().find_map(|&object| {
            let how = self.away(recorded, first, row, object)?;
            (!self.touched(recorded, row, object)).then_some(how)
        })
    }
}

impl Gone {
    fn away(&self, recorded: &Recorded<'_>, first: usize, row: usize, object: usize) -> Option<String> {
        let name = &recorded.layout.bodies[object].name;
        let place = pose(recorded.track, row, object);
        let com = inertia(recorded.world, recorded.layout, object).com;
        let height = self.up.dot(&(place.translation.vector + place.rotation * com));
        if self.below_m.is_some_and(|least| !no_more(least, height)) {
            return Some(format!("{name} is at a height of {height:.4} m and touches no gripper"));
        }
        let most = self.farther_m?;
        // From every gripper: an object that stays with one gripper is still held.
        let moved = |&gripper: &usize| moved(recorded, first, row, object, gripper);
        let least =
            self.roles.grippers.iter().map(moved).fold(f64::INFINITY, |a, b| if b.is_nan() { b } else { a.min(b) });
        let near = no_more(least, most);
        (!near).then(|| format!("{name} has moved {least:.4} m away and touches no gripper"))
    }

    /// Whether a contact of the object with a gripper is recorded at the row.
    fn touched(&self, recorded: &Recorded<'_>, row: usize, object: usize) -> bool {
        let time = recorded.track.times[row];
        let from = recorded.contacts.partition_point(|c| c.time < time - SAME_INSTANT_S);
        let at_row = recorded.contacts[from..].iter().take_while(|c| c.time <= time + SAME_INSTANT_S);
        let is = |slot: Option<u32>, body: usize| slot == Some(body as u32);
        let holds = |slot: Option<u32>| self.roles.grippers.iter().any(|&g| is(slot, g));
        at_row
            .into_iter()
            .any(|c| (is(c.body_a, object) && holds(c.body_b)) || (is(c.body_b, object) && holds(c.body_a)))
    }
}
