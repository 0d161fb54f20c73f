//! The system's allocator with counters per thread: the number of allocations and the peak of allocated memory.
//!
//! A test program installs it as the global allocator:
//!
//! ```
//! #[global_allocator]
//! static MEMORY: veracity_counting::Counting = veracity_counting::Counting;
//!
//! fn main() {
//!     let before = veracity_counting::allocations();
//!     let kept = vec![1.0; 1000];
//!     assert_eq!(veracity_counting::allocations() - before, 1);
//!     let (_, peak) = veracity_counting::peak_bytes(|| kept.clone());
//!     assert_eq!(peak, 8000);
//! }
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The counting allocator; see the crate documentation.
pub struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// Number of allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// The result of `work`, and its peak of allocated memory above that at its start [bytes].
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(Cell::get);
    MOST.with(|most| most.set(before));
    let result = work();
    (result, (MOST.with(Cell::get) - before).max(0) as usize)
}

fn count(asked: u64, change: isize) {
    // A thread that is ending has no counters; what it frees then need not be counted.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + asked));
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is passed to the system's allocator unchanged; counting changes only thread-local integers that
// need neither allocation nor a destructor.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller upholds the contract of this function, which is that of the system allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller upholds the contract of this function, which is that of the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}
