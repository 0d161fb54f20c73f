//! The one core that coordinator and clients share, and the coordinator's priority on it.

use crate::sys::{Class, set_class};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;
use std::thread::JoinHandle;

/// Real-time priorities, highest first: preemptor, coordinator, clients, detector, parked clients.
pub const COORDINATOR: i32 = 50;
/// See [`COORDINATOR`].
pub const PREEMPTOR: i32 = 51;
/// See [`COORDINATOR`].
pub const CLIENT: i32 = 49;
/// See [`COORDINATOR`].
pub const DETECTOR: i32 = 30;
/// See [`COORDINATOR`].
pub const PARKED: i32 = 20;

/// Pins the calling thread to one core, with real-time priority if that is allowed; undone when dropped.
pub struct PinnedCore {
    /// Its number.
    pub core: usize,
    /// Whether real-time classes are allowed.
    pub real_time: bool,
    /// Whether clients have to be preempted; if not, they run as ordinary processes.
    metered: bool,
    before: Option<CpuSet>,
}

impl PinnedCore {
    /// Pins to the last core this process may use. `real_time` asks for real-time classes, which need privileges; they
    /// are not used where the world stands still while clients compute (not `metered`).
    pub fn take(real_time: bool, metered: bool) -> Self {
        let before = sched_getaffinity(None).ok();
        let core = before.and_then(|set| (0..CpuSet::MAX_CPU).rev().find(|i| set.is_set(*i))).unwrap_or(0);
        let mut one = CpuSet::new();
        one.set(core);
        let _ = sched_setaffinity(None, &one);
        let real_time = real_time && metered && set_class(0, Class::Fifo(COORDINATOR)).is_ok();
        Self { core, real_time, metered, before }
    }

    /// Scheduling class of clients.
    pub fn client_class(&self) -> Class {
        match (self.real_time, self.metered) {
            (true, _) => Class::Fifo(CLIENT),
            (false, true) => Class::Idle,
            (false, false) => Class::Ordinary,
        }
    }
}

/// Starts a thread on a core, with a real-time priority; fails if it cannot have both.
pub fn real_time_thread(
    core: usize,
    priority: i32,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let mut cores = CpuSet::new();
        cores.set(core);
        let ready = sched_setaffinity(None, &cores)
            .map_err(io::Error::from)
            .and_then(|()| set_class(0, Class::Fifo(priority)));
        let able = ready.is_ok();
        let _ = sender.send(ready);
        if able {
            body();
        }
    });
    receiver.recv().map_err(|_| io::Error::other("an internal thread did not start"))??;
    Ok(thread)
}

impl Drop for PinnedCore {
    fn drop(&mut self) {
        if self.real_time {
            let _ = set_class(0, Class::Ordinary);
        }
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}
