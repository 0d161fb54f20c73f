//! Roll, pitch and yaw of a frame in the world, as a magnetometer with an inclinometer gives them. Groups: angle.
//!
//! `R = Rz(yaw) Ry(pitch) Rx(roll)`. Yaw and roll jump at ±π, and are not defined apart at a pitch of ±π/2.

use super::mount::Mount;
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;
use veracity_model::geometry::rpy_from_quat;

pub(super) const KIND: SensorKind = SensorKind {
    name: "attitude",
    text: "roll, pitch and yaw of a frame in the world, as from a magnetometer",
    keys: &["body", "xyz_m", "rpy_rad"],
    groups: &["angle"],
    build,
};

struct Attitude(Mount);

impl Measure for Attitude {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        out.copy_from_slice(&rpy_from_quat(&self.0.motion(view).world_from_sensor.rotation));
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |_| false)?;
    Ok(BuiltSensor {
        channels: ["roll", "pitch", "yaw"].map(|name| (name.to_string(), "rad", 0)).into(),
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Attitude(mount)),
        note: None,
    })
}
