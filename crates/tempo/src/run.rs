//! A run: the scenario in a session of the lab, its programs under the coordinator, step by step.
//!
//! In step `k`, from `T = k h` to `T + h`: commands stamped up to `T` come into force, sensors observe `T`, the
//! dynamics advances to `T + h`, and then every client runs through `T … T + h` with the observation of `T`. No client
//! sees the future, and a command acts from the first step that begins at or after its stamp.

use crate::client_slot::ClientSlot;
use crate::config::{ClientConfig, ClientKind, TempoConfig, find_program};
use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::mailbox::Mailbox;
use crate::outcome::{ClientStats, Cost, RateVerdict, RunSummary};
use crate::pinned_core::PinnedCore;
use crate::policies;
use crate::preemptor::Preemptor;
use crate::process::{PageHead, Process};
use crate::schedule::{Event, Head, SCHEMA};
use crate::stopwatch::Stopwatch;
use crate::sys::{ChildSetup, monotonic_ns, thread_cpu_ns};
use crate::tree::Tree;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use veracity_client::wire;
use veracity_control::{ChannelLayout, ControlError, ControllerPart, Port, Sensing, Setup, Timing, controllers};
use veracity_engine::{Engine, Settings, helpers};
use veracity_lab::{Session, SessionSetup};
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
    config.check("tempo")?;
    if !(options.cpu_scale.is_finite() && options.cpu_scale > 0.0) {
        return Err(TempoError::new(
            "cpu-scale",
            "must be positive: 0.3 means a computer a third as fast as this one",
        ));
    }
    let mut scenario = scenario.clone();
    let ns = |s: f64| (s * 1e9).round() as i64;
    scenario.step_ns = config.step_s.map_or(scenario.step_ns, ns);
    scenario.duration_ns = config.duration_s.map_or(scenario.duration_ns, ns);
    let (step_ns, duration_ns) = (scenario.step_ns, scenario.duration_ns);
    scenario.step_fits(step_ns).map_err(|e| TempoError::new("step_s", e))?;
    let head = Head {
        schema: SCHEMA,
        scenario: scenario.name.clone(),
        engine: settings.full_spec(),
        step_ns,
        duration_ns,
        seed: config.seed,
        clients: config.clients.iter().map(|c| c.name.clone()).collect(),
    };
    if let Some((recorded, _)) = &options.replay {
        if *recorded != head {
            return Err(TempoError::new(
                "replay-schedule",
                "the schedule is of another scenario, engine, step, duration, seed or set of clients",
            ));
        }
        if let Some(client) = config.clients.iter().find(|c| c.kind == ClientKind::Unmodified) {
            let what = "an unmodified program cannot be replayed: its clock readings are not recorded";
            return Err(TempoError::new(format!("clients/{}", client.name), what));
        }
    }
    let mode = if options.replay.is_some() { Mode::Replay } else { options.mode };
    let core = PinnedCore::take(options.real_time, mode != Mode::Callback);
    let coordinator = Coordinator::new(core, build_tree(config)?, mode, step_ns)?;
    let coordinator = Arc::new(Mutex::new(coordinator));
    let setup =
        SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: config.seed, index: 0 };
    let builtin = setup.scenario.controllers.clone();
    let mut trouble = None;
    let session = Session::open_with(engine, settings, setup, |around, sensing| {
        let mut parts: Vec<ControllerPart> =
            builtin.iter().map(|c| controllers::build(c, around, sensing)).collect::<Result<_, _>>()?;
        for (i, client) in config.clients.iter().enumerate() {
            let command = command_layout(client, around)?;
            let started =
                start_client(&coordinator, config, client, around, sensing, &command, options, mode, duration_ns);
            if let Err(error) = started {
                let failure = ControlError::new(error.place.clone(), error.what.clone());
                trouble = Some(error);
                return Err(failure);
            }
            let controller =
                Box::new(Mailbox { name: client.name.clone(), client: i, coordinator: Arc::clone(&coordinator) });
            let timing = Timing { latency_ns: ns(client.latency_s), ..Timing::every(step_ns) };
            parts.push(ControllerPart { name: client.name.clone(), timing, controller, command });
        }
        if let Some((_, events)) = &options.replay {
            let mut coordinator = lock(&coordinator);
            coordinator.replay = vec![Default::default(); config.clients.len()];
            for event in events.iter().filter(|e| e.what.is_replayed()) {
                coordinator.replay[event.client as usize].push_back(*event);
            }
        }
        Ok(parts)
    });
    let mut session = match (session, trouble) {
        (Ok(session), _) => session,
        (Err(_), Some(error)) => return Err(error),
        (Err(refusal), None) => return Err(TempoError::new("scenario", refusal.0.to_string())),
    };

    lock(&coordinator).reserve((duration_ns / step_ns) as u64 + 1);
    let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
    let armings = lock(&coordinator).timer.armings;
    let elsewhere = helpers::any_here();
    let helped_before_s = helpers::cpu_s_here();
    let mut dynamics = Stopwatch::new(lock(&coordinator).core.real_time && !elsewhere);
    while session.outcome().is_none() && session.time_ns() < duration_ns {
        let end = (session.time_ns() + step_ns).min(duration_ns);
        if elsewhere && mode == Mode::Consistent {
            lock(&coordinator).stop_all_clients();
        }
        // In a callback the clients run inside the tick: the coordinator's small cost there counts as dynamics.
        dynamics.time(|| session.advance_to(end));
        lock(&coordinator).run_to(end)?;
    }
    let preempting = lock(&coordinator).preemptor.as_ref().map_or((0, 0), Preemptor::cost);
    let (used, dynamics_ns) = (thread_cpu_ns() - cpu + preempting.0, dynamics.total_ns);
    let helped_s = helpers::cpu_s_here() - helped_before_s;
    let wall_s = (monotonic_ns() - wall) as f64 * 1e-9;
    let simulated_ns = session.time_ns();
    let mut coordinator = lock(&coordinator);
    coordinator.finish();
    let clients_cpu: i64 = coordinator.slots.iter().map(|s| s.cpu_ns - s.cpu0_ns).sum();
    let cost = Cost {
        coordinator_cpu_s: (used - dynamics_ns) as f64 * 1e-9,
        dynamics_cpu_s: dynamics_ns as f64 * 1e-9 + helped_s,
        clients_cpu_s: clients_cpu as f64 * 1e-9,
        wall_s,
        armings: coordinator.timer.armings - armings + preempting.1,
    };
    let (real_time, stalls) = (coordinator.core.real_time, std::mem::take(&mut coordinator.stalls));
    let mut notes = Vec::new();
    if !real_time && mode != Mode::Callback {
        notes.push(
            "without CAP_SYS_NICE clients run in the idle class: charges are correct, other work on the core \
             only makes the run longer; a client that blocks is noticed when its slice ends"
                .to_string(),
        );
    }
    if mode == Mode::Callback {
        notes.push(
            "programs ran in a callback, as simulators do: the world stood still while they computed, and whether a \
             robot's programs would meet their rates was not tested; Delta is how far they got ahead of the world"
                .to_string(),
        );
    }
    let failed = |slot: &ClientSlot| slot.ended && !slot.stats.troubles.is_empty();
    if options.output.is_none() && coordinator.slots.iter().any(failed) {
        notes.push("a program ended early; --output FOLDER saves what programs print".to_string());
    }
    let clients =
        coordinator.slots.iter_mut().map(|slot| client_stats(slot, mode, real_time, simulated_ns)).collect();
    let delta = std::mem::take(&mut coordinator.delta);
    let cpu_scale = options.cpu_scale;
    let summary = RunSummary { clients, delta, stalls, cost, real_time, cpu_scale, simulated_ns, notes };
    let events = std::mem::take(&mut coordinator.events);
    // The programs have ended and the core is released before the result is returned.
    coordinator.slots.clear();
    drop(coordinator);
    Ok(Run { record: session.finish(), summary, head, events })
}

fn lock(coordinator: &Arc<Mutex<Coordinator>>) -> std::sync::MutexGuard<'_, Coordinator> {
    coordinator.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn build_tree(config: &TempoConfig) -> Result<Tree, TempoError> {
    let policy = |place: &str, name: &str| {
        policies::policy(name).ok_or_else(|| {
            let known: Vec<&str> = policies::POLICIES.iter().map(|p| p.name()).collect();
            TempoError::new(place, format!("unknown policy '{name}'; known: {}", known.join(", ")))
        })
    };
    let mut tree = Tree::new(policy("policy", &config.policy)?);
    let mut nodes: Vec<(&str, usize)> = Vec::new();
    let find = |nodes: &[(&str, usize)], group: &Option<String>, place: &str| match group {
        None => Ok(0),
        Some(name) => nodes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, node)| *node)
            .ok_or_else(|| TempoError::new(place, format!("group '{name}' must be defined before its members"))),
    };
    for group in &config.groups {
        let place = format!("groups/{}", group.name);
        if nodes.iter().any(|(n, _)| *n == group.name) {
            return Err(TempoError::new(place, "another group has this name; names must be unique"));
        }
        let parent = find(&nodes, &group.group, &place)?;
        let node = tree.add_inner(parent, policy(&place, &group.policy)?, group.priority);
        nodes.push((&group.name, node));
    }
    for client in &config.clients {
        let parent = find(&nodes, &client.group, &format!("clients/{}", client.name))?;
        tree.add_leaf(parent, client.priority);
    }
    Ok(tree)
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

#[allow(clippy::too_many_arguments)]
fn start_client(
    coordinator: &Arc<Mutex<Coordinator>>,
    config: &TempoConfig,
    client: &ClientConfig,
    around: &Setup<'_>,
    sensing: &Sensing,
    command: &ChannelLayout,
    options: &RunOptions,
    mode: Mode,
    duration_ns: i64,
) -> Result<(), TempoError> {
    let mut coordinator = lock(coordinator);
    let nothing = ChannelLayout::default();
    let factor = 1.0 / options.cpu_scale;
    let head = PageHead {
        observation: if client.kind == ClientKind::Unmodified { &nothing } else { sensing.layout() },
        command,
        mode: match mode {
            Mode::Consistent => wire::MODE_CONSISTENT,
            Mode::Callback => wire::MODE_CALLBACK,
            Mode::Replay => wire::MODE_REPLAY,
        },
        step_ns: around.step_ns,
        period_ns: client.rate_hz.map_or(0, |r| (1e9 / r).round() as i64),
        duration_ns,
        seed: config.seed,
        cpu_factor: factor,
    };
    let setup = ChildSetup { core: coordinator.core.core, class: coordinator.core.client_class(), keep: Vec::new() };
    let program = find_program(&client.program, &options.folder);
    let process =
        Process::start(client, &program, &head, setup, options.preload.as_deref(), options.output.as_deref())?;
    let place_of = |name: &String| config.clients.iter().position(|c| c.name == *name);
    let plans_to = client.plans_to.iter().filter_map(place_of).collect();
    coordinator.add_client(ClientSlot::new(client.clone(), process, factor, plans_to))
}

/// Statistics of a client, with its verdict.
fn client_stats(slot: &mut ClientSlot, mode: Mode, real_time: bool, simulated_ns: i64) -> ClientStats {
    let mut stats = slot.stats.clone();
    let threads = "a program with threads is not metered reliably without CAP_SYS_NICE";
    if !slot.is_periodic() && !real_time && stats.threads > 1 && mode == Mode::Consistent {
        stats.verdict = Some(RateVerdict { verdict: "cannot tell", reason: threads.to_string(), margin: None });
    }
    if !slot.is_periodic() || mode != Mode::Consistent {
        return stats;
    }
    let margin = (stats.activations > 0).then(|| 1.0 - stats.worst_response_ns as f64 / slot.deadline_ns as f64);
    let expected = ((simulated_ns - (slot.config.phase_s * 1e9) as i64).max(0) + slot.period_ns - 1) / slot.period_ns;
    let us = |ns: i64| ns as f64 * 1e-3;
    let (worst, deadline) = (us(stats.worst_response_ns), us(slot.deadline_ns));
    let (verdict, reason) = if let Some(how) = &stats.ended {
        ("rejected", how.clone())
    } else if let Some(trouble) = stats.troubles.first() {
        ("cannot tell", trouble.what.clone())
    } else if !real_time && stats.threads > 1 {
        ("cannot tell", threads.to_string())
    } else if stats.misses + stats.skipped > 0 {
        let missed = stats.misses + stats.skipped;
        (
            "rejected",
            format!(
                "{missed} of {expected} activations were late or skipped; worst {worst:.1} us of {deadline:.1} us"
            ),
        )
    } else if (stats.activations as i64) + 1 < expected {
        ("rejected", format!("only {} of {expected} activations were completed", stats.activations))
    } else {
        ("accepted", format!("{} activations, worst {worst:.1} us of {deadline:.1} us", stats.activations))
    };
    stats.verdict = Some(RateVerdict { verdict, reason, margin });
    stats
}
