//! Messages between two processes: bytes through the shared memory, a note of each through a pipe.
//!
//! A note is three numbers: length of the part that lies in the memory, bytes still to come, number of the request. When
//! bytes are still to come the receiver answers with an empty note and the next part follows.

use crate::shared::{HEADER, Region};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use std::time::Duration;

/// One side of the connection.
pub struct Channel {
    region: Region,
    /// Where this side writes, and where it reads.
    write_at: usize,
    read_at: usize,
    notes_in: OwnedFd,
    notes_out: OwnedFd,
    /// Of the request under way.
    pub number: u64,
}

/// Why nothing came.
#[derive(Clone, Debug, PartialEq)]
pub enum Silence {
    /// The time was up.
    Timeout,
    /// The other side is gone.
    Gone,
    /// What came is no message; why.
    Nonsense(String),
}

/// Messages longer than this are nonsense.
const LONGEST: u64 = 1 << 36;

impl Channel {
    /// The host's side.
    pub fn host(region: Region, notes_in: OwnedFd, notes_out: OwnedFd) -> Self {
        let half = region.half();
        Self { region, write_at: HEADER, read_at: HEADER + half, notes_in, notes_out, number: 0 }
    }

    /// The worker's side.
    pub fn worker(region: Region, notes_in: OwnedFd, notes_out: OwnedFd) -> Self {
        let half = region.half();
        Self { region, write_at: HEADER + half, read_at: HEADER, notes_in, notes_out, number: 0 }
    }

    /// The memory.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Sends a message.
    pub fn send(&mut self, message: &[u8]) -> Result<(), Silence> {
        let half = self.region().half();
        let mut rest = message;
        loop {
            let (part, later) = rest.split_at(rest.len().min(half));
            self.region().write(self.write_at, part);
            self.note([part.len() as u64, later.len() as u64, self.number])?;
            if later.is_empty() {
                return Ok(());
            }
            self.await_note(None)?;
            rest = later;
        }
    }

    /// Waits for the first note of a message, for a time or for ever. [`Channel::receive`] takes it.
    pub fn wait(&self, time: Option<Duration>) -> Result<(), Silence> {
        let timeout = time.map(|t| Timespec { tv_sec: t.as_secs() as i64, tv_nsec: t.subsec_nanos().into() });
        let mut poll = [PollFd::new(&self.notes_in, PollFlags::IN)];
        match rustix::event::poll(&mut poll, timeout.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => Err(Silence::Timeout),
            Ok(_) => Ok(()),
            Err(e) => Err(Silence::Nonsense(e.to_string())),
        }
    }

    /// Takes a message into `out`.
    pub fn receive(&mut self, out: &mut Vec<u8>) -> Result<(), Silence> {
        out.clear();
        loop {
            let [length, later, number] = self.await_note(None)?;
            if length > self.region().half() as u64 || later > LONGEST {
                return Err(Silence::Nonsense(format!("a note says {length} and {later} bytes")));
            }
            self.number = number;
            self.region().read_onto(self.read_at, length as usize, out);
            if later == 0 {
                return Ok(());
            }
            self.note([0, 0, number])?;
        }
    }

    fn note(&self, note: [u64; 3]) -> Result<(), Silence> {
        let bytes = note.map(u64::to_le_bytes);
        // 24 bytes go into a pipe whole, or not at all.
        match rustix::io::write(&self.notes_out, bytes.as_flattened()) {
            Ok(24) => Ok(()),
            _ => Err(Silence::Gone),
        }
    }

    fn await_note(&self, time: Option<Duration>) -> Result<[u64; 3], Silence> {
        if time.is_some() {
            self.wait(time)?;
        }
        let mut bytes = [0u8; 24];
        let mut have = 0;
        while have < 24 {
            match rustix::io::read(&self.notes_in, &mut bytes[have..]) {
                Ok(0) => return Err(Silence::Gone),
                Ok(count) => have += count,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Err(Silence::Gone),
            }
        }
        let mut note = [0; 3];
        for (n, eight) in note.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *n = u64::from_le_bytes(*eight);
        }
        Ok(note)
    }
}
