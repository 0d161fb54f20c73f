//! Programs, and parts of the C library, that read the kernel's clock page themselves (the vDSO) see virtual time as well.
//!
//! The kernel maps a small library into every process, with functions that compute the time without a system call. A
//! program that looks them up by itself calls them past this library. So their first instructions are replaced, in this
//! process only, by a jump to ours. This library itself never calls them: it reads clocks by system call.

use super::raw::raw;
use libc::{c_int, c_long, c_void, clockid_t, time_t, timespec, timeval};
use std::ffi::CStr;

/// `mov rax, ADDRESS; jmp rax`
const JUMP: usize = 12;

/// Symbols of the kernel's library and what replaces them. Each symbol has an alias of the same address.
const REPLACED: [(&CStr, usize); 3] =
    [(c"__vdso_clock_gettime", 0), (c"__vdso_gettimeofday", 1), (c"__vdso_time", 2)];

/// As the kernel's function: the negative error number on failure.
unsafe extern "C" fn clock(clock: clockid_t, out: *mut timespec) -> c_long {
    // SAFETY: guaranteed by the caller.
    kernels(unsafe { super::clock_gettime(clock, out) })
}

unsafe extern "C" fn time_of_day(out: *mut timeval, zone: *mut c_void) -> c_long {
    // SAFETY: guaranteed by the caller.
    kernels(unsafe { super::gettimeofday(out, zone) })
}

unsafe extern "C" fn seconds(out: *mut time_t) -> time_t {
    // SAFETY: guaranteed by the caller.
    unsafe { super::time(out) }
}

fn kernels(result: c_int) -> c_long {
    if result == 0 {
        return 0;
    }
    // SAFETY: this thread's errno.
    -c_long::from(unsafe { *libc::__errno_location() })
}

/// Number of `bytes` at an address.
///
/// # Safety
/// They are readable.
unsafe fn number(at: usize, bytes: usize) -> usize {
    // SAFETY: guaranteed by the caller.
    (0..bytes).rev().fold(0, |n, i| n << 8 | usize::from(unsafe { (at as *const u8).add(i).read() }))
}

/// Replaces the functions of the kernel's library that show the time. Where they cannot be found or changed nothing
/// happens.
pub(super) fn redirect() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    // SAFETY: the kernel gives the address of a whole ELF library that is mapped in this process for good; what is read
    // lies inside of its loaded segment, whose length its header states. It is the only thread: no other one executes
    // the bytes that are written.
    unsafe {
        let base = libc::getauxval(libc::AT_SYSINFO_EHDR) as usize;
        if base == 0 || number(base, 4) != 0x464c_457f {
            return;
        }
        let (mut loaded, mut dynamic) = (None, None);
        for i in 0..number(base + 0x38, 2) {
            let segment = base + number(base + 0x20, 8) + i * number(base + 0x36, 2);
            let (at, length) = (number(segment + 16, 8), number(segment + 40, 8));
            match number(segment, 4) {
                1 => loaded = loaded.or(Some((at, length))),
                2 => dynamic = Some((at, length)),
                _ => {}
            }
        }
        // Addresses of its tables count from the address it was linked at.
        let (Some((linked_at, length)), Some((entries, bytes))) = (loaded, dynamic) else { return };
        let here = |address: usize| base + address - linked_at;
        let (mut names, mut symbols) = (0, 0);
        for entry in (here(entries)..here(entries) + bytes).step_by(16) {
            match number(entry, 8) {
                0 => break,
                5 => names = here(number(entry + 8, 8)),
                6 => symbols = here(number(entry + 8, 8)),
                _ => {}
            }
        }
        // The names follow the symbols, of 24 bytes each.
        if symbols <= base || names <= symbols || names >= base + length || names - symbols > 24 * 64 {
            return;
        }
        let inside = |at: usize, size: usize| at >= base && at + size <= base + length;
        let places = (symbols..names).step_by(24).filter_map(|symbol| {
            let name = CStr::from_ptr((names + number(symbol, 4)) as *const _);
            let with = REPLACED.iter().find(|(replaced, _)| *replaced == name)?.1;
            let (at, size) = (here(number(symbol + 8, 8)), number(symbol + 16, 8));
            (size >= JUMP && inside(at, size)).then_some((at, with))
        });
        let pages = length.next_multiple_of(4096);
        let protect = |flags: c_int| raw(libc::SYS_mprotect, [base as i64, pages as i64, i64::from(flags), 0, 0, 0]);
        if protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
            return;
        }
        let ours = [clock as *const () as usize, time_of_day as *const () as usize, seconds as *const () as usize];
        for (at, with) in places {
            let mut jump = [0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0];
            jump[2..10].copy_from_slice(&ours[with].to_le_bytes());
            std::ptr::copy_nonoverlapping(jump.as_ptr(), at as *mut u8, JUMP);
        }
        protect(libc::PROT_READ | libc::PROT_EXEC);
    }
}
