//! Penalty (compliant contact): touching bodies are separated by forces, and the step is implicit.
//!
//! [`normal`] and [`friction`] are the laws, each a function of the velocities at the end of the step; [`assemble`]
//! builds their terms from contact points, joint limits, dry friction and loops; [`newton`] solves for the velocities,
//! separately for each of the [`islands`]; [`memory`] stores the state of the bristles. With `v*` the velocity without
//! contact, `M̂` the inertia with the implicit joint terms and `J` the rows:
//!
//! ```text
//! (1)  M̂ (v₁ - v*) = Jᵀ p(J v₁),      q₁ = q₀ ⊕ h v₁
//! ```
//!
//! Geometry (points, normals, `J`, `M̂`) is evaluated at the beginning of the step, forces at its end: backward Euler,
//! of order 1, stable for any stiffness. Under gravity and its own contacts a world of free bodies loses energy in
//! every step, apart from the effect of surface curvature within it.

pub mod adaptive;
pub mod assemble;
pub mod envelope;
pub mod friction;
pub mod islands;
pub mod memory;
pub mod newton;
pub mod normal;
pub mod settings;

pub use settings::{FrictionKind, PenaltySettings};

use crate::paradigm::{Paradigm, Touch};
use crate::world::{ContactError, ContactWorld};
use assemble::{Contact, Step, Stiffness, add_loops, speed_of_row};
use islands::Islands;
use memory::{Held, Memory};
use newton::{Options, Outcome, Problem};
use veracity_collide::ContactPoint;
use veracity_dynamics::free_velocity::{FreeVelocity, advance, free_velocity};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{Efforts, Trouble, Workspace, blocks, constraint, kinematics};
use veracity_model::{Pose, Vec3, World};

/// A step with a larger relative residual of its momentum balance is rejected.
const WORST_RESIDUAL: f64 = 1e-6;

/// A contact whose bodies tilt relative to each other by more than this in a step rolls [rad]: its material points
/// separate by a sixth of the square of the angle times the distance rolled. Below, that is a slip of 2e-7 of the
/// distance.
const ROLLED: f64 = 1e-3;

/// Friction bounds that differ from those of their normal forces by more than this fraction are reported as unsolved.
const MISMATCH: f64 = 1e-6;

/// Fraction of the speed after an impact that may be lost to the size of the step without a warning.
const LOST_RESTITUTION: f64 = 0.01;

/// Impacts too short for the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unresolved {
    /// Number of impacts that lost more than a hundredth of their restitution.
    pub impacts: u64,
    /// `ω` of the shortest impact [1/s]: it lasts `π / ω`.
    pub fastest_per_s: f64,
    /// The largest fraction of the speed after an impact that was lost according to (2) of [`Penalty`]'s count.
    pub lost: f64,
    /// The largest step in which that happened [s].
    pub step_s: f64,
}

impl Unresolved {
    /// A step size that loses at most a hundredth [s].
    pub fn sufficient_step_s(&self) -> f64 {
        -libm::log1p(-LOST_RESTITUTION) * 2.0 / (std::f64::consts::PI * self.fastest_per_s)
    }
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "impacts too short for the step: {}; the shortest lasts {:.1e} s with a step of {:.1e} s, and up to {:.0} % of the \
             rebound speed is lost; use a step of {:.1e} s, step_tolerance=1e-9, a softer contact (rate), or \
             paradigm=stepping or event",
            self.impacts,
            std::f64::consts::PI / self.fastest_per_s,
            self.step_s,
            100.0 * self.lost,
            self.sufficient_step_s()
        )
    }
}

/// The penalty paradigm.
pub struct Penalty {
    world: ContactWorld,
    settings: PenaltySettings,
    stiffness: Stiffness,
    ws: Workspace,
    free: FreeVelocity,
    problem: Problem,
    solver: Islands,
    memory: Memory,
    /// Memory that the current step will leave.
    next: Memory,
    poses: Vec<Pose>,
    reach: Vec<f64>,
    points: Vec<ContactPoint>,
    contacts: Vec<Contact>,
    touches: Vec<Touch>,
    end: State,
    outcome: Outcome,
    /// Largest residual of the last step's parts, and the number of parts.
    left: f64,
    parts: u64,
    unresolved: Unresolved,
    /// Scratch for the response of one row.
    response: Vec<f64>,
    adaptive: adaptive::Scratch,
}

impl Penalty {
    /// Compiles a world for penalty contact. On failure, lists everything that is not supported.
    pub fn new(world: &World, settings: PenaltySettings) -> Result<Self, Vec<ContactError>> {
        let refuse = |subject: &str, what: String, hint: &str| {
            vec![ContactError::Unsupported { subject: subject.into(), what, hint: hint.into() }]
        };
        if let Some(problem) = settings.problem() {
            return Err(refuse("settings of paradigm=penalty", problem, "correct the setting"));
        }
        let world = ContactWorld::new(world)?;
        let mut ws = Workspace::new(&world.system);
        let stiffness = Stiffness::new(&world, &mut ws, &settings).map_err(|dof| {
            let body = world.body_of_dof(dof).unwrap_or("the world").to_string();
            refuse(&body, "a degree of freedom without inertia".into(), "give mass to the body it moves")
        })?;
        let n = world.system.dof_count();
        let joints = vec![0.0; n];
        Ok(Self {
            free: FreeVelocity::new(&world.system),
            memory: Memory { joints: joints.clone(), ..Memory::default() },
            next: Memory { joints, ..Memory::default() },
            problem: Problem::default(),
            solver: Islands::default(),
            poses: Vec::new(),
            reach: Vec::new(),
            points: Vec::new(),
            contacts: Vec::new(),
            touches: Vec::new(),
            end: State { time: 0.0, q: world.system.neutral_positions().to_vec(), v: vec![0.0; n] },
            outcome: Outcome::default(),
            left: 0.0,
            parts: 0,
            unresolved: Unresolved::default(),
            response: Vec::new(),
            adaptive: adaptive::Scratch::default(),
            world,
            settings,
            stiffness,
            ws,
        })
    }

    /// The world it moves.
    pub fn world(&self) -> &ContactWorld {
        &self.world
    }

    /// How the last step's equations were solved.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Energy in contacts, limits and bristles at the end of the last step [J].
    pub fn stored_energy(&self) -> f64 {
        self.memory.stored
    }

    /// Work of geometry since the beginning [J]: energy in contacts at the beginning of each step, minus that at the
    /// end of the step before, summed. A step knows gaps to first order; where a turning corner is deeper than
    /// predicted, a spring is compressed without work of the bodies.
    pub fn work_of_geometry(&self) -> f64 {
        self.memory.geometry
    }

    /// Relative residual of the momentum balance in the last step; the worst of its parts.
    pub fn residual(&self) -> f64 {
        self.left
    }

    /// Steps taken since construction, counting every part of a divided step and rejected attempts.
    pub fn substeps(&self) -> u64 {
        self.parts
    }

    /// Impacts since construction for whose restitution the step is too large.
    pub fn unresolved(&self) -> Unresolved {
        self.unresolved
    }

    /// Counts the impacts of the step whose restitution it cannot resolve, before its contacts become the memory.
    ///
    /// With `m` the effective inertia of a contact's normal row and `k` its stiffness, an impact lasts `π / ω`,
    /// `ω² = k / m`. Backward Euler multiplies a vibration by `1 - ω² h² / 2` in each of these `π / (ω h)` steps: the
    /// body leaves with
    ///
    /// ```text
    /// (2)  e · exp(-π ω h / 2)     of its speed, and not with e
    /// ```
    fn count_unresolved(&mut self, state: &State, h: f64) {
        for contact in &self.contacts {
            let point = &self.points[contact.point];
            let normal = &self.problem.normals[contact.normal];
            let begins = normal.now.impulse > 0.0 && self.memory.find(point.pair, point.feature).is_none();
            let speed = -speed_of_row(&self.problem, normal.row, &state.v);
            let bounces = self.world.surfaces.of_pair(point.shape_a, point.shape_b).restitution > 0.0;
            if !(begins && bounces && speed > self.settings.least_impact_speed) {
                continue;
            }
            let mut mobility = 0.0;
            for &(block, at) in self.problem.rows[normal.row].parts.iter().flatten() {
                let row = &self.problem.values[at..at + self.problem.blocks[block].1];
                self.response.clear();
                self.response.extend_from_slice(row);
                blocks::respond(&self.world.system, &self.ws, block, &mut self.response);
                mobility += row.iter().zip(&self.response).map(|(j, y)| j * y).sum::<f64>();
            }
            let omega = (normal.law.stiffness * mobility).sqrt();
            let kept = libm::exp(-0.5 * std::f64::consts::PI * omega * h);
            if kept < 1.0 - LOST_RESTITUTION {
                let seen = &mut self.unresolved;
                if seen.impacts == 0 || omega > seen.fastest_per_s {
                    seen.fastest_per_s = omega;
                }
                seen.impacts += 1;
                seen.lost = seen.lost.max(1.0 - kept);
                seen.step_s = seen.step_s.max(h);
            }
        }
    }

    /// Fills the problem of the step that begins at `state`.
    fn assemble(&mut self, efforts: &mut dyn Efforts, state: &State, h: f64) -> Result<(), Trouble> {
        let no_inertia = |dof| Trouble::NoInertia { dof, time: state.time };
        let system = &self.world.system;
        let p = &mut self.problem;
        p.rows.clear();
        p.values.clear();
        p.normals.clear();
        p.frictions.clear();
        p.blocks.clear();
        p.blocks.extend(system.blocks().iter().map(|b| (b.first, b.len)));
        if system.is_constrained() {
            constraint::choose_basis(system, &mut self.ws, &state.q).map_err(no_inertia)?;
            add_loops(&self.world, &self.ws, p, self.stiffness.loops, self.settings.bristle_relaxation_s);
        }
        free_velocity(system, &mut self.ws, efforts, state, h, &mut self.free)?;
        p.push.clear();
        p.push.resize(system.dof_count(), 0.0);
        p.inertia.clear();
        p.inertia_start.clear();
        for (index, block) in system.blocks().iter().enumerate() {
            let at = p.inertia.len();
            p.inertia_start.push(at);
            p.inertia.resize(at + block.len * block.len, 0.0);
            blocks::inertia(system, &self.ws, index, &mut p.inertia[at..]);
        }

        let world = &mut self.world;
        world.poses(&self.ws, &mut self.poses);
        world.reaches(&self.ws, h, &mut self.reach);
        if !world.scene.guards().is_empty() {
            world.scene.judge_guards(&state.q, &state.v);
        }
        world.scene.find(&self.poses, &self.reach, self.settings.margin_m, &mut self.points).map_err(|lost| {
            let block = world.blocks[lost.body];
            Trouble::NotFinite { dof: block.map_or(0, |b| world.system.blocks()[b].first), time: state.time }
        })?;
        // Memory is looked up by pair and feature.
        self.points.sort_unstable_by_key(|p| (p.pair, p.feature));
        let step = Step {
            world: &self.world,
            ws: &self.ws,
            settings: &self.settings,
            v: &state.v,
            q: &state.q,
            memory: &self.memory,
            h,
        };
        self.contacts.clear();
        for (index, point) in self.points.iter().enumerate() {
            self.contacts.push(step.add_contact(p, &mut self.stiffness, index, point, &self.poses));
        }
        step.add_limits(p, &mut self.stiffness, &self.free.velocity);
        Ok(())
    }

    /// Stores memory and touches of each contact, from the solution.
    fn remember(&mut self, state: &State, h: f64, first_joint_friction: usize) {
        let (problem, w) = (&self.problem, self.solver.row_speeds());
        self.next.contacts.clear();
        self.touches.clear();
        let mut stored = 0.0;
        for contact in &self.contacts {
            let point = &self.points[contact.point];
            let normal = &problem.normals[contact.normal];
            let speed = w[normal.row];
            let gap = normal.gap + h * speed;
            let raw = gap - contact.unfelt;
            let [t1, t2] = contact.tangents;
            let mut held = Held {
                pair: point.pair,
                feature: point.feature,
                dissipation: contact.dissipation,
                gap: raw,
                unfelt: contact.unfelt,
                ..Default::default()
            };
            let mut impulse = point.normal * normal.now.impulse;
            let mut velocity = point.normal * speed;
            let mut sticks = false;
            for (kind, term) in contact.frictions.iter().enumerate() {
                let Some(term) = term.map(|t| &problem.frictions[t]) else { continue };
                let slip = term.slip(w);
                let bend = term.law.bend_after(h, term.weights, term.bend, slip, &term.now);
                stored += term.law.energy(term.weights, bend);
                match kind {
                    0 => {
                        impulse += t1 * term.now.impulse[0] + t2 * term.now.impulse[1];
                        velocity += t1 * slip[0] + t2 * slip[1];
                        sticks = term.now.sticks && term.bound > 0.0;
                        held.slide = (t1 * bend[0] + t2 * bend[1]).into();
                    }
                    1 => held.spin = bend[0],
                    _ => held.roll = (t1 * bend[0] + t2 * bend[1]).into(),
                }
            }
            stored += normal.law.energy(-gap);
            if normal.now.impulse > 0.0 || raw <= 0.0 {
                self.next.contacts.push(held);
            }
            self.touches.push(Touch {
                time: state.time + h,
                bodies: [point.body_a, point.body_b],
                feature: point.feature,
                point: crate::world::middle(point).into(),
                normal: point.normal.into(),
                gap: raw,
                approach: speed_of_row(problem, normal.row, &state.v),
                velocity: velocity.into(),
                impulse: impulse.into(),
                sticks,
                located: false,
            });
        }
        for limit in &problem.normals[self.contacts.len()..] {
            stored += limit.law.energy(-(limit.gap + h * w[limit.row]));
        }
        for (&(dof, _), term) in self.world.dry_friction.iter().zip(&problem.frictions[first_joint_friction..]) {
            let bend = term.law.bend_after(h, term.weights, term.bend, term.slip(w), &term.now);
            stored += term.law.energy(term.weights, bend);
            self.next.joints[dof] = bend[0];
        }
        self.next.stored = stored;
    }

    /// Energy in contacts, limits and bristles at the beginning of the step.
    fn stored_at_beginning(&self, first_joint_friction: usize) -> f64 {
        let problem = &self.problem;
        let normals: f64 = problem.normals.iter().map(|n| n.law.energy(-n.gap)).sum();
        let of_contacts = self.contacts.iter().flat_map(|c| c.frictions.iter().flatten().copied());
        let of_joints = first_joint_friction..problem.frictions.len();
        let bristles = of_contacts.chain(of_joints).map(|i| &problem.frictions[i]);
        normals + bristles.map(|f| f.law.energy(f.weights, f.bend)).sum::<f64>()
    }

    /// Completes the deflections after the kinematics of the end of the step. A deflection is the distance between two
    /// material points, so a sticking contact gets the actual separation of its points, not `h w` of the geometry at
    /// the beginning: a body on a joint moves along its arc and a free one along the tangent. A deflection belongs to
    /// the surfaces and turns with the mean spin of the two bodies about the normal.
    fn carry_bends(&mut self, h: f64) {
        // Touches are stored for every contact, in this order too.
        let mut contacts = self.contacts.iter().map(|c| &self.points[c.point]).zip(&self.touches);
        for held in &mut self.next.contacts {
            // Both lists are in the same order.
            let Some((point, touch)) =
                contacts.by_ref().find(|(p, _)| (p.pair, p.feature) == (held.pair, held.feature))
            else {
                return;
            };
            let motion = |body: u32| body_motion(&self.ws, self.world.places[body as usize]);
            let [a, b] = [point.body_a, point.body_b].map(motion);
            let across = |x: Vec3| x - point.normal * point.normal.dot(&x);
            let rolled = h * across(a.angular_velocity - b.angular_velocity).norm();
            if touch.sticks && rolled <= ROLLED {
                let at = nalgebra::Point3::from(crate::world::middle(point));
                let moved = |body: u32, end: &Pose| (end * (self.poses[body as usize].inverse() * at)).coords;
                let apart = moved(point.body_a, &a.world_from_body) - moved(point.body_b, &b.world_from_body);
                let bend = Vec3::from(held.slide) + across(apart - h * Vec3::from(touch.velocity));
                held.slide = bend.into();
            }
            let angle = 0.5 * h * point.normal.dot(&(a.angular_velocity + b.angular_velocity));
            let (sin, cos) = libm::sincos(angle);
            let turn = |bend: [f64; 3]| -> [f64; 3] {
                let bend = Vec3::from(bend);
                (bend * cos + point.normal.cross(&bend) * sin).into()
            };
            held.slide = turn(held.slide);
            held.roll = turn(held.roll);
        }
    }

    /// One step of exactly `h`.
    fn fixed_step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<StepReport, Trouble> {
        self.parts += 1;
        finite(&state.q, &state.v, state.time)?;
        self.assemble(efforts, state, h)?;
        finite(&[], &self.free.velocity, state.time)?;
        let step = Step {
            world: &self.world,
            ws: &self.ws,
            settings: &self.settings,
            v: &state.v,
            q: &state.q,
            memory: &self.memory,
            h,
        };
        let first_joint_friction = step.add_dry_friction(&mut self.problem, &self.stiffness);
        self.end.clone_from(state);
        let options = Options { step_s: h, tolerance: self.settings.tolerance, iterations: self.settings.iterations };
        self.outcome = self
            .solver
            .solve(&mut self.problem, &options, &self.free.velocity, &mut self.end.v)
            .map_err(|dof| Trouble::NoInertia { dof, time: state.time })?;
        if self.outcome.residual.is_nan() || self.outcome.residual > WORST_RESIDUAL {
            finite(&[], &self.end.v, state.time)?;
            return Err(Trouble::NotConverged { time: state.time, residual: self.outcome.residual });
        }
        self.left = self.left.max(self.outcome.residual);
        // Steps with error control need no warning, and are attempted at sizes that are not kept.
        if self.settings.step_tolerance.is_none() {
            self.count_unresolved(state, h);
        }
        self.remember(state, h, first_joint_friction);
        self.next.geometry =
            self.memory.geometry + self.stored_at_beginning(first_joint_friction) - self.memory.stored;
        advance(&self.world.system, &mut self.end, h);
        self.end.time = state.time + h;
        kinematics::normalise(&self.world.system, &mut self.end.q);
        let mut report = StepReport {
            taken_s: h,
            evaluations: 1,
            iterations: self.outcome.iterations,
            contacts: self.problem.normals[..self.contacts.len()].iter().filter(|n| n.now.impulse > 0.0).count()
                as u32,
            unsolved: u32::from(self.outcome.friction_mismatch > MISMATCH),
            ..Default::default()
        };
        if self.world.system.is_constrained() {
            let lost = |dof| Trouble::NoInertia { dof, time: state.time };
            let (system, ws, end) = (&self.world.system, &mut self.ws, &mut self.end);
            report.constraint_residual =
                constraint::project_positions(system, ws, &mut end.q).map_err(lost)?.residual;
            constraint::project_velocities(system, ws, &end.q, &mut end.v).map_err(lost)?;
        }
        finite(&self.end.q, &self.end.v, state.time)?;
        if self.settings.friction == FrictionKind::Bristle && !self.next.contacts.is_empty() {
            kinematics::velocities(&self.world.system, &mut self.ws, &self.end.q, &self.end.v);
            self.carry_bends(h);
        }
        // Nothing of a failed step is kept: state and memory change here, together.
        state.clone_from(&self.end);
        std::mem::swap(&mut self.memory, &mut self.next);
        Ok(report)
    }
}

impl Paradigm for Penalty {
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, limit_s: f64) -> Result<StepReport, Trouble> {
        self.left = 0.0;
        match self.settings.step_tolerance {
            None => self.whole_step(efforts, state, limit_s),
            Some(tolerance) => self.adaptive_step(efforts, state, limit_s, tolerance),
        }
    }

    fn touches(&self) -> &[Touch] {
        &self.touches
    }

    fn stored_energy(&self) -> f64 {
        self.memory.stored
    }

    fn warnings(&self, out: &mut Vec<String>) {
        if self.unresolved.impacts > 0 {
            out.push(self.unresolved.to_string());
        }
    }

    fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.adaptive.next_s);
        self.memory.write(out);
    }

    fn set_memory(&mut self, memory: &[f64]) -> bool {
        match memory.split_first() {
            Some((&next_s, rest)) if next_s >= 0.0 && self.memory.read(rest) => {
                self.adaptive.next_s = next_s;
                true
            }
            _ => false,
        }
    }
}

/// Fails with the first value that is NaN or infinite.
fn finite(q: &[f64], v: &[f64], time: f64) -> Result<(), Trouble> {
    match v.iter().chain(q).position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Trouble::NotFinite { dof: at.min(v.len().saturating_sub(1)), time }),
    }
}
