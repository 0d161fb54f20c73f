//! Measures the dynamics' share of the coordinator's CPU time.
//!
//! Reading a thread's CPU clock is a system call, two for each step: expensive compared with a step of two
//! microseconds. Under real-time classes no other thread runs between two readings of the wall clock, which needs no
//! system call; only the host can interrupt. So short steps are timed by the wall clock and long ones by the CPU clock.
//! A short step that takes long on the wall clock was interrupted: it counts as the longest of the short ones, and the
//! rest is counted as coordination, not as dynamics.

use crate::sys::{monotonic_ns, thread_cpu_ns};

/// A step shorter than this is timed by the wall clock [ns]: for longer ones the cost of two system calls is
/// negligible.
const SHORT_NS: i64 = 20_000;

/// Sums the CPU time of steps.
pub struct Stopwatch {
    may_use_wall: bool,
    last_ns: i64,
    /// Total so far [ns].
    pub total_ns: i64,
}

impl Stopwatch {
    /// `real_time`: whether only the host can interrupt this thread.
    pub fn new(real_time: bool) -> Self {
        Self { may_use_wall: real_time, last_ns: i64::MAX, total_ns: 0 }
    }

    /// Times one step; the first one by the CPU clock.
    pub fn time<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let by_wall = self.may_use_wall && self.last_ns < SHORT_NS;
        let now = if by_wall { monotonic_ns } else { thread_cpu_ns };
        let begun = now();
        let out = step();
        let took = now() - begun;
        (self.last_ns, self.total_ns) = (took, self.total_ns + if by_wall { took.min(SHORT_NS) } else { took });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_interrupted_step_is_not_counted_as_dynamics() {
        let mut stopwatch = Stopwatch::new(true);
        stopwatch.time(|| ());
        // An empty step is a short step; then the thread sleeps, as if the host had interrupted it.
        let before = stopwatch.total_ns;
        stopwatch.last_ns = 0;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert_eq!(stopwatch.total_ns - before, SHORT_NS);
        // The next step is timed by the CPU clock, which does not count sleeping.
        let before = stopwatch.total_ns;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert!(stopwatch.total_ns - before < 10_000_000);
    }

    #[test]
    fn without_real_time_classes_only_the_cpu_clock_is_used() {
        let mut stopwatch = Stopwatch::new(false);
        stopwatch.last_ns = 0;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert!(stopwatch.total_ns < 10_000_000 && stopwatch.total_ns != SHORT_NS);
    }
}
