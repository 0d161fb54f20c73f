//! Position and axis of a joint.
//!
//! ```text
//! (1)  ω = a τ t / I                     a wheel under an effort turns about the axis a
//! (2)  v = a F t / m                     a sled under an effort slides along a
//! (3)  p = x + (ω × v) / ω²              the point of a turning body that stands still: the joint, across its axis
//! (4)  r = Rᵀ (p - x)                    the same point in the body
//! ```

use super::rail;
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading};
use veracity_model::geometry::{at, pose};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

const AXIS: [f64; 3] = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
const ORIGIN: [f64; 3] = [0.3, -0.2, 0.5];
const IN_CHILD: [f64; 3] = [-0.1, 0.2, 0.15];
const YAW: f64 = 0.4;
const TIME: f64 = 0.1;

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "joint frame", unit, given, formula, tolerated: ITERATED, read }
}

const TURNS: &str = "ω I / (τ t) of a wheel under an effort";
const SLIDES: &str = "v m / (F t) of a sled under an effort";
const STILL: &str = "x + (ω × v) / ω² of a turning body";

pub const HINGE_X: Experiment = entry("hinge-axis-x", "", AXIS[0], TURNS, |bench| turning(bench, 0));
pub const HINGE_Y: Experiment = entry("hinge-axis-y", "", AXIS[1], TURNS, |bench| turning(bench, 1));
pub const HINGE_Z: Experiment = entry("hinge-axis-z", "", AXIS[2], TURNS, |bench| turning(bench, 2));
pub const RAIL_X: Experiment = entry("rail-axis-x", "", AXIS[0], SLIDES, |bench| sliding(bench, 0));
pub const RAIL_Y: Experiment = entry("rail-axis-y", "", AXIS[1], SLIDES, |bench| sliding(bench, 1));
pub const RAIL_Z: Experiment = entry("rail-axis-z", "", AXIS[2], SLIDES, |bench| sliding(bench, 2));
pub const ORIGIN_X: Experiment =
    entry("joint-origin-x", "m", ORIGIN[0], STILL, |b| Ok(still(b, Vec3::z())?.0.x.into()));
pub const ORIGIN_Y: Experiment =
    entry("joint-origin-y", "m", ORIGIN[1], STILL, |b| Ok(still(b, Vec3::z())?.0.y.into()));
pub const ORIGIN_Z: Experiment =
    entry("joint-origin-z", "m", ORIGIN[2], STILL, |b| Ok(still(b, Vec3::x())?.0.z.into()));
pub const CHILD_X: Experiment =
    entry("joint-in-child-x", "m", IN_CHILD[0], STILL, |b| Ok(still(b, Vec3::z())?.1.x.into()));
pub const CHILD_Y: Experiment =
    entry("joint-in-child-y", "m", IN_CHILD[1], STILL, |b| Ok(still(b, Vec3::z())?.1.y.into()));
pub const CHILD_Z: Experiment =
    entry("joint-in-child-z", "m", IN_CHILD[2], STILL, |b| Ok(still(b, Vec3::x())?.1.z.into()));

/// Orientation of the joint's frame in its parent.
pub const TURN: Experiment =
    entry("joint-frame-yaw", "rad", YAW, "the direction of ω of a wheel under an effort", |bench| {
        let mut scene =
            rail::wheel(Vec3::x(), |joint| joint.parent_from_joint = pose(Vec3::from(ORIGIN), [0.0, 0.0, YAW]));
        scene.inputs.efforts[0] = 0.1;
        let spin = bench.run(&scene, TIME)?.spin(0);
        Ok(libm::atan2(spin.y, spin.x).into())
    });

/// Pitch of a screw.
pub const PITCH: Experiment = entry("screw-pitch", "m/rad", 0.05, "v / ω of a screw under an effort", |bench| {
    let mut scene = rail::wheel(Vec3::x(), |joint| joint.kind = JointKind::Screw { axis: Vec3::x(), pitch: 0.05 });
    scene.inputs.efforts[0] = 0.1;
    let mut run = bench.run(&scene, TIME)?;
    Ok((run.velocity(0).x / run.spin(0).x).into())
});

fn turning(bench: &Bench<'_>, component: usize) -> Result<Reading, Stopped> {
    let effort = 0.1;
    let mut scene = rail::wheel(Vec3::from(AXIS), |_| {});
    scene.inputs.efforts[0] = effort;
    Ok((bench.run(&scene, TIME)?.spin(0)[component] * rail::MOMENT / (effort * TIME)).into())
}

fn sliding(bench: &Bench<'_>, component: usize) -> Result<Reading, Stopped> {
    let effort = 1.5;
    let mut scene = rail::along(Vec3::from(AXIS), |_| {});
    scene.inputs.efforts[0] = effort;
    Ok((bench.run(&scene, TIME)?.velocity(0)[component] * rail::MASS / (effort * TIME)).into())
}

/// (3) and (4) of a body that turns at one radian a second about an axis away from its frame, with no inputs.
fn still(bench: &Bench<'_>, axis: Vec3) -> Result<(Vec3, Vec3), Stopped> {
    let mut builder = ModelBuilder::new("turning-body");
    let inertia = Inertia::new(rail::MASS, Vec3::zeros(), [rail::MOMENT, rail::MOMENT, rail::MOMENT, 0.0, 0.0, 0.0]);
    let mut joint = Joint::new("hinge", JointKind::revolute(axis)).at(at(ORIGIN[0], ORIGIN[1], ORIGIN[2]));
    joint.child_from_joint = at(IN_CHILD[0], IN_CHILD[1], IN_CHILD[2]);
    builder.add_body(Body::new("body", inertia), joint, None);
    let mut scene = crate::BenchScene::new(builder);
    scene.v[0] = 1.0;
    let body = bench.run(&scene, TIME)?.body(0);
    let (spin, speed) = (body.angular_velocity, body.linear_velocity);
    let arm = spin.cross(&speed) / spin.norm_squared();
    let place = body.world_from_body.translation.vector;
    Ok((place + arm, body.world_from_body.rotation.inverse() * arm))
}
