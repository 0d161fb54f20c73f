//! The body of the experiments in free space: without symmetries and without zero parameters.

use crate::bench::BenchScene;
use veracity_engine::Wrench;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

/// [kg]
pub const MASS: f64 = 2.0;
/// In the body's frame [m].
pub const COM: [f64; 3] = [0.03, -0.02, 0.05];
/// xx yy zz xy xz yz, about the centre of mass [kg m²].
pub const TENSOR: [f64; 6] = [0.05, 0.07, 0.09, 0.004, -0.006, 0.008];

/// Alone in space, at rest.
pub fn body() -> BenchScene {
    with(|_| {})
}

/// The same with something changed.
pub fn with(change: impl Fn(&mut Body)) -> BenchScene {
    let mut body = Body::new("body", Inertia::new(MASS, COM.into(), TENSOR));
    change(&mut body);
    let mut builder = ModelBuilder::new("body-in-space");
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    BenchScene::new(builder)
}

/// A ball about its centre: isotropic, so that directions do not couple.
pub fn ball() -> BenchScene {
    with(|body| body.inertia = Inertia::new(MASS, Vec3::zeros(), [0.05, 0.05, 0.05, 0.0, 0.0, 0.0]))
}

/// A wrench on the first body.
pub fn wrench(force: [f64; 3], torque: [f64; 3]) -> Wrench {
    Wrench { body: 0, force, torque }
}

/// A unit vector.
pub fn unit(axis: usize) -> Vec3 {
    let mut v = Vec3::zeros();
    v[axis] = 1.0;
    v
}
