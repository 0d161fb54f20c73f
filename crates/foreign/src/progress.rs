//! How far a worker is: a count of steps that its host can read while it steps, to say where it died.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static COUNT: OnceLock<&'static AtomicU64> = OnceLock::new();

/// Counts into this from now on; the first one given stays.
pub fn count_into(counter: &'static AtomicU64) {
    // A second server in one process would be a bug of the worker; the first keeps counting.
    let _ = COUNT.set(counter);
}

/// One more step was taken: `steps` since the state was set.
#[inline]
pub fn tell(steps: u64) {
    if let Some(counter) = COUNT.get() {
        counter.store(steps, Ordering::Relaxed);
    }
}
