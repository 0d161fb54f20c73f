//! A thread above everybody, for errands: see [`crate::errand`].
//!
//! A client on an errand has the coordinator's own priority, and nobody could take the core from it. This thread sleeps until its timer
//! fires; if somebody is on an errand then, it puts them back below the coordinator, which goes on.

use crate::core_of_ours::{CLIENT, real_time_thread};
use crate::sys::{Class, set_class, thread_cpu_ns};
use crate::timer::Timer;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::thread::JoinHandle;

/// Nobody is on an errand.
const NOBODY: u32 = 0;
/// The thread is to end. No process has this number.
const END: u32 = u32::MAX;

/// From the coordinator's side.
pub struct Preemptor {
    /// Process id of who is on an errand, [`NOBODY`], or [`END`].
    on_errand: Arc<AtomicU32>,
    /// What the thread has used [ns].
    used_ns: Arc<AtomicI64>,
    timer: Timer,
    thread: Option<JoinHandle<()>>,
}

impl Preemptor {
    /// Starts it on a core, with a priority.
    pub fn start(core: usize, priority: i32) -> io::Result<Self> {
        let timer = Timer::blocking()?;
        let fires: Arc<OwnedFd> = Arc::clone(&timer.descriptor);
        let (on_errand, used_ns) = (Arc::new(AtomicU32::new(NOBODY)), Arc::new(AtomicI64::new(0)));
        let (whose, used) = (Arc::clone(&on_errand), Arc::clone(&used_ns));
        let thread = real_time_thread(core, priority, move || {
            let mut count = [0u8; 8];
            while !matches!(rustix::io::read(&*fires, &mut count), Err(e) if e != Errno::INTR) {
                match whose.swap(NOBODY, Ordering::AcqRel) {
                    NOBODY => {}
                    END => return,
                    client => drop(set_class(client as i32, Class::Fifo(CLIENT))),
                }
                used.store(thread_cpu_ns(), Ordering::Relaxed);
            }
        })?;
        Ok(Self { on_errand, used_ns, timer, thread: Some(thread) })
    }

    /// Fires after `needed_ns` or earlier. Now, and when it will, on the monotonic clock.
    pub fn ensure(&mut self, needed_ns: i64) -> io::Result<(i64, i64)> {
        self.timer.ensure(needed_ns, true)
    }

    /// Lets a client of our own priority run until it gives the core back or is taken off it. Whether it was taken off: then it
    /// has the class of clients.
    pub fn send(&self, client: u32) -> bool {
        self.on_errand.store(client, Ordering::Release);
        std::thread::yield_now();
        self.on_errand.swap(NOBODY, Ordering::AcqRel) == NOBODY
    }

    /// What its thread has used [ns], and how often its timer was armed.
    pub fn cost(&self) -> (i64, u64) {
        (self.used_ns.load(Ordering::Relaxed), self.timer.armings)
    }
}

impl Drop for Preemptor {
    fn drop(&mut self) {
        self.on_errand.store(END, Ordering::Release);
        // Armed for now, whatever it was armed for: it finds that it is to end.
        if self.timer.fire_soon().is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}
