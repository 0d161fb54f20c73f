//! Joint drives: `effort = clamp(kp (x* - x) + kd (v* - v) + u, ±bound)` on a sled.
//!
//! ```text
//! (1)  x = x* (1 - cos(√(kp/m) t))          from rest at 0, kd = 0
//! (2)  v = v* (1 - exp(-kd t / m))          from rest, kp = 0
//! (3)  v = u t / m                          no gains, or at the bound
//! ```
//!
//! The bound of a drive is how the effort limit of a joint reaches an engine.

use super::rail::{self, MASS};
use crate::bench::{Bench, Run, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading};
use veracity_engine::{DriveForm, JointDrive};

const TIME: f64 = 0.2;
const KP: f64 = 50.0;
const KD: f64 = 4.0;
const TARGET: f64 = 0.3;
const SPEED: f64 = 0.5;
const REST: JointDrive = JointDrive {
    dof: 0,
    kp: 0.0,
    kd: 0.0,
    target: 0.0,
    target_speed: 0.0,
    feed_forward: 0.0,
    max_effort: f64::INFINITY,
};

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "drives", unit, given, formula, tolerated: ITERATED, read }
}

fn driven(bench: &Bench<'_>, drive: JointDrive) -> Result<Run, Stopped> {
    bench.need(|can| can.drives != DriveForm::None, "joint drives")?;
    let mut scene = rail::sled(|_| {});
    scene.inputs.drives.push(drive);
    bench.run(&scene, TIME)
}

pub const GAIN: Experiment = entry("drive-kp", "N/m", KP, "m (acos(1 - x / x*) / t)² from rest", |bench| {
    let place = driven(bench, JointDrive { kp: KP, target: TARGET, ..REST })?.place(0).x;
    let angle = libm::acos(1.0 - place / TARGET);
    Ok((MASS * (angle / TIME) * (angle / TIME)).into())
});

pub const AIM: Experiment = entry("drive-target", "m", TARGET, "x / (1 - cos(√(kp/m) t)) from rest", |bench| {
    let place = driven(bench, JointDrive { kp: KP, target: TARGET, ..REST })?.place(0).x;
    Ok((place / (1.0 - libm::cos((KP / MASS).sqrt() * TIME))).into())
});

pub const DAMPING: Experiment = entry("drive-kd", "N s/m", KD, "-(m / t) ln(1 - v / v*) from rest", |bench| {
    let speed = driven(bench, JointDrive { kd: KD, target_speed: SPEED, ..REST })?.velocity(0).x;
    Ok((-MASS / TIME * libm::log(1.0 - speed / SPEED)).into())
});

pub const AIM_SPEED: Experiment =
    entry("drive-target-speed", "m/s", SPEED, "v / (1 - exp(-kd t / m)) from rest", |bench| {
        let speed = driven(bench, JointDrive { kd: KD, target_speed: SPEED, ..REST })?.velocity(0).x;
        Ok((speed / (1.0 - libm::exp(-KD * TIME / MASS))).into())
    });

pub const FEED: Experiment = entry("drive-feed-forward", "N", 3.0, "m v / t from rest", |bench| {
    let speed = driven(bench, JointDrive { feed_forward: 3.0, ..REST })?.velocity(0).x;
    Ok((MASS * speed / TIME).into())
});

pub const BOUND: Experiment = entry("effort-limit", "N", 4.0, "m v / t of a drive far beyond its bound", |bench| {
    let speed = driven(bench, JointDrive { kp: 1e3, target: 5.0, max_effort: 4.0, ..REST })?.velocity(0).x;
    Ok((MASS * speed / TIME).into())
});
