//! A run: the scenario in a session of the lab, its programs under the coordinator, step by step.
//!
//! In step `k`, from `T = k h` to `T + h`: commands stamped up to `T` come into force, sensors observe `T`, the
//! dynamics advances to `T + h`, and then every client runs through `T … T + h` with the observation of `T`. No client
//! sees the future, and a command acts from the first step that begins at or after its stamp.

use crate::client_slot::ClientSlot;
use crate::config::{ClientConfig, ClientKind, TempoConfig, find_program};
use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::link::Link;
use crate::mailbox::Mailbox;
use crate::outcome::{Cost, RunSummary};
use crate::pinned_core::PinnedCore;
use crate::preemptor::Preemptor;
use crate::process::{PageHead, Process};
use crate::schedule::{Event, Head, SCHEMA};
use crate::stopwatch::Stopwatch;
use crate::sys::{ChildSetup, SignalWatch, monotonic_ns, thread_cpu_ns};
use crate::tree_of_config::build_tree;
use crate::verdict::client_stats;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use veracity_client::wire;
use veracity_control::{ChannelLayout, ControlError, ControllerPart, Port, Sensing, Setup, Timing, controllers};
use veracity_engine::{Engine, Settings, helpers};
use veracity_lab::{Session, SessionSetup};
use veracity_model::{Findings, Severity};
use veracity_record::Record;
use veracity_scenario::Scenario;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How the clients are driven.
    pub mode: Mode,
    /// Speed of the robot's computer relative to this one.
    pub cpu_scale: f64,
    /// Use real-time classes if they are allowed.
    pub real_time: bool,
    /// The schedule to replay.
    pub replay: Option<(Head, Vec<Event>)>,
    /// Folder in which programs are searched for first.
    pub folder: PathBuf,
    /// Folder for the clients' output; `None` discards it.
    pub output: Option<PathBuf>,
    /// The library preloaded into unmodified programs.
    pub preload: Option<PathBuf>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Consistent,
            cpu_scale: 1.0,
            real_time: true,
            replay: None,
            folder: PathBuf::new(),
            output: None,
            preload: None,
        }
    }
}

/// Result of a run.
pub struct Run {
    /// Record of the motion; its deterministic part repeats when the schedule does.
    pub record: Record,
    /// Summary of the programs.
    pub summary: RunSummary,
    /// Head of the schedule.
    pub head: Head,
    /// The schedule.
    pub events: Vec<Event>,
}

/// Runs the scenario and its programs on one engine. The calling thread becomes the coordinator until the run is over.
pub fn run(
    engine: &dyn Engine,
    settings: &Settings,
    scenario: &Scenario,
    config: &TempoConfig,
    options: &RunOptions,
) -> Result<Run, TempoError> {
    let mut open = OpenRun::open(engine, settings, scenario, config, options)?;
    let spent = open.step_to_the_end()?;
    let run = open.summarise(&spent, options);
    let recorded = options.replay.as_ref().and_then(|(head, _)| head.digest.as_ref());
    if recorded.is_some_and(|digest| Some(digest) != run.head.digest.as_ref()) && !run.summary.interrupted {
        return Err(TempoError::new(
            "replay-schedule",
            "the replayed motion differs from the recorded one, although every command and plan is the same: was the \
             scenario, a model file or the engine changed since?",
        ));
    }
    Ok(run)
}

/// A run whose programs have been started.
struct OpenRun {
    session: Session,
    coordinator: Arc<Mutex<Coordinator>>,
    head: Head,
    mode: Mode,
}

/// Host time spent on the steps of a run, before the programs' own [ns].
struct Spent {
    wall_ns: i64,
    coordinator_ns: i64,
    dynamics_ns: i64,
    armings: u64,
}

impl OpenRun {
    /// Checks the configuration, opens the session and starts the programs.
    fn open(
        engine: &dyn Engine,
        settings: &Settings,
        scenario: &Scenario,
        config: &TempoConfig,
        options: &RunOptions,
    ) -> Result<Self, TempoError> {
        config.check("tempo")?;
        if !(options.cpu_scale.is_finite() && options.cpu_scale > 0.0) {
            return Err(TempoError::new(
                "cpu-scale",
                "must be positive: 0.3 means a computer a third as fast as this one",
            ));
        }
        let mut scenario = scenario.clone();
        scenario.step_ns = config.step_s.map_or(scenario.step_ns, ns);
        scenario.duration_ns = config.duration_s.map_or(scenario.duration_ns, ns);
        scenario.step_fits(scenario.step_ns).map_err(|e| TempoError::new("step_s", e))?;
        let head = head_of(&scenario, settings, config);
        check_replay(&head, config, options)?;
        let mode = if options.replay.is_some() { Mode::Replay } else { options.mode };
        let core = PinnedCore::take(options.real_time, mode != Mode::Callback);
        let coordinator = Coordinator::new(core, build_tree(config)?, mode, head.step_ns)?;
        let coordinator = Arc::new(Mutex::new(coordinator));
        let step_ns = head.step_ns;
        let setup = SessionSetup {
            scenario: Arc::new(scenario),
            overrides: Vec::new(),
            step_ns,
            seed: config.seed,
            index: 0,
        };
        let builtin = setup.scenario.controllers.clone();
        let mut trouble = None;
        let session = Session::open_with(engine, settings, setup, |around, sensing| {
            let mut parts: Vec<ControllerPart> =
                builtin.iter().map(|c| controllers::build(c, around, sensing)).collect::<Result<_, _>>()?;
            for (i, client) in config.clients.iter().enumerate() {
                let command = command_layout(client, around)?;
                let start = Start { config, client, options, mode, duration_ns: head.duration_ns };
                if let Err(error) = start.start(&mut lock(&coordinator), around, sensing, &command) {
                    let failure = ControlError::new(error.place.clone(), error.what.clone());
                    trouble = Some(error);
                    return Err(failure);
                }
                let controller =
                    Box::new(Mailbox { name: client.name.clone(), client: i, coordinator: Arc::clone(&coordinator) });
                let timing = Timing { latency_ns: ns(client.latency_s), ..Timing::every(step_ns) };
                let (name, noise) = (client.name.clone(), Default::default());
                parts.push(ControllerPart { name, timing, controller, command, noise });
            }
            Ok(parts)
        });
        let session = match (session, trouble) {
            (Ok(session), _) => session,
            (Err(_), Some(error)) => return Err(error),
            (Err(refusal), None) => return Err(TempoError::new("scenario", refusal.0.to_string())),
        };
        if let Some((_, events)) = &options.replay {
            lock(&coordinator).follow(events);
        }
        lock(&coordinator).reserve((head.duration_ns / step_ns) as u64 + 1);
        Ok(Self { session, coordinator, head, mode })
    }

    /// Steps the dynamics and the programs until the duration is reached or the session ends.
    fn step_to_the_end(&mut self) -> Result<Spent, TempoError> {
        let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
        let armings = lock(&self.coordinator).timer.armings;
        let elsewhere = helpers::any_here();
        let helped_before_s = helpers::cpu_s_here();
        let mut dynamics = Stopwatch::new(lock(&self.coordinator).core.real_time && !elsewhere);
        while self.session.outcome().is_none()
            && self.session.time_ns() < self.head.duration_ns
            && !SignalWatch::interrupted()
        {
            let end = (self.session.time_ns() + self.head.step_ns).min(self.head.duration_ns);
            if elsewhere && self.mode == Mode::Consistent {
                lock(&self.coordinator).stop_all_clients();
            }
            // In a callback the clients run inside the tick: the coordinator's small cost there counts as dynamics.
            let session = &mut self.session;
            dynamics.time(|| session.advance_to(end));
            lock(&self.coordinator).run_to(end)?;
        }
        let coordinator = lock(&self.coordinator);
        let preempting = coordinator.preemptor.as_ref().map_or((0, 0), Preemptor::cost);
        let used_ns = thread_cpu_ns() - cpu + preempting.0;
        let helped_ns = ns(helpers::cpu_s_here() - helped_before_s);
        Ok(Spent {
            wall_ns: monotonic_ns() - wall,
            coordinator_ns: used_ns - dynamics.total_ns,
            dynamics_ns: dynamics.total_ns + helped_ns,
            armings: coordinator.timer.armings - armings + preempting.1,
        })
    }

    /// Ends the programs and collects the results.
    fn summarise(self, spent: &Spent, options: &RunOptions) -> Run {
        let simulated_ns = self.session.time_ns();
        let mut coordinator = lock(&self.coordinator);
        coordinator.finish();
        let seconds = |ns: i64| ns as f64 * 1e-9;
        let cost = Cost {
            coordinator_cpu_s: seconds(spent.coordinator_ns),
            dynamics_cpu_s: seconds(spent.dynamics_ns),
            clients_cpu_s: seconds(coordinator.slots.iter().map(|s| s.account.cpu_used_ns()).sum()),
            wall_s: seconds(spent.wall_ns),
            armings: spent.armings,
        };
        let real_time = coordinator.core.real_time;
        let slots = &coordinator.slots;
        let mut notes = notes(slots, self.mode, real_time, options);
        let interrupted = SignalWatch::interrupted();
        if interrupted {
            let text = format!("interrupted: all numbers are about the first {} s", seconds(simulated_ns));
            notes.add(Severity::Warning, "interrupted", None, "", text);
        }
        let clients = slots.iter().map(|slot| client_stats(slot, self.mode, real_time, simulated_ns)).collect();
        let summary = RunSummary {
            clients,
            delta: std::mem::take(&mut coordinator.delta),
            stalls: std::mem::take(&mut coordinator.stalls),
            cost,
            real_time,
            cpu_scale: options.cpu_scale,
            simulated_ns,
            interrupted,
            notes,
        };
        let events = std::mem::take(&mut coordinator.events);
        // The programs have ended and the core is released before the result is returned.
        coordinator.slots.clear();
        drop(coordinator);
        let record = self.session.finish();
        let head = Head { digest: Some(record.digest().to_string()), ..self.head };
        Run { record, summary, head, events }
    }
}

fn ns(s: f64) -> i64 {
    (s * 1e9).round() as i64
}

fn head_of(scenario: &Scenario, settings: &Settings, config: &TempoConfig) -> Head {
    Head {
        schema: SCHEMA,
        scenario: scenario.name.clone(),
        engine: settings.full_spec(),
        step_ns: scenario.step_ns,
        duration_ns: scenario.duration_ns,
        seed: config.seed,
        clients: config.clients.iter().map(|c| c.name.clone()).collect(),
        digest: None,
    }
}

/// Whether the schedule to replay is of this run, and every program can be replayed.
fn check_replay(head: &Head, config: &TempoConfig, options: &RunOptions) -> Result<(), TempoError> {
    let Some((recorded, _)) = &options.replay else { return Ok(()) };
    if !recorded.is_of(head) {
        return Err(TempoError::new(
            "replay-schedule",
            "the schedule is of another scenario, engine, step, duration, seed or set of clients",
        ));
    }
    if let Some(client) = config.clients.iter().find(|c| c.kind == ClientKind::Unmodified && c.link.is_none()) {
        let what = "an unmodified program without a link cannot be replayed: its clock readings are not recorded";
        return Err(TempoError::new(format!("clients/{}", client.name), what));
    }
    Ok(())
}

/// How far the numbers can be trusted.
fn notes(slots: &[ClientSlot], mode: Mode, real_time: bool, options: &RunOptions) -> Findings {
    let mut notes = Findings::new();
    let mut add = |severity, code, text: String| notes.add(severity, code, None, "", text);
    if !real_time && mode != Mode::Callback {
        add(
            Severity::Note,
            "no-real-time",
            "without CAP_SYS_NICE clients run in the idle class: charges are correct, other work on the core \
             only makes the run longer; a client that blocks is noticed when its slice ends"
                .to_string(),
        );
    }
    let wall: Vec<&str> = slots.iter().filter(|s| !s.has_virtual_clocks()).map(|s| s.config.name.as_str()).collect();
    if mode == Mode::Consistent && !wall.is_empty() {
        add(
            Severity::Warning,
            "wall-clock",
            format!(
                "the preloaded library is not used, or cannot be, in {}: only the client library's time is virtual \
                 there, the C library's clocks show wall time",
                wall.join(", ")
            ),
        );
    }
    if mode == Mode::Callback {
        add(
            Severity::Warning,
            "callback-mode",
            "programs ran in a callback, as simulators do: the world stood still while they computed, and whether a \
             robot's programs would meet their rates was not tested; Delta is how far they got ahead of the world"
                .to_string(),
        );
    }
    let failed = |slot: &ClientSlot| slot.has_ended() && !slot.stats.troubles.is_empty();
    if options.output.is_none() && slots.iter().any(failed) {
        let text = "a program ended early; --output FOLDER saves what programs print";
        add(Severity::Note, "output-not-saved", text.to_string());
    }
    notes
}

fn lock(coordinator: &Arc<Mutex<Coordinator>>) -> std::sync::MutexGuard<'_, Coordinator> {
    coordinator.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn command_layout(client: &ClientConfig, around: &Setup<'_>) -> Result<Arc<ChannelLayout>, ControlError> {
    let channel = |name: &String| {
        let port =
            Port::parse(around.layout, name).map_err(|w| ControlError::new(format!("clients/{}", client.name), w))?;
        Ok((name.clone(), port.channel(around.layout).1))
    };
    let channels = client.commands.iter().map(channel).collect::<Result<_, ControlError>>()?;
    Ok(Arc::new(ChannelLayout { channels }))
}

/// What starting a client needs to know about the run.
struct Start<'a> {
    config: &'a TempoConfig,
    client: &'a ClientConfig,
    options: &'a RunOptions,
    mode: Mode,
    duration_ns: i64,
}

impl Start<'_> {
    fn start(
        &self,
        coordinator: &mut Coordinator,
        around: &Setup<'_>,
        sensing: &Sensing,
        command: &ChannelLayout,
    ) -> Result<(), TempoError> {
        let (client, options) = (self.client, self.options);
        let nothing = ChannelLayout::default();
        let is_alone = client.kind == ClientKind::Unmodified && client.link.is_none();
        let mut link = Link::open(client, sensing.layout())?;
        let factor = 1.0 / options.cpu_scale;
        let head = PageHead {
            observation: if is_alone { &nothing } else { sensing.layout() },
            command,
            mode: match self.mode {
                Mode::Consistent => wire::MODE_CONSISTENT,
                Mode::Callback => wire::MODE_CALLBACK,
                Mode::Replay => wire::MODE_REPLAY,
            },
            step_ns: around.step_ns,
            period_ns: client.rate_hz.map_or(0, |r| (1e9 / r).round() as i64),
            duration_ns: self.duration_ns,
            seed: self.config.seed,
            cpu_factor: factor,
        };
        let core = &coordinator.core;
        let setup = ChildSetup { core: core.core, class: core.client_class(), keep: Vec::new() };
        let program = find_program(&client.program, &options.folder);
        let (preload, output) = (options.preload.as_deref(), options.output.as_deref());
        let process = Process::start(client, &program, &head, setup, preload, output, link.as_mut())?;
        let place_of = |name: &String| self.config.clients.iter().position(|c| c.name == *name);
        let plans_to = client.plans_to.iter().filter_map(place_of).collect();
        coordinator.add_client(ClientSlot::new(client.clone(), process, factor, plans_to, link))
    }
}
