//! The functions that replace those of the C library. Signatures are the C library's; pointers are the caller's
//! responsibility and are dereferenced where the C library would.

mod c11;
mod conditions;
pub(crate) mod counter;
mod kernel_page;
mod locks;
mod processes;
mod queues;
mod raw;
mod signals;
mod sleeps;
mod sockets;
mod threads;
mod timers;
mod waits;

use crate::link::{self, Link};
use libc::{c_int, c_void, clockid_t, time_t, timespec, timeval};
use raw::raw;

pub(crate) use processes::{close_really, kill_when_readable};

const SECOND: i64 = 1_000_000_000;

fn ns_of(t: timespec) -> i64 {
    t.tv_sec.saturating_mul(SECOND).saturating_add(t.tv_nsec)
}

/// Runs when the library is loaded, before the program's first instruction.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    if link::connect() {
        print_lines();
    }
    if link::connected().is_some() {
        kernel_page::redirect();
        counter::watch();
    }
    processes::watch_forks();
}

/// Lets the C library write standard output at each end of a line, also into a pipe: a command in a buffer would not
/// arrive.
fn print_lines() {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library's own stream, before the program has used it, and no buffer of ours.
    unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IOLBF, 0) };
}

/// A clock of the kernel [ns]; by system call, because the C library's function is replaced below.
fn kernel_ns(clock: clockid_t) -> i64 {
    let mut t = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec to the given address.
    unsafe { raw(libc::SYS_clock_gettime, [i64::from(clock), &raw mut t as i64, 0, 0, 0, 0]) };
    t.tv_sec * SECOND + t.tv_nsec
}

pub(crate) fn virtual_ns(link: &Link) -> i64 {
    counter::count(counter::READING);
    link.reading(|| kernel_ns(libc::CLOCK_PROCESS_CPUTIME_ID))
}

/// Time shown by a clock [ns]; `None` for clocks that do not show the world's time (CPU time, another process's).
fn shown_ns(link: &Link, clock: clockid_t) -> Option<i64> {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            Some(link.real_zero_ns() + virtual_ns(link))
        }
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_BOOTTIME => {
            Some(link.monotonic_zero_ns() + virtual_ns(link))
        }
        _ => None,
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int {
    match link::link().and_then(|l| shown_ns(l, clock)).filter(|_| !out.is_null()) {
        Some(ns) => {
            // SAFETY: not null, and the caller provides space for one.
            unsafe { out.write(timespec { tv_sec: ns / SECOND, tv_nsec: ns % SECOND }) };
            0
        }
        // SAFETY: the kernel checks the pointer.
        None => unsafe { raw(libc::SYS_clock_gettime, [i64::from(clock), out as i64, 0, 0, 0, 0]) as c_int },
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(out: *mut timeval, zone: *mut c_void) -> c_int {
    let Some(ns) = link::link().and_then(|l| shown_ns(l, libc::CLOCK_REALTIME)).filter(|_| !out.is_null()) else {
        // SAFETY: the kernel checks the pointers.
        return unsafe { raw(libc::SYS_gettimeofday, [out as i64, zone as i64, 0, 0, 0, 0]) as c_int };
    };
    // SAFETY: not null, and the caller provides space for one.
    unsafe { out.write(timeval { tv_sec: ns / SECOND, tv_usec: ns % SECOND / 1000 }) };
    0
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(out: *mut time_t) -> time_t {
    let ns = link::link().and_then(|l| shown_ns(l, libc::CLOCK_REALTIME));
    let seconds = ns.unwrap_or_else(|| kernel_ns(libc::CLOCK_REALTIME)) / SECOND;
    if !out.is_null() {
        // SAFETY: not null, and the caller provides space for one.
        unsafe { out.write(seconds) };
    }
    seconds
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timespec_get(out: *mut timespec, base: c_int) -> c_int {
    if base != 1 {
        return 0;
    }
    // SAFETY: guaranteed by the caller.
    if unsafe { clock_gettime(libc::CLOCK_REALTIME, out) } == 0 { base } else { 0 }
}
