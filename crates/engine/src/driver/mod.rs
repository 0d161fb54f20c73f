//! The driver of every engine: step grid, rows, guards, gaps, event log and snapshots, written once.
//!
//! An engine implements [`Stepper`] and loads as a [`SteppedSimulation`] of it. One step in one line: the log begins a step,
//! the stepper moves to the next instant of the [`StepGrid`] and reads its state, gaps are measured if there are named
//! pairs, the log receives contact points, gaps and joints, and rows that are due are written.
//!
//! A stepper that chooses the size of its steps also implements [`Adaptive`]. Its steps are not on the grid: a call ends
//! at a time instead of a step count, gaps and limits are also inspected inside a step, and rows inside it are read from
//! dense output.

mod adaptive;
mod grid;
mod guards;
mod rows;
mod saved;
mod stepper;

pub use adaptive::{Adaptive, Inside};
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

/// A simulation that moves in steps. It does not allocate while it advances.
pub struct SteppedSimulation<S> {
    stepper: S,
    grid: StepGrid,
    /// The present instant: of the grid, inside a step where a guard has stopped, or the end of an adaptive step [s].
    time: f64,
    /// Gap of each named pair at the present instant [m].
    gaps: Vec<f64>,
    /// Smallest gap of each pair since the state was set [m].
    least_gaps: Vec<f64>,
    events: EventLog,
    seal: Seal,
    /// Position of each degree of freedom, as in the layout.
    dof_position: Vec<Option<usize>>,
    // Scratch.
    efforts: Vec<f64>,
    watched: Vec<f64>,
    inside_gaps: Vec<f64>,
}

/// Where a call ends.
#[derive(Clone, Copy)]
enum Target {
    /// At a step count.
    Count(u64),
    /// At a time [s]: for an adaptive stepper.
    Time(f64),
}

impl<S: Stepper> SteppedSimulation<S> {
    /// A simulation without a state: call [`SteppedSimulation::start`] before it moves.
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
            dof_position: layout.dof_position.clone(),
            efforts: Vec::with_capacity(dofs),
            watched: Vec::new(),
            inside_gaps: vec![f64::NAN; pairs],
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
            lower(&mut self.least_gaps, &self.gaps);
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

    /// The target of a call that ends at `until`, or why there is none.
    fn target(&mut self, until: f64) -> Result<Target, StepError> {
        let (time, adaptive) = (self.time, self.stepper.adaptive().is_some());
        let target = match adaptive {
            true => adaptive::check_ahead(until, time).map(|()| Target::Time(until)),
            false => self.grid.count_at(until, time).map(Target::Count),
        };
        target.map_err(|reason| StepError { time, reason })
    }

    /// The next step towards a target; `None` once it is reached.
    #[inline]
    fn next_step(&self, target: Target) -> Option<StepSpan> {
        match target {
            Target::Count(count) => (self.grid.count < count).then(|| self.grid.next(self.time)),
            Target::Time(until) => (self.time < until).then(|| self.grid.free(self.time, until)),
        }
    }

    /// Moves to the end of a step, or as far towards it as an adaptive stepper does; returns the step taken.
    fn take_step(
        &mut self,
        span: &StepSpan,
        inputs: &Inputs,
        looks: Looks,
    ) -> Result<(StepSpan, SolverOutcome), StepError> {
        self.begin_step(looks);
        let solver = self.stepper.step(inputs, span, looks)?;
        self.grid.advance();
        let taken = self.stepper.adaptive().map_or(*span, |adaptive| adaptive.taken(span));
        self.time = taken.end;
        self.inspect_inside(&taken)?;
        self.end_step(looks)?;
        Ok((taken, solver))
    }

    /// Steps and writes the rows that are due, up to a target or a stop request.
    fn sampled_steps(
        &mut self,
        target: Target,
        inputs: &Inputs,
        samples: &mut Samples,
    ) -> Result<Advance, StepError> {
        let looks = self.looks();
        let mut sum = Advance::default();
        while let Some(span) = self.next_step(target) {
            if samples.stop_wanted() {
                break;
            }
            let (taken, solver) = self.take_step(&span, inputs, looks)?;
            add(&mut sum, solver);
            samples.note_residual(solver.residual);
            if matches!(target, Target::Time(_)) {
                self.write_rows_inside(&taken, inputs, samples)?;
            } else {
                self.write_rows(inputs, samples)?;
            }
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

/// Keeps the smaller gap of each pair.
fn lower(least: &mut [f64], gaps: &[f64]) {
    for (least, gap) in least.iter_mut().zip(gaps) {
        // `min` ignores NaN: the smallest gap stays.
        *least = least.min(*gap);
    }
}

impl<S: Stepper> Simulation for SteppedSimulation<S> {
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
        let span = if self.stepper.adaptive().is_some() {
            // An adaptive step can be cut to any length.
            step_within(self.time, 0.0, limit_s)?;
            self.grid.free(self.time, self.time + limit_s)
        } else {
            let span = self.grid.next(self.time);
            step_within(self.time, span.size, limit_s)?;
            span
        };
        let looks = self.looks();
        let stepped = self.take_step(&span, inputs, looks);
        self.stepper.settle();
        let mut sum = Advance::default();
        add(&mut sum, stepped?.1);
        Ok(sum)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.stepper.take_inputs(self.time, inputs)?;
        if samples.due(self.time) {
            samples.begin_after(self.time);
        }
        let target = self.target(until)?;
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
        let target = self.target(until)?;
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
