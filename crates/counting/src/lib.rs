//! The system's allocator, counting on each thread: how often memory was asked for, and how much was held at most.
//!
//! A test program that wants to know puts it in place:
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

/// See the crate's page.
pub struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// How often this thread has asked for memory.
pub fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// What `work` gives, and the most memory it held at one time beyond what was held before [bytes].
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(Cell::get);
    MOST.with(|most| most.set(before));
    let result = work();
    (result, (MOST.with(Cell::get) - before).max(0) as usize)
}

fn count(asked: u64, change: isize) {
    // A thread that is ending has no counters any more; what it frees then is of no interest.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + asked));
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is handed to the system's allocator unchanged; counting touches only thread-local integers that
// need neither allocation nor a destructor.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
