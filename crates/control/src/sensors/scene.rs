//! What rays of sensors can meet: the collision shapes of bodies.

use super::{Site, View};
use crate::error::ControlError;
use veracity_collide::{Collider, Ray};
use veracity_model::Pose;

/// Of each shape the slot of its body, its place in it, and what a ray is cast at.
pub(super) struct Scene(Vec<(usize, Pose, Collider)>);

impl Scene {
    /// All collision shapes but those of some bodies, by slot.
    pub fn without(site: &Site<'_>, bodies: &[Option<usize>]) -> Result<Self, ControlError> {
        let mut shapes = Vec::new();
        let others = site.setup.layout.bodies.iter().enumerate().filter(|(slot, _)| !bodies.contains(&Some(*slot)));
        for (slot, body) in others {
            let model = &site.setup.world.placements[body.placement].model;
            for shape in model.body(body.body).shapes.iter().filter(|s| s.collides) {
                let collider = Collider::new(&shape.shape).map_err(|why| {
                    let what = format!("a shape of body '{}' cannot be seen: {why}", body.name);
                    ControlError::new(format!("{}/kind", site.place), what)
                })?;
                shapes.push((slot, shape.body_from_shape, collider));
            }
        }
        Ok(Self(shapes))
    }

    /// How far the nearest of them is along a ray [m]; `None` if none is met up to `limit`.
    pub fn nearest(&self, ray: &Ray, view: &View<'_>, limit: f64) -> Option<f64> {
        let mut nearest = None;
        for (body, body_from_shape, collider) in &self.0 {
            let world_from_shape = view.bodies[*body].world_from_body * body_from_shape;
            nearest = ray.distance(collider, &world_from_shape, nearest.unwrap_or(limit)).or(nearest);
        }
        nearest
    }
}
