//! Mass and all of the tensor, from pushes on a body in free space.
//!
//! ```text
//! (1)  m = F t / v                           v of the centre of mass; a push through it does not turn the body
//! (2)  ω_i = I⁻¹ e_i τ t                     three torques, one about each axis, from rest
//! (3)  I = τ t [ω_x ω_y ω_z]⁻¹
//! ```
//!
//! (2) neglects how rotation changes the tensor and the momentum: a fraction ω t, kept to 1e-7 by a small torque.

use super::space;
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, Reading};
use veracity_model::{Mat3, Vec3};

const TIME: f64 = 0.01;
/// Small, so that (2) holds to 1e-7 [N m].
const TORQUE: f64 = 5e-5;

pub const MASS: Experiment = Experiment {
    name: "mass",
    group: "inertia",
    unit: "kg",
    given: space::MASS,
    formula: "F t / v of a free body pushed from rest",
    tolerated: None,
    read: |bench| {
        let (mut scene, force, time) = (space::body(), 3.0, 0.1);
        scene.inputs.wrenches.push(space::wrench([force, 0.0, 0.0], [0.0; 3]));
        Ok((force * time / bench.run(&scene, time)?.velocity(0).x).into())
    },
};

const fn component(name: &'static str, index: usize, read: fn(&Bench<'_>) -> Result<Reading, Stopped>) -> Experiment {
    let formula = "τ t [ω_x ω_y ω_z]⁻¹ of three small torques on a free body";
    Experiment { name, group: "inertia", unit: "kg m²", given: space::TENSOR[index], formula, tolerated: None, read }
}

pub const XX: Experiment = component("inertia-xx", 0, |bench| read(bench, 0, 0));
pub const YY: Experiment = component("inertia-yy", 1, |bench| read(bench, 1, 1));
pub const ZZ: Experiment = component("inertia-zz", 2, |bench| read(bench, 2, 2));
pub const XY: Experiment = component("inertia-xy", 3, |bench| read(bench, 0, 1));
pub const XZ: Experiment = component("inertia-xz", 4, |bench| read(bench, 0, 2));
pub const YZ: Experiment = component("inertia-yz", 5, |bench| read(bench, 1, 2));

fn read(bench: &Bench<'_>, row: usize, column: usize) -> Result<Reading, Stopped> {
    let mut spins = Mat3::zeros();
    for axis in 0..3 {
        let mut scene = space::body();
        let torque: Vec3 = space::unit(axis) * TORQUE;
        scene.inputs.wrenches.push(space::wrench([0.0; 3], torque.into()));
        spins.set_column(axis, &bench.run(&scene, TIME)?.spin(0));
    }
    let tensor = spins.try_inverse().ok_or_else(|| Stopped::Failed("torques did not turn the body".to_string()))?;
    Ok((tensor[(row, column)] * TORQUE * TIME).into())
}
