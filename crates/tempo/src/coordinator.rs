//! The coordinator: decides which client runs.
//!
//! ```text
//! (1)  p = wait + cpu · factor                       progress of a client
//! (2)  slice: until p reaches the end of the step, a client with higher priority wakes, or the client waits
//! (3)  a remainder below 30 us, and an overshoot, are carried to the next step
//! (4)  Delta = max p - min p, over dynamics and clients, after every slice and every step
//! ```
//!
//! A client is charged its own CPU clock, all of it and nothing else. If the clock shows more than the timer allowed,
//! the host may have preempted the core in between (under real-time classes nothing else can have run): that is a
//! suspected stall, listed and charged, because the kernel's clock already leaves out what the host's counters show.

use crate::client_slot::{ClientSlot, State};
use crate::config::ClientKind;
use crate::detector::IdleDetector;
use crate::error::TempoError;
use crate::link::Link;
use crate::outcome::{Delta, Stall};
use crate::pinned_core::{DETECTOR, PREEMPTOR, PinnedCore};
use crate::preemptor::Preemptor;
use crate::schedule::{Event, EventKind};
use crate::sys::{SignalWatch, monotonic_ns, real_time_ns, set_subreaper, time_stamp_counter};
use crate::timer::{self, Timer};
use crate::tree::{Leaf, Tree};
use rustix::event::epoll;
use rustix::fd::{AsFd, OwnedFd};
use rustix::time::Timespec;
use veracity_client::wire;
use veracity_control::Observation;
use veracity_model::Severity;

/// No slice shorter than this is started [ns]: the timer would fire before the client has run.
pub const LEAST_SLICE_NS: i64 = 30_000;

/// If a clock shows this much more than the armed timer allowed, the host may have preempted the core [ns].
pub(crate) const STALL_NS: i64 = 150_000;

/// The coordinator gives up on a client that neither runs nor sleeps for this long in wall time [ns].
pub(crate) const HANG_NS: i64 = 10_000_000_000;

/// How the clients are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// CPU time is metered against simulated time.
    Consistent,
    /// The world stands still while a client computes, as simulators do today.
    Callback,
    /// A recorded schedule decides.
    Replay,
}

/// Runs all clients of a run.
pub struct Coordinator {
    /// In the order of the configuration file.
    pub slots: Vec<ClientSlot>,
    /// The clients as the scheduler tree sees them.
    pub leaves: Vec<Leaf>,
    /// Every charge, preemption and wake-up.
    pub events: Vec<Event>,
    /// (4)
    pub delta: Delta,
    /// Stalls so far.
    pub stalls: Vec<Stall>,
    /// The timer that ends slices.
    pub timer: Timer,
    pub(crate) mode: Mode,
    /// Memory of this machine \[MiB\].
    pub(crate) machine_memory_mib: u64,
    pub(crate) step: u64,
    step_ns: i64,
    /// Time the dynamics has reached [ns].
    pub(crate) dynamics_ns: i64,
    pub(crate) tree: Tree,
    pub(crate) set: OwnedFd,
    pub(crate) ready: Vec<u64>,
    pub(crate) replay: Vec<std::collections::VecDeque<Event>>,
    pub(crate) detector: Option<IdleDetector>,
    pub(crate) preemptor: Option<Preemptor>,
    /// Ends the clients before a signal ends this process.
    _signals: Option<SignalWatch>,
    /// Dropped last: the core is released when all clients are gone.
    pub(crate) core: PinnedCore,
}

pub(crate) const TIMER: u64 = 1 << 32;
pub(crate) const DETECTED: u64 = 2 << 32;
pub(crate) const NOTIFY: u64 = 3 << 32;
pub(crate) const EXIT: u64 = 4 << 32;
pub(crate) const LIFELINE: u64 = 5 << 32;
pub(crate) const LINK: u64 = 6 << 32;
pub(crate) const KIND: u64 = !0xffff_ffff;

impl Coordinator {
    /// A coordinator without clients on the given core.
    pub fn new(core: PinnedCore, tree: Tree, mode: Mode, step_ns: i64) -> Result<Self, TempoError> {
        let failed = |e: std::io::Error| TempoError::system("coordinator", "cannot be set up", e);
        let set = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| failed(e.into()))?;
        let timer = Timer::new().map_err(failed)?;
        let watch = |fd: &OwnedFd, key, flags| epoll::add(&set, fd, epoll::EventData::new_u64(key), flags);
        watch(&timer.descriptor, TIMER, epoll::EventFlags::IN | epoll::EventFlags::ET)
            .map_err(|e| failed(e.into()))?;
        let detector =
            if core.real_time { Some(IdleDetector::start(core.core, DETECTOR).map_err(failed)?) } else { None };
        if let Some(detector) = &detector {
            let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
            watch(&detector.fired, DETECTED, flags).map_err(|e| failed(e.into()))?;
        }
        let preemptor = if core.real_time && mode == Mode::Consistent {
            Some(Preemptor::start(core.core, PREEMPTOR).map_err(failed)?)
        } else {
            None
        };
        // Processes of a client whose guard was killed become children of this process, which then kills them.
        set_subreaper(true);
        Ok(Self {
            preemptor,
            slots: Vec::new(),
            leaves: Vec::new(),
            events: Vec::new(),
            delta: Delta { step_ns, ..Delta::default() },
            stalls: Vec::new(),
            timer,
            mode,
            machine_memory_mib: machine_memory_mib(),
            step: 0,
            step_ns,
            dynamics_ns: 0,
            tree,
            set,
            ready: Vec::with_capacity(16),
            replay: Vec::new(),
            detector,
            _signals: SignalWatch::install(),
            core,
        })
    }

    /// Adds a client that has been started and waits until it connects: until then nothing is metered.
    pub fn add_client(&mut self, mut slot: ClientSlot) -> Result<(), TempoError> {
        let place = format!("clients/{}", slot.config.name);
        let failed = |e: std::io::Error| TempoError::system(place.clone(), "cannot be watched", e);
        let i = self.slots.len() as u64;
        let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
        let p = &slot.process;
        for (fd, kind) in [(p.notify.as_fd(), NOTIFY), (p.exit.as_fd(), EXIT), (p.lifeline.as_fd(), LIFELINE)] {
            epoll::add(&self.set, fd, epoll::EventData::new_u64(kind | i), edge).map_err(|e| failed(e.into()))?;
        }
        if slot.link.is_some() {
            self.wait_until_linked(&mut slot, i)?;
        } else {
            self.wait_for_hello(&mut slot, i)?;
        }
        slot.process.page.set(wire::ASK, 0);
        slot.start_account();
        slot.process.page.set_i64(wire::ZERO_MONOTONIC_NS, monotonic_ns());
        slot.process.page.set_i64(wire::ZERO_REAL_NS, real_time_ns());
        slot.process.page.set(wire::ZERO_COUNTER, time_stamp_counter());
        slot.process.page.set(wire::STARTED, u64::from(self.mode != Mode::Replay || slot.link.is_some()));
        let begins_ns = slot.next_message_ns().unwrap_or(0);
        self.leaves.push(Leaf { progress_ns: 0, executed_ns: 0, waits_until_ns: Some(begins_ns), alive: true });
        self.slots.push(slot);
        self.settle(i as usize)
    }

    /// Waits until a program connects by its library.
    fn wait_for_hello(&mut self, slot: &mut ClientSlot, i: u64) -> Result<(), TempoError> {
        let place = format!("clients/{}", slot.config.name);
        let failed = |e: std::io::Error| TempoError::system(place.clone(), "cannot be watched", e);
        let deadline = monotonic_ns() + HANG_NS;
        // The question is written to the page before the notification is sent: both must be present, otherwise the
        // notification would arrive later.
        let mut notified = false;
        while !(notified && slot.process.page.get(wire::ASK) == wire::ASK_HELLO) {
            let unmodified = slot.config.kind == ClientKind::Unmodified;
            let hint = if unmodified {
                "the program that finally runs (a script may start another) must load shared libraries: statically \
                 linked programs and setuid programs do not"
            } else {
                "does it call veracity_client::Client::connect?"
            };
            if let Some(status) = slot.process.ended() {
                let what =
                    format!("it ended with {status} before it connected; {hint} (--output keeps what it prints)");
                return Err(TempoError::new(place, what));
            }
            if monotonic_ns() > deadline {
                return Err(TempoError::new(place, format!("it did not connect within 10 s; {hint}")));
            }
            let limit = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
            timer::wait(&self.set, &mut self.ready, Some(&limit)).map_err(failed)?;
            notified |= self.ready.contains(&(NOTIFY | i));
            // A client that connected before may end meanwhile; this is reported only once.
            let ended = self.ready.iter().filter(|key| **key & KIND == EXIT && **key & !KIND != i);
            for other in ended.map(|key| (key & !KIND) as usize).collect::<Vec<_>>() {
                self.on_exit(other);
            }
        }
        Ok(())
    }

    /// Follows a recorded schedule.
    pub fn follow(&mut self, events: &[Event]) {
        self.replay = vec![Default::default(); self.slots.len()];
        for event in events {
            // No program with a link has read a clock since: every reading is a question.
            if let EventKind::Start { monotonic_ns, real_ns } = event.what {
                let page = &self.slots[event.client as usize].process.page;
                page.set_i64(wire::ZERO_MONOTONIC_NS, monotonic_ns);
                page.set_i64(wire::ZERO_REAL_NS, real_ns);
            }
        }
        for event in events.iter().filter(|e| e.what.is_replayed()) {
            self.replay[event.client as usize].push_back(event.clone());
        }
    }

    /// Reserves memory for the events of this many steps, and touches it: the first touch of a page during a step costs
    /// microseconds. Longer or busier runs allocate the rest as they go.
    pub fn reserve(&mut self, steps: u64) {
        const MOST: usize = 1 << 20;
        let steps = (steps as usize).min(MOST);
        // Wake-up, observation, command, charge, wait, and one spare; a sample of Delta after each step and each slice.
        let events = (6 * steps * self.slots.len()).min(MOST);
        let so_far = self.events.len();
        self.events.resize(so_far + events, Event { step: 0, client: 0, what: EventKind::End });
        self.events.truncate(so_far);
        self.delta.reserve(steps, (steps * (1 + 2 * self.slots.len())).min(MOST));
    }

    /// One tick of the session: publishes the observation of this instant and returns the command in force.
    pub fn exchange(
        &mut self,
        client: usize,
        time_ns: i64,
        observation: &Observation,
        command: &mut [f64],
    ) -> Result<(), TempoError> {
        let step = (time_ns / self.step_ns) as u64;
        self.slots[client].publish(step, time_ns, &observation.values, &observation.stamps_ns);
        if self.mode == Mode::Callback {
            self.run_callback(client, time_ns)?;
            self.slots[client].commands.apply_until(i64::MAX);
        } else {
            self.slots[client].commands.apply_until(time_ns);
        }
        command.copy_from_slice(&self.slots[client].commands.acting);
        Ok(())
    }

    /// The dynamics has reached `end_ns`: runs all clients up to that time.
    pub fn run_to(&mut self, end_ns: i64) -> Result<(), TempoError> {
        self.dynamics_ns = end_ns;
        self.sample();
        match self.mode {
            Mode::Consistent => {
                self.check_blocked(None);
                while let Some(turn) = self.tree.turn(&self.leaves, end_ns, LEAST_SLICE_NS) {
                    self.slice(turn)?;
                    self.sample();
                }
                // Clients that wait beyond the step, or are blocked, are granted the wait up to its end.
                for i in 0..self.slots.len() {
                    if matches!(self.slots[i].state, State::Waiting(_) | State::Blocked) {
                        self.grant(i, end_ns);
                    }
                }
                // Clients that slept through a message, or compute, find it when they look.
                (0..self.slots.len()).for_each(|i| self.deliver(i, end_ns, end_ns));
                // Checking costs microseconds, and new threads and processes persist: checking occasionally is enough.
                if self.step.is_multiple_of(128) {
                    for i in 0..self.slots.len() {
                        self.find_processes(i, true);
                        self.check_for_threads(i);
                    }
                }
            }
            Mode::Replay => self.replay_step()?,
            Mode::Callback => {}
        }
        if self.step.is_multiple_of(64) {
            (0..self.slots.len()).for_each(|i| self.check_limits(i));
        }
        self.step += 1;
        Ok(())
    }

    /// (4)
    fn sample(&mut self) {
        let (mut least, mut most) = (self.dynamics_ns, self.dynamics_ns);
        for leaf in self.leaves.iter().filter(|l| l.alive) {
            least = least.min(leaf.progress_ns);
            most = most.max(leaf.progress_ns);
        }
        self.delta.sample(self.dynamics_ns, most - least);
    }

    pub(crate) fn log_event(&mut self, client: usize, what: EventKind) {
        self.events.push(Event { step: self.step, client: client as u16, what });
    }

    /// Grants the wait that advances a client to a time.
    pub(crate) fn grant(&mut self, i: usize, to_ns: i64) {
        let ns = to_ns - self.leaves[i].progress_ns;
        if ns > 0 {
            self.slots[i].add_wait(ns);
            self.slots[i].stats.waited_ns += ns;
            self.leaves[i].progress_ns = to_ns;
        }
    }

    /// Ends the run: clients that wait are notified and may end by themselves, the others are killed.
    pub fn finish(&mut self) {
        self.switch_detector(false);
        let mut may_end = vec![false; self.slots.len()];
        for i in 0..self.slots.len() {
            self.find_processes(i, true);
            // Clients that continue now run below the coordinator.
            self.slots[i].process.set_handoff(false);
            if !self.slots[i].has_ended() {
                self.charge(i, None);
                self.drain_log(i);
            }
            let (progress, slot) = (self.leaves[i].progress_ns, &mut self.slots[i]);
            if slot.has_ended() {
                continue;
            }
            if slot.stats.commands_refused > 0 {
                let what = format!("{} non-finite commands rejected", slot.stats.commands_refused);
                slot.record(progress, Severity::Warning, "commands-rejected", what);
            }
            slot.stats.threads = slot.stats.threads.max(slot.process.threads());
            slot.process.page.set(wire::OVER, 1);
            slot.report_link(progress);
            let waits = matches!(slot.state, State::Waiting(_));
            let notices = waits && slot.link.as_mut().is_some_and(Link::close);
            if slot.has_asked() || notices {
                may_end[i] = true;
                slot.resume();
                slot.process.go();
            } else {
                // One that computes forever would keep the others from ending by themselves.
                slot.process.kill();
            }
        }
        let deadline = monotonic_ns() + 200_000_000;
        for i in 0..self.slots.len() {
            let slot = &mut self.slots[i];
            while may_end[i] && slot.process.ended().is_none() && monotonic_ns() < deadline {
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
            let (executed, leaf) = (slot.account.executed_ns(), self.leaves[i]);
            (slot.stats.executed_ns, slot.stats.progress_ns) = (executed, leaf.progress_ns);
            slot.settle_account(leaf.progress_ns);
        }
    }
}

/// Memory of this machine \[MiB\]; as good as infinite where it is not known.
fn machine_memory_mib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|l| l.strip_prefix("MemTotal:"));
    total.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).map_or(u64::MAX / 2, |kib| kib / 1024)
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.slots.clear();
        set_subreaper(false);
    }
}
