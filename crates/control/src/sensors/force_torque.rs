//! Force and torque through a joint on the body it carries, in the sensor's frame and about its origin. Groups: force,
//! torque.
//!
//! By default the frame is the joint's, fixed to the body it carries.

use super::mount::{Mount, place_in_body, put};
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::{ControlError, list};
use veracity_model::{BodyId, Pose, SensorKind as ModelKind, Vec3};

pub(super) const KIND: SensorKind = SensorKind {
    name: "force_torque",
    text: "force and torque through a joint on the body it carries, in the sensor's frame",
    keys: &["joint", "xyz_m", "rpy_rad", "model_sensor"],
    groups: &["force", "torque"],
    build,
};

struct ForceTorque {
    mount: Mount,
    /// Slot of the joint and of the body it carries.
    joint: usize,
    child_from_joint: Pose,
}

impl Measure for ForceTorque {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let (force, torque) = view.reactions[self.joint];
        let (force, torque) = (Vec3::from(force), Vec3::from(torque));
        let sensor = self.mount.motion(view).world_from_sensor;
        let origin = (view.bodies[self.joint].world_from_body * self.child_from_joint).translation.vector;
        let about_sensor = torque + (origin - sensor.translation.vector).cross(&force);
        put(&mut out[..3], sensor.rotation.inverse_transform_vector(&force));
        put(&mut out[3..], sensor.rotation.inverse_transform_vector(&about_sensor));
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let layout = site.setup.layout;
    let at = |key: &str, what: String| ControlError::new(format!("{}/{key}", site.place), what);
    if !site.setup.capabilities.reactions {
        let what =
            "the engine does not report the forces through its joints; use one that does, or remove the sensor";
        return Err(at("kind", what.to_string()));
    }
    let joint = match (site.model_sensor, &site.config.joint) {
        (Some((placement, sensor)), None) => {
            let ModelKind::ForceTorque { joint } = &sensor.kind else {
                return Err(at(
                    "model_sensor",
                    format!("'{}' of the model is not a force-torque sensor", sensor.name),
                ));
            };
            layout.joints.iter().position(|j| j.placement == placement).unwrap_or(0) + joint.0
        }
        (None, Some(name)) => layout.joint(name).ok_or_else(|| {
            let known = list(layout.joints.iter().map(|j| j.name.as_str()));
            at("joint", format!("unknown joint '{name}'; available: {known}"))
        })?,
        (Some(_), Some(_)) => {
            return Err(at("joint", "the model already gives the joint of this sensor; remove this key".to_string()));
        }
        (None, None) => return Err(at("joint", "give the joint it is in, or name a model_sensor".to_string())),
    };
    let slot = &layout.bodies[joint];
    let BodyId(in_model) = slot.body;
    let child_from_joint = site.setup.world.placements[slot.placement].model.joints()[in_model].child_from_joint;
    let mount = match site.model_sensor {
        Some(_) => Mount::new(site, |kind| matches!(kind, ModelKind::ForceTorque { .. }))?,
        None => Mount { body: Some(joint), body_from_sensor: child_from_joint * place_in_body(site)? },
    };
    let force = ["x", "y", "z"].map(|axis| (format!("force_{axis}"), "N", 0));
    let torque = ["x", "y", "z"].map(|axis| (format!("torque_{axis}"), "N m", 1));
    Ok(BuiltSensor {
        channels: force.into_iter().chain(torque).collect(),
        needs: Needs { bodies: true, reactions: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(ForceTorque { mount, joint, child_from_joint }),
        note: None,
    })
}
