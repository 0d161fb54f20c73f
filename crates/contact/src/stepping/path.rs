//! The velocity along which the positions of an island move in a step.
//!
//! ```text
//! (1)  x = u₁                                                 always admissible: (2) of `stepping` keeps its gaps
//! (2)  x = ½ (u₀ + u₁)                                        loose bodies without impulses, and smooth contact
//! (3)  x = τ (u* - (1 - ½ τ) p) + (1 - τ) (u₁ - ½ (1 - τ) p)  flight with an impact at the fraction τ of the step
//! (4)  x = τ u_a + (1 - τ) u₁                                 an impact of bodies others touch; u_a: without it
//! ```
//!
//! with `u₀`, `u*`, `u₁` the velocity before the step, after it without contact and after it, and `p` what forces add
//! to it. (1) is first order: over a smooth motion positions are off by `½ h` times the change of velocity. (2) is
//! exact for constant forces and second order otherwise, (3) is exact for an impact between two such motions.
//!
//! Contact is smooth if, within the residual of a solve, every pressing contact keeps its velocity along the normal,
//! every sticking contact keeps it along the surface, and no gap closes: a body that slides, or rolls on something flat
//! or round. There (2) moves contacts as (1) does, and the surfaces along each other to second order. It is used where
//! it gains no energy, by (2) of [`super::spending`].
//!
//! Trees move by (1): their forces are implicit, and the resulting energy is not known for any other path. An island
//! with a tree uses (2) only if no impulse acts on it.

use super::bounce::Instant;
use super::projection::WORTH_IT;
use super::spending::dot;
use super::{PathRule, Stepping, sticks};
use crate::rows::Source;

impl Stepping {
    /// Fills the island's path, after its velocities.
    pub(super) fn choose_path(&mut self, h: f64, impact: Option<Instant>) {
        let mut path = std::mem::take(&mut self.problem.path);
        path.clear();
        let mut by_end = false;
        if let Some(impact) = impact {
            self.path_of_impact(impact, &self.spending.u_free, &self.bounce.without, &self.problem.u, &mut path);
        } else {
            path.extend_from_slice(&self.problem.u);
            by_end = true;
            let is_put_right = self.spending.spent > 0.0 || self.projection.is_under_way();
            if self.settings.path == PathRule::Mean && !is_put_right {
                if self.problem.lambda.iter().all(|l| *l == 0.0) {
                    self.mean_of_loose(&mut path);
                    by_end = false;
                } else if self.is_smooth(h) {
                    self.mean_of_loose(&mut path);
                    self.weigh();
                    // Rounding of the sums.
                    let nothing = 1e-14
                        * (dot(&self.problem.u, &self.problem.u)
                            + dot(&self.problem.u_before, &self.problem.u_before));
                    let change =
                        self.problem.u.iter().zip(&self.problem.u_before).zip(self.spending.own.iter().zip(&path));
                    let gained: f64 = change.map(|((u, before), (p, x))| (u - before - p) * x).sum();
                    by_end = gained > nothing;
                    if by_end {
                        path.copy_from_slice(&self.problem.u);
                    }
                }
            }
        }
        self.problem.path = path;
        if by_end {
            self.problem.w_path.clear();
            self.problem.w_path.extend_from_slice(&self.problem.w);
        } else {
            self.problem.rows.velocities(&self.problem.path, &mut self.problem.w_path);
        }
    }

    /// (2) for the island's loose bodies.
    fn mean_of_loose(&self, path: &mut [f64]) {
        for (block, local) in self.islands.current() {
            let block = &self.world.system.blocks()[block];
            if block.is_free_body() {
                for k in local..local + block.len {
                    path[k] = 0.5 * (self.problem.u_before[k] + self.problem.u[k]);
                }
            }
        }
    }

    /// (3) or (4).
    pub(super) fn path_of_impact(
        &self,
        impact: Instant,
        free: &[f64],
        without: &[f64],
        after: &[f64],
        path: &mut Vec<f64>,
    ) {
        let t = impact.at;
        path.clear();
        if impact.from_flight {
            let flights = free.iter().zip(after).zip(&self.spending.own);
            path.extend(
                flights.map(|((u, v), p)| t * (u - (1.0 - 0.5 * t) * p) + (1.0 - t) * (v - 0.5 * (1.0 - t) * p)),
            );
        } else {
            path.extend(without.iter().zip(after).map(|(u, v)| t * u + (1.0 - t) * v));
        }
    }

    /// Whether the contact of the island is smooth.
    fn is_smooth(&self, h: f64) -> bool {
        let all_loose = self.islands.current().all(|(b, _)| self.world.system.blocks()[b].is_free_body());
        // Residual of a solve, and errors too small to be corrected.
        let slack = WORTH_IT.max(h * self.solve.good);
        all_loose
            && self.problem.rows.blocks.iter().zip(&self.problem.rows.laws).all(|((source, first), law)| {
                let Source::Contact(i) = *source else { return false };
                if self.compliance(&self.contacts.pairs[i as usize], h) > 0.0 {
                    return false;
                }
                let rows = *first as usize..*first as usize + law.rows();
                let (l, w) = (&self.problem.lambda[rows.clone()], &self.problem.w[rows.clone()]);
                let before = &self.problem.w_before[rows];
                let moved = |k: usize| 0.5 * h * (before[k] - w[k]);
                if l[0] <= 0.0 {
                    let gap = self.contacts.points[i as usize].gap;
                    return gap.max(0.0) + h * w[0] + moved(0) >= -slack;
                }
                // Spin about the normal and rolling may slide as well; these are not distinguished from sticking.
                let rests = if law.rows() > 3 || sticks(law, l, w) { law.rows() } else { 1 };
                (0..rests).all(|k| moved(k).abs() <= slack)
            })
    }
}
