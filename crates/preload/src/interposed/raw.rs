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
                libc::SYS_gettimeofday => {
                    return c_long::from(super::gettimeofday(a as *mut libc::timeval, b as *mut c_void));
                }
                libc::SYS_ppoll => {
                    let (list, limit) = (a as *mut libc::pollfd, c as *const timespec);
                    return c_long::from(super::waits::ppoll(
                        list,
                        b as libc::nfds_t,
                        limit,
                        d as *const libc::sigset_t,
                    ));
                }
                libc::SYS_epoll_pwait => {
                    let (events, mask) = (b as *mut libc::epoll_event, e as *const libc::sigset_t);
                    return c_long::from(super::waits::epoll_pwait(a as c_int, events, c as c_int, d as c_int, mask));
                }
                libc::SYS_epoll_pwait2 => {
                    let (events, limit) = (b as *mut libc::epoll_event, d as *const timespec);
                    let mask = e as *const libc::sigset_t;
                    return c_long::from(super::waits::epoll_pwait2(a as c_int, events, c as c_int, limit, mask));
                }
                #[cfg(target_arch = "x86_64")]
                libc::SYS_time => return super::time(a as *mut libc::time_t),
                #[cfg(target_arch = "x86_64")]
                libc::SYS_poll => {
                    return c_long::from(super::waits::poll(a as *mut libc::pollfd, b as libc::nfds_t, c as c_int));
                }
                #[cfg(target_arch = "x86_64")]
                libc::SYS_epoll_wait => {
                    let events = b as *mut libc::epoll_event;
                    return c_long::from(super::waits::epoll_wait(a as c_int, events, c as c_int, d as c_int));
                }
                #[cfg(target_arch = "x86_64")]
                libc::SYS_select => {
                    let sets = [b, c, d].map(|set| set as *mut libc::fd_set);
                    let limit = e as *mut libc::timeval;
                    return c_long::from(super::waits::select(a as c_int, sets[0], sets[1], sets[2], limit));
                }
                libc::SYS_pselect6 => {
                    let sets = [b, c, d].map(|set| set as *mut libc::fd_set);
                    // The mask is given as a pointer to a pointer and a length.
                    let mask = if f == 0 { std::ptr::null() } else { *(f as *const *const libc::sigset_t) };
                    let limit = e as *const timespec;
                    return c_long::from(super::waits::pselect(a as c_int, sets[0], sets[1], sets[2], limit, mask));
                }
                libc::SYS_recvmmsg => {
                    let (messages, limit) = (b as *mut libc::mmsghdr, e as *mut timespec);
                    let count = c as libc::c_uint;
                    return c_long::from(super::sockets::recvmmsg(a as c_int, messages, count, d as c_int, limit));
                }
                libc::SYS_rt_sigtimedwait => {
                    let (set, about) = (a as *const libc::sigset_t, b as *mut libc::siginfo_t);
                    return c_long::from(super::queues::sigtimedwait(set, about, c as *const timespec));
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
