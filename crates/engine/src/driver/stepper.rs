//! The part of a simulation that differs from engine to engine.

use super::adaptive::Adaptive;
use super::grid::StepSpan;
use crate::contract::{BodyState, SolverOutcome, Totals};
use crate::error::{LoadError, StepError};
use crate::events::EventLog;
use crate::guard::Guard;
use crate::inputs::Inputs;
use veracity_model::Layout;
use veracity_record::ContactSample;

/// What the driver looks at after every step: an engine that computes joints and bodies on demand reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// At the gaps of named pairs.
    pub gaps: bool,
    /// At contact points and gaps, for the event log.
    pub log: bool,
    /// At joint limits, for the event log.
    pub joints: bool,
}

/// Positions, velocities and bodies at one instant, in the order of the layout.
pub struct Present<'a> {
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Motion of every body.
    pub bodies: &'a [BodyState],
}

/// A guard's crossing, located inside a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Which guard, by its place in the list.
    pub guard: usize,
    /// Just past the crossing, where the engine is now [s].
    pub time: f64,
    /// Width of the last bracket around it [s].
    pub width: f64,
}

/// An engine's part of a simulation; [`super::SteppedSimulation`] is the rest.
pub trait Stepper: Send {
    /// Names and offsets of all arrays.
    fn layout(&self) -> &Layout;

    /// Positions. After an advance they are up to date; inside one, only after [`Stepper::settle`].
    fn q(&self) -> &[f64];

    /// Velocities, as [`Stepper::q`].
    fn v(&self) -> &[f64];

    /// Brings up to date what is computed on demand; the driver calls it at the end of every call, failed ones included.
    fn settle(&mut self) {}

    /// Everything at the present instant, up to date.
    fn present(&mut self) -> Present<'_>;

    /// Starts from a state and forgets the motion before it. `Ok` is the largest change made to it.
    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError>;

    /// Whether the state a caller has set can be run. Not asked for the initial state of a model file, which may be
    /// invalid where the scenario sets another.
    fn check_start(&mut self) -> Result<(), LoadError> {
        Ok(())
    }

    /// Accepts the inputs of a call, or says what is wrong with them.
    fn take_inputs(&mut self, time: f64, inputs: &Inputs) -> Result<(), StepError>;

    /// The stepper's other half where it chooses the size of its steps; `None` where steps are fixed.
    fn adaptive(&mut self) -> Option<&mut dyn Adaptive> {
        None
    }

    /// Moves to `span.end`, or towards it if the stepper is [`Adaptive`]. On an error of the step itself the engine has
    /// not moved.
    fn step(&mut self, inputs: &Inputs, span: &StepSpan, looks: Looks) -> Result<SolverOutcome, StepError>;

    /// Reads the step just taken, which ended at `time`; an error if its state cannot be used.
    fn read(&mut self, time: f64, looks: Looks) -> Result<(), StepError>;

    /// Gap of each named pair now [m]; NaN where unknown.
    fn measure_gaps(&mut self, out: &mut [f64]);

    /// Reports the contact points of the last step, which ended at `time`, to the event log.
    fn log_points(&mut self, _time: f64, _log: &mut EventLog) {}

    /// Joint efforts of a row: those of the inputs and of the drives. The default is the drives' law at the present state.
    fn efforts(&mut self, inputs: &Inputs, out: &mut Vec<f64>) {
        drive_efforts(&self.layout().dof_position, inputs, self.q(), self.v(), out);
    }

    /// Reads what [`Stepper::contacts`] shows in a row, where that is not read at every step.
    fn prepare_contacts(&mut self) {}

    /// Appends the points where bodies touched in the last step, which ended at `time`.
    fn contacts(&self, time: f64, out: &mut Vec<ContactSample>);

    /// Total energy [J]; `None` where it is not reported.
    fn energy(&mut self) -> Option<f64> {
        None
    }

    /// Whether guards are located inside a step ([`Stepper::step_to_crossing`]); else the driver interpolates between the
    /// ends of a step.
    fn locates(&self) -> bool {
        false
    }

    /// Prepares a sequence of [`Stepper::step_to_crossing`] with these guards.
    fn begin_watch(&mut self, _guards: &[Guard]) {}

    /// Moves to `span.end`, or to just past the first crossing of a guard, and returns it. Called only if the stepper
    /// [`locates`](Stepper::locates).
    fn step_to_crossing(
        &mut self,
        _guards: &[Guard],
        _inputs: &Inputs,
        span: &StepSpan,
        _looks: Looks,
    ) -> Result<Option<Crossing>, StepError> {
        Err(StepError { time: span.begin, reason: "this engine does not locate guards".to_string() })
    }

    /// The instant of a crossing rounded to the end of its step, where the two are equal to rounding [s].
    fn set_time(&mut self, _time: f64) {}

    /// Appends everything needed to continue, except what the driver keeps. `false` if snapshots are not supported.
    fn save(&self, out: &mut Vec<u8>) -> bool;

    /// Restores what [`Stepper::save`] wrote, at time `time`; on an error nothing has changed.
    fn restore(&mut self, time: f64, bytes: &[u8]) -> Result<(), LoadError>;

    /// As [`crate::Simulation::reactions`].
    fn reactions(&mut self, _time: f64, _inputs: &Inputs, _out: &mut [([f64; 3], [f64; 3])]) -> bool {
        false
    }

    /// As [`crate::Simulation::accelerations`].
    fn accelerations(&mut self, _time: f64, _inputs: &Inputs, _out: &mut [([f64; 3], [f64; 3])]) -> bool {
        false
    }

    /// As [`crate::Simulation::warnings`], after this many steps.
    fn warnings(&self, _steps: u64, _out: &mut Vec<String>) {}

    /// As [`crate::Simulation::lost`].
    fn lost(&self) -> Option<String> {
        None
    }

    /// Counts since the state was set, after this many steps.
    fn totals(&self, steps: u64) -> Totals;
}

/// Efforts of the inputs, and of the drives by their law at a state.
pub(super) fn drive_efforts(
    dof_position: &[Option<usize>],
    inputs: &Inputs,
    q: &[f64],
    v: &[f64],
    out: &mut Vec<f64>,
) {
    out.clone_from(&inputs.efforts);
    for drive in &inputs.drives {
        if let Some(at) = dof_position[drive.dof] {
            out[drive.dof] += drive.effort(q[at], v[drive.dof]);
        }
    }
}
