//! A trial in progress: step on demand, inspect, save, fork, continue.
//!
//! A trial is a session advanced to the scenario's duration; there is no other way to run one. Time is counted in whole
//! nanoseconds: the control loop acts at every tick it names, and the engine advances in between.

use crate::host::{Stopwatch, Turns, machine, now_unix_s};
use crate::start_moved::StartMoved;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_control::{ControlError, ControlLoop, ControllerPart, Drive, LoopTables, Sensing, Setup, controllers};
use veracity_engine::events::in_order;
use veracity_engine::{
    BodyState, Engine, Inputs, LoadError, LoadOptions, Logged, LoopEnd, LoopRun, Samples, Settings, Simulation,
};
use veracity_measure::CannotTell;
use veracity_measure::task_conditions::{self, Recorded, Watch};
use veracity_model::{Digest, Layout};
use veracity_record::{EventRules, Head, Host, LogEntry, Outcome, Record, Signal, head};
use veracity_scenario::Scenario;

/// What a session is created from.
#[derive(Clone)]
pub struct SessionSetup {
    /// The scenario with overrides applied.
    pub scenario: Arc<Scenario>,
    /// The overrides that were applied, for the record.
    pub overrides: Vec<(String, f64)>,
    /// Requested step of the engine [ns].
    pub step_ns: i64,
    /// Seed of the random streams.
    pub seed: u64,
    /// Number of the trial in its study, for the random streams.
    pub index: u64,
}

/// Why a session could not be opened: the outcome of a trial that never started.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal(pub Outcome);

/// A scenario running on one engine.
pub struct Session {
    setup: SessionSetup,
    simulation: Box<dyn Simulation>,
    control: ControlLoop,
    inputs: Inputs,
    samples: Samples,
    /// Event log of the run.
    events: Vec<Logged>,
    /// Commands and sensor readings, row by row.
    signals: Vec<f64>,
    /// Set if the control loop runs in the engine's process: buffer for the loop's state on its way there and back.
    handed_over: Option<Vec<u8>>,
    bodies: Vec<BodyState>,
    time_ns: i64,
    stop: Option<Arc<AtomicBool>>,
    /// How it ended, once it has ended.
    outcome: Option<Outcome>,
    log: Vec<LogEntry>,
    head: Head,
    host: Host,
    turns: Turns,
}

/// First bytes of a session's snapshot; the last byte is the version.
const MAGIC: &[u8; 8] = b"VERASES1";

impl Session {
    /// Loads the scenario's world into an engine and sets the start state.
    pub fn open(engine: &dyn Engine, settings: &Settings, setup: SessionSetup) -> Result<Self, Refusal> {
        Self::open_assuming(engine, settings, setup, None)
    }

    /// The same with controllers that assume another scenario: they are made for its world and with its numbers, while
    /// the engine moves that of `setup`.
    pub fn open_assuming(
        engine: &dyn Engine,
        settings: &Settings,
        setup: SessionSetup,
        assumed: Option<&Scenario>,
    ) -> Result<Self, Refusal> {
        let configs = setup.scenario.controllers.clone();
        let mut session = Self::open_with(engine, settings, setup, |around, sensing| {
            let around = match assumed {
                Some(assumed) => &Setup { world: &assumed.world, ..*around },
                None => around,
            };
            configs.iter().map(|c| controllers::build(c, around, sensing)).collect()
        })?;
        // The engine's process would build the controllers for the world it moves.
        if assumed.is_none() {
            session.hand_control_over();
        }
        Ok(session)
    }

    /// Hands the control loop to the engine's process, if the engine has one that accepts it.
    fn hand_control_over(&mut self) {
        let (scenario, setup) = (&self.setup.scenario, &self.setup);
        if scenario.controllers.is_empty() && scenario.sensors.is_empty() {
            return; // Nothing acts between advances.
        }
        let tables = LoopTables {
            step_ns: setup.step_ns,
            seed: setup.seed,
            trial: setup.index,
            controllers: scenario.controllers.clone(),
            sensors: scenario.sensors.clone(),
        };
        let taken = tables.to_text().is_some_and(|text| self.simulation.take_loop(&text));
        self.handed_over = taken.then(Vec::new);
    }

    /// Whether the controllers run in the engine's process.
    pub fn is_handed_over(&self) -> bool {
        self.handed_over.is_some()
    }

    /// Runs the controllers in this process, whatever the engine offers.
    pub fn keep_control_here(&mut self) {
        self.handed_over = None;
    }

    /// Opens a session with controllers supplied by the caller: external programs, Python, a function.
    pub fn open_with(
        engine: &dyn Engine,
        settings: &Settings,
        setup: SessionSetup,
        make: impl FnOnce(&Setup<'_>, &Sensing) -> Result<Vec<ControllerPart>, ControlError>,
    ) -> Result<Self, Refusal> {
        crate::memory::keep_for_the_next_trial();
        let loading = Stopwatch::start();
        let scenario = &setup.scenario;
        let options = LoadOptions { step_s: setup.step_ns as f64 * 1e-9 };
        let mut simulation = engine.load(&scenario.world, settings, &options).map_err(refusal)?;
        let moved = simulation.set_state(0.0, &scenario.q, &scenario.v).map_err(refusal)?;
        let layout = simulation.layout().clone();
        let capabilities = engine.capabilities(settings);
        let Some(every_ns) = record_interval(scenario, setup.step_ns, capabilities.adaptive) else {
            return Err(failed(format!(
                "rows every {} s cannot be recorded with steps of {} s: choose a step that divides the interval",
                scenario.record_every_ns as f64 * 1e-9,
                setup.step_ns as f64 * 1e-9
            )));
        };
        let around = Setup {
            world: &scenario.world,
            layout: &layout,
            capabilities,
            step_ns: setup.step_ns,
            seed: setup.seed,
            trial: setup.index,
        };
        let sensing = Sensing::new(&around, &scenario.sensors).map_err(|e| failed(e.to_string()))?;
        let parts = make(&around, &sensing).map_err(|e| failed(e.to_string()))?;
        let control = ControlLoop::with_controllers(&around, sensing, parts).map_err(|e| failed(e.to_string()))?;
        let rows = (scenario.duration_ns / every_ns + 2).clamp(0, 1 << 20) as usize;
        let signals = Vec::with_capacity(rows * control.signals().len());
        let still = BodyState {
            world_from_body: veracity_model::Pose::identity(),
            angular_velocity: veracity_model::Vec3::zeros(),
            linear_velocity: veracity_model::Vec3::zeros(),
        };
        let mut head = head_of(engine, settings, &setup);
        let rules = EventRules::default();
        head.events = simulation.log_events(Some(rules)).then_some(rules);
        let mut session = Self {
            inputs: control.inputs(),
            samples: Samples::new(&layout, every_ns, rows),
            events: Vec::new(),
            signals,
            handed_over: None,
            bodies: vec![still; layout.bodies.len()],
            time_ns: 0,
            stop: None,
            outcome: None,
            log: Vec::new(),
            head,
            turns: Turns::default(),
            host: Host { began_unix_s: now_unix_s(), machine: machine(), ..Host::default() },
            control,
            simulation,
            setup,
        };
        session.note_start(moved);
        session.first_row()?;
        session.host.load_cpu_s = loading.cpu_s();
        Ok(session)
    }

    /// Sets a flag that ends it early: see [`Samples::set_stop`].
    pub fn set_stop(&mut self, stop: Arc<AtomicBool>) {
        self.samples.set_stop(Arc::clone(&stop));
        self.stop = Some(stop);
    }

    /// Current time [ns].
    pub fn time_ns(&self) -> i64 {
        self.time_ns
    }

    /// Names and offsets of all arrays.
    pub fn layout(&self) -> &Layout {
        self.simulation.layout()
    }

    /// The engine's simulation.
    pub fn simulation(&mut self) -> &mut dyn Simulation {
        &mut *self.simulation
    }

    /// The control loop.
    pub fn control(&mut self) -> &mut ControlLoop {
        &mut self.control
    }

    /// How it ended; `None` while it runs.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Advances to a time [ns]. A session that broke down or was stopped does not advance.
    pub fn advance_to(&mut self, until_ns: i64) {
        let watch = self.turns.start();
        if let Err(outcome) = self.go(until_ns) {
            self.outcome = Some(outcome);
        }
        let (cpu_s, wall_s) = self.turns.took(&watch);
        self.host.cpu_s += cpu_s;
        self.host.wall_s += wall_s;
    }

    /// Advances to the end of the scenario: its duration, or the first row in which a task condition named under `[stop]` has
    /// happened. Rows are inspected one by one, so that the end is the same on every engine.
    pub fn run_to_end(&mut self) {
        let end_ns = self.setup.scenario.duration_ns;
        let mut watches = match self.watches() {
            Ok(watches) => watches,
            Err(CannotTell(why)) => {
                self.outcome.get_or_insert(Outcome::Failed { reason: format!("[stop] cannot be evaluated: {why}") });
                return;
            }
        };
        let [every_ns, _] = self.samples.plan();
        if watches.is_empty() || every_ns <= 0 {
            self.advance_to(end_ns);
            return;
        }
        while self.outcome.is_none() {
            self.outcome = self.stopped(&mut watches);
            if self.outcome.is_some() || self.time_ns >= end_ns {
                return;
            }
            self.advance_to(((self.time_ns / every_ns + 1) * every_ns).min(end_ns));
        }
    }

    /// One watch for each check under `[stop]`, with its name.
    fn watches(&self) -> Result<Vec<(String, Watch)>, CannotTell> {
        let scenario = &self.setup.scenario;
        let mut out = Vec::new();
        for check in scenario.checks.iter().filter(|c| scenario.stop.contains(&c.name)) {
            let Some(condition) = task_conditions::find(check.metric.name) else {
                return CannotTell::new(format!("'{}' has no task condition to stop at", check.name));
            };
            let watch = Watch::new(condition, &scenario.world, self.simulation.layout(), &check.options)?;
            out.push((check.name.clone(), watch));
        }
        Ok(out)
    }

    /// The first check under `[stop]` whose condition came true in the rows so far.
    fn stopped(&self, watches: &mut [(String, Watch)]) -> Option<Outcome> {
        let recorded = Recorded {
            world: &self.setup.scenario.world,
            layout: self.simulation.layout(),
            track: &self.samples.track,
            contacts: &self.samples.contacts,
            step_s: self.head.step_s,
        };
        watches.iter_mut().find_map(|(name, watch)| {
            let happened = watch.look(&recorded)?;
            let (check, reason) = (name.clone(), happened.how.clone());
            Some(Outcome::Stopped { time: happened.seen_s, check, reason })
        })
    }

    fn go(&mut self, until_ns: i64) -> Result<(), Outcome> {
        if self.outcome.is_some() || self.time_ns >= until_ns {
            return Ok(());
        }
        let ended = if self.handed_over.is_some() {
            self.run_there(until_ns).map_err(|reason| Outcome::Failed { reason })?
        } else {
            let Self { time_ns, inputs, samples, signals, .. } = self;
            let run = Drive { time_ns, inputs, samples, signals };
            self.control.drive(&mut *self.simulation, run, until_ns)
        };
        self.simulation.take_events(false, &mut self.events);
        match ended {
            LoopEnd::Reached => Ok(()),
            LoopEnd::Stopped => Err(Outcome::TooSlow { time: self.simulation.time() }),
            // A process that died says nothing about the motion it was computing.
            LoopEnd::Trouble(trouble) if self.simulation.lost().is_some() => {
                Err(Outcome::Failed { reason: trouble.to_string() })
            }
            LoopEnd::Trouble(trouble) => Err(Outcome::BrokeDown { time: trouble.time, reason: trouble.reason }),
            LoopEnd::Failed(reason) => Err(Outcome::Failed { reason }),
        }
    }

    /// Runs the loop in the engine's process and takes its state back, as if it had run here.
    fn run_there(&mut self, until_ns: i64) -> Result<LoopEnd, String> {
        let mut memory = self.handed_over.take().unwrap_or_default();
        memory.clear();
        self.control.snapshot(&mut memory);
        let Self { time_ns, samples, signals, .. } = self;
        let ended = self.simulation.run_loop(LoopRun { time_ns, until_ns, memory: &mut memory, samples, signals });
        let restored = self.control.restore(&memory);
        self.handed_over = Some(memory);
        restored.map_err(|e| e.to_string())?;
        self.inputs.clone_from(self.control.in_force());
        let (rows, width) = (self.samples.track.rows(), self.control.signals().len());
        if self.signals.len() != rows * width {
            return Err(format!(
                "the engine's process left {} signals for {rows} rows of {width}",
                self.signals.len()
            ));
        }
        Ok(ended)
    }

    fn let_control_act(&mut self) -> Result<(), Outcome> {
        if self.control.next_tick_ns() > self.time_ns {
            return Ok(());
        }
        let ticked = self.control.tick(self.time_ns, &mut *self.simulation, &mut self.inputs);
        ticked.map_err(|e| Outcome::Failed { reason: e.to_string() })
    }

    /// Records the row at the current time, which no advance writes.
    fn first_row(&mut self) -> Result<(), Refusal> {
        self.let_control_act().map_err(Refusal)?;
        self.simulation.bodies(&mut self.bodies);
        let (q, v) = (self.simulation.q().to_vec(), self.simulation.v().to_vec());
        let mut gaps = vec![f64::NAN; self.samples.track.pairs];
        self.simulation.gaps(&mut gaps);
        let (time, efforts) = (seconds(self.time_ns), vec![0.0; v.len()]);
        self.samples.push(time, &q, &v, &self.bodies, &efforts, &gaps);
        self.samples.energies.extend(self.simulation.own_energy());
        self.control.sign_rows(self.time_ns, 1, &mut self.signals);
        Ok(())
    }

    fn note_start(&mut self, moved: f64) {
        // Above rounding, the engine started elsewhere than the scenario says: a ranking must mention it.
        if moved > 1e-9 || moved.is_nan() {
            let text = StartMoved(moved).to_string();
            self.log.push(LogEntry { time: 0.0, warning: true, text });
        }
    }

    /// Everything needed to continue, in this process or another that opens the same session: engine, controllers,
    /// sensor queues and counters in one blob.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.time_ns.to_le_bytes());
        out.extend(self.identity().0);
        let mut part = Vec::new();
        self.simulation.snapshot(&mut part);
        out.extend((part.len() as u64).to_le_bytes());
        out.append(&mut part);
        self.control.snapshot(&mut part);
        out.extend((part.len() as u64).to_le_bytes());
        out.append(&mut part);
        out
    }

    /// Restores a snapshot, of this session or another. Recorded rows are dropped: the record restarts there.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let damaged = || "the snapshot is cut off or damaged; take it again".to_string();
        let take = |bytes: &mut &[u8], count: usize| {
            let (head, rest) = bytes.split_at_checked(count).ok_or_else(damaged)?;
            *bytes = rest;
            Ok::<Vec<u8>, String>(head.to_vec())
        };
        let number = |bytes: &mut &[u8]| {
            let eight: [u8; 8] = take(bytes, 8)?.try_into().map_err(|_| damaged())?;
            Ok::<u64, String>(u64::from_le_bytes(eight))
        };
        let mut rest = bytes;
        if take(&mut rest, 8)? != MAGIC {
            return Err("these bytes are not a snapshot of a session of this version".to_string());
        }
        let time_ns = number(&mut rest)? as i64;
        if take(&mut rest, 32)? != self.identity().0 {
            return Err("the snapshot is of another scenario, engine, step or seed".to_string());
        }
        let length = number(&mut rest)? as usize;
        let engine = take(&mut rest, length)?;
        let length = number(&mut rest)? as usize;
        let control = take(&mut rest, length)?;
        if !rest.is_empty() {
            return Err(damaged());
        }
        // Controllers first: they can reject the snapshot without side effects, and the engine's part is sealed.
        self.control.restore(&control).map_err(|e| e.to_string())?;
        self.inputs.clone_from(self.control.in_force());
        self.simulation.restore(&engine).map_err(|e| e.to_string())?;
        self.time_ns = time_ns;
        self.outcome = None;
        self.drop_rows();
        self.first_row().map_err(|Refusal(outcome)| outcome.to_string())
    }

    fn drop_rows(&mut self) {
        let track = &mut self.samples.track;
        for column in [&mut track.times, &mut track.q, &mut track.v, &mut track.efforts, &mut track.poses] {
            column.clear();
        }
        track.twists.clear();
        track.gaps.clear();
        self.samples.contacts.clear();
        self.samples.energies.clear();
        self.samples.residuals.clear();
        self.events.clear();
        self.signals.clear();
        self.samples.begin_after(seconds(self.time_ns));
    }

    /// What two sessions must have in common to exchange snapshots.
    fn identity(&self) -> Digest {
        let numbers: Vec<u8> = [self.setup.step_ns as u64, self.setup.seed, self.setup.index]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let scenario = self.setup.scenario.digest();
        let engine = [self.head.engine.as_bytes(), self.head.engine_version.as_bytes()];
        Digest::of_parts([&scenario.0[..], engine[0], engine[1], &numbers])
    }

    /// Ends the session and returns its record.
    pub fn finish(mut self) -> Record {
        let totals = self.simulation.totals();
        self.host.steps = totals.steps;
        self.host.evaluations = totals.evaluations;
        self.simulation.take_events(true, &mut self.events);
        let mut track = self.samples.track;
        self.simulation.least_gaps(&mut track.least_gaps);
        let names = self.control.signals();
        let column = |i: usize| self.signals.iter().skip(i).step_by(names.len()).copied().collect();
        let signal = |(i, (name, unit)): (usize, &(String, String))| Signal {
            name: name.clone(),
            unit: unit.clone(),
            values: column(i),
        };
        track.signals = names.iter().enumerate().map(signal).collect();
        // Rows that the engine does not provide are left out, not filled.
        if track.rows() == self.samples.energies.len() {
            let (name, unit) = ("engine/energy_J".to_string(), "J".to_string());
            track.signals.push(Signal { name, unit, values: self.samples.energies });
        }
        // A worker's rows come without residuals, and an engine without a solver has only zeros.
        let residuals = self.samples.residuals;
        if residuals.len() == track.rows() && residuals.iter().any(|residual| *residual > 0.0) {
            self.host.solver_residuals = residuals;
        }
        let mut warnings = Vec::new();
        self.simulation.warnings(&mut warnings);
        // A process that died after its last step lost events: the record is incomplete.
        let lost = self.simulation.lost().map(|reason| Outcome::Failed { reason });
        let outcome = match self.outcome {
            None => lost.unwrap_or(Outcome::Finished),
            Some(stopped @ Outcome::Stopped { .. }) => lost.unwrap_or(stopped),
            Some(outcome) => outcome,
        };
        let time = seconds(self.time_ns);
        self.log.extend(warnings.into_iter().map(|text| LogEntry { time, warning: true, text }));
        self.log.extend(self.control.notes().iter().map(|n| LogEntry { time: 0.0, warning: false, text: n.clone() }));
        Record {
            head: self.head,
            world: Arc::clone(&self.setup.scenario.world),
            track,
            contacts: self.samples.contacts,
            events: in_order(self.events),
            log: self.log,
            outcome,
            host: self.host,
        }
    }
}

/// The record of a trial that never started.
pub fn refused_record(engine: &dyn Engine, settings: &Settings, setup: &SessionSetup, refusal: Refusal) -> Record {
    let scenario = &setup.scenario;
    let layout = Layout::new(&scenario.world);
    Record {
        head: head_of(engine, settings, setup),
        world: Arc::clone(&scenario.world),
        track: Samples::none(&layout).track,
        contacts: Vec::new(),
        events: Vec::new(),
        log: Vec::new(),
        outcome: refusal.0,
        host: Host { began_unix_s: now_unix_s(), machine: machine(), ..Host::default() },
    }
}

fn head_of(engine: &dyn Engine, settings: &Settings, setup: &SessionSetup) -> Head {
    let scenario = &setup.scenario;
    Head {
        schema: head::SCHEMA,
        scenario: scenario.name.clone(),
        key: None,
        engine: settings.full_spec(),
        engine_version: engine.version(),
        veracity_version: env!("CARGO_PKG_VERSION").to_string(),
        step_s: seconds(setup.step_ns),
        duration_s: seconds(scenario.duration_ns),
        seed: setup.seed,
        overrides: setup.overrides.clone(),
        world: scenario.world.digest(),
        events: None,
    }
}

/// Adaptive engines can record a row at any time; fixed steps must divide the interval, or every step is recorded.
fn record_interval(scenario: &Scenario, step_ns: i64, adaptive: bool) -> Option<i64> {
    if adaptive { Some(scenario.record_every_ns) } else { scenario.record_interval_ns(step_ns) }
}

fn refusal(error: LoadError) -> Refusal {
    match error {
        LoadError::Unsupported(features) => {
            Refusal(Outcome::NotExpressible { features: features.iter().map(ToString::to_string).collect() })
        }
        other => failed(other.to_string()),
    }
}

fn failed(reason: String) -> Refusal {
    Refusal(Outcome::Failed { reason })
}

fn seconds(ns: i64) -> f64 {
    ns as f64 * 1e-9
}
