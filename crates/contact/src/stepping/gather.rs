//! From a state to rows: which points touch or may touch, which limits are near, and what is carried over from the last
//! step.

use super::{Geometry, InPatch, Regularisation, Stepping};
use crate::islands::{flatten, join};
use crate::rows::Source;
use crate::stepping::kept::{self, Anchor};
use crate::world::middle;
use veracity_collide::ContactPoint;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Trouble, constraint, kinematics};
use veracity_lcp::{Law, Operator};
use veracity_model::Vec3;

/// Contacts and limits are searched as far ahead as this acceleration moves a body from rest [m/s²]: what a push can do
/// to a body that neither gravity nor its own velocity moves closer.
const SUDDEN: f64 = 100.0;
/// The reach of the fastest body of an island is added to every pair in it, for a body it might push, up to this [m].
const PUSHED: f64 = 5e-3;

impl Stepping {
    /// Fills poses and points.
    pub(super) fn find_contacts(&mut self, state: &State, h: f64) -> Result<(), Trouble> {
        let world = &mut self.world;
        // The free velocity already includes what the step's forces add.
        kinematics::other_velocities(&world.system, &mut self.ws, &self.free.velocity);
        world.shaped_poses(&self.ws, &mut self.poses);
        let fastest = world.reaches(&self.ws, h, &mut self.reach);
        let margin = SUDDEN * h * h + fastest.min(PUSHED);
        if !world.scene.guards().is_empty() {
            world.scene.judge_guards(&state.q, &state.v);
        }
        world.scene.find(&self.poses, &self.reach, margin, &mut self.points).map_err(|lost| {
            let block = world.blocks[lost.body];
            Trouble::NotFinite { dof: block.map_or(0, |b| world.system.blocks()[b].first), time: state.time }
        })?;
        if !world.system.is_constrained() && self.extra.is_empty() {
            self.drop_distant(h);
        }
        if self.settings.geometry == Geometry::Deepest {
            keep_deepest(&mut self.points);
        }
        Ok(())
    }

    /// Keeps the points that the bodies of their own island can reach, also when the fastest of these pushes the
    /// others: a fast body elsewhere must not add rows. Islands shrink as points are removed, so this is repeated until
    /// none is removed. Loops and rows added by the caller couple bodies that no point joins; with these, all points
    /// are kept.
    fn drop_distant(&mut self, h: f64) {
        let (reach, world) = (&self.reach, &self.world);
        let sum = |margin: f64, p: &ContactPoint| margin + reach[p.body_a as usize] + reach[p.body_b as usize];
        let near = SUDDEN * h * h;
        while self.points.iter().any(|p| p.gap > sum(near, p)) {
            let of = &mut self.reach_islands;
            of.clear();
            of.extend(0..world.system.blocks().len());
            let blocks = |p: &ContactPoint| [p.body_a, p.body_b].map(|body| world.blocks[body as usize]);
            for point in &self.points {
                if let [Some(a), Some(b)] = blocks(point) {
                    join(of, a, b);
                }
            }
            flatten(of);
            let fastest = &mut self.reach_fastest;
            fastest.clear();
            fastest.resize(of.len(), 0.0);
            for point in &self.points {
                for body in [point.body_a, point.body_b] {
                    if let Some(block) = world.blocks[body as usize] {
                        fastest[of[block]] = reach[body as usize].max(fastest[of[block]]);
                    }
                }
            }
            let count = self.points.len();
            self.points.retain(|point| {
                let own = blocks(point).into_iter().flatten().next().map_or(0.0, |block| fastest[of[block]]);
                point.gap <= sum(near + own.min(PUSHED), point)
            });
            if self.points.len() == count {
                return;
            }
        }
    }

    /// Fills the rows, and the anchors of contacts.
    pub(super) fn make_rows(&mut self, state: &State, h: f64) {
        let world = &self.world;
        self.rows.clear(world);
        self.pairs.clear();
        self.anchors.clear();
        self.drifts.clear();
        let (turn_sin, turn_cos) = libm::sincos(self.settings.cone_direction);
        self.in_patches.clear();
        self.pairs_of.clear();
        self.pairs_of.resize(self.poses.len(), 0);
        for pair in self.points.chunk_by(|p, q| p.pair == q.pair) {
            self.pairs_of[pair[0].body_a as usize] += 1;
            self.pairs_of[pair[0].body_b as usize] += 1;
        }
        let mut from = 0;
        for (i, point) in self.points.iter().enumerate() {
            let mut pair = world.surface_at(point, &self.poses);
            if self.settings.cone_direction != 0.0 {
                let [t1, t2] = pair.tangents;
                pair.tangents = [t1 * turn_cos + t2 * turn_sin, t2 * turn_cos - t1 * turn_sin];
            }
            let soft = match self.settings.regularisation {
                Regularisation::None => 0.0,
                Regularisation::Surface => 1.0 / (h * h * pair.surface.stiffness),
                Regularisation::Stiffness(k) => 1.0 / (h * h * k),
            };
            self.rows.push_contact(world, &self.ws, i as u32, point, &pair, soft);
            self.pairs.push(pair);
            // Where it stuck in the last step, and its distance from there.
            let known = kept::find(&self.kept, &mut from, point.pair, point.feature);
            let of_patch =
                |k: Option<usize>| k.and_then(|k| self.points.get(k)).is_some_and(|p| p.pair == point.pair);
            let in_patch = of_patch(i.checked_sub(1)) || of_patch(Some(i + 1));
            self.in_patches.push(InPatch { in_patch, is_new: in_patch && known.is_none() });
            let anchor = known.and_then(|k| self.kept[k].anchor).filter(|_| self.settings.anchor);
            let moved = anchor.map(|anchor| {
                let (a, b) = (&self.poses[point.body_a as usize], &self.poses[point.body_b as usize]);
                let paths = [point.body_a, point.body_b].map(|body| self.reach[body as usize]);
                anchor.drift(a, b, &middle(point), &point.normal, Anchor::largest_drift(paths[0], paths[1]))
            });
            self.drifts.push(moved.map_or(Vec3::zeros(), |(drift, _)| drift));
            self.anchors.push(moved.map(|(_, anchor)| anchor));
        }
        for (i, limit) in world.limits.iter().enumerate() {
            if limit.lower == limit.upper {
                self.rows.push_dof(world, &self.ws, Source::Held(i as u32), limit.v, 1.0, Law::Equal);
                continue;
            }
            let near = 2.0 * h * self.free.velocity[limit.v].abs() + SUDDEN * h * h;
            let q = state.q[limit.q];
            if q - limit.lower <= near {
                self.rows.push_dof(world, &self.ws, Source::Lower(i as u32), limit.v, 1.0, Law::Unilateral);
            }
            if limit.upper - q <= near {
                self.rows.push_dof(world, &self.ws, Source::Upper(i as u32), limit.v, -1.0, Law::Unilateral);
            }
        }
        for (i, (dof, effort)) in world.dry_friction.iter().enumerate() {
            let law = Law::Between { lowest: -h * effort, highest: h * effort };
            self.rows.push_dof(world, &self.ws, Source::Dry(i as u32), *dof, 1.0, law);
        }
        for (i, extra) in self.extra.iter().enumerate() {
            self.rows.push_extra(world, &self.ws, i as u32, extra);
        }
        if world.system.is_constrained() {
            let (rows, residuals, ws) = (&mut self.rows, &mut self.loop_residuals, &self.ws);
            constraint::show_rows(&world.system, ws, &mut |row, residual, entries| {
                // A loop couples two bodies and a coupling two joints: never more than two blocks.
                if rows.push_loop(world, ws, row as u32, entries) {
                    residuals[row] = residual;
                }
            });
        }
    }

    /// The impulses to start the solve from.
    pub(super) fn take_warm_start(&mut self, h: f64) {
        self.lambda.clear();
        self.lambda.resize(self.rows.len(), 0.0);
        // Allocate now, not in a later step that is the first to need it.
        for room in [&mut self.least, &mut self.least_w] {
            room.reserve(self.rows.len().saturating_sub(room.len()));
        }
        let velocities = self.rows.operator.running_len();
        self.least_u.reserve(velocities.saturating_sub(self.least_u.len()));
        if !self.settings.warm_start || self.last_h <= 0.0 {
            return;
        }
        let scale = h / self.last_h;
        let mut from = 0;
        for (block, (source, first)) in self.rows.blocks.iter().enumerate() {
            let rows = self.rows.laws[block].rows();
            let out = &mut self.lambda[*first as usize..*first as usize + rows];
            match *source {
                Source::Contact(i) => {
                    let (point, pair) = (&self.points[i as usize], &self.pairs[i as usize]);
                    let Some(k) = kept::find(&self.kept, &mut from, point.pair, point.feature) else { continue };
                    let old = &self.kept[k];
                    let [t1, t2] = pair.tangents;
                    let directions = [point.normal, t1, t2, point.normal, t1, t2];
                    for (row, value) in out.iter_mut().enumerate() {
                        let impulse = if row < 3 { &old.linear } else { &old.angular };
                        *value = scale * directions[row].dot(impulse);
                    }
                }
                Source::Lower(i) | Source::Held(i) => out[0] = scale * self.limit_impulses[i as usize][0],
                Source::Upper(i) => out[0] = scale * self.limit_impulses[i as usize][1],
                Source::Dry(i) => out[0] = scale * self.dry_impulses[i as usize],
                Source::Loop(row) => out[0] = scale * self.loop_impulses[row as usize],
                // If the number of rows changed, old and new rows cannot be matched.
                Source::Extra(i) if self.extra_impulses.len() == self.extra.len() => {
                    out[0] = scale * self.extra_impulses[i as usize];
                }
                Source::Extra(_) => {}
            }
        }
    }

    /// Clears impulses of rows that this step does not have.
    pub(super) fn forget_impulses(&mut self) {
        self.limit_impulses.fill([0.0; 2]);
        self.dry_impulses.fill(0.0);
        self.loop_impulses.fill(0.0);
        self.extra_impulses.clear();
        self.extra_impulses.resize(self.extra.len(), 0.0);
    }
}

/// Keeps the deepest point of each pair; points are in order of pairs.
fn keep_deepest(points: &mut Vec<ContactPoint>) {
    let mut last = 0;
    for i in 1..points.len() {
        if points[i].pair != points[last].pair {
            last += 1;
            points[last] = points[i];
        } else if points[i].gap < points[last].gap {
            points[last] = points[i];
        }
    }
    points.truncate((last + 1).min(points.len()));
}
