//! The timer that ends slices, armed as rarely as possible.
//!
//! Arming costs a few microseconds (on a virtual machine an exit to the host), firing about twenty. A timer that is
//! already set to fire no later than needed is therefore kept where an early firing is cheap: the coordinator finds
//! time left and arms again. A controller that needs microseconds of a budget of milliseconds thus costs one arming in
//! many cycles.

use crate::sys::monotonic_ns;
use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Shortest time it is armed for [ns]: with a nearer deadline it would fire before the client has run at all, every
/// time.
pub const LEAST_NS: i64 = 25_000;

/// Half of the time between the deadline and the client's last instruction [ns]: arming that much earlier centres the
/// error.
pub const LEAD_NS: i64 = 12_000;

/// An armed timer this much too early is kept even where firing early is not cheap [ns].
const NEAR_NS: i64 = 30_000;

/// An armed timer this much too late is kept as well: the client's overshoot is carried to its next slice [ns].
const LATE_NS: i64 = 25_000;

/// Where it may fire early it is armed this much later: initial and largest value [ns]. A client that computes after a
/// controller, up to the same end, then finds the timer set as needed and does not arm again. How much later that is
/// depends on the machine and on the dynamics, and is learned.
const SHARED_NS: [i64; 2] = [15_000, 100_000];

/// A timer that remembers what it is armed for.
pub struct Timer {
    /// Readable when it has fired.
    pub descriptor: Arc<OwnedFd>,
    fires_ns: Option<i64>,
    /// Firing time wanted when it was last armed for a client that may be preempted early; cleared when a client that
    /// may not be preempted early next needs the timer [ns].
    wanted_early_ns: Option<i64>,
    /// How much later the latter wants it to fire, learned [ns].
    shared_ns: i64,
    /// Number of times it was armed.
    pub armings: u64,
}

impl Timer {
    /// A timer that is not armed; reading its descriptor does not block.
    pub fn new() -> io::Result<Self> {
        Self::with(TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)
    }

    /// A timer that is not armed; reading its descriptor blocks until it fires.
    pub fn blocking() -> io::Result<Self> {
        Self::with(TimerfdFlags::CLOEXEC)
    }

    fn with(flags: TimerfdFlags) -> io::Result<Self> {
        let descriptor = Arc::new(timerfd_create(TimerfdClockId::Monotonic, flags)?);
        Ok(Self { descriptor, fires_ns: None, wanted_early_ns: None, shared_ns: SHARED_NS[0], armings: 0 })
    }

    /// Makes it fire after `needed_ns`, or earlier if it is already armed so and that is cheap (`may_be_early`) or
    /// nearly the same. Returns the current time and the firing time, on the monotonic clock.
    pub fn ensure(&mut self, needed_ns: i64, may_be_early: bool) -> io::Result<(i64, i64)> {
        let now = monotonic_ns();
        let wanted = now + (needed_ns - LEAD_NS).max(LEAST_NS);
        if let Some(early) = self.wanted_early_ns.filter(|_| !may_be_early) {
            self.wanted_early_ns = None;
            let later = wanted - early;
            // A different end of slice gives nothing to learn.
            if (0..SHARED_NS[1]).contains(&later) {
                self.shared_ns += (later - self.shared_ns) / 4;
            }
        }
        if let Some(fires) = self.fires_ns {
            let early_enough = fires <= wanted + LATE_NS;
            let near = fires >= wanted - NEAR_NS || may_be_early;
            if early_enough && fires > now + LEAST_NS && near {
                return Ok((now, fires));
            }
        }
        self.wanted_early_ns = may_be_early.then_some(wanted);
        let wanted = if may_be_early { wanted + self.shared_ns } else { wanted };
        self.arm(wanted)?;
        Ok((now, wanted))
    }

    /// Fires as soon as possible, whatever it was armed for.
    pub fn fire_soon(&mut self) -> io::Result<()> {
        self.arm(monotonic_ns() + LEAST_NS)
    }

    fn arm(&mut self, wanted: i64) -> io::Result<()> {
        let at = Timespec { tv_sec: wanted / 1_000_000_000, tv_nsec: wanted % 1_000_000_000 };
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let spec = Itimerspec { it_interval: never, it_value: at };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &spec)?;
        self.armings += 1;
        self.fires_ns = Some(wanted);
        Ok(())
    }

    /// Notes that it has fired. Its count is not read: it is watched edge-triggered, and arming it again resets the
    /// count.
    pub fn fired(&mut self) {
        self.fires_ns = None;
    }
}

/// Waits on an epoll set and stores the keys of its events; interruptions by signals are ignored. Returns their number.
pub fn wait(set: &OwnedFd, keys: &mut Vec<u64>, limit: Option<&Timespec>) -> io::Result<usize> {
    let mut buffer = [MaybeUninit::<epoll::Event>::uninit(); 16];
    keys.clear();
    loop {
        match epoll::wait(set, &mut buffer, limit) {
            Ok((events, _)) => {
                keys.extend(events.iter().map(|e| e.data.u64()));
                return Ok(keys.len());
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
