//! Motion under lasting contacts: forces that maintain the modes.
//!
//! Each lasting contact sticks or slides. Its normal does not accelerate, nor do its tangents where it sticks; where it
//! slides with velocity `u`, friction is `μ` times the normal force against it (with two coefficients, the force that
//! dissipates the most power):
//!
//! ```text
//! (1)  J(r) a + bias(r) = 0,     a = a° + Σ Y λ,      r: normals, and tangents that stick
//! (2)  λ_t = -λ_n f,             f = (μ₁² u₁, μ₂² u₂) / |(μ₁ u₁, μ₂ u₂)|
//! ```
//!
//! so that (1) is linear in the `λ` of its rows, and not symmetric where something slides. `a°` are the accelerations
//! without contact. Rows that others imply (a fourth corner on the floor) are found at the beginning of a step and left
//! out; among the many forces that then satisfy the rest, `B λ = r`, the step uses those nearest to its initial ones:
//!
//! ```text
//! (3)  λ = λ₀ + Bᵀ (B Bᵀ)⁻¹ (r - B λ₀)
//! ```
//!
//! and a last correction in the kept rows alone, because `B Bᵀ` squares the condition. During a step `f` does not
//! reverse when `u` passes through zero, so that the motion can be followed beyond the instant of stopping and the
//! instant can be located.

use super::dense::Dense;
use super::frame::{Bodies, Frame};
use super::lasting::{Contact, Mode};
use super::rows::Rows;
use super::sites;
use crate::islands::{join, root};
use crate::world::ContactWorld;
use veracity_dynamics::{Efforts, System, Trouble, Workspace, blocks, forces, kinematics, rnea};

/// Speed above which the heading of a sliding contact is the direction of its velocity at the beginning of the step
/// [m/s]; below it, the heading from the problem of accelerations.
const HEADING_SPEED: f64 = 1e-8;

/// A contact that slides slower than this at the beginning of a step keeps the direction of its friction during the
/// step [m/s]. The direction of a vanishing velocity is all rounding, and turns at a rate of `μ g` over the speed,
/// which no explicit integrator can follow. Steps that begin slower end at ten times this speed; steps that begin
/// faster end here before the speed falls to zero.
const CREEP: f64 = 1e-4;

/// Force that counts as zero, relative to the largest.
pub(super) const NOTHING: f64 = 1e-9;

/// Maximum remainder of a row that others imply.
const RANK_TOLERANCE: f64 = 1e-9;

/// The lasting contacts and everything needed to evaluate them.
pub(super) struct Held {
    pub world: ContactWorld,
    pub contacts: Vec<Contact>,
    pub frames: Vec<Frame>,
    pub ws: Workspace,
    pub bodies: Bodies,
    pub rows: Rows,
    /// Accelerations without contact.
    pub free: Vec<f64>,
    /// First row of each contact.
    first: Vec<usize>,
    /// Rows of (1): contact and component.
    equations: Vec<(usize, usize)>,
    /// Independent rows among them.
    kept: Vec<usize>,
    /// Islands of coupled bodies: ends of their equations and of their kept rows.
    islands: Vec<(usize, usize)>,
    /// Island of each tree, by blocks, and of each contact.
    island_of_block: Vec<usize>,
    island_of_contact: Vec<usize>,
    chosen: Vec<usize>,
    matrix: Vec<f64>,
    wide: Vec<f64>,
    right: Vec<f64>,
    change: Vec<f64>,
    dense: Dense,
    touching_blocks: Vec<usize>,
    /// The state that positions and forces belong to, if any.
    at: (f64, Vec<f64>, Vec<f64>),
    evaluated: bool,
    /// A feature was lost or the equations had no solution in a stage of the integrator.
    pub lost: bool,
}

impl Held {
    pub(super) fn new(world: ContactWorld) -> Self {
        let ws = Workspace::new(&world.system);
        let free = vec![0.0; world.system.dof_count()];
        Self {
            world,
            contacts: Vec::new(),
            frames: Vec::new(),
            ws,
            bodies: Bodies::default(),
            rows: Rows::default(),
            free,
            first: Vec::new(),
            equations: Vec::new(),
            kept: Vec::new(),
            islands: Vec::new(),
            island_of_block: Vec::new(),
            island_of_contact: Vec::new(),
            chosen: Vec::new(),
            matrix: Vec::new(),
            wide: Vec::new(),
            right: Vec::new(),
            change: Vec::new(),
            dense: Dense::default(),
            touching_blocks: Vec::new(),
            at: (0.0, Vec::new(), Vec::new()),
            evaluated: false,
            lost: false,
        }
    }

    /// Computes accelerations without contact at a state, the bodies' motions and the factors of `M`. `tau` are the
    /// external efforts.
    pub(super) fn prepare(
        &mut self,
        efforts: &mut dyn Efforts,
        time: f64,
        (q, v): (&[f64], &[f64]),
    ) -> Result<(), Trouble> {
        self.evaluated = false;
        let (system, ws) = (&self.world.system, &mut self.ws);
        kinematics::velocities(system, ws, q, v);
        self.bodies.gather(ws, &self.world.places);
        forces::set_applied_wrenches(system, ws, efforts.wrenches());
        self.right.clear();
        self.right.resize(system.dof_count(), 0.0);
        efforts.add(system, time, q, v, &mut self.right);
        forces::add_joint_forces(system, q, v, &mut self.right);
        rnea::bias_efforts(system, ws, &mut self.free);
        self.free.iter_mut().zip(&self.right).for_each(|(f, t)| *f = t - *f);
        blocks::prepare(system, ws, None).map_err(|dof| Trouble::NoInertia { dof, time })?;
        for (index, block) in system.blocks().iter().enumerate() {
            blocks::respond(system, ws, index, &mut self.free[block.first..block.first + block.len]);
        }
        Ok(())
    }

    /// Computes positions of the lasting contacts, their rows and biases, after [`Held::prepare`]. Returns `false` if a
    /// feature is lost.
    fn place_contacts(&mut self, time: f64, (q, v): (&[f64], &[f64])) -> bool {
        self.frames.clear();
        self.rows.clear();
        self.first.clear();
        for contact in &self.contacts {
            self.first.push(self.rows.len());
            let kept = (contact.site, contact.frozen.as_ref());
            let Some(frame) = sites::placed(&mut self.world, kept, &self.ws, &mut self.bodies, time, (q, v)) else {
                return false;
            };
            sites::push_rows(&self.world, contact.site, &frame, contact.has_friction(), &self.ws, &mut self.rows);
            self.frames.push(frame);
        }
        self.rows.respond(&self.world.system, &self.ws);
        true
    }

    /// Corrects the drift of the lasting contacts' gaps if one exceeds a bound [m], by the smallest motion (in the mass
    /// metric) that closes them; returns `true` if it did. Velocities are unchanged. Call after [`Held::begin`], and
    /// call that again afterwards.
    pub(super) fn take_back_drift(&mut self, q: &mut [f64], bound: f64) -> bool {
        if self.contacts.is_empty() || self.frames.iter().all(|f| f.gap.abs() <= bound) {
            return false;
        }
        let n = self.frames.len();
        self.matrix.clear();
        for &row in &self.first {
            self.matrix.extend(self.first.iter().map(|&column| self.rows.entry(row, column)));
        }
        let all = std::mem::take(&mut self.matrix);
        let mut chosen = std::mem::take(&mut self.chosen);
        self.dense.independent(&all, n, RANK_TOLERANCE, &mut chosen);
        for r in &chosen {
            self.matrix.extend(chosen.iter().map(|c| all[r * n + c]));
        }
        self.change.clear();
        self.change.extend(chosen.iter().map(|r| -self.frames[*r].gap));
        let solved = self.dense.solve(&self.matrix, chosen.len(), &mut self.change);
        if solved {
            self.right.clear();
            self.right.resize(self.world.system.dof_count(), 0.0);
            for (r, x) in chosen.iter().zip(&self.change) {
                self.rows.add_response(self.first[*r], *x, &mut self.right);
            }
            kinematics::advance(&self.world.system, q, &self.right, 1.0);
        }
        self.chosen = chosen;
        solved
    }

    /// Largest normal speed of a lasting contact, where they were last placed [m/s].
    pub(super) fn fastest_normal(&self) -> f64 {
        let of = |(_, frame): (&Contact, &Frame)| frame.velocity[0].abs();
        self.contacts.iter().zip(&self.frames).map(of).fold(0.0, f64::max)
    }

    /// The largest velocity along a direction that the lasting contacts constrain, where they were last placed [m/s].
    pub(super) fn fastest_held(&self) -> f64 {
        let of = |&(i, k): &(usize, usize)| self.frames[i].velocity[k].abs();
        self.equations.iter().map(of).fold(0.0, f64::max)
    }

    /// Removes the velocities along constrained directions, by the smallest change in the mass metric: energy is lost,
    /// never gained. Returns `false` if the equations have no solution. Call after [`Held::begin`], and call that again
    /// afterwards.
    pub(super) fn take_away_held_velocities(&mut self, v: &mut [f64]) -> bool {
        let mut k = 0;
        for island in 0..self.islands.len() {
            let rows = k..self.islands[island].1;
            k = rows.end;
            let row_of = |r: usize| {
                let (i, c) = self.equations[self.kept[r]];
                self.first[i] + c
            };
            self.matrix.clear();
            self.right.clear();
            for r in rows.clone() {
                let (i, c) = self.equations[self.kept[r]];
                self.right.push(-self.frames[i].velocity[c]);
                self.matrix.extend(rows.clone().map(|s| self.rows.entry(row_of(r), row_of(s))));
            }
            if !self.dense.solve(&self.matrix, rows.len(), &mut self.right) {
                return false;
            }
            for (x, r) in self.right.iter().zip(rows) {
                self.rows.add_response(row_of(r), *x, v);
            }
        }
        true
    }

    /// Multiplies the velocities of all trees with a lasting contact by a factor.
    pub(super) fn scale_touching(&mut self, v: &mut [f64], factor: f64) {
        self.touching_blocks.clear();
        for frame in &self.frames {
            self.touching_blocks.extend(frame.bodies.iter().filter_map(|b| self.world.blocks[*b]));
        }
        self.touching_blocks.sort_unstable();
        self.touching_blocks.dedup();
        for &index in &self.touching_blocks {
            let block = &self.world.system.blocks()[index];
            v[block.first..block.first + block.len].iter_mut().for_each(|x| *x *= factor);
        }
    }

    /// Chooses independent rows for the current modes, and the headings, at the beginning of a step. Returns `false` if
    /// a feature is lost.
    pub(super) fn begin(
        &mut self,
        efforts: &mut dyn Efforts,
        time: f64,
        (q, v): (&[f64], &[f64]),
    ) -> Result<bool, Trouble> {
        self.lost = false;
        self.equations.clear();
        self.kept.clear();
        self.islands.clear();
        if self.contacts.is_empty() {
            return Ok(true);
        }
        self.prepare(efforts, time, (q, v))?;
        for i in 0..self.contacts.len() {
            let site = self.contacts[i].site;
            self.contacts[i].frozen = sites::freeze(&mut self.world, site, time, &mut self.bodies);
        }
        if !self.place_contacts(time, (q, v)) {
            return Ok(false);
        }
        for (i, contact) in self.contacts.iter_mut().enumerate() {
            self.equations.push((i, 0));
            if contact.has_friction() && contact.mode == Mode::Stick {
                self.equations.extend([(i, 1), (i, 2)]);
            }
            let frame = &self.frames[i];
            let sliding = frame.tangents[0] * frame.velocity[1] + frame.tangents[1] * frame.velocity[2];
            // Following every rotation of a creeping velocity would be the stiff equation again, solved explicitly: the
            // heading is kept unless it is clearly different.
            let speed = sliding.norm();
            let strays = speed > HEADING_SPEED && sliding.dot(&contact.heading) < 0.9 * speed;
            if contact.mode == Mode::Slide && (speed > CREEP || strays) {
                contact.heading = sliding / speed;
            }
            contact.reference = contact.force;
            contact.creeps = speed <= CREEP;
            contact.floor = match contact.creeps {
                false => (1e-3 * speed).max(0.5 * CREEP),
                true if sliding.dot(&contact.heading) > 0.0 => 0.0,
                // At rest, or moving backwards by rounding: it may start moving against its heading, and friction would
                // accelerate it.
                true => -2.0 * HEADING_SPEED,
            };
        }
        self.find_islands();
        let of = &self.island_of_contact;
        self.equations.sort_unstable_by_key(|&(i, k)| (of[i], i, k));
        let mut begin = 0;
        while begin < self.equations.len() {
            let island = of[self.equations[begin].0];
            let n = self.equations[begin..].iter().take_while(|(i, _)| of[*i] == island).count();
            let equations = &self.equations[begin..begin + n];
            self.matrix.clear();
            for &(i, k) in equations {
                let row = self.first[i] + k;
                self.matrix.extend(equations.iter().map(|&(j, l)| self.rows.entry(row, self.first[j] + l)));
            }
            self.dense.independent(&self.matrix, n, RANK_TOLERANCE, &mut self.chosen);
            self.chosen.sort_unstable();
            self.kept.extend(self.chosen.iter().map(|r| begin + r));
            begin += n;
            self.islands.push((begin, self.kept.len()));
        }
        let solved = self.solve_forces();
        // A force that begins at zero, or slightly below by rounding, never crosses zero: without slack it would pull
        // for the whole step.
        let size = self.largest_force();
        for c in &mut self.contacts {
            c.reference = c.force;
            c.slack =
                [c.force[0], c.left_of_cone()].map(|begin| if begin > 0.0 { 0.0 } else { 2.0 * NOTHING * size });
        }
        self.evaluated_at(solved, time, (q, v));
        Ok(solved)
    }

    /// The largest normal force [N or N m].
    pub(super) fn largest_force(&self) -> f64 {
        self.contacts.iter().fold(0.0_f64, |m, c| m.max(c.force[0].abs()))
    }

    /// Computes the contact forces at a state, for the rows chosen at the beginning of the step. Returns `false` if a
    /// feature is lost or the equations have no solution.
    pub(super) fn forces_at(
        &mut self,
        efforts: &mut dyn Efforts,
        time: f64,
        (q, v): (&[f64], &[f64]),
    ) -> Result<bool, Trouble> {
        if self.contacts.is_empty() {
            return Ok(true);
        }
        // A step begins at a state already evaluated, and its end is requested twice.
        if self.evaluated && self.at.0 == time && self.at.1 == q && self.at.2 == v {
            return Ok(true);
        }
        self.prepare(efforts, time, (q, v))?;
        let solved = self.place_contacts(time, (q, v)) && self.solve_forces();
        self.evaluated_at(solved, time, (q, v));
        Ok(solved)
    }

    fn evaluated_at(&mut self, solved: bool, time: f64, (q, v): (&[f64], &[f64])) {
        self.evaluated = solved;
        self.at.0 = time;
        self.at.1.clear();
        self.at.1.extend_from_slice(q);
        self.at.2.clear();
        self.at.2.extend_from_slice(v);
    }

    /// (1) with (2), then (3), island by island.
    fn solve_forces(&mut self) -> bool {
        for contact in &mut self.contacts {
            contact.force = contact.reference;
        }
        let (mut e, mut k) = (0, 0);
        for island in 0..self.islands.len() {
            let (e_end, k_end) = self.islands[island];
            if !self.solve_island(e..e_end, k..k_end) {
                return false;
            }
            (e, k) = (e_end, k_end);
        }
        for i in 0..self.contacts.len() {
            if self.contacts[i].mode == Mode::Slide {
                let f = self.drag(i);
                let contact = &mut self.contacts[i];
                contact.force = [contact.force[0], -contact.force[0] * f[0], -contact.force[0] * f[1]];
            }
        }
        true
    }

    /// Forces of one island, starting from the reference forces; `rows` of its equations are kept.
    fn solve_island(&mut self, equations: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> bool {
        let (n, m) = (rows.len(), equations.len());
        // Kept rows over all columns, and their residual at the reference forces.
        self.wide.clear();
        self.right.clear();
        for &r in &self.kept[rows.clone()] {
            let (i, k) = self.equations[r];
            let row = self.first[i] + k;
            let mut right = -(self.rows.of(row, &self.free) + self.frames[i].bias[k]);
            for &(j, l) in &self.equations[equations.clone()] {
                let entry = self.effect(row, j, l);
                right -= entry * self.contacts[j].reference[l];
                self.wide.push(entry);
            }
            self.right.push(right);
        }
        if n < m && !self.spread(n, equations.clone()) {
            return false;
        }
        self.matrix.clear();
        for r in 0..n {
            self.matrix.extend(self.kept[rows.clone()].iter().map(|s| self.wide[r * m + s - equations.start]));
        }
        if !self.dense.solve(&self.matrix, n, &mut self.right) {
            return false;
        }
        for (x, &s) in self.right.iter().zip(&self.kept[rows]) {
            let (j, l) = self.equations[s];
            self.contacts[j].force[l] += *x;
        }
        true
    }

    /// Finds which contacts are coupled: those that a moving tree joins.
    fn find_islands(&mut self) {
        let blocks = &self.world.blocks;
        let of = &mut self.island_of_block;
        of.clear();
        of.extend(0..self.world.system.blocks().len());
        for frame in &self.frames {
            if let [Some(a), Some(b)] = frame.bodies.map(|body| blocks[body]) {
                join(of, a, b);
            }
        }
        self.island_of_contact.clear();
        let island = |frame: &Frame| frame.bodies.iter().find_map(|b| blocks[*b]).map_or(0, |block| root(of, block));
        self.island_of_contact.extend(self.frames.iter().map(island));
    }

    /// Number of lasting points in the largest island.
    pub(super) fn largest_island(&mut self) -> usize {
        let of = &mut self.chosen;
        of.clear();
        of.extend_from_slice(&self.island_of_contact);
        of.sort_unstable();
        of.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(0)
    }

    /// (3): adds the smallest change of all forces that satisfies the kept rows; the remainder is its rounding error.
    fn spread(&mut self, n: usize, equations: std::ops::Range<usize>) -> bool {
        let m = equations.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for r in 0..n {
            for s in 0..=r {
                let (x, y) = (&self.wide[r * m..(r + 1) * m], &self.wide[s * m..(s + 1) * m]);
                let product = x.iter().zip(y).map(|(x, y)| x * y).sum();
                self.matrix[r * n + s] = product;
                self.matrix[s * n + r] = product;
            }
        }
        self.change.clear();
        self.change.extend_from_slice(&self.right);
        if !self.dense.solve(&self.matrix, n, &mut self.change) {
            return false;
        }
        for s in 0..m {
            let step: f64 = (0..n).map(|r| self.wide[r * m + s] * self.change[r]).sum();
            let (j, l) = self.equations[equations.start + s];
            self.contacts[j].force[l] += step;
            for r in 0..n {
                self.right[r] -= self.wide[r * m + s] * step;
            }
        }
        true
    }

    /// Acceleration of a row per unit force of a contact's component, including the friction proportional to it.
    fn effect(&self, row: usize, contact: usize, component: usize) -> f64 {
        let first = self.first[contact];
        let mut sum = self.rows.entry(row, first + component);
        if component == 0 && self.contacts[contact].mode == Mode::Slide && self.contacts[contact].has_friction() {
            let f = self.drag(contact);
            sum -= f[0] * self.rows.entry(row, first + 1) + f[1] * self.rows.entry(row, first + 2);
        }
        sum
    }

    /// `f` of (2).
    fn drag(&self, contact: usize) -> [f64; 2] {
        let (c, frame) = (&self.contacts[contact], &self.frames[contact]);
        let heading = [c.heading.dot(&frame.tangents[0]), c.heading.dot(&frame.tangents[1])];
        let velocity = if c.creeps { heading } else { [frame.velocity[1], frame.velocity[2]] };
        drag(c.friction, velocity, heading)
    }

    /// Accelerations under the forces last found.
    fn accelerations(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.free);
        for (contact, &first) in self.contacts.iter().zip(&self.first) {
            let rows = if contact.has_friction() { 3 } else { 1 };
            for k in 0..rows {
                self.rows.add_response(first + k, contact.force[k], out);
            }
        }
    }

    /// Speed a creeping contact still lacks until it no longer counts as creeping; positive until then.
    pub(super) fn speed_to_creep_end(&self, contact: usize) -> f64 {
        let frame = &self.frames[contact];
        10.0 * CREEP - libm::hypot(frame.velocity[1], frame.velocity[2])
    }

    /// Speed along the heading of a sliding contact above its floor, at the last evaluation.
    pub(super) fn headway(&self, contact: usize) -> f64 {
        let (c, frame) = (&self.contacts[contact], &self.frames[contact]);
        c.heading.dot(&(frame.tangents[0] * frame.velocity[1] + frame.tangents[1] * frame.velocity[2])) - c.floor
    }
}

/// `f` of (2) for a velocity and the heading at the beginning of the step.
pub(super) fn drag(friction: [f64; 2], velocity: [f64; 2], heading: [f64; 2]) -> [f64; 2] {
    if friction == [0.0; 2] {
        return [0.0; 2];
    }
    let along = velocity[0] * heading[0] + velocity[1] * heading[1];
    let sign = if along < 0.0 { -1.0 } else { 1.0 };
    let u = velocity.map(|x| sign * x);
    let size = libm::hypot(friction[0] * u[0], friction[1] * u[1]);
    if size == 0.0 {
        return [0.0; 2];
    }
    [0, 1].map(|k| friction[k] * friction[k] * u[k] / size)
}

/// External efforts and the lasting contacts, as the integrator sees them.
pub(super) struct WithContacts<'a> {
    pub outside: &'a mut dyn Efforts,
    pub held: &'a mut Held,
}

impl Efforts for WithContacts<'_> {
    fn add(&mut self, system: &System, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self.outside.add(system, time, q, v, tau);
    }

    fn wrenches(&self) -> &[veracity_dynamics::BodyWrench] {
        self.outside.wrenches()
    }

    fn accelerations(
        &mut self,
        _: &System,
        time: f64,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<bool, Trouble> {
        if self.held.contacts.is_empty() {
            return Ok(false);
        }
        // A failure here becomes NaN, which the integrator rejects: the step is repeated with a smaller size.
        match self.held.forces_at(self.outside, time, (q, v)) {
            Ok(true) => self.held.accelerations(out),
            _ => {
                self.held.lost = true;
                out.fill(f64::NAN);
            }
        }
        Ok(true)
    }
}
