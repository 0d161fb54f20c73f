//! From contact points, limits, dry friction and loops to the terms of [`super::newton`].
//!
//! A step knows gaps to first order. Where a turning corner or the next point of a rim is found deeper than the last
//! step predicted, no motion has compressed the spring, and it would push the body away with energy that has no source.
//! The unpredicted depth `s` therefore does not act at once:
//!
//! ```text
//! (1)  u ← max(0, u (1 - h / T) + s),      the law uses the gap g + u
//! ```
//!
//! with `T` the time of [`UNFELT_S`]. A new contact uses the prediction for the deepest point of its pair.

use super::friction::FrictionLaw;
use super::memory::{Held, Memory};
use super::newton::{FrictionTerm, NormalTerm, Problem, Row};
use super::normal::{Elastic, Normal, NormalLaw, dissipation_number};
use super::settings::{FrictionKind, PenaltySettings};
use crate::surface::{PairSurface, Surface};
use crate::world::{ContactWorld, middle};
use veracity_collide::ContactPoint;
use veracity_dynamics::{Workspace, blocks, constraint};
use veracity_model::{Pose, Vec3};

/// One contact of the step: indices of its terms.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Index among the points.
    pub point: usize,
    /// Tangents in the world.
    pub tangents: [Vec3; 2],
    /// Its normal term; its first row is the normal's, followed by the tangents and, with torsion or rolling, the
    /// rotations.
    pub normal: usize,
    /// Its frictions among the terms: sliding, spinning, rolling.
    pub frictions: [Option<usize>; 3],
    /// `α` [s/m].
    pub dissipation: f64,
    /// `u` of (1) [m].
    pub unfelt: f64,
}

/// Constants of the terms of a world.
#[derive(Clone, Debug)]
pub struct Stiffness {
    /// Stiffness of contacts whose materials have none [N/m].
    pub contact: f64,
    /// Stiffness of each degree of freedom's limit and bristles [N m/rad or N/m].
    pub dofs: Vec<f64>,
    /// Stiffness of loops [N/m, N m/rad].
    pub loops: f64,
    /// Restitutions used so far, with their dissipation numbers.
    numbers: Vec<(f64, f64)>,
}

/// Time in which unpredicted depth begins to act [s]: a body is lifted out of a tenth of a millimetre at 0.2 mm/s, and
/// a pile that still moves meanwhile loses far more energy than that takes.
const UNFELT_S: f64 = 0.5;

/// Loops are stiffer than contacts by this factor; their deformation is projected away after the step.
const LOOP_FACTOR: f64 = 1e3;

impl Stiffness {
    /// Constants of a world; its workspace is used at the neutral position. `Err` names a degree of freedom without
    /// inertia.
    pub fn new(world: &ContactWorld, ws: &mut Workspace, settings: &PenaltySettings) -> Result<Self, usize> {
        let system = &world.system;
        veracity_dynamics::kinematics::positions(system, ws, system.neutral_positions());
        blocks::prepare(system, ws, None)?;
        let square = settings.rate_per_s * settings.rate_per_s;
        let mut dofs = vec![0.0; system.dof_count()];
        for (index, block) in system.blocks().iter().enumerate() {
            let mut matrix = vec![0.0; block.len * block.len];
            blocks::inertia(system, ws, index, &mut matrix);
            for k in 0..block.len {
                dofs[block.first + k] = square * matrix[k * (block.len + 1)];
            }
        }
        let heaviest = system.block_masses().into_iter().fold(0.0, f64::max);
        let contact = settings.stiffness.unwrap_or(square * heaviest);
        Ok(Self { contact, dofs, loops: LOOP_FACTOR * square * heaviest, numbers: Vec::new() })
    }

    fn number(&mut self, restitution: f64) -> f64 {
        if let Some(&(_, x)) = self.numbers.iter().find(|n| n.0 == restitution) {
            return x;
        }
        let x = dissipation_number(restitution);
        self.numbers.push((restitution, x));
        x
    }

    /// `α` of a contact that begins at a given speed.
    fn dissipation(&mut self, settings: &PenaltySettings, surface: &Surface, speed: f64) -> f64 {
        if surface.dissipation > 0.0 {
            return 1.5 * surface.dissipation;
        }
        let e = surface.restitution.clamp(settings.least_restitution, 1.0);
        self.number(e) / speed.max(settings.least_impact_speed)
    }
}

/// Adds a row over the blocks of two bodies; returns its index.
fn push_row(problem: &mut Problem, blocks: [Option<usize>; 2]) -> usize {
    let mut row = Row::default();
    let same = blocks[0] == blocks[1];
    for (part, block) in row.parts.iter_mut().zip(blocks).take(if same { 1 } else { 2 }) {
        if let Some(block) = block {
            let at = problem.values.len();
            problem.values.resize(at + problem.blocks[block].1, 0.0);
            *part = Some((block, at));
        }
    }
    problem.rows.push(row);
    problem.rows.len() - 1
}

/// Adds the row of a wrench between the two bodies of a point, on the first and its opposite on the second.
fn push_wrench(
    world: &ContactWorld,
    ws: &Workspace,
    problem: &mut Problem,
    point: &ContactPoint,
    wrench: (Vec3, Vec3),
) -> usize {
    let bodies = [point.body_a as usize, point.body_b as usize];
    let blocks = bodies.map(|b| world.blocks[b]);
    let row = push_row(problem, blocks);
    let parts = problem.rows[row].parts;
    let at: [f64; 3] = middle(point).into();
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        // Two bodies of one tree share the first part.
        let part = if blocks[0] == blocks[1] { parts[0] } else { parts[k] };
        if let Some((block, start)) = part {
            let out = &mut problem.values[start..start + problem.blocks[block].1];
            let wrench = (wrench.0.into(), wrench.1.into());
            blocks::add_wrench_row(&world.system, ws, world.places[bodies[k]], at, wrench, sign, out);
        }
    }
    row
}

/// Inputs for the rows of a step.
pub struct Step<'a> {
    /// The world.
    pub world: &'a ContactWorld,
    /// Kinematics at its beginning.
    pub ws: &'a Workspace,
    /// Settings.
    pub settings: &'a PenaltySettings,
    /// Velocities at its beginning.
    pub v: &'a [f64],
    /// Positions at its beginning.
    pub q: &'a [f64],
    /// Memory of contacts and joints.
    pub memory: &'a Memory,
    /// Its size [s].
    pub h: f64,
}

impl Step<'_> {
    fn friction_law(&self, stiffness: f64) -> FrictionLaw {
        match self.settings.friction {
            FrictionKind::Regularised => FrictionLaw::Regularised { slip_speed: self.settings.slip_speed },
            FrictionKind::Bristle => FrictionLaw::Bristle {
                stiffness: stiffness * self.settings.bristle_stiffness,
                relaxation_s: self.settings.bristle_relaxation_s,
            },
        }
    }

    /// Adds a contact.
    pub fn add_contact(
        &self,
        problem: &mut Problem,
        stiffness: &mut Stiffness,
        index: usize,
        point: &ContactPoint,
        poses: &[Pose],
    ) -> Contact {
        let PairSurface { surface, tangents } = self.world.surface_at(point, poses);
        let held = self.memory.find(point.pair, point.feature);
        let zero = Vec3::zeros();
        let row = push_wrench(self.world, self.ws, problem, point, (zero, point.normal));
        let approach = -speed_of_row(problem, row, self.v);
        let dissipation = match held {
            Some(held) => held.dissipation,
            None => stiffness.dissipation(self.settings, &surface, approach),
        };
        let k = if surface.stiffness.is_finite() { surface.stiffness } else { stiffness.contact };
        let law = NormalLaw { stiffness: k, elastic: self.settings.elastic, dissipation };
        let normal = problem.normals.len();
        let unfelt = match held {
            Some(held) => held.unfelt * (1.0 - self.h / UNFELT_S).max(0.0) + held.gap - point.gap,
            None => self.memory.deepest_of(point.pair).unwrap_or(0.0).min(0.0) - point.gap,
        };
        let unfelt = unfelt.max(0.0);
        problem.normals.push(NormalTerm { row, law, gap: point.gap + unfelt, now: Normal::default() });
        let mut contact = Contact { point: index, tangents, normal, frictions: [None; 3], dissipation, unfelt };

        let [t1, t2] = tangents;
        let bends = Bends::new(held, &point.normal, &tangents);
        let largest = surface.friction[0].max(surface.friction[1]);
        if largest > 0.0 {
            let first = push_wrench(self.world, self.ws, problem, point, (zero, t1));
            push_wrench(self.world, self.ws, problem, point, (zero, t2));
            let weights = surface.friction.map(|mu| mu / largest);
            contact.frictions[0] =
                Some(self.push_friction(problem, first, 2, weights, (normal, largest), bends.slide, k));
        }
        if surface.torsion > 0.0 {
            let row = push_wrench(self.world, self.ws, problem, point, (point.normal, zero));
            let weights = [surface.torsion, 0.0];
            contact.frictions[1] =
                Some(self.push_friction(problem, row, 1, weights, (normal, 1.0), [bends.spin, 0.0], k));
        }
        if surface.rolling > 0.0 {
            let first = push_wrench(self.world, self.ws, problem, point, (t1, zero));
            push_wrench(self.world, self.ws, problem, point, (t2, zero));
            let weights = [surface.rolling; 2];
            contact.frictions[2] = Some(self.push_friction(problem, first, 2, weights, (normal, 1.0), bends.roll, k));
        }
        contact
    }

    #[allow(clippy::too_many_arguments)]
    fn push_friction(
        &self,
        problem: &mut Problem,
        row: usize,
        rows: usize,
        weights: [f64; 2],
        bound_by: (usize, f64),
        bend: [f64; 2],
        stiffness: f64,
    ) -> usize {
        let law = self.friction_law(stiffness);
        let now = super::friction::Friction::default();
        problem.frictions.push(FrictionTerm {
            row,
            rows,
            law,
            weights,
            bound_by: Ok(bound_by),
            bound: 0.0,
            bend,
            now,
        });
        problem.frictions.len() - 1
    }

    /// Adds the limits that may be reached in the step.
    pub fn add_limits(&self, problem: &mut Problem, stiffness: &mut Stiffness, free: &[f64]) {
        // A limit has no material: it stops with as little restitution as a force can.
        let least = self.settings.least_restitution;
        for limit in &self.world.limits {
            let speed = self.v[limit.v].abs().max(free[limit.v].abs());
            for (gap, sign) in [(self.q[limit.q] - limit.lower, 1.0), (limit.upper - self.q[limit.q], -1.0)] {
                // Twice the distance the step may cover: other bodies may push it further.
                if gap.is_infinite() || gap > 2.0 * self.h * speed + self.settings.margin_m {
                    continue;
                }
                let row = self.push_dof(problem, limit.v, sign);
                let dissipation = stiffness.number(least) / self.settings.least_impact_speed;
                let law = NormalLaw { stiffness: stiffness.dofs[limit.v], elastic: Elastic::Linear, dissipation };
                problem.normals.push(NormalTerm { row, law, gap, now: Normal::default() });
            }
        }
    }

    /// Adds the dry friction of joints; returns the index of its first term.
    pub fn add_dry_friction(&self, problem: &mut Problem, stiffness: &Stiffness) -> usize {
        let first = problem.frictions.len();
        for &(dof, effort) in &self.world.dry_friction {
            let row = self.push_dof(problem, dof, 1.0);
            let bound = self.h * effort;
            problem.frictions.push(FrictionTerm {
                row,
                rows: 1,
                law: self.friction_law(stiffness.dofs[dof]),
                weights: [1.0, 0.0],
                bound_by: Err(bound),
                bound,
                bend: [self.memory.joints[dof], 0.0],
                now: super::friction::Friction::default(),
            });
        }
        first
    }

    fn push_dof(&self, problem: &mut Problem, dof: usize, sign: f64) -> usize {
        let block = self.world.system.block_of_dof(dof);
        let row = push_row(problem, [Some(block), None]);
        if let Some((block, at)) = problem.rows[row].parts[0] {
            problem.values[at + dof - problem.blocks[block].0] = sign;
        }
        row
    }
}

/// Adds the independent rows of loops as stiff springs, right after [`constraint::choose_basis`].
pub fn add_loops(world: &ContactWorld, ws: &Workspace, problem: &mut Problem, stiffness: f64, relaxation_s: f64) {
    constraint::show_rows(&world.system, ws, &mut |_, residual, entries| {
        let mut blocks = [None; 2];
        for (dof, &x) in entries.iter().enumerate() {
            let block = world.system.block_of_dof(dof);
            let known = x == 0.0 || blocks.contains(&Some(block));
            if let (false, Some(free)) = (known, blocks.iter_mut().find(|b| b.is_none())) {
                *free = Some(block);
            }
        }
        let row = push_row(problem, blocks);
        for &(block, at) in problem.rows[row].parts.iter().flatten() {
            let (first, size) = problem.blocks[block];
            problem.values[at..at + size].copy_from_slice(&entries[first..first + size]);
        }
        problem.frictions.push(FrictionTerm {
            row,
            rows: 1,
            law: FrictionLaw::Bristle { stiffness, relaxation_s },
            weights: [1.0, 0.0],
            bound_by: Err(f64::INFINITY),
            bound: f64::INFINITY,
            bend: [residual, 0.0],
            now: super::friction::Friction::default(),
        });
    });
}

/// Speed along a row.
pub fn speed_of_row(problem: &Problem, row: usize, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &(block, at) in problem.rows[row].parts.iter().flatten() {
        let (first, size) = problem.blocks[block];
        sum += problem.values[at..at + size].iter().zip(&v[first..]).map(|(j, v)| j * v).sum::<f64>();
    }
    sum
}

/// Bristle deflections of a contact in its current tangents.
struct Bends {
    slide: [f64; 2],
    spin: f64,
    roll: [f64; 2],
}

impl Bends {
    /// The normal may have turned since: the deflection is projected into the new tangent plane and keeps its length,
    /// as if carried by the smallest rotation.
    fn new(held: Option<&Held>, normal: &Vec3, tangents: &[Vec3; 2]) -> Self {
        let Some(held) = held else { return Bends { slide: [0.0; 2], spin: 0.0, roll: [0.0; 2] } };
        let lay = |bend: [f64; 3]| {
            let bend = Vec3::from(bend);
            let across = bend - normal * normal.dot(&bend);
            let (old, new) = (bend.norm(), across.norm());
            let kept = if new > 0.0 { across * (old / new) } else { across };
            [kept.dot(&tangents[0]), kept.dot(&tangents[1])]
        };
        Bends { slide: lay(held.slide), spin: held.spin, roll: lay(held.roll) }
    }
}
