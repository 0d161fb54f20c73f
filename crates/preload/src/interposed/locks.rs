//! Semaphores and locks with a limit of time.
//!
//! A semaphore is the GNU C library's: a 64-bit word with the value in its lower half and the number of those who wait in its
//! upper half, and behind it 0 if it is private to the process (so since version 2.21). `sem_post` wakes a sleeper of the
//! lower half if anybody waits. Locks with a limit, which are rare, look once in a step of the dynamics.

use super::raw::{next, set_errno};
use super::waits::look;
use super::{ns_of, shown_ns, virtual_ns};
use crate::link::{self, Link};
use crate::sleeping::{Beside, Woken};
use libc::{c_int, c_void, clockid_t, pthread_mutex_t, pthread_rwlock_t, sem_t, timespec};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// How long until a clock shows a time [ns], within reason.
fn left_ns(link: &Link, clock: clockid_t, limit: timespec) -> i64 {
    ns_of(limit).saturating_sub(shown_ns(link, clock).unwrap_or(0)).min(i64::MAX / 4)
}

/// # Safety
/// As the C library's.
unsafe fn take(link: &Link, semaphore: *mut sem_t, clock: clockid_t, limit: *const timespec) -> c_int {
    const WAITER: u64 = 1 << 32;
    // SAFETY: the head of this file; the C library touches both words atomically, too.
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
        // SAFETY: the caller points at one.
        let left = left_ns(link, clock, unsafe { limit.read() });
        let beside = Beside { word: half, expected: 0, shared: !private };
        let woken = if left <= 0 { Woken::Time } else { link.sleep_on_both(now + left, &beside, now) };
        if woken != Woken::Other && word.load(Ordering::Acquire) as u32 == 0 {
            word.fetch_sub(WAITER, Ordering::AcqRel);
            return set_errno(if woken == Woken::Time { libc::ETIMEDOUT } else { libc::EINTR });
        }
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, limit: *const timespec) -> c_int {
    // SAFETY: handed on as given.
    unsafe { sem_clockwait(semaphore, libc::CLOCK_REALTIME, limit) }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, limit: *const timespec) -> c_int {
    if let Some(link) = link::link() {
        // SAFETY: the caller's word.
        return unsafe { take(link, semaphore, clock, limit) };
    }
    static KEPT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let found = next(c"sem_clockwait", &KEPT);
    if found.is_null() {
        return set_errno(libc::ENOSYS);
    }
    type Real = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
    // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are handed on.
    unsafe { std::mem::transmute::<*mut c_void, Real>(found)(semaphore, clock, limit) }
}

/// Tries until it has the lock or the time is up; the error itself, as these functions give it.
///
/// # Safety
/// `limit` is the caller's.
unsafe fn lock(clock: clockid_t, limit: *const timespec, attempt: impl Fn() -> c_int) -> c_int {
    let mut code = attempt();
    if code != libc::EBUSY {
        return code;
    }
    // SAFETY: the caller points at one.
    let limit = unsafe { limit.read() };
    // In a process of its own these functions wait on the wall, as the C library's do.
    let Some(link) = link::link() else {
        while code == libc::EBUSY && super::kernel_ns(clock) < ns_of(limit) {
            rustix::thread::sched_yield();
            code = attempt();
        }
        return if code == libc::EBUSY { libc::ETIMEDOUT } else { code };
    };
    loop {
        let left = left_ns(link, clock, limit).max(0);
        let found = look(link, Some(left), || {
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
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $timed(it: *mut $type, limit: *const timespec) -> c_int {
            // SAFETY: the caller's word.
            unsafe { lock(libc::CLOCK_REALTIME, limit, || $try(it)) }
        }

        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $clocked(it: *mut $type, clock: clockid_t, limit: *const timespec) -> c_int {
            // SAFETY: the caller's word.
            unsafe { lock(clock, limit, || $try(it)) }
        }
    };
}

limited!(pthread_mutex_timedlock, pthread_mutex_clocklock, libc::pthread_mutex_trylock, pthread_mutex_t);
limited!(pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, libc::pthread_rwlock_tryrdlock, pthread_rwlock_t);
limited!(pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, libc::pthread_rwlock_trywrlock, pthread_rwlock_t);
