//! The processor's time stamp counter: in an unmodified program `rdtsc` and `rdtscp` show virtual time.
//!
//! The kernel can make both instructions fault, for each thread (`PR_SET_TSC`). The handler of the fault answers with what a
//! counter would show that counts virtual time from the start of the run, at the rate of this machine's. A reading then
//! costs about 3 us. On a virtual machine each switch to a thread that faults costs 5 us more, whether it reads the counter
//! or not: a thread that has not read it in its first waits and clock readings may read it as it is from then on. A process
//! that has read it once faults for good; if one of its threads could read it unseen before, its verdict is *cannot tell*.

use super::raw::raw;
use crate::link;
use libc::{c_int, c_void};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use veracity_client::wire;

/// A thread that has used this much, of [`WAIT`] and [`READING`], without reading the counter is let read it.
const WINDOW: u32 = 2000;
/// What a wait counts.
pub(crate) const WAIT: u32 = 20;
/// What the reading of a clock counts.
pub(crate) const READING: u32 = 1;

/// Nothing faults in this process.
const OFF: u32 = 0;
/// Threads fault in their window.
const WATCHED: u32 = 1;
/// The counter has been read: every thread faults for good.
const READ: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(OFF);
/// Whether a thread of this process was let read the counter.
static LET: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread has used of its window.
    static USED: Cell<u32> = const { Cell::new(0) };
}

fn set(how: i64) {
    // SAFETY: numbers only.
    unsafe { raw(libc::SYS_prctl, [i64::from(libc::PR_SET_TSC), how, 0, 0, 0, 0]) };
}

fn fault() {
    set(i64::from(libc::PR_TSC_SIGSEGV));
}

fn allow() {
    set(i64::from(libc::PR_TSC_ENABLE));
}

/// Whether faults of this process are ours to handle.
pub(super) fn is_on() -> bool {
    STATE.load(Ordering::Acquire) != OFF
}

/// Begins to watch the program's first thread; later threads inherit it.
pub(super) fn watch() {
    let unmodified = link::connected()
        .is_some_and(|link| link.page.get(wire::WATCHES_COUNTER) == 1 && link.page.get_f64(wire::COUNTER_HZ) > 0.0);
    if cfg!(target_arch = "x86_64") && unmodified && super::signals::handle_faults() {
        STATE.store(WATCHED, Ordering::Release);
        fault();
    }
}

/// Counts a wait or a reading of this thread; ends its window.
pub(crate) fn count(what: u32) {
    let state = STATE.load(Ordering::Acquire);
    if state == OFF {
        return;
    }
    USED.with(|used| {
        let before = used.get();
        if before >= WINDOW {
            // Another thread has read it since.
            if state == READ && before != u32::MAX {
                used.set(u32::MAX);
                fault();
            }
        } else if state == WATCHED {
            used.set(before + what);
            if before + what >= WINDOW {
                LET.store(true, Ordering::Release);
                allow();
            }
        }
    });
}

/// Does something while the counter can be read: starting a program, whose loader reads it before this library is there.
pub(super) fn allowed<T>(body: impl FnOnce() -> T) -> T {
    if !is_on() {
        return body();
    }
    allow();
    let done = body();
    if STATE.load(Ordering::Acquire) == READ || USED.with(Cell::get) < WINDOW {
        fault();
    }
    done
}

/// Starts a thread, which has a window of its own.
pub(super) fn faulting<T>(body: impl FnOnce() -> T) -> T {
    match STATE.load(Ordering::Acquire) {
        READ => {
            fault();
            body()
        }
        WATCHED if USED.with(Cell::get) >= WINDOW => {
            fault();
            let done = body();
            allow();
            done
        }
        _ => body(),
    }
}

/// Before a program is executed by a function with a variable number of arguments.
pub(super) fn before_exec() {
    if is_on() {
        allow();
    }
}

/// Answers a fault, if an instruction that reads the counter caused it.
///
/// # Safety
/// The arguments of a handler of SIGSEGV.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn answers(about: *const libc::siginfo_t, context: *mut c_void) -> bool {
    /// A general protection fault, without an address.
    const SI_KERNEL: c_int = 0x80;
    // SAFETY: guaranteed by the caller; such a fault is that of an instruction, whose bytes can be read.
    unsafe {
        if !is_on() || (*about).si_code != SI_KERNEL {
            return false;
        }
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let at = registers[libc::REG_RIP as usize] as *const u8;
        let length = match (at.read(), at.add(1).read()) {
            (0x0f, 0x31) => 2,
            (0x0f, 0x01) if at.add(2).read() == 0xf9 => 3,
            _ => return false,
        };
        let error = *libc::__errno_location();
        let value = shown();
        if length == 3 {
            registers[libc::REG_RCX as usize] = i64::from(libc::sched_getcpu().max(0));
        }
        registers[libc::REG_RAX as usize] = (value & 0xffff_ffff) as i64;
        registers[libc::REG_RDX as usize] = (value >> 32) as i64;
        registers[libc::REG_RIP as usize] += length;
        *libc::__errno_location() = error;
    }
    true
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn answers(_about: *const libc::siginfo_t, _context: *mut c_void) -> bool {
    false
}

/// What the counter shows at this time.
#[cfg(target_arch = "x86_64")]
fn shown() -> u64 {
    let Some(connected) = link::connected() else { return 0 };
    if STATE.swap(READ, Ordering::AcqRel) == WATCHED && LET.load(Ordering::Acquire) {
        connected.page.set(wire::COUNTER_SEEN, 1);
    }
    match link::link() {
        Some(link) => {
            let ns = super::virtual_ns(link) as f64;
            let counted = ns * 1e-9 * link.page.get_f64(wire::COUNTER_HZ);
            link.page.get(wire::ZERO_COUNTER).wrapping_add(counted as u64)
        }
        // Before the run begins, clocks show wall time.
        None => {
            allow();
            // SAFETY: reads a counter.
            let value = unsafe { std::arch::x86_64::_rdtsc() };
            fault();
            value
        }
    }
}
