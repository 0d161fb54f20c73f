//! Messages between two processes: bytes in shared memory, and a note for each part.
//!
//! A note is three numbers: length of the part in the memory, bytes still to come, number of the request. When
//! bytes are still to come the receiver answers with an empty note and the next part follows.
//!
//! Notes go through pipes, which any language can read, until the first reply; from then on, if the worker declares
//! that it listens to a bell, they are stored in the header and a *bell* wakes the other side. A bell is a word that
//! the sender increments by two, and a futex on which the receiver sleeps. A pipe ends with the process at its other
//! end; a bell does not, so a thread of the host that waits for the worker's end sets the last bit of the host's bell,
//! which wakes it too.
//!
//! Sleeping and waking cost more than the rest of a call, so a receiver first yields (`sched_yield`): on one core the
//! other side then does its work and the answer is there without either side sleeping. Where yielding did not bring an
//! answer, or took long because other processes want the core, the receiver sleeps at once in the next waits, in more
//! of them each time.
#![allow(clippy::disallowed_methods)] // How long a worker is waited for decides no number of a record.

use crate::shared::{BELLS, HEADER, NOTE, Region};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::thread::futex;
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// One side of the connection.
pub struct Channel {
    region: Region,
    /// Where this side writes, and where it reads.
    write_at: usize,
    read_at: usize,
    notes_in: OwnedFd,
    notes_out: OwnedFd,
    /// Which bell this side rings, and which it listens to.
    rings: usize,
    hears: usize,
    /// Last value of the bell it listens to; `None` while notes go through pipes.
    heard: Option<u32>,
    yielding: Cell<Yielding>,
    bounds: Bounds,
    /// Number of the pending request, or of the last message received.
    pub number: u64,
}

/// Limits on messages from the other side.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Time for the whole of a message, once its first part is there or was sent; `None` waits for ever.
    pub patience: Option<Duration>,
    /// Bytes of a message.
    pub longest: u64,
}

impl Bounds {
    /// A worker trusts its host, and learns of its end from the control socket.
    const NONE: Self = Self { patience: None, longest: u64::MAX };

    fn begin(&self) -> Wait {
        Wait { time: self.patience, until: None }
    }
}

/// How long to wait. The clock is first read when there is something to wait for: an answer that is already there costs
/// no clock read.
#[derive(Clone, Copy, Debug)]
struct Wait {
    time: Option<Duration>,
    until: Option<Instant>,
}

impl Wait {
    /// Remaining time, `None` if unlimited; zero is a timeout.
    fn remaining(&mut self) -> Result<Option<Timespec>, Silence> {
        let Some(time) = self.time else { return Ok(None) };
        let now = Instant::now();
        let until = *self.until.get_or_insert(now + time);
        match until.checked_duration_since(now) {
            Some(left) if !left.is_zero() => Ok(Some(timespec(left))),
            _ => Err(Silence::Timeout),
        }
    }
}

/// Whether it pays to yield before sleeping.
#[derive(Clone, Copy, Debug, Default)]
struct Yielding {
    /// Waits without yielding after one in which yielding did not pay.
    pause: u32,
    /// How many of them are left.
    left: u32,
    /// Tries so far.
    tries: u32,
}

impl Yielding {
    /// Whether to try now.
    fn is_due(&mut self) -> bool {
        let now = self.left == 0;
        self.left = self.left.saturating_sub(1);
        now
    }

    /// Whether this try is timed: every sixteenth is enough, and a clock is a twentieth of a call.
    fn times(&mut self) -> bool {
        self.tries = self.tries.wrapping_add(1);
        self.tries.is_multiple_of(16)
    }

    /// Records whether yielding paid.
    fn tried(&mut self, paid: bool) {
        self.pause = if paid { self.pause / 2 } else { (2 * self.pause + 1).min(LONGEST_PAUSE) };
        self.left = self.pause;
    }
}

/// Why no message was received.
#[derive(Clone, Debug, PartialEq)]
pub enum Silence {
    /// The time was up.
    Timeout,
    /// The other side is gone.
    Gone,
    /// The other side exceeded a time limit; in a phrase.
    TooLong(String),
    /// An invalid message; why.
    Nonsense(String),
}

/// Increment that rings a bell.
const RING: u32 = 2;
/// Bit of the host's bell that marks the worker as gone.
const GONE: u32 = 1;
/// Number of yields before sleeping.
const YIELDS: u32 = 2;
/// For answers slower than this sleeping is better: its cost is negligible, and the core is free for others.
const SOON: Duration = Duration::from_micros(200);
/// Most waits without yielding before the next try.
const LONGEST_PAUSE: u32 = 1023;
/// Two processes share these futexes.
const SHARED: futex::Flags = futex::Flags::empty();

impl Channel {
    /// The host's side.
    pub fn host(region: Region, notes_in: OwnedFd, notes_out: OwnedFd, bounds: Bounds) -> Self {
        let (write_at, read_at) = (HEADER, HEADER + region.half());
        Self {
            region,
            write_at,
            read_at,
            notes_in,
            notes_out,
            rings: 0,
            hears: 1,
            heard: None,
            yielding: Cell::default(),
            bounds,
            number: 0,
        }
    }

    /// The worker's side.
    pub fn worker(region: Region, notes_in: OwnedFd, notes_out: OwnedFd) -> Self {
        let (write_at, read_at) = (HEADER + region.half(), HEADER);
        Self {
            region,
            write_at,
            read_at,
            notes_in,
            notes_out,
            rings: 1,
            hears: 0,
            heard: None,
            yielding: Cell::default(),
            bounds: Bounds::NONE,
            number: 0,
        }
    }

    /// The memory.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// After the first reply: both sides switch to bells if the worker requested it before.
    pub fn go_over_to_bells(&mut self) {
        if self.heard.is_none() && self.region.listens().load(Ordering::Acquire) == 1 {
            self.heard = Some(0);
            self.region.awake(self.hears).store(1, Ordering::SeqCst);
        }
    }

    /// Sends a message. Waits for a receiver that leaves parts unread no longer than the bounds allow.
    pub fn send(&mut self, message: &[u8]) -> Result<(), Silence> {
        let half = self.region().half();
        let mut rest = message;
        let mut wait = self.bounds.begin();
        loop {
            let (part, later) = rest.split_at(rest.len().min(half));
            self.region().write(self.write_at, part);
            self.note([part.len() as u64, later.len() as u64, self.number])?;
            if later.is_empty() {
                return Ok(());
            }
            self.await_note(&mut wait).map_err(|silence| in_message(silence, "left a request unread"))?;
            rest = later;
        }
    }

    /// Waits for the first note of a message, for a time. [`Channel::receive`] reads it.
    pub fn wait(&self, time: Duration) -> Result<(), Silence> {
        if let Some(heard) = self.heard {
            return self.listen(heard, &mut Wait { time: Some(time), until: None }).map(|_| ());
        }
        match rustix::event::poll(&mut [PollFd::new(&self.notes_in, PollFlags::IN)], Some(&timespec(time))) {
            Ok(0) | Err(Errno::INTR) => Err(Silence::Timeout),
            Ok(_) => Ok(()),
            Err(e) => Err(Silence::Nonsense(e.to_string())),
        }
    }

    /// Whether an unrequested message is pending.
    pub fn is_pending(&self) -> bool {
        match self.heard {
            Some(heard) => matches!(self.look(heard), Ok(Ok(_))),
            None => self.wait(Duration::ZERO).is_ok(),
        }
    }

    /// Receives a message into `out`. Its parts must add up to what the first note says, within the bounds.
    pub fn receive(&mut self, out: &mut Vec<u8>) -> Result<(), Silence> {
        out.clear();
        let longest = self.bounds.longest;
        let mut wait = self.bounds.begin();
        let mut left: Option<u64> = None;
        loop {
            let note =
                self.await_note(&mut wait).map_err(|silence| in_message(silence, "began a message and stopped"));
            let [length, later, number] = note?;
            let wrong = |what: String| Err(Silence::Nonsense(what));
            let total = length.checked_add(later).filter(|total| *total <= longest);
            let Some(total) = total.filter(|_| length <= self.region().half() as u64) else {
                let (mib, most) = (length.saturating_add(later) >> 20, longest >> 20);
                return wrong(format!("a message of {mib} MiB; at most {most} MiB are read: record rows less often"));
            };
            if left.is_some_and(|left| left != total || self.number != number || length == 0) {
                return wrong("the parts of a message do not add up".to_string());
            }
            self.number = number;
            self.region().read_onto(self.read_at, length as usize, out);
            if later == 0 {
                return Ok(());
            }
            left = Some(later);
            self.note([0, 0, number])?;
        }
    }

    fn note(&self, note: [u64; 3]) -> Result<(), Silence> {
        let bytes = note.map(u64::to_le_bytes);
        if self.heard.is_some() {
            self.region.write(BELLS[self.rings] + NOTE, bytes.as_flattened());
            let bell = self.region.bell(self.rings);
            // The receiver clears `awake` before it compares the bell: one of the two sees what the other did.
            bell.fetch_add(RING, Ordering::SeqCst);
            if self.region.awake(self.rings).load(Ordering::SeqCst) == 0 {
                // It is not an error if no receiver sleeps: it will read the word later.
                let _ = futex::wake(bell, SHARED, 1);
            }
            return Ok(());
        }
        // 24 bytes go into a pipe whole, or not at all.
        match rustix::io::write(&self.notes_out, bytes.as_flattened()) {
            Ok(24) => Ok(()),
            _ => Err(Silence::Gone),
        }
    }

    fn await_note(&mut self, wait: &mut Wait) -> Result<[u64; 3], Silence> {
        let mut bytes = [0u8; 24];
        match self.heard {
            Some(heard) => {
                self.heard = Some(self.listen(heard, wait)?);
                self.region.read_into(BELLS[self.hears] + NOTE, &mut bytes);
            }
            None => self.read_pipe(&mut bytes, wait)?,
        }
        let mut note = [0; 3];
        for (n, eight) in note.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *n = u64::from_le_bytes(*eight);
        }
        Ok(note)
    }

    /// Waits until the bell differs from `heard`; returns its value.
    fn listen(&self, heard: u32, wait: &mut Wait) -> Result<u32, Silence> {
        let mut yielding = self.yielding.get();
        if self.look(heard)?.is_err() && yielding.is_due() {
            let begun = yielding.times().then(Instant::now);
            let answered = (0..YIELDS).any(|_| {
                std::thread::yield_now();
                self.look(heard).is_ok_and(|seen| seen.is_ok())
            });
            yielding.tried(answered && begun.is_none_or(|begun| begun.elapsed() < SOON));
        }
        self.yielding.set(yielding);
        loop {
            match self.look(heard)? {
                Ok(now) => return Ok(now),
                // After a spurious wake-up it sleeps only for the remaining time, so that repeated ones cannot extend
                // the wait.
                Err(now) => self.sleep(now, wait.remaining()?.as_ref())?,
            }
        }
    }

    /// State of the bell: `Ok` if rung, `Err` if unchanged.
    fn look(&self, heard: u32) -> Result<Result<u32, u32>, Silence> {
        let now = self.region.bell(self.hears).load(Ordering::Acquire);
        // A note that arrived before the worker's end is read first.
        match now & !GONE != heard {
            true => Ok(Ok(now & !GONE)),
            false if now & GONE != 0 => Err(Silence::Gone),
            false => Ok(Err(now)),
        }
    }

    /// Sleeps while the bell is unchanged; may wake spuriously.
    fn sleep(&self, now: u32, timeout: Option<&Timespec>) -> Result<(), Silence> {
        let awake = self.region.awake(self.hears);
        awake.store(0, Ordering::SeqCst);
        let woken = futex::wait(self.region.bell(self.hears), SHARED, now, timeout);
        awake.store(1, Ordering::SeqCst);
        match woken {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(Errno::TIMEDOUT) => Err(Silence::Timeout),
            Err(e) => Err(Silence::Nonsense(e.to_string())),
        }
    }

    fn read_pipe(&self, bytes: &mut [u8; 24], wait: &mut Wait) -> Result<(), Silence> {
        let mut have = 0;
        while have < 24 {
            if wait.time.is_some() {
                let left = wait.remaining()?;
                match rustix::event::poll(&mut [PollFd::new(&self.notes_in, PollFlags::IN)], left.as_ref()) {
                    Ok(0) | Err(Errno::INTR) => continue,
                    _ => {}
                }
            }
            match rustix::io::read(&self.notes_in, &mut bytes[have..]) {
                Ok(0) => return Err(Silence::Gone),
                Ok(count) => have += count,
                Err(Errno::INTR) => {}
                Err(_) => return Err(Silence::Gone),
            }
        }
        Ok(())
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

/// Reports a timeout in the middle of a message as what the other side did.
fn in_message(silence: Silence, what: &str) -> Silence {
    if silence == Silence::Timeout { Silence::TooLong(format!("it {what}")) } else { silence }
}

/// Wakes a host that waits on its bell and marks its worker as gone.
pub fn tell_gone(region: &Region) {
    let bell = region.bell(1);
    bell.fetch_or(GONE, Ordering::Release);
    let _ = futex::wake(bell, SHARED, 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host whose worker holds the other ends and never reads: the first part of a large request is never
    /// acknowledged.
    #[test]
    fn a_request_that_is_never_read_is_given_up() {
        let (region, _memory) = Region::create(4096).unwrap();
        let (_their_requests, requests) = rustix::pipe::pipe().unwrap();
        let (replies, _their_replies) = rustix::pipe::pipe().unwrap();
        let bounds = Bounds { patience: Some(Duration::from_millis(50)), longest: 1 << 20 };
        let mut channel = Channel::host(region, replies, requests, bounds);
        let silence = channel.send(&[0; 10_000]).unwrap_err();
        assert_eq!(silence, Silence::TooLong("it left a request unread".to_string()));
    }

    /// The length of the memory is what it was made with, for every holder of its descriptor.
    #[test]
    fn the_memory_cannot_be_resized() {
        let (_region, memory) = Region::create(4096).unwrap();
        for length in [0, 4096, 1 << 30] {
            assert_eq!(rustix::fs::ftruncate(&memory, length), Err(Errno::PERM), "{length}");
        }
    }
}
