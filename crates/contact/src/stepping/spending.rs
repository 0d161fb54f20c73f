//! What a step may spend on the bodies of an island without gaining energy.
//!
//! In row coordinates, in which the mass matrix is one, with `p` what the step's forces `f` add to the velocity (`p = h f`), `u₁`
//! the velocity after the step, `x` the one along which positions move (`path`), and `δ = h y` a displacement before it:
//!
//! ```text
//! (1)  L = ½ p · p                                          lost where x = u₁ and nothing touches
//! (2)  ΔE = ½ (u₁ - u₀) · (u₁ + u₀) - p · x + W,     u₀ = u* - p,      W = -p · y
//! ```
//!
//! with the forces' own work counted as energy of height: for weights it is. `u* - p` is the velocity before the step, turned
//! by the gyroscopic torques, which take no work. Overlaps are put right as far as `W <= L`, and further only as far as (2) stays
//! negative (`projection`); a bounce gives back only what keeps (2) from growing (`bounce`). A body at rest loses nothing in a step:
//! there the impulse takes `L` back, and lifting it is work that comes from outside, `L` at most.
//!
//! All sums are over one island: what a body loses pays for nothing that it cannot touch.
//!
//! Bodies in trees are left out of `p`: their velocity products are no forces.

use super::Stepping;
use veracity_dynamics::row_coordinates;

/// Room for the sums.
#[derive(Default)]
pub(super) struct Room {
    /// Whether `turned` is that of the step under way.
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
    /// `p` and `L` of the island under way, after the step's free velocity.
    pub(super) fn weigh(&mut self) {
        let (system, room) = (&self.world.system, &mut self.spending);
        if !room.ready {
            room.push.clear();
            room.push.extend_from_slice(self.free.push());
            for tree in system.blocks().iter().filter(|b| !b.is_free_body()) {
                room.push[tree.first..tree.first + tree.len].fill(0.0);
            }
            room.turned.resize(room.push.len(), 0.0);
            row_coordinates::from_velocity(system, &self.ws, &room.push, &mut room.turned);
            room.ready = true;
        }
        room.own.clear();
        for (block, _) in self.islands.current() {
            let block = &system.blocks()[block];
            room.own.extend_from_slice(&room.turned[block.first..block.first + block.len]);
        }
        room.loss = 0.5 * dot(&room.own, &room.own);
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

/// Product of two vectors.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
