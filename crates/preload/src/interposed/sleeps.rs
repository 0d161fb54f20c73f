//! Sleeps.

use super::raw::{raw, set_errno};
use super::{SECOND, ns_of, shown_ns, virtual_ns};
use crate::link::{self, Link};
use crate::sleeping::Woken;
use libc::{c_int, c_uint, clockid_t, timespec};

/// Sleeps; returns the remaining time if a signal ended it [ns].
fn sleep_for(link: &Link, ns: i64) -> Option<i64> {
    let end = virtual_ns(link).saturating_add(ns.max(0));
    loop {
        match link.sleep_until(end) {
            Woken::Time => return None,
            Woken::Signal => return Some((end - virtual_ns(link)).max(0)),
            Woken::Other if virtual_ns(link) >= end => return None,
            Woken::Other => {}
        }
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(wanted: *const timespec, left: *mut timespec) -> c_int {
    let Some(link) = link::link().filter(|_| !wanted.is_null()) else {
        // SAFETY: the kernel checks the pointers.
        return unsafe { raw(libc::SYS_nanosleep, [wanted as i64, left as i64, 0, 0, 0, 0]) as c_int };
    };
    // SAFETY: not null, and the caller points to one.
    let t = unsafe { wanted.read() };
    if !(0..SECOND).contains(&t.tv_nsec) || t.tv_sec < 0 {
        return set_errno(libc::EINVAL);
    }
    let Some(rest) = sleep_for(link, ns_of(t)) else { return 0 };
    if !left.is_null() {
        // SAFETY: not null, and the caller provides space for one.
        unsafe { left.write(timespec { tv_sec: rest / SECOND, tv_nsec: rest % SECOND }) };
    }
    set_errno(libc::EINTR)
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    wanted: *const timespec,
    left: *mut timespec,
) -> c_int {
    let shown = link::link().filter(|_| !wanted.is_null()).and_then(|l| Some((l, shown_ns(l, clock)?)));
    let Some((link, now)) = shown else {
        // SAFETY: the kernel checks the pointers. This function returns the error code itself, not -1.
        let code = unsafe {
            let arguments = [i64::from(clock), i64::from(flags), wanted as i64, left as i64, 0, 0];
            raw(libc::SYS_clock_nanosleep, arguments)
        };
        // SAFETY: the C library's errno of this thread.
        return if code == 0 { 0 } else { unsafe { *libc::__errno_location() } };
    };
    // SAFETY: not null, and the caller points to one.
    let t = unsafe { wanted.read() };
    if !(0..SECOND).contains(&t.tv_nsec) || t.tv_sec < 0 {
        return libc::EINVAL;
    }
    let absolute = flags & libc::TIMER_ABSTIME != 0;
    let Some(rest) = sleep_for(link, if absolute { ns_of(t) - now } else { ns_of(t) }) else { return 0 };
    if !absolute && !left.is_null() {
        // SAFETY: not null, and the caller provides space for one.
        unsafe { left.write(timespec { tv_sec: rest / SECOND, tv_nsec: rest % SECOND }) };
    }
    libc::EINTR
}

/// Like the C library's function, in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn usleep(micros: c_uint) -> c_int {
    let t = timespec { tv_sec: i64::from(micros) / 1_000_000, tv_nsec: i64::from(micros) % 1_000_000 * 1000 };
    // SAFETY: points to one timespec and requests no result.
    unsafe { nanosleep(&t, std::ptr::null_mut()) }
}

/// Like the C library's function, in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let t = timespec { tv_sec: i64::from(seconds), tv_nsec: 0 };
    let mut left = timespec { tv_sec: i64::from(seconds), tv_nsec: 0 };
    // SAFETY: points to one timespec and provides space for another.
    if unsafe { nanosleep(&t, &mut left) } == 0 { 0 } else { left.tv_sec as c_uint }
}
