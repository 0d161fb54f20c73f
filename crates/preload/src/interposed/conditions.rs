//! Condition variables: our own implementation in the C library's storage.
//!
//! The coordinator cannot end a wait on the C library's condition variable when a virtual time has come. Ours is a
//! counter that threads sleep on:
//!
//! ```text
//! (1)  wait:    s = counter; release the mutex; sleep while counter = s; take the mutex
//! (2)  signal:  counter + 1; wake one        broadcast: counter + 1; wake all
//! ```
//!
//! Spurious wake-ups are possible, as POSIX allows. A wait that ends by its time and by a signal at once counts as
//! signalled, so that no signal is lost. Whether our implementation or the C library's is used is decided by the
//! environment, and so is the same for the lifetime of a process and of those it forks. Cancelling a waiting thread is
//! not supported.

use super::raw::next;
use super::{ns_of, shown_ns, virtual_ns};
use crate::link;
use crate::sleeping::{OtherWord, Woken};
use libc::{c_int, c_void, clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};
use rustix::thread::futex;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use veracity_client::wire;

/// Contents of a `pthread_cond_t`, which is larger; all zero by `PTHREAD_COND_INITIALIZER`.
#[repr(C)]
struct Condition {
    counter: AtomicU32,
    monotonic: AtomicU32,
    shared: AtomicU32,
}

/// Whether this process uses our condition variables.
fn uses_own_conditions() -> bool {
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    match KNOWN.load(Ordering::Acquire) {
        0 => {
            let name = std::ffi::CString::new(wire::ENVIRONMENT).unwrap_or_default();
            // SAFETY: the name is a C string, and the result is only compared with null.
            let found = unsafe { !libc::getenv(name.as_ptr()).is_null() };
            KNOWN.store(if found { 1 } else { 2 }, Ordering::Release);
            found
        }
        known => known == 1,
    }
}

macro_rules! call_libc {
    ($name:literal, ($($argument:ident: $type:ty),*)) => {{
        static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
        let found = next($name, &CACHED);
        if found.is_null() {
            return libc::ENOSYS;
        }
        type Real = unsafe extern "C" fn($($type),*) -> c_int;
        // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
        unsafe { std::mem::transmute::<*mut c_void, Real>(found)($($argument),*) }
    }};
}

/// # Safety
/// `condition` points to a `pthread_cond_t`.
unsafe fn condition_at<'a>(condition: *mut pthread_cond_t) -> &'a Condition {
    // SAFETY: larger and as strictly aligned, and only accessed atomically.
    unsafe { &*condition.cast::<Condition>() }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_init(
    condition: *mut pthread_cond_t,
    attributes: *const pthread_condattr_t,
) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(
            c"pthread_cond_init",
            (condition: *mut pthread_cond_t, attributes: *const pthread_condattr_t)
        );
    }
    let (mut clock, mut shared): (clockid_t, c_int) = (libc::CLOCK_REALTIME, 0);
    if !attributes.is_null() {
        // SAFETY: the caller's attributes, and space for one of each.
        unsafe {
            libc::pthread_condattr_getclock(attributes, &mut clock);
            libc::pthread_condattr_getpshared(attributes, &mut shared);
        }
    }
    // SAFETY: the caller's storage, which is not in use yet.
    let it = unsafe {
        condition.write(std::mem::zeroed());
        condition_at(condition)
    };
    it.monotonic.store(u32::from(clock == libc::CLOCK_MONOTONIC), Ordering::Release);
    it.shared.store(shared as u32, Ordering::Release);
    0
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(c"pthread_cond_destroy", (condition: *mut pthread_cond_t));
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
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(c"pthread_cond_signal", (condition: *mut pthread_cond_t));
    }
    // SAFETY: guaranteed by the caller.
    wake(unsafe { condition_at(condition) }, 1)
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(c"pthread_cond_broadcast", (condition: *mut pthread_cond_t));
    }
    // SAFETY: guaranteed by the caller.
    wake(unsafe { condition_at(condition) }, i32::MAX as u32)
}

/// Waits as in (1). `limit`: a clock and the time on it at which the wait ends.
///
/// # Safety
/// As for the C library's function.
unsafe fn wait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    limit: Option<(clockid_t, timespec)>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
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
            let other = OtherWord { word: &it.counter, expected, shared: it.shared.load(Ordering::Acquire) != 0 };
            left <= 0
                || link.sleep_on_both(now + left, &other, now) == Woken::Time
                    && it.counter.load(Ordering::Acquire) == expected
        }
        // A forked child uses wall time.
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
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(
            c"pthread_cond_wait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t)
        );
    }
    // SAFETY: guaranteed by the caller.
    unsafe { wait(condition, mutex, None) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    limit: *const timespec,
) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(
            c"pthread_cond_timedwait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, limit: *const timespec)
        );
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let monotonic = condition_at(condition).monotonic.load(Ordering::Acquire) != 0;
        let clock = if monotonic { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
        wait(condition, mutex, Some((clock, limit.read())))
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    limit: *const timespec,
) -> c_int {
    if !uses_own_conditions() {
        return call_libc!(
            c"pthread_cond_clockwait",
            (condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, limit: *const timespec)
        );
    }
    // SAFETY: guaranteed by the caller.
    unsafe { wait(condition, mutex, Some((clock, limit.read()))) }
}
