//! The centre of mass, from how gravity turns a body on a hinge through its frame's origin.
//!
//! ```text
//! (1)  J α_g = m (c × g) · a              a weak gravity g across the hinge's axis a, from rest
//! (2)  J α_τ = τ                          the same hinge under an effort gives J, the moment about the axis
//! (3)  c = τ α_g / (m g α_τ)              with a, g along two axes: the third component of c
//! ```
//!
//! The origin of the body does not move here, so that its position does not enter. Gravity is weak, so that the arm
//! does not change: to 1e-7 in the time of the reading.

use super::space;
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

const TIME: f64 = 0.01;
const WEAK: f64 = 0.01;
const EFFORT: f64 = 1e-4;

const fn component(name: &'static str, axis: usize, read: fn(&Bench<'_>) -> Result<Reading, Stopped>) -> Experiment {
    let formula = "τ α_g / (m g α_τ) of a hinge under weak gravity and under an effort";
    Experiment { name, group: "inertia", unit: "m", given: space::COM[axis], formula, tolerated: ITERATED, read }
}

// The hinge's axis a and the direction d of gravity with (c × d) · a = the component.
pub const X: Experiment = component("com-x", 0, |bench| read(bench, Vec3::y(), -Vec3::z()));
pub const Y: Experiment = component("com-y", 1, |bench| read(bench, Vec3::z(), -Vec3::x()));
pub const Z: Experiment = component("com-z", 2, |bench| read(bench, Vec3::x(), -Vec3::y()));

fn hinge(axis: Vec3) -> BenchScene {
    let mut builder = ModelBuilder::new("hinged-body");
    let body = Body::new("body", Inertia::new(space::MASS, space::COM.into(), space::TENSOR));
    builder.add_body(body, Joint::new("hinge", JointKind::revolute(axis)), None);
    BenchScene::new(builder)
}

fn read(bench: &Bench<'_>, axis: Vec3, down: Vec3) -> Result<Reading, Stopped> {
    let falling = hinge(axis).falling(WEAK * down);
    let mut pushed = hinge(axis);
    pushed.inputs.efforts[0] = EFFORT;
    let by_gravity = bench.run(&falling, TIME)?.spin(0).dot(&axis);
    let by_effort = bench.run(&pushed, TIME)?.spin(0).dot(&axis);
    Ok((EFFORT * by_gravity / (space::MASS * WEAK * by_effort)).into())
}
