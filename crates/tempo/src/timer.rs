//! The timer that ends slices, armed as rarely as can be.
//!
//! Arming costs a few microseconds (on a virtual machine an exit to the host), firing some twenty. A timer that is already
//! set to fire no later than needed is therefore left alone where an early firing is cheap: the coordinator finds time left
//! and arms again. A controller that needs microseconds of a budget of milliseconds thus costs one arming in many cycles.

use crate::sys::monotonic_ns;
use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Never armed for less [ns]: nearer deadlines fire before the client has run at all, for ever.
pub const LEAST_NS: i64 = 25_000;

/// What lies between the deadline and the client's last instruction, half of it [ns]: armed so much earlier, errors centre.
pub const LEAD_NS: i64 = 12_000;

/// An armed timer this much too early is left alone even where firing early is not cheap [ns].
const NEAR_NS: i64 = 30_000;

/// And this much too late: what a client then runs too far is carried to its next slice [ns].
const LATE_NS: i64 = 25_000;

/// Where it may fire early it is armed so much later, to begin with and at most [ns]: whoever computes after a controller, up to the
/// same end, then finds the timer as it needs it and does not arm again. How much later that is depends on the machine and on the
/// dynamics, and is learned.
const SHARED_NS: [i64; 2] = [15_000, 100_000];

/// See the file's head.
pub struct Timer {
    /// Readable when it has fired.
    pub descriptor: Arc<OwnedFd>,
    fires_ns: Option<i64>,
    /// What who may be preempted early wanted when it was armed for them, until the next who may not be wants it [ns].
    wanted_early_ns: Option<i64>,
    /// How much later the latter wants it [ns].
    shared_ns: i64,
    /// How often it was armed.
    pub armings: u64,
}

impl Timer {
    /// Not armed.
    pub fn new() -> io::Result<Self> {
        Self::with(TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)
    }

    /// Not armed; who reads its descriptor sleeps until it fires.
    pub fn blocking() -> io::Result<Self> {
        Self::with(TimerfdFlags::CLOEXEC)
    }

    fn with(flags: TimerfdFlags) -> io::Result<Self> {
        let descriptor = Arc::new(timerfd_create(TimerfdClockId::Monotonic, flags)?);
        Ok(Self { descriptor, fires_ns: None, wanted_early_ns: None, shared_ns: SHARED_NS[0], armings: 0 })
    }

    /// Fires after `needed_ns`, or earlier if it was so armed and that is cheap (`may_be_early`) or nearly the same. Now, and
    /// when it will, on the monotonic clock.
    pub fn ensure(&mut self, needed_ns: i64, may_be_early: bool) -> io::Result<(i64, i64)> {
        let now = monotonic_ns();
        let wanted = now + (needed_ns - LEAD_NS).max(LEAST_NS);
        if let Some(early) = self.wanted_early_ns.filter(|_| !may_be_early) {
            self.wanted_early_ns = None;
            let later = wanted - early;
            // Another end than the same is nothing to learn from.
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

    /// Fires as soon as may be, whatever it was armed for.
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

    /// It has fired. Its count is not read: it is watched for the moment it fires, and arming it again takes the count back.
    pub fn fired(&mut self) {
        self.fires_ns = None;
    }
}

/// Waits on an epoll set and gives the keys of what happened; interruptions by signals are not events.
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
