//! Sleeping until a virtual time, for programs with and without threads.
//!
//! A single-threaded program asks the coordinator, which then knows at once that it sleeps. With threads or processes of
//! its own, each one that sleeps claims a slot in the shared page, writes its wake-up time, and sleeps on a word of the page (a futex) that
//! the coordinator sets when the time has come. Time advances by itself only when no thread can run, which the
//! coordinator detects.
//!
//! A wait that something else can end as well (a condition variable, a semaphore, a futex with a time limit) sleeps on
//! both words at once (`futex_waitv`, Linux 5.16). On an older kernel it polls once per step instead.

use crate::interposed::counter;
use crate::link::Link;
use rustix::io::Errno;
use rustix::thread::{ClockId, futex};
use std::sync::atomic::{AtomicU32, Ordering};
use veracity_client::wire;

/// Why a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The time has come.
    Time,
    /// The other word changed or was woken, or the wake-up was spurious, which every such wait must expect.
    Other,
    /// A signal arrived.
    Signal,
}

/// A second word to sleep on.
pub struct OtherWord<'a> {
    /// The word.
    pub word: &'a AtomicU32,
    /// Its expected value.
    pub expected: u32,
    /// Whether other processes share it.
    pub shared: bool,
}

/// Wake-up time of a slot that is claimed and not yet filled in.
const CLAIMED: u64 = -2i64 as u64;

impl Link {
    /// Claims a free slot of the page, or returns `None` if all are in use.
    fn claim_slot(&self) -> Option<usize> {
        let free = |n: &usize| {
            let want = self.page.all().get(self.sleepers_at + wire::SLEEPER_WORDS * n);
            want.is_some_and(|w| w.compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Acquire).is_ok())
        };
        let place = (0..wire::SLEEPERS).find(free)?;
        if let Some(used) = self.page.all().get(wire::SLEEPERS_USED) {
            used.fetch_max(place as u64 + 1, Ordering::AcqRel);
        }
        Some(place)
    }
}

impl Link {
    /// Sleeps until a virtual time, or a signal.
    pub fn sleep_until(&self, until_ns: i64) -> Woken {
        self.sleep_by(wire::ASK_SLEEP, until_ns)
    }

    /// Waits for descriptors until a virtual time, or a signal.
    pub fn poll_until(&self, until_ns: i64) -> Woken {
        self.sleep_by(wire::ASK_POLL, until_ns)
    }

    fn sleep_by(&self, question: u64, until_ns: i64) -> Woken {
        counter::count(counter::WAIT);
        if self.has_threads() {
            return self.sleep_in_slot(until_ns, None);
        }
        let alarms = self.page.get(wire::ALARMS);
        self.ask(question, until_ns as u64);
        if self.page.get(wire::ALARMS) == alarms { Woken::Time } else { Woken::Signal }
    }

    /// Sleeps until a virtual time or until the other word changes or is woken, if there is one.
    pub fn sleep_in_slot(&self, until_ns: i64, other: Option<&OtherWord<'_>>) -> Woken {
        let Some(place) = self.claim_slot() else {
            // More sleepers than slots: this one polls, which costs its program CPU time and is correct.
            rustix::thread::sched_yield();
            return Woken::Other;
        };
        let want = self.sleepers_at + wire::SLEEPER_WORDS * place;
        let (word, owner) = (want + 1, want + 2);
        self.page.set(word, 0);
        self.page.set(owner, rustix::process::getpid().as_raw_nonzero().get() as u64);
        self.page.set_i64(want, until_ns.max(1));
        let woken = match self.page.lower_half(word) {
            Some(half) => wait(half, other),
            None => Woken::Other,
        };
        self.page.set(owner, 0);
        self.page.set(want, 0);
        if woken == Woken::Time
            && let Some(late) = self.page.all().get(wire::LATE_NS)
        {
            let now = crate::interposed::virtual_ns(self);
            late.fetch_max((now - until_ns).max(0) as u64, Ordering::AcqRel);
        }
        woken
    }

    /// Sleeps until a virtual time or until another word changes or is woken; polls on kernels that cannot wait for
    /// both.
    pub fn sleep_on_both(&self, until_ns: i64, other: &OtherWord<'_>, now_ns: i64) -> Woken {
        counter::count(counter::WAIT);
        if other.word.load(Ordering::Acquire) != other.expected {
            return Woken::Other;
        }
        // With one thread nothing could change the word, unless another client shares it.
        if !self.has_threads() && !other.shared {
            return self.sleep_until(until_ns);
        }
        // The first attempt finds out whether this kernel can sleep on two words.
        if NO_WAITV.load(Ordering::Acquire) == 0 {
            let woken = self.sleep_in_slot(until_ns, Some(other));
            if NO_WAITV.load(Ordering::Acquire) == 0 {
                return woken;
            }
        }
        let next = until_ns.min(now_ns + self.step_ns());
        let woken = self.sleep_in_slot(next, None);
        if next == until_ns { woken } else { Woken::Other }
    }
}

/// Not zero once the kernel has failed to sleep on two words.
static NO_WAITV: AtomicU32 = AtomicU32::new(0);

fn wait(half: &AtomicU32, other: Option<&OtherWord<'_>>) -> Woken {
    loop {
        if half.load(Ordering::Acquire) != 0 {
            return Woken::Time;
        }
        let result = match other {
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
            Err(Errno::AGAIN) if half.load(Ordering::Acquire) == 0 && other.is_some() => return Woken::Other,
            Err(Errno::AGAIN) => {}
            Err(Errno::INTR) => return Woken::Signal,
            Err(Errno::NOSYS) => {
                NO_WAITV.store(1, Ordering::Release);
                return Woken::Other;
            }
            Err(_) => return Woken::Other,
        }
    }
}
