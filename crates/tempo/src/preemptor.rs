//! A thread with the highest priority that ends a yield handoff: see [`crate::yield_handoff`].
//!
//! A client in a yield handoff has the coordinator's priority, so the coordinator cannot preempt it. This thread sleeps
//! until its timer fires; if a client is in a yield handoff then, it demotes the client below the coordinator, which
//! continues.

use crate::pinned_core::{CLIENT, real_time_thread};
use crate::sys::{Class, set_class, thread_cpu_ns};
use crate::timer::Timer;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::thread::JoinHandle;

/// No client is in a yield handoff.
const NO_CLIENT: u32 = 0;
/// The thread has to end. No process has this id.
const END: u32 = u32::MAX;

/// The coordinator's handle of the thread.
pub struct Preemptor {
    /// Process id of the client in a yield handoff, [`NO_CLIENT`], or [`END`].
    running_client: Arc<AtomicU32>,
    /// CPU time the thread has used [ns].
    used_ns: Arc<AtomicI64>,
    timer: Timer,
    thread: Option<JoinHandle<()>>,
}

impl Preemptor {
    /// Starts it on a core, with a real-time priority.
    pub fn start(core: usize, priority: i32) -> io::Result<Self> {
        let timer = Timer::blocking()?;
        let fires: Arc<OwnedFd> = Arc::clone(&timer.descriptor);
        let (running_client, used_ns) = (Arc::new(AtomicU32::new(NO_CLIENT)), Arc::new(AtomicI64::new(0)));
        let (whose, used) = (Arc::clone(&running_client), Arc::clone(&used_ns));
        let thread = real_time_thread(core, priority, move || {
            let mut count = [0u8; 8];
            while !matches!(rustix::io::read(&*fires, &mut count), Err(e) if e != Errno::INTR) {
                match whose.swap(NO_CLIENT, Ordering::AcqRel) {
                    NO_CLIENT => {}
                    END => return,
                    client => drop(set_class(client as i32, Class::Fifo(CLIENT))),
                }
                used.store(thread_cpu_ns(), Ordering::Relaxed);
            }
        })?;
        Ok(Self { running_client, used_ns, timer, thread: Some(thread) })
    }

    /// Arms the timer to fire after `needed_ns` or earlier. Returns the current time and the firing time, on the
    /// monotonic clock.
    pub fn ensure(&mut self, needed_ns: i64) -> io::Result<(i64, i64)> {
        self.timer.ensure(needed_ns, true)
    }

    /// Lets a client with the coordinator's priority run until it yields or is preempted. Returns whether it was
    /// preempted: then it has the class of clients.
    pub fn run_client(&self, client: u32) -> bool {
        self.running_client.store(client, Ordering::Release);
        std::thread::yield_now();
        self.running_client.swap(NO_CLIENT, Ordering::AcqRel) == NO_CLIENT
    }

    /// CPU time its thread has used [ns], and the number of times its timer was armed.
    pub fn cost(&self) -> (i64, u64) {
        (self.used_ns.load(Ordering::Relaxed), self.timer.armings)
    }
}

impl Drop for Preemptor {
    fn drop(&mut self) {
        self.running_client.store(END, Ordering::Release);
        // Fires now, whatever it was armed for: the thread finds that it has to end.
        if self.timer.fire_soon().is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}
