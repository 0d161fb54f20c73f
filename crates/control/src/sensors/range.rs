//! Distance along +x of the sensor's frame to the nearest collision shape of any other body, at most `max_m`. One
//! group: distance.

use super::mount::Mount;
use super::occluders::Occluders;
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;
use veracity_collide::Ray;
use veracity_model::{SensorKind as ModelKind, Vec3};

pub(super) const KIND: SensorKind = SensorKind {
    name: "range",
    text: "distance along +x of the sensor's frame to the nearest shape of another body",
    keys: &["body", "xyz_m", "rpy_rad", "max_m", "model_sensor"],
    groups: &["distance"],
    build,
};

struct Range {
    mount: Mount,
    max: f64,
    occluders: Occluders,
}

impl Measure for Range {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let sensor = self.mount.motion(view).world_from_sensor;
        let ray = Ray { origin: sensor.translation.vector, direction: sensor.rotation * Vec3::x() };
        out[0] = self.occluders.nearest(&ray, view, self.max).unwrap_or(self.max);
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |kind| matches!(kind, ModelKind::Range { .. }))?;
    let of_model = site.model_sensor.and_then(|(_, s)| match s.kind {
        ModelKind::Range { max } => Some(max),
        _ => None,
    });
    let max = farthest(site, of_model)?;
    let occluders = Occluders::without(site, &[mount.body])?;
    Ok(BuiltSensor {
        channels: vec![("distance".to_string(), "m", 0)],
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Range { mount, max, occluders }),
        note: None,
    })
}

/// `max_m`, or the model's value.
pub(super) fn farthest(site: &SensorSite<'_>, of_model: Option<f64>) -> Result<f64, ControlError> {
    let at = |what: String| ControlError::new(format!("{}/max_m", site.place), what);
    let max = site.config.max_m.or(of_model).ok_or_else(|| at("give its range".to_string()))?;
    if !(max > 0.0 && max.is_finite()) {
        return Err(at(format!("{max} m must be a positive length")));
    }
    Ok(max)
}
