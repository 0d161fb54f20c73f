//! The frame of a sensor.

use super::{SensorSite, View};
use crate::error::{ControlError, list};
use veracity_model::geometry::pose;
use veracity_model::{Pose, SensorKind as ModelKind, Vec3};

/// A frame on a body or in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mount {
    /// Slot of the body; `None` is the world.
    pub body: Option<usize>,
    /// Of the sensor in the body, or in the world.
    pub body_from_sensor: Pose,
}

/// Motion of a mount.
pub(super) struct MountMotion {
    pub world_from_sensor: Pose,
    /// World axes [rad/s].
    pub angular_velocity: Vec3,
    /// Of the sensor's origin, world axes [m/s].
    pub linear_velocity: Vec3,
    /// From the body's origin to the sensor's, world axes [m].
    pub arm: Vec3,
}

impl Mount {
    /// From `model_sensor`, or from `body`, `xyz_m` and `rpy_rad`. `of_kind` says whether a sensor of the model has the
    /// required kind.
    pub fn new(site: &SensorSite<'_>, of_kind: fn(&ModelKind) -> bool) -> Result<Self, ControlError> {
        let layout = site.setup.layout;
        let at = |key: &str, what: String| ControlError::new(format!("{}/{key}", site.place), what);
        if let Some((placement, sensor)) = site.model_sensor {
            if !of_kind(&sensor.kind) {
                return Err(at("model_sensor", format!("'{}' of the model has another kind", sensor.name)));
            }
            if let Some(key) = ["body", "xyz_m", "rpy_rad"].into_iter().find(|k| site.config.keys_given().contains(k))
            {
                return Err(at(key, "the model already gives the pose of this sensor; remove this key".to_string()));
            }
            let first = layout.bodies.iter().position(|b| b.placement == placement).unwrap_or(0);
            let world_from_model = site.setup.world.placements[placement].world_from_model;
            return Ok(match sensor.body {
                Some(body) => Self { body: Some(first + body.0), body_from_sensor: sensor.body_from_sensor },
                None => Self { body: None, body_from_sensor: world_from_model * sensor.body_from_sensor },
            });
        }
        let Some(name) = &site.config.body else {
            return Err(at("body", "give the body it is on, or name a model_sensor".to_string()));
        };
        let body = layout.body(name).ok_or_else(|| {
            let known = list(layout.bodies.iter().map(|b| b.name.as_str()));
            at("body", format!("unknown body '{name}'; available: {known}"))
        })?;
        Ok(Self { body: Some(body), body_from_sensor: place_in_body(site)? })
    }

    pub fn motion(&self, view: &View<'_>) -> MountMotion {
        match self.body {
            None => MountMotion {
                world_from_sensor: self.body_from_sensor,
                angular_velocity: Vec3::zeros(),
                linear_velocity: Vec3::zeros(),
                arm: Vec3::zeros(),
            },
            Some(slot) => {
                let body = &view.bodies[slot];
                let arm = body.world_from_body.rotation * self.body_from_sensor.translation.vector;
                MountMotion {
                    world_from_sensor: body.world_from_body * self.body_from_sensor,
                    angular_velocity: body.angular_velocity,
                    linear_velocity: body.linear_velocity + body.angular_velocity.cross(&arm),
                    arm,
                }
            }
        }
    }
}

/// `xyz_m` and `rpy_rad` as a pose.
pub(super) fn place_in_body(site: &SensorSite<'_>) -> Result<Pose, ControlError> {
    let (xyz, rpy) = (site.config.xyz_m.unwrap_or_default(), site.config.rpy_rad.unwrap_or_default());
    for (key, numbers) in [("xyz_m", xyz), ("rpy_rad", rpy)] {
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(ControlError::new(format!("{}/{key}", site.place), "it must be three finite numbers"));
        }
    }
    Ok(pose(xyz.into(), rpy))
}

/// Writes three numbers.
pub(super) fn put(out: &mut [f64], x: Vec3) {
    out.copy_from_slice(x.as_slice());
}
