//! Distance along +x of the sensor's frame to the nearest collision shape of any other body, at most `max_m`. One group:
//! distance.

use super::mount::Mount;
use super::{BuiltSensor, Measure, Needs, SensorKind, Site, View};
use crate::error::ControlError;
use veracity_collide::{Collider, Ray};
use veracity_model::{Pose, SensorKind as ModelKind, Vec3};

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
    /// Slot of the body, the shape in it.
    scene: Vec<(usize, Pose, Collider)>,
}

impl Measure for Range {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let sensor = self.mount.motion(view).world_from_sensor;
        let ray = Ray { origin: sensor.translation.vector, direction: sensor.rotation * Vec3::x() };
        let mut nearest = self.max;
        for (body, body_from_shape, collider) in &self.scene {
            let world_from_shape = view.bodies[*body].world_from_body * body_from_shape;
            if let Some(distance) = ray.distance(collider, &world_from_shape, nearest) {
                nearest = distance;
            }
        }
        out[0] = nearest;
        true
    }
}

fn build(site: &Site<'_>) -> Result<BuiltSensor, ControlError> {
    let at = |key: &str, what: String| ControlError::new(format!("{}/{key}", site.place), what);
    let mount = Mount::new(site, |kind| matches!(kind, ModelKind::Range { .. }))?;
    let of_model = site.model_sensor.and_then(|(_, s)| match s.kind {
        ModelKind::Range { max } => Some(max),
        _ => None,
    });
    let max = site.config.max_m.or(of_model).ok_or_else(|| at("max_m", "say how far it sees".to_string()))?;
    if !(max > 0.0 && max.is_finite()) {
        return Err(at("max_m", format!("{max} m must be a positive length")));
    }
    let mut scene = Vec::new();
    for (slot, body) in site.setup.layout.bodies.iter().enumerate().filter(|(slot, _)| mount.body != Some(*slot)) {
        let model = &site.setup.world.placements[body.placement].model;
        for shape in model.body(body.body).shapes.iter().filter(|s| s.collides) {
            let collider = Collider::new(&shape.shape)
                .map_err(|why| at("kind", format!("a shape of body '{}' cannot be seen: {why}", body.name)))?;
            scene.push((slot, shape.body_from_shape, collider));
        }
    }
    Ok(BuiltSensor {
        channels: vec![("distance".to_string(), "m", 0)],
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Range { mount, max, scene }),
        note: None,
    })
}
