//! Time stepping at the level of velocities and impulses (Stewart and Trinkle 1996, Anitescu and Potra 1997).
//!
//! One step of size `h` from `(q, v)`, with contacts found at `q` as far ahead as bodies can move:
//!
//! ```text
//! (1)  u* = u + h M̂⁻¹ (τ - bias)                                    dynamics::free_velocity
//! (2)  w = A λ + J u* + target,   w and λ under each block's law     lcp
//!        normal:  target = gap / h      for gap > 0: the step may close it, not more
//!                          0            where the surfaces touch or overlap (Baumgarte: ratio · gap / h)
//!        tangent: target = 0
//! (3)  u₁ = u* + Y λ,      q₁ = q ⊕ h v₁, or along the mean velocity where contact allows it (`path`)
//! ```
//!
//! All of this is done for each island of bodies that rows couple (`islands`).
//!
//! Where surfaces bounce, a second solve requires `w ≥ -e w⁻` at the instant of the impact (`bounce`). Position errors
//! of overlaps, limits, loops and the anchors of sticking contacts are corrected by displacements before (2), without
//! changing a velocity (`projection`).
//!
//! Energy: with (2), `ΔE = -½ |h f + Jᵀλ|² + w · λ` in the metric of `M⁻¹` for bodies under constant forces, and
//! `w · λ` is never positive. Bounces are limited to the energy a step of their island loses; lifting of overlapping
//! bodies is too, plus what free fall would lose in a step (`spending`). So no step of loose bodies gains energy except
//! by the residual of its solves and by lifting a body at rest.

pub(crate) mod at_impact;
mod bounce;
mod evenly;
pub mod extra;
mod gather;
mod islands;
pub mod kept;
mod memory;
mod path;
mod pressure;
mod projection;
pub mod settings;
mod solve;
mod spending;

pub use settings::{
    Geometry, Impact, PathRule, Precision, Pressure, Regularisation, Stabilisation, SteppingSettings,
};

use crate::paradigm::{Paradigm, Touch};
use crate::rows::{Source, law};
use crate::surface::PairSurface;
use crate::world::{ContactError, ContactWorld};
use gather::Contacts;
use islands::{Current, Islands, Problem};
use memory::Memory;
use solve::Solve;
use veracity_collide::ContactPoint;
use veracity_dynamics::free_velocity::{self, FreeVelocity};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble, Workspace, constraint, row_coordinates};
use veracity_lcp::{Law, SolveReport, Status};
use veracity_model::World;

/// Sliding speed that distinguishes sticking from sliding [m/s]: a contact on the edge of its cone that moves more
/// slowly does not slide.
const STICKS_BELOW: f64 = 1e-9;

/// Time stepping of one world.
pub struct Stepping {
    world: ContactWorld,
    settings: SteppingSettings,
    /// Rows added by the caller to the next steps.
    extra: Vec<extra::Extra>,
    memory: Memory,
    // Results of the last step.
    touches: Vec<Touch>,
    /// The path in joint velocities.
    along: Vec<f64>,
    // The remaining fields are scratch, in order of use.
    /// Size of the current step [s].
    step_s: f64,
    ws: Workspace,
    free: FreeVelocity,
    contacts: Contacts,
    islands: Islands,
    problem: Problem,
    /// The problem of the whole world while `problem` is that of one island.
    whole: Problem,
    current: Current,
    projection: projection::Scratch,
    solve: Solve,
    evenly: evenly::Scratch,
    bounce: bounce::Scratch,
    spending: spending::Scratch,
}

impl Stepping {
    /// Compiles a world for time stepping. On failure, lists everything that is not supported.
    pub fn new(world: &World, settings: SteppingSettings) -> Result<Self, Vec<ContactError>> {
        Self::of_compiled(ContactWorld::new(world)?, settings)
    }

    /// Creates time stepping from a compiled world.
    pub fn of_compiled(world: ContactWorld, settings: SteppingSettings) -> Result<Self, Vec<ContactError>> {
        let unsupported = |subject: String, what: String, hint: &str| {
            vec![ContactError::Unsupported { subject, what, hint: hint.into() }]
        };
        let Some(entry) = veracity_lcp::solver(&settings.solver) else {
            let known: Vec<_> = veracity_lcp::SOLVERS.iter().map(|e| e.name).collect();
            let hint = format!("choose one of {}", known.join(", "));
            return Err(unsupported("solver".into(), format!("'{}'", settings.solver), &hint));
        };
        if settings.sleeping {
            let hint = "switch it off: a body at rest costs one check of its impulses";
            return Err(unsupported("sleeping".into(), "freezing bodies at rest".into(), hint));
        }
        if let Some(refusal) = refused_law(&world, entry, &settings) {
            return Err(vec![refusal]);
        }
        let nv = world.system.dof_count();
        let ws = Workspace::new(&world.system);
        let loops = constraint::constraint_count(&ws).0;
        Ok(Self {
            extra: Vec::new(),
            memory: Memory::new(&world, loops),
            touches: Vec::new(),
            along: vec![0.0; nv],
            step_s: 0.0,
            free: FreeVelocity::new(&world.system),
            contacts: Contacts::new(loops),
            islands: Islands::default(),
            problem: Problem::new(&world),
            whole: Problem::new(&world),
            current: Current::default(),
            projection: projection::Scratch::new(nv),
            solve: Solve::new(entry, &settings),
            evenly: evenly::Scratch::default(),
            bounce: bounce::Scratch::new(&world),
            spending: spending::Scratch::default(),
            ws,
            world,
            settings,
        })
    }

    /// Sets rows that the next steps solve in addition to their own. Impulses are carried over while the number of rows
    /// stays the same.
    pub fn set_extra(&mut self, rows: &[extra::Extra]) {
        self.extra.clear();
        self.extra.extend_from_slice(rows);
    }

    /// The compiled world.
    pub fn world(&self) -> &ContactWorld {
        &self.world
    }

    /// The settings.
    pub fn settings(&self) -> &SteppingSettings {
        &self.settings
    }

    /// Impulses of limits in the last step, lower and upper, in the order of [`ContactWorld::limits`] [N s or N m s].
    pub fn limit_impulses(&self) -> &[[f64; 2]] {
        &self.memory.limit_impulses
    }

    /// The velocity along which positions moved in the last step: the final one or a mean ([`PathRule`]).
    pub fn moved_along(&self) -> &[f64] {
        &self.along
    }

    /// The scratch memory, as the last step left it.
    pub fn workspace(&mut self) -> (&ContactWorld, &mut Workspace) {
        (&self.world, &mut self.ws)
    }

    /// Solves (2) for the whole step and reports the outcome.
    fn solve_velocities(&mut self, state: &State, h: f64, report: &mut StepReport) -> Result<(), Trouble> {
        self.problem.rows.velocities(&self.problem.u, &mut self.current.w_free);
        self.current.b.clear();
        self.current.b.extend_from_slice(&self.current.w_free);
        let ratio = match self.settings.stabilisation {
            Stabilisation::Baumgarte { ratio } => ratio,
            _ => 0.0,
        };
        // A gap too small to be corrected is too small to be closed: divided by the step it would be a significant
        // velocity.
        let closed = projection::WORTH_IT;
        let target = |gap: f64| if gap > closed { (gap - closed) / h } else { ratio * gap.min(0.0) / h };
        for (source, row) in &self.problem.rows.blocks {
            self.current.b[*row as usize] += match *source {
                // A soft contact is an implicit spring: its whole gap counts, overlap too.
                Source::Contact(i) if self.compliance(&self.contacts.pairs[i as usize], h) > 0.0 => {
                    self.contacts.points[i as usize].gap / h
                }
                Source::Contact(i) => target(self.way_to_close(i as usize)),
                Source::Lower(i) => {
                    let limit = &self.world.limits[i as usize];
                    target(state.q[limit.q] - limit.lower)
                }
                Source::Upper(i) => {
                    let limit = &self.world.limits[i as usize];
                    target(limit.upper - state.q[limit.q])
                }
                Source::Held(i) => {
                    let limit = &self.world.limits[i as usize];
                    ratio * (state.q[limit.q] - limit.lower) / h
                }
                Source::Loop(row) => ratio * self.contacts.loop_residuals[row as usize] / h,
                Source::Dry(_) => 0.0,
                Source::Extra(i) => {
                    let extra = &self.extra[i as usize];
                    let one_sided = extra.law == Law::Unilateral;
                    let wanted = extra.gap.map_or(0.0, |gap| if one_sided { target(gap) } else { ratio * gap / h });
                    extra.target + wanted
                }
            };
        }
        let (operator, laws) = (&self.problem.rows.operator, &self.problem.rows.laws);
        let outcome = if self.current.patches && self.solve.is_double() {
            if let Some(outcome) = self.solve.start_is_good(operator, &self.current.b, laws, &self.problem.lambda) {
                note(report, &outcome);
                return Ok(());
            }
            if !self.current.newcomers
                && let Some(outcome) = self.hold_evenly()
            {
                note(report, &outcome);
                return Ok(());
            }
            self.solve_evenly(report);
            let (operator, laws) = (&self.problem.rows.operator, &self.problem.rows.laws);
            if let Some(outcome) = self.solve.is_good(operator, &self.current.b, laws, &self.problem.lambda) {
                note(report, &outcome);
                return Ok(());
            }
            let outcome = self.solve.solve(operator, &self.current.b, laws, &mut self.problem.lambda);
            let held = if outcome.converged() { None } else { self.hold_from_nothing() };
            held.map_or(outcome, |held| SolveReport { iterations: outcome.iterations + held.iterations, ..held })
        } else {
            self.solve.solve_if_needed(operator, &self.current.b, laws, &mut self.problem.lambda)
        };
        note(report, &outcome);
        self.check(&outcome, state.time)
    }

    /// Fails if a result contains NaN or infinity.
    fn check(&self, outcome: &SolveReport, time: f64) -> Result<(), Trouble> {
        let row = match outcome.status {
            Status::NotFinite { row } => row,
            _ => match self.problem.lambda.iter().position(|x| !x.is_finite()) {
                Some(row) => row,
                None => return Ok(()),
            },
        };
        let at = self.problem.rows.blocks.partition_point(|(_, first)| *first as usize <= row);
        let dof = match at.checked_sub(1).map(|i| self.problem.rows.blocks[i].0) {
            Some(Source::Contact(i)) => {
                let point = &self.contacts.points[i as usize];
                let moving = [point.body_a, point.body_b].into_iter().find_map(|b| self.world.blocks[b as usize]);
                moving.map_or(0, |block| self.world.system.blocks()[block].first)
            }
            Some(Source::Lower(i) | Source::Upper(i) | Source::Held(i)) => self.world.limits[i as usize].v,
            Some(Source::Dry(i)) => self.world.dry_friction[i as usize].0,
            _ => 0,
        };
        Err(Trouble::NotFinite { dof, time })
    }

    /// Compliance of a contact's normal row [m/s per N s].
    fn compliance(&self, pair: &PairSurface, h: f64) -> f64 {
        match self.settings.regularisation {
            Regularisation::None => 0.0,
            Regularisation::Surface => 1.0 / (h * h * pair.surface.stiffness),
            Regularisation::Stiffness(k) => 1.0 / (h * h * k),
        }
    }

    /// How far the step may bring a point's surfaces together [m]: its gap, minus the excess over the smallest gap of
    /// its patch, up to `flush_gap`. A
    /// block clamped by faces with more friction than needed to turn it cannot come to lie flat on both: to turn by the
    /// difference of its corners' gaps it would have to slip. Closed to the last bit, such faces hold it at one corner
    /// on either side, on the edge of every cone.
    fn way_to_close(&self, i: usize) -> f64 {
        let point = &self.contacts.points[i];
        let between =
            |body: u32| self.world.blocks[body as usize].is_some() && self.contacts.pairs_of[body as usize] > 1;
        let clamped = between(point.body_a) || between(point.body_b);
        if !self.contacts.in_patches[i].in_patch || !clamped || point.gap <= 0.0 {
            return point.gap;
        }
        let of_pair = |p: &&ContactPoint| p.pair == point.pair;
        let (before, after) = (self.contacts.points[..i].iter().rev(), self.contacts.points[i + 1..].iter());
        let others = before.take_while(of_pair).chain(after.take_while(of_pair));
        let nearest = others.fold(point.gap, |least, p| least.min(p.gap)).max(0.0);
        nearest.max(point.gap - self.settings.flush_gap)
    }
}

/// Whether friction holds a contact with impulse `l` and velocity `w`.
fn sticks(law: &Law, l: &[f64], w: &[f64]) -> bool {
    let mu = match law {
        Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => mu,
        _ => return false,
    };
    if l[0] <= 0.0 || mu[0] <= 0.0 || mu[1] <= 0.0 {
        return false;
    }
    let (x, y) = (l[1] / mu[0], l[2] / mu[1]);
    x * x + y * y < l[0] * l[0] * (1.0 - 1e-9) || w[1] * w[1] + w[2] * w[2] < STICKS_BELOW * STICKS_BELOW
}

fn note(report: &mut StepReport, outcome: &SolveReport) {
    report.iterations += outcome.iterations;
    report.contact_residual = report.contact_residual.max(outcome.residual);
    report.unsolved += u32::from(!outcome.converged());
}

/// The first law of this world that a solver does not support.
fn refused_law(
    world: &ContactWorld,
    entry: &veracity_lcp::SolverEntry,
    settings: &SteppingSettings,
) -> Option<ContactError> {
    let shapes = world.scene.shapes().len();
    let pairs = (0..shapes).flat_map(|a| (a + 1..shapes).map(move |b| (a, b)));
    let touching = pairs.filter(|(a, b)| world.scene.pair_of(*a, *b).is_some());
    let contacts = touching.map(|(a, b)| law(&world.surfaces.of_pair(a as u32, b as u32)));
    let limits = world.limits.iter().map(|l| if l.lower == l.upper { Law::Equal } else { Law::Unilateral });
    let dry = world.dry_friction.iter().map(|_| Law::Between { lowest: -1.0, highest: 1.0 });
    let loops = world.system.is_constrained().then_some(Law::Equal);
    contacts.chain(limits).chain(dry).chain(loops).find_map(|law| {
        (entry.refuses)(&law, settings.cone).map(|why| ContactError::Unsupported {
            subject: format!("solver {}", entry.name),
            what: format!("{law:?}"),
            hint: why.to_string(),
        })
    })
}

impl Paradigm for Stepping {
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, evaluations: 1, ..Default::default() };
        let time = state.time;
        self.step_s = h;
        self.solve.fell_back = false;
        self.projection.begin();
        if self.world.system.is_constrained() {
            let lost = |dof| Trouble::NoInertia { dof, time };
            constraint::choose_rows(&self.world.system, &mut self.ws, &state.q).map_err(lost)?;
        }
        free_velocity::free_velocity(&self.world.system, &mut self.ws, efforts, state, h, &mut self.free)?;
        check_finite(&self.free.velocity, time)?;
        self.find_contacts(state, h)?;
        self.make_rows(state, h);
        row_coordinates::from_velocity(&self.world.system, &self.ws, &state.v, &mut self.problem.u_before);
        row_coordinates::from_velocity(&self.world.system, &self.ws, &self.free.velocity, &mut self.problem.u);
        self.take_warm_start(h);
        self.solve_islands(state, h, &mut report)?;
        // A step whose solver failed counts as unsolved, even though its impulses are good.
        report.unsolved += u32::from(self.solve.fell_back);
        row_coordinates::to_velocity(&self.world.system, &self.ws, &self.problem.u, &mut state.v);
        row_coordinates::to_velocity(&self.world.system, &self.ws, &self.problem.path, &mut self.along);
        check_finite(&state.v, time)?;
        self.forget_impulses();
        self.remember(time + h, h);
        report.contacts = self.projection.contacts;
        if !self.projection.before.is_empty() {
            let before = &self.projection.before;
            free_velocity::keep_centres(&self.world.system, before, &state.q, &mut state.v);
            free_velocity::keep_centres(&self.world.system, before, &state.q, &mut self.along);
        }
        free_velocity::advance_along(&self.world.system, state, &mut self.along, h);
        state.time = time + h;
        check_finite(&state.q, state.time)?;
        Ok(report)
    }

    fn touches(&self) -> &[Touch] {
        &self.touches
    }

    fn memory(&self, out: &mut Vec<f64>) {
        self.memory.write(out);
    }

    fn set_memory(&mut self, memory: &[f64]) -> bool {
        let fits = self.memory.read(memory, &mut self.contacts.fresh);
        if fits {
            self.touches.clear();
        }
        fits
    }
}

/// Fails with the first value that is NaN or infinite.
fn check_finite(values: &[f64], time: f64) -> Result<(), Trouble> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(dof) => Err(Trouble::NotFinite { dof, time }),
    }
}
