//! Condition variables, our own in the C library's storage.
//!
//! The C library's cannot be ended by the coordinator when a virtual time has come. Ours is a counter that threads sleep on:
//!
//! ```text
//! (1)  wait:    s = counter; release the mutex; sleep while counter = s; take the mutex
//! (2)  signal:  counter + 1; wake one        broadcast: counter + 1; wake all
//! ```
//!
//! A thread may wake without cause, as POSIX lets it. A wait that ends by its time and by a signal at once counts as
//! signalled, so that no signal is lost. What is used, ours or the C library's, is decided by the environment and so the
//! same for the whole life of a process and of those it forks. Threads that are cancelled while they wait: unsupported.

use super::raw::next;
use super::{ns_of, shown_ns, virtual_ns};
use crate::link;
use crate::sleeping::{Beside, Woken};
use libc::{c_int, c_void, clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};
use rustix::thread::futex;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use veracity_client::wire;

/// What lies in a `pthread_cond_t`, which is larger; all zero by `PTHREAD_COND_INITIALIZER`.
#[repr(C)]
struct Condition {
    counter: AtomicU32,
    monotonic: AtomicU32,
    shared: AtomicU32,
}

/// Whether conditions of this process are ours.
fn ours() -> bool {
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    match KNOWN.load(Ordering::Acquire) {
        0 => {
            let name = std::ffi::CString::new(wire::ENVIRONMENT).unwrap_or_default();
            // SAFETY: the name is a C string, and what comes back is only compared with null.
            let found = unsafe { !libc::getenv(name.as_ptr()).is_null() };
            KNOWN.store(if found { 1 } else { 2 }, Ordering::Release);
            found
        }
        known => known == 1,
    }
}

macro_rules! the_c_librarys {
    ($name:literal, ($($argument:ident: $type:ty),*)) => {{
        static KEPT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
        let found = next($name, &KEPT);
        if found.is_null() {
            return libc::ENOSYS;
        }
        type Real = unsafe extern "C" fn($($type),*) -> c_int;
        // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are handed on.
        unsafe { std::mem::transmute::<*mut c_void, Real>(found)($($argument),*) }
    }};
}

/// # Safety
/// `condition` points at a `pthread_cond_t`.
unsafe fn condition_at<'a>(condition: *mut pthread_cond_t) -> &'a Condition {
    // SAFETY: larger and as strictly aligned, and only ever touched atomically.
    unsafe { &*condition.cast::<Condition>() }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_init(
    condition: *mut pthread_cond_t,
    attributes: *const pthread_condattr_t,
) -> c_int {
    if !ours() {
        return the_c_librarys!(
            c"pthread_cond_init",
            (condition: *mut pthread_cond_t, attributes: *const pthread_condattr_t)
        );
    }
    let (mut clock, mut shared): (clockid_t, c_int) = (libc::CLOCK_REALTIME, 0);
    if !attributes.is_null() {
        // SAFETY: the caller's attributes, and room for one of each.
        unsafe {
            libc::pthread_condattr_getclock(attributes, &mut clock);
            libc::pthread_condattr_getpshared(attributes, &mut shared);
        }
    }
    // SAFETY: the caller's storage, which nobody uses yet.
    let it = unsafe {
        condition.write(std::mem::zeroed());
        condition_at(condition)
    };
    it.monotonic.store(u32::from(clock == libc::CLOCK_MONOTONIC), Ordering::Release);
    it.shared.store(shared as u32, Ordering::Release);
    0
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int {
    if !ours() {
        return the_c_librarys!(c"pthread_cond_destroy", (condition: *mut pthread_cond_t));
    }
    0
}

fn wake(condition: &Condition, count: u32) -> c_int {
    condition.counter.fetch_add(1, Ordering::AcqRel);
    let _ = futex::wake(&condition.counter, flags(condition), count);
    0
}

fn flags(condition: &Condition) -> futex::Flags {
    if condition.shared.load(Ordering::Acquire) != 0 { futex::Flags::empty() } else { futex::Flags::PRIVATE }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int {
    if !ours() {
        return the_c_librarys!(c"pthread_cond_signal", (condition: *mut pthread_cond_t));
    }
    // SAFETY: the caller's.
    wake(unsafe { condition_at(condition) }, 1)
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int {
    if !ours() {
        return the_c_librarys!(c"pthread_cond_broadcast", (condition: *mut pthread_cond_t));
    }
    // SAFETY: the caller's.
    wake(unsafe { condition_at(condition) }, i32::MAX as u32)
}

/// (1). `limit`: a clock and what it shows when the wait is to end.
///
/// # Safety
/// As the C library's.
unsafe fn wait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    limit: Option<(clockid_t, timespec)>,
) -> c_int {
    // SAFETY: the caller's.
    let it = unsafe { condition_at(condition) };
    let expected = it.counter.load(Ordering::Acquire);
    // SAFETY: the caller holds it.
    let code = unsafe { libc::pthread_mutex_unlock(mutex) };
    if code != 0 {
        return code;
    }
    let timed_out = match (limit, link::link()) {
        (Some((clock, t)), Some(link)) => {
            let now = virtual_ns(link);
            let left = ns_of(t).saturating_sub(shown_ns(link, clock).unwrap_or(0)).min(i64::MAX / 4);
            let beside = Beside { word: &it.counter, expected, shared: it.shared.load(Ordering::Acquire) != 0 };
            left <= 0
                || link.sleep_on_both(now + left, &beside, now) == Woken::Time
                    && it.counter.load(Ordering::Acquire) == expected
        }
        // A child of a fork is on the wall's time.
        (Some((clock, t)), None) => {
            let left = ns_of(t) - super::kernel_ns(clock);
            let limit = rustix::time::Timespec { tv_sec: left / super::SECOND, tv_nsec: left % super::SECOND };
            left <= 0
                || futex::wait(&it.counter, flags(it), expected, Some(&limit)) == Err(rustix::io::Errno::TIMEDOUT)
        }
        (None, _) => {
            let _ = futex::wait(&it.counter, flags(it), expected, None);
            false
        }
    };
    // SAFETY: as above.
    let code = unsafe { libc::pthread_mutex_lock(mutex) };
    if code == 0 && timed_out { libc::ETIMEDOUT } else { code }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int {
    if !ours() {
        return the_c_librarys!(
            c"pthread_cond_wait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t)
        );
    }
    // SAFETY: the caller's word.
    unsafe { wait(condition, mutex, None) }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    limit: *const timespec,
) -> c_int {
    if !ours() {
        return the_c_librarys!(
            c"pthread_cond_timedwait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, limit: *const timespec)
        );
    }
    // SAFETY: the caller's word.
    unsafe {
        let monotonic = condition_at(condition).monotonic.load(Ordering::Acquire) != 0;
        let clock = if monotonic { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
        wait(condition, mutex, Some((clock, limit.read())))
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    limit: *const timespec,
) -> c_int {
    if !ours() {
        return the_c_librarys!(
            c"pthread_cond_clockwait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, limit: *const timespec)
        );
    }
    // SAFETY: the caller's word.
    unsafe { wait(condition, mutex, Some((clock, limit.read()))) }
}
