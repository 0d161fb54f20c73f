//! CPU clocks of other processes, with nanosecond resolution, read in 0.2 us.

use rustix::time::{ClockId, clock_gettime};

/// CPU clock of a process: all its threads, without child processes.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// The clock of one of our processes.
    pub fn of(pid: u32) -> std::io::Result<Self> {
        let mut id = 0;
        // SAFETY: writes one clock id to the place given.
        let code = unsafe { libc::clock_getcpuclockid(pid as libc::pid_t, &mut id) };
        if code == 0 { Ok(Self(id)) } else { Err(std::io::Error::from_raw_os_error(code)) }
    }

    /// CPU time [ns]; `None` once the process has been reaped.
    pub fn read_ns(self) -> Option<i64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes one timespec to the place given.
        let code = unsafe { libc::clock_gettime(self.0, &mut time) };
        (code == 0).then_some(time.tv_sec * 1_000_000_000 + time.tv_nsec)
    }
}

/// Wall time, for timers and for the host part of a record [ns].
pub fn monotonic_ns() -> i64 {
    let t = clock_gettime(ClockId::Monotonic);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// Time since 1970, the start of a client's clocks [ns].
pub fn real_time_ns() -> i64 {
    let t = clock_gettime(ClockId::Realtime);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// CPU time of the calling thread [ns].
pub fn thread_cpu_ns() -> i64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// The processor's time stamp counter; 0 on processors other than x86-64.
pub fn time_stamp_counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a counter.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Rate of the time stamp counter [Hz], measured once over 10 ms; 0 on processors other than x86-64.
pub fn counter_hz() -> f64 {
    static MEASURED: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    // The nearest pair of readings: what preempts this thread between them makes them later.
    let both = || {
        let pairs = (0..20).map(|_| {
            let before = monotonic_ns();
            let counter = time_stamp_counter();
            (monotonic_ns() - before, before, counter)
        });
        pairs.min_by_key(|pair| pair.0).map_or((0, 0), |(_, ns, counter)| (ns, counter))
    };
    *MEASURED.get_or_init(|| {
        let (from_ns, from) = both();
        std::thread::sleep(std::time::Duration::from_millis(10));
        let (to_ns, to) = both();
        to.wrapping_sub(from) as f64 / (to_ns - from_ns).max(1) as f64 * 1e9
    })
}
