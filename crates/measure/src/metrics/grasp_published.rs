//! How much blocks move in the grippers that hold them: the energy-like number of the grasp study, as it was computed.
//!
//! For a block `b` and a gripper `g`, with `c = p_g - p_b` in the first row, `h` the step of the run and `v` velocities of
//! body origins,
//!
//! ```text
//! (1)  u = ((p_g - p_b) - R_b c) / h + (v_g - v_b)          w = ω_g - ω_b
//! (2)  T_g = ½ m |u|² + ½ w·J w                             J: moments in the block's axes, not turned
//! (3)  T = mean over grippers, summed over blocks
//! ```
//!
//! as implemented by Taylor, Drumwright and Hsu; the text of the study says otherwise in places, and the orientation
//! itself does not count: see `grasp_corrected`. `grippers` names the bodies that hold and `objects` those that are held;
//! both are needed, for joints do not tell a finger from the arm that carries it. The value is the largest T of the rows
//! that count; a slip `d` of a block of mass `m` alone is worth `½ m (d / h)²`.

use crate::grasp::{Pairing, Relative, largest_sum};
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "grasp_published",
    unit: "J",
    text: "the grasp study's measure of how blocks move in their grippers, as implemented there",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    largest_sum(subject, options, published)
}

/// (1) and (2).
pub(crate) fn published(pairing: &Pairing<'_>, relative: &Relative) -> f64 {
    let Relative { block, gripper, start_block, start_gripper } = relative;
    let place = |row: &crate::rows::BodyRow| row.world_from_body.translation.vector;
    let offset = place(start_gripper) - place(start_block);
    let slip = place(gripper) - place(block) - block.world_from_body.rotation * offset;
    let u = slip / pairing.step_s + gripper.velocity - block.velocity;
    let w = gripper.spin - block.spin;
    0.5 * pairing.inertia.mass * u.norm_squared() + 0.5 * w.dot(&(pairing.inertia.tensor * w))
}
