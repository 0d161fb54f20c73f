//! Results of a run besides the record of the motion.

use serde::Serialize;
use veracity_measure::Verdict;
use veracity_model::{Finding, Findings};

/// A finding about a client and when it was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimedFinding {
    /// Virtual time [ns].
    pub time_ns: i64,
    /// The finding; its subject is `clients/NAME`.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Statistics of one client. Times are virtual nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClientStats {
    /// Its name.
    pub name: String,
    /// Time it computed.
    pub executed_ns: i64,
    /// Time it waited.
    pub waited_ns: i64,
    /// Progress at the end of the run.
    pub progress_ns: i64,
    /// Activations completed.
    pub activations: u64,
    /// Activations that were skipped because an earlier one took too long.
    pub skipped: u64,
    /// Activations completed after the deadline.
    pub misses: u64,
    /// Of these, those whose lateness the host may have caused: see [`Stall`].
    pub suspect_misses: u64,
    /// Skipped activations that follow one the host may have delayed.
    pub suspect_skipped: u64,
    /// CPU time, scaled, that the client was charged although its timer should have ended the slice.
    pub suspect_ns: i64,
    /// CPU time its processes were charged, not scaled.
    pub charged_cpu_ns: i64,
    /// The same by the kernel's account of all its processes that were waited for, which is not charged from; `None` if
    /// it is not known.
    pub counted_cpu_ns: Option<i64>,
    /// Time it slept uninterruptibly, as for a disk: charged as wait.
    pub device_ns: i64,
    /// The longest of these sleeps.
    pub worst_device_ns: i64,
    /// How late a sleeping thread was woken at most.
    pub worst_wakeup_ns: i64,
    /// Largest number of processes at one time.
    pub processes: usize,
    /// Activations that used more CPU time than the budget.
    pub overruns: u64,
    /// Worst response time: from due to done.
    pub worst_response_ns: i64,
    /// Sum of the response times of all activations.
    pub total_response_ns: i64,
    /// Worst delay from due to begun.
    pub worst_jitter_ns: i64,
    /// Number of times it was stopped while computing.
    pub preemptions: u64,
    /// Commands accepted.
    pub commands: u64,
    /// Commands rejected because they contained NaN or infinity.
    pub commands_refused: u64,
    /// Plans published.
    pub plans: u64,
    /// Largest number of threads.
    pub threads: usize,
    /// Its faults: warnings and errors.
    pub troubles: Vec<TimedFinding>,
    /// What a user should know and makes no number doubtful.
    pub notes: Vec<TimedFinding>,
    /// How it ended, if before the end of the run.
    pub ended: Option<String>,
    /// Whether it ended by a crash or an error, or was terminated.
    pub failed: bool,
    /// Whether it meets its rate; `None` for clients without a rate, unless they crashed or their numbers are doubtful.
    pub verdict: Option<RateVerdict>,
}

/// Whether a controller meets its rate on this CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateVerdict {
    /// The verdict.
    #[serde(with = "veracity_measure::verdict::words")]
    pub verdict: Verdict,
    /// The reason.
    pub reason: String,
    /// 1 - worst response / deadline; negative when missed.
    pub margin: Option<f64>,
}

/// A client's clock continued although the timer had to end its slice: the host may have run something else. No counter
/// proves it, so the time is charged, and an activation that is late with it is not evidence against the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stall {
    /// Virtual time [ns].
    pub time_ns: i64,
    /// The client.
    pub client: String,
    /// CPU time its clock showed [ns].
    pub charged_ns: i64,
    /// Time after which the timer was to fire and preempt everything else on the core [ns].
    pub armed_ns: i64,
    /// Wall time between arming and waking [ns].
    pub wall_ns: i64,
}

/// Delta(t) = max p - min p over dynamics and clients, at every scheduling point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// Step of the dynamics, the lower bound of Delta [ns].
    pub step_ns: i64,
    /// Every sample of Delta - h [ns].
    pub excess_ns: Vec<i64>,
    /// Each step of the dynamics: its end and its largest Delta [ns].
    pub timeline: Vec<(i64, i64)>,
}

impl Delta {
    /// Reserves memory for this many steps and samples, and touches it.
    pub fn reserve(&mut self, steps: usize, samples: usize) {
        self.timeline.resize(steps, (0, 0));
        self.timeline.clear();
        self.excess_ns.resize(samples, 0);
        self.excess_ns.clear();
    }

    /// Adds a sample at a scheduling point of the step that ends at `time_ns`.
    pub fn sample(&mut self, time_ns: i64, delta_ns: i64) {
        self.excess_ns.push(delta_ns - self.step_ns);
        match self.timeline.last_mut() {
            Some((t, worst)) if *t == time_ns => *worst = (*worst).max(delta_ns),
            _ => self.timeline.push((time_ns, delta_ns)),
        }
    }

    /// The `q` quantile (0 to 1) of the worst Delta - h of each step [ns].
    pub fn quantile(&self, q: f64) -> i64 {
        let mut worst: Vec<i64> = self.timeline.iter().map(|(_, d)| d - self.step_ns).collect();
        worst.sort_unstable();
        let place = ((worst.len() as f64 * q).ceil() as usize).clamp(1, worst.len().max(1)) - 1;
        worst.get(place).copied().unwrap_or(0)
    }

    /// The largest Delta - h [ns].
    pub fn max(&self) -> i64 {
        self.quantile(1.0)
    }
}

/// Time spent on the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// CPU time of the coordinator without the dynamics [s].
    pub coordinator_cpu_s: f64,
    /// CPU time of the dynamics, sensors and actuators [s].
    pub dynamics_cpu_s: f64,
    /// CPU time of the clients [s].
    pub clients_cpu_s: f64,
    /// Wall time [s].
    pub wall_s: f64,
    /// Number of times the timer was armed.
    pub armings: u64,
}

/// The question a rate verdict answers, as printed.
pub fn rate_question(cpu_scale: f64) -> String {
    if cpu_scale == 1.0 {
        "meets its rate on this CPU".to_string()
    } else {
        format!("meets its rate on a CPU {cpu_scale} times as fast")
    }
}

/// Summary of a run: everything besides the record.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// In the order of the configuration file.
    pub clients: Vec<ClientStats>,
    /// Spread of virtual times.
    pub delta: Delta,
    /// Suspected stalls, which were charged, with their evidence.
    pub stalls: Vec<Stall>,
    /// Time spent on the host.
    pub cost: Cost,
    /// Whether clients ran under real-time classes.
    pub real_time: bool,
    /// Speed of the robot's computer relative to this one.
    pub cpu_scale: f64,
    /// Simulated time [ns].
    pub simulated_ns: i64,
    /// Whether SIGINT or SIGTERM ended it early.
    pub interrupted: bool,
    /// How far the numbers can be trusted.
    pub notes: Findings,
}
