//! From a state to rows: which points touch or may touch, which limits are near, and what is carried over from the last
//! step.

use super::{Geometry, Regularisation, Stepping, SteppingSettings};
use crate::islands::{flatten, join};
use crate::rows::Source;
use crate::stepping::kept::{self, Anchor, Kept};
use crate::surface::PairSurface;
use crate::world::ContactWorld;
use veracity_collide::ContactPoint;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Trouble, constraint, kinematics};
use veracity_lcp::Law;
use veracity_model::{Pose, Vec3};

/// Contacts and limits are searched as far ahead as this acceleration moves a body from rest [m/s²]: what a push can do
/// to a body that neither gravity nor its own velocity moves closer.
const SUDDEN: f64 = 100.0;
/// The reach of the fastest body of an island is added to every pair in it, for a body it might push, up to this [m].
const PUSHED: f64 = 5e-3;

/// Points of a step that touch or may touch, and what is known of them. Scratch.
pub(super) struct Contacts {
    pub poses: Vec<Pose>,
    pub reach: Vec<f64>,
    pub points: Vec<ContactPoint>,
    pub pairs: Vec<PairSurface>,
    /// For each contact, its entry among those kept from the last step.
    pub known: Vec<Option<u32>>,
    /// Anchors of this step's contacts and their drift.
    pub anchors: Vec<Option<Anchor>>,
    pub drifts: Vec<Vec3>,
    /// For each contact, its relation to the others of its pair.
    pub in_patches: Vec<InPatch>,
    /// For each body, the number of its shape pairs that are near each other.
    pub pairs_of: Vec<u32>,
    /// Position errors of loop rows.
    pub loop_residuals: Vec<f64>,
    /// For each contact, where its friction acts.
    pub rubs_at: Vec<Vec3>,
    pub corners: Vec<(f64, f64, f64)>,
    /// What the next step will know of this step's contacts.
    pub fresh: Vec<Kept>,
    /// Bodies that could reach each other, and how far the fastest of each such island moves in the step [m].
    reach_islands: Vec<usize>,
    reach_fastest: Vec<f64>,
}

impl Contacts {
    pub fn new(loops: usize) -> Self {
        Self {
            poses: Vec::new(),
            reach: Vec::new(),
            points: Vec::new(),
            pairs: Vec::new(),
            known: Vec::new(),
            anchors: Vec::new(),
            drifts: Vec::new(),
            in_patches: Vec::new(),
            pairs_of: Vec::new(),
            loop_residuals: vec![0.0; loops],
            rubs_at: Vec::new(),
            corners: Vec::new(),
            fresh: Vec::new(),
            reach_islands: Vec::new(),
            reach_fastest: Vec::new(),
        }
    }
}

/// Relation of a contact to the others of its pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPatch {
    /// Its pair touches at several points.
    pub in_patch: bool,
    /// This point was not there in the last step.
    pub is_new: bool,
}

impl Stepping {
    /// Fills poses and points.
    pub(super) fn find_contacts(&mut self, state: &State, h: f64) -> Result<(), Trouble> {
        let world = &mut self.world;
        // The free velocity already includes what the step's forces add.
        kinematics::other_velocities(&world.system, &mut self.ws, &self.free.velocity);
        world.shaped_poses(&self.ws, &mut self.contacts.poses);
        let fastest = world.reaches(&self.ws, h, &mut self.contacts.reach);
        let margin = SUDDEN * h * h + fastest.min(PUSHED);
        if !world.scene.guards().is_empty() {
            world.scene.judge_guards(&state.q, &state.v);
        }
        world.scene.find(&self.contacts.poses, &self.contacts.reach, margin, &mut self.contacts.points).map_err(
            |lost| {
                let block = world.blocks[lost.body];
                Trouble::NotFinite { dof: block.map_or(0, |b| world.system.blocks()[b].first), time: state.time }
            },
        )?;
        if !world.system.is_constrained() && self.extra.is_empty() {
            self.drop_distant(h);
        }
        if self.settings.geometry == Geometry::Deepest {
            keep_deepest(&mut self.contacts.points);
        }
        Ok(())
    }

    /// Keeps the points that the bodies of their own island can reach, also when the fastest of these pushes the
    /// others: a fast body elsewhere must not add rows. Islands shrink as points are removed, so this is repeated until
    /// none is removed. Loops and rows added by the caller couple bodies that no point joins; with these, all points
    /// are kept.
    fn drop_distant(&mut self, h: f64) {
        let (reach, world) = (&self.contacts.reach, &self.world);
        let sum = |margin: f64, p: &ContactPoint| margin + reach[p.body_a as usize] + reach[p.body_b as usize];
        let near = SUDDEN * h * h;
        while self.contacts.points.iter().any(|p| p.gap > sum(near, p)) {
            let of = &mut self.contacts.reach_islands;
            of.clear();
            of.extend(0..world.system.blocks().len());
            let blocks = |p: &ContactPoint| [p.body_a, p.body_b].map(|body| world.blocks[body as usize]);
            for point in &self.contacts.points {
                if let [Some(a), Some(b)] = blocks(point) {
                    join(of, a, b);
                }
            }
            flatten(of);
            let fastest = &mut self.contacts.reach_fastest;
            fastest.clear();
            fastest.resize(of.len(), 0.0);
            for point in &self.contacts.points {
                for body in [point.body_a, point.body_b] {
                    if let Some(block) = world.blocks[body as usize] {
                        fastest[of[block]] = reach[body as usize].max(fastest[of[block]]);
                    }
                }
            }
            let count = self.contacts.points.len();
            self.contacts.points.retain(|point| {
                let own = blocks(point).into_iter().flatten().next().map_or(0.0, |block| fastest[of[block]]);
                point.gap <= sum(near + own.min(PUSHED), point)
            });
            if self.contacts.points.len() == count {
                return;
            }
        }
    }

    /// Fills the rows, and the anchors of contacts.
    pub(super) fn make_rows(&mut self, state: &State, h: f64) {
        self.place_friction();
        let world = &self.world;
        self.problem.rows.clear(world);
        self.contacts.pairs.clear();
        self.contacts.known.clear();
        self.contacts.anchors.clear();
        self.contacts.drifts.clear();
        self.contacts.in_patches.clear();
        self.contacts.pairs_of.clear();
        self.contacts.pairs_of.resize(self.contacts.poses.len(), 0);
        for pair in self.contacts.points.chunk_by(|p, q| p.pair == q.pair) {
            self.contacts.pairs_of[pair[0].body_a as usize] += 1;
            self.contacts.pairs_of[pair[0].body_b as usize] += 1;
        }
        let mut from = 0;
        for (i, point) in self.contacts.points.iter().enumerate() {
            let pair = surface_at(world, &self.settings, point, &self.contacts.poses);
            let soft = match self.settings.regularisation {
                Regularisation::None => 0.0,
                Regularisation::Surface => 1.0 / (h * h * pair.surface.stiffness),
                Regularisation::Stiffness(k) => 1.0 / (h * h * k),
            };
            self.problem.rows.push_contact(world, &self.ws, i as u32, (point, self.contacts.rubs_at[i]), &pair, soft);
            self.contacts.pairs.push(pair);
            // Where it stuck in the last step, and its distance from there.
            let known = kept::find(&self.memory.kept, &mut from, point.pair, point.feature);
            self.contacts.known.push(known.map(|k| k as u32));
            let of_patch =
                |k: Option<usize>| k.and_then(|k| self.contacts.points.get(k)).is_some_and(|p| p.pair == point.pair);
            let in_patch = of_patch(i.checked_sub(1)) || of_patch(Some(i + 1));
            self.contacts.in_patches.push(InPatch { in_patch, is_new: in_patch && known.is_none() });
            let anchor = known.and_then(|k| self.memory.kept[k].anchor).filter(|_| self.settings.anchor);
            let moved = anchor.map(|anchor| {
                let (a, b) =
                    (&self.contacts.poses[point.body_a as usize], &self.contacts.poses[point.body_b as usize]);
                let paths = [point.body_a, point.body_b].map(|body| self.contacts.reach[body as usize]);
                anchor.drift(
                    a,
                    b,
                    &self.contacts.rubs_at[i],
                    &point.normal,
                    Anchor::largest_drift(paths[0], paths[1]),
                )
            });
            self.contacts.drifts.push(moved.map_or(Vec3::zeros(), |(drift, _)| drift));
            self.contacts.anchors.push(moved.map(|(_, anchor)| anchor));
        }
        for (i, limit) in world.limits.iter().enumerate() {
            if limit.lower == limit.upper {
                self.problem.rows.push_dof(world, &self.ws, Source::Held(i as u32), limit.v, 1.0, Law::Equal);
                continue;
            }
            let near = 2.0 * h * self.free.velocity[limit.v].abs() + SUDDEN * h * h;
            let q = state.q[limit.q];
            if q - limit.lower <= near {
                self.problem.rows.push_dof(world, &self.ws, Source::Lower(i as u32), limit.v, 1.0, Law::Unilateral);
            }
            if limit.upper - q <= near {
                self.problem.rows.push_dof(world, &self.ws, Source::Upper(i as u32), limit.v, -1.0, Law::Unilateral);
            }
        }
        for (i, (dof, effort)) in world.dry_friction.iter().enumerate() {
            let law = Law::Between { lowest: -h * effort, highest: h * effort };
            self.problem.rows.push_dof(world, &self.ws, Source::Dry(i as u32), *dof, 1.0, law);
        }
        for (i, extra) in self.extra.iter().enumerate() {
            self.problem.rows.push_extra(world, &self.ws, i as u32, extra);
        }
        if world.system.is_constrained() {
            let (rows, residuals, ws) = (&mut self.problem.rows, &mut self.contacts.loop_residuals, &self.ws);
            constraint::show_rows(&world.system, ws, &mut |row, residual, entries| {
                // A loop couples two bodies and a coupling two joints: never more than two blocks.
                if rows.push_loop(world, ws, row as u32, entries) {
                    residuals[row] = residual;
                }
            });
        }
    }
}

/// The surface at a point, with its tangents as the settings rotate them.
pub(super) fn surface_at(
    world: &ContactWorld,
    settings: &SteppingSettings,
    point: &ContactPoint,
    poses: &[Pose],
) -> PairSurface {
    let mut pair = world.surface_at(point, poses);
    if settings.cone_direction != 0.0 {
        let (sin, cos) = libm::sincos(settings.cone_direction);
        let [t1, t2] = pair.tangents;
        pair.tangents = [t1 * cos + t2 * sin, t2 * cos - t1 * sin];
    }
    pair
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
