//! What a step may spend on bodies without gaining energy.
//!
//! Loose bodies under the forces `f` of the step lose energy in free motion, because positions move along the velocity at its
//! end. Impulses `λ` and a displacement `δ = h x` before the step change that to
//!
//! ```text
//! (1)  L = ½ p · M p,      p = h M⁻¹ f
//! (2)  ΔE = -L + λ · (J v* + ½ A λ - J p) + W,      W = -h x · f = -x · M p
//! ```
//!
//! with the forces' own work counted as energy of height: for weights it is. `J v* - J p` is the velocity before the step, turned
//! by the gyroscopic torques, which take no work. Overlaps are put right as far as `W <= L`, and further only as far as (2) stays
//! negative (`projection`); a bounce gives back only what keeps (2) from growing (`bounce`). A body at rest loses nothing in a step:
//! there the impulse takes `L` back, and lifting it is work that comes from outside, `L` at most.
//!
//! Bodies in trees are left out of `p`: their velocity products are no forces.

use super::Stepping;
use veracity_dynamics::{blocks, row_coordinates};

/// Room for the sums.
#[derive(Default)]
pub(super) struct Room {
    /// `p` in joint velocities and in row coordinates, zero for trees.
    push: Vec<f64>,
    turned: Vec<f64>,
    /// `M p`.
    momentum: Vec<f64>,
    inertia: Vec<f64>,
    /// `J p`.
    pub rows: Vec<f64>,
    /// `L` [J].
    pub loss: f64,
    /// `W` of this step's displacement, where it lifts [J].
    pub spent: f64,
}

impl Stepping {
    /// `p`, `M p` and `L` of the step under way, after its free velocity.
    pub(super) fn weigh(&mut self) {
        let system = &self.world.system;
        let room = &mut self.spending;
        let n = system.dof_count();
        room.push.clear();
        room.push.resize(n, 0.0);
        room.momentum.clear();
        room.momentum.resize(n, 0.0);
        room.inertia.resize(36, 0.0);
        room.loss = 0.0;
        for (index, block) in system.blocks().iter().enumerate().filter(|(_, b)| b.is_free_body()) {
            let dofs = block.first..block.first + 6;
            room.push[dofs.clone()].copy_from_slice(&self.free.push()[dofs.clone()]);
            blocks::inertia(system, &self.ws, index, &mut room.inertia);
            let (push, momentum) = (&room.push[dofs.clone()], &mut room.momentum[dofs]);
            for (m, row) in momentum.iter_mut().zip(room.inertia.chunks_exact(6)) {
                *m = row.iter().zip(push).map(|(a, p)| a * p).sum();
            }
            room.loss += 0.5 * push.iter().zip(momentum.iter()).map(|(p, m)| p * m).sum::<f64>();
        }
    }

    /// `W` of (2) for a displacement of `h` along `x`, after [`Stepping::weigh`] [J].
    pub(super) fn lift(&self, x: &[f64]) -> f64 {
        -self.spending.momentum.iter().zip(x).map(|(m, x)| m * x).sum::<f64>()
    }

    /// `-ΔE` of (2), after [`Stepping::push_of_rows`] and the velocities of all rows: with these, `w`, it has
    /// `J v* + ½ A λ = ½ (J v* + w)` [J].
    pub(super) fn lost(&self) -> f64 {
        let gained = |(l, row): (&f64, usize)| l * (0.5 * (self.w_free[row] + self.w[row]) - self.spending.rows[row]);
        let work: f64 = self.lambda.iter().zip(0..).map(gained).sum();
        self.spending.loss - self.spending.spent - work
    }

    /// `J p` into the room, after [`Stepping::weigh`].
    pub(super) fn push_of_rows(&mut self) {
        let room = &mut self.spending;
        room.turned.resize(room.push.len(), 0.0);
        row_coordinates::from_velocity(&self.world.system, &self.ws, &room.push, &mut room.turned);
        self.rows.velocities(&room.turned, &mut room.rows);
    }
}
