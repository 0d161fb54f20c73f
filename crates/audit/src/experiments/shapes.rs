//! Sizes and offsets of shapes: the height at which a body comes to rest.
//!
//! ```text
//! (1)  z = s                 half a side, a radius, or half a length and a radius, by which side is down
//! (2)  z = r - (R o)_z       a ball attached at o in the body; reads the component of o along the axis that R turns
//! upwards
//! ```
//!
//! A body falls from [`DROP`] above its expected rest position, so that one twice as large does not begin inside the
//! ground: some engines leave it there.

use super::ground::{self, G, Ground};
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, Reading, SINKS};
use veracity_model::geometry::{Quat, at, quat_about};
use veracity_model::{Body, Inertia, Material, Pose, Shape, Vec3};

const RADIUS: f64 = 0.08;
const SIZE: [f64; 3] = [0.2, 0.16, 0.12];
const LONG: f64 = 0.3;
/// Length of a cylinder on end, short enough not to fall over if it lands rim first.
const SQUAT: f64 = 0.1;
const RADII: [f64; 3] = [0.1, 0.12, 0.08];
const OFFSET: [f64; 3] = [0.03, -0.04, 0.05];
/// [m]
const DROP: f64 = 0.2;
const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "shapes", unit: "m", given, formula, tolerated: SINKS, read }
}

const HALF: &str = "2 z of a body at rest";
const WHOLE: &str = "z of a body at rest";

pub const SPHERE: Experiment = entry("sphere-radius", RADIUS, WHOLE, |b| {
    Ok(rest(b, Shape::Sphere { radius: RADIUS }, Pose::identity(), upright(), RADIUS)?.into())
});
pub const BOX_X: Experiment = entry("box-x", SIZE[0], HALF, |b| boxed(b, 0));
pub const BOX_Y: Experiment = entry("box-y", SIZE[1], HALF, |b| boxed(b, 1));
pub const BOX_Z: Experiment = entry("box-z", SIZE[2], HALF, |b| boxed(b, 2));
pub const CAPSULE_RADIUS: Experiment =
    entry("capsule-radius", RADIUS, WHOLE, |b| Ok(rest(b, capsule(), Pose::identity(), up(0), RADIUS)?.into()));
pub const CAPSULE_LENGTH: Experiment = entry("capsule-length", LONG, "2 (z - r) of a body at rest, on end", |b| {
    let height = rest(b, capsule(), Pose::identity(), upright(), 0.5 * LONG + RADIUS)?;
    Ok((2.0 * (height - RADIUS)).into())
});
pub const CYLINDER_RADIUS: Experiment =
    entry("cylinder-radius", RADIUS, WHOLE, |b| Ok(rest(b, cylinder(LONG), Pose::identity(), up(0), RADIUS)?.into()));
pub const CYLINDER_LENGTH: Experiment = entry("cylinder-length", SQUAT, HALF, |b| {
    Ok((2.0 * rest(b, cylinder(SQUAT), Pose::identity(), upright(), 0.5 * SQUAT)?).into())
});
pub const ELLIPSOID_X: Experiment = entry("ellipsoid-x", RADII[0], WHOLE, |b| ellipsoid(b, 0));
pub const ELLIPSOID_Y: Experiment = entry("ellipsoid-y", RADII[1], WHOLE, |b| ellipsoid(b, 1));
pub const ELLIPSOID_Z: Experiment = entry("ellipsoid-z", RADII[2], WHOLE, |b| ellipsoid(b, 2));
pub const OFFSET_X: Experiment = entry("shape-offset-x", OFFSET[0], "r - z of a ball at rest", |b| offset(b, 0));
pub const OFFSET_Y: Experiment = entry("shape-offset-y", OFFSET[1], "r - z of a ball at rest", |b| offset(b, 1));
pub const OFFSET_Z: Experiment = entry("shape-offset-z", OFFSET[2], "r - z of a ball at rest", |b| offset(b, 2));

/// A box attached with a quarter turn stands on another side.
pub const TURNED: Experiment = entry("shape-turn", SIZE[0], "2 z of a box attached on its side", |b| {
    let turned = Pose::from_parts(at(0.0, 0.0, 0.0).translation, up(0));
    Ok((2.0 * rest(b, Shape::Box { size: SIZE.into() }, turned, upright(), 0.5 * SIZE[0])?).into())
});

fn upright() -> Quat {
    Quat::identity()
}

/// Turns an axis of the body upwards.
fn up(axis: usize) -> Quat {
    match axis {
        0 => quat_about(&Vec3::y(), -QUARTER),
        1 => quat_about(&Vec3::x(), QUARTER),
        _ => upright(),
    }
}

fn capsule() -> Shape {
    Shape::Capsule { radius: RADIUS, length: LONG }
}

fn cylinder(length: f64) -> Shape {
    Shape::Cylinder { radius: RADIUS, length }
}

fn boxed(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let shape = Shape::Box { size: SIZE.into() };
    Ok((2.0 * rest(bench, shape, Pose::identity(), up(axis), 0.5 * SIZE[axis])?).into())
}

fn ellipsoid(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let shape = Shape::Ellipsoid { radii: RADII.into() };
    Ok(rest(bench, shape, Pose::identity(), up(axis), RADII[axis])?.into())
}

fn offset(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let place = at(OFFSET[0], OFFSET[1], OFFSET[2]);
    let height = rest(bench, Shape::Sphere { radius: RADIUS }, place, up(axis), RADIUS - OFFSET[axis])?;
    Ok((RADIUS - height).into())
}

/// Height of the body's origin at rest; its centre of mass is in the middle of the shape.
fn rest(bench: &Bench<'_>, shape: Shape, place: Pose, turn: Quat, expected: f64) -> Result<f64, Stopped> {
    bench.need(|can| can.contact, "contact")?;
    let inertia = Inertia::new(1.0, place.translation.vector, [0.004, 0.004, 0.004, 0.0, 0.0, 0.0]);
    let mut ground = Ground::new(Material { friction: [0.5; 2], ..Material::default() });
    ground.add_body(Body::new("body", inertia).with_shape(shape, place));
    let mut scene = ground.scene().falling(Vec3::new(0.0, 0.0, -G));
    scene.q[2] = expected + DROP;
    scene.q[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    Ok(bench.run(&scene, ground::REST)?.place(1).z)
}
