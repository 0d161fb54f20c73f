//! One smooth piece of motion, from its beginning to the event that ends it.
//!
//! ```text
//! (1)  contacts: found or resolved again; impact and drift errors removed       begin
//! (2)  a step of the integrator with the forces of the lasting contacts         piece
//! (3)  the first event in it, located; the contacts are updated                 happen
//! (4)  rejected, if contacts separated or energy was gained without a source    held_together, has_gained
//! ```

use super::held::{self, WithContacts};
use super::lasting::Mode;
use super::log::Site;
use super::resolve::Cause;
use super::settings::Smooth;
use super::watch::Watch;
use super::{EventDriven, capture};
use crate::paradigm::Touch;
use veracity_dynamics::energy::energy;
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble};

/// The smallest horizon after an event [s].
const SHORTEST: f64 = 1e-6;

/// Velocities along constrained directions are removed when a piece begins with faster ones, left by an impact or a
/// fall-back; relative to the error allowed in a step: 1e-10 m/s for the default. A body that carries its whole weight
/// on such a contact would otherwise rise at that speed for as long as it rests.
const CREEPS: f64 = 1e2;

/// A lasting contact whose normal moves faster than this at the beginning of a piece is resolved again; relative to the
/// error allowed in a step: 1e-8 m/s for the default.
const STRAYS: f64 = 1e4;

/// A piece in which a normal moves faster than this was not followed correctly; likewise, 1e-6 m/s.
const LOST: f64 = 1e6;

/// A piece that gained more energy than this without external efforts was not followed correctly either; relative to
/// the present energy and the error allowed in a step: 5e-11 for the default. Contacts only dissipate energy.
const GAINED: f64 = 50.0;

/// Fraction of the kinetic energy of the touching bodies that correcting drift may cost.
const MOST_SLOWED: f64 = 1e-3;

/// The longest step with a contact whose position comes from an iteration (`frame.rs`) [s].
const LONGEST_ROUGH: f64 = 1e-3;

/// Scratch for one smooth piece.
pub(super) struct Scratch {
    acting: Vec<f64>,
    /// The state at the beginning of the step, before and after its smooth part, and at an instant inside it.
    pub start: State,
    pub before: State,
    pub end: State,
    pub probe: State,
    /// The integrator has dense output of the piece.
    pub dense: bool,
    /// Memory of the integrator before and after the piece.
    pub memory: Vec<f64>,
    after: Vec<f64>,
    /// Forces of the lasting contacts in the middle of the piece; empty if unknown.
    pub middle: Vec<[f64; 3]>,
}

impl Scratch {
    pub fn new(state: State) -> Self {
        Self {
            acting: Vec::new(),
            start: state.clone(),
            before: state.clone(),
            end: state.clone(),
            probe: state,
            dense: false,
            memory: Vec::new(),
            after: Vec::new(),
            middle: Vec::new(),
        }
    }
}

impl EventDriven {
    /// Corrects the drift of lasting contacts where it is too large, if the touching bodies move fast enough to pay for
    /// the lifting: all their velocities are reduced by the same fraction, which leaves the mode of every contact,
    /// sticking or sliding, unchanged.
    fn take_back_drift(&mut self, state: &mut State) -> bool {
        self.piece.probe.clone_from(state);
        if !self.held.take_back_drift(&mut state.q, self.settings.drift_bound_m) {
            return false;
        }
        let mut energy_of = |q: &[f64], v: &[f64]| energy(&self.system, &mut self.ws, q, v);
        let before = energy_of(&self.piece.probe.q, &self.piece.probe.v).total();
        let after = energy_of(&state.q, &state.v);
        let lift = after.total() - before;
        if lift > 0.0 {
            // The share of the touching bodies in the kinetic energy: the others keep their velocity.
            self.held.scale_touching(&mut self.piece.probe.v, 0.0);
            let theirs = after.kinetic - energy_of(&state.q, &self.piece.probe.v).kinetic;
            if lift > MOST_SLOWED * theirs {
                state.q.copy_from_slice(&self.piece.probe.q);
                return false;
            }
            self.held.scale_touching(&mut state.v, (1.0 - lift / theirs).sqrt());
        }
        self.counts.corrections += 1;
        self.counts.lifted_j += lift.max(0.0);
        true
    }

    /// Contacts at the beginning of a step: found anew in a new state, resolved again in a known one because the
    /// external efforts may have changed.
    pub(super) fn begin(&mut self, efforts: &mut dyn Efforts, state: &mut State) -> Result<(), Trouble> {
        let same = self.memory.known.as_ref().is_some_and(|k| k.q == state.q && k.v == state.v);
        if !same {
            self.held.contacts.clear();
            self.memory.open.clear();
            self.memory.horizon = f64::INFINITY;
            let cause = if self.capture.just_left { Cause::Captured } else { Cause::Begin };
            self.capture.just_left = false;
            self.resolve(efforts, state, cause, 0.0)?;
            self.events.clear();
        }
        let (mut corrected, mut straightened, mut stilled) = (false, false, false);
        for _ in 0..8 {
            if self.held.begin(efforts, state.time, (&state.q, &state.v))? {
                let nothing = held::NOTHING * self.held.largest_force();
                let wrong = self.held.contacts.iter().find_map(|c| {
                    if c.force[0] < -nothing {
                        return Some(Cause::Release(c.site));
                    }
                    let sticks = c.mode == Mode::Stick && c.has_friction();
                    (sticks && c.left_of_cone() < -nothing).then_some(Cause::Slip(c.site))
                });
                if !corrected && self.take_back_drift(state) {
                    corrected = true;
                    continue;
                }
                // A contact whose position comes from an iteration may be found elsewhere than it was kept; forces on a
                // separating point would do work.
                let strayed = !straightened && self.held.fastest_normal() > STRAYS * self.allowed_error();
                straightened |= strayed;
                if let Some(cause) = wrong.or(strayed.then_some(Cause::Look)) {
                    self.resolve(efforts, state, cause, 0.0)?;
                    continue;
                }
                let creeps = !stilled && self.held.fastest_held() > CREEPS * self.allowed_error();
                stilled |= creeps;
                if !(creeps && self.held.take_away_held_velocities(&mut state.v)) {
                    return Ok(());
                }
            } else {
                self.resolve(efforts, state, Cause::Look, 0.0)?;
            }
        }
        // The last resolution has chosen other contacts: without rows of their own they would be followed along those
        // of the previous ones.
        if self.held.begin(efforts, state.time, (&state.q, &state.v))? {
            return Ok(());
        }
        Err(Trouble::NotConverged { time: state.time, residual: self.held.fastest_normal() })
    }

    /// Adds the impulses of the lasting contacts over the step to the touches: the integral of their forces by
    /// Simpson's rule where the integrator has a dense output, by the mean of both ends where it has none or the step
    /// was cut.
    fn touch_lasting(&mut self, efforts: &mut dyn Efforts, state: &State, taken: f64) -> Result<(), Trouble> {
        if self.held.contacts.is_empty() || taken == 0.0 {
            return Ok(());
        }
        // The forces at the middle were stored during the search (`search`).
        if !self.piece.dense {
            self.piece.middle.clear();
        }
        self.held.forces_at(efforts, state.time, (&state.q, &state.v))?;
        for (i, (contact, frame)) in self.held.contacts.iter().zip(&self.held.frames).enumerate() {
            let Site::Point { feature, .. } = contact.site else { continue };
            let along = |x: &[f64; 3]| frame.normal * x[0] + frame.tangents[0] * x[1] + frame.tangents[1] * x[2];
            let mean = [0, 1, 2].map(|k| {
                let ends = 0.5 * (contact.reference[k] + contact.force[k]);
                self.piece.middle.get(i).map_or(ends, |m| (ends + 2.0 * m[k]) / 3.0)
            });
            self.touches.push(Touch {
                time: state.time,
                bodies: frame.bodies.map(|b| b as u32),
                feature,
                point: frame.points[0].into(),
                normal: frame.normal.into(),
                gap: frame.gap,
                approach: frame.velocity[0],
                velocity: along(&frame.velocity).into(),
                impulse: (along(&mean) * taken).into(),
                sticks: contact.mode == Mode::Stick && contact.has_friction(),
                located: false,
            });
        }
        Ok(())
    }

    /// Relative error allowed in a step; a fixed step has no such bound.
    fn allowed_error(&self) -> f64 {
        match self.settings.integrator {
            Smooth::Dop853 => self.settings.relative_tolerance,
            Smooth::Rk4 => f64::INFINITY,
        }
    }

    /// Lasting contacts that separated or penetrated in a piece were not followed correctly: the contact point of a
    /// coin that lies nearly flat runs round its rim faster than any step resolves. Their forces would do work.
    fn held_together(&self, state: &State) -> Result<(), Trouble> {
        let fastest = self.held.fastest_normal();
        if fastest <= LOST * self.allowed_error() || self.settings.capture_s == 0.0 {
            return Ok(());
        }
        Err(Trouble::NotConverged { time: state.time, residual: fastest })
    }

    /// Whether energy was gained without a source since the step began: positions that come from an iteration may jump
    /// between two evaluations, and a force that follows them then does work that does not show in any contact
    /// velocity.
    pub(super) fn has_gained(&mut self, efforts: &mut dyn Efforts, state: &State) -> Option<Trouble> {
        let allowed = GAINED * self.allowed_error();
        if self.settings.capture_s == 0.0 || !allowed.is_finite() || !efforts.wrenches().is_empty() {
            return None;
        }
        self.piece.acting.clear();
        self.piece.acting.resize(self.system.dof_count(), 0.0);
        for s in [&self.piece.start, state] {
            efforts.add(&self.system, s.time, &s.q, &s.v, &mut self.piece.acting);
            if self.piece.acting.iter().any(|tau| *tau != 0.0) {
                return None;
            }
        }
        let before = energy(&self.system, &mut self.ws, &self.piece.start.q, &self.piece.start.v);
        let after = energy(&self.system, &mut self.ws, &state.q, &state.v);
        let (gained, at_hand) = (after.total() - before.total(), after.kinetic + after.gravity.abs() + after.elastic);
        (gained > allowed * at_hand).then_some(Trouble::NotConverged { time: state.time, residual: gained / at_hand })
    }

    /// Takes one smooth piece, up to the event that ends it; `None` if an island is too large to be followed.
    pub(super) fn piece(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit_s: f64,
    ) -> Result<Option<StepReport>, Trouble> {
        self.begin(efforts, state)?;
        if self.settings.capture_s > 0.0 && self.held.largest_island() > capture::LARGEST {
            return Ok(None);
        }
        self.piece.before.clone_from(state);
        self.piece.memory.clear();
        self.integrator.memory(&mut self.piece.memory);
        let mut size = limit_s.min(self.memory.horizon);
        // Frozen contacts must not be used for long.
        if self.held.contacts.iter().any(|c| c.frozen.is_some()) {
            size = size.min(LONGEST_ROUGH);
        }
        if self.settings.integrator == Smooth::Rk4 {
            let step = self.settings.step_s;
            // Avoids leaving a tiny remainder of a step.
            size = if limit_s < step * (1.0 + 1e-9) { limit_s } else { step };
        }
        let mut outside = WithContacts { outside: &mut *efforts, held: &mut self.held };
        let mut report = self.integrator.step(&self.system, &mut self.ws, &mut outside, state, size)?;
        self.counts.steps += 1;
        self.counts.evaluations += u64::from(report.evaluations);
        let taken = report.taken_s;
        self.piece.after.clear();
        self.integrator.memory(&mut self.piece.after);
        self.piece.end.clone_from(state);
        match self.first_event(efforts, taken)? {
            None => {
                // No event: search twice as far next time.
                self.memory.horizon = 2.0 * self.memory.horizon.max(taken);
                self.touch_lasting(efforts, state, taken)?;
                self.held_together(state)?;
            }
            Some(found) => {
                let width = self.locate(efforts, &found, taken, state)?;
                report.taken_s = state.time - self.piece.before.time;
                self.memory.horizon = (4.0 * report.taken_s).max(SHORTEST);
                self.counts.events += 1;
                // Time that does not advance is an error, not an endless loop.
                let resolved = report.taken_s > 64.0 * f64::EPSILON * state.time.abs().max(1e-3);
                self.memory.stalls = if resolved { 0 } else { self.memory.stalls + 1 };
                if self.memory.stalls > 100 {
                    return Err(Trouble::StepTooSmall { time: state.time, step: report.taken_s });
                }
                // The step was last taken in part: its dense output is not available.
                self.piece.dense = false;
                self.touch_lasting(efforts, state, report.taken_s)?;
                self.held_together(state)?;
                self.happen(efforts, state, found.watch, width)?;
            }
        }
        let after = std::mem::take(&mut self.piece.after);
        self.integrator.set_memory(&after);
        self.piece.after = after;
        match &mut self.memory.known {
            Some(known) => known.clone_from(state),
            None => self.memory.known = Some(state.clone()),
        }
        Ok(Some(report))
    }

    /// Updates the contacts after a watched function reached zero.
    fn happen(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        watch: Watch,
        width: f64,
    ) -> Result<(), Trouble> {
        let contact = |i: usize| &self.held.contacts[i];
        let cause = match watch {
            Watch::Force(i) => Cause::Release(contact(i).site),
            Watch::Cone(i) => Cause::Slip(contact(i).site),
            // A step that only ends because of the direction of sliding changes nothing.
            Watch::Stop(i) if contact(i).floor > 0.0 => return Ok(()),
            Watch::Creep(_) => return Ok(()),
            Watch::Stop(i) => Cause::Stop(contact(i).site),
            _ => Cause::Look,
        };
        self.resolve(efforts, state, cause, width)
    }
}
