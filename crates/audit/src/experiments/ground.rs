//! A plane and free bodies on it, all of one surface.

use crate::bench::BenchScene;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, MaterialId, ModelBuilder, Pose, Shape};

/// Straight down [m/s²].
pub const G: f64 = 9.81;

/// Time until everything that falls, or is pushed against a limit, rests [s].
pub const REST: f64 = 1.0;

/// Builds the scene; the plane is body 0, the others follow.
pub struct Ground {
    builder: ModelBuilder,
    surface: MaterialId,
}

impl Ground {
    /// The plane z = 0.
    pub fn new(surface: Material) -> Self {
        let mut builder = ModelBuilder::new("ground");
        let surface = builder.add_material(Material { name: "surface".to_string(), ..surface });
        let mut ground = Self { builder, surface };
        let mut plane = Body::new("plane", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
        ground.cover(&mut plane);
        ground.builder.add_body(plane, Joint::new("fixed", JointKind::Fixed), None);
        ground
    }

    fn cover(&self, body: &mut Body) {
        body.shapes.iter_mut().for_each(|shape| shape.material = shape.material.or(Some(self.surface)));
    }

    /// Another surface.
    pub fn add_material(&mut self, material: Material) -> MaterialId {
        self.builder.add_material(material)
    }

    /// A free body of one shape about its origin.
    pub fn add(&mut self, name: &str, shape: Shape, inertia: Inertia, number: usize) {
        self.add_body(Body::new(format!("{name}{number}"), inertia).with_shape(shape, Pose::identity()));
    }

    /// Any free body.
    pub fn add_body(&mut self, mut body: Body) {
        self.cover(&mut body);
        let joint = Joint::new(format!("{}-free", body.name), JointKind::Free);
        self.builder.add_body(body, joint, None);
    }

    /// Without gravity; bodies may touch.
    pub fn scene(self) -> BenchScene {
        BenchScene::new(self.builder).touching()
    }
}
