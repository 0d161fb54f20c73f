//! The start state, computed back from the motion.
//!
//! ```text
//! (1)  x₀ = x(t) - v t,   v₀ = v(t)         nothing acts
//! (2)  R₀ = exp(-ω t) R(t)                  a ball that turns about a fixed axis
//! ```

use super::{rail, space};
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading};
use veracity_model::geometry::{Quat, quat_about};
use veracity_model::{Joint, JointKind, Vec3};

const TIME: f64 = 0.1;
const PLACE: [f64; 3] = [0.4, -0.3, 1.2];
/// w x y z, of unit length.
const TURN: [f64; 4] = [0.8, 0.36, -0.48, 0.0];
const VELOCITY: [f64; 3] = [0.5, -0.7, 0.9];
/// In the body's axes.
const SPIN: [f64; 3] = [0.3, -0.2, 0.6];

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "start", unit, given, formula, tolerated: None, read }
}

const DRIFT: &str = "x - v t of a free ball";
const KEPT: &str = "v of a free ball";
const TURNED: &str = "exp(-ω t) R of a free ball";
const SPUN: &str = "Rᵀ ω of a free ball";

pub const PLACE_X: Experiment = entry("start-place-x", "m", PLACE[0], DRIFT, |b| place(b, 0));
pub const PLACE_Y: Experiment = entry("start-place-y", "m", PLACE[1], DRIFT, |b| place(b, 1));
pub const PLACE_Z: Experiment = entry("start-place-z", "m", PLACE[2], DRIFT, |b| place(b, 2));
pub const VELOCITY_X: Experiment = entry("start-velocity-x", "m/s", VELOCITY[0], KEPT, |b| velocity(b, 0));
pub const VELOCITY_Y: Experiment = entry("start-velocity-y", "m/s", VELOCITY[1], KEPT, |b| velocity(b, 1));
pub const VELOCITY_Z: Experiment = entry("start-velocity-z", "m/s", VELOCITY[2], KEPT, |b| velocity(b, 2));
pub const TURN_X: Experiment = entry("start-turn-x", "", TURN[1], TURNED, |b| Ok(turn(b)?.i.into()));
pub const TURN_Y: Experiment = entry("start-turn-y", "", TURN[2], TURNED, |b| Ok(turn(b)?.j.into()));
pub const SPIN_X: Experiment = entry("start-spin-x", "rad/s", SPIN[0], SPUN, |b| spin(b, 0));
pub const SPIN_Y: Experiment = entry("start-spin-y", "rad/s", SPIN[1], SPUN, |b| spin(b, 1));
pub const SPIN_Z: Experiment = entry("start-spin-z", "rad/s", SPIN[2], SPUN, |b| spin(b, 2));

pub const HINGE_ANGLE: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("start-angle", "rad", 0.7, "the angle of a wheel minus ω t", |bench| {
        let body = bench.run(&wheel(), TIME)?.body(0);
        let angle = body.world_from_body.rotation.scaled_axis().x;
        Ok((angle - body.angular_velocity.x * TIME).into())
    })
};

pub const HINGE_SPEED: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("start-angular-speed", "rad/s", -1.3, "ω of a wheel", |bench| {
        Ok(bench.run(&wheel(), TIME)?.spin(0).x.into())
    })
};

pub const RAIL_PLACE: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("start-slide", "m", 0.2, "x - v t of a sled", |bench| {
        let mut run = bench.run(&sled(), TIME)?;
        Ok((run.place(0).x - run.velocity(0).x * TIME).into())
    })
};

pub const RAIL_SPEED: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("start-speed", "m/s", 0.6, "v of a sled", |bench| Ok(bench.run(&sled(), TIME)?.velocity(0).x.into()))
};

fn wheel() -> BenchScene {
    let mut scene = rail::wheel(Vec3::x(), |_: &mut Joint| {});
    debug_assert!(matches!(scene.world.placements[0].model.joints()[0].kind, JointKind::Revolute { .. }));
    (scene.q[0], scene.v[0]) = (0.7, -1.3);
    scene
}

fn sled() -> BenchScene {
    let mut scene = rail::sled(|_| {});
    (scene.q[0], scene.v[0]) = (0.2, 0.6);
    scene
}

fn thrown() -> BenchScene {
    let mut scene = space::ball();
    scene.q = [PLACE.as_slice(), TURN.as_slice()].concat();
    scene.v = [SPIN.as_slice(), VELOCITY.as_slice()].concat();
    scene
}

fn place(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let mut run = bench.run(&thrown(), TIME)?;
    Ok((run.place(0)[axis] - run.velocity(0)[axis] * TIME).into())
}

fn velocity(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    Ok(bench.run(&thrown(), TIME)?.velocity(0)[axis].into())
}

fn turn(bench: &Bench<'_>) -> Result<Quat, Stopped> {
    let body = bench.run(&thrown(), TIME)?.body(0);
    let spin = body.angular_velocity;
    let back = quat_about(&(spin / spin.norm()), -spin.norm() * TIME) * body.world_from_body.rotation;
    // A quaternion and its negative are the same rotation.
    Ok(if back.w < 0.0 { Quat::new_unchecked(-back.into_inner()) } else { back })
}

fn spin(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let body = bench.run(&thrown(), TIME)?.body(0);
    Ok((body.world_from_body.rotation.inverse() * body.angular_velocity)[axis].into())
}
