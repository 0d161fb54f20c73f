//! Memory of one trial serves the next.
//!
//! A trial's rows are written once, into arrays that are as long as it needs and given back when it is over. The C library hands
//! arrays of that size back to the kernel, and every page of the next trial's comes from there again, zeroed: on a virtual machine
//! half of what recording costs. It is told to keep up to [`KEPT`] bytes instead.

use std::sync::Once;

/// Free memory that is kept [bytes]: the rows of some dozen trials of ten bodies and a minute.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 128 << 20;

/// Arrays up to this long share the memory that is kept [bytes]; the C library takes no more than this.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SHARED: libc::c_int = 32 << 20;

/// Keeps it, from the first call on. Where the C library is another, nothing is done: results are the same.
pub(crate) fn keep_for_the_next_trial() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        #[allow(unsafe_code)]
        // SAFETY: sets two numbers of the C library under its own lock; a refusal leaves things as they were.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, SHARED);
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        }
    });
}
