//! The energy a step may spend on the bodies of an island without a net gain.
//!
//! In row coordinates, in which the mass matrix is the identity, with `p` what the step's forces `f` add to the
//! velocity (`p = h f`), `u₁` the velocity after the step, `x` the one along which positions move (`path`), and
//! `δ = h y` a displacement before it:
//!
//! ```text
//! (1)  L = ½ p · p                                          lost where x = u₁ and nothing touches
//! (2)  ΔE = ½ (u₁ - u₀) · (u₁ + u₀) - p · x + W,     u₀ = u* - p,      W = -p · y
//! ```
//!
//! with the work of the forces counted as potential energy, which is right for weights. `u* - p` is the velocity before
//! the step, turned by the gyroscopic torques, which do no work. Overlaps are corrected as far as `W <= L`, and further
//! only as far as (2) stays negative (`projection`); a bounce returns only what keeps (2) from growing (`bounce`). A
//! body at rest loses nothing in a step: there the impulse compensates `L`, and lifting it is external work, at most
//! `L`.
//!
//! All sums are over one island: the loss of a body cannot pay for a body it does not touch.
//!
//! Bodies in trees are left out of `p`: their velocity products are not forces.

use super::Stepping;
use super::islands::extend_short;
use veracity_dynamics::row_coordinates;

/// Scratch for the sums.
#[derive(Default)]
pub(super) struct Scratch {
    /// Whether `turned` belongs to the current step.
    pub ready: bool,
    /// `p` of all bodies, in joint velocities and in row coordinates; zero for trees.
    push: Vec<f64>,
    turned: Vec<f64>,
    /// `p` of the island.
    pub own: Vec<f64>,
    /// `u*` of the island.
    pub u_free: Vec<f64>,
    /// `L` [J].
    pub loss: f64,
    /// `W` of this step's displacement, where it lifts [J].
    pub spent: f64,
}

impl Stepping {
    /// Computes `p` and `L` of the current island, after the step's free velocity.
    pub(super) fn weigh(&mut self) {
        let (system, scratch) = (&self.world.system, &mut self.spending);
        if !scratch.ready {
            scratch.push.clear();
            scratch.push.extend_from_slice(self.free.push());
            for tree in system.blocks().iter().filter(|b| !b.is_free_body()) {
                scratch.push[tree.first..tree.first + tree.len].fill(0.0);
            }
            scratch.turned.resize(scratch.push.len(), 0.0);
            row_coordinates::from_velocity(system, &self.ws, &scratch.push, &mut scratch.turned);
            scratch.ready = true;
        }
        scratch.own.clear();
        for (block, _) in self.islands.current() {
            let block = &system.blocks()[block];
            extend_short(&mut scratch.own, &scratch.turned[block.first..block.first + block.len]);
        }
        scratch.loss = 0.5 * dot(&scratch.own, &scratch.own);
    }

    /// `W` of (2) for a displacement of `h` along `y` in row coordinates, after [`Stepping::weigh`] [J].
    pub(super) fn lift(&self, y: &[f64]) -> f64 {
        -dot(&self.spending.own, y)
    }

    /// `ΔE` of (2) without `W`, of the velocities `after` and a path, after [`Stepping::weigh`] [J].
    pub(super) fn gained(&self, free: &[f64], after: &[f64], path: &[f64]) -> f64 {
        let terms = self.spending.own.iter().zip(free).zip(after.iter().zip(path));
        terms.map(|((p, free), (u, x))| 0.5 * (u - (free - p)) * (u + (free - p)) - p * x).sum()
    }
}

/// Dot product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
