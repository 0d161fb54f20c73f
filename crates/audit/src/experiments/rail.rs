//! The sled of the experiments with one joint: two kilograms on a rail along x, or a wheel on an axle along x.

use crate::bench::BenchScene;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

/// [kg]
pub const MASS: f64 = 2.0;
/// Of the wheel about its axle [kg m²].
pub const MOMENT: f64 = 0.05;

/// The sled, body and joint changed.
pub fn sled(change: impl Fn(&mut Joint)) -> BenchScene {
    along(Vec3::x(), change)
}

/// A sled along any axis.
pub fn along(axis: Vec3, change: impl Fn(&mut Joint)) -> BenchScene {
    one("sled", MASS, JointKind::prismatic(axis), change)
}

/// The wheel, its centre of mass on the axle.
pub fn wheel(axis: Vec3, change: impl Fn(&mut Joint)) -> BenchScene {
    one("wheel", MASS, JointKind::revolute(axis), change)
}

fn one(name: &str, mass: f64, kind: JointKind, change: impl Fn(&mut Joint)) -> BenchScene {
    let mut builder = ModelBuilder::new(name);
    let mut joint = Joint::new("joint", kind);
    change(&mut joint);
    let inertia = Inertia::new(mass, Vec3::zeros(), [MOMENT, MOMENT, MOMENT, 0.0, 0.0, 0.0]);
    builder.add_body(Body::new(name, inertia), joint, None);
    BenchScene::new(builder)
}
