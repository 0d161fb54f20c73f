//! The condition behind `fell`: a body is too low or leans too far.

use super::{Condition, Recorded, TaskConditionEntry, body, inertia, no_more, up};
use crate::metric::CannotTell;
use crate::rows::pose;
use veracity_model::Vec3;

/// See `docs/metrics.md`.
pub const ENTRY: TaskConditionEntry = TaskConditionEntry {
    name: "fell",
    keys: &["of", "below_m", "tilt_rad"],
    wanted: false,
    condition: |world, layout, options| {
        let task = &options.task;
        if task.below_m.is_none() && task.tilt_rad.is_none() {
            return CannotTell::new("say when it has fallen with 'below_m' (height) or 'tilt_rad' (lean)");
        }
        let body = body(layout, "of", options.of.as_ref())?;
        Ok(Box::new(Down { body, up: up(world)?, below_m: task.below_m, tilt_rad: task.tilt_rad }))
    },
};

struct Down {
    body: usize,
    up: Vec3,
    below_m: Option<f64>,
    tilt_rad: Option<f64>,
}

impl Condition for Down {
    fn look(&self, recorded: &Recorded<'_>, first: usize, row: usize) -> Option<String> {
        let name = &recorded.layout.bodies[self.body].name;
        let place = pose(recorded.track, row, self.body);
        let com = inertia(recorded.world, recorded.layout, self.body).com;
        let height = self.up.dot(&(place.translation.vector + place.rotation * com));
        if self.below_m.is_some_and(|least| !no_more(least, height)) {
            return Some(format!("the centre of mass of {name} is at a height of {height:.4} m"));
        }
        let most = self.tilt_rad?;
        // The direction of the body that pointed up in the first row: rotation about the vertical is not a tilt.
        let upright = place.rotation * (pose(recorded.track, first, self.body).rotation.inverse() * self.up);
        let tilt = libm::atan2(upright.cross(&self.up).norm(), upright.dot(&self.up));
        let upright = no_more(tilt, most);
        (!upright).then(|| format!("{name} leans by {tilt:.4} rad"))
    }
}
