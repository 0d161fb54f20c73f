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

/// Does something on a thread without real-time class that may use every core, and waits for it; in place if the caller
/// has no real-time class. For waiting for ended processes, which removes their entries of `/proc`: if another thread is
/// releasing one of them, the kernel tries again until that is done, and a real-time thread that keeps the other from
/// their core would try for ever.
pub fn on_ordinary_thread<T: Send>(real_time: bool, body: impl FnOnce() -> T + Send) -> T {
    if !real_time {
        return body();
    }
    let ordinary = || {
        let _ = set_class(0, Class::Ordinary);
        let mut cores = CpuSet::new();
        (0..CpuSet::MAX_CPU).for_each(|core| cores.set(core));
        let _ = sched_setaffinity(None, &cores);
        body()
    };
    std::thread::scope(|scope| match scope.spawn(ordinary).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> (String, usize) {
        // Field 41 of a thread's stat is its policy: 0 ordinary, 1 first in, first out.
        let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let policy = text.rsplit_once(") ").unwrap().1.split_whitespace().nth(38).unwrap().to_string();
        (policy, sched_getaffinity(None).unwrap().count() as usize)
    }

    #[test]
    fn what_waits_for_processes_has_no_real_time_class_and_every_core() {
        let cores = policy().1;
        std::thread::spawn(move || {
            let core = PinnedCore::take(true, true);
            if !core.real_time {
                return;
            }
            assert_eq!(policy(), ("1".to_string(), 1));
            assert_eq!(on_ordinary_thread(true, policy), ("0".to_string(), cores));
            assert_eq!(policy(), ("1".to_string(), 1));
        })
        .join()
        .unwrap();
    }
}
