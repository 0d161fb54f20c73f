//! Every check there is: one file and one line each.

mod com_outside;
mod conditioning;
mod density;
mod inertia_negative;
mod inertia_proportion;
mod inertia_triangle;
mod limits_inverted;
mod limits_zero;
mod loop_open;
mod mass_matrix;
mod mass_not_positive;
mod mass_ratio;
mod massless_leaf;
mod material_range;
mod mesh_scale;
mod mesh_surface;
mod names;
mod overlap;
mod passive_negative;
mod start_outside_limits;
mod unused;

use crate::context::Context;
use veracity_model::Findings;

/// One inspection of a world.
pub struct Check {
    /// The code of its findings.
    pub code: &'static str,
    /// What it inspects, in one line.
    pub text: &'static str,
    /// Runs the inspection.
    pub run: fn(&Context<'_>) -> Findings,
}

/// Every inspection, in the order they run.
pub const CHECKS: &[Check] = &[
    mass_not_positive::CHECK,
    massless_leaf::CHECK,
    inertia_negative::CHECK,
    inertia_triangle::CHECK,
    inertia_proportion::CHECK,
    density::CHECK,
    com_outside::CHECK,
    mass_matrix::CHECK,
    conditioning::CHECK,
    mass_ratio::CHECK,
    mesh_surface::CHECK,
    mesh_scale::CHECK,
    limits_inverted::CHECK,
    limits_zero::CHECK,
    passive_negative::CHECK,
    material_range::CHECK,
    start_outside_limits::CHECK,
    loop_open::CHECK,
    overlap::CHECK,
    names::CHECK,
    unused::CHECK,
];
