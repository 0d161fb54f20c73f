//! Reuses the memory of one trial for the next.
//!
//! A trial's rows are written once, into arrays that are freed when the trial is over. The C library returns arrays of
//! that size to the kernel, and the next trial has to fault every page in again, zeroed: on a virtual machine half the
//! cost of recording. It is configured to keep up to [`KEPT`] bytes instead.

use std::sync::Once;

/// Free memory to keep [bytes]: the rows of some dozen trials of ten bodies and a minute.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 128 << 20;

/// Arrays up to this size use the kept memory [bytes]; the C library accepts no larger value.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SHARED: libc::c_int = 32 << 20;

/// Configures the C library, from the first call on. Does nothing with another C library: results are the same.
pub(crate) fn keep_for_the_next_trial() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        #[allow(unsafe_code)]
        // SAFETY: sets two parameters of the C library under its own lock; if it refuses, nothing changes.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, SHARED);
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        }
    });
}
