//! Ends this process when the client's guard ends, whatever else has ended before.
//!
//! The guard holds the only writing end of a pipe. Every process of the client that has loaded this library opens the
//! reading end anew and asks the kernel for SIGKILL when something happens to it (`F_SETSIG`): only its closing can. This
//! needs no privileges and no process that is still alive, and a session of its own does not change it.

use rustix::event::{PollFd, PollFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Signal, kill_process};
use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use veracity_client::wire;

static PATH: OnceLock<Option<CString>> = OnceLock::new();
/// The descriptor of this process; -1 for none.
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);

/// The descriptor, which the program must not close.
pub fn descriptor() -> i32 {
    DESCRIPTOR.load(Ordering::Acquire)
}

/// Watches the guard from this process; also called in a forked one, where it makes system calls only.
pub fn watch() {
    let read = || std::env::var(wire::ENVIRONMENT_GUARD).ok().and_then(|path| CString::new(path).ok());
    let Some(path) = PATH.get_or_init(read) else { return };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(path.as_c_str(), flags, Mode::empty()) {
        Ok(opened) => opened,
        // The coordinator has ended: this process was started while the run was being killed. While the kernel removes the
        // coordinator the path may exist and be refused.
        Err(error) if error == rustix::io::Errno::NOENT || has_ended(path) => return end(),
        Err(_) => return,
    };
    let Ok(high) = rustix::io::fcntl_dupfd_cloexec(&opened, 200) else { return };
    crate::interposed::kill_when_readable(high.as_raw_fd());
    let inherited = DESCRIPTOR.swap(high.as_raw_fd(), Ordering::AcqRel);
    std::mem::forget(high);
    if inherited >= 0 && inherited != descriptor() {
        crate::interposed::close_really(inherited);
    }
    // The guard may have ended before the kernel was asked.
    if has_hung_up(&opened) {
        end();
    }
}

/// Whether the process in whose folder of `/proc` a path is has ended, or is about to: it has no memory any more then, and
/// its descriptors are refused.
fn has_ended(path: &CStr) -> bool {
    const EXITING: u64 = 4;
    let mut stat = [0u8; 64];
    let mut folders = path.to_bytes().split(|b| *b == b'/');
    let Some(id) = folders.nth(2).filter(|id| id.len() < 20) else { return false };
    let mut at = 0;
    for part in [&b"/proc/"[..], id, &b"/stat"[..]] {
        stat[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    let Ok(name) = CStr::from_bytes_until_nul(&stat) else { return false };
    let file = match rustix::fs::open(name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => file,
        Err(error) => return error == rustix::io::Errno::NOENT,
    };
    let mut text = [0u8; 512];
    let read = match rustix::io::read(&file, &mut text) {
        Ok(read) => read,
        Err(error) => return error == rustix::io::Errno::SRCH,
    };
    // After the name, in parentheses: state, parent, group, session, terminal, its group, flags.
    let Some(end) = text[..read].iter().rposition(|b| *b == b')') else { return false };
    let mut fields = text[end..read].split(|b| *b == b' ').skip(1);
    let state = fields.next().and_then(|state| state.first().copied());
    let digits = fields.nth(5).unwrap_or_default();
    let flags = digits.iter().fold(0u64, |n, d| n.wrapping_mul(10).wrapping_add(u64::from(d.wrapping_sub(b'0'))));
    matches!(state, Some(b'Z' | b'X')) || flags & EXITING != 0
}

fn end() {
    let _ = kill_process(rustix::process::getpid(), Signal::KILL);
}

fn has_hung_up(pipe: &OwnedFd) -> bool {
    let mut one = [PollFd::new(pipe, PollFlags::IN)];
    let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut one, Some(&now)).is_ok() && one[0].revents().contains(PollFlags::HUP)
}
