//! A system in motion: one integrator, its state, events, snapshots.

use crate::forward::{Efforts, Trouble};
use crate::integrate::{self, Integrator, IntegratorEntry, Settings, State, StepReport};
use crate::observe::{BodyMotion, body_motion};
use crate::system::System;
use crate::workspace::Workspace;
use crate::{Energy, Momentum, constraint, energy, kinematics};
use veracity_model::BodyId;

/// A system, its state and the integrator that moves it.
pub struct Simulation {
    system: System,
    ws: Workspace,
    state: State,
    entry: &'static IntegratorEntry,
    integrator: Box<dyn Integrator>,
    settings: Settings,
    before: State,
    probe: State,
    total: Totals,
}

/// Counts since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the accelerations.
    pub evaluations: u64,
    /// Rejected tries.
    pub rejected: u64,
}

/// A function of the state whose zero is an event.
pub struct Guard<'a> {
    /// Goes through zero at the event.
    pub function: &'a dyn Fn(&State) -> f64,
    /// Which crossings count: +1 upwards, -1 downwards, 0 both.
    pub direction: i8,
}

/// An event that was reached. The simulation's state is the one at the event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventHit {
    /// Which guard, by its place in the list.
    pub guard: usize,
    /// [s]
    pub time: f64,
    /// Width of the last bracket around the event [s].
    pub uncertainty_s: f64,
}

/// Everything needed to go on exactly: opaque to callers, versioned for files.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    integrator: &'static str,
    state: State,
    memory: Vec<f64>,
}

/// Why a simulation could not be made or restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// No integrator of this name.
    #[error("there is no integrator '{name}'; there are {known}")]
    UnknownIntegrator {
        /// What was asked for.
        name: String,
        /// What exists.
        known: String,
    },
    /// The lengths of positions or velocities are wrong.
    #[error("the state has {q} positions and {v} velocities; this system has {nq} and {nv}")]
    StateSize {
        /// Given.
        q: usize,
        /// Given.
        v: usize,
        /// Needed.
        nq: usize,
        /// Needed.
        nv: usize,
    },
    /// The snapshot is not one of ours, or of another system.
    #[error("the snapshot cannot be restored: {0}")]
    Snapshot(String),
    /// The start state cannot be brought onto the constraints.
    #[error("the start state cannot be brought onto the constraints: {0}")]
    Start(Trouble),
}

const SNAPSHOT_MAGIC: &[u8; 8] = b"VERASNP1";

impl Simulation {
    /// At rest in the neutral position, projected onto the constraints.
    pub fn new(system: System, integrator: &str, settings: Settings) -> Result<Self, SimulationError> {
        let Some(entry) = integrate::find(integrator) else {
            let known: Vec<_> = integrate::INTEGRATORS.iter().map(|e| e.name).collect();
            let known = known.join(", ");
            return Err(SimulationError::UnknownIntegrator { name: integrator.to_string(), known });
        };
        let state = State { time: 0.0, q: system.neutral_positions().to_vec(), v: vec![0.0; system.dof_count()] };
        let ws = Workspace::new(&system);
        let integrator = (entry.make)(&system, &settings);
        let (before, probe) = (state.clone(), state.clone());
        let total = Totals::default();
        let mut made = Self { system, ws, state, entry, integrator, settings, before, probe, total };
        let (q, v) = (made.state.q.clone(), made.state.v.clone());
        made.set_state(0.0, &q, &v)?;
        Ok(made)
    }

    /// Starts from another state. Quaternions are brought to unit length and the state onto the constraints.
    pub fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        let (nq, nv) = (self.system.position_count(), self.system.dof_count());
        if q.len() != nq || v.len() != nv {
            return Err(SimulationError::StateSize { q: q.len(), v: v.len(), nq, nv });
        }
        self.state.time = time;
        self.state.q.copy_from_slice(q);
        self.state.v.copy_from_slice(v);
        kinematics::normalise(&self.system, &mut self.state.q);
        self.integrator = (self.entry.make)(&self.system, &self.settings);
        let (system, ws, state) = (&self.system, &mut self.ws, &mut self.state);
        let lost = |dof| SimulationError::Start(Trouble::NoInertia { dof, time });
        constraint::choose_basis(system, ws, &state.q).map_err(lost)?;
        constraint::project_positions(system, ws, &mut state.q).map_err(lost)?;
        constraint::choose_basis(system, ws, &state.q).map_err(lost)?;
        constraint::project_velocities(system, ws, &state.q, &mut state.v).map_err(lost)
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The integrator's entry in the list.
    pub fn integrator(&self) -> &'static IntegratorEntry {
        self.entry
    }

    /// Counts since the beginning.
    pub fn totals(&self) -> Totals {
        self.total
    }

    /// One step of at most `limit_s`; fixed-step integrators take their step or the limit, whichever is less.
    pub fn step(&mut self, efforts: &mut dyn Efforts, limit_s: f64) -> Result<StepReport, Trouble> {
        let h = if self.entry.adaptive { limit_s } else { self.settings.step_s.min(limit_s) };
        let report = self.integrator.step(&self.system, &mut self.ws, efforts, &mut self.state, h)?;
        self.total.steps += 1;
        self.total.evaluations += u64::from(report.evaluations);
        self.total.rejected += u64::from(report.rejected);
        Ok(report)
    }

    /// Moves to `time` exactly.
    pub fn advance_to(&mut self, time: f64, efforts: &mut dyn Efforts) -> Result<(), Trouble> {
        while let Some(limit) = self.remaining(time) {
            self.step(efforts, limit)?;
        }
        self.state.time = self.state.time.max(time);
        Ok(())
    }

    /// Moves past `time` and shows `look` the state at each multiple of `every_s` on the way, from the start and up to
    /// `time`. With a dense output the integrator's own steps are not cut at these instants.
    pub fn advance_sampled(
        &mut self,
        time: f64,
        every_s: f64,
        efforts: &mut dyn Efforts,
        mut look: impl FnMut(&System, &mut Workspace, &State),
    ) -> Result<(), Trouble> {
        let start = self.state.time;
        let mut count = 0.0;
        look(&self.system, &mut self.ws, &self.state);
        // Half a rounding beyond the end, so that the last multiple is not lost.
        let end = time + 1e-9 * every_s;
        while start + (count + 1.0) * every_s <= end {
            if !self.entry.adaptive {
                count += 1.0;
                self.advance_to(start + count * every_s, efforts)?;
                look(&self.system, &mut self.ws, &self.state);
                continue;
            }
            let begin = self.state.time;
            let taken = self.step(efforts, f64::INFINITY)?.taken_s;
            if start + (count + 1.0) * every_s > self.state.time {
                continue;
            }
            self.integrator.prepare_dense(&self.system, &mut self.ws, efforts, &self.state)?;
            while start + (count + 1.0) * every_s <= self.state.time.min(end) {
                count += 1.0;
                let fraction = (start + count * every_s - begin) / taken;
                self.integrator.interpolate(&self.system, fraction, &mut self.probe);
                look(&self.system, &mut self.ws, &self.probe);
            }
        }
        Ok(())
    }

    /// What is left until `time`, stretched or cut so that no sliver of a step remains.
    fn remaining(&self, time: f64) -> Option<f64> {
        let left = time - self.state.time;
        let step = self.settings.step_s;
        // Adding up a step n times leaves a rounding error far below one part in 1e9 of it.
        (left > 1e-9 * step).then_some(if !self.entry.adaptive && (left - step).abs() < 1e-9 * step {
            step
        } else {
            left
        })
    }

    /// Moves until a guard goes through zero or `time` is reached. The first crossing in time wins.
    pub fn advance_until(
        &mut self,
        time: f64,
        guards: &[Guard<'_>],
        efforts: &mut dyn Efforts,
    ) -> Result<Option<EventHit>, Trouble> {
        let mut values: Vec<f64> = guards.iter().map(|g| (g.function)(&self.state)).collect();
        while let Some(limit) = self.remaining(time) {
            self.before.clone_from(&self.state);
            let memory = self.integrator.memory();
            let taken = self.step(efforts, limit)?.taken_s;
            let bracket = self.first_crossing(guards, &values, taken, efforts)?;
            if let Some((guard, low, high)) = bracket {
                let after = self.integrator.memory();
                let hit = self.locate(guard, &guards[guard], low, high, efforts, &memory)?;
                self.integrator.set_memory(&after);
                return Ok(Some(hit));
            }
            for (value, g) in values.iter_mut().zip(guards) {
                *value = (g.function)(&self.state);
            }
        }
        self.state.time = self.state.time.max(time);
        Ok(None)
    }

    /// The earliest sign change inside the last step, as a bracket of sizes from its start.
    fn first_crossing(
        &mut self,
        guards: &[Guard<'_>],
        at_start: &[f64],
        taken: f64,
        efforts: &mut dyn Efforts,
    ) -> Result<Option<(usize, f64, f64)>, Trouble> {
        if guards.is_empty() {
            return Ok(None);
        }
        // A large adaptive step may hide two crossings: look inside it.
        let dense = self.integrator.prepare_dense(&self.system, &mut self.ws, efforts, &self.state)?;
        let pieces = if dense { 16 } else { 1 };
        let mut before: Vec<f64> = at_start.to_vec();
        for piece in 1..=pieces {
            let (low, high) = ((piece - 1) as f64 / pieces as f64, piece as f64 / pieces as f64);
            let state = if piece == pieces {
                &self.state
            } else {
                self.integrator.interpolate(&self.system, high, &mut self.probe);
                &self.probe
            };
            for (i, g) in guards.iter().enumerate() {
                let (a, b) = (before[i], (g.function)(state));
                let up = a < 0.0 && b >= 0.0;
                let down = a > 0.0 && b <= 0.0;
                if (up && g.direction >= 0) || (down && g.direction <= 0) {
                    return Ok(Some((i, low * taken, high * taken)));
                }
                before[i] = b;
            }
        }
        Ok(None)
    }

    /// Narrows the bracket by repeating the step with other sizes: the event has the integrator's own accuracy, not
    /// that of an interpolant. Illinois' rule, then bisection, down to the resolution of time.
    fn locate(
        &mut self,
        index: usize,
        guard: &Guard<'_>,
        mut low: f64,
        mut high: f64,
        efforts: &mut dyn Efforts,
        memory: &[f64],
    ) -> Result<EventHit, Trouble> {
        let mut value_low = self.try_size(guard, low, efforts, memory)?;
        let mut value_high = self.try_size(guard, high, efforts, memory)?;
        // The dense output and the repeated step may disagree by their errors about which side an end lies on.
        if value_low * value_high > 0.0 {
            low = 0.0;
            value_low = (guard.function)(&self.before);
        }
        let resolution = 4.0 * f64::EPSILON * self.before.time.abs().max(high);
        let mut side = 0;
        for iteration in 0..100 {
            if value_high == 0.0 || high - low <= resolution {
                break;
            }
            let secant = high - value_high * (high - low) / (value_high - value_low);
            let inside = secant > low && secant < high;
            let size = if iteration < 60 && inside { secant } else { 0.5 * (low + high) };
            let value = self.try_size(guard, size, efforts, memory)?;
            if value * value_high > 0.0 || value == 0.0 {
                (high, value_high) = (size, value);
                if side == 1 {
                    value_low *= 0.5;
                }
                side = 1;
            } else {
                (low, value_low) = (size, value);
                if side == -1 {
                    value_high *= 0.5;
                }
                side = -1;
            }
        }
        // End on the far side, so that the guard has changed its sign.
        self.try_size(guard, high, efforts, memory)?;
        Ok(EventHit { guard: index, time: self.state.time, uncertainty_s: high - low })
    }

    /// The guard after a step of this size from the state before.
    fn try_size(
        &mut self,
        guard: &Guard<'_>,
        size: f64,
        efforts: &mut dyn Efforts,
        memory: &[f64],
    ) -> Result<f64, Trouble> {
        self.state.clone_from(&self.before);
        if size > 0.0 {
            self.integrator.set_memory(memory);
            self.integrator.exact_step(&self.system, &mut self.ws, efforts, &mut self.state, size)?;
        }
        Ok((guard.function)(&self.state))
    }

    /// Everything needed to go on exactly.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { integrator: self.entry.name, state: self.state.clone(), memory: self.integrator.memory() }
    }

    /// Goes back to a snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimulationError> {
        let (nq, nv) = (self.system.position_count(), self.system.dof_count());
        if snapshot.integrator != self.entry.name {
            let text = format!("it was made by '{}', this is '{}'", snapshot.integrator, self.entry.name);
            return Err(SimulationError::Snapshot(text));
        }
        if snapshot.state.q.len() != nq || snapshot.state.v.len() != nv {
            let (q, v) = (snapshot.state.q.len(), snapshot.state.v.len());
            return Err(SimulationError::StateSize { q, v, nq, nv });
        }
        self.state.clone_from(&snapshot.state);
        self.integrator.set_memory(&snapshot.memory);
        Ok(())
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        energy::energy(&self.system, &mut self.ws, &self.state.q, &self.state.v)
    }

    /// Momentum now.
    pub fn momentum(&mut self) -> Momentum {
        energy::momentum(&self.system, &mut self.ws, &self.state.q, &self.state.v)
    }

    /// Largest constraint residual now [m or rad], redundant rows included.
    pub fn constraint_violation(&mut self) -> f64 {
        constraint::violation(&self.system, &mut self.ws, &self.state.q)
    }

    /// Motion of a body now.
    pub fn body_motion(&mut self, placement: usize, body: BodyId) -> BodyMotion {
        kinematics::velocities(&self.system, &mut self.ws, &self.state.q, &self.state.v);
        body_motion(&self.ws, self.system.place(placement, body))
    }
}

impl Snapshot {
    /// As bytes for a file or another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = SNAPSHOT_MAGIC.to_vec();
        let mut put = |values: &[f64]| {
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|x| out.extend(x.to_le_bytes()));
        };
        put(&[self.state.time]);
        put(&self.state.q);
        put(&self.state.v);
        put(&self.memory);
        out.extend(self.integrator.as_bytes());
        out
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SimulationError> {
        let broken = || SimulationError::Snapshot("it is not a snapshot of this version, or it is cut short".into());
        let mut rest = bytes.strip_prefix(SNAPSHOT_MAGIC.as_slice()).ok_or_else(broken)?;
        let mut take = || -> Result<Vec<f64>, SimulationError> {
            let (head, tail) = rest.split_at_checked(8).ok_or_else(broken)?;
            let count = u64::from_le_bytes(head.try_into().map_err(|_| broken())?);
            let size = usize::try_from(count).ok().and_then(|n| n.checked_mul(8)).ok_or_else(broken)?;
            let (body, tail) = tail.split_at_checked(size).ok_or_else(broken)?;
            rest = tail;
            let number = |c: &[u8]| f64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]);
            Ok(body.chunks_exact(8).map(number).collect())
        };
        let time = take()?.first().copied().ok_or_else(broken)?;
        let (q, v, memory) = (take()?, take()?, take()?);
        let name = std::str::from_utf8(rest).map_err(|_| broken())?;
        let entry = integrate::find(name).ok_or_else(broken)?;
        Ok(Self { integrator: entry.name, state: State { time, q, v }, memory })
    }
}
