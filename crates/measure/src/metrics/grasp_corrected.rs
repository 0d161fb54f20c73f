//! How much blocks move in the grippers that hold them, orientation included.
//!
//! The same kind of number as `grasp_published`, with what that leaves out or turns the wrong way put right. For a block
//! `b` and a gripper `g`, with `x` the block's place and `Q` its rotation in the gripper's frame, `x₀` and `Q₀` in the
//! first row, and `h` the step of the run,
//!
//! ```text
//! (1)  u = R_g (x - x₀) / h + v_b - (v_g + ω_g × (p_b - p_g))
//! (2)  w = R_g log(Q Q₀ᵀ) / h + ω_b - ω_g
//! (3)  T_g = ½ m |u|² + ½ w·(R_b J R_bᵀ) w
//! (4)  T = mean over grippers, summed over blocks
//! ```
//!
//! `p` and `v` are of centres of mass for the block and of the body's origin for the gripper. A block that turns in place
//! is seen, and grippers that carry a block around without slip give zero. `grippers` and `objects` are as there.

use crate::grasp::{Pairing, Relative, largest_sum};
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;
use veracity_model::Vec3;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "grasp_corrected",
    unit: "J",
    text: "how much blocks move and turn in their grippers, as an energy",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    largest_sum(subject, options, corrected)
}

/// (1) to (3).
pub(crate) fn corrected(pairing: &Pairing<'_>, relative: &Relative) -> f64 {
    let Relative { block, gripper, start_block, start_gripper } = relative;
    let inertia = pairing.inertia;
    let seen = |block: &crate::rows::BodyRow, gripper: &crate::rows::BodyRow| {
        let turned = gripper.world_from_body.rotation.inverse();
        let place = turned * (block.point(&inertia.com) - gripper.world_from_body.translation.vector);
        (place, turned * block.world_from_body.rotation)
    };
    let ((x, turn), (x0, turn0)) = (seen(block, gripper), seen(start_block, start_gripper));
    let arm = block.point(&inertia.com) - gripper.world_from_body.translation.vector;
    let carried = gripper.velocity + gripper.spin.cross(&arm);
    let rotation = gripper.world_from_body.rotation;
    let u = rotation * (x - x0) / pairing.step_s + block.point_velocity(&inertia.com) - carried;
    // The vector part keeps small angles that a cosine loses.
    let between = (turn * turn0.inverse()).into_inner();
    let (sine, sign) = (between.imag().norm(), if between.w < 0.0 { -1.0 } else { 1.0 });
    let angle = 2.0 * libm::atan2(sine, between.w.abs());
    let log: Vec3 = if sine > 0.0 { between.imag() * (sign * angle / sine) } else { Vec3::zeros() };
    let w = rotation * log / pairing.step_s + block.spin - gripper.spin;
    let own = block.world_from_body.rotation.inverse() * w;
    0.5 * inertia.mass * u.norm_squared() + 0.5 * own.dot(&(inertia.tensor * own))
}
