//! The integrators and their list.
//!
//! All work on the manifold: explicit Runge-Kutta methods integrate quaternions in their four-dimensional space,
//! where the flow keeps their length, and normalise them after each step (a smooth projection, which keeps the
//! order); the others move along it by the exponential. Systems with constraints choose
//! their independent rows at the beginning of a step and are projected at its end.

mod dop853;
mod dop853_coefficients;
mod implicit_midpoint;
mod linearly_implicit;
mod runge_kutta_4;
mod semi_implicit_euler;

use crate::forward::{Efforts, Trouble, check_finite};
use crate::system::System;
use crate::workspace::Workspace;
use crate::{constraint, kinematics};

/// The state: time, positions and velocities.
#[derive(Debug, PartialEq)]
pub struct State {
    /// [s]
    pub time: f64,
    /// Positions, in the order of the models' joints.
    pub q: Vec<f64>,
    /// Velocities, in the order of the models' joints.
    pub v: Vec<f64>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { time: self.time, q: self.q.clone(), v: self.v.clone() }
    }

    /// Reuses the existing memory, unlike the derived implementation.
    fn clone_from(&mut self, from: &Self) {
        self.time = from.time;
        self.q.clone_from(&from.q);
        self.v.clone_from(&from.v);
    }
}

/// Settings of an integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratorSettings {
    /// Step of fixed-step integrators; first step of adaptive ones, whose largest step is a hundred times as long [s].
    pub step_s: f64,
    /// Relative error tolerance per step, for each number of the state (adaptive only).
    pub relative_tolerance: f64,
    /// Absolute error tolerance per step, added to it [rad, m, rad/s, m/s] (adaptive only).
    pub absolute_tolerance: f64,
}

impl Default for IntegratorSettings {
    fn default() -> Self {
        Self { step_s: 1e-3, relative_tolerance: 1e-12, absolute_tolerance: 1e-13 }
    }
}

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Size of the step taken [s].
    pub taken_s: f64,
    /// Evaluations of the accelerations.
    pub evaluations: u32,
    /// Rejected attempts (adaptive only).
    pub rejected: u32,
    /// Newton or fixed-point iterations (implicit only).
    pub iterations: u32,
    /// Estimated error over the allowed one; at most 1 when accepted (adaptive only, else 0).
    pub error_ratio: f64,
    /// Largest constraint residual left among the independent rows [m or rad].
    pub constraint_residual: f64,
    /// Largest natural residual of a solve for contact impulses [m/s].
    pub contact_residual: f64,
    /// Solves for contact impulses that did not reach their tolerance.
    pub unsolved: u32,
    /// Contact points that touched.
    pub contacts: u32,
}

/// A method that moves a state forward in time.
pub trait Integrator: Send {
    /// One step of at most `limit_s`; fixed-step methods take exactly `limit_s`.
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit_s: f64,
    ) -> Result<StepReport, Trouble>;

    /// One step of exactly `size_s`, whatever the error: for locating events inside an accepted step.
    fn exact_step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        size_s: f64,
    ) -> Result<StepReport, Trouble> {
        self.step(system, ws, efforts, state, size_s)
    }

    /// Prepares [`Integrator::interpolate`] for the last step; `false` if there is no dense output.
    fn prepare_dense(
        &mut self,
        _system: &System,
        _ws: &mut Workspace,
        _efforts: &mut dyn Efforts,
        _end: &State,
    ) -> Result<bool, Trouble> {
        Ok(false)
    }

    /// The state at a fraction of the last step, after [`Integrator::prepare_dense`].
    fn interpolate(&self, _system: &System, _fraction: f64, _out: &mut State) {}

    /// Appends the memory needed for an exact continuation: always the same number of values.
    fn memory(&self, _out: &mut Vec<f64>) {}

    /// Restores what [`Integrator::memory`] returned.
    fn set_memory(&mut self, _memory: &[f64]) {}
}

/// One entry of the list.
pub struct IntegratorEntry {
    /// Its name in engine specs and on the command line.
    pub name: &'static str,
    /// Order of convergence.
    pub order: u32,
    /// Whether it chooses its own step.
    pub adaptive: bool,
    /// Description for help and documentation.
    pub text: &'static str,
    /// Creates an integrator.
    pub make: fn(&System, &IntegratorSettings) -> Box<dyn Integrator>,
}

/// All integrators.
pub const INTEGRATORS: &[IntegratorEntry] = &[
    semi_implicit_euler::ENTRY,
    runge_kutta_4::ENTRY,
    dop853::ENTRY,
    implicit_midpoint::ENTRY,
    linearly_implicit::ENTRY,
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static IntegratorEntry> {
    INTEGRATORS.iter().find(|e| e.name == name)
}

/// Chooses independent constraint rows for the step that begins at `state`.
fn begin_step(system: &System, ws: &mut Workspace, state: &State) -> Result<(), Trouble> {
    constraint::choose_basis(system, ws, &state.q).map_err(|dof| Trouble::NoInertia { dof, time: state.time })
}

/// Normalises quaternions, projects onto the constraints, and fails if a number is not finite.
fn finish_step(
    system: &System,
    ws: &mut Workspace,
    state: &mut State,
    report: &mut StepReport,
) -> Result<(), Trouble> {
    kinematics::normalise(system, &mut state.q);
    if system.is_constrained() {
        let time = state.time;
        let lost = |dof| Trouble::NoInertia { dof, time };
        report.constraint_residual = constraint::project_positions(system, ws, &mut state.q).map_err(lost)?.residual;
        constraint::project_velocities(system, ws, &state.q, &mut state.v).map_err(lost)?;
    }
    check_finite(&state.v, state.time)
}
