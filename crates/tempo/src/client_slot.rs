//! The coordinator's state of one client: its timing parameters, its pending question, its CPU time, its commands and
//! plans.

use crate::config::{ClientConfig, ClientKind};
use crate::outcome::{ClientStats, Trouble};
use crate::process::Process;
use crate::schedule::EventKind;
use std::collections::VecDeque;
use veracity_client::wire;

/// A client's stamps may be ahead of its charged time by this much [ns]: it reads its clock while it runs, and a stall
/// may be subtracted afterwards. Stamps beyond that are invalid.
const STAMP_SLACK_NS: i64 = 1_000_000_000;

/// One client of a run.
pub struct ClientSlot {
    /// Its entry in the configuration file.
    pub config: ClientConfig,
    /// Its process.
    pub process: Process,
    /// Period [ns]; 0 unless periodic.
    pub period_ns: i64,
    /// Deadline of an activation, counted from its due time [ns].
    pub deadline_ns: i64,
    /// CPU time budget of an activation [ns].
    pub budget_ns: Option<i64>,
    /// Indices of the clients that receive its plans.
    pub plans_to: Vec<usize>,
    /// Virtual time for each unit of CPU time.
    pub factor: f64,
    /// Total wait granted [ns].
    pub wait_ns: i64,
    /// CPU clock at time zero [ns].
    pub cpu0_ns: i64,
    /// CPU clock at the last charge [ns].
    pub cpu_ns: i64,
    /// It waits for the answer to a question.
    pub asked: bool,
    /// Due time of the current or next activation [ns].
    pub due_ns: i64,
    /// Activations begun.
    pub activation: u64,
    /// Between a wake-up and the next wait.
    pub active: bool,
    /// Executed time when the current activation began [ns].
    pub executed_at_wake_ns: i64,
    /// It has exceeded its budget in this activation.
    pub over_budget: bool,
    /// It is blocked in a system call of its own.
    pub blocked: bool,
    /// All its threads sleep, at least one of them with a time limit.
    pub sleeps: bool,
    /// Its threads, if it has more than one.
    pub threads: Vec<crate::threads::Thread>,
    /// It runs by yield handoff: see [`crate::yield_handoff`].
    pub yield_handoff: bool,
    /// Whether its threads run under real-time classes.
    pub real_time: bool,
    /// It has ended.
    pub ended: bool,
    /// The command in force.
    pub acting: Vec<f64>,
    /// Stamps of pending commands.
    pub stamps: VecDeque<i64>,
    /// Values of pending commands, one row per stamp.
    pub rows: VecDeque<f64>,
    /// Pending plans for it, with their stamps.
    pub plans: VecDeque<(i64, Vec<f64>)>,
    stalled_ns: i64,
    log_taken: u64,
    last_stamp_ns: i64,
    /// Its statistics.
    pub stats: ClientStats,
}

impl ClientSlot {
    /// A client that has just connected.
    pub fn new(config: ClientConfig, process: Process, factor: f64, plans_to: Vec<usize>) -> Self {
        let period_ns = config.rate_hz.map_or(0, |r| (1e9 / r).round() as i64);
        let ns = |s: f64| (s * 1e9).round() as i64;
        Self {
            period_ns,
            deadline_ns: config.deadline_s.map_or(period_ns, ns),
            budget_ns: config.budget_s.map(ns),
            due_ns: ns(config.phase_s),
            acting: vec![0.0; config.commands.len()],
            stats: ClientStats { name: config.name.clone(), ..ClientStats::default() },
            config,
            process,
            plans_to,
            factor,
            wait_ns: 0,
            cpu0_ns: 0,
            cpu_ns: 0,
            asked: true,
            activation: 0,
            active: false,
            executed_at_wake_ns: 0,
            over_budget: false,
            blocked: false,
            sleeps: false,
            threads: Vec::new(),
            yield_handoff: false,
            real_time: false,
            ended: false,
            stamps: VecDeque::new(),
            rows: VecDeque::new(),
            plans: VecDeque::new(),
            stalled_ns: 0,
            log_taken: 0,
            last_stamp_ns: i64::MIN,
        }
    }

    /// Whether it is a periodic client (a controller).
    pub fn is_periodic(&self) -> bool {
        self.config.kind == ClientKind::Periodic
    }

    /// Whether it is an unmodified program.
    pub fn is_unmodified(&self) -> bool {
        self.config.kind == ClientKind::Unmodified
    }

    /// Virtual time its clock counted [ns].
    fn counted_ns(&self) -> i64 {
        ((self.cpu_ns - self.cpu0_ns) as f64 * self.factor) as i64
    }

    /// Virtual time it executed [ns]: what its clock counted, without the stalls.
    pub fn executed_ns(&self) -> i64 {
        self.counted_ns() - self.stalled_ns
    }

    /// Its progress, equation (1) of the wire [ns].
    pub fn progress_ns(&self) -> i64 {
        self.wait_ns + self.counted_ns()
    }

    /// Subtracts a stall [ns], in virtual time.
    pub fn subtract_stall(&mut self, ns: i64) {
        self.stalled_ns += ns;
        self.add_wait(-ns);
    }

    /// Adds to the granted wait; a stall is added as a negative wait.
    pub fn add_wait(&mut self, ns: i64) {
        self.wait_ns += ns;
        self.process.page.set_i64(wire::WAIT_NS, self.wait_ns);
    }

    /// Records a fault; the same fault is recorded once.
    pub fn record_trouble(&mut self, time_ns: i64, what: String) {
        if self.stats.troubles.len() < 16 && !self.stats.troubles.iter().any(|t| t.what == what) {
            self.stats.troubles.push(Trouble { time_ns, what });
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
                    let latest = self.progress_ns();
                    if stamp > latest + STAMP_SLACK_NS || stamp < 0 {
                        return Err(format!("a command is stamped {stamp} ns at {latest} ns"));
                    }
                    // Stamps must not decrease, which a subtracted stall could cause.
                    self.last_stamp_ns = self.last_stamp_ns.max(stamp);
                    let row = (0..self.acting.len()).map(|i| page.get_f64(at + 2 + i));
                    if row.clone().all(f64::is_finite) {
                        self.stamps.push_back(self.last_stamp_ns);
                        self.rows.extend(row);
                        self.stats.commands += 1;
                    } else {
                        self.stats.commands_refused += 1;
                    }
                    emit(EventKind::Command { ns: self.last_stamp_ns });
                }
                other => return Err(format!("its log has an entry of kind {other}")),
            }
            self.log_taken += 1;
        }
        page.set(wire::LOG_TAKEN, self.log_taken);
        Ok(())
    }

    /// Replaces the last command's stamp by the recorded one, in a replay.
    pub fn restamp_last(&mut self, ns: i64) {
        if let Some(last) = self.stamps.back_mut() {
            *last = ns;
        }
    }

    /// Applies the commands that are due.
    pub fn take_commands(&mut self, now_ns: i64) {
        while self.stamps.front().is_some_and(|s| *s <= now_ns) {
            self.stamps.pop_front();
            for value in &mut self.acting {
                *value = self.rows.pop_front().unwrap_or(0.0);
            }
        }
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
