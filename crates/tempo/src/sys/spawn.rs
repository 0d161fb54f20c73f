//! Starting a client, and its setup before its first instruction.

use super::guard::{GuardPipes, fork_from_guard};
use super::scheduling::{Class, set_class};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{setpgid, setsid};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

const CAP_SYS_NICE: libc::c_ulong = 23;

/// What the child sets up for itself between fork and exec.
#[derive(Clone)]
pub struct ChildSetup {
    /// Core it is pinned to.
    pub core: usize,
    /// Its scheduling class.
    pub class: Class,
    /// Descriptors it inherits.
    pub keep: Vec<i32>,
}

/// A started program.
pub struct Spawned {
    /// Its guard, which ends as the program does.
    pub guard: Child,
    /// Process id of the program.
    pub program: i32,
    /// The guard kills the program, and every process it has started, when this is closed.
    pub lifeline: OwnedFd,
    /// The guard writes the CPU time of the whole tree here when it ends \[us\]: eight bytes.
    pub report: std::fs::File,
}

/// Starts a program below a guard, in a process group of its own. `watched` closes when the guard ends.
pub fn spawn(command: &mut Command, setup: &ChildSetup, watched: OwnedFd) -> io::Result<Spawned> {
    let (guards_end, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
    let (report, guards_report) = pipe_with(PipeFlags::CLOEXEC)?;
    let coordinator = std::process::id() as i32;
    let pipes = GuardPipes {
        lifeline: guards_end.as_raw_fd(),
        report: guards_report.as_raw_fd(),
        watched: watched.as_raw_fd(),
        coordinator,
    };
    let setup = setup.clone();
    // SAFETY: between fork and exec the closure makes system calls only: no allocation, no lock, no Rust object of
    // another thread. `setup` was cloned before the fork.
    unsafe {
        command.pre_exec(move || {
            fork_from_guard(pipes, matches!(setup.class, Class::Fifo(_)))?;
            prepare(&setup)
        });
    }
    let guard = command.spawn()?;
    drop((guards_report, watched));
    let (mut id, mut report) = ([0u8; 4], std::fs::File::from(report));
    io::Read::read_exact(&mut report, &mut id)?;
    Ok(Spawned { guard, program: i32::from_ne_bytes(id), lifeline, report })
}

fn prepare(setup: &ChildSetup) -> io::Result<()> {
    // A scheduler that groups by session (autogroup) would treat a session of its own as a group equal to all others:
    // the idle class would be idle only within it. A client in the idle class therefore stays in our session, with a
    // process group to be killed by.
    if setup.class == Class::Idle {
        setpgid(None, None)?;
    } else {
        setsid()?;
    }
    let mut cores = CpuSet::new();
    cores.set(setup.core);
    sched_setaffinity(None, &cores)?;
    set_class(0, setup.class)?;
    if matches!(setup.class, Class::Fifo(_)) {
        // Without this capability it cannot raise its priority to the coordinator's, which could not preempt it then.
        // SAFETY: numbers only. Fails where the capability cannot be held anyway.
        let _ = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0) };
    }
    for descriptor in &setup.keep {
        // SAFETY: clears close-on-exec of a descriptor the parent holds open until after the exec.
        if unsafe { libc::fcntl(*descriptor, libc::F_SETFD, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
