//! Scheduling classes of threads.

use std::io;

/// How a thread competes for its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Before every ordinary thread; needs CAP_SYS_NICE. Child processes fall back to ordinary.
    Fifo(i32),
    /// The default class.
    Ordinary,
    /// Only when no other thread wants the core.
    Idle,
}

/// Sets the class of a thread (0: the calling one).
pub fn set_class(thread: i32, class: Class) -> io::Result<()> {
    let (policy, priority) = match class {
        // A child of a client must never inherit real-time priority: the kernel resets it on fork.
        Class::Fifo(priority) => (libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, priority),
        Class::Ordinary => (libc::SCHED_OTHER, 0),
        Class::Idle => (libc::SCHED_IDLE, 0),
    };
    let parameter = libc::sched_param { sched_priority: priority };
    // SAFETY: reads one sched_param; a wrong thread id is an error, not harm.
    let code = unsafe { libc::sched_setscheduler(thread, policy, &parameter) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Stops a process by a signal to one of its threads. A signal to the process as a whole is handled by a thread of the
/// kernel's choice, which may be queued behind another that computes forever.
pub fn stop_thread(process: u32, thread: i32) {
    // SAFETY: numbers only; a thread that is gone is an error, not harm.
    let _ = unsafe { libc::syscall(libc::SYS_tgkill, process as libc::pid_t, thread, libc::SIGSTOP) };
}
