//! Waits with a time limit that are not for descriptors: signals, message queues, System V semaphores, the end of a
//! thread. They poll once per step of the dynamics.

use super::raw::{next, raw};
use super::waits::poll_each_step;
use super::{ns_of, shown_ns};
use crate::link::{self, Link};
use libc::{
    c_char, c_int, c_uint, c_void, clockid_t, mqd_t, pthread_t, sembuf, siginfo_t, sigset_t, size_t, ssize_t,
    timespec,
};
use std::sync::atomic::AtomicPtr;

/// Repeats a call that does not wait, until it succeeds, fails for another reason than `pending`, or the time is up.
fn until(link: &Link, limit_ns: Option<i64>, pending: c_int, mut once: impl FnMut() -> i64) -> i64 {
    let mut result = -1;
    let seen = poll_each_step(link, limit_ns, || {
        result = once();
        // SAFETY: this thread's errno.
        i64::from(result >= 0 || unsafe { *libc::__errno_location() } != pending)
    });
    // Interrupted by a signal: errno says so.
    if seen < 0 { -1 } else { result }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigtimedwait(set: *const sigset_t, about: *mut siginfo_t, limit: *const timespec) -> c_int {
    // SAFETY: the kernel checks the pointers; 8 bytes is its size of a signal set.
    let system = |limit: *const timespec| unsafe {
        raw(libc::SYS_rt_sigtimedwait, [set as i64, about as i64, limit as i64, 8, 0, 0])
    };
    let Some(link) = link::link().filter(|_| !limit.is_null()) else { return system(limit) as c_int };
    // SAFETY: not null, and the caller points to one.
    let limit_ns = ns_of(unsafe { limit.read() });
    let none = timespec { tv_sec: 0, tv_nsec: 0 };
    until(link, Some(limit_ns), libc::EAGAIN, || system(&none)) as c_int
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn semtimedop(
    set: c_int,
    operations: *mut sembuf,
    count: size_t,
    limit: *const timespec,
) -> c_int {
    // SAFETY: the kernel checks the pointers.
    let system = |limit: *const timespec| unsafe {
        raw(libc::SYS_semtimedop, [i64::from(set), operations as i64, count as i64, limit as i64, 0, 0])
    };
    let Some(link) = link::link().filter(|_| !limit.is_null()) else { return system(limit) as c_int };
    // SAFETY: not null, and the caller points to one.
    let limit_ns = ns_of(unsafe { limit.read() });
    let none = timespec { tv_sec: 0, tv_nsec: 0 };
    until(link, Some(limit_ns), libc::EAGAIN, || system(&none)) as c_int
}

/// Time until an absolute time on the clock that counts from 1970 [ns].
fn left_ns(link: &Link, limit: timespec) -> i64 {
    ns_of(limit).saturating_sub(shown_ns(link, libc::CLOCK_REALTIME).unwrap_or(0)).max(0)
}

/// A time that has passed: a call with this limit does not wait.
const PAST: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mq_timedreceive(
    queue: mqd_t,
    buffer: *mut c_char,
    room: size_t,
    priority: *mut c_uint,
    limit: *const timespec,
) -> ssize_t {
    // SAFETY: the kernel checks the pointers.
    let system = |limit: *const timespec| unsafe {
        let arguments = [i64::from(queue), buffer as i64, room as i64, priority as i64, limit as i64, 0];
        raw(libc::SYS_mq_timedreceive, arguments)
    };
    let Some(link) = link::link().filter(|_| !limit.is_null()) else { return system(limit) as ssize_t };
    // SAFETY: not null, and the caller points to one.
    let limit_ns = left_ns(link, unsafe { limit.read() });
    until(link, Some(limit_ns), libc::ETIMEDOUT, || system(&PAST)) as ssize_t
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mq_timedsend(
    queue: mqd_t,
    message: *const c_char,
    length: size_t,
    priority: c_uint,
    limit: *const timespec,
) -> c_int {
    // SAFETY: the kernel checks the pointers.
    let system = |limit: *const timespec| unsafe {
        let arguments = [i64::from(queue), message as i64, length as i64, i64::from(priority), limit as i64, 0];
        raw(libc::SYS_mq_timedsend, arguments)
    };
    let Some(link) = link::link().filter(|_| !limit.is_null()) else { return system(limit) as c_int };
    // SAFETY: not null, and the caller points to one.
    let limit_ns = left_ns(link, unsafe { limit.read() });
    until(link, Some(limit_ns), libc::ETIMEDOUT, || system(&PAST)) as c_int
}

type Join = unsafe extern "C" fn(pthread_t, *mut *mut c_void) -> c_int;

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_clockjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    limit: *const timespec,
) -> c_int {
    static TRY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    static REAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let attempt = next(c"pthread_tryjoin_np", &TRY);
    let real = next(c"pthread_clockjoin_np", &REAL);
    if attempt.is_null() || real.is_null() {
        return libc::ENOSYS;
    }
    let Some(link) = link::link().filter(|_| !limit.is_null()) else {
        type Real = unsafe extern "C" fn(pthread_t, *mut *mut c_void, clockid_t, *const timespec) -> c_int;
        // SAFETY: the C library's function, of exactly this type; arguments are passed on.
        return unsafe { std::mem::transmute::<*mut c_void, Real>(real)(thread, result, clock, limit) };
    };
    // SAFETY: the C library's function, of exactly this type.
    let attempt = unsafe { std::mem::transmute::<*mut c_void, Join>(attempt) };
    // SAFETY: not null, and the caller points to one.
    let limit = ns_of(unsafe { limit.read() });
    let mut code = libc::EBUSY;
    loop {
        let left = limit.saturating_sub(shown_ns(link, clock).unwrap_or(0)).max(0);
        let seen = poll_each_step(link, Some(left), || {
            // SAFETY: passed on unchanged.
            code = unsafe { attempt(thread, result) };
            i64::from(code != libc::EBUSY)
        });
        // A signal does not end such a wait.
        if seen >= 0 {
            return if code == libc::EBUSY { libc::ETIMEDOUT } else { code };
        }
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_timedjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    limit: *const timespec,
) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { pthread_clockjoin_np(thread, result, libc::CLOCK_REALTIME, limit) }
}

/// # Safety
/// As for the C library's function; only reading is in virtual time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adjtimex(about: *mut libc::timex) -> c_int {
    // SAFETY: the kernel checks the pointer.
    let code = unsafe { raw(libc::SYS_adjtimex, [about as i64, 0, 0, 0, 0, 0]) as c_int };
    if let Some(ns) = link::link().and_then(|l| shown_ns(l, libc::CLOCK_REALTIME)).filter(|_| code >= 0) {
        // SAFETY: the kernel has written one there.
        unsafe {
            let nanoseconds = (*about).status & libc::STA_NANO != 0;
            let part = ns % super::SECOND;
            (*about).time.tv_sec = ns / super::SECOND;
            (*about).time.tv_usec = if nanoseconds { part } else { part / 1000 };
        }
    }
    code
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ntp_adjtime(about: *mut libc::timex) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { adjtimex(about) }
}

/// # Safety
/// As for the C library's function: the time it returns is virtual, the CPU times it writes are not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn times(out: *mut libc::tms) -> libc::clock_t {
    // SAFETY: the kernel checks the pointer.
    let ticks = unsafe { raw(libc::SYS_times, [out as i64, 0, 0, 0, 0, 0]) };
    // The kernel's ticks are hundredths of a second.
    let shown = link::link().and_then(|l| shown_ns(l, libc::CLOCK_MONOTONIC));
    shown.map_or(ticks, |ns| ns / 10_000_000)
}
