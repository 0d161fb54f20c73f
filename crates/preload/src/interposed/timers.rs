//! Timers: descriptors (`timerfd`) and the alarm (`setitimer`, `alarm`).
//!
//! A timer's descriptor is an eventfd: reading either gives the number of expirations since the last reading. It is
//! filled when the program waits for descriptors or reads it and its time has come. The coordinator sends the alarm, as
//! a signal, when the program's progress has reached its time: it also arrives while the program computes.

use super::raw::{next, raw, set_errno};
use super::waits::poll_each_step;
use super::{SECOND, ns_of, shown_ns, virtual_ns};
use crate::link;
use libc::{c_int, c_uint, c_void, clockid_t, itimerspec, itimerval, size_t, ssize_t, timespec, timeval};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering};
use veracity_client::wire;

#[derive(Clone, Copy)]
struct Timer {
    descriptor: c_int,
    clock: clockid_t,
    /// Virtual time of the next expiration; `i64::MAX` while disarmed [ns].
    next_ns: i64,
    /// Interval; 0 for a single expiration [ns].
    every_ns: i64,
    blocking: bool,
    /// The descriptor it is a copy of: setting either sets the timer, which is kept by the original.
    copy_of: Option<c_int>,
}

static TIMERS: Mutex<Vec<Timer>> = Mutex::new(Vec::new());
static NEXT: AtomicI64 = AtomicI64::new(i64::MAX);
static COUNT: AtomicI64 = AtomicI64::new(0);

fn timers<T>(then: impl FnOnce(&mut Vec<Timer>) -> T) -> T {
    let mut timers = TIMERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let result = then(&mut timers);
    NEXT.store(timers.iter().map(|t| t.next_ns).min().unwrap_or(i64::MAX), Ordering::Release);
    COUNT.store(timers.len() as i64, Ordering::Release);
    result
}

/// When the next descriptor has to be filled [ns].
pub(super) fn next_ns() -> i64 {
    NEXT.load(Ordering::Acquire)
}

/// Fills the descriptors whose time has come.
pub(super) fn fire(now_ns: i64) {
    if now_ns < next_ns() {
        return;
    }
    timers(|timers| {
        for timer in timers.iter_mut().filter(|t| t.next_ns <= now_ns) {
            let mut count = 1u64;
            if timer.every_ns > 0 {
                count += ((now_ns - timer.next_ns) / timer.every_ns) as u64;
                timer.next_ns += count as i64 * timer.every_ns;
            } else {
                timer.next_ns = i64::MAX;
            }
            // SAFETY: writes eight bytes of ours to a descriptor.
            unsafe { raw(libc::SYS_write, [i64::from(timer.descriptor), &raw const count as i64, 8, 0, 0, 0]) };
        }
    });
}

/// Like the C library's function, in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn timerfd_create(clock: clockid_t, flags: c_int) -> c_int {
    if link::link().is_none_or(|l| shown_ns(l, clock).is_none()) {
        // SAFETY: numbers only.
        return unsafe { raw(libc::SYS_timerfd_create, [i64::from(clock), i64::from(flags), 0, 0, 0, 0]) as c_int };
    }
    // Both kinds of descriptors have the same flags.
    // SAFETY: numbers only.
    let descriptor = unsafe { raw(libc::SYS_eventfd2, [0, i64::from(flags), 0, 0, 0, 0]) } as c_int;
    if descriptor >= 0 {
        let blocking = flags & libc::TFD_NONBLOCK == 0;
        timers(|timers| {
            timers.push(Timer { descriptor, clock, next_ns: i64::MAX, every_ns: 0, blocking, copy_of: None })
        });
    }
    descriptor
}

fn spec(timer: &Timer, now_ns: i64) -> itimerspec {
    let t = |ns: i64| timespec { tv_sec: ns / SECOND, tv_nsec: ns % SECOND };
    let left = if timer.next_ns == i64::MAX { 0 } else { (timer.next_ns - now_ns).max(1) };
    itimerspec { it_interval: t(timer.every_ns), it_value: t(left) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timerfd_settime(
    descriptor: c_int,
    flags: c_int,
    wanted: *const itimerspec,
    old: *mut itimerspec,
) -> c_int {
    let real = || {
        // SAFETY: the kernel checks the pointers.
        let arguments = [i64::from(descriptor), i64::from(flags), wanted as i64, old as i64, 0, 0];
        unsafe { raw(libc::SYS_timerfd_settime, arguments) as c_int }
    };
    let Some(link) = link::link().filter(|_| !wanted.is_null()) else { return real() };
    let now = virtual_ns(link);
    // SAFETY: not null, and the caller points to one.
    let wanted = unsafe { wanted.read() };
    let found = timers(|timers| {
        let timer = original(timers, descriptor)?;
        let before = spec(timer, now);
        let value = ns_of(wanted.it_value);
        let shown = shown_ns(link, timer.clock).unwrap_or(0);
        let left = if flags & libc::TFD_TIMER_ABSTIME != 0 { (value - shown).max(0) } else { value };
        timer.next_ns = if value == 0 { i64::MAX } else { now.saturating_add(left) };
        timer.every_ns = ns_of(wanted.it_interval);
        Some(before)
    });
    let Some(before) = found else { return real() };
    // Earlier expirations no longer count.
    empty(descriptor);
    if !old.is_null() {
        // SAFETY: not null, and the caller provides space for one.
        unsafe { old.write(before) };
    }
    0
}

/// The timer of a descriptor or of the one it is a copy of.
fn original(timers: &mut [Timer], descriptor: c_int) -> Option<&mut Timer> {
    let timer = timers.iter().find(|t| t.descriptor == descriptor)?;
    let kept = timer.copy_of.unwrap_or(descriptor);
    timers.iter_mut().find(|t| t.descriptor == kept)
}

/// Reads an eventfd empty, if it is not.
fn empty(descriptor: c_int) {
    let mut ready = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    let mut count = 0u64;
    // SAFETY: points to one pollfd, and to eight bytes.
    unsafe {
        if raw(libc::SYS_poll, [&raw mut ready as i64, 1, 0, 0, 0, 0]) == 1 {
            raw(libc::SYS_read, [i64::from(descriptor), &raw mut count as i64, 8, 0, 0, 0]);
        }
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timerfd_gettime(descriptor: c_int, out: *mut itimerspec) -> c_int {
    let now = link::link().map(virtual_ns);
    let found = now.and_then(|now| timers(|timers| original(timers, descriptor).map(|t| spec(t, now))));
    match found.filter(|_| !out.is_null()) {
        // SAFETY: not null, and the caller provides space for one.
        Some(spec) => unsafe { out.write(spec) },
        // SAFETY: the kernel checks the pointer.
        None => {
            return unsafe {
                raw(libc::SYS_timerfd_gettime, [i64::from(descriptor), out as i64, 0, 0, 0, 0]) as c_int
            };
        }
    }
    0
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(descriptor: c_int, buffer: *mut c_void, room: size_t) -> ssize_t {
    if !wait_to_read(descriptor) {
        return -1;
    }
    // Not a cancellation point, otherwise like the C library's function.
    // SAFETY: the kernel checks the pointer.
    unsafe { raw(libc::SYS_read, [i64::from(descriptor), buffer as i64, room as i64, 0, 0, 0]) as ssize_t }
}

/// # Safety
/// As for the C library's function, which a compiler that checks sizes calls instead of `read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __read_chk(descriptor: c_int, buffer: *mut c_void, room: size_t, size: size_t) -> ssize_t {
    // SAFETY: the caller's buffer has `size` bytes.
    unsafe { read(descriptor, buffer, room.min(size)) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readv(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> ssize_t {
    if !wait_to_read(descriptor) {
        return -1;
    }
    // SAFETY: the kernel checks the pointer.
    unsafe { raw(libc::SYS_readv, [i64::from(descriptor), parts as i64, i64::from(count), 0, 0, 0]) as ssize_t }
}

/// Waits, in virtual time, until a timer or a socket with a time limit can be read; returns `false` with `errno` if it
/// cannot.
fn wait_to_read(descriptor: c_int) -> bool {
    if COUNT.load(Ordering::Acquire) > 0
        && let Some(link) = link::link()
        && let Some(timer) = timers(|timers| timers.iter().find(|t| t.descriptor == descriptor).copied())
    {
        fire(virtual_ns(link));
        if timer.blocking {
            let mut waits = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
            let waits: *mut libc::pollfd = &raw mut waits;
            // SAFETY: points to one pollfd that lives until after the last poll.
            let seen = poll_each_step(link, None, || unsafe { raw(libc::SYS_poll, [waits as i64, 1, 0, 0, 0, 0]) });
            if seen < 0 {
                return false;
            }
        }
    }
    super::sockets::may_read(descriptor)
}

/// A copy of a timer's descriptor is the same timer.
fn copied(from: c_int, to: c_int) -> c_int {
    if to >= 0 && from != to && COUNT.load(Ordering::Acquire) > 0 {
        timers(|timers| {
            let original = timers.iter().find(|t| t.descriptor == from).copied();
            timers.retain(|t| t.descriptor != to);
            timers.extend(original.map(|t| Timer { descriptor: to, next_ns: i64::MAX, copy_of: Some(from), ..t }));
        });
    }
    to
}

/// Like the C library's function; the copy of a timer is the same timer.
#[unsafe(no_mangle)]
pub extern "C" fn dup(descriptor: c_int) -> c_int {
    // SAFETY: numbers only.
    copied(descriptor, unsafe { raw(libc::SYS_dup, [i64::from(descriptor), 0, 0, 0, 0, 0]) as c_int })
}

/// Like the C library's function; the copy of a timer is the same timer.
#[unsafe(no_mangle)]
pub extern "C" fn dup3(descriptor: c_int, to: c_int, flags: c_int) -> c_int {
    // SAFETY: numbers only.
    let code = unsafe { raw(libc::SYS_dup3, [i64::from(descriptor), i64::from(to), i64::from(flags), 0, 0, 0]) };
    copied(descriptor, code as c_int)
}

/// Like the C library's function; the copy of a timer is the same timer.
#[unsafe(no_mangle)]
pub extern "C" fn dup2(descriptor: c_int, to: c_int) -> c_int {
    if descriptor == to {
        // SAFETY: numbers only; fails if the descriptor is not open.
        let open = unsafe { raw(libc::SYS_fcntl, [i64::from(descriptor), i64::from(libc::F_GETFD), 0, 0, 0, 0]) };
        return if open < 0 { -1 } else { to };
    }
    dup3(descriptor, to, 0)
}

/// Like the C library's function, and forgets the timer of the descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn close(descriptor: c_int) -> c_int {
    // It ties this process to its guard: a program that closes all descriptors, as a daemon does, does not mean it.
    if descriptor >= 0 && descriptor == crate::guard_pipe::descriptor() {
        return 0;
    }
    if COUNT.load(Ordering::Acquire) > 0 && link::link().is_some() {
        timers(|timers| {
            let closed = timers.iter().find(|t| t.descriptor == descriptor).copied();
            timers.retain(|t| t.descriptor != descriptor);
            // A copy keeps the timer.
            let mut heirs = timers.iter_mut().filter(|t| t.copy_of == Some(descriptor));
            if let (Some(closed), Some(heir)) = (closed, heirs.next()) {
                let kept = heir.descriptor;
                *heir = Timer { descriptor: kept, copy_of: closed.copy_of, ..closed };
                heirs.for_each(|t| t.copy_of = Some(kept));
            }
        });
    }
    super::sockets::forget(descriptor);
    // SAFETY: a number only.
    unsafe { raw(libc::SYS_close, [i64::from(descriptor), 0, 0, 0, 0, 0]) as c_int }
}

/// The current alarm: remaining time and interval [ns].
fn alarm_now(link: &link::Link) -> (i64, i64) {
    let next = link.page.get_i64(wire::ALARM_NS);
    let left = if next == 0 { 0 } else { (next - virtual_ns(link)).max(1000) };
    (left, link.page.get_i64(wire::ALARM_EVERY_NS))
}

fn shown(left_ns: i64, every_ns: i64) -> itimerval {
    let t = |ns: i64| timeval { tv_sec: ns / SECOND, tv_usec: ns % SECOND / 1000 };
    itimerval { it_interval: t(every_ns), it_value: t(left_ns) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setitimer(which: c_int, wanted: *const itimerval, old: *mut itimerval) -> c_int {
    // The other two count CPU time, which is not virtualised.
    let Some(link) = link::link().filter(|_| which == libc::ITIMER_REAL && !wanted.is_null()) else {
        // SAFETY: the kernel checks the pointers.
        return unsafe { raw(libc::SYS_setitimer, [i64::from(which), wanted as i64, old as i64, 0, 0, 0]) as c_int };
    };
    // SAFETY: not null, and the caller points to one.
    let wanted = unsafe { wanted.read() };
    let ns = |t: timeval| t.tv_sec.saturating_mul(SECOND).saturating_add(t.tv_usec * 1000);
    let (value, every) = (ns(wanted.it_value), ns(wanted.it_interval));
    if value < 0 || every < 0 {
        return set_errno(libc::EINVAL);
    }
    let (left, before) = alarm_now(link);
    link.page.set(wire::ALARM_NS, 0);
    link.page.set_i64(wire::ALARM_EVERY_NS, every);
    if value > 0 {
        link.page.set_i64(wire::ALARM_NS, virtual_ns(link).saturating_add(value));
    }
    if !old.is_null() {
        // SAFETY: not null, and the caller provides space for one.
        unsafe { old.write(shown(left, before)) };
    }
    0
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getitimer(which: c_int, out: *mut itimerval) -> c_int {
    let Some(link) = link::link().filter(|_| which == libc::ITIMER_REAL && !out.is_null()) else {
        // SAFETY: the kernel checks the pointer.
        return unsafe { raw(libc::SYS_getitimer, [i64::from(which), out as i64, 0, 0, 0, 0]) as c_int };
    };
    let (left, every) = alarm_now(link);
    // SAFETY: not null, and the caller provides space for one.
    unsafe { out.write(shown(left, every)) };
    0
}

/// Like the C library's function, in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let mut old = shown(0, 0);
    let wanted = shown(i64::from(seconds) * SECOND, 0);
    // SAFETY: points to one, and provides space for one.
    unsafe { setitimer(libc::ITIMER_REAL, &wanted, &mut old) };
    // Rounded up to whole seconds, as the C library does.
    (old.it_value.tv_sec + i64::from(old.it_value.tv_usec > 0)) as c_uint
}

/// # Safety
/// As for the C library's function; a timer on a clock of the world fails with ENOTSUP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_create(clock: clockid_t, event: *mut c_void, out: *mut c_void) -> c_int {
    // Clock ids of CPU clocks are negative, those of CLOCK_REALTIME and the like are not.
    if link::link().is_some_and(|l| shown_ns(l, clock).is_some()) {
        return set_errno(libc::ENOTSUP);
    }
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let found = next(c"timer_create", &CACHED);
    if found.is_null() {
        return set_errno(libc::ENOSYS);
    }
    type Real = unsafe extern "C" fn(clockid_t, *mut c_void, *mut c_void) -> c_int;
    // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
    unsafe { std::mem::transmute::<*mut c_void, Real>(found)(clock, event, out) }
}
