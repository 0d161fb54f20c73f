//! The degrees of freedom the laws of a table act on, and through which ports.

use crate::address::dof_named;
use crate::config::{ControllerConfig, JointLaw};
use crate::error::{ControlError, list};
use crate::port::Port;
use veracity_model::{Actuator, Drive, Layout, Transmission, World};

/// One degree of freedom a law acts on, and how.
pub(super) struct Reach<'a> {
    pub law: &'a JointLaw,
    pub place: String,
    pub dof: usize,
    /// Index in `q`.
    pub position: usize,
    pub port: Port,
    /// Command for an effort of one at the joint.
    pub scale: f64,
}

/// Every law of the table with the degree of freedom it acts on.
pub(super) fn reaches<'a>(
    config: &'a ControllerConfig,
    world: &World,
    layout: &Layout,
) -> Result<Vec<Reach<'a>>, ControlError> {
    let base = format!("controllers/{}", config.name);
    let mut out = Vec::new();
    for (name, law) in &config.joints {
        let place = format!("{base}/joints/{name}");
        let dof = dof_named(layout, name).map_err(|what| ControlError::new(&place, what))?;
        let position = scalar(layout, dof, &place)?;
        out.push(Reach { law, place, dof, position, port: Port::Effort { dof }, scale: 1.0 });
    }
    for (name, law) in &config.actuators {
        let place = format!("{base}/actuators/{name}");
        let Some(slot) = layout.actuator(name) else {
            let known = list(layout.actuators.iter().map(String::as_str));
            return Err(ControlError::new(place, format!("unknown actuator '{name}'; available: {known}")));
        };
        let (first_joint, actuator) = actuator_at(world, layout, slot);
        let (Drive::Effort { gain }, Transmission::Joint { joint, dof, gear }) =
            (actuator.drive, &actuator.transmission)
        else {
            let what = format!(
                "'{name}' has its own control law or moves several joints; command it with kind constant or schedule"
            );
            return Err(ControlError::new(place, what));
        };
        let factor = gain * gear;
        if factor == 0.0 || !factor.is_finite() {
            return Err(ControlError::new(
                place,
                format!("'{name}' gives no effort: its gain times gear is {factor}"),
            ));
        }
        let dof = layout.joints[first_joint + joint.0].v + dof;
        let position = scalar(layout, dof, &place)?;
        out.push(Reach { law, place, dof, position, port: Port::Actuator { slot }, scale: 1.0 / factor });
    }
    if out.is_empty() {
        return Err(ControlError::new(base, "it has no laws; give it joints or actuators"));
    }
    Ok(out)
}

fn scalar(layout: &Layout, dof: usize, place: &str) -> Result<usize, ControlError> {
    layout.dof_position[dof].ok_or_else(|| {
        ControlError::new(
            place,
            "it is a rotation about a point without a single position; name a joint that has one",
        )
    })
}

/// An actuator by its slot in the layout, with the slot of its model's first joint.
pub fn actuator_at<'w>(world: &'w World, layout: &Layout, slot: usize) -> (usize, &'w Actuator) {
    let mut first = 0;
    for (index, placement) in world.placements.iter().enumerate() {
        let actuators = placement.model.actuators();
        if slot < first + actuators.len() {
            let joint = layout.joints.iter().position(|j| j.placement == index).unwrap_or(0);
            return (joint, &actuators[slot - first]);
        }
        first += actuators.len();
    }
    panic!("the layout has an actuator {slot} that no model of its world has");
}
