//! A client at the coordinator's table: what it may do when, what it has asked, what it has used.

use crate::config::{ClientConfig, ClientKind};
use crate::outcome::{ClientStats, Trouble};
use crate::process::Process;
use crate::schedule::What;
use std::collections::VecDeque;
use veracity_client::wire;

/// A stamp of the client's own may lie ahead of what we have charged by this much [ns]: it reads its clock while it runs,
/// and a stall may be taken off afterwards. Anything beyond is no clock.
const STAMP_SLACK_NS: i64 = 1_000_000_000;

/// See the file's head.
pub struct Seat {
    /// As in the file.
    pub config: ClientConfig,
    /// The program.
    pub process: Process,
    /// [ns]; 0 unless periodic.
    pub period_ns: i64,
    /// By when an activation must be done, from when it was due [ns].
    pub deadline_ns: i64,
    /// CPU time of an activation [ns].
    pub budget_ns: Option<i64>,
    /// Receivers of its plans.
    pub plans_to: Vec<usize>,
    /// Virtual time for each unit of CPU time.
    pub factor: f64,
    /// Wait granted [ns].
    pub wait_ns: i64,
    /// CPU clock at time zero and at the last charge [ns].
    pub cpu0_ns: i64,
    /// See above.
    pub cpu_ns: i64,
    /// It sleeps in a question and must be told to go on.
    pub asked: bool,
    /// The activation it is in, or waits for [ns].
    pub due_ns: i64,
    /// Activations begun.
    pub activation: u64,
    /// Between wake-up and the next wait.
    pub active: bool,
    /// Executed since the activation began, before this [ns].
    pub executed_at_wake_ns: i64,
    /// Over its budget in this activation.
    pub over_budget: bool,
    /// It sleeps in a system call of its own.
    pub blocked: bool,
    /// All its threads sleep, one of them at least until a time.
    pub sleeps: bool,
    /// Its threads, where there are more than one.
    pub threads: Vec<crate::threads::Thread>,
    /// It goes on errands: see [`crate::errand`].
    pub errands: bool,
    /// Whether its threads are under real-time classes.
    pub real_time: bool,
    /// It has ended.
    pub ended: bool,
    /// What acts now.
    pub acting: Vec<f64>,
    /// On their way: stamps and rows.
    pub stamps: VecDeque<i64>,
    /// See above.
    pub rows: VecDeque<f64>,
    /// Plans on their way to it.
    pub plans: VecDeque<(i64, Vec<f64>)>,
    stalled_ns: i64,
    log_taken: u64,
    last_stamp_ns: i64,
    /// What is told in the end.
    pub stats: ClientStats,
}

impl Seat {
    /// A client that has just said hello.
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
            errands: false,
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

    /// Whether it is a controller.
    pub fn is_periodic(&self) -> bool {
        self.config.kind == ClientKind::Periodic
    }

    /// Whether it knows nothing of us.
    pub fn is_unmodified(&self) -> bool {
        self.config.kind == ClientKind::Unmodified
    }

    /// What its clock counted [ns], virtual.
    fn counted_ns(&self) -> i64 {
        ((self.cpu_ns - self.cpu0_ns) as f64 * self.factor) as i64
    }

    /// Executed [ns], virtual: what its clock counted without the stalls.
    pub fn executed_ns(&self) -> i64 {
        self.counted_ns() - self.stalled_ns
    }

    /// Equation (1) of the wire [ns].
    pub fn progress_ns(&self) -> i64 {
        self.wait_ns + self.counted_ns()
    }

    /// Takes a stall off [ns], virtual.
    pub fn take_off(&mut self, ns: i64) {
        self.stalled_ns += ns;
        self.add_wait(-ns);
    }

    /// Adds to the wait; a stall is taken off here.
    pub fn add_wait(&mut self, ns: i64) {
        self.wait_ns += ns;
        self.process.page.set_i64(wire::WAIT_NS, self.wait_ns);
    }

    /// Names something it did; the same thing is told once.
    pub fn name_trouble(&mut self, time_ns: i64, what: String) {
        if self.stats.troubles.len() < 16 && !self.stats.troubles.iter().any(|t| t.what == what) {
            self.stats.troubles.push(Trouble { time_ns, what });
        }
    }

    /// Takes what it has logged. An error is garbage: what was wrong.
    pub fn drain(&mut self, mut tell: impl FnMut(What)) -> Result<(), String> {
        let page = &self.process.page;
        let written = page.get(wire::LOG_WRITTEN);
        if written < self.log_taken || written - self.log_taken > wire::LOG_ENTRIES {
            return Err(format!("its log counts {written} entries where {} were taken", self.log_taken));
        }
        while self.log_taken < written {
            let places = self.process.places;
            let at = places.log + (self.log_taken % wire::LOG_ENTRIES) as usize * places.entry;
            let (kind, stamp) = (page.get(at), page.get_i64(at + 1));
            match kind {
                wire::LOG_OBSERVE => tell(What::Observe),
                wire::LOG_TIME => tell(What::Time { ns: stamp }),
                wire::LOG_COMMAND => {
                    let latest = self.progress_ns();
                    if stamp > latest + STAMP_SLACK_NS || stamp < 0 {
                        return Err(format!("a command is stamped {stamp} ns at {latest} ns"));
                    }
                    // Stamps may not go back: a stall that was taken off can make them.
                    self.last_stamp_ns = self.last_stamp_ns.max(stamp);
                    let row = (0..self.acting.len()).map(|i| page.get_f64(at + 2 + i));
                    if row.clone().all(f64::is_finite) {
                        self.stamps.push_back(self.last_stamp_ns);
                        self.rows.extend(row);
                        self.stats.commands += 1;
                    } else {
                        self.stats.commands_refused += 1;
                    }
                    tell(What::Command { ns: self.last_stamp_ns });
                }
                other => return Err(format!("its log has an entry of kind {other}")),
            }
            self.log_taken += 1;
        }
        page.set(wire::LOG_TAKEN, self.log_taken);
        Ok(())
    }

    /// In a replay the stamp is the recorded one.
    pub fn restamp_last(&mut self, ns: i64) {
        if let Some(last) = self.stamps.back_mut() {
            *last = ns;
        }
    }

    /// Lets commands that are due come into force.
    pub fn take_commands(&mut self, now_ns: i64) {
        while self.stamps.front().is_some_and(|s| *s <= now_ns) {
            self.stamps.pop_front();
            for value in &mut self.acting {
                *value = self.rows.pop_front().unwrap_or(0.0);
            }
        }
    }

    /// Writes an observation, and the last plan that is due, for the client to see.
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
