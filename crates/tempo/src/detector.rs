//! A thread with a priority below every running client and above everything else on the core: if it runs, no client
//! can.
//!
//! It costs nothing while clients compute: it is always ready and never gets the core. When the client whose turn it is
//! blocks in a system call of its own, the detector runs within microseconds and wakes the coordinator, which then
//! finds out why. Needs real-time classes; without them the coordinator checks `/proc` when its timer fires.

use crate::pinned_core::real_time_thread;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::OwnedFd;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

const OFF: u32 = 0;
const ON: u32 = 1;
const END: u32 = 2;

/// The coordinator's handle of the detector.
pub struct IdleDetector {
    state: Arc<AtomicU32>,
    switch: Arc<OwnedFd>,
    /// Readable when no client could run.
    pub fired: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl IdleDetector {
    /// Starts it, switched off, on a core and with a real-time priority.
    pub fn start(core: usize, priority: i32) -> io::Result<Self> {
        let state = Arc::new(AtomicU32::new(OFF));
        let switch = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let fired = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (seen, wait, fire) = (Arc::clone(&state), Arc::clone(&switch), Arc::clone(&fired));
        let thread = real_time_thread(core, priority, move || {
            let mut buffer = [0u8; 8];
            loop {
                match seen.load(Ordering::Acquire) {
                    END => return,
                    ON => {
                        let _ = rustix::io::write(&*fire, &1u64.to_ne_bytes());
                    }
                    _ => {
                        let _ = rustix::io::read(&*wait, &mut buffer);
                    }
                }
            }
        })?;
        Ok(Self { state, switch, fired, thread: Some(thread) })
    }

    /// Switches it on or off.
    pub fn set(&self, on: bool) {
        let now = if on { ON } else { OFF };
        if self.state.swap(now, Ordering::AcqRel) != now && on {
            let _ = rustix::io::write(&*self.switch, &1u64.to_ne_bytes());
        }
    }
}

impl Drop for IdleDetector {
    fn drop(&mut self) {
        self.state.store(END, Ordering::Release);
        let _ = rustix::io::write(&*self.switch, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
