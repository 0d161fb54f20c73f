//! What a run leaves beside the record of the motion.

use serde::Serialize;

/// Something a client did that it should not have, with when.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trouble {
    /// Virtual time [ns].
    pub time_ns: i64,
    /// A sentence.
    pub what: String,
}

/// Of one client. Times are virtual nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClientStats {
    /// Its name.
    pub name: String,
    /// Computed.
    pub executed_ns: i64,
    /// Waited.
    pub waited_ns: i64,
    /// Where it stands in the end.
    pub progress_ns: i64,
    /// Activations begun and done.
    pub activations: u64,
    /// Activations that were skipped because an earlier one took too long.
    pub skipped: u64,
    /// Done after the deadline.
    pub misses: u64,
    /// Used more than the budget.
    pub overruns: u64,
    /// From due to done, of each activation: the worst.
    pub worst_response_ns: i64,
    /// The sum over activations.
    pub total_response_ns: i64,
    /// From due to begun: the worst.
    pub worst_jitter_ns: i64,
    /// Times it was stopped while it computed.
    pub preemptions: u64,
    /// Commands taken.
    pub commands: u64,
    /// Commands that were no numbers.
    pub commands_refused: u64,
    /// Plans taken.
    pub plans: u64,
    /// Threads it had, at most.
    pub threads: usize,
    /// What it did wrong.
    pub troubles: Vec<Trouble>,
    /// How it ended before the run did.
    pub ended: Option<String>,
    /// Its verdict; none for clients without a rate.
    pub verdict: Option<RateVerdict>,
}

/// Whether a controller meets its rate on this CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateVerdict {
    /// `accepted`, `rejected` or `cannot tell`.
    pub verdict: &'static str,
    /// The sentence.
    pub reason: String,
    /// 1 - worst response / deadline; negative when missed.
    pub margin: Option<f64>,
}

/// The host did not run a client though its clock went on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stall {
    /// Virtual time [ns].
    pub time_ns: i64,
    /// The client.
    pub client: String,
    /// CPU time its clock showed [ns].
    pub charged_ns: i64,
    /// After which the timer was to fire [ns]: it preempts everybody on the core.
    pub armed_ns: i64,
    /// Between arming and waking on the wall [ns].
    pub wall_ns: i64,
}

/// Delta(t) = max p - min p over dynamics and clients, at every scheduling point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// Step of the dynamics, which is its floor [ns].
    pub step_ns: i64,
    /// Every sample of Delta - h [ns].
    pub excess_ns: Vec<i64>,
    /// The largest of each step of the dynamics: its end and Delta [ns].
    pub timeline: Vec<(i64, i64)>,
}

impl Delta {
    /// Makes room for so many steps and samples, and touches it.
    pub fn make_room(&mut self, steps: usize, samples: usize) {
        self.timeline.resize(steps, (0, 0));
        self.timeline.clear();
        self.excess_ns.resize(samples, 0);
        self.excess_ns.clear();
    }

    /// At a scheduling point of the step that ends at `time_ns`.
    pub fn sample(&mut self, time_ns: i64, delta_ns: i64) {
        self.excess_ns.push(delta_ns - self.step_ns);
        match self.timeline.last_mut() {
            Some((t, worst)) if *t == time_ns => *worst = (*worst).max(delta_ns),
            _ => self.timeline.push((time_ns, delta_ns)),
        }
    }

    /// A quantile of the worst Delta - h of each step, 0 to 1 [ns].
    pub fn quantile(&self, q: f64) -> i64 {
        let mut worst: Vec<i64> = self.timeline.iter().map(|(_, d)| d - self.step_ns).collect();
        worst.sort_unstable();
        let place = ((worst.len() as f64 * q).ceil() as usize).clamp(1, worst.len().max(1)) - 1;
        worst.get(place).copied().unwrap_or(0)
    }

    /// The largest [ns].
    pub fn max(&self) -> i64 {
        self.quantile(1.0)
    }
}

/// Where the time went, on the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// CPU time of the coordinator without the dynamics [s].
    pub coordinator_cpu_s: f64,
    /// CPU time of the dynamics, sensors and actuators [s].
    pub dynamics_cpu_s: f64,
    /// CPU time of the clients [s].
    pub clients_cpu_s: f64,
    /// [s]
    pub wall_s: f64,
    /// How often the timer was armed.
    pub armings: u64,
}

/// What a verdict on a rate is about, for people.
pub fn rate_question(cpu_scale: f64) -> String {
    if cpu_scale == 1.0 {
        "meets its rate on this CPU".to_string()
    } else {
        format!("meets its rate on a CPU {cpu_scale} times as fast")
    }
}

/// Everything beside the record.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// In the order of the file.
    pub clients: Vec<ClientStats>,
    /// See there.
    pub delta: Delta,
    /// Excluded, with their evidence.
    pub stalls: Vec<Stall>,
    /// See there.
    pub cost: Cost,
    /// Whether clients were under real-time classes.
    pub real_time: bool,
    /// Speed of the robot's computer as a multiple of this one's.
    pub cpu_scale: f64,
    /// Simulated [ns].
    pub simulated_ns: i64,
    /// What should be read before the numbers are trusted.
    pub notes: Vec<String>,
}
