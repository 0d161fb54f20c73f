//! Constraint rows of struck contacts at the instant of the impact.
//!
//! The rows of a step are those of the poses at its beginning. Until an impact at the fraction `τ` of the step a body
//! moves on: its contact point has another lever, and two round bodies meet along another normal, both by an angle of
//! the first order in the step. So the struck contacts of loose bodies are found again at the poses
//!
//! ```text
//! (1)  c_τ = c + τ h v̄,   R_τ = Q R,   Q = exp(τ h ω̄),      v̄, ω̄: the mean of the motion until then
//! ```
//!
//! with `c` the centre of mass. The velocities of a body are those in its own axes, which turn with it. Referred to the
//! axes at the beginning of the step, in which `u` is written, an impulse `f` at a point `x` is
//!
//! ```text
//! (2)  force f,   torque Qᵀ ((x - c_τ) × f)      and Qᵀ t for a torque t
//! ```
//!
//! Rows of other contacts, and of contacts with a body in a tree, stay as they are. Nothing is moved where bodies were
//! touched before the impact or one is struck by two pairs of shapes: a capsule clamped between two walls, with the rows
//! of one wall moved and those of the other not, was loaded with six times the impulse that there was.

use super::bounce::{Instant, Scratch};
use super::gather::surface_at;
use super::{Regularisation, Stepping};
use crate::rows::Source;
use crate::world::middle;
use veracity_collide::ContactPoint;
use veracity_dynamics::row_coordinates;
use veracity_model::geometry::quat_about;
use veracity_model::{Pose, Quat, Vec3};

/// (1) of one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    /// `Q`.
    pub turned: Quat,
    /// Centre of mass at the beginning of the step and at the impact.
    pub centres: [Vec3; 2],
}

impl Moved {
    fn pose(&self, before: &Pose) -> Pose {
        let place = self.centres[1] + self.turned * (before.translation.vector - self.centres[0]);
        Pose::from_parts(place.into(), self.turned * before.rotation)
    }
}

impl Stepping {
    /// Replaces the rows of struck contacts, and the velocities of all rows with them; returns whether any was replaced.
    pub(super) fn move_rows(&mut self, h: f64, impact: Instant, scratch: &mut Scratch) -> bool {
        let rigid = self.settings.regularisation == Regularisation::None;
        if impact.at == 0.0 || !impact.from_flight || !rigid || self.struck_twice(scratch) {
            return false;
        }
        let blocks = self.problem.rows.blocks.len();
        scratch.rows.clear_for(self.problem.u.len(), &self.problem.rows);
        let mut any = false;
        for block in 0..blocks {
            let (source, row) = self.problem.rows.blocks[block];
            let struck = scratch.struck.iter().any(|(first, ..)| *first == row as usize);
            let moved = match source {
                Source::Contact(i) if struck => self.move_point(h, impact.at, &scratch.without, i as usize),
                _ => None,
            };
            let (rows, world, ws) = (&mut scratch.rows, &self.world, &self.ws);
            match (source, moved) {
                (Source::Contact(i), Some(moved)) => {
                    let (point, pair) = (&self.contacts.points[i as usize], &self.contacts.pairs[i as usize]);
                    let at = self.contacts.rubs_at[i as usize];
                    rows.push_moved(world, ws, (&self.problem.rows, block), (point, at), pair, moved);
                    any = true;
                }
                _ => rows.push_copy(&self.problem.rows, block, |dof| dof),
            }
        }
        if any {
            self.exchange_rows(scratch);
        }
        any
    }

    /// Whether some loose body is struck by two pairs of shapes: it may be clamped between them.
    fn struck_twice(&self, scratch: &Scratch) -> bool {
        let struck = || scratch.struck.iter().filter_map(|(first, ..)| self.struck_point(*first));
        let loose = |body: u32| self.world.blocks[body as usize].is_some();
        let shares = |p: &ContactPoint, q: &ContactPoint| {
            [p.body_a, p.body_b].into_iter().any(|b| loose(b) && (b == q.body_a || b == q.body_b))
        };
        struck().any(|p| struck().any(|q| p.pair != q.pair && shares(p, q)))
    }

    /// The contact point of a block of rows, by its first row.
    fn struck_point(&self, first: usize) -> Option<&ContactPoint> {
        let blocks = &self.problem.rows.blocks;
        match blocks[blocks.partition_point(|(_, row)| (*row as usize) < first)].0 {
            Source::Contact(i) => Some(&self.contacts.points[i as usize]),
            _ => None,
        }
    }

    /// Exchanges the rows at the beginning of the step with those at the impact.
    pub(super) fn exchange_rows(&mut self, scratch: &mut Scratch) {
        std::mem::swap(&mut self.problem.rows, &mut scratch.rows);
        self.problem.rows.velocities(&self.problem.u_before, &mut self.problem.w_before);
        self.problem.rows.velocities(&self.problem.u, &mut self.current.w_free);
    }

    /// Moves a contact point to the instant of the impact, except its gap; `None`, with nothing changed, if a body of it
    /// is in a tree or the point is not defined there.
    fn move_point(&mut self, h: f64, at: f64, without: &[f64], i: usize) -> Option<[Option<Moved>; 2]> {
        let point = self.contacts.points[i];
        let slots = [point.body_a as usize, point.body_b as usize];
        let mut moved = [None; 2];
        for (slot, moved) in slots.iter().zip(&mut moved) {
            let Some(block) = self.world.blocks[*slot] else { continue };
            if !self.world.system.blocks()[block].is_free_body() {
                return None;
            }
            let local = self.islands.local(block);
            let mean: [f64; 6] = std::array::from_fn(|k| {
                (1.0 - 0.5 * at) * self.problem.u_before[local + k] + 0.5 * at * without[local + k]
            });
            let motion = row_coordinates::free_motion(&self.world.system, &self.ws, block, &mean);
            let centre = Vec3::from(motion.centre);
            *moved = Some(Moved {
                turned: quat_of(&(Vec3::from(motion.turn) * (at * h))),
                centres: [centre, centre + Vec3::from(motion.slide) * (at * h)],
            });
        }
        let poses = &mut self.contacts.poses;
        let before = slots.map(|slot| poses[slot]);
        for (slot, moved) in slots.iter().zip(&moved) {
            if let Some(moved) = moved {
                poses[*slot] = moved.pose(&poses[*slot]);
            }
        }
        let found = self.world.scene.evaluate(point.pair, point.feature, poses);
        if let Some(found) = found {
            self.contacts.pairs[i] = surface_at(&self.world, &self.settings, &found, poses);
            // The friction of a patch keeps its place against the point.
            self.contacts.rubs_at[i] += middle(&found) - middle(&point);
            // The gap stays that of the beginning: the velocities of the step close it.
            self.contacts.points[i] = ContactPoint { gap: point.gap, ..found };
        }
        for (slot, before) in slots.iter().zip(before) {
            poses[*slot] = before;
        }
        found.map(|_| moved)
    }
}

/// The rotation of a rotation vector [rad].
fn quat_of(turn: &Vec3) -> Quat {
    let angle = turn.norm();
    if angle > 0.0 { quat_about(&(turn / angle), angle) } else { Quat::identity() }
}
