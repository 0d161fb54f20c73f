//! Semaphores and locks with a time limit.
//!
//! A semaphore has the layout of the GNU C library: a 64-bit word with the value in its lower half and the number of
//! waiting threads in its upper half, followed by 0 if it is private to the process (since version 2.21). `sem_post`
//! wakes a sleeper of the lower half if a thread waits. Locks with a time limit, which are rare, poll once per step of
//! the dynamics.

use super::raw::{next, set_errno};
use super::waits::poll_each_step;
use super::{ns_of, shown_ns, virtual_ns};
use crate::link::{self, Link};
use crate::sleeping::{OtherWord, Woken};
use libc::{c_int, c_void, clockid_t, pthread_mutex_t, pthread_rwlock_t, sem_t, timespec};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Time until a clock shows a time [ns], clamped.
fn left_ns(link: &Link, clock: clockid_t, limit: timespec) -> i64 {
    ns_of(limit).saturating_sub(shown_ns(link, clock).unwrap_or(0)).min(i64::MAX / 4)
}

/// # Safety
/// As for the C library's function.
unsafe fn wait_for_semaphore(link: &Link, semaphore: *mut sem_t, clock: clockid_t, limit: *const timespec) -> c_int {
    const WAITER: u64 = 1 << 32;
    // SAFETY: see the head of this file; the C library also accesses both words atomically.
    let (word, half, private) = unsafe {
        let half = semaphore.cast::<AtomicU32>();
        (&*semaphore.cast::<AtomicU64>(), &*half, (*half.add(2)).load(Ordering::Acquire) == 0)
    };
    word.fetch_add(WAITER, Ordering::AcqRel);
    loop {
        let seen = word.load(Ordering::Acquire);
        if seen as u32 > 0 {
            let taken = seen - WAITER - 1;
            if word.compare_exchange(seen, taken, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return 0;
            }
            continue;
        }
        let now = virtual_ns(link);
        // SAFETY: the caller points to one.
        let left = left_ns(link, clock, unsafe { limit.read() });
        let other = OtherWord { word: half, expected: 0, shared: !private };
        let woken = if left <= 0 { Woken::Time } else { link.sleep_on_both(now + left, &other, now) };
        if woken != Woken::Other && word.load(Ordering::Acquire) as u32 == 0 {
            word.fetch_sub(WAITER, Ordering::AcqRel);
            return set_errno(if woken == Woken::Time { libc::ETIMEDOUT } else { libc::EINTR });
        }
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, limit: *const timespec) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { sem_clockwait(semaphore, libc::CLOCK_REALTIME, limit) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, limit: *const timespec) -> c_int {
    if let Some(link) = link::link() {
        // SAFETY: guaranteed by the caller.
        return unsafe { wait_for_semaphore(link, semaphore, clock, limit) };
    }
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let found = next(c"sem_clockwait", &CACHED);
    if found.is_null() {
        return set_errno(libc::ENOSYS);
    }
    type Real = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
    // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
    unsafe { std::mem::transmute::<*mut c_void, Real>(found)(semaphore, clock, limit) }
}

/// Tries until it has the lock or the time is up; returns the error code itself, as these functions do.
///
/// # Safety
/// `limit` points to one timespec.
unsafe fn lock(clock: clockid_t, limit: *const timespec, attempt: impl Fn() -> c_int) -> c_int {
    let mut code = attempt();
    if code != libc::EBUSY {
        return code;
    }
    // SAFETY: the caller points to one.
    let limit = unsafe { limit.read() };
    // Without a coordinator these functions wait in wall time, as the C library's do.
    let Some(link) = link::link() else {
        while code == libc::EBUSY && super::kernel_ns(clock) < ns_of(limit) {
            rustix::thread::sched_yield();
            code = attempt();
        }
        return if code == libc::EBUSY { libc::ETIMEDOUT } else { code };
    };
    loop {
        let left = left_ns(link, clock, limit).max(0);
        let found = poll_each_step(link, Some(left), || {
            code = attempt();
            i64::from(code != libc::EBUSY)
        });
        // A signal does not end such a wait.
        if found == 0 || code != libc::EBUSY {
            return if code == libc::EBUSY { libc::ETIMEDOUT } else { code };
        }
    }
}

macro_rules! limited {
    ($timed:ident, $clocked:ident, $try:path, $type:ty) => {
        /// # Safety
        /// As for the C library's function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $timed(it: *mut $type, limit: *const timespec) -> c_int {
            // SAFETY: guaranteed by the caller.
            unsafe { lock(libc::CLOCK_REALTIME, limit, || $try(it)) }
        }

        /// # Safety
        /// As for the C library's function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $clocked(it: *mut $type, clock: clockid_t, limit: *const timespec) -> c_int {
            // SAFETY: guaranteed by the caller.
            unsafe { lock(clock, limit, || $try(it)) }
        }
    };
}

limited!(pthread_mutex_timedlock, pthread_mutex_clocklock, libc::pthread_mutex_trylock, pthread_mutex_t);
limited!(pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, libc::pthread_rwlock_tryrdlock, pthread_rwlock_t);
limited!(pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, libc::pthread_rwlock_trywrlock, pthread_rwlock_t);
