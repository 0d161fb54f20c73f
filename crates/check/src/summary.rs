//! Key figures of a world, for the head of a report.

use crate::context::Context;
use crate::mass_matrix::MassMatrix;
use serde::Serialize;

/// Counts, mass and condition numbers of a world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The name of the world, or of its only model, in the file.
    pub name: String,
    /// Number of placed models.
    pub models: usize,
    /// Number of bodies of all models.
    pub bodies: usize,
    /// Joints that move.
    pub moving_joints: usize,
    /// Degrees of freedom of the tree, not reduced by loops and couplings.
    pub dof: usize,
    /// Loop-closing joints.
    pub loops: usize,
    /// Joints that follow other joints.
    pub couplings: usize,
    /// Actuators.
    pub actuators: usize,
    /// Collision shapes.
    pub collision_shapes: usize,
    /// Total mass, moving and fixed [kg].
    pub mass_kg: f64,
    /// Condition number of the joint-space inertia at the start, unscaled.
    pub condition: Option<f64>,
    /// Condition number after scaling to a unit diagonal.
    pub scaled_condition: Option<f64>,
}

impl Summary {
    /// Computes the summary.
    pub fn new(context: &Context<'_>) -> Self {
        let models = || context.world.placements.iter().map(|p| &p.model);
        let matrix = context.start.as_ref().ok().map(|s| &s.mass_matrix);
        Self {
            name: context.world.name.clone(),
            models: models().count(),
            bodies: models().map(|m| m.bodies().len()).sum(),
            moving_joints: models().flat_map(|m| m.joints()).filter(|j| j.kind.dof_count() > 0).count(),
            dof: models().map(|m| m.dof_count()).sum(),
            loops: models().map(|m| m.loops().len()).sum(),
            couplings: models().map(|m| m.couplings().len()).sum(),
            actuators: models().map(|m| m.actuators().len()).sum(),
            collision_shapes: context.bodies().flat_map(|b| &b.body.shapes).filter(|s| s.collides).count(),
            // The sum of nothing is -0.
            mass_kg: models().map(|m| m.mass()).sum::<f64>() + 0.0,
            condition: matrix.and_then(MassMatrix::condition),
            scaled_condition: matrix.and_then(MassMatrix::scaled_condition),
        }
    }
}
