//! Processing of an instant: impacts, then which contacts last and in which mode.
//!
//! 1. All points no farther apart than the touching gap are included.
//! 2. If one closes, an impact is solved ([`super::problem`] (1), (2)). It leaves no closing velocity at any of them.
//! 3. Points without normal velocity may last: the problem of accelerations determines which press, which separate,
//!    which of the slow ones stick and in which direction the others slide. A problem without a solution (Painlevé) is
//!    resolved by an impulse, and 3 is repeated.
//! 4. A point that leaves so slowly that it would fall back from less than the least height of bounces is caught: it is
//!    the end of an infinite sequence of bounces, whose accumulation time follows from
//!
//! ```text
//! (1)  t∞ = t + Σ 2 v eᵏ / |a| = t + 2 v / (|a| (1 - e))
//! ```
//!
//! (the sum of the remaining flights) with `v` its velocity after the impact and `a` its acceleration. Averaged over
//! those bounces the normal force is that of rest, and so is friction; the height lost is less than the least height.
//!
//! Known limitation: where more contacts share a load than are needed to carry it and several are at the edge of their
//! cones at once, the equations do not determine which of them slides, and modes may alternate at intervals of
//! microseconds. The same happens to pairs whose nearest points come from an iteration (a cylinder on anything but a
//! plane or a ball) when they touch along a line. Both are slow, not wrong.

use super::EventDriven;
use super::lasting::{Contact, Mode};
use super::log::{ContactEvent, EventKind, Site};
use super::problem::{Part, Touching, lasting};
use super::sites;
use crate::paradigm::Touch;
use veracity_collide::ContactPoint;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, Trouble};
use veracity_lcp::Status;

/// Normal velocity that counts as zero [m/s]: what rounding of an impact and drift of a lasting contact leave.
pub(super) const STILL: f64 = 1e-9;

/// A point closes when it is faster than this [m/s].
const CLOSING: f64 = 1e-10;

/// Short contact time from which the impulse of a jam is computed [s].
const JAM_TIME: f64 = 1e-8;

/// How close to the edge of its cone a force counts as being on it, as a fraction of the cone.
const EDGE: f64 = 1e-9;

/// Acceleration that counts as zero, relative to the largest [m/s²]: what a solver leaves of the problem.
const NO_ACCELERATION: f64 = 1e-9;

/// Why the contacts are resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    /// A new state without known contacts.
    Begin,
    /// A state left by time steps: gaps and closing speeds of their size are artefacts of the steps, not of the motion.
    Captured,
    /// External efforts changed, or an event was located that needs no further cause (an impact).
    Look,
    /// This contact's force vanished.
    Release(Site),
    /// This contact's friction reached its limit.
    Slip(Site),
    /// This contact stopped sliding.
    Stop(Site),
}

/// Scratch for one instant.
#[derive(Default)]
pub(super) struct Scratch {
    points: Vec<ContactPoint>,
    still: Vec<f64>,
    approach: Vec<[f64; 3]>,
    spare: Vec<Contact>,
    caught: Vec<Site>,
}

impl EventDriven {
    /// Determines the contacts at a state; velocities may jump.
    pub(super) fn resolve(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        cause: Cause,
        width: f64,
    ) -> Result<(), Trouble> {
        self.held.prepare(efforts, state.time, (&state.q, &state.v))?;
        let left_over = cause == Cause::Captured;
        self.gather(state, if left_over { self.settings.drift_bound_m } else { self.settings.touch_gap_m })?;
        self.resolving.caught.clear();
        self.judge.rest_speed = if left_over { self.capture.slowest_bounce() } else { self.settings.rest_speed_m_s };
        self.impact(state, width);
        self.judge.rest_speed = self.settings.rest_speed_m_s;
        for _ in 0..8 {
            // Velocities changed, and with them everything except positions.
            self.held.prepare(efforts, state.time, (&state.q, &state.v))?;
            self.place_touching(state);
            let outcome = self.accelerations();
            let size = self.held.free.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            // Far above the residual of any solver on a problem that has a solution.
            if outcome.status != Status::Converged && outcome.residual > 1e-6 * size {
                self.jam(state, width);
                continue;
            }
            if !self.catch(state, width) {
                break;
            }
        }
        self.settle(state, cause, width);
        Ok(())
    }

    /// Collects all touching points, with their rows.
    fn gather(&mut self, state: &State, margin: f64) -> Result<(), Trouble> {
        let held = &mut self.held;
        let scene = &mut held.world.scene;
        scene.judge_guards(&state.q, &state.v);
        self.resolving.still.clear();
        self.resolving.still.resize(held.bodies.poses.len(), 0.0);
        // Lasting contacts may have drifted further than the search distance of new ones.
        let drifted = margin.max(2.0 * self.settings.drift_bound_m.min(1e-3));
        scene
            .find(&held.bodies.poses, &self.resolving.still, drifted, &mut self.resolving.points)
            .map_err(|bad| Trouble::NotFinite { dof: bad.body, time: state.time })?;
        self.judge.clear();
        for i in 0..self.resolving.points.len() {
            let point = self.resolving.points[i];
            let site = Site::Point { pair: point.pair, feature: point.feature };
            let was = held.contacts.iter().find(|c| c.site == site).copied();
            if was.is_none() && point.gap > margin {
                continue;
            }
            let frame = sites::frame_of(&held.world, &point, &held.bodies);
            let surface = held.world.surfaces.of_pair(point.shape_a, point.shape_b);
            self.judge.touching.push(Touching::new(site, frame, surface.friction, surface.restitution, was));
        }
        for (limit, upper) in held.world.limits.iter().flat_map(|l| [(l, false), (l, true)]) {
            let frame = sites::limit_frame(&held.world, limit, upper, (&state.q, &state.v));
            let site = Site::Limit { dof: limit.v as u32, upper };
            let was = held.contacts.iter().find(|c| c.site == site).copied();
            if frame.gap <= if was.is_some() { drifted } else { margin } {
                self.judge.touching.push(Touching::new(site, frame, [0.0; 2], 0.0, was));
            }
        }
        self.place_touching(state);
        Ok(())
    }

    /// Rows, biases and velocities of the touching points, after [`super::held::Held::prepare`].
    fn place_touching(&mut self, state: &State) {
        let (held, judge) = (&mut self.held, &mut self.judge);
        judge.rows.clear();
        for i in 0..judge.touching.len() {
            let first = judge.rows.len();
            let point = &mut judge.touching[i];
            sites::add_bias(&mut held.world, point.site, None, &mut point.frame, &held.ws, &mut held.bodies);
            sites::push_rows(&held.world, point.site, &point.frame, point.has_friction(), &held.ws, &mut judge.rows);
            point.first = first;
        }
        judge.rows.respond(&held.world.system, &held.ws);
        judge.look(&state.v);
    }

    /// Step 2.
    fn impact(&mut self, state: &mut State, width: f64) {
        let closes = |p: &Touching| p.frame.velocity[0] < if p.was.is_some() { -STILL } else { -CLOSING };
        if !self.judge.touching.iter().any(closes) {
            return;
        }
        self.before_impact.clone_from(state);
        self.resolving.approach.clear();
        self.resolving.approach.extend(self.judge.touching.iter().map(|p| p.frame.velocity));
        let outcome = self.judge.impact(&mut state.v, &|_| false);
        self.note_outcome(&outcome.solved);
        self.counts.impacts += 1;
        if outcome.kept < 1.0 {
            self.counts.tempered += 1;
        }
        self.log_impulses(state, width, EventKind::Impact);
    }

    /// Records events and touches of the impulses just computed.
    fn log_impulses(&mut self, state: &State, width: f64, kind: EventKind) {
        let size = |l: &[f64; 3]| l.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // A solver's rounding of a zero impulse.
        let nothing = 1e-12 * self.judge.touching.iter().fold(0.0_f64, |m, p| m.max(size(&p.lambda)));
        for (i, point) in self.judge.touching.iter().enumerate() {
            let before = self.resolving.approach[i];
            if size(&point.lambda) <= nothing {
                continue;
            }
            let sliding = libm::hypot(before[1], before[2]);
            let tangential = libm::hypot(point.lambda[1], point.lambda[2]);
            let kind = if kind == EventKind::Impact && before[0] >= -CLOSING && point.was.is_none() {
                EventKind::Touch
            } else {
                kind
            };
            let bodies = point.frame.bodies.map(|b| b as u32);
            // A lasting contact that only transmits the impulse is in the touches, not in the events.
            if point.was.is_none() || before[0] < -STILL || kind == EventKind::Jam {
                self.events.push(ContactEvent {
                    time: state.time,
                    uncertainty_s: width,
                    kind,
                    site: point.site,
                    bodies,
                    approach: before[0],
                    sliding,
                    normal_impulse: point.lambda[0],
                    tangential_impulse: tangential,
                    gap: point.frame.gap,
                });
            }
            if let Site::Point { feature, .. } = point.site {
                let f = &point.frame;
                let along = |x: &[f64; 3]| f.normal * x[0] + f.tangents[0] * x[1] + f.tangents[1] * x[2];
                self.touches.push(Touch {
                    time: state.time,
                    bodies,
                    feature,
                    point: f.points[0].into(),
                    normal: f.normal.into(),
                    gap: f.gap,
                    approach: before[0],
                    velocity: along(&f.velocity).into(),
                    impulse: along(&point.lambda).into(),
                    sticks: point.has_friction() && libm::hypot(f.velocity[1], f.velocity[2]) < STILL,
                    located: true,
                });
            }
        }
    }

    /// Step 3.
    fn accelerations(&mut self) -> veracity_lcp::SolveReport {
        let stick = self.settings.stick_speed_m_s;
        let may_last = |p: &Touching| p.frame.velocity[0].abs() <= STILL;
        let outcome =
            self.judge.accelerations(&self.held.free, |p| if may_last(p) { lasting(p, stick) } else { Part::Out });
        self.note_outcome(&outcome);
        outcome
    }

    /// Applies a velocity jump where no acceleration solves the problem.
    fn jam(&mut self, state: &mut State, width: f64) {
        self.before_impact.clone_from(state);
        self.resolving.approach.clear();
        self.resolving.approach.extend(self.judge.touching.iter().map(|p| p.frame.velocity));
        let outcome = self.judge.jam(&self.held.free, &mut state.v, JAM_TIME);
        self.note_outcome(&outcome);
        self.counts.jams += 1;
        self.log_impulses(state, width, EventKind::Jam);
    }

    /// Step 4. Returns `true` if a point was caught.
    fn catch(&mut self, state: &mut State, width: f64) -> bool {
        if !self.settings.zeno {
            return false;
        }
        let height = self.settings.zeno_height_m;
        let falls_back = |p: &Touching| {
            let (v, a) = (p.frame.velocity[0], p.w[0]);
            v > STILL && a < 0.0 && v * v < -2.0 * a * height
        };
        if !self.judge.touching.iter().any(falls_back) {
            return false;
        }
        for point in self.judge.touching.iter().filter(|p| falls_back(p)) {
            if self.resolving.caught.contains(&point.site) {
                continue;
            }
            self.resolving.caught.push(point.site);
            let (v, a, e) = (point.frame.velocity[0], point.w[0].abs(), point.restitution);
            self.events.push(ContactEvent {
                time: state.time + if e < 1.0 { 2.0 * v / (a * (1.0 - e)) } else { 0.0 },
                uncertainty_s: width,
                kind: EventKind::Rest,
                site: point.site,
                bodies: point.frame.bodies.map(|b| b as u32),
                approach: v,
                sliding: libm::hypot(point.frame.velocity[1], point.frame.velocity[2]),
                normal_impulse: 0.0,
                tangential_impulse: 0.0,
                gap: point.frame.gap,
            });
        }
        // Caught points stay caught: catching one after the other would make each bounce again.
        let outcome = self.judge.impact(&mut state.v, &|p| self.resolving.caught.contains(&p.site));
        self.note_outcome(&outcome.solved);
        self.counts.caught += 1;
        true
    }

    /// Stores the result: lasting contacts with their modes, and those that have just opened.
    fn settle(&mut self, state: &State, cause: Cause, width: f64) {
        let size = self.judge.touching.iter().fold(0.0_f64, |m, p| m.max(p.lambda[0].abs()));
        // A solver's rounding of a zero force.
        let nothing = 1e-9 * size;
        let old = std::mem::take(&mut self.held.contacts);
        self.memory.open.clear();
        let mut contacts = std::mem::take(&mut self.resolving.spare);
        contacts.clear();
        for point in &self.judge.touching {
            let parts = point.frame.velocity[0].abs() > STILL;
            let released = cause == Cause::Release(point.site) && point.lambda[0] <= nothing;
            let accelerates =
                point.w[0] > NO_ACCELERATION * self.held.free.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            if parts || released || (accelerates && point.lambda[0] <= nothing) {
                self.memory.open.push((point.site, point.frame.gap));
                continue;
            }
            contacts.push(mode_of(point, cause, self.settings.stick_speed_m_s));
        }
        for contact in &old {
            let kind = match contacts.iter().find(|c| c.site == contact.site) {
                None => EventKind::Liftoff,
                Some(now) if now.mode == contact.mode || !contact.has_friction() => continue,
                Some(now) if now.mode == Mode::Slide => EventKind::Slip,
                Some(_) => EventKind::Stick,
            };
            let found = self.judge.touching.iter().find(|p| p.site == contact.site);
            self.events.push(ContactEvent {
                time: state.time,
                uncertainty_s: width,
                kind,
                site: contact.site,
                bodies: found.map_or([0; 2], |p| p.frame.bodies.map(|b| b as u32)),
                approach: found.map_or(0.0, |p| p.frame.velocity[0]),
                sliding: found.map_or(0.0, |p| p.sliding().norm()),
                normal_impulse: 0.0,
                tangential_impulse: 0.0,
                gap: found.map_or(0.0, |p| p.frame.gap),
            });
        }
        self.resolving.spare = old;
        self.held.contacts = contacts;
    }
}

/// The mode in which a lasting point continues.
fn mode_of(point: &Touching, cause: Cause, stick_speed: f64) -> Contact {
    let mut contact = Contact {
        site: point.site,
        mode: Mode::Slide,
        friction: point.friction,
        heading: point.heading,
        force: point.lambda,
        floor: 0.0,
        slack: [0.0; 2],
        creeps: false,
        reference: point.lambda,
        frozen: None,
    };
    let sliding = point.sliding();
    if !point.has_friction() {
        return contact;
    }
    if sliding.norm() > stick_speed {
        contact.heading = sliding.normalize();
        return contact;
    }
    let [_, t1, t2] = point.lambda;
    let across = |a: f64, b: f64| point.frame.tangents[0] * a + point.frame.tangents[1] * b;
    let (force, away) = (across(t1, t2), across(point.w[1], point.w[2]));
    let on_edge = contact.force[0] <= 0.0 || contact.utilisation() > 1.0 - EDGE;
    let slips = on_edge && (away.norm() > NO_ACCELERATION || cause == Cause::Slip(point.site));
    if slips && force.norm() > 0.0 {
        contact.heading = -force.normalize();
    } else if slips && away.norm() > 0.0 {
        contact.heading = away.normalize();
    } else {
        contact.mode = Mode::Stick;
    }
    contact
}
