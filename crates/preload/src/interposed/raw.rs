//! System calls that bypass this library: the C library's `syscall` is one of the functions it replaces.

use super::{SECOND, ns_of, shown_ns};
use crate::link;
use crate::sleeping::{OtherWord, Woken};
use libc::{c_int, c_long, c_void, timespec};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

type Syscall = unsafe extern "C" fn(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;

/// The next function of this name after ours: the C library's. Null if there is none.
pub(super) fn next(name: &std::ffi::CStr, kept: &AtomicPtr<c_void>) -> *mut c_void {
    let mut found = kept.load(Ordering::Acquire);
    if found.is_null() {
        // SAFETY: the name is a C string.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
        kept.store(found, Ordering::Release);
    }
    found
}

/// A system call, as the C library makes it: -1 and `errno` on an error.
///
/// # Safety
/// As for the kernel's call.
pub(super) unsafe fn raw(number: c_long, a: [i64; 6]) -> c_long {
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let found = next(c"syscall", &CACHED);
    if found.is_null() {
        return c_long::from(set_errno(libc::ENOSYS));
    }
    // SAFETY: the C library's function of this name takes a number and up to six words.
    let real: Syscall = unsafe { std::mem::transmute::<*mut c_void, Syscall>(found) };
    // SAFETY: guaranteed by the caller.
    unsafe { real(number, a[0], a[1], a[2], a[3], a[4], a[5]) }
}

/// Sets `errno` and returns -1.
pub(super) fn set_errno(code: c_int) -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = code };
    -1
}

/// Programs that make system calls themselves (as the waits of Rust and C++ do) see virtual time in those that involve
/// time.
///
/// # Safety
/// As for the C library's function, which also accepts fewer arguments: a word that was not given is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(number: c_long, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64) -> c_long {
    if link::link().is_some() {
        // SAFETY: the arguments are those of the named calls.
        unsafe {
            match number {
                libc::SYS_clock_gettime => return c_long::from(super::clock_gettime(a as i32, b as *mut timespec)),
                libc::SYS_nanosleep => {
                    return c_long::from(super::sleeps::nanosleep(a as *const timespec, b as *mut timespec));
                }
                libc::SYS_clock_nanosleep => {
                    let (wanted, left) = (c as *const timespec, d as *mut timespec);
                    let code = super::sleeps::clock_nanosleep(a as i32, b as c_int, wanted, left);
                    return if code == 0 { 0 } else { c_long::from(set_errno(code)) };
                }
                libc::SYS_futex if d != 0 => {
                    if let Some(code) = futex(a as *const AtomicU32, b as c_int, c as u32, d as *const timespec) {
                        return code;
                    }
                }
                _ => {}
            }
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe { raw(number, [a, b, c, d, e, f]) }
}

/// A futex wait with a time limit; `None` if it is another operation.
///
/// # Safety
/// The pointers are valid for the kernel's call.
unsafe fn futex(word: *const AtomicU32, operation: c_int, expected: u32, limit: *const timespec) -> Option<c_long> {
    let link = link::link()?;
    let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    if command != libc::FUTEX_WAIT && command != libc::FUTEX_WAIT_BITSET {
        return None;
    }
    // SAFETY: not null, and the caller points to one of each.
    let (limit, word) = unsafe { (ns_of(limit.read()), &*word) };
    let now = super::virtual_ns(link);
    let until = if command == libc::FUTEX_WAIT {
        now.saturating_add(limit)
    } else {
        let real = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        let clock = if real { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
        now.saturating_add(limit.saturating_sub(shown_ns(link, clock).unwrap_or(0)).min(i64::MAX / 4))
    };
    if word.load(Ordering::Acquire) != expected {
        return Some(c_long::from(set_errno(libc::EAGAIN)));
    }
    if now >= until {
        return Some(c_long::from(set_errno(libc::ETIMEDOUT)));
    }
    let other = OtherWord { word, expected, shared: operation & libc::FUTEX_PRIVATE_FLAG == 0 };
    Some(match link.sleep_on_both(until.min(i64::MAX / 4 + SECOND), &other, now) {
        Woken::Time => c_long::from(set_errno(libc::ETIMEDOUT)),
        Woken::Signal => c_long::from(set_errno(libc::EINTR)),
        Woken::Other => 0,
    })
}
