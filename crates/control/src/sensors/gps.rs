//! Horizontal position of a point of a body in the world. Groups: position.

use super::mount::Mount;
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;

pub(super) const KIND: SensorKind = SensorKind {
    name: "gps",
    text: "x and y of a point in the world",
    keys: &["body", "xyz_m"],
    groups: &["position"],
    build,
};

struct Gps(Mount);

impl Measure for Gps {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let place = self.0.motion(view).world_from_sensor.translation.vector;
        out.copy_from_slice(&[place.x, place.y]);
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |_| false)?;
    Ok(BuiltSensor {
        channels: ["x", "y"].map(|name| (name.to_string(), "m", 0)).into(),
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Gps(mount)),
        note: None,
    })
}
