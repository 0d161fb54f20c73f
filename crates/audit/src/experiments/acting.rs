//! External loads: efforts, forces, torques.
//!
//! ```text
//! (1)  F = m v / t,   τ = I ω / t               from rest, constant
//! ```

use super::{rail, space};
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading};
use veracity_model::Vec3;

const TIME: f64 = 0.1;
const FORCE: [f64; 3] = [1.0, -2.0, 3.0];
const TORQUE: [f64; 3] = [0.02, -0.03, 0.01];

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, read: Read) -> Experiment {
    let formula = if unit.len() == 1 { "m v / t from rest" } else { "I ω / t from rest" };
    Experiment { name, group: "acting", unit, given, formula, tolerated: None, read }
}

pub const FORCE_X: Experiment = entry("force-x", "N", FORCE[0], |bench| force(bench, 0));
pub const FORCE_Y: Experiment = entry("force-y", "N", FORCE[1], |bench| force(bench, 1));
pub const FORCE_Z: Experiment = entry("force-z", "N", FORCE[2], |bench| force(bench, 2));
pub const TORQUE_X: Experiment = entry("torque-x", "N m", TORQUE[0], |bench| torque(bench, 0));
pub const TORQUE_Y: Experiment = entry("torque-y", "N m", TORQUE[1], |bench| torque(bench, 1));
pub const TORQUE_Z: Experiment = entry("torque-z", "N m", TORQUE[2], |bench| torque(bench, 2));

pub const RAIL_EFFORT: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("effort-rail", "N", 3.0, |bench| {
        let mut scene = rail::sled(|_| {});
        scene.inputs.efforts[0] = 3.0;
        Ok((rail::MASS * bench.run(&scene, TIME)?.velocity(0).x / TIME).into())
    })
};

pub const HINGE_EFFORT: Experiment = Experiment {
    tolerated: ITERATED,
    ..entry("effort-hinge", "N m", 0.1, |bench| {
        let mut scene = rail::wheel(Vec3::x(), |_| {});
        scene.inputs.efforts[0] = 0.1;
        Ok((rail::MOMENT * bench.run(&scene, TIME)?.spin(0).x / TIME).into())
    })
};

/// On the centre of mass of a body whose frame is elsewhere: nothing turns, so the frame moves like it.
fn force(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let mut scene = space::body();
    scene.inputs.wrenches.push(space::wrench(FORCE, [0.0; 3]));
    Ok((space::MASS * bench.run(&scene, TIME)?.velocity(0)[axis] / TIME).into())
}

fn torque(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let mut scene = space::ball();
    scene.inputs.wrenches.push(space::wrench([0.0; 3], TORQUE));
    Ok((0.05 * bench.run(&scene, TIME)?.spin(0)[axis] / TIME).into())
}
