//! Threads, condition variables and sleeps of C11: in the GNU C library they are those of POSIX under other names, and
//! call these inside the library, where they cannot be replaced.

use super::conditions::{
    pthread_cond_broadcast, pthread_cond_destroy, pthread_cond_init, pthread_cond_signal, pthread_cond_timedwait,
    pthread_cond_wait,
};
use super::locks::pthread_mutex_timedlock;
use super::raw::next;
use super::sleeps::nanosleep;
use crate::link;
use libc::{c_int, c_void, pthread_cond_t, pthread_mutex_t, timespec};
use std::sync::atomic::AtomicPtr;

const SUCCESS: c_int = 0;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;

fn result(code: c_int) -> c_int {
    match code {
        0 => SUCCESS,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_sleep(wanted: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: passed on unchanged. A signal gives -1, another error -2.
    match unsafe { nanosleep(wanted, left) } {
        0 => 0,
        // SAFETY: this thread's errno.
        _ if unsafe { *libc::__errno_location() } == libc::EINTR => -1,
        _ => -2,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_create(
    thread: *mut libc::pthread_t,
    start: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
) -> c_int {
    if let Some(link) = link::connected() {
        link.count_thread();
    }
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let real = next(c"thrd_create", &CACHED);
    if real.is_null() {
        return ERROR;
    }
    type Real = unsafe extern "C" fn(*mut libc::pthread_t, extern "C" fn(*mut c_void) -> c_int, *mut c_void) -> c_int;
    // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
    unsafe { std::mem::transmute::<*mut c_void, Real>(real)(thread, start, argument) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_init(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_cond_init(condition, std::ptr::null()) })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_destroy(condition: *mut pthread_cond_t) {
    // SAFETY: passed on unchanged.
    unsafe { pthread_cond_destroy(condition) };
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_signal(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_cond_signal(condition) })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_broadcast(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_cond_broadcast(condition) })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_cond_wait(condition, mutex) })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    limit: *const timespec,
) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_cond_timedwait(condition, mutex, limit) })
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mtx_timedlock(mutex: *mut pthread_mutex_t, limit: *const timespec) -> c_int {
    // SAFETY: passed on unchanged.
    result(unsafe { pthread_mutex_timedlock(mutex, limit) })
}
