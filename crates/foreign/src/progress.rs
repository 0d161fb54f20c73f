//! Progress of a worker: a count of steps that its host can read at any time, to report the step it died in.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static COUNT: OnceLock<&'static AtomicU64> = OnceLock::new();

/// Counts into this from now on; later calls are ignored.
pub fn count_into(counter: &'static AtomicU64) {
    // A second server in one process would be a bug in the worker; the first keeps counting.
    let _ = COUNT.set(counter);
}

/// Reports the number of steps since the state was set.
#[inline]
pub fn tell(steps: u64) {
    if let Some(counter) = COUNT.get() {
        counter.store(steps, Ordering::Relaxed);
    }
}
