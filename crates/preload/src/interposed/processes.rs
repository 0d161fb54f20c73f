//! Starting and reaping processes: a client is a tree of processes with one account.
//!
//! Before a process starts another one the coordinator is made to look for it; a forked process becomes a member at once,
//! one that executes a program when the library is loaded again. What a process used is read before it is reaped.

use super::raw::{next, raw, set_errno};
use super::{counter, signals};
use crate::link::{after_fork_in_child, before_fork, before_reaping};
use libc::{c_char, c_int, c_void, id_t, idtype_t, pid_t, rusage, siginfo_t};
use std::sync::atomic::AtomicPtr;

/// Called when the library is loaded.
pub(super) fn watch_forks() {
    extern "C" fn before() {
        before_fork();
    }
    extern "C" fn in_child() {
        signals::after_fork();
        after_fork_in_child();
    }
    // SAFETY: functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), None, Some(in_child)) };
}

static VFORK: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The C library's `vfork`, after what has to be done before it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn veracity_before_vfork() -> *mut c_void {
    before_fork();
    next(c"vfork", &VFORK)
}

// A function that calls `vfork` must not return before the child has executed a program: so ours jumps into the C
// library's, which returns to the caller.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl vfork",
    ".type vfork,@function",
    "vfork:",
    "sub rsp, 8",
    "call {before}",
    "add rsp, 8",
    "jmp rax",
    before = sym veracity_before_vfork,
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".globl vfork",
    ".type vfork,%function",
    "vfork:",
    "stp x29, x30, [sp, #-16]!",
    "bl {before}",
    "ldp x29, x30, [sp], #16",
    "br x0",
    before = sym veracity_before_vfork,
);

macro_rules! starts_process {
    ($name:ident, $symbol:literal, ($($argument:ident: $type:ty),*) -> $result:ty, $failed:expr) => {
        /// # Safety
        /// As for the C library's function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            before_fork();
            static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            let found = next($symbol, &CACHED);
            if found.is_null() {
                set_errno(libc::ENOSYS);
                return $failed;
            }
            type Real = unsafe extern "C" fn($($type),*) -> $result;
            // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
            counter::allowed(|| unsafe { std::mem::transmute::<*mut c_void, Real>(found)($($argument),*) })
        }
    };
}

macro_rules! executes {
    ($name:ident, $symbol:literal, ($($argument:ident: $type:ty),*)) => {
        /// # Safety
        /// As for the C library's function, which returns only if it failed.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            let found = next($symbol, &CACHED);
            if found.is_null() {
                return set_errno(libc::ENOSYS);
            }
            type Real = unsafe extern "C" fn($($type),*) -> c_int;
            // SAFETY: the next function of this name is the C library's, of exactly this type; arguments are passed on.
            counter::allowed(|| unsafe { std::mem::transmute::<*mut c_void, Real>(found)($($argument),*) })
        }
    };
}

executes!(execve, c"execve", (path: *const c_char, arguments: Words, environment: Words));
executes!(execv, c"execv", (path: *const c_char, arguments: Words));
executes!(execvp, c"execvp", (file: *const c_char, arguments: Words));
executes!(execvpe, c"execvpe", (file: *const c_char, arguments: Words, environment: Words));
executes!(fexecve, c"fexecve", (descriptor: c_int, arguments: Words, environment: Words));
executes!(execveat, c"execveat", (folder: c_int, path: *const c_char, arguments: Words, environment: Words, flags: c_int));

// Functions with a variable number of arguments are passed on by a jump, with the registers that hold arguments as they
// were: a program that they fail to execute is let read the counter.
#[cfg(target_arch = "x86_64")]
macro_rules! executes_list {
    ($name:literal, $before:ident, $symbol:literal) => {
        extern "C" fn $before() -> *mut c_void {
            static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            counter::before_exec();
            next($symbol, &CACHED)
        }
        std::arch::global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
            "call {before}",
            "mov r11, rax",
            "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
            "jmp r11",
            before = sym $before,
        );
    };
}
#[cfg(target_arch = "x86_64")]
executes_list!("execl", before_execl, c"execl");
#[cfg(target_arch = "x86_64")]
executes_list!("execlp", before_execlp, c"execlp");
#[cfg(target_arch = "x86_64")]
executes_list!("execle", before_execle, c"execle");

type Words = *const *mut c_char;
starts_process!(
    posix_spawn, c"posix_spawn",
    (id: *mut pid_t, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: Words, environment: Words)
        -> c_int, libc::ENOSYS
);
starts_process!(
    posix_spawnp, c"posix_spawnp",
    (id: *mut pid_t, file: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: Words, environment: Words)
        -> c_int, libc::ENOSYS
);
starts_process!(system, c"system", (command: *const c_char) -> c_int, -1);
starts_process!(popen, c"popen", (command: *const c_char, mode: *const c_char) -> *mut c_void, std::ptr::null_mut());

/// Waits as the kernel's `waitid` does without reaping; returns the process whose state has changed, 0 for none, or -1.
fn peek(kind: idtype_t, id: id_t, options: c_int) -> i64 {
    // SAFETY: all zero is a valid value, and the kernel writes one.
    unsafe {
        let mut about: siginfo_t = std::mem::zeroed();
        let arguments =
            [i64::from(kind), i64::from(id), &raw mut about as i64, i64::from(options | libc::WNOWAIT), 0, 0];
        if raw(libc::SYS_waitid, arguments) != 0 {
            return -1;
        }
        let process = about.si_pid();
        if process > 0 && matches!(about.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED) {
            before_reaping(process as u32);
        }
        i64::from(process)
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wait4(process: pid_t, status: *mut c_int, options: c_int, used: *mut rusage) -> pid_t {
    let (kind, id) = match process {
        -1 => (libc::P_ALL, 0),
        0 => (libc::P_PGID, 0),
        group if group < -1 => (libc::P_PGID, group.unsigned_abs()),
        one => (libc::P_PID, one as id_t),
    };
    let known = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    let mut which = process;
    if crate::link::connected().is_some() && options & !known == 0 {
        let stopped = if options & libc::WUNTRACED != 0 { libc::WSTOPPED } else { 0 };
        let seen = peek(kind, id, options & (libc::WNOHANG | libc::WCONTINUED) | libc::WEXITED | stopped);
        if seen < 0 {
            return -1;
        }
        if seen > 0 {
            which = seen as pid_t;
        }
    }
    // SAFETY: the kernel checks the pointers.
    unsafe { raw(libc::SYS_wait4, [i64::from(which), status as i64, i64::from(options), used as i64, 0, 0]) as pid_t }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waitid(kind: idtype_t, id: id_t, about: *mut siginfo_t, options: c_int) -> c_int {
    if crate::link::connected().is_some() && options & libc::WEXITED != 0 && options & libc::WNOWAIT == 0 {
        let seen = peek(kind, id, options);
        if seen < 0 {
            return -1;
        }
    }
    // SAFETY: the kernel checks the pointer.
    unsafe {
        raw(libc::SYS_waitid, [i64::from(kind), i64::from(id), about as i64, i64::from(options), 0, 0]) as c_int
    }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waitpid(process: pid_t, status: *mut c_int, options: c_int) -> pid_t {
    // SAFETY: passed on unchanged.
    unsafe { wait4(process, status, options, std::ptr::null_mut()) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wait(status: *mut c_int) -> pid_t {
    // SAFETY: passed on unchanged.
    unsafe { wait4(-1, status, 0, std::ptr::null_mut()) }
}

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wait3(status: *mut c_int, options: c_int, used: *mut rusage) -> pid_t {
    // SAFETY: passed on unchanged.
    unsafe { wait4(-1, status, options, used) }
}

/// Lets the kernel kill this process when something happens to a descriptor.
pub(crate) fn kill_when_readable(descriptor: c_int) {
    // SAFETY: numbers only.
    unsafe {
        libc::fcntl(descriptor, libc::F_SETOWN, libc::getpid());
        libc::fcntl(descriptor, F_SETSIG, libc::SIGKILL);
        libc::fcntl(descriptor, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK);
    }
}

/// The number of the signal sent instead of SIGIO.
const F_SETSIG: c_int = 10;

/// Closes a descriptor, whichever it is.
pub(crate) fn close_really(descriptor: c_int) {
    // SAFETY: a number only.
    unsafe { raw(libc::SYS_close, [i64::from(descriptor), 0, 0, 0, 0, 0]) };
}

/// # Safety
/// As for the C library's function; the descriptor that ties the process to its guard stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close_range(first: u32, last: u32, flags: c_int) -> c_int {
    let close = |first: u32, last: u32| {
        // SAFETY: numbers only.
        unsafe { raw(libc::SYS_close_range, [i64::from(first), i64::from(last), i64::from(flags), 0, 0, 0]) as c_int }
    };
    match u32::try_from(crate::guard_pipe::descriptor()) {
        Ok(ours) if (first..=last).contains(&ours) => {
            let below = if ours > first { close(first, ours - 1) } else { 0 };
            if below == 0 && ours < last { close(ours + 1, last) } else { below }
        }
        _ => close(first, last),
    }
}

/// Like the C library's function; the descriptor that ties the process to its guard stays open.
#[unsafe(no_mangle)]
pub extern "C" fn closefrom(first: c_int) {
    // SAFETY: numbers only.
    unsafe { close_range(first.max(0) as u32, u32::MAX, 0) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const _: &AtomicPtr<c_void> = &VFORK;
