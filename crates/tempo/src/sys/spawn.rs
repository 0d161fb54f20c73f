//! Starting a client, and its setup before its first instruction.

use super::scheduling::{Class, set_class};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setpgid, setsid};
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

/// Starts a program in a process group of its own that is killed when the calling thread ends.
pub fn spawn(command: &mut Command, setup: &ChildSetup) -> io::Result<Child> {
    let (setup, parent) = (setup.clone(), rustix::process::getpid());
    // SAFETY: between fork and exec the closure makes system calls only: no allocation, no lock, no Rust object of
    // another thread. `setup` was cloned before the fork.
    unsafe {
        command.pre_exec(move || prepare(&setup, parent));
    }
    command.spawn()
}

fn prepare(setup: &ChildSetup, parent: Pid) -> io::Result<()> {
    // A scheduler that groups by session (autogroup) would treat a session of its own as a group equal to all others:
    // the idle class would be idle only within it. A client in the idle class therefore stays in our session, with a
    // process group to be killed by.
    if setup.class == Class::Idle {
        setpgid(None, None)?;
    } else {
        setsid()?;
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have died before the line above; then this process would never be killed.
    if getppid() != Some(parent) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
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
