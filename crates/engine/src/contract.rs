//! The contract: the traits [`Engine`] and [`Simulation`].
//!
//! Time: fixed-step engines count steps; the time after step `n` is `start + n · step_s`, never a running sum. Calls
//! request times that are whole multiples of the step (to 1e-6 of it); anything else is an error, because a shorter
//! last step would silently change the motion. So is a time in the past. A row of samples carries the instant that was
//! requested ([`Samples::next_time`]); an instant between two steps is an error of the same kind.
//!
//! A guard whose time is located may stop the simulation inside a step. The steps still end at `start + n · step_s`:
//! the next one is the rest of the one that was cut.
//!
//! Snapshots are wrapped in an envelope by [`crate::Seal`].

use crate::capability::Capabilities;
use crate::error::{LoadError, StepError};
use crate::events::Logged;
use crate::guard::{Guard, GuardHit};
use crate::inputs::Inputs;
use crate::looped::{LoopEnd, LoopRun};
use crate::samples::Samples;
use crate::settings::{Setting, Settings};
use crate::spec::{EngineSpec, SpecError};
use veracity_model::{Layout, Pose, Vec3, World};
use veracity_record::{ContactSample, EventRules};

/// A simulator behind the contract: a separate crate and one line in the list the binary assembles.
pub trait Engine: Sync {
    /// Name in specs: lower case, no punctuation.
    fn name(&self) -> &'static str;

    /// Version of the simulator behind it, e.g. `rapier3d-f64 0.36.1`.
    fn version(&self) -> String;

    /// Identifies everything outside this program that decides the motion: files, libraries. A stored trial is reused
    /// only while this is the same. Empty for an engine that is part of this program.
    fn identity(&self) -> String {
        String::new()
    }

    /// Description in one line.
    fn about(&self) -> &'static str;

    /// Every setting that changes motion, with its default.
    fn settings(&self) -> &'static [Setting];

    /// Capabilities under resolved settings.
    fn capabilities(&self, settings: &Settings) -> Capabilities;

    /// Loads a world. One error names everything the engine cannot express.
    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError>;

    /// Resolves a spec against [`Engine::settings`]; unknown settings are errors that list what exists.
    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        Settings::resolve(self.name(), self.settings(), spec)
    }
}

/// Load options common to all engines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOptions {
    /// Step of fixed-step engines; adaptive ones begin with it [s].
    pub step_s: f64,
}

/// Pose and velocity of a body, as the engine reports them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// The body's frame in the world.
    pub world_from_body: Pose,
    /// World axes [rad/s].
    pub angular_velocity: Vec3,
    /// Of the body frame's origin, world axes [m/s].
    pub linear_velocity: Vec3,
}

/// Summary of one advance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Advance {
    /// Steps taken.
    pub steps: u64,
    /// Worst solver outcome of these steps.
    pub solver: SolverOutcome,
}

/// What the solver reports. Engines without one leave the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverOutcome {
    /// Iterations of the last step.
    pub iterations: u32,
    /// Residual, in the engine's own measure; zero where it has none.
    pub residual: f64,
    /// Steps whose solve did not reach its own tolerance.
    pub not_converged: u64,
}

/// Counts since [`Simulation::set_state`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Steps.
    pub steps: u64,
    /// Evaluations of accelerations or solver iterations, as the engine counts them.
    pub evaluations: u64,
    /// Steps tried and rejected.
    pub rejected: u64,
}

/// Checks that a fixed step fits the limit of [`Simulation::step`], to 1e-6 of the step.
pub fn step_within(time: f64, step_s: f64, limit_s: f64) -> Result<(), StepError> {
    if limit_s.is_nan() || limit_s <= 0.0 {
        return Err(StepError { time, reason: format!("invalid step limit {limit_s} s: must be positive") });
    }
    if limit_s < step_s * (1.0 - 1e-6) {
        let reason = format!("the step is {step_s} s and cannot be cut to {limit_s} s; load with a smaller step");
        return Err(StepError { time, reason });
    }
    Ok(())
}

/// A loaded world that moves. Advancing does not allocate.
pub trait Simulation: Send {
    /// Names and offsets of all arrays.
    fn layout(&self) -> &Layout;

    /// [s]
    fn time(&self) -> f64;

    /// Positions, in the order of the layout.
    fn q(&self) -> &[f64];

    /// Velocities, in the order of the layout.
    fn v(&self) -> &[f64];

    /// Starts from a state. `Ok` is the largest change the engine made to it (projection onto constraints, normalised
    /// quaternions) [rad, m, rad/s or m/s]; the inspection before a ranking reads it.
    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError>;

    /// Motion of every body, in the order of the layout, as the engine computes it.
    fn bodies(&mut self, out: &mut [BodyState]);

    /// One step under constant inputs: the engine's own step, or for an adaptive engine one it chooses, at most
    /// `limit_s`. A fixed-step engine whose step is longer returns an error and does not move: see [`step_within`].
    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError>;

    /// Moves exactly to `until` under constant inputs and records a row for every instant `samples` requests on the way
    /// (after the present instant, up to and including `until`). Before every step it checks [`Samples::stop_wanted`]
    /// and, if set, returns at the present state.
    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError>;

    /// Moves until a guard is crossed or `until` is reached. The first crossing in time wins; among several in one
    /// bracket, the lowest index.
    fn advance_until(&mut self, until: f64, guards: &[Guard], inputs: &Inputs)
    -> Result<Option<GuardHit>, StepError>;

    /// Everything needed to continue, appended to `out`: opaque, versioned, readable by another process of the same
    /// engine that loaded the same world under the same settings.
    fn snapshot(&self, out: &mut Vec<u8>);

    /// Restores a snapshot. Damaged, foreign or truncated bytes are an error and change nothing.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError>;

    /// Points where bodies touched in the last step.
    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
    }

    /// Gap of each named pair of the layout now [m]; NaN where unknown.
    fn gaps(&mut self, out: &mut [f64]) {
        out.fill(f64::NAN);
    }

    /// Smallest gap of each named pair at any step since [`Simulation::set_state`] [m].
    fn least_gaps(&self, out: &mut [f64]) {
        out.fill(f64::INFINITY);
    }

    /// Wrench through every joint on the body it carries, at the joint's origin, world axes: force [N], torque [N m].
    /// `false` if the engine does not report them.
    fn reactions(&mut self, _inputs: &Inputs, _out: &mut [([f64; 3], [f64; 3])]) -> bool {
        false
    }

    /// Angular and linear acceleration of every body's frame origin, world axes. `false` if not reported.
    fn accelerations(&mut self, _inputs: &Inputs, _out: &mut [([f64; 3], [f64; 3])]) -> bool {
        false
    }

    /// Begins a log of events under these thresholds, at every step from now on, starting with the present state;
    /// `None` ends it. The log is part of snapshots and is restored with them. `false` if the engine keeps no log.
    fn log_events(&mut self, _rules: Option<EventRules>) -> bool {
        false
    }

    /// Moves events that have become certain to `out`, see [`crate::events`]. At the `end` of a run pending events are
    /// decided from what is known.
    fn take_events(&mut self, _end: bool, _out: &mut Vec<Logged>) {}

    /// Total energy as the engine computes it [J]; `None` where it reports none.
    fn own_energy(&mut self) -> Option<f64> {
        None
    }

    /// Warnings to be read before the motion is trusted, in sentences, appended to `out`: the lab copies them into the
    /// record's log.
    fn warnings(&self, _out: &mut Vec<String>) {}

    /// Takes over a control loop, as text, to run it in the engine's process: see [`crate::looped`]. `false` if that is
    /// not supported: the caller then acts between advances.
    fn take_loop(&mut self, _tables: &str) -> bool {
        false
    }

    /// Runs the loop that was taken over, bit-identical to acting between advances.
    fn run_loop(&mut self, _run: LoopRun<'_>) -> LoopEnd {
        LoopEnd::Failed("this engine has not taken over a control loop".to_string())
    }

    /// Why the engine's process is lost, for example because it died: whatever was recorded is then not a result of the
    /// engine.
    fn lost(&self) -> Option<String> {
        None
    }

    /// Counts since [`Simulation::set_state`].
    fn totals(&self) -> Totals;
}
