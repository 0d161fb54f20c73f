//! Time limits of sockets (`SO_RCVTIMEO`, `SO_SNDTIMEO`) and of `recvmmsg`, in virtual time.
//!
//! The kernel keeps the limits, for a program that asks for them, and never applies them: a call on a socket with a limit
//! first polls once per step until something has arrived, and then does not wait.

use super::SECOND;
use super::raw::{raw, set_errno};
use super::waits::poll_each_step;
use crate::link;
use libc::{c_int, c_short, c_uint, c_void, msghdr, size_t, sockaddr, socklen_t, ssize_t, timespec, timeval};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A socket's limits for receiving and for sending [ns]; 0 for none.
#[derive(Clone, Copy)]
struct Limits {
    descriptor: c_int,
    receive_ns: i64,
    send_ns: i64,
}

static LIMITS: Mutex<Vec<Limits>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn limits<T>(then: impl FnOnce(&mut Vec<Limits>) -> T) -> T {
    let mut limits = LIMITS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let result = then(&mut limits);
    COUNT.store(limits.len(), Ordering::Release);
    result
}

/// Forgets a descriptor that is being closed.
pub(super) fn forget(descriptor: c_int) {
    if COUNT.load(Ordering::Acquire) > 0 {
        limits(|limits| limits.retain(|l| l.descriptor != descriptor));
    }
}

/// Waits until a socket with a time limit is ready; returns `false`, with EAGAIN or EINTR, if it is not in time.
fn is_ready(descriptor: c_int, events: c_short) -> bool {
    let Some(link) = link::link().filter(|_| COUNT.load(Ordering::Acquire) > 0) else { return true };
    let found = limits(|limits| limits.iter().find(|l| l.descriptor == descriptor).copied());
    let limit = found.map_or(0, |l| if events == libc::POLLIN { l.receive_ns } else { l.send_ns });
    if limit == 0 {
        return true;
    }
    let mut one = libc::pollfd { fd: descriptor, events, revents: 0 };
    let one: *mut libc::pollfd = &raw mut one;
    // SAFETY: points to one pollfd that lives until after the last poll.
    let seen = poll_each_step(link, Some(limit), || unsafe { raw(libc::SYS_poll, [one as i64, 1, 0, 0, 0, 0]) });
    if seen == 0 {
        set_errno(libc::EAGAIN);
    }
    seen > 0
}

/// Whether reading a descriptor must wait first; see [`is_ready`].
pub(super) fn may_read(descriptor: c_int) -> bool {
    is_ready(descriptor, libc::POLLIN)
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setsockopt(
    descriptor: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    // SAFETY: the kernel checks the pointer.
    let code = unsafe {
        let arguments =
            [i64::from(descriptor), i64::from(level), i64::from(name), value as i64, i64::from(length), 0];
        raw(libc::SYS_setsockopt, arguments) as c_int
    };
    let receives = name == libc::SO_RCVTIMEO;
    if code == 0 && level == libc::SOL_SOCKET && (receives || name == libc::SO_SNDTIMEO) && link::link().is_some() {
        // SAFETY: the kernel has read one from there.
        let t = unsafe { value.cast::<timeval>().read_unaligned() };
        let ns = t.tv_sec.saturating_mul(SECOND).saturating_add(t.tv_usec * 1000);
        limits(|limits| {
            if !limits.iter().any(|l| l.descriptor == descriptor) {
                limits.push(Limits { descriptor, receive_ns: 0, send_ns: 0 });
            }
            for one in limits.iter_mut().filter(|l| l.descriptor == descriptor) {
                if receives { one.receive_ns = ns } else { one.send_ns = ns }
            }
            limits.retain(|l| l.receive_ns != 0 || l.send_ns != 0);
        });
    }
    code
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvfrom(
    descriptor: c_int,
    buffer: *mut c_void,
    room: size_t,
    flags: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    if flags & libc::MSG_DONTWAIT == 0 && !may_read(descriptor) {
        return -1;
    }
    // SAFETY: the kernel checks the pointers.
    unsafe {
        let arguments =
            [i64::from(descriptor), buffer as i64, room as i64, i64::from(flags), from as i64, length as i64];
        raw(libc::SYS_recvfrom, arguments) as ssize_t
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(descriptor: c_int, buffer: *mut c_void, room: size_t, flags: c_int) -> ssize_t {
    // SAFETY: passed on unchanged.
    unsafe { recvfrom(descriptor, buffer, room, flags, std::ptr::null_mut(), std::ptr::null_mut()) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recv_chk(
    descriptor: c_int,
    buffer: *mut c_void,
    room: size_t,
    _size: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's compiler has checked the size, or gives the kernel the same chance to fail as `recv`.
    unsafe { recv(descriptor, buffer, room.min(_size), flags) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recvfrom_chk(
    descriptor: c_int,
    buffer: *mut c_void,
    room: size_t,
    size: size_t,
    flags: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    // SAFETY: as above.
    unsafe { recvfrom(descriptor, buffer, room.min(size), flags, from, length) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmsg(descriptor: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    if flags & libc::MSG_DONTWAIT == 0 && !may_read(descriptor) {
        return -1;
    }
    // SAFETY: the kernel checks the pointer.
    unsafe { raw(libc::SYS_recvmsg, [i64::from(descriptor), message as i64, i64::from(flags), 0, 0, 0]) as ssize_t }
}

/// # Safety
/// As for the C library's function. The kernel checks the limit after each message: this one before each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmmsg(
    descriptor: c_int,
    messages: *mut libc::mmsghdr,
    count: c_uint,
    flags: c_int,
    limit: *mut timespec,
) -> c_int {
    let receive = |at: usize, flags: c_int, count: c_uint, limit: *mut timespec| {
        // SAFETY: at most `count` messages; the kernel checks the pointers.
        unsafe {
            let from = messages.add(at) as i64;
            let arguments = [i64::from(descriptor), from, i64::from(count), i64::from(flags), limit as i64, 0];
            raw(libc::SYS_recvmmsg, arguments) as c_int
        }
    };
    let Some(link) = link::link().filter(|_| !limit.is_null() && flags & libc::MSG_DONTWAIT == 0) else {
        return if may_read(descriptor) { receive(0, flags, count, limit) } else { -1 };
    };
    // SAFETY: not null, and the caller points to one.
    let end = super::virtual_ns(link).saturating_add(super::ns_of(unsafe { limit.read() }));
    let mut received = 0;
    while received < count {
        let mut one = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let one: *mut libc::pollfd = &raw mut one;
        let left = (end - super::virtual_ns(link)).max(0);
        // SAFETY: points to one pollfd that lives until after the last poll.
        let seen = poll_each_step(link, Some(left), || unsafe { raw(libc::SYS_poll, [one as i64, 1, 0, 0, 0, 0]) });
        let got =
            if seen > 0 { receive(received as usize, libc::MSG_DONTWAIT, 1, std::ptr::null_mut()) } else { seen };
        if got <= 0 {
            break;
        }
        received += 1;
        if flags & libc::MSG_WAITFORONE != 0 {
            let rest = receive(received as usize, libc::MSG_DONTWAIT, count - received, std::ptr::null_mut());
            received += rest.max(0) as c_uint;
            break;
        }
    }
    if received > 0 { received as c_int } else { set_errno(libc::EAGAIN) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept4(
    descriptor: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    if !may_read(descriptor) {
        return -1;
    }
    // SAFETY: the kernel checks the pointers.
    unsafe {
        raw(libc::SYS_accept4, [i64::from(descriptor), from as i64, length as i64, i64::from(flags), 0, 0]) as c_int
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept(descriptor: c_int, from: *mut sockaddr, length: *mut socklen_t) -> c_int {
    // SAFETY: passed on unchanged.
    unsafe { accept4(descriptor, from, length, 0) }
}
