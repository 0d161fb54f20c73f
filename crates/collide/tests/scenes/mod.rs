//! Worlds of single shapes on free bodies.
#![allow(dead_code)]

use veracity_collide::contact::{ContactPoint, ContactScene};
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, World};

/// A world in which body `i` has shape `i`; a plane is fixed, everything else is free.
pub fn scene(shapes: &[Shape]) -> ContactScene {
    let mut builder = ModelBuilder::new("w");
    for (i, shape) in shapes.iter().enumerate() {
        let body =
            Body::new(format!("b{i}"), Inertia::solid_sphere(1.0, 0.1)).with_shape(shape.clone(), Pose::identity());
        let kind = if matches!(shape, Shape::Plane) { JointKind::Fixed } else { JointKind::Free };
        builder.add_body(body, Joint::new(format!("j{i}"), kind), None);
    }
    let world = World::with_model(builder.build().unwrap());
    ContactScene::new(&world, &Layout::new(&world)).unwrap()
}

/// The points of two shapes within a margin.
pub fn points(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    scene(&[a.clone(), b.clone()]).find(&[*pa, *pb], &[0.0, 0.0], margin, &mut out).unwrap();
    out
}
