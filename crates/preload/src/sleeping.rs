//! Sleeping until a virtual time, for programs with and without threads.
//!
//! A program with one thread asks the coordinator: it is told at once, and nothing has to be detected. With threads, each one
//! that sleeps takes a place in the shared page, writes until when, and sleeps on a word of the page (a futex) that the
//! coordinator sets when the time has come. Time goes on by itself only when no thread can run; that is the coordinator's
//! to find out.
//!
//! A wait that something else can end as well (a condition variable, a semaphore, a futex with a limit) sleeps on both words
//! at once (`futex_waitv`, Linux 5.16). On an older kernel it looks once in a step instead.

use crate::link::Link;
use rustix::io::Errno;
use rustix::thread::{ClockId, futex};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use veracity_client::wire;

/// Why a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The time has come.
    Time,
    /// The other word changed or was woken; or nothing in particular, which every such wait must expect.
    Other,
    /// A signal came.
    Signal,
}

/// Something else to sleep on: the word, what it must still be, and whether other processes share it.
pub struct Beside<'a> {
    /// The word.
    pub word: &'a AtomicU32,
    /// What it was.
    pub expected: u32,
    /// Whether other processes share it.
    pub shared: bool,
}

static TAKEN: [AtomicU64; wire::SLEEPERS / 64] = [const { AtomicU64::new(0) }; wire::SLEEPERS / 64];

/// A place that nobody sleeps in, or `None` if all are taken.
fn take_place() -> Option<usize> {
    for (group, bits) in TAKEN.iter().enumerate() {
        let mut seen = bits.load(Ordering::Acquire);
        while seen != u64::MAX {
            let free = seen.trailing_ones();
            match bits.compare_exchange(seen, seen | 1 << free, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(group * 64 + free as usize),
                Err(now) => seen = now,
            }
        }
    }
    None
}

fn give_back(place: usize) {
    TAKEN[place / 64].fetch_and(!(1 << (place % 64)), Ordering::AcqRel);
}

impl Link {
    /// Sleeps until a virtual time, or a signal.
    pub fn sleep_until(&self, until_ns: i64) -> Woken {
        if self.has_threads() {
            return self.sleep_beside(until_ns, None);
        }
        let alarms = self.page.get(wire::ALARMS);
        self.ask(wire::ASK_WAIT_UNTIL, until_ns as u64);
        if self.page.get(wire::ALARMS) == alarms { Woken::Time } else { Woken::Signal }
    }

    /// Sleeps until a virtual time or until something else happens.
    pub fn sleep_beside(&self, until_ns: i64, beside: Option<&Beside<'_>>) -> Woken {
        let Some(place) = take_place() else {
            // More sleepers than places: this one looks again and again, which costs its program CPU time and is right.
            rustix::thread::sched_yield();
            return Woken::Other;
        };
        let (want, word) = (self.sleepers_at + 2 * place, self.sleepers_at + 2 * place + 1);
        self.page.set(word, 0);
        self.page.set_i64(want, until_ns.max(1));
        if let Some(used) = self.page.all().get(wire::SLEEPERS_USED) {
            used.fetch_max(place as u64 + 1, Ordering::AcqRel);
        }
        let woken = match self.page.lower_half(word) {
            Some(half) => wait(half, beside),
            None => Woken::Other,
        };
        self.page.set(want, 0);
        give_back(place);
        woken
    }

    /// Sleeps until a virtual time or until another word changes or is woken.
    pub fn sleep_on_both(&self, until_ns: i64, beside: &Beside<'_>, now_ns: i64) -> Woken {
        if beside.word.load(Ordering::Acquire) != beside.expected {
            return Woken::Other;
        }
        // With one thread nobody could change it.
        if !self.has_threads() {
            return self.sleep_until(until_ns);
        }
        // Whether this kernel can sleep on two words the first attempt finds out.
        if CANNOT.load(Ordering::Acquire) == 0 {
            let woken = self.sleep_beside(until_ns, Some(beside));
            if CANNOT.load(Ordering::Acquire) == 0 {
                return woken;
            }
        }
        let next = until_ns.min(now_ns + self.step_ns());
        let woken = self.sleep_beside(next, None);
        if next == until_ns { woken } else { Woken::Other }
    }
}

/// Not zero once the kernel has refused to sleep on two words.
static CANNOT: AtomicU32 = AtomicU32::new(0);

fn wait(half: &AtomicU32, beside: Option<&Beside<'_>>) -> Woken {
    loop {
        if half.load(Ordering::Acquire) != 0 {
            return Woken::Time;
        }
        let result = match beside {
            None => futex::wait(half, futex::Flags::empty(), 0, None).map(|()| 0),
            Some(other) => {
                let mut both = [futex::Wait::new(); 2];
                let pointer = |word: &AtomicU32| futex::WaitPtr::new(std::ptr::from_ref(word).cast_mut().cast());
                (both[0].uaddr, both[0].flags) = (pointer(half), futex::WaitFlags::SIZE_U32);
                let private = if other.shared { futex::WaitFlags::empty() } else { futex::WaitFlags::PRIVATE };
                (both[1].val, both[1].uaddr) = (u64::from(other.expected), pointer(other.word));
                both[1].flags = futex::WaitFlags::SIZE_U32 | private;
                futex::waitv(&both, futex::WaitvFlags::empty(), None, ClockId::Monotonic)
            }
        };
        match result {
            Ok(1) => return Woken::Other,
            Ok(_) => {}
            Err(Errno::AGAIN) if half.load(Ordering::Acquire) == 0 && beside.is_some() => return Woken::Other,
            Err(Errno::AGAIN) => {}
            Err(Errno::INTR) => return Woken::Signal,
            Err(Errno::NOSYS) => {
                CANNOT.store(1, Ordering::Release);
                return Woken::Other;
            }
            Err(_) => return Woken::Other,
        }
    }
}
