//! The work of moving bodies without a velocity.
//!
//! A step that puts overlaps right displaces bodies by `δ` before it moves them along their velocity:
//!
//! ```text
//! (1)  q₁ = q₀ ⊕ δ ⊕ h x
//! (2)  W = E(q₁ ⊖ h x, v₁) - E(q₀, v₁)
//! ```
//!
//! with `x` the velocity at the end of the step or a mean over it, and the centres of mass of loose bodies at the same velocity in both, whatever their origins do.
//!
//! Nobody's velocity pays for (2): a body that is lifted out of the ground has gained its weight times the way. It is the work
//! of whoever keeps shapes apart, and the balance of a step is right only with it:
//! `E(q₁, v₁) <= E(q₀, v₀) + W` for bodies under constant forces.

use veracity_dynamics::energy::energy;
use veracity_dynamics::free_velocity::{advance_along, keep_centres};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{System, Workspace};

/// (2) of a step of fixed size `h` of time stepping [J], with the path it left. `scratch` takes any state.
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
    // The centre of mass of a loose body moves along a line, so the way back is exact.
    advance_along(system, scratch, &mut path.to_vec(), -h);
    let displaced = energy(system, ws, &scratch.q, &scratch.v).total();
    let q = std::mem::replace(&mut scratch.q, before.q.clone());
    keep_centres(system, &q, &scratch.q, &mut scratch.v);
    displaced - energy(system, ws, &scratch.q, &scratch.v).total()
}
