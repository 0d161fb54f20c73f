//! The guard of a client: a process between the coordinator and the program that outlives both of them by a moment.
//!
//! ```text
//! coordinator ── guard ── program ── processes it starts
//! ```
//!
//! The guard is a subreaper: a process of the tree that loses its parent becomes the guard's child, whatever session or
//! process group it has moved to. When the coordinator has ended, for whatever reason, its end of a pipe closes; the
//! guard then kills its children until it has none, and ends as the program did. The program is killed by the kernel
//! when the guard ends.
//!
//! The guard is a fork of the coordinator without an exec: it makes system calls only, and allocates nothing.

use super::scheduling::{Class, set_class};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::io;

/// Above every other thread of a run, so that a client that computes forever cannot keep it from killing it.
const GUARD: i32 = 52;

/// Descriptors of a guard, by number.
#[derive(Clone, Copy, Debug)]
pub struct GuardPipes {
    /// Closes when the coordinator has ended or lets go of the client.
    pub lifeline: i32,
    /// Where the guard writes the program's process id, four bytes, and at its end the CPU time of the whole tree in
    /// microseconds, eight bytes.
    pub report: i32,
    /// Writing end of a pipe that the guard alone holds: it closes when the guard ends.
    pub watched: i32,
    /// Process id of the coordinator.
    pub coordinator: i32,
}

/// Called between fork and exec. Returns in a new process, which will be the program; the calling process becomes its
/// guard and never returns.
pub fn fork_from_guard(pipes: GuardPipes, real_time: bool) -> io::Result<()> {
    let mut started = [0; 2];
    // SAFETY: system calls with numbers, and one array of two numbers.
    unsafe {
        libc::setpgid(0, 0);
        if libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0
            || libc::pipe2(started.as_mut_ptr(), libc::O_CLOEXEC) != 0
        {
            return Err(io::Error::last_os_error());
        }
    }
    if real_time {
        set_class(0, Class::Fifo(GUARD))?;
    }
    // SAFETY: numbers only; the child returns to code that makes system calls only until its exec.
    let (guards_id, forked) = unsafe { (libc::getpid(), libc::fork()) };
    match forked {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The guard may have died before the line above; then this process would never be killed.
            // SAFETY: numbers only.
            if unsafe { libc::getppid() } != guards_id {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        }
        program => guard(pipes, program, started),
    }
}

fn guard(pipes: GuardPipes, program: libc::pid_t, started: [i32; 2]) -> ! {
    let mut byte = [0u8; 1];
    // SAFETY: system calls with numbers and with buffers of this function, of the lengths given.
    unsafe {
        // Only SIGKILL ends it, and none of the coordinator's handlers runs in it.
        for signal in 1..32 {
            libc::signal(signal, if signal == libc::SIGCHLD { libc::SIG_DFL } else { libc::SIG_IGN });
        }
        // The pipe closes when the last thread of a killed coordinator has ended, which a client that computes forever on
        // their core can prevent. This signal comes when the first has.
        let mut wake: libc::sigaction = std::mem::zeroed();
        wake.sa_sigaction = ignore as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &wake, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGUSR1, 0, 0, 0);
        libc::write(pipes.report, (&raw const program).cast(), 4);
        // Only what it needs stays open: everything else would keep alive what others wait to see closed.
        let needed = [pipes.lifeline, started[0], pipes.report, pipes.watched];
        for (place, descriptor) in needed.map(|d| libc::fcntl(d, libc::F_DUPFD, 10)).into_iter().enumerate() {
            libc::dup2(descriptor, place as i32);
        }
        libc::syscall(libc::SYS_close_range, needed.len(), u32::MAX, 0);
        // Its end closes when the program has been loaded, or could not be.
        libc::read(1, byte.as_mut_ptr().cast(), 1);
        libc::close(1);
        // The program stays a zombie until the coordinator has read its CPU time. The reading ends by a closed pipe or
        // by the signal of the coordinator's death.
        if has_executed(program) && libc::getppid() == pipes.coordinator {
            libc::read(0, byte.as_mut_ptr().cast(), 1);
        }
        let status = kill_children(program);
        let used = children_cpu_us();
        libc::write(2, (&raw const used).cast(), 8);
        end_as(status)
    }
}

/// Whether a process has executed a program since it was forked, by its flags in `/proc`: also of a zombie.
fn has_executed(process: libc::pid_t) -> bool {
    const FORKED_ONLY: u64 = 0x40;
    const FLAGS: usize = 6;
    let (mut path, mut at, mut divisor) = (*b"/proc/0000000000/stat\0", 6, 1_000_000_000);
    // Leading zeros are not part of the name of the folder.
    while divisor > process && divisor > 1 {
        divisor /= 10;
    }
    while divisor > 0 {
        path[at] = b'0' + (process / divisor % 10) as u8;
        (at, divisor) = (at + 1, divisor / 10);
    }
    for byte in b"/stat\0" {
        path[at] = *byte;
        at += 1;
    }
    let mut text = [0u8; 512];
    // SAFETY: the path ends in a zero, and at most the length of the buffer is read.
    let read = unsafe {
        let file = libc::open(path.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC);
        let read = libc::read(file, text.as_mut_ptr().cast(), text.len()).max(0) as usize;
        libc::close(file);
        read
    };
    // After the name, in parentheses: state, parent, group, session, terminal, its group, flags.
    let Some(end) = text[..read].iter().rposition(|b| *b == b')') else { return true };
    let mut fields = text[end..read].split(|b| *b == b' ').skip(1);
    let digits = fields.nth(FLAGS).unwrap_or_default();
    let flags = digits.iter().fold(0u64, |n, d| n.wrapping_mul(10).wrapping_add(u64::from(d.wrapping_sub(b'0'))));
    flags & FORKED_ONLY == 0
}

extern "C" fn ignore(_signal: i32) {}

/// Kills the children of this process, which orphans become, until there are none. Returns the program's status.
fn kill_children(program: libc::pid_t) -> i32 {
    let (mut status, mut list, mut before) = (0, [0u8; LISTED], [0u8; LISTED]);
    // SAFETY: numbers only.
    unsafe { libc::kill(program, libc::SIGKILL) };
    // Real-time processes first, with this one's priority, level by level: what a killed process had started is the
    // guard's a moment later. Ended processes stay in the list until they are waited for.
    for _ in 0..1_000 {
        let read = kill_listed(&mut list);
        if list[..read] == before[..read] && before[read..].first().is_none_or(|b| *b == 0) {
            break;
        }
        (before, list) = (list, [0; LISTED]);
        // SAFETY: a number.
        unsafe { libc::usleep(1000) };
    }
    // Waiting for an ended process removes its entries of /proc. If another thread is releasing one of them, the kernel
    // tries again until that is done: a real-time thread that has preempted the other on their core tries for ever.
    let _ = set_class(0, Class::Ordinary);
    // Ten seconds: a process in an uninterruptible sleep is left to the kernel, which kills it afterwards.
    for _ in 0..10_000 {
        kill_listed(&mut list);
        let mut code = 0;
        loop {
            // SAFETY: the status of an ended process is written to `code`.
            match unsafe { libc::waitpid(-1, &mut code, libc::WNOHANG) } {
                0 => break,
                -1 => return status,
                id if id == program => status = code,
                _ => {}
            }
        }
        // SAFETY: a number.
        unsafe { libc::usleep(1000) };
    }
    status
}

/// Length of a list of children that is read at once.
const LISTED: usize = 4096;

/// Kills the children of this process, as far as their list fits. Returns the length of the list.
fn kill_listed(list: &mut [u8; LISTED]) -> usize {
    // SAFETY: the path is a C string, and at most the length of the buffer is read.
    let read = unsafe {
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let read = libc::read(file, list.as_mut_ptr().cast(), list.len()).max(0) as usize;
        libc::close(file);
        read
    };
    let mut id = 0;
    for digit in &list[..read] {
        match digit {
            b'0'..=b'9' => id = id * 10 + i32::from(digit - b'0'),
            _ if id > 0 => {
                // SAFETY: numbers only.
                unsafe { libc::kill(id, libc::SIGKILL) };
                id = 0;
            }
            _ => {}
        }
    }
    read
}

/// CPU time of all processes below this one that were waited for, by this one or by others below it \[us\].
fn children_cpu_us() -> i64 {
    // SAFETY: all zero is a valid value, and the kernel writes one.
    unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut used);
        let us = |t: libc::timeval| t.tv_sec * 1_000_000 + t.tv_usec;
        us(used.ru_utime) + us(used.ru_stime)
    }
}

/// Ends this process as another one ended, by its wait status.
fn end_as(status: i32) -> ! {
    // SAFETY: system calls with numbers, and one limit.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            let signal = libc::WTERMSIG(status);
            libc::signal(signal, libc::SIG_DFL);
            libc::kill(libc::getpid(), signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}

/// Makes this process adopt orphans of its descendants, or not.
pub fn set_subreaper(on: bool) {
    // SAFETY: numbers only.
    let _ = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, libc::c_ulong::from(on), 0, 0, 0) };
}
