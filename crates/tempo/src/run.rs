//! A run: the scenario in a session of the lab, its programs with the coordinator, one step after the other.
//!
//! In step `k`, from `T = k h` to `T + h`: commands stamped up to `T` come into force, sensors see `T`, the dynamics goes to
//! `T + h`, and then every client lives through `T … T + h` seeing the observation of `T`. Nobody ever sees the future, and a
//! command acts from the first step that begins at or after it was given.

use crate::config::{ClientConfig, ClientKind, TempoConfig, find_program};
use crate::coordinator::{Coordinator, Mode};
use crate::core_of_ours::CoreOfOurs;
use crate::error::TempoError;
use crate::mailbox::Mailbox;
use crate::outcome::{ClientStats, Cost, RateVerdict, Told};
use crate::policies;
use crate::preemptor::Preemptor;
use crate::process::{PageHead, Process};
use crate::schedule::{Event, Head, SCHEMA};
use crate::seat::Seat;
use crate::stopwatch::Stopwatch;
use crate::sys::{Birth, monotonic_ns, thread_cpu_ns};
use crate::tree::Tree;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use veracity_client::wire;
use veracity_control::{ChannelLayout, ControlError, ControllerPart, Port, Sensing, Setup, Timing, controllers};
use veracity_engine::{Engine, Settings, helpers};
use veracity_lab::{Session, SessionSetup};
use veracity_record::Record;
use veracity_scenario::Scenario;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// See there.
    pub mode: Mode,
    /// Speed of the robot's computer as a multiple of this one's.
    pub cpu_scale: f64,
    /// Use real-time classes if they are allowed.
    pub real_time: bool,
    /// The schedule to replay.
    pub replay: Option<(Head, Vec<Event>)>,
    /// Programs are looked for here first.
    pub folder: PathBuf,
    /// The clients' output goes here.
    pub output: Option<PathBuf>,
    /// The library for unmodified programs.
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

/// What a run leaves.
pub struct Run {
    /// Of the motion; its deterministic part repeats when the schedule does.
    pub record: Record,
    /// Of the programs.
    pub told: Told,
    /// Of the schedule.
    pub head: Head,
    /// The schedule.
    pub events: Vec<Event>,
}

/// Runs it on one engine. The calling thread becomes the coordinator until it is over.
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
            "it must be above zero: 0.3 is a computer a third as fast as this one",
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
            let what = "an unmodified program cannot be replayed: what its clock told it is not recorded";
            return Err(TempoError::new(format!("clients/{}", client.name), what));
        }
    }
    let mode = if options.replay.is_some() { Mode::Replay } else { options.mode };
    let core = CoreOfOurs::take(options.real_time, mode != Mode::Callback);
    let coordinator = Coordinator::new(core, tree_of(config)?, mode, step_ns)?;
    let coordinator = Arc::new(Mutex::new(coordinator));
    let setup =
        SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: config.seed, index: 0 };
    let builtin = setup.scenario.controllers.clone();
    let mut trouble = None;
    let session = Session::open_with(engine, settings, setup, |around, sensing| {
        let mut parts: Vec<ControllerPart> =
            builtin.iter().map(|c| controllers::build(c, around, sensing)).collect::<Result<_, _>>()?;
        for (i, client) in config.clients.iter().enumerate() {
            let command = commands_of(client, around)?;
            let seated = seat(&coordinator, config, client, around, sensing, &command, options, mode, duration_ns);
            if let Err(error) = seated {
                let told = ControlError::new(error.place.clone(), error.what.clone());
                trouble = Some(error);
                return Err(told);
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

    lock(&coordinator).make_room((duration_ns / step_ns) as u64 + 1);
    let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
    let armings = lock(&coordinator).timer.armings;
    let elsewhere = helpers::any_here();
    let helped_before_s = helpers::cpu_s_here();
    let mut dynamics = Stopwatch::new(lock(&coordinator).core.real_time && !elsewhere);
    while session.outcome().is_none() && session.time_ns() < duration_ns {
        let end = (session.time_ns() + step_ns).min(duration_ns);
        if elsewhere && mode == Mode::Consistent {
            lock(&coordinator).hold_everybody();
        }
        // In a callback the clients run inside the tick: what they cost us there is the coordinator's, and small.
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
    let clients_cpu: i64 = coordinator.seats.iter().map(|s| s.cpu_ns - s.cpu0_ns).sum();
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
            "without CAP_SYS_NICE clients run in the idle class: what they are charged is right, other work on the core \
             only makes the run longer; a client that blocks is noticed when its slice ends"
                .to_string(),
        );
    }
    if mode == Mode::Callback {
        notes.push(
            "programs were run in a callback, as simulators do: the world stood still while they computed, and whether a \
             robot's programs would keep their rate was not asked; Delta is how far they got ahead of it"
                .to_string(),
        );
    }
    let failed = |seat: &Seat| seat.ended && !seat.stats.troubles.is_empty();
    if options.output.is_none() && coordinator.seats.iter().any(failed) {
        notes.push("a program ended early; --output FOLDER keeps what programs print".to_string());
    }
    let clients = coordinator.seats.iter_mut().map(|seat| judged(seat, mode, real_time, simulated_ns)).collect();
    let delta = std::mem::take(&mut coordinator.delta);
    let cpu_scale = options.cpu_scale;
    let told = Told { clients, delta, stalls, cost, real_time, cpu_scale, simulated_ns, notes };
    let events = std::mem::take(&mut coordinator.events);
    // The programs are gone and the core is given back before anybody reads the result.
    coordinator.seats.clear();
    drop(coordinator);
    Ok(Run { record: session.finish(), told, head, events })
}

fn lock(coordinator: &Arc<Mutex<Coordinator>>) -> std::sync::MutexGuard<'_, Coordinator> {
    coordinator.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn tree_of(config: &TempoConfig) -> Result<Tree, TempoError> {
    let policy = |place: &str, name: &str| {
        policies::policy(name).ok_or_else(|| {
            let known: Vec<&str> = policies::POLICIES.iter().map(|p| p.name()).collect();
            TempoError::new(place, format!("there is no policy '{name}'; there are {}", known.join(", ")))
        })
    };
    let mut tree = Tree::new(policy("policy", &config.policy)?);
    let mut nodes: Vec<(&str, usize)> = Vec::new();
    let find = |nodes: &[(&str, usize)], group: &Option<String>, place: &str| match group {
        None => Ok(0),
        Some(name) => nodes.iter().find(|(n, _)| n == name).map(|(_, node)| *node).ok_or_else(|| {
            TempoError::new(place, format!("group '{name}' must be written above what belongs to it"))
        }),
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

fn commands_of(client: &ClientConfig, around: &Setup<'_>) -> Result<Arc<ChannelLayout>, ControlError> {
    let channel = |name: &String| {
        let port =
            Port::parse(around.layout, name).map_err(|w| ControlError::new(format!("clients/{}", client.name), w))?;
        Ok((name.clone(), port.channel(around.layout).1))
    };
    let channels = client.commands.iter().map(channel).collect::<Result<_, ControlError>>()?;
    Ok(Arc::new(ChannelLayout { channels }))
}

#[allow(clippy::too_many_arguments)]
fn seat(
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
    let birth = Birth { core: coordinator.core.core, class: coordinator.core.client_class(), keep: Vec::new() };
    let program = find_program(&client.program, &options.folder);
    let process =
        Process::start(client, &program, &head, birth, options.preload.as_deref(), options.output.as_deref())?;
    let place_of = |name: &String| config.clients.iter().position(|c| c.name == *name);
    let plans_to = client.plans_to.iter().filter_map(place_of).collect();
    coordinator.seat(Seat::new(client.clone(), process, factor, plans_to))
}

/// What is told of a client, with its verdict.
fn judged(seat: &mut Seat, mode: Mode, real_time: bool, simulated_ns: i64) -> ClientStats {
    let mut stats = seat.stats.clone();
    let threads = "a program with threads is not metered reliably without CAP_SYS_NICE";
    if !seat.is_periodic() && !real_time && stats.threads > 1 && mode == Mode::Consistent {
        stats.verdict = Some(RateVerdict { verdict: "cannot tell", reason: threads.to_string(), margin: None });
    }
    if !seat.is_periodic() || mode != Mode::Consistent {
        return stats;
    }
    let margin = (stats.activations > 0).then(|| 1.0 - stats.worst_response_ns as f64 / seat.deadline_ns as f64);
    let expected = ((simulated_ns - (seat.config.phase_s * 1e9) as i64).max(0) + seat.period_ns - 1) / seat.period_ns;
    let us = |ns: i64| ns as f64 * 1e-3;
    let (worst, deadline) = (us(stats.worst_response_ns), us(seat.deadline_ns));
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
        ("rejected", format!("only {} of {expected} activations were done", stats.activations))
    } else {
        ("accepted", format!("{} activations, worst {worst:.1} us of {deadline:.1} us", stats.activations))
    };
    stats.verdict = Some(RateVerdict { verdict, reason, margin });
    stats
}
