//! A simulation: a system, its state and an integrator. Events are in [`crate::events`], snapshots in [`crate::snapshot`].

use crate::events::WatchScratch;
use crate::fastest_decay::{self, FastestDecay};
use crate::forward::{self, Efforts, Trouble};
use crate::integrate::{self, Integrator, IntegratorEntry, IntegratorSettings, State, StepReport};
use crate::observe::{BodyMotion, body_motion};
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;
use crate::{Energy, Momentum, constraint, energy, kinematics, rnea};
use veracity_model::BodyId;

/// A system, its state and the integrator that moves it.
pub struct SmoothSimulation {
    pub(crate) system: System,
    pub(crate) ws: Workspace,
    pub(crate) state: State,
    pub(crate) entry: &'static IntegratorEntry,
    pub(crate) integrator: Box<dyn Integrator>,
    settings: IntegratorSettings,
    pub(crate) probe: State,
    pub(crate) total: IntegrationTotals,
    pub(crate) watch: WatchScratch,
    acceleration: Vec<f64>,
}

/// Counts since the state was set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntegrationTotals {
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the accelerations.
    pub evaluations: u64,
    /// Rejected steps.
    pub rejected: u64,
}

/// Why a simulation could not be created or restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// No integrator of this name.
    #[error("unknown integrator '{name}'; the integrators are {known}")]
    UnknownIntegrator {
        /// The requested name.
        name: String,
        /// The existing names.
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
    /// The snapshot is invalid, or of another system.
    #[error("the snapshot cannot be restored: {0}")]
    Snapshot(String),
    /// The start state cannot be projected onto the constraints.
    #[error("the start state cannot be projected onto the constraints: {0}")]
    Start(Trouble),
}

impl SmoothSimulation {
    /// At rest in the neutral position, projected onto the constraints.
    pub fn new(system: System, integrator: &str, settings: IntegratorSettings) -> Result<Self, SimulationError> {
        let Some(entry) = integrate::find(integrator) else {
            let known: Vec<_> = integrate::INTEGRATORS.iter().map(|e| e.name).collect();
            let known = known.join(", ");
            return Err(SimulationError::UnknownIntegrator { name: integrator.to_string(), known });
        };
        let state = State { time: 0.0, q: system.neutral_positions().to_vec(), v: vec![0.0; system.dof_count()] };
        let ws = Workspace::new(&system);
        let integrator = (entry.make)(&system, &settings);
        let (probe, watch) = (state.clone(), WatchScratch::new(&state));
        let acceleration = vec![0.0; system.dof_count()];
        let total = IntegrationTotals::default();
        let mut made = Self { system, ws, state, entry, integrator, settings, probe, total, watch, acceleration };
        let (q, v) = (made.state.q.clone(), made.state.v.clone());
        made.set_state(0.0, &q, &v)?;
        Ok(made)
    }

    /// Starts from another state. Quaternions are normalised and the state is projected onto the constraints.
    pub fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        let (nq, nv) = (self.system.position_count(), self.system.dof_count());
        if q.len() != nq || v.len() != nv {
            return Err(SimulationError::StateSize { q: q.len(), v: v.len(), nq, nv });
        }
        self.state.time = time;
        self.state.q.copy_from_slice(q);
        self.state.v.copy_from_slice(v);
        self.total = IntegrationTotals::default();
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

    /// Counts since the state was set.
    pub fn totals(&self) -> IntegrationTotals {
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

    /// One step of `size_s` that ends at `time`: for callers that compute the time from a step count.
    pub fn step_to(&mut self, time: f64, size_s: f64, efforts: &mut dyn Efforts) -> Result<StepReport, Trouble> {
        let report = self.step(efforts, size_s)?;
        // An adaptive step may have been shorter.
        if report.taken_s == size_s {
            self.state.time = time;
        }
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

    /// Moves towards `time` by at most so many steps; `true` when it is reached. For callers that report progress.
    pub fn advance_some(&mut self, time: f64, efforts: &mut dyn Efforts, steps: u64) -> Result<bool, Trouble> {
        for _ in 0..steps {
            let Some(limit) = self.remaining(time) else { break };
            self.step(efforts, limit)?;
        }
        let there = self.remaining(time).is_none();
        if there {
            self.state.time = self.state.time.max(time);
        }
        Ok(there)
    }

    /// The fastest decay at the present state: see [`crate::fastest_decay`].
    pub fn fastest_decay(&mut self, efforts: &mut dyn Efforts) -> Option<FastestDecay> {
        let (system, ws, state) = (&self.system, &mut self.ws, &self.state);
        fastest_decay::fastest_decay(system, ws, efforts, state.time, &state.q, &state.v)
    }

    /// Moves past `time` and calls `look` with the state at each multiple of `every_s`, from the start and up to
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
        // Slightly beyond the end, so that the last multiple is not lost by rounding.
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

    /// The remaining time until `time`, adjusted so that no tiny step remains.
    pub(crate) fn remaining(&self, time: f64) -> Option<f64> {
        let left = time - self.state.time;
        let step = self.settings.step_s;
        // Adding up a step n times leaves a rounding error far below one part in 1e9 of it.
        (left > 1e-9 * step).then_some(if !self.entry.adaptive && (left - step).abs() < 1e-9 * step {
            step
        } else {
            left
        })
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        energy::energy(&self.system, &mut self.ws, &self.state.q, &self.state.v)
    }

    /// Energy at the state last shown by [`SmoothSimulation::look_inside`].
    pub fn probe_energy(&mut self) -> Energy {
        energy::energy(&self.system, &mut self.ws, &self.probe.q, &self.probe.v)
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

    /// Motion of many bodies now, in the given order.
    pub fn body_motions(&mut self, places: &[BodyPlace], mut show: impl FnMut(usize, BodyMotion)) {
        kinematics::velocities(&self.system, &mut self.ws, &self.state.q, &self.state.v);
        self.ws.keep(&self.state.q, &self.state.v);
        places.iter().enumerate().for_each(|(i, place)| show(i, body_motion(&self.ws, *place)));
    }

    /// The same at a fraction of the last step of an integrator with dense output: see [`SmoothSimulation::look_inside`].
    pub fn probe_motions(&mut self, places: &[BodyPlace], mut show: impl FnMut(usize, BodyMotion)) {
        kinematics::velocities(&self.system, &mut self.ws, &self.probe.q, &self.probe.v);
        places.iter().enumerate().for_each(|(i, place)| show(i, body_motion(&self.ws, *place)));
    }

    /// Prepares [`SmoothSimulation::look_inside`] for the step just taken; `false` if the integrator has no dense output.
    pub fn prepare_to_look(&mut self, efforts: &mut dyn Efforts) -> Result<bool, Trouble> {
        self.integrator.prepare_dense(&self.system, &mut self.ws, efforts, &self.state)
    }

    /// The state at a fraction of the step just taken, after [`SmoothSimulation::prepare_to_look`].
    pub fn look_inside(&mut self, fraction: f64) -> &State {
        self.integrator.interpolate(&self.system, fraction, &mut self.probe);
        &self.probe
    }

    /// The state [`SmoothSimulation::look_inside`] last showed.
    pub fn probe(&self) -> &State {
        &self.probe
    }

    /// Accelerations of all degrees of freedom now. Leaves those of the links in the workspace.
    pub fn accelerations(&mut self, efforts: &mut dyn Efforts) -> Result<&[f64], Trouble> {
        let (system, ws, state) = (&self.system, &mut self.ws, &self.state);
        constraint::choose_basis(system, ws, &state.q).map_err(|dof| Trouble::NoInertia { dof, time: state.time })?;
        forward::accelerations(system, ws, efforts, state.time, &state.q, &state.v, &mut self.acceleration)?;
        rnea::link_accelerations(system, ws, &self.acceleration);
        Ok(&self.acceleration)
    }

    /// Sets the time: for callers that count steps, after a shortened step.
    pub fn set_time(&mut self, time: f64) {
        self.state.time = time;
    }

    /// The scratch memory, as the last call left it.
    pub fn workspace(&self) -> &Workspace {
        &self.ws
    }
}
