//! Waits for descriptors: they poll, after every step of the dynamics or when a timer of the program is due, until
//! their time is up.

use super::raw::{raw, set_errno};
use super::{SECOND, ns_of, timers, virtual_ns};
use crate::link::{self, Link};
use crate::sleeping::Woken;
use libc::{c_int, c_long, epoll_event, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval};

/// Polls until there is a result, an error or the time is up (`None`: never), once per step of the dynamics.
pub(super) fn poll_each_step(link: &Link, limit_ns: Option<i64>, mut once: impl FnMut() -> c_long) -> c_int {
    let begun = virtual_ns(link);
    let end = limit_ns.map_or(i64::MAX, |limit| begun.saturating_add(limit));
    loop {
        let now = virtual_ns(link);
        timers::fire(now);
        let code = once();
        if code != 0 || now >= end {
            return code as c_int;
        }
        let next = end.min(now + link.step_ns()).min(link.next_message_ns()).min(timers::next_ns());
        if link.poll_until(next) == Woken::Signal {
            return set_errno(libc::EINTR);
        }
    }
}

fn millis(timeout: c_int) -> Option<i64> {
    (timeout >= 0).then_some(i64::from(timeout) * 1_000_000)
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(list: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
    // SAFETY: the kernel checks the pointer, here and below.
    let system =
        |timeout: c_int| unsafe { raw(libc::SYS_poll, [list as i64, count as i64, i64::from(timeout), 0, 0, 0]) };
    match link::link() {
        Some(link) => poll_each_step(link, millis(timeout), || system(0)),
        None => system(timeout) as c_int,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ppoll(
    list: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the kernel checks the pointers and copies what it changes; 8 bytes is its size of a signal set.
    let system = |t: *const timespec| unsafe {
        raw(libc::SYS_ppoll, [list as i64, count as i64, t as i64, mask as i64, 8, 0])
    };
    let Some(link) = link::link() else { return ppoll_whole(timeout, system) };
    // SAFETY: null, or the caller points to one.
    let limit = (!timeout.is_null()).then(|| unsafe { timeout.read() }).map(ns_of);
    poll_each_step(link, limit, || {
        let none = timespec { tv_sec: 0, tv_nsec: 0 };
        system(&none)
    })
}

/// The kernel writes the remaining time into its argument; the C library's function does not.
fn ppoll_whole(timeout: *const timespec, system: impl Fn(*const timespec) -> c_long) -> c_int {
    if timeout.is_null() {
        return system(timeout) as c_int;
    }
    // SAFETY: not null, and the caller points to one.
    let copy = unsafe { timeout.read() };
    system(&copy) as c_int
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    timeout: *mut timeval,
) -> c_int {
    // SAFETY: the kernel checks the pointers, here and below.
    let system = |t: *mut timeval| unsafe {
        raw(libc::SYS_select, [i64::from(count), read as i64, write as i64, except as i64, t as i64, 0])
    };
    let Some(link) = link::link() else { return system(timeout) as c_int };
    // SAFETY: null, or the caller points to one.
    let limit = (!timeout.is_null()).then(|| unsafe { timeout.read() }).map(|t| t.tv_sec * SECOND + t.tv_usec * 1000);
    let sets = [read, write, except];
    // The kernel clears the sets when nothing is ready: each poll starts from the original sets.
    // SAFETY: null, or the caller points to one set.
    let asked = sets.map(|s| (!s.is_null()).then(|| unsafe { s.read() }));
    poll_each_step(link, limit, || {
        for (set, original) in sets.iter().zip(&asked) {
            if let Some(original) = original {
                // SAFETY: not null, as it was read above.
                unsafe { set.write(*original) };
            }
        }
        let mut none = timeval { tv_sec: 0, tv_usec: 0 };
        system(&mut none)
    })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(set: c_int, events: *mut epoll_event, room: c_int, timeout: c_int) -> c_int {
    // SAFETY: the kernel checks the pointer.
    let system = |timeout: c_int| unsafe {
        raw(libc::SYS_epoll_wait, [i64::from(set), events as i64, i64::from(room), i64::from(timeout), 0, 0])
    };
    match link::link() {
        Some(link) => poll_each_step(link, millis(timeout), || system(0)),
        None => system(timeout) as c_int,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait(
    set: c_int,
    events: *mut epoll_event,
    room: c_int,
    timeout: c_int,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the kernel checks the pointers.
    let system = |t: c_int| unsafe {
        raw(libc::SYS_epoll_pwait, [i64::from(set), events as i64, i64::from(room), i64::from(t), mask as i64, 8])
    };
    match link::link() {
        Some(link) => poll_each_step(link, millis(timeout), || system(0)),
        None => system(timeout) as c_int,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pselect(
    count: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    except: *mut fd_set,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // The mask is set for the duration of the call, as closely as possible without the kernel's help.
    // SAFETY: space for one set, which is written before it is read; `mask` is null or the caller's.
    let mut before = std::mem::MaybeUninit::<sigset_t>::uninit();
    if !mask.is_null() {
        // SAFETY: as above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, before.as_mut_ptr()) };
    }
    // SAFETY: null, or the caller points to one.
    let t = (!timeout.is_null()).then(|| unsafe { timeout.read() });
    let mut limit = t.map(|t| timeval { tv_sec: t.tv_sec, tv_usec: t.tv_nsec / 1000 });
    let pointer = limit.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
    // SAFETY: guaranteed by the caller.
    let code = unsafe { select(count, read, write, except, pointer) };
    if !mask.is_null() {
        // SAFETY: written by the call above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    code
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait2(
    set: c_int,
    events: *mut epoll_event,
    room: c_int,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the kernel checks the pointers.
    let system = |t: *const timespec| unsafe {
        let arguments = [i64::from(set), events as i64, i64::from(room), t as i64, mask as i64, 8];
        raw(libc::SYS_epoll_pwait2, arguments)
    };
    let Some(link) = link::link() else { return system(timeout) as c_int };
    // SAFETY: null, or the caller points to one.
    let limit = (!timeout.is_null()).then(|| unsafe { timeout.read() }).map(ns_of);
    let none = timespec { tv_sec: 0, tv_nsec: 0 };
    poll_each_step(link, limit, || system(&none))
}

/// # Safety
/// As for the C library's function, which a compiler that checks sizes calls instead of `poll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __poll_chk(list: *mut pollfd, count: nfds_t, timeout: c_int, _size: libc::size_t) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { poll(list, count, timeout) }
}

/// # Safety
/// As for the C library's function, which a compiler that checks sizes calls instead of `ppoll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ppoll_chk(
    list: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    mask: *const sigset_t,
    _size: libc::size_t,
) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { ppoll(list, count, timeout, mask) }
}
