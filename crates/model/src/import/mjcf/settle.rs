//! Numbers the file gives indirectly: springs by time constant and damping ratio, servo damping by damping ratio.
//!
//! With the mass matrix `M` in the initial configuration of the file and the row vector `j` by which an actuator (or a
//! joint) measures its length from joint positions, the effective mass is
//!
//! ```text
//! (1)  m = 1 / (j M⁻¹ jᵀ)
//! (2)  kv = ratio · 2 √(kp m)                           servo
//! (3)  k = m / (time² ratio²),  d = 2 m / time          joint spring and damper
//! ```

use super::actuator::Pending;
use super::assemble::Assembled;
use super::context::Context;
use super::kinematics;
use super::node::Node;
use crate::actuator::{Drive, Transmission};
use crate::builder::ModelBuilder;
use crate::geometry::Pose;
use nalgebra as na;

/// Maximum size of the mass matrix built here.
const MAX_FREEDOMS: usize = 2000;

/// Computes the values that depend on the mass matrix.
pub(super) fn settle(
    assembled: &Assembled,
    pending: &Pending,
    poses: &[Pose],
    root: &Node,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    if assembled.spring_dampers.is_empty() && pending.ratios.is_empty() {
        return;
    }
    let freedoms = builder.so_far().dof_count();
    let factor = (freedoms <= MAX_FREEDOMS)
        .then(|| na::Cholesky::new(kinematics::mass_matrix(builder.so_far(), poses)))
        .flatten();
    let Some(factor) = factor else {
        let text = format!(
            "springdamper or dampratio needs the inverse of the {freedoms} by {freedoms} mass matrix, which cannot be \
             made; give stiffness, damping or kv themselves"
        );
        ctx.error(root, "mass-matrix", text);
        return;
    };
    let offsets = kinematics::dof_offsets(builder.so_far());
    let felt = |row: na::DVector<f64>| 1.0 / row.dot(&factor.solve(&row));

    for (joint, [time, ratio]) in &assembled.spring_dampers {
        let mut row = na::DVector::zeros(freedoms);
        row[offsets[joint.0]] = 1.0;
        let mass = felt(row);
        for dof in &mut builder.joint_mut(*joint).dofs {
            dof.stiffness = mass / (time * time * ratio * ratio);
            dof.damping = 2.0 * mass / time;
        }
    }
    for pending in &pending.ratios {
        let actuator = &builder.so_far().actuators()[pending.actuator];
        let Drive::Position { kp, .. } = actuator.drive else { continue };
        let mut row = na::DVector::zeros(freedoms);
        match &actuator.transmission {
            Transmission::Joint { joint, dof, gear } => row[offsets[joint.0] + dof] += gear,
            Transmission::Tendon { terms, gear } => {
                terms.iter().for_each(|(joint, weight)| row[offsets[joint.0]] += gear * weight);
            }
        }
        let kd = pending.ratio * 2.0 * (kp * felt(row)).sqrt();
        builder.so_far_mut().actuators[pending.actuator].drive = Drive::Position { kp, kd };
    }
}
