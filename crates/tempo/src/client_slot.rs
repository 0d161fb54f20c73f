//! The coordinator's view of one client: its state, its timing parameters, its account, its commands and plans.

use crate::account::Account;
use crate::command_queue::CommandQueue;
use crate::config::ClientConfig;
use crate::link::Link;
use crate::outcome::{ClientStats, TimedFinding};
use crate::process::Process;
use crate::schedule::EventKind;
use std::collections::VecDeque;
use veracity_client::wire;
use veracity_model::{Finding, Severity};

/// A client's stamps may be ahead of its charged time by this much [ns]: it reads its clock while it runs. Stamps beyond
/// that are invalid.
const STAMP_SLACK_NS: i64 = 1_000_000_000;

/// CPU time of a client's processes that may be missing in its account without making it doubtful: this part, or what
/// the ending of a few processes costs [ns].
const UNMETERED_PART: i64 = 50;
const UNMETERED_NS: i64 = 10_000_000;

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits, until a virtual time unless the answer is pending.
    Waiting(Wait),
    /// It computes, and it is its turn.
    Running,
    /// It computes, and is kept from running until its turn.
    Parked,
    /// It sleeps in a system call of its own, and is kept from running until its turn.
    Blocked,
    /// It has ended.
    Ended,
}

/// What a client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The answer to a question; in a replay, the recorded one.
    Answer,
    /// Its next activation.
    Activation,
    /// A time, or the next step of the dynamics.
    Time,
    /// All its threads sleep, at least one of them with a time limit.
    Sleep,
    /// Descriptors, in `poll` or one of its relatives, or a time.
    Input,
    /// The next message on its link, in a system call of its own.
    Message,
}

/// Timing parameters. Times are nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Period; 0 unless periodic.
    pub period_ns: i64,
    /// Deadline of an activation, counted from its due time.
    pub deadline_ns: i64,
    /// CPU time budget of an activation.
    pub budget_ns: Option<i64>,
}

/// An activation in progress.
#[derive(Clone, Copy, Debug)]
pub struct Activation {
    /// Executed time when it began [ns].
    pub executed_at_wake_ns: i64,
    /// Whether it has exceeded its budget.
    pub over_budget: bool,
    /// Time in it that the host may have spent elsewhere [ns].
    pub suspect_ns: i64,
}

/// One client of a run.
pub struct ClientSlot {
    /// Its entry in the configuration file.
    pub config: ClientConfig,
    /// Its process.
    pub process: Process,
    /// What it does.
    pub state: State,
    /// When it has to run.
    pub timing: Timing,
    /// What it has used.
    pub account: Account,
    /// Activations begun.
    pub activations_begun: u64,
    /// The activation in progress.
    pub activation: Option<Activation>,
    /// Due time of the current or next activation [ns].
    pub due_ns: i64,
    /// Due time of the first activation: work before the first wait is not an activation [ns].
    pub first_due_ns: i64,
    /// Wall time of its slices since its last question that is neither CPU time nor waiting for the core [ns]: without
    /// real-time classes, where no detector sees it sleep.
    pub unexplained_ns: i64,
    /// System calls it has slept uninterruptibly in.
    pub device_calls: Vec<String>,
    /// The system call it sleeps in by itself.
    pub blocked_in: Option<String>,
    /// The question of a client with threads, which waits for its answer while others of its threads may compute: until
    /// when [ns], and what for.
    pub asked: Option<(i64, Wait)>,
    /// Its threads, if it has more than one.
    pub threads: Vec<crate::threads::Thread>,
    /// Its commands.
    pub commands: CommandQueue,
    /// In a replay, its last command.
    pub commanded: Option<Box<[f64]>>,
    /// How it exchanges messages with the robot; `None` with the client library, or without a robot.
    pub link: Option<Link>,
    /// Pending plans for it, with their stamps.
    pub plans: VecDeque<(i64, Vec<f64>)>,
    /// Indices of the clients that receive its plans.
    pub plans_to: Vec<usize>,
    /// Its statistics.
    pub stats: ClientStats,
    log_taken: u64,
}

impl ClientSlot {
    /// A client that has just connected.
    pub fn new(
        config: ClientConfig,
        process: Process,
        factor: f64,
        plans_to: Vec<usize>,
        link: Option<Link>,
    ) -> Self {
        let period_ns = config.rate_hz.map_or(0, |r| (1e9 / r).round() as i64);
        let ns = |s: f64| (s * 1e9).round() as i64;
        let timing = Timing {
            period_ns,
            deadline_ns: config.deadline_s.map_or(period_ns, ns),
            budget_ns: config.budget_s.map(ns),
        };
        Self {
            state: State::Waiting(Wait::Answer),
            timing,
            account: Account::new(factor),
            activations_begun: 0,
            activation: None,
            due_ns: ns(config.phase_s),
            first_due_ns: ns(config.phase_s),
            unexplained_ns: 0,
            device_calls: Vec::new(),
            blocked_in: None,
            asked: None,
            threads: Vec::new(),
            commands: CommandQueue::new(config.commands.len()),
            commanded: None,
            link,
            plans: VecDeque::new(),
            plans_to,
            stats: ClientStats { name: config.name.clone(), ..ClientStats::default() },
            log_taken: 0,
            config,
            process,
        }
    }

    /// Whether it has a rate (a controller).
    pub fn is_periodic(&self) -> bool {
        self.config.rate_hz.is_some()
    }

    /// Whether the preloaded library keeps its clocks and sleeps.
    pub fn has_virtual_clocks(&self) -> bool {
        self.process.has_virtual_clocks
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Whether it waits for the answer to a question.
    pub fn has_asked(&self) -> bool {
        let waits = matches!(self.state, State::Waiting(Wait::Answer | Wait::Activation | Wait::Time | Wait::Input));
        waits || self.asked.is_some()
    }

    /// Begins to count its CPU time.
    pub fn start_account(&mut self) {
        self.process.find_processes();
        let cpu0_ns = self.process.cpu_ns().unwrap_or(0);
        (self.account.cpu0_ns, self.account.cpu_ns) = (cpu0_ns, cpu0_ns);
        self.process.page.set_i64(wire::CPU0_NS, cpu0_ns);
    }

    /// Adds to the granted wait.
    pub fn add_wait(&mut self, ns: i64) {
        self.account.add_wait(&self.process, ns);
    }

    /// Records a finding about the client: a warning or an error makes its numbers doubtful, a note does not. The same
    /// finding is recorded once.
    pub fn record(&mut self, time_ns: i64, severity: Severity, code: &'static str, text: String) {
        let stats = &mut self.stats;
        let list = if severity == Severity::Note { &mut stats.notes } else { &mut stats.troubles };
        if list.len() < 16 && !list.iter().any(|t| t.finding.text == text) {
            let subject = format!("clients/{}", self.config.name);
            list.push(TimedFinding { time_ns, finding: Finding { source: None, severity, code, text, subject } });
        }
    }

    /// Ends its processes and compares what they were charged with what the kernel counted for all that were waited for:
    /// a process that no one saw is in the latter only.
    pub fn settle_account(&mut self, time_ns: i64) {
        let Some((metered_ns, counted_ns)) = self.process.settle() else { return };
        let charged_ns = self.account.cpu_used_ns();
        self.stats.worst_wakeup_ns = self.process.page.get_i64(wire::LATE_NS);
        if !self.device_calls.is_empty() {
            let what = format!(
                "it slept uninterruptibly for {:.3} ms, at most {:.3} ms at once (in {}): charged as this machine took it",
                self.stats.device_ns as f64 * 1e-6,
                self.stats.worst_device_ns as f64 * 1e-6,
                self.device_calls.join(", ")
            );
            self.record(time_ns, Severity::Note, "processes", what);
        }
        if self.process.page.get(wire::COUNTER_SEEN) == 1 {
            let what = "one of its threads read the processor's time stamp counter after it had been let: what it read \
                        before may have been wall time";
            self.record(time_ns, Severity::Warning, "time-stamp-counter", what.to_string());
        }
        self.stats.processes = self.process.tree.most.max(1);
        self.stats.charged_cpu_ns = charged_ns;
        let Some(counted_ns) = counted_ns else {
            let what = "its guard was killed: whether all its processes were metered is not known";
            return self.record(time_ns, Severity::Warning, "cpu-time-unknown", what.to_string());
        };
        let missing_ns = counted_ns - metered_ns;
        self.stats.counted_cpu_ns = Some(charged_ns + missing_ns);
        if missing_ns > (charged_ns / UNMETERED_PART).max(UNMETERED_NS) {
            let what = format!(
                "its processes used {:.3} s of CPU time that were not metered, besides {:.3} s that were",
                missing_ns as f64 * 1e-9,
                charged_ns as f64 * 1e-9
            );
            self.record(time_ns, Severity::Warning, "cpu-time-missing", what);
        }
    }

    /// Reads its log entries. Fails with a description of the first invalid entry.
    pub fn drain(&mut self, mut emit: impl FnMut(EventKind)) -> Result<(), String> {
        let page = &self.process.page;
        let written = page.get(wire::LOG_WRITTEN);
        if written < self.log_taken || written - self.log_taken > wire::LOG_ENTRIES {
            return Err(format!("its log counts {written} entries where {} were read", self.log_taken));
        }
        while self.log_taken < written {
            let places = self.process.places;
            let at = places.log + (self.log_taken % wire::LOG_ENTRIES) as usize * places.entry;
            let (kind, stamp) = (page.get(at), page.get_i64(at + 1));
            match kind {
                wire::LOG_OBSERVE => emit(EventKind::Observe),
                wire::LOG_TIME => emit(EventKind::Time { ns: stamp }),
                wire::LOG_COMMAND => {
                    let latest = self.account.progress_ns();
                    if stamp > latest + STAMP_SLACK_NS || stamp < 0 {
                        return Err(format!("a command is stamped {stamp} ns at {latest} ns"));
                    }
                    let ns = self.commands.stamp(stamp);
                    let row = (0..self.commands.width()).map(|i| page.get_f64(at + 2 + i));
                    let values = row.clone().collect();
                    if self.commands.push(ns, row) {
                        self.stats.commands += 1;
                    } else {
                        self.stats.commands_refused += 1;
                    }
                    emit(EventKind::Command { ns, values });
                }
                other => return Err(format!("its log has an entry of kind {other}")),
            }
            self.log_taken += 1;
        }
        page.set(wire::LOG_TAKEN, self.log_taken);
        Ok(())
    }

    /// Writes an observation, and the last plan that is due, to the client's page.
    pub fn publish(&mut self, step: u64, time_ns: i64, values: &[f64], stamps_ns: &[i64]) {
        let (page, places) = (&self.process.page, self.process.places);
        page.set(wire::OBSERVATION_SEQUENCE, 2 * step + 1);
        page.set_i64(wire::OBSERVATION_NS, time_ns);
        for (i, value) in values.iter().enumerate() {
            page.set_f64(places.values + i, *value);
        }
        for (i, stamp) in stamps_ns.iter().enumerate() {
            page.set_i64(places.stamps + i, *stamp);
        }
        while self.plans.front().is_some_and(|(stamp, _)| *stamp <= time_ns) {
            let Some((stamp, plan)) = self.plans.pop_front() else { break };
            for (i, number) in plan.iter().enumerate() {
                page.set_f64(places.plan_in + i, *number);
            }
            page.set(wire::PLAN_IN_COUNT, plan.len() as u64);
            page.set_i64(wire::PLAN_IN_NS, stamp);
            page.set(wire::PLAN_IN_ORDINAL, page.get(wire::PLAN_IN_ORDINAL).wrapping_add(1));
        }
        page.set(wire::OBSERVATION_SEQUENCE, 2 * (step + 1));
    }
}
