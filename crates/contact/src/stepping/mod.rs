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

mod bounce;
mod evenly;
pub mod extra;
mod gather;
mod islands;
pub mod kept;
mod path;
mod projection;
pub mod settings;
mod solve;
mod spending;

pub use settings::{Geometry, Impact, PathRule, Precision, Regularisation, Stabilisation, SteppingSettings};

use crate::paradigm::{Paradigm, Touch};
use crate::rows::{Rows, Source, law};
use crate::surface::PairSurface;
use crate::world::{ContactError, ContactWorld, middle};
use kept::{Anchor, Kept};
use solve::Solve;
use veracity_collide::ContactPoint;
use veracity_dynamics::free_velocity::{self, FreeVelocity};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble, Workspace, constraint, row_coordinates};
use veracity_lcp::{Law, SolveReport, Status};
use veracity_model::{Pose, Vec3, World};

/// Sliding speed that distinguishes sticking from sliding [m/s]: a contact on the edge of its cone that moves more
/// slowly does not slide.
const STICKS_BELOW: f64 = 1e-9;

/// Points of a patch whose gaps differ by less than this close together [m], where one of the bodies is near a third. A
/// block clamped by faces with more friction than needed to turn it cannot come to lie flat on both: to turn by the
/// difference of its corners' gaps it would have to slip. Closed to the last bit, such faces hold it at one corner on
/// either side, on the edge of every cone. Corners were 0.1 um apart where two fingers closed on a block; half a
/// micrometre is less than the accuracy to which a body's shape is known.
const FLUSH: f64 = 5e-7;

/// Time stepping of one world.
pub struct Stepping {
    world: ContactWorld,
    settings: SteppingSettings,
    ws: Workspace,
    free: FreeVelocity,
    rows: Rows,
    solve: Solve,
    poses: Vec<Pose>,
    reach: Vec<f64>,
    points: Vec<ContactPoint>,
    pairs: Vec<PairSurface>,
    /// Contacts of the last step, in order of pairs, and of this one.
    kept: Vec<Kept>,
    fresh: Vec<Kept>,
    /// Anchors of this step's contacts and their drift.
    anchors: Vec<Option<Anchor>>,
    drifts: Vec<Vec3>,
    /// Impulses of limits (lower, upper), dry friction and loop rows in the last step.
    limit_impulses: Vec<[f64; 2]>,
    dry_impulses: Vec<f64>,
    loop_impulses: Vec<f64>,
    loop_residuals: Vec<f64>,
    /// Rows added by the caller, and their impulses in the last step.
    extra: Vec<extra::Extra>,
    extra_impulses: Vec<f64>,
    last_h: f64,
    /// Velocities in row coordinates: before, free, after.
    u_before: Vec<f64>,
    u: Vec<f64>,
    /// The velocity along which positions move, and its value for each row.
    path: Vec<f64>,
    w_path: Vec<f64>,
    w_before: Vec<f64>,
    w_free: Vec<f64>,
    w: Vec<f64>,
    b: Vec<f64>,
    lambda: Vec<f64>,
    /// The path in joint velocities.
    along: Vec<f64>,
    /// For each contact, whether it is one of several of its pair.
    in_patches: Vec<InPatch>,
    /// Some patch of the island has a point that was not there in the last step.
    newcomers: bool,
    /// Some pair of the island touches at several points.
    patches: bool,
    /// For each block of velocities, whether its island's start was not good enough in this step, and in the last one.
    unsettled: Vec<bool>,
    was_unsettled: Vec<bool>,
    islands: islands::Islands,
    whole: islands::Whole,
    /// Bodies that could reach each other, and how far the fastest of each such island moves in the step [m].
    reach_islands: Vec<usize>,
    reach_fastest: Vec<f64>,
    soft: Vec<(usize, f64)>,
    b_soft: Vec<f64>,
    /// For each body, the number of its shape pairs that are near each other.
    pairs_of: Vec<u32>,
    least: Vec<f64>,
    least_u: Vec<f64>,
    least_w: Vec<f64>,
    /// Size of the current step [s].
    step_s: f64,
    projection: projection::Room,
    bounce: bounce::Room,
    spending: spending::Room,
    touches: Vec<Touch>,
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
            let hint = format!("there are {}", known.join(", "));
            return Err(unsupported("solver".into(), format!("'{}'", settings.solver), &hint));
        };
        if settings.sleeping {
            let hint =
                "leave it off: bodies at rest cost one check of their impulses, and none is ever frozen in mid-air";
            return Err(unsupported("sleeping".into(), "taking bodies at rest out of the motion".into(), hint));
        }
        if let Some(refusal) = refused_law(&world, entry, &settings) {
            return Err(vec![refusal]);
        }
        let nv = world.system.dof_count();
        let ws = Workspace::new(&world.system);
        let loops = constraint::constraint_count(&ws).0;
        Ok(Self {
            solve: Solve::new(entry, &settings),
            free: FreeVelocity::new(&world.system),
            rows: Rows::new(&world),
            poses: Vec::new(),
            reach: Vec::new(),
            points: Vec::new(),
            pairs: Vec::new(),
            kept: Vec::new(),
            fresh: Vec::new(),
            anchors: Vec::new(),
            drifts: Vec::new(),
            limit_impulses: vec![[0.0; 2]; world.limits.len()],
            dry_impulses: vec![0.0; world.dry_friction.len()],
            loop_impulses: vec![0.0; loops],
            loop_residuals: vec![0.0; loops],
            extra: Vec::new(),
            extra_impulses: Vec::new(),
            last_h: 0.0,
            u_before: vec![0.0; nv],
            u: vec![0.0; nv],
            path: Vec::new(),
            along: vec![0.0; nv],
            w_path: Vec::new(),
            w_before: Vec::new(),
            w_free: Vec::new(),
            w: Vec::new(),
            b: Vec::new(),
            lambda: Vec::new(),
            in_patches: Vec::new(),
            newcomers: false,
            patches: false,
            unsettled: vec![false; world.system.blocks().len()],
            was_unsettled: Vec::new(),
            islands: islands::Islands::default(),
            whole: islands::Whole::new(&world),
            reach_islands: Vec::new(),
            reach_fastest: Vec::new(),
            soft: Vec::new(),
            b_soft: Vec::new(),
            pairs_of: Vec::new(),
            least: Vec::new(),
            least_u: Vec::new(),
            least_w: Vec::new(),
            step_s: 0.0,
            projection: projection::Room::new(nv),
            bounce: bounce::Room::default(),
            spending: spending::Room::default(),
            touches: Vec::new(),
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
        &self.limit_impulses
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
        self.rows.velocities(&self.u, &mut self.w_free);
        self.b.clear();
        self.b.extend_from_slice(&self.w_free);
        let ratio = match self.settings.stabilisation {
            Stabilisation::Baumgarte { ratio } => ratio,
            _ => 0.0,
        };
        // A gap too small to be corrected is too small to be closed: divided by the step it would be a significant
        // velocity.
        let closed = projection::WORTH_IT;
        let target = |gap: f64| if gap > closed { (gap - closed) / h } else { ratio * gap.min(0.0) / h };
        for (source, row) in &self.rows.blocks {
            self.b[*row as usize] += match *source {
                // A soft contact is an implicit spring: its whole gap counts, overlap too.
                Source::Contact(i) if self.compliance(&self.pairs[i as usize], h) > 0.0 => {
                    self.points[i as usize].gap / h
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
                Source::Loop(row) => ratio * self.loop_residuals[row as usize] / h,
                Source::Dry(_) => 0.0,
                Source::Extra(i) => {
                    let extra = &self.extra[i as usize];
                    let one_sided = extra.law == Law::Unilateral;
                    let wanted = extra.gap.map_or(0.0, |gap| if one_sided { target(gap) } else { ratio * gap / h });
                    extra.target + wanted
                }
            };
        }
        let (operator, laws) = (&self.rows.operator, &self.rows.laws);
        let outcome = if self.patches && self.solve.is_double() {
            if let Some(outcome) = self.solve.start_is_good(operator, &self.b, laws, &self.lambda) {
                note(report, &outcome);
                return Ok(());
            }
            if !self.newcomers
                && let Some(outcome) = self.hold_evenly()
            {
                note(report, &outcome);
                return Ok(());
            }
            self.solve_evenly(report);
            let (operator, laws) = (&self.rows.operator, &self.rows.laws);
            if let Some(outcome) = self.solve.is_good(operator, &self.b, laws, &self.lambda) {
                note(report, &outcome);
                return Ok(());
            }
            let outcome = self.solve.solve(operator, &self.b, laws, &mut self.lambda);
            let held = if outcome.converged() { None } else { self.hold_from_nothing() };
            held.map_or(outcome, |held| SolveReport { iterations: outcome.iterations + held.iterations, ..held })
        } else {
            self.solve.solve_if_needed(operator, &self.b, laws, &mut self.lambda)
        };
        note(report, &outcome);
        self.check(&outcome, state.time)
    }

    /// Fails if a result contains NaN or infinity.
    fn check(&self, outcome: &SolveReport, time: f64) -> Result<(), Trouble> {
        let row = match outcome.status {
            Status::NotFinite { row } => row,
            _ => match self.lambda.iter().position(|x| !x.is_finite()) {
                Some(row) => row,
                None => return Ok(()),
            },
        };
        let at = self.rows.blocks.partition_point(|(_, first)| *first as usize <= row);
        let dof = match at.checked_sub(1).map(|i| self.rows.blocks[i].0) {
            Some(Source::Contact(i)) => {
                let point = &self.points[i as usize];
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
    /// its patch, up to [`FLUSH`].
    fn way_to_close(&self, i: usize) -> f64 {
        let point = &self.points[i];
        let between = |body: u32| self.world.blocks[body as usize].is_some() && self.pairs_of[body as usize] > 1;
        let clamped = between(point.body_a) || between(point.body_b);
        if !self.in_patches[i].in_patch || !clamped || point.gap <= 0.0 {
            return point.gap;
        }
        let of_pair = |p: &&ContactPoint| p.pair == point.pair;
        let (before, after) = (self.points[..i].iter().rev(), self.points[i + 1..].iter());
        let others = before.take_while(of_pair).chain(after.take_while(of_pair));
        let nearest = others.fold(point.gap, |least, p| least.min(p.gap)).max(0.0);
        nearest.max(point.gap - FLUSH)
    }

    /// The drift, at this point, of the other points of its pair that stuck before this step.
    fn drift_of_patch(&self, i: usize) -> Option<Vec3> {
        let pair = self.points[i].pair;
        let first = self.points[..i].iter().rposition(|p| p.pair != pair).map_or(0, |k| k + 1);
        let patch = self.points[first..].iter().zip(&self.anchors[first..]).zip(&self.drifts[first..]);
        let patch = patch.take_while(|((p, _), _)| p.pair == pair).filter(|((_, anchor), _)| anchor.is_some());
        let patch = patch.map(|((p, _), drift)| (middle(p), *drift));
        kept::drift_of_patch(patch, &self.points[i].normal, &middle(&self.points[i]))
    }

    /// Records what touched, and what the next step starts from.
    fn remember(&mut self, time: f64, h: f64) {
        self.touches.clear();
        self.fresh.clear();
        let mut touching = 0;
        for (block, (source, first)) in self.rows.blocks.iter().enumerate() {
            let first = *first as usize;
            let law = &self.rows.laws[block];
            let (l, w) = (&self.lambda[first..first + law.rows()], &self.w[first..first + law.rows()]);
            let i = match *source {
                Source::Contact(i) => i as usize,
                Source::Lower(i) => {
                    self.limit_impulses[i as usize][0] = l[0];
                    continue;
                }
                Source::Upper(i) => {
                    self.limit_impulses[i as usize][1] = l[0];
                    continue;
                }
                Source::Held(i) => {
                    self.limit_impulses[i as usize] = [l[0], 0.0];
                    continue;
                }
                Source::Dry(i) => {
                    self.dry_impulses[i as usize] = l[0];
                    continue;
                }
                Source::Loop(row) => {
                    self.loop_impulses[row as usize] = l[0];
                    continue;
                }
                Source::Extra(i) => {
                    self.extra_impulses[i as usize] = l[0];
                    continue;
                }
            };
            let (point, pair) = (&self.points[i], &self.pairs[i]);
            let [t1, t2] = pair.tangents;
            let part = |x: &[f64], k: usize| x.get(k).copied().unwrap_or(0.0);
            let linear = point.normal * l[0] + t1 * part(l, 1) + t2 * part(l, 2);
            let angular = point.normal * part(l, 3) + t1 * part(l, 4) + t2 * part(l, 5);
            let velocity = point.normal * w[0] + t1 * part(w, 1) + t2 * part(w, 2);
            let sticks = sticks(law, l, w);
            touching += u32::from(l[0] > 0.0);
            let (a, b) = (&self.poses[point.body_a as usize], &self.poses[point.body_b as usize]);
            let anchor = (sticks && self.settings.anchor).then(|| {
                self.anchors[i].unwrap_or_else(|| match self.drift_of_patch(i) {
                    Some(s) => Anchor::drifted(a, b, &middle(point), &s),
                    None => Anchor::new(a, b, &middle(point)),
                })
            });
            self.fresh.push(Kept { pair: point.pair, feature: point.feature, linear, angular, anchor });
            self.touches.push(Touch {
                time,
                bodies: [point.body_a, point.body_b],
                feature: point.feature,
                point: middle(point).into(),
                normal: point.normal.into(),
                gap: point.gap + h * self.w_path[first],
                approach: self.w_before[first],
                velocity: velocity.into(),
                impulse: linear.into(),
                sticks,
                located: false,
            });
        }
        std::mem::swap(&mut self.kept, &mut self.fresh);
        self.last_h = h;
        self.projection.contacts = touching;
    }
}

/// Relation of a contact to the others of its pair.
#[derive(Clone, Copy, Debug)]
struct InPatch {
    /// Its pair touches at several points.
    in_patch: bool,
    /// This point was not there in the last step.
    is_new: bool,
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
        row_coordinates::from_velocity(&self.world.system, &self.ws, &state.v, &mut self.u_before);
        row_coordinates::from_velocity(&self.world.system, &self.ws, &self.free.velocity, &mut self.u);
        self.take_warm_start(h);
        self.solve_islands(state, h, &mut report)?;
        // A step whose solver failed counts as unsolved, even though its impulses are good.
        report.unsolved += u32::from(self.solve.fell_back);
        row_coordinates::to_velocity(&self.world.system, &self.ws, &self.u, &mut state.v);
        row_coordinates::to_velocity(&self.world.system, &self.ws, &self.path, &mut self.along);
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
        out.push(self.last_h);
        out.extend(self.unsettled.iter().map(|unsettled| f64::from(u8::from(*unsettled))));
        out.extend(self.limit_impulses.iter().flatten());
        out.extend(&self.dry_impulses);
        out.extend(&self.loop_impulses);
        out.push(self.extra_impulses.len() as f64);
        out.extend(&self.extra_impulses);
        kept::save(&self.kept, out);
    }

    fn set_memory(&mut self, memory: &[f64]) -> bool {
        let (limits, dry, loops) = (self.limit_impulses.len(), self.dry_impulses.len(), self.loop_impulses.len());
        let own = 1 + self.unsettled.len();
        let fixed = own + 2 * limits + dry + loops;
        let Some(&extras) = memory.get(fixed) else { return false };
        if !(extras >= 0.0 && extras <= (memory.len() - fixed - 1) as f64) {
            return false;
        }
        let (head, rest) = memory.split_at(fixed);
        let (extra_impulses, rest) = rest[1..].split_at(extras as usize);
        if kept::load(&mut self.fresh, rest).is_none_or(|left| !left.is_empty()) {
            return false;
        }
        std::mem::swap(&mut self.kept, &mut self.fresh);
        self.last_h = head[0];
        self.unsettled.iter_mut().zip(&head[1..]).for_each(|(to, from)| *to = *from != 0.0);
        for (to, from) in self.limit_impulses.iter_mut().zip(head[own..].chunks_exact(2)) {
            *to = [from[0], from[1]];
        }
        self.dry_impulses.copy_from_slice(&head[own + 2 * limits..own + 2 * limits + dry]);
        self.loop_impulses.copy_from_slice(&head[own + 2 * limits + dry..]);
        self.extra_impulses.clear();
        self.extra_impulses.extend_from_slice(extra_impulses);
        self.touches.clear();
        true
    }
}

/// Fails with the first value that is NaN or infinite.
fn check_finite(values: &[f64], time: f64) -> Result<(), Trouble> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(dof) => Err(Trouble::NotFinite { dof, time }),
    }
}
