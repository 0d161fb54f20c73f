//! The joint-space inertia matrix at the start: positive definite, or the equations of motion have no solution.
//!
//! One body with an impossible tensor can still give a possible whole, and bodies that are each possible (point
//! masses on one axis) can give an impossible one; only the assembled matrix decides. A degree of freedom counts as
//! without inertia when its pivot in the scaled matrix `D^-½ M D^-½`, D the diagonal, is below 1e-12: less than the
//! rounding of the entries it was made from.

use crate::Check;
use crate::context::{Context, Notes};
use crate::mass_matrix::MassBlock;
use nalgebra as na;
use veracity_model::{Findings, Severity, World};

pub(super) const CHECK: Check =
    Check { code: "mass-matrix", text: "the joint-space inertia matrix is positive definite at the start", run };

const ROUNDING: f64 = 1e-12;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &context.start else { return notes.done() };
    // From the last tree to the first, in the same order as within a tree.
    let mut blocks = start.mass_matrix.blocks().iter().rev();
    let bad = |b: &MassBlock| first_bad_pivot(&b.matrix).map(|(dof, pivot)| (b.first + dof, pivot));
    if let Some((dof, pivot)) = blocks.find_map(bad) {
        let (placement, joint, of_joint) = joint_of(context.world, dof);
        let which = if joint.kind.dof_count() > 1 { format!(" (freedom {})", of_joint + 1) } else { String::new() };
        let body = &context.world.placements[placement].model.body(joint.child).name;
        let why = if pivot < -ROUNDING { "accelerates against the applied force" } else { "has no inertia" };
        let text = format!(
            "joint '{}'{which} {why}: the joint-space inertia matrix is not positive definite there; check mass and \
             inertia of '{body}' and of the bodies below it",
            joint.name
        );
        let subject = context.path(placement, &format!("joints/{}", joint.name));
        notes.add(Severity::Error, &joint.source, subject, text);
    }
    notes.done()
}

/// Cholesky from the last degree of freedom to the first, so that a pivot is the inertia of a joint when everything
/// below it moves freely.
fn first_bad_pivot(block: &na::DMatrix<f64>) -> Option<(usize, f64)> {
    let n = block.nrows();
    let mut m = block.clone();
    for k in (0..n).rev() {
        let scale = block[(k, k)].abs();
        let pivot = m[(k, k)];
        let relative = if scale > 0.0 { pivot / scale } else { 0.0 };
        if relative.is_nan() || relative < ROUNDING {
            return Some((k, relative));
        }
        for i in 0..k {
            let a = m[(k, i)] / pivot;
            for j in 0..=i {
                m[(i, j)] -= a * m[(k, j)];
            }
        }
    }
    None
}

/// The joint that a degree of freedom of the world belongs to.
fn joint_of(world: &World, dof: usize) -> (usize, &veracity_model::Joint, usize) {
    let mut first = 0;
    for (p, placement) in world.placements.iter().enumerate() {
        for joint in placement.model.joints() {
            let count = joint.kind.dof_count();
            if dof < first + count {
                return (p, joint, dof - first);
            }
            first += count;
        }
    }
    unreachable!("degree of freedom {dof} of a world with {first}")
}
