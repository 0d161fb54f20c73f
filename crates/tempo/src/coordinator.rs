//! The only one who lets anyone run.
//!
//! ```text
//! (1)  p = wait + cpu · factor                       progress of a client
//! (2)  slice: until p reaches the end of the step, a higher one wakes, or it waits
//! (3)  what is left below 30 us, and what it ran too far, is carried to the next step
//! (4)  Delta = max p - min p, over dynamics and clients, after every slice and every step
//! ```
//!
//! A client is charged its own CPU clock and nothing else: time the host or another process took is not its time. If the
//! clock says more than the timer would have allowed, the host stopped the core between the two (under real-time classes
//! nobody else can have run): that is a stall, listed and not charged.

use crate::config::ClientKind;
use crate::core_of_ours::{CoreOfOurs, DETECTOR, PREEMPTOR};
use crate::detector::Detector;
use crate::error::TempoError;
use crate::guard::Guard;
use crate::outcome::{Delta, Stall};
use crate::preemptor::Preemptor;
use crate::schedule::{Event, What};
use crate::seat::Seat;
use crate::sys::monotonic_ns;
use crate::timer::{self, Timer};
use crate::tree::{Leaf, Tree};
use rustix::event::epoll;
use rustix::fd::{AsFd, OwnedFd};
use rustix::time::Timespec;
use veracity_client::wire;
use veracity_control::Observation;

/// Below this no slice is begun [ns]: the timer would fire before the client has run.
pub const LEAST_SLICE_NS: i64 = 30_000;

/// A clock this far beyond the armed timer has counted time in which nobody ran [ns].
pub(crate) const STALL_NS: i64 = 150_000;

/// A client that neither runs nor sleeps for so long on the wall is given up [ns].
pub(crate) const HANG_NS: i64 = 10_000_000_000;

/// What drives the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// CPU time is metered against simulated time.
    Consistent,
    /// The world stands still while a client computes, as simulators do today.
    Callback,
    /// A recorded schedule decides.
    Replay,
}

/// See the file's head.
pub struct Coordinator {
    /// In the order of the file.
    pub seats: Vec<Seat>,
    /// As the tree sees them.
    pub leaves: Vec<Leaf>,
    /// Every charge, preemption and wake-up.
    pub events: Vec<Event>,
    /// (4)
    pub delta: Delta,
    /// See there.
    pub stalls: Vec<Stall>,
    /// The slices' timer.
    pub timer: Timer,
    pub(crate) mode: Mode,
    pub(crate) step: u64,
    step_ns: i64,
    /// How far the dynamics has come [ns].
    pub(crate) dynamics_ns: i64,
    pub(crate) tree: Tree,
    pub(crate) set: OwnedFd,
    pub(crate) ready: Vec<u64>,
    /// The client that is neither stopped nor asleep.
    pub(crate) running: Option<usize>,
    pub(crate) replay: Vec<std::collections::VecDeque<Event>>,
    pub(crate) detector: Option<Detector>,
    pub(crate) preemptor: Option<Preemptor>,
    guard: Guard,
    /// Dropped last: the core is given back when everybody is gone.
    pub(crate) core: CoreOfOurs,
}

pub(crate) const TIMER: u64 = 1 << 32;
pub(crate) const DETECTED: u64 = 2 << 32;
pub(crate) const NOTIFY: u64 = 3 << 32;
pub(crate) const EXIT: u64 = 4 << 32;
pub(crate) const LIFELINE: u64 = 5 << 32;
pub(crate) const KIND: u64 = !0xffff_ffff;

impl Coordinator {
    /// Takes the core; nobody runs yet.
    pub fn new(core: CoreOfOurs, tree: Tree, mode: Mode, step_ns: i64) -> Result<Self, TempoError> {
        let failed = |e: std::io::Error| TempoError::system("coordinator", "it cannot be set up", e);
        let set = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| failed(e.into()))?;
        let timer = Timer::new().map_err(failed)?;
        let watch = |fd: &OwnedFd, key, flags| epoll::add(&set, fd, epoll::EventData::new_u64(key), flags);
        watch(&timer.descriptor, TIMER, epoll::EventFlags::IN | epoll::EventFlags::ET)
            .map_err(|e| failed(e.into()))?;
        let detector =
            if core.real_time { Some(Detector::start(core.core, DETECTOR).map_err(failed)?) } else { None };
        if let Some(detector) = &detector {
            let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
            watch(&detector.fired, DETECTED, flags).map_err(|e| failed(e.into()))?;
        }
        let preemptor = if core.real_time && mode == Mode::Consistent {
            Some(Preemptor::start(core.core, PREEMPTOR).map_err(failed)?)
        } else {
            None
        };
        Ok(Self {
            preemptor,
            seats: Vec::new(),
            leaves: Vec::new(),
            events: Vec::new(),
            delta: Delta { step_ns, ..Delta::default() },
            stalls: Vec::new(),
            timer,
            mode,
            step: 0,
            step_ns,
            dynamics_ns: 0,
            tree,
            set,
            ready: Vec::with_capacity(16),
            running: None,
            replay: Vec::new(),
            detector,
            guard: Guard::start()?,
            core,
        })
    }

    /// Takes a client that has been started and waits until it says hello: until then nothing is metered.
    pub fn seat(&mut self, mut seat: Seat) -> Result<(), TempoError> {
        let place = format!("clients/{}", seat.config.name);
        let failed = |e: std::io::Error| TempoError::system(place.clone(), "it cannot be watched", e);
        self.guard.watch(seat.process.id())?;
        let i = self.seats.len() as u64;
        let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
        let p = &seat.process;
        for (fd, kind) in [(p.notify.as_fd(), NOTIFY), (p.exit.as_fd(), EXIT), (p.lifeline.as_fd(), LIFELINE)] {
            epoll::add(&self.set, fd, epoll::EventData::new_u64(kind | i), edge).map_err(|e| failed(e.into()))?;
        }
        let deadline = monotonic_ns() + HANG_NS;
        // The question stands in the page before the notification comes: both must be there, or the latter comes late.
        let mut notified = false;
        while !(notified && seat.process.page.get(wire::ASK) == wire::ASK_HELLO) {
            let unmodified = seat.config.kind == ClientKind::Unmodified;
            let hint = if unmodified {
                "whatever runs in the end (a script may start another) must load libraries: statically linked programs, and those \
                 that run with another user's rights, do not"
            } else {
                "does it call veracity_client::Client::connect?"
            };
            if let Some(status) = seat.process.ended() {
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
        }
        seat.process.page.set(wire::ASK, 0);
        seat.real_time = self.core.real_time;
        seat.cpu0_ns = seat.process.clock.read_ns().unwrap_or(0);
        seat.cpu_ns = seat.cpu0_ns;
        seat.process.page.set_i64(wire::CPU0_NS, seat.cpu0_ns);
        self.leaves.push(Leaf { progress_ns: 0, executed_ns: 0, waits_until_ns: Some(0), alive: true });
        self.seats.push(seat);
        Ok(())
    }

    /// Makes room for what so many steps will tell, and touches it: a page touched first in a step costs microseconds there.
    /// Longer runs, and busier ones, find the rest as they go.
    pub fn make_room(&mut self, steps: u64) {
        const MOST: usize = 1 << 20;
        let steps = (steps as usize).min(MOST);
        // Wake-up, look, command, charge, wait, and one to spare; a sample of Delta after each step and each slice.
        let events = (6 * steps * self.seats.len()).min(MOST);
        self.events.resize(events, Event { step: 0, client: 0, what: What::End });
        self.events.clear();
        self.delta.make_room(steps, (steps * (1 + 2 * self.seats.len())).min(MOST));
    }

    /// The lab's tick: the observation of this instant goes out, the command in force comes in.
    pub fn exchange(
        &mut self,
        client: usize,
        time_ns: i64,
        observation: &Observation,
        command: &mut [f64],
    ) -> Result<(), TempoError> {
        let step = (time_ns / self.step_ns) as u64;
        self.seats[client].publish(step, time_ns, &observation.values, &observation.stamps_ns);
        if self.mode == Mode::Callback {
            self.call_back(client, time_ns)?;
            self.seats[client].take_commands(i64::MAX);
        } else {
            self.seats[client].take_commands(time_ns);
        }
        command.copy_from_slice(&self.seats[client].acting);
        Ok(())
    }

    /// The dynamics has come to `end_ns`: lets everybody come there, too.
    pub fn run_to(&mut self, end_ns: i64) -> Result<(), TempoError> {
        self.dynamics_ns = end_ns;
        self.sample();
        match self.mode {
            Mode::Consistent => {
                self.look_at_blocked();
                while let Some(turn) = self.tree.turn(&self.leaves, end_ns, LEAST_SLICE_NS) {
                    self.slice(turn)?;
                    self.sample();
                }
                // Whoever waits beyond the step, or is blocked, has waited so far.
                for i in 0..self.seats.len() {
                    let waits = self.leaves[i].waits_until_ns.is_some() || self.seats[i].blocked;
                    if waits && !self.seats[i].ended {
                        self.grant(i, end_ns);
                    }
                }
                // Looking costs microseconds, and what is started stays: now and then is enough.
                if self.step.is_multiple_of(128) {
                    self.look_for_children();
                    (0..self.seats.len()).for_each(|i| self.look_for_threads(i));
                }
            }
            Mode::Replay => self.replay_step()?,
            Mode::Callback => {}
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

    pub(crate) fn tell(&mut self, client: usize, what: What) {
        self.events.push(Event { step: self.step, client: client as u16, what });
    }

    /// Grants the wait that brings a client to a time.
    pub(crate) fn grant(&mut self, i: usize, to_ns: i64) {
        let ns = to_ns - self.leaves[i].progress_ns;
        if ns > 0 {
            self.seats[i].add_wait(ns);
            self.seats[i].stats.waited_ns += ns;
            self.leaves[i].progress_ns = to_ns;
        }
    }

    /// The run is over: those who wait are told and may end by themselves, the others are ended.
    pub fn finish(&mut self) {
        self.switch_detector(false);
        self.look_for_children();
        for i in 0..self.seats.len() {
            // Whoever goes on now does so below us.
            self.seats[i].set_errands(false);
            if !self.seats[i].ended {
                self.charge(i, None);
                self.drained(i);
            }
            let (progress, seat) = (self.leaves[i].progress_ns, &mut self.seats[i]);
            if seat.ended {
                continue;
            }
            if seat.stats.commands_refused > 0 {
                let what =
                    format!("{} commands were no finite numbers and were not taken", seat.stats.commands_refused);
                seat.name_trouble(progress, what);
            }
            seat.stats.threads = seat.stats.threads.max(seat.process.threads());
            seat.process.page.set(wire::OVER, 1);
            if seat.asked {
                seat.process.resume();
                seat.process.go();
            }
        }
        let deadline = monotonic_ns() + 200_000_000;
        for i in 0..self.seats.len() {
            let seat = &mut self.seats[i];
            while seat.asked && !seat.ended && seat.process.ended().is_none() && monotonic_ns() < deadline {
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
            seat.process.kill();
            let (executed, leaf) = (seat.executed_ns(), self.leaves[i]);
            (seat.stats.executed_ns, seat.stats.progress_ns) = (executed, leaf.progress_ns);
        }
    }
}
