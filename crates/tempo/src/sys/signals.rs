//! Signals to the coordinator: whatever ends it, its clients end first.
//!
//! A client under a real-time class keeps the core from the coordinator's other threads. The kernel waits for these
//! before it writes a core file and before it ends the process: both would wait forever. So a handler kills the clients
//! and then lets the signal have its ordinary effect. The first SIGINT or SIGTERM only asks the run to end.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Signals that end a process, most of them with a core file.
const DEADLY: [i32; 10] = [
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGHUP,
    libc::SIGXCPU,
];
/// Signals that ask for an orderly end.
const POLITE: [i32; 2] = [libc::SIGINT, libc::SIGTERM];

/// Process ids of the clients; 0 for none.
static CLIENTS: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// One run of a process at a time handles signals.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Handles signals until dropped.
pub struct SignalWatch {
    before: Vec<(i32, libc::sigaction)>,
}

impl SignalWatch {
    /// Installs the handlers; `None` if another run of this process has.
    pub fn install() -> Option<Self> {
        if HANDLED.swap(true, Ordering::AcqRel) {
            return None;
        }
        INTERRUPTED.store(false, Ordering::Release);
        let mut before = Vec::with_capacity(DEADLY.len() + POLITE.len() + 1);
        let handlers = DEADLY.map(|s| (s, deadly as *const () as usize));
        let handlers = handlers.into_iter().chain(POLITE.map(|s| (s, polite as *const () as usize)));
        // A stopped coordinator could not preempt a client: the terminal's stop character has no effect.
        for (signal, handler) in handlers.chain([(libc::SIGTSTP, libc::SIG_IGN)]) {
            // SAFETY: an action with a handler of ours that makes system calls only, on the alternate stack if there
            // is one; the previous action is written to a place for one.
            unsafe {
                let (mut new, mut old): (libc::sigaction, libc::sigaction) = (std::mem::zeroed(), std::mem::zeroed());
                (new.sa_sigaction, new.sa_flags) = (handler, libc::SA_ONSTACK | libc::SA_RESTART);
                if libc::sigaction(signal, &new, &mut old) == 0 {
                    before.push((signal, old));
                }
            }
        }
        Some(Self { before })
    }

    /// Whether SIGINT or SIGTERM has asked the run to end.
    pub fn interrupted() -> bool {
        INTERRUPTED.load(Ordering::Acquire)
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        for (signal, old) in &self.before {
            // SAFETY: the action that was in force before.
            unsafe { libc::sigaction(*signal, old, std::ptr::null_mut()) };
        }
        HANDLED.store(false, Ordering::Release);
    }
}

/// Adds a client to be killed by a signal to this process.
pub fn add_client(id: u32) {
    let free = |place: &&AtomicI32| place.compare_exchange(0, id as i32, Ordering::AcqRel, Ordering::Acquire).is_ok();
    let _ = CLIENTS.iter().find(free);
}

/// Removes a client that has been reaped: its process id may be given to another process.
pub fn remove_client(id: u32) {
    for place in &CLIENTS {
        let _ = place.compare_exchange(id as i32, 0, Ordering::AcqRel, Ordering::Acquire);
    }
}

fn kill_clients() {
    for place in &CLIENTS {
        let id = place.load(Ordering::Acquire);
        if id > 0 {
            // SAFETY: numbers only; the process has not been reaped.
            unsafe {
                libc::kill(-id, libc::SIGKILL);
                libc::kill(id, libc::SIGKILL);
            }
        }
    }
}

extern "C" fn deadly(signal: i32) {
    kill_clients();
    // SAFETY: the ordinary action, and the same signal again, which takes effect when this handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

extern "C" fn polite(signal: i32) {
    if INTERRUPTED.swap(true, Ordering::AcqRel) {
        deadly(signal);
    }
}
