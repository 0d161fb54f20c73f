//! Constraint rows of the single problem a step solves: contacts, limits, dry friction, loops.
//!
//! ```text
//! (1)  w = J u,   u = u* + Jᵀ λ       so that   w = A λ + J u*,   A = J Jᵀ + C
//! ```
//!
//! `u` are velocities in row coordinates ([`veracity_dynamics::row_coordinates`]), in which the mass matrix is the
//! identity, and `C` is the rows' compliance. The first row of a contact is its normal, followed by the tangents, spin
//! about the normal and rolling about the tangents, as far as its [`Law`] has them; all of the first body relative to
//! the second.

use crate::stepping::at_impact::Moved;
use crate::surface::{PairSurface, Surface};
use crate::world::{ContactWorld, middle};
use veracity_collide::ContactPoint;
use veracity_dynamics::{Workspace, row_coordinates};
use veracity_lcp::{Factored, Law, Operator, Segment};
use veracity_model::Vec3;

/// What a block of rows represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// A contact, by its index in the step's list.
    Contact(u32),
    /// The lower limit of an entry of [`ContactWorld::limits`].
    Lower(u32),
    /// The upper limit.
    Upper(u32),
    /// Both limits are equal: the degree of freedom is locked.
    Held(u32),
    /// Dry friction of an entry of [`ContactWorld::dry_friction`].
    Dry(u32),
    /// An independent row of a loop or coupling, by its index among all rows of the system.
    Loop(u32),
    /// A row added by the caller, by its index in [`crate::stepping::extra`].
    Extra(u32),
}

/// The rows of a step.
#[derive(Debug, Default)]
pub struct Rows {
    /// `A`.
    pub operator: Factored<f64>,
    /// One law for each block.
    pub laws: Vec<Law>,
    /// Each block's source and first row.
    pub blocks: Vec<(Source, u32)>,
    j: Vec<f64>,
}

/// No velocity, no impulse.
const NOTHING: [f64; 3] = [0.0; 3];

impl Rows {
    /// Creates an empty set of rows for a world.
    pub fn new(world: &ContactWorld) -> Self {
        let longest = world.system.blocks().iter().map(|b| b.len).max().unwrap_or(0);
        let j = vec![0.0; 12 * longest];
        let operator = Factored::new(world.system.dof_count());
        Self { operator, laws: Vec::new(), blocks: Vec::new(), j }
    }

    /// Removes all rows, keeps the allocation.
    pub fn clear(&mut self, world: &ContactWorld) {
        self.operator.clear(world.system.dof_count());
        self.laws.clear();
        self.blocks.clear();
    }

    /// Removes all rows, for a problem over this many velocities with no more rows than `other`: later problems of that
    /// size do not allocate.
    pub(crate) fn clear_for(&mut self, velocities: usize, other: &Rows) {
        self.operator.clear(velocities);
        self.operator.reserve_for(&other.operator);
        self.laws.clear();
        self.laws.reserve(other.laws.len());
        self.blocks.clear();
        self.blocks.reserve(other.blocks.len());
    }

    /// Appends a block of another problem; velocity `dof` there is `local(dof)` here.
    pub(crate) fn push_copy(&mut self, other: &Rows, block: usize, local: impl Fn(usize) -> usize) {
        let (source, first) = other.blocks[block];
        let law = other.laws[block];
        self.start_block(source, law);
        let first = first as usize;
        self.operator.push_copy(&other.operator, first..first + law.rows(), local);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.operator.rows()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `J u` of all rows.
    pub fn velocities(&self, u: &[f64], out: &mut Vec<f64>) {
        self.operator.velocities(u, out);
    }

    /// Adds `Jᵀ λ` to `u`.
    pub fn add_response(&self, lambda: &[f64], u: &mut [f64]) {
        self.operator.scatter(0, lambda, u);
    }

    /// Appends a contact with `compliance` [m/s per N s] along its normal, whose friction acts at another point.
    pub fn push_contact(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        index: u32,
        (point, rubs_at): (&ContactPoint, Vec3),
        pair: &PairSurface,
        compliance: f64,
    ) {
        let law = law(&pair.surface);
        let place = middle(point);
        let lever = rubs_at - place;
        let torque = |t: &Vec3| if lever == Vec3::zeros() { NOTHING } else { lever.cross(t).into() };
        let drags = pair.tangents.each_ref().map(torque);
        let n: [f64; 3] = point.normal.into();
        let (t1, t2): ([f64; 3], [f64; 3]) = (pair.tangents[0].into(), pair.tangents[1].into());
        let forces = [(NOTHING, n), (drags[0], t1), (drags[1], t2)];
        let at: [f64; 3] = place.into();
        self.start_block(Source::Contact(index), law);
        let bodies = [(Some(point.body_a as usize), 1.0), (Some(point.body_b as usize), -1.0)];
        if let Some(wrenches) = forces.get(..law.rows()) {
            return self.push_wrenches(world, ws, bodies, at, wrenches, compliance);
        }
        let [n, t1, t2] = forces;
        let wrenches = [n, t1, t2, (n.1, NOTHING), (t1.1, NOTHING), (t2.1, NOTHING)];
        self.push_wrenches(world, ws, bodies, at, &wrenches[..law.rows()], compliance);
    }

    /// Appends a contact of loose bodies that have moved since the beginning of the step, in place of a block of another
    /// problem: (2) of `stepping::at_impact`. `None` for a body that cannot move.
    pub(crate) fn push_moved(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        (other, block): (&Rows, usize),
        (point, rubs_at): (&ContactPoint, Vec3),
        pair: &PairSurface,
        moved: [Option<Moved>; 2],
    ) {
        let (source, first) = other.blocks[block];
        let law = other.laws[block];
        self.start_block(source, law);
        let mut segments = [(0, 6); 2];
        let mut used = 0;
        for start in other.operator.segment_starts(first as usize) {
            segments[used].0 = start;
            used += 1;
        }
        let axes = [point.normal, pair.tangents[0], pair.tangents[1]];
        let rows = self.operator.push_block(law.rows(), 0.0, &segments[..used]);
        let bodies = [(point.body_a, 1.0), (point.body_b, -1.0)];
        let bodies = bodies.iter().zip(&moved).filter_map(|((slot, sign), moved)| Some((*slot, *sign, (*moved)?)));
        for (k, (slot, sign, moved)) in bodies.enumerate() {
            let levers = [middle(point), rubs_at].map(|at| at - moved.centres[1]);
            let wrenches: [([f64; 3], [f64; 3]); 6] = std::array::from_fn(|row| {
                let axis = axes[row % 3];
                let lever = levers[usize::from(row > 0)];
                let (torque, force) = if row < 3 { (lever.cross(&axis), axis) } else { (axis, Vec3::zeros()) };
                (moved.turned.inverse_transform_vector(&torque).into(), force.into())
            });
            let (place, rows) = (&world.places[slot as usize], &mut rows[6 * k..]);
            let (at, wrenches) = (moved.centres[0].into(), &wrenches[..law.rows()]);
            row_coordinates::loose_rows(&world.system, ws, place, sign, at, wrenches, 6 * used, rows);
        }
    }

    /// Appends a row for each wrench at one point on the first body, the opposite on the second; the first row has the
    /// compliance.
    fn push_wrenches(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        bodies: [(Option<usize>, f64); 2],
        at: [f64; 3],
        wrenches: &[([f64; 3], [f64; 3])],
        compliance: f64,
    ) {
        if self.push_loose(world, ws, bodies, at, wrenches, compliance) {
            return;
        }
        let moving = |(slot, sign): (Option<usize>, f64)| {
            slot.and_then(|s| world.blocks[s].map(|block| (block, (world.places[s], sign))))
        };
        let (system, n) = (&world.system, wrenches.len());
        let mut spans = [(0usize, 0usize, 0usize); 2];
        let mut used = 0;
        let mut runs = None;
        let mut write = |j: &mut [f64], block: usize, bodies: &[_]| {
            let len = system.blocks()[block].len;
            let begin = spans[0].2 * n;
            row_coordinates::wrench_rows(system, ws, bodies, at, wrenches, &mut j[begin..begin + len * n]);
            spans[used] = (system.blocks()[block].first, begin, len);
            used += 1;
        };
        match (moving(bodies[0]), moving(bodies[1])) {
            // Two bodies of one tree share a segment.
            (Some((block, a)), Some((other, b))) if block == other => write(&mut self.j, block, &[a, b]),
            (Some((block, body)), None) | (None, Some((block, body))) => {
                write(&mut self.j, block, &[body]);
                // A foot moves with its leg and the floating base, and with no other part of the robot.
                runs = row_coordinates::support_of_body(system, body.0);
            }
            (Some((block, a)), Some((other, b))) => {
                write(&mut self.j, block, &[a]);
                write(&mut self.j, other, &[b]);
            }
            (None, None) => {}
        }
        for r in 0..n {
            let compliance = if r == 0 { compliance } else { 0.0 };
            let row = |(_, begin, len): (usize, usize, usize)| &self.j[begin + r * len..begin + (r + 1) * len];
            let segment = |span: (usize, usize, usize), (from, to): (usize, usize)| Segment {
                start: span.0 + from,
                jacobian: &row(span)[from..to],
            };
            if let Some([a, b]) = runs {
                let both = [segment(spans[0], a), segment(spans[0], b)];
                self.operator.push(compliance, &both[..1 + usize::from(b.1 > b.0)]);
            } else {
                let both = [segment(spans[0], (0, spans[0].2)), segment(spans[1], (0, spans[1].2))];
                self.operator.push(compliance, &both[..used]);
            }
        }
    }

    /// The same for two loose bodies, or a loose body and one that cannot move: these need no scratch, and their rows
    /// are written in place. Returns `false`, with nothing changed, for other bodies.
    #[inline]
    fn push_loose(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        bodies: [(Option<usize>, f64); 2],
        at: [f64; 3],
        wrenches: &[([f64; 3], [f64; 3])],
        compliance: f64,
    ) -> bool {
        let mut segments = [(0, 6); 2];
        let mut loose = [(0, 0.0); 2];
        let mut used = 0;
        for (slot, sign) in bodies {
            let Some((slot, block)) = slot.and_then(|slot| world.blocks[slot].map(|block| (slot, block))) else {
                continue;
            };
            let block = &world.system.blocks()[block];
            if !block.is_free_body() || used == 1 && segments[0].0 == block.first {
                return false;
            }
            segments[used].0 = block.first;
            loose[used] = (slot, sign);
            used += 1;
        }
        let rows = self.operator.push_block(wrenches.len(), compliance, &segments[..used]);
        for (k, (slot, sign)) in loose[..used].iter().enumerate() {
            let (place, rows) = (&world.places[*slot], &mut rows[6 * k..]);
            row_coordinates::loose_rows(&world.system, ws, place, *sign, at, wrenches, 6 * used, rows);
        }
        true
    }

    /// A row on one degree of freedom: its velocity times `sign`.
    pub fn push_dof(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        source: Source,
        dof: usize,
        sign: f64,
        law: Law,
    ) {
        let block = world.system.block_of_dof(dof);
        let b = world.system.blocks()[block];
        self.start_block(source, law);
        let j = &mut self.j[..b.len];
        j.fill(0.0);
        j[dof - b.first] = sign;
        row_coordinates::turn_rows(&world.system, ws, block, j);
        let runs = row_coordinates::support_of_dof(&world.system, dof).unwrap_or([(0, b.len), (b.len, b.len)]);
        let segment = |(from, to): (usize, usize)| Segment { start: b.first + from, jacobian: &self.j[from..to] };
        self.operator.push(0.0, &runs.map(segment)[..1 + usize::from(runs[1].1 > runs[1].0)]);
    }

    /// Appends a row of a loop or coupling, given over all joint velocities. Returns `false` if it couples more than
    /// two blocks, which no loop between two bodies does.
    pub fn push_loop(&mut self, world: &ContactWorld, ws: &Workspace, row: u32, entries: &[f64]) -> bool {
        let mut spans = [(0, 0, 0); 2];
        let (mut used, mut offset) = (0, 0);
        for (block, b) in world.system.blocks().iter().enumerate() {
            let part = &entries[b.first..b.first + b.len];
            if part.iter().all(|x| *x == 0.0) {
                continue;
            }
            if used == 2 {
                return false;
            }
            let span = offset..offset + b.len;
            self.j[span.clone()].copy_from_slice(part);
            row_coordinates::turn_rows(&world.system, ws, block, &mut self.j[span]);
            spans[used] = (b.first, offset, b.len);
            used += 1;
            offset += b.len;
        }
        self.start_block(Source::Loop(row), Law::Equal);
        let segment =
            |(start, begin, len): (usize, usize, usize)| Segment { start, jacobian: &self.j[begin..begin + len] };
        let both = [segment(spans[0]), segment(spans[1])];
        self.operator.push(0.0, &both[..used]);
        true
    }

    /// Appends a row added by the caller.
    pub fn push_extra(
        &mut self,
        world: &ContactWorld,
        ws: &Workspace,
        index: u32,
        extra: &crate::stepping::extra::Extra,
    ) {
        self.start_block(Source::Extra(index), extra.law);
        let bodies = [(extra.bodies[0], 1.0), (extra.bodies[1], -1.0)];
        self.push_wrenches(world, ws, bodies, extra.point, &[extra.wrench], extra.compliance);
    }

    fn start_block(&mut self, source: Source, law: Law) {
        self.blocks.push((source, self.operator.rows() as u32));
        self.laws.push(law);
    }
}

/// The smallest law that covers all friction of a surface.
pub fn law(surface: &Surface) -> Law {
    let (mu, torsion, rolling) = (surface.friction, surface.torsion, surface.rolling);
    if rolling > 0.0 {
        Law::Rolling { mu, torsion, rolling }
    } else if torsion > 0.0 {
        Law::Torsion { mu, torsion }
    } else if mu[0] > 0.0 || mu[1] > 0.0 {
        Law::Friction { mu }
    } else {
        Law::Unilateral
    }
}
