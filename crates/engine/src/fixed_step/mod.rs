//! The driver of engines with a fixed step: step grid, rows, guards, gaps, event log and snapshots, written once. Rapier and
//! every engine behind a shim use it.
//!
//! An engine implements [`Stepper`] and loads as a [`FixedStepSimulation`] of it. One step in one line: the log begins a
//! step, the stepper moves to the next instant of the [`StepGrid`] and reads its state, gaps are measured if there are
//! named pairs, the log receives contact points, gaps and joints, and rows that are due are written.
//!
//! The native engine shares the [`StepGrid`] and implements [`Simulation`] itself: its adaptive integrators have no grid and
//! write rows inside their steps from dense output, and one type serves them and its fixed-step integrators.

mod grid;
mod guards;
mod rows;
mod saved;
mod stepper;

pub use grid::{StepGrid, StepSpan};
pub use rows::is_instant;
pub use stepper::{Crossing, Looks, Present, Stepper};

use crate::contract::{Advance, BodyState, Simulation, SolverOutcome, Totals, step_within};
use crate::error::{LoadError, StepError};
use crate::events::{EventLog, Logged};
use crate::guard::{Guard, GuardHit};
use crate::inputs::Inputs;
use crate::samples::Samples;
use crate::seal::Seal;
use veracity_model::{Layout, World};
use veracity_record::{ContactSample, EventRules};

/// A simulation with fixed steps. It does not allocate while it advances.
pub struct FixedStepSimulation<S> {
    stepper: S,
    grid: StepGrid,
    /// The present instant: of the grid, or inside a step where a guard has stopped [s].
    time: f64,
    /// Gap of each named pair at the present instant [m].
    gaps: Vec<f64>,
    /// Smallest gap of each pair since the state was set [m].
    least_gaps: Vec<f64>,
    events: EventLog,
    seal: Seal,
    // Scratch.
    efforts: Vec<f64>,
    watched: Vec<f64>,
}

impl<S: Stepper> FixedStepSimulation<S> {
    /// A simulation without a state: call [`FixedStepSimulation::start`] before it moves.
    pub fn new(stepper: S, world: &World, step_s: f64, seal: Seal) -> Self {
        let layout = stepper.layout();
        let (pairs, dofs) = (layout.pairs.len(), layout.dof_count());
        Self {
            events: EventLog::new(world, layout),
            grid: StepGrid::new(0.0, step_s),
            time: 0.0,
            gaps: vec![f64::NAN; pairs],
            least_gaps: vec![f64::INFINITY; pairs],
            seal,
            efforts: Vec::with_capacity(dofs),
            watched: Vec::new(),
            stepper,
        }
    }

    /// Sets a state as [`Simulation::set_state`] does, without [`Stepper::check_start`].
    pub fn start(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = self.stepper.set_state(time, q, v)?;
        self.grid = StepGrid::new(time, self.grid.step);
        self.time = time;
        self.least_gaps.fill(f64::INFINITY);
        self.look_at_gaps();
        self.start_log();
        Ok(changed)
    }

    fn looks(&self) -> Looks {
        let log = self.events.is_on();
        Looks { gaps: !self.gaps.is_empty(), log, joints: log && self.events.watches_joints() }
    }

    fn start_log(&mut self) {
        if self.events.is_on() {
            self.events.begin(self.time, &self.gaps, self.stepper.q(), self.stepper.v());
        }
    }

    fn look_at_gaps(&mut self) {
        if !self.gaps.is_empty() {
            self.stepper.measure_gaps(&mut self.gaps);
            for (least, gap) in self.least_gaps.iter_mut().zip(&self.gaps) {
                // `min` ignores NaN: the smallest gap stays.
                *least = least.min(*gap);
            }
        }
    }

    fn begin_step(&mut self, looks: Looks) {
        if looks.log {
            self.events.begin_step(self.time);
        }
    }

    /// Reads the step that ended at the present instant and looks at what there is to look at.
    fn end_step(&mut self, looks: Looks) -> Result<(), StepError> {
        self.stepper.read(self.time, looks)?;
        self.look_at_gaps();
        if looks.log {
            self.stepper.log_points(self.time, &mut self.events);
            self.events.end_step(self.time, &self.gaps, self.stepper.q(), self.stepper.v());
        }
        Ok(())
    }

    /// Moves to the next instant of the grid.
    fn grid_step(&mut self, inputs: &Inputs, looks: Looks) -> Result<SolverOutcome, StepError> {
        let span = self.grid.next(self.time);
        self.begin_step(looks);
        let solver = self.stepper.step(inputs, &span, looks)?;
        self.grid.advance();
        self.time = span.end;
        self.end_step(looks)?;
        Ok(solver)
    }

    /// The step count at which a time is reached.
    fn count_at(&self, until: f64) -> Result<u64, StepError> {
        self.grid.count_at(until, self.time).map_err(|reason| StepError { time: self.time, reason })
    }

    /// Steps and writes the rows that are due, up to a step count or a stop request.
    fn sampled_steps(&mut self, target: u64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        let looks = self.looks();
        let mut sum = Advance::default();
        while self.grid.count < target && !samples.stop_wanted() {
            let solver = self.grid_step(inputs, looks)?;
            add(&mut sum, solver);
            self.write_rows(inputs, samples)?;
        }
        Ok(sum)
    }
}

/// Adds a step to the summary of an advance: the worst solve is kept.
fn add(sum: &mut Advance, step: SolverOutcome) {
    let solver = &mut sum.solver;
    sum.steps += 1;
    solver.iterations = solver.iterations.max(step.iterations);
    solver.residual = solver.residual.max(step.residual);
    solver.not_converged += step.not_converged;
}

impl<S: Stepper> Simulation for FixedStepSimulation<S> {
    fn layout(&self) -> &Layout {
        self.stepper.layout()
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn q(&self) -> &[f64] {
        self.stepper.q()
    }

    fn v(&self) -> &[f64] {
        self.stepper.v()
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let changed = self.start(time, q, v)?;
        self.stepper.check_start()?;
        Ok(changed)
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        out.copy_from_slice(self.stepper.present().bodies);
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.stepper.take_inputs(self.time, inputs)?;
        step_within(self.time, self.grid.next(self.time).size, limit_s)?;
        let looks = self.looks();
        let stepped = self.grid_step(inputs, looks);
        self.stepper.settle();
        let mut sum = Advance::default();
        add(&mut sum, stepped?);
        Ok(sum)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.stepper.take_inputs(self.time, inputs)?;
        if samples.due(self.time) {
            samples.begin_after(self.time);
        }
        let target = self.count_at(until)?;
        let advanced = self.sampled_steps(target, inputs, samples);
        self.stepper.settle();
        advanced
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.stepper.take_inputs(self.time, inputs)?;
        self.check_guards(guards)?;
        let target = self.count_at(until)?;
        let hit = self.watched_steps(target, guards, inputs);
        self.stepper.settle();
        hit
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        self.save(out);
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        self.load_saved(bytes)
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        self.stepper.contacts(self.time, out);
    }

    fn gaps(&mut self, out: &mut [f64]) {
        out.copy_from_slice(&self.gaps);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.least_gaps);
    }

    fn reactions(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        self.stepper.reactions(self.time, inputs, out)
    }

    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        self.stepper.accelerations(self.time, inputs, out)
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        self.events.switch(rules);
        self.start_log();
        true
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        self.events.take(end, out);
    }

    fn own_energy(&mut self) -> Option<f64> {
        self.stepper.energy()
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.stepper.warnings(self.grid.count, out);
    }

    fn lost(&self) -> Option<String> {
        self.stepper.lost()
    }

    fn totals(&self) -> Totals {
        self.stepper.totals(self.grid.count)
    }
}
