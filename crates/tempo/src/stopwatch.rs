//! How much of the coordinator's CPU time the dynamics took.
//!
//! Reading a thread's CPU clock is a system call, two for each step: dear beside a step of two microseconds. Under real-time
//! classes nobody else runs between two readings of the wall clock, which needs no system call; only the host can stop both.
//! So short steps are timed by the wall and long ones by the CPU clock. A short step that the wall finds long was stopped: it
//! counts as the longest of the short ones, and the rest is put on the coordinator's account, not on the dynamics'.

use crate::sys::{monotonic_ns, thread_cpu_ns};

/// A step shorter than this is timed by the wall [ns]: the longer ones do not feel two system calls.
const SHORT_NS: i64 = 20_000;

/// See the file's head.
pub struct Stopwatch {
    may_use_wall: bool,
    last_ns: i64,
    /// All so far [ns].
    pub total_ns: i64,
}

impl Stopwatch {
    /// `real_time`: whether nobody but the host can stop this thread.
    pub fn new(real_time: bool) -> Self {
        Self { may_use_wall: real_time, last_ns: i64::MAX, total_ns: 0 }
    }

    /// Times one step; the first by the CPU clock.
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
    fn a_step_in_which_nobody_ran_is_not_the_dynamics() {
        let mut stopwatch = Stopwatch::new(true);
        stopwatch.time(|| ());
        // Nothing at all takes less than a short step; then the wall stands still for us.
        let before = stopwatch.total_ns;
        stopwatch.last_ns = 0;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert_eq!(stopwatch.total_ns - before, SHORT_NS);
        // The next one is timed by the CPU clock: sleeping is not computing.
        let before = stopwatch.total_ns;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert!(stopwatch.total_ns - before < 10_000_000);
    }

    #[test]
    fn without_real_time_classes_only_the_cpu_clock_counts() {
        let mut stopwatch = Stopwatch::new(false);
        stopwatch.last_ns = 0;
        stopwatch.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert!(stopwatch.total_ns < 10_000_000 && stopwatch.total_ns != SHORT_NS);
    }
}
