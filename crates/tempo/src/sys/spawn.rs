//! Starting a client: what must be so before its first instruction.

use super::scheduling::{Class, set_class};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setpgid, setsid};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// What the child sets up for itself between fork and exec.
#[derive(Clone)]
pub struct Birth {
    /// Its core.
    pub core: usize,
    /// Its class.
    pub class: Class,
    /// Descriptors it keeps.
    pub keep: Vec<i32>,
}

/// Starts a program in a process group of its own that dies with the calling thread.
pub fn spawn(command: &mut Command, birth: &Birth) -> io::Result<Child> {
    let (birth, parent) = (birth.clone(), rustix::process::getpid());
    // SAFETY: between fork and exec the closure makes system calls only: no allocation, no lock, no Rust object of another
    // thread. `birth` was cloned before the fork.
    unsafe {
        command.pre_exec(move || prepare(&birth, parent));
    }
    command.spawn()
}

fn prepare(birth: &Birth, parent: Pid) -> io::Result<()> {
    // A session of its own is a group of its own to a scheduler that groups by session (autogroup), equal to all others: then
    // the idle class is idle among itself only. Such a client stays in our session, with a process group to be killed by.
    if birth.class == Class::Idle {
        setpgid(None, None)?;
    } else {
        setsid()?;
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have died before the line above; then nobody would ever kill us.
    if getppid() != Some(parent) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    let mut cores = CpuSet::new();
    cores.set(birth.core);
    sched_setaffinity(None, &cores)?;
    set_class(0, birth.class)?;
    for descriptor in &birth.keep {
        // SAFETY: clears close-on-exec of a descriptor the parent holds open until after the exec.
        if unsafe { libc::fcntl(*descriptor, libc::F_SETFD, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
