//! Work done by displacing bodies without a velocity.
//!
//! A step that corrects overlaps displaces bodies by `δ` before it moves them along their velocity:
//!
//! ```text
//! (1)  q₁ = q₀ ⊕ δ ⊕ h x
//! (2)  W = E(q₁ ⊖ h x, v₁) - E(q₀, v₁)
//! ```
//!
//! with `x` the velocity at the end of the step or a mean over it. The centres of mass of loose bodies have the same
//! velocity in both terms, whatever the velocity of their origins.
//!
//! The velocities do not account for (2): a body that is lifted out of the ground gains its weight times the
//! displacement. It is the work of the overlap correction, and the energy balance of a step holds only with it:
//! `E(q₁, v₁) <= E(q₀, v₀) + W` for bodies under constant forces.

use veracity_dynamics::energy::energy;
use veracity_dynamics::free_velocity::{advance_along, keep_centres};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{System, Workspace};

/// Returns (2) for a time-stepping step of fixed size `h` [J]; `path` is the velocity the positions moved along.
/// `scratch` may hold any state.
pub fn work_of_displacement(
    system: &System,
    ws: &mut Workspace,
    before: &State,
    after: &State,
    path: &[f64],
    h: f64,
    scratch: &mut State,
) -> f64 {
    scratch.clone_from(after);
    // The centre of mass of a loose body moves along a line, so the step back is exact.
    advance_along(system, scratch, &mut path.to_vec(), -h);
    let displaced = energy(system, ws, &scratch.q, &scratch.v).total();
    let q = std::mem::replace(&mut scratch.q, before.q.clone());
    keep_centres(system, &q, &scratch.q, &mut scratch.v);
    displaced - energy(system, ws, &scratch.q, &scratch.v).total()
}
