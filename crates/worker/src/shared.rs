//! The memory that host and worker share.
//!
//! Two processes see the same bytes. Everything except the progress and the bells is written by one side before it
//! sends a note and read by the other after it received the note: the pipe, or the bell, orders the two. A worker that
//! breaks this rule gives its host invalid bytes, which are rejected; references are only handed out to those few
//! atomic words; all other bytes are copied in and out.
#![allow(unsafe_code)]

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// First bytes of the memory and of the greeting.
pub const MAGIC: &[u8; 8] = b"VERAWORK";
/// Before the two halves.
pub const HEADER: usize = 4096;
/// Offset of the progress.
const PROGRESS: usize = 64;
/// Offset of how the worker listens.
const LISTENS: usize = 72;
/// Offset of what the host does not need.
const SPARED: usize = 80;
/// Offsets of the bell of requests and of the bell of replies; behind each, at 4 bytes, whether its receiver is awake,
/// and at 8 bytes its note.
pub const BELLS: [usize; 2] = [128, 192];
/// From a bell to its note.
pub const NOTE: usize = 8;

/// A mapping of the memory.
pub struct Region {
    start: NonNull<u8>,
    half: usize,
}

// SAFETY: the mapping belongs to this value alone; it is bytes, and has no tie to a thread.
unsafe impl Send for Region {}

impl Region {
    /// New memory with two halves of this length, and the descriptor to hand on. Its length is sealed: a worker that
    /// could truncate it would end the host by SIGBUS at its next access.
    pub fn create(half: usize) -> io::Result<(Self, OwnedFd)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create("veracity-worker", flags)?;
        rustix::fs::ftruncate(&file, (HEADER + 2 * half) as u64)?;
        rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let region = Self::map(&file, half)?;
        region.write(0, MAGIC);
        region.write(8, &crate::PROTOCOL.to_le_bytes());
        region.write(16, &(half as u64).to_le_bytes());
        Ok((region, file))
    }

    /// Maps memory made by [`Region::create`].
    pub fn map(file: impl AsFd, half: usize) -> io::Result<Self> {
        let (prot, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address the kernel chooses; it replaces no memory of this process.
        let start = unsafe { rustix::mm::mmap(std::ptr::null_mut(), HEADER + 2 * half, prot, flags, file, 0)? };
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("the mapping has a null address"))?;
        Ok(Self { start, half })
    }

    /// Length of a half.
    pub fn half(&self) -> usize {
        self.half
    }

    /// Copies bytes in.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset.checked_add(bytes.len()).is_some_and(|end| end <= HEADER + 2 * self.half));
        // SAFETY: the range lies in the mapping, as asserted; the other process neither reads nor writes it now.
        unsafe { self.start.as_ptr().add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    /// Copies bytes out, onto the end of `out`.
    pub fn read_onto(&self, offset: usize, length: usize, out: &mut Vec<u8>) {
        assert!(offset.checked_add(length).is_some_and(|end| end <= HEADER + 2 * self.half));
        out.reserve(length);
        // SAFETY: the range lies in the mapping, as asserted, and does not overlap with the reserved capacity, all of
        // which is filled before it counts.
        unsafe {
            let spare = out.spare_capacity_mut().as_mut_ptr().cast();
            self.start.as_ptr().add(offset).copy_to_nonoverlapping(spare, length);
            out.set_len(out.len() + length);
        }
    }

    /// Fills `out` with bytes from an offset.
    pub fn read_into(&self, offset: usize, out: &mut [u8]) {
        assert!(offset.checked_add(out.len()).is_some_and(|end| end <= HEADER + 2 * self.half));
        // SAFETY: the range lies in the mapping, as asserted; it does not overlap with `out`.
        unsafe { self.start.as_ptr().add(offset).copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) }
    }

    /// The count of steps, which the worker increments and the host reads at any time.
    pub fn progress(&self) -> &AtomicU64 {
        // SAFETY: aligned, inside the mapping, and only ever used as an atomic by both sides.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(PROGRESS).cast()) }
    }

    /// How the worker listens after its first reply: 0 on the pipe, 1 on the bell.
    pub fn listens(&self) -> &AtomicU64 {
        // SAFETY: as for the progress.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(LISTENS).cast()) }
    }

    /// What the next state need not contain: 1 for the motion of bodies.
    pub fn spared(&self) -> &AtomicU64 {
        // SAFETY: as for the progress.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(SPARED).cast()) }
    }

    /// The bell of requests (0) or of replies (1).
    pub fn bell(&self, which: usize) -> &AtomicU32 {
        // SAFETY: as for the progress.
        unsafe { AtomicU32::from_ptr(self.start.as_ptr().add(BELLS[which]).cast()) }
    }

    /// Whether the receiver of a bell is awake: 0 if it must be woken, as for one that never writes it.
    pub fn awake(&self, which: usize) -> &AtomicU32 {
        // SAFETY: as for the progress.
        unsafe { AtomicU32::from_ptr(self.start.as_ptr().add(BELLS[which] + 4).cast()) }
    }

    /// The progress for the life of the process: this mapping is never unmapped.
    pub fn progress_for_ever(self) -> &'static AtomicU64 {
        Box::leak(Box::new(self)).progress()
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, made by `map`, and nothing points into it any more.
        // A failure would only leak address space.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), HEADER + 2 * self.half) };
    }
}
