//! What rays of sensors can hit: the collision shapes of bodies.

use super::{SensorSite, View};
use crate::error::ControlError;
use veracity_collide::{Collider, Ray};
use veracity_model::Pose;

/// For each shape the slot of its body, its pose in it, and its collider.
pub(super) struct Occluders(Vec<(usize, Pose, Collider)>);

impl Occluders {
    /// All collision shapes except those of some bodies, by slot.
    pub fn without(site: &SensorSite<'_>, bodies: &[Option<usize>]) -> Result<Self, ControlError> {
        let mut shapes = Vec::new();
        let others = site.setup.layout.bodies.iter().enumerate().filter(|(slot, _)| !bodies.contains(&Some(*slot)));
        for (slot, body) in others {
            let model = &site.setup.world.placements[body.placement].model;
            for shape in model.body(body.body).shapes.iter().filter(|s| s.collides) {
                let collider = Collider::new(&shape.shape).map_err(|why| {
                    let what = format!("a shape of body '{}' is not supported by rays: {why}", body.name);
                    ControlError::new(format!("{}/kind", site.place), what)
                })?;
                shapes.push((slot, shape.body_from_shape, collider));
            }
        }
        Ok(Self(shapes))
    }

    /// Distance of the nearest shape along a ray [m]; `None` if no shape is within `limit`.
    pub fn nearest(&self, ray: &Ray, view: &View<'_>, limit: f64) -> Option<f64> {
        let mut nearest = None;
        for (body, body_from_shape, collider) in &self.0 {
            let world_from_shape = view.bodies[*body].world_from_body * body_from_shape;
            nearest = ray.distance(collider, &world_from_shape, nearest.unwrap_or(limit)).or(nearest);
        }
        nearest
    }
}
