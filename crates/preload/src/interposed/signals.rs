//! Faults: this library handles SIGSEGV, for the sake of [`super::counter`], and passes on to the program what is not its own.
//!
//! The program's action for SIGSEGV is kept here and never installed. SIGSEGV is never blocked: a fault while it is blocked
//! would end the process.

use super::counter;
use super::raw::{next, raw, set_errno};
use libc::{c_int, c_void, sigset_t};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// The program's action for SIGSEGV.
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicI32 = AtomicI32::new(0);
static MASK: AtomicU64 = AtomicU64::new(0);
/// The process whose action this is: a process started by `vfork` shares this memory, but not the action.
static OWNER: AtomicI32 = AtomicI32::new(0);
static HANDLES: AtomicBool = AtomicBool::new(false);

type Action = libc::sigaction;
type SetAction = unsafe extern "C" fn(c_int, *const Action, *mut Action) -> c_int;
type SetMask = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;

/// The C library's function.
unsafe fn really(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let found = next(c"sigaction", &CACHED);
    if found.is_null() {
        return set_errno(libc::ENOSYS);
    }
    // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
    unsafe { std::mem::transmute::<*mut c_void, SetAction>(found)(signal, new, old) }
}

fn own() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// In a forked process, which has the same action.
pub(super) fn after_fork() {
    OWNER.store(own(), Ordering::Release);
}

/// Installs the handler; returns whether that was possible.
pub(super) fn handle_faults() -> bool {
    // SAFETY: an action with a handler of ours; the previous one is written to a place for one.
    unsafe {
        let (mut new, mut old): (Action, Action) = (std::mem::zeroed(), std::mem::zeroed());
        new.sa_sigaction = on_fault as *const () as usize;
        // Where a thread has a second stack the program wants faults handled there; a fault in its handler is a fault.
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        if really(libc::SIGSEGV, &new, &mut old) != 0 {
            return false;
        }
        keep(&old);
    }
    after_fork();
    HANDLES.store(true, Ordering::Release);
    true
}

fn keep(action: &Action) {
    HANDLER.store(action.sa_sigaction, Ordering::Release);
    FLAGS.store(action.sa_flags, Ordering::Release);
    MASK.store(first_word(&action.sa_mask), Ordering::Release);
}

/// The signals 1 to 64 of a set.
fn first_word(set: &sigset_t) -> u64 {
    // SAFETY: a set is an array of words, of which the first holds these signals.
    unsafe { std::ptr::from_ref(set).cast::<u64>().read() }
}

extern "C" fn on_fault(signal: c_int, about: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's arguments of this handler.
    if unsafe { counter::answers(about, context) } {
        return;
    }
    let (handler, flags) = (HANDLER.load(Ordering::Acquire), FLAGS.load(Ordering::Acquire));
    // SAFETY: the program's own handler, of the type that its flags say, or the kernel's action.
    unsafe {
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            let sent = (*about).si_code <= 0;
            if handler == libc::SIG_IGN && sent {
                return;
            }
            let mut default: Action = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            really(signal, &default, std::ptr::null_mut());
            // The instruction faults again; a signal that was sent has to be sent again.
            if sent {
                libc::raise(signal);
            }
            return;
        }
        if flags & libc::SA_RESETHAND != 0 {
            HANDLER.store(libc::SIG_DFL, Ordering::Release);
        }
        // What its handler wants blocked, but not the fault itself; the kernel restores the mask afterwards.
        let mask = MASK.load(Ordering::Acquire) & !(1 << (libc::SIGSEGV - 1));
        raw(libc::SYS_rt_sigprocmask, [i64::from(libc::SIG_BLOCK), &raw const mask as i64, 0, 8, 0, 0]);
        if flags & libc::SA_SIGINFO != 0 {
            type Full = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            std::mem::transmute::<usize, Full>(handler)(signal, about, context);
        } else {
            std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal);
        }
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    let ours = HANDLES.load(Ordering::Acquire) && OWNER.load(Ordering::Acquire) == own();
    if !ours || signal != libc::SIGSEGV {
        if !ours || new.is_null() {
            // SAFETY: passed on unchanged.
            return unsafe { really(signal, new, old) };
        }
        // SAFETY: not null; SIGSEGV is left out of what its handler blocks.
        return unsafe {
            let mut changed = new.read();
            libc::sigdelset(&mut changed.sa_mask, libc::SIGSEGV);
            really(signal, &changed, old)
        };
    }
    // SAFETY: not null where they are used, and the caller's.
    unsafe {
        if !old.is_null() {
            let mut kept: Action = std::mem::zeroed();
            (kept.sa_sigaction, kept.sa_flags) = (HANDLER.load(Ordering::Acquire), FLAGS.load(Ordering::Acquire));
            (&raw mut kept.sa_mask).cast::<u64>().write(MASK.load(Ordering::Acquire));
            old.write(kept);
        }
        if !new.is_null() {
            keep(&*new);
        }
    }
    0
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signal(signal: c_int, handler: usize) -> usize {
    // SAFETY: an action made here, with the caller's handler.
    unsafe {
        let (mut new, mut old): (Action, Action) = (std::mem::zeroed(), std::mem::zeroed());
        (new.sa_sigaction, new.sa_flags) = (handler, libc::SA_RESTART);
        libc::sigaddset(&mut new.sa_mask, signal);
        if sigaction(signal, &new, &mut old) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
    }
}

macro_rules! sets_mask {
    ($name:ident, $symbol:literal, $failed:expr) => {
        /// # Safety
        /// As for the C library's function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
            static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            let found = next($symbol, &CACHED);
            if found.is_null() {
                return $failed;
            }
            // SAFETY: the next function of this name is the C library's, of exactly this type.
            let real = unsafe { std::mem::transmute::<*mut c_void, SetMask>(found) };
            if !HANDLES.load(Ordering::Acquire) || new.is_null() || how == libc::SIG_UNBLOCK {
                // SAFETY: passed on unchanged.
                return unsafe { real(how, new, old) };
            }
            // SAFETY: not null, and the caller's.
            unsafe {
                let mut changed = new.read();
                libc::sigdelset(&mut changed, libc::SIGSEGV);
                real(how, &changed, old)
            }
        }
    };
}

sets_mask!(sigprocmask, c"sigprocmask", set_errno(libc::ENOSYS));
sets_mask!(pthread_sigmask, c"pthread_sigmask", libc::ENOSYS);
