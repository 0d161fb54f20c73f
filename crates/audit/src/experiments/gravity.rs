//! Gravity, from the speed of a fall.
//!
//! ```text
//! (1)  v(t) = g t            for any body, which does not begin to turn
//! ```

use super::space;
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, Reading};
use veracity_model::Vec3;

const G: [f64; 3] = [0.7, -1.9, -8.1];
/// For long enough that a step more or less would show [s].
const TIME: f64 = 0.1;

const fn component(name: &'static str, axis: usize, read: fn(&Bench<'_>) -> Result<Reading, Stopped>) -> Experiment {
    let formula = "v / t of a free body from rest";
    Experiment { name, group: "gravity", unit: "m/s²", given: G[axis], formula, tolerated: None, read }
}

pub const X: Experiment = component("gravity-x", 0, |bench| read(bench, 0));
pub const Y: Experiment = component("gravity-y", 1, |bench| read(bench, 1));
pub const Z: Experiment = component("gravity-z", 2, |bench| read(bench, 2));

/// Factor on gravity for one body.
pub const SCALE: Experiment = Experiment {
    name: "gravity-scale",
    group: "gravity",
    unit: "",
    given: 0.25,
    formula: "v / (g t) of a free body from rest",
    tolerated: None,
    read: |bench| {
        let scene = space::with(|body| body.gravity_scale = 0.25).falling(Vec3::from(G));
        Ok((bench.run(&scene, TIME)?.velocity(0).z / (G[2] * TIME)).into())
    },
};

fn read(bench: &Bench<'_>, axis: usize) -> Result<Reading, Stopped> {
    let scene = space::body().falling(Vec3::from(G));
    Ok((bench.run(&scene, TIME)?.velocity(0)[axis] / TIME).into())
}
