//! Memory shared with another process, as words that are only accessed atomically.

use crate::wire;
use rustix::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::thread::futex;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Wall time on the clock of the coordinator [ns], in a program whose own clocks show virtual time: by an instruction of
/// this function, which the preloaded library does not see.
#[cfg(target_arch = "x86_64")]
fn wall_ns() -> i64 {
    const CLOCK_GETTIME: i64 = 228;
    const CLOCK_MONOTONIC: i64 = 1;
    let mut time = [0i64; 2];
    // SAFETY: the kernel writes seconds and nanoseconds to the array, and changes the registers named.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") CLOCK_GETTIME => _,
            in("rdi") CLOCK_MONOTONIC,
            in("rsi") time.as_mut_ptr(),
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    time[0] * 1_000_000_000 + time[1]
}

#[cfg(not(target_arch = "x86_64"))]
fn wall_ns() -> i64 {
    let wall = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    wall.tv_sec * 1_000_000_000 + wall.tv_nsec
}

/// A mapping of whole words, unmapped when dropped.
pub struct Words {
    start: *const AtomicU64,
    count: usize,
}

// SAFETY: the mapping is plain memory that belongs to no thread, and every access goes through atomics.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    /// Maps the first `count` words of a file; fails if the file is shorter.
    pub fn map(file: BorrowedFd<'_>, count: usize) -> io::Result<Self> {
        let (bytes, flags) = (count * 8, ProtFlags::READ | ProtFlags::WRITE);
        if count == 0 || (rustix::fs::fstat(file)?.st_size as u64) < bytes as u64 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the shared page is shorter than its header says",
            ));
        }
        // SAFETY: a new shared mapping at an address chosen by the kernel aliases no Rust object; the file has been
        // checked to be long enough, and the coordinator seals it against shrinking.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes, flags, MapFlags::SHARED, file, 0) }?;
        Ok(Self { start: start.cast::<AtomicU64>().cast_const(), count })
    }

    /// All words.
    pub fn all(&self) -> &[AtomicU64] {
        // SAFETY: `start` is page aligned, mapped for `count` words until `self` is dropped, and valid as atomics
        // whatever bits another process writes.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }

    /// Reads a word; 0 beyond the end.
    pub fn get(&self, place: usize) -> u64 {
        self.all().get(place).map_or(0, |w| w.load(Ordering::Acquire))
    }

    /// Writes a word; does nothing beyond the end.
    pub fn set(&self, place: usize, value: u64) {
        if let Some(word) = self.all().get(place) {
            word.store(value, Ordering::Release);
        }
    }

    /// Adds to a word and returns its previous value; does nothing beyond the end.
    pub fn add(&self, place: usize, by: u64) -> u64 {
        self.all().get(place).map_or(0, |w| w.fetch_add(by, Ordering::AcqRel))
    }

    /// The lower half of a word, as a futex shared by two processes. `None` beyond the end.
    pub fn lower_half(&self, place: usize) -> Option<&AtomicU32> {
        let word = self.all().get(place)?;
        let half = if cfg!(target_endian = "little") { 0 } else { 1 };
        // SAFETY: inside the word, which lives as long as `self` and is larger and more strictly aligned; both views
        // are atomic.
        Some(unsafe { &*std::ptr::from_ref(word).cast::<AtomicU32>().add(half) })
    }

    /// Asks the coordinator and sleeps until it answers. On one core it has usually answered before the system call
    /// that notifies it returns: then this neither sleeps nor has to be woken.
    pub fn ask(&self, notify: BorrowedFd<'_>, what: u64, argument: u64) -> io::Result<()> {
        // After the end of the run there is no answer, and the program may finish.
        if self.get(wire::OVER) == 1 {
            return Ok(());
        }
        self.set(wire::GO, u64::from(wire::GO_NOT_YET));
        self.set(wire::ASK_ARGUMENT, argument);
        let quiet = self.get(wire::QUIET) != 0;
        // Without a yield handoff there may be no real-time classes: then the coordinator compares it with CPU time.
        if !quiet {
            self.set_i64(wire::ASKED_NS, wall_ns());
        }
        self.set(wire::ASK, what);
        if !quiet {
            rustix::io::write(notify, &1u64.to_ne_bytes())?;
        } else {
            std::thread::yield_now();
        }
        let Some(go) = self.lower_half(wire::GO) else { return Ok(()) };
        while go.load(Ordering::Acquire) != wire::GO_ON {
            let states = (wire::GO_NOT_YET, wire::GO_ASLEEP);
            let _ = go.compare_exchange(states.0, states.1, Ordering::AcqRel, Ordering::Acquire);
            // Signals and changed values are handled by the loop.
            match futex::wait(go, futex::Flags::empty(), wire::GO_ASLEEP, None) {
                Ok(()) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Answers: lets the client that has asked continue.
    pub fn go(&self) {
        if let Some(go) = self.lower_half(wire::GO)
            && go.swap(wire::GO_ON, Ordering::AcqRel) == wire::GO_ASLEEP
        {
            let _ = futex::wake(go, futex::Flags::empty(), 1);
        }
    }

    /// Reads a signed word.
    pub fn get_i64(&self, place: usize) -> i64 {
        self.get(place) as i64
    }

    /// Writes a signed word.
    pub fn set_i64(&self, place: usize, value: i64) {
        self.set(place, value as u64);
    }

    /// Reads a floating-point word.
    pub fn get_f64(&self, place: usize) -> f64 {
        f64::from_bits(self.get(place))
    }

    /// Writes a floating-point word.
    pub fn set_f64(&self, place: usize, value: f64) {
        self.set(place, value.to_bits());
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` with this length, and no reference outlives `self`.
        let _ = unsafe { munmap(self.start.cast_mut().cast(), self.count * 8) };
    }
}

/// Takes ownership of a descriptor inherited by number. It must be open, which the program's parent ensures.
pub fn inherited(number: i32) -> io::Result<OwnedFd> {
    if number < 3 {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "descriptors 0, 1 and 2 cannot be the coordinator's",
        ));
    }
    // SAFETY: only borrowed to check whether it is open; a closed one gives EBADF and is rejected.
    let probe = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(probe.as_fd())?;
    // SAFETY: open, and named in the environment for this library only, so no other code closes it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
