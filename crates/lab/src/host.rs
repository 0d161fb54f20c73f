//! The machine and its clocks: for the host part of records only.
#![allow(clippy::disallowed_methods)] // The host part of a record needs a clock.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// CPU time of the calling thread and of the processes that work for it, and wall time, since it was started.
pub struct Stopwatch {
    cpu_s: f64,
    wall: Instant,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self { cpu_s: all_cpu_s(), wall: Instant::now() }
    }

    /// CPU time of this thread and its helpers since the start [s].
    pub fn cpu_s(&self) -> f64 {
        (all_cpu_s() - self.cpu_s).max(0.0)
    }

    /// Wall time since the start [s].
    pub fn wall_s(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// Times calls that may be many and short. Reading a CPU clock is a system call, and that of a helper process reads two
/// files: expensive compared with a step of two microseconds. A call after a short one is timed by the wall clock only,
/// an upper bound on CPU time; if it turns out long, the next call is timed by the CPU clock.
#[derive(Default)]
pub struct Turns {
    short: bool,
}

/// A call below this duration is short [s].
const SHORT_S: f64 = 20e-6;

impl Turns {
    /// Starts timing a call.
    pub fn start(&self) -> Stopwatch {
        Stopwatch { cpu_s: if self.short { f64::NAN } else { all_cpu_s() }, wall: Instant::now() }
    }

    /// Ends timing a call: its CPU time and its wall time [s].
    pub fn took(&mut self, watch: &Stopwatch) -> (f64, f64) {
        let wall_s = watch.wall_s();
        let cpu_s = if self.short { wall_s } else { watch.cpu_s() };
        self.short = wall_s < SHORT_S;
        (cpu_s, wall_s)
    }
}

fn all_cpu_s() -> f64 {
    thread_cpu_s() + veracity_engine::helpers::cpu_s_here()
}

fn thread_cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since 1970 UTC.
pub fn now_unix_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// Processor, cores and system, in one line.
pub fn machine() -> String {
    static LINE: OnceLock<String> = OnceLock::new();
    LINE.get_or_init(|| {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, n)| n.trim()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!("{}, {cores} cores, {}", name.unwrap_or("unknown processor"), std::env::consts::OS)
    })
    .clone()
}
