//! Bodies that touch.

use super::loads::close;
use super::scenes::{self, G, LINK_MASS};
use super::{Claim, Evidence, Subject};
use crate::samples::Samples;

pub(super) const REST: Claim = Claim {
    name: "contact-rest",
    says: "A box dropped on the ground comes to rest on it, and the impulses of a step carry its weight.",
    run: rest,
};

fn rest(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().contact {
        return Ok(Evidence::DoesNotApply("the engine has no contact".to_string()));
    }
    let scene = scenes::resting();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut none = Samples::none(simulation.layout());
    simulation.advance(2000.0 * subject.step_s, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
    // Soft contacts sink by some part of a millimetre; half a percent of the box is accepted as rest.
    let height = simulation.q()[2];
    close("the height of the resting box", height, 0.05, 5e-4)?;
    let speed = simulation.v().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    close("the speed of the resting box", speed, 0.0, 1e-3)?;

    let mut contacts = Vec::new();
    simulation.contacts(&mut contacts);
    let block = simulation.layout().body("block").map(|slot| slot as u32);
    let mut impulse = 0.0;
    for contact in &contacts {
        let sign = if contact.body_a == block { 1.0 } else { -1.0 };
        impulse += sign * contact.impulse[2];
        if sign * contact.normal[2] < 0.99 {
            return Err(format!("the normal points from the second body to the first; found {contact:?}"));
        }
    }
    let expected = LINK_MASS * G * subject.step_s;
    close("the impulse of a step", impulse, expected, 0.01 * expected)?;
    Ok(Evidence::Holds(format!("rests {:.0e} m off with {} points", height - 0.05, contacts.len())))
}
