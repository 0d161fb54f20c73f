//! Shared by the metrics of bodies that should be at rest.

use crate::metric::{CannotTell, Options, Subject};
use crate::rows::pose;
use veracity_model::{Inertia, Vec3};

/// The body that `of` names, or every body that can move: one with mass that is not fixed to the ground.
pub fn chosen_bodies(subject: &Subject<'_>, options: &Options) -> Result<Vec<usize>, CannotTell> {
    let layout = subject.layout;
    if let Some(name) = &options.of {
        return match layout.body(name) {
            Some(body) => Ok(vec![body]),
            None => CannotTell::new(format!("the world has no body '{name}'; correct `of`")),
        };
    }
    let all: Vec<usize> = (0..layout.bodies.len()).filter(|&body| can_move(subject, body)).collect();
    if all.is_empty() {
        return CannotTell::new("no body of the world can move");
    }
    Ok(all)
}

/// Whether a joint with a degree of freedom lies between the body and the ground.
fn can_move(subject: &Subject<'_>, body: usize) -> bool {
    let slot = &subject.layout.bodies[body];
    let model = &subject.record.world.placements[slot.placement].model;
    let mut at = Some(slot.body);
    let mut moves = false;
    while let Some(here) = at {
        moves |= model.joint(veracity_model::JointId(here.0)).kind.dof_count() > 0;
        at = model.parent(here);
    }
    moves && model.body(slot.body).inertia.mass > 0.0
}

/// Inertia of a body by its slot.
pub fn inertia<'a>(subject: &Subject<'a>, body: usize) -> &'a Inertia {
    let slot = &subject.layout.bodies[body];
    &subject.record.world.placements[slot.placement].model.body(slot.body).inertia
}

/// A body's centre of mass in a row, in the world [m].
pub fn centre(subject: &Subject<'_>, row: usize, body: usize) -> Vec3 {
    let place = pose(&subject.record.track, row, body);
    place.translation.vector + place.rotation * inertia(subject, body).com
}

/// When a series first exceeded a level, as the end of a note.
pub fn first_beyond(series: &[(f64, f64)], level: f64) -> String {
    match series.iter().find(|(_, x)| x.is_nan() || *x > level) {
        Some((t, _)) => format!("; beyond {level} m first at {t} s"),
        None => format!("; never beyond {level} m"),
    }
}
