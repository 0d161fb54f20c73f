//! The shared page: an array of 64-bit words, each read and written atomically, so that neither side can see a torn value
//! or be made to misbehave by the other. Numbers are `i64`, `u64` or the bits of an `f64`, little endian.
//!
//! Virtual time of the client, computed alike on both sides:
//!
//! ```text
//! (1)  p = WAIT_NS + (c - CPU0_NS) · CPU_FACTOR
//! ```
//!
//! with `c` the process's own CPU clock [ns]. The coordinator alone writes `WAIT_NS`, `CPU0_NS` and `CPU_FACTOR`.

/// First word of a page: "VERTEMP3".
pub const MAGIC_VALUE: u64 = u64::from_le_bytes(*b"VERTEMP3");

/// Where the descriptors are: `VERACITY_TEMPO=PAGE,NOTIFY`, two numbers.
pub const ENVIRONMENT: &str = "VERACITY_TEMPO";

/// [`MAGIC_VALUE`].
pub const MAGIC: usize = 0;
/// Words in the page.
pub const WORDS: usize = 1;
/// One of the `MODE_…`.
pub const MODE: usize = 2;
/// Wait granted so far [ns].
pub const WAIT_NS: usize = 3;
/// Reading of the CPU clock at time zero [ns].
pub const CPU0_NS: usize = 4;
/// Virtual nanoseconds for each nanosecond of CPU time (f64): 1 / cpu-scale.
pub const CPU_FACTOR: usize = 5;
/// Step of the dynamics [ns].
pub const STEP_NS: usize = 6;
/// Period of a periodic client [ns]; 0 for a best-effort one.
pub const PERIOD_NS: usize = 7;
/// One of the `ASK_…`, written before a notification.
pub const ASK: usize = 8;
/// Its argument.
pub const ASK_ARGUMENT: usize = 9;
/// The answer of a replay.
pub const ANSWER: usize = 10;
/// Entries the client has written to its log, ever.
pub const LOG_WRITTEN: usize = 11;
/// Entries the coordinator has taken, ever.
pub const LOG_TAKEN: usize = 12;
/// Numbers in an observation.
pub const OBSERVED: usize = 13;
/// Numbers in a command.
pub const COMMANDED: usize = 14;
/// Odd while the coordinator writes; afterwards twice the number of the step.
pub const OBSERVATION_SEQUENCE: usize = 15;
/// Time of the observation [ns].
pub const OBSERVATION_NS: usize = 16;
/// Number of the activation.
pub const ACTIVATION: usize = 17;
/// When it was due [ns].
pub const ACTIVATION_NS: usize = 18;
/// Where the names begin (word) and how many bytes they have.
pub const NAMES_AT: usize = 19;
/// See [`NAMES_AT`].
pub const NAMES_BYTES: usize = 20;
/// Where the observation's values begin.
pub const VALUES_AT: usize = 21;
/// Where their stamps begin.
pub const STAMPS_AT: usize = 22;
/// Where the client's log begins.
pub const LOG_AT: usize = 23;
/// Words of an entry: kind, stamp [ns], values.
pub const ENTRY_WORDS: usize = 24;
/// Where the plan that arrives is: its numbers.
pub const PLAN_IN_AT: usize = 25;
/// How many numbers it has; changes together with the observation.
pub const PLAN_IN_COUNT: usize = 26;
/// How many plans have arrived.
pub const PLAN_IN_ORDINAL: usize = 27;
/// Where the client puts a plan it publishes.
pub const PLAN_OUT_AT: usize = 28;
/// How long the run is [ns].
pub const DURATION_NS: usize = 29;
/// 1 once the run is over.
pub const OVER: usize = 30;
/// Which plan is being read, when it was published [ns].
pub const PLAN_IN_NS: usize = 31;
/// A seed for the client, of the run's own.
pub const SEED: usize = 32;
/// Threads an unmodified program has begun, the first one included, counted by the preloaded library; 0 or 1: just that.
pub const THREADS: usize = 33;
/// Process id of the unmodified program the page belongs to: what it starts has no part in it.
pub const OWNER: usize = 34;
/// Where the places begin in which threads of an unmodified program sleep: of each, until when [ns] (0: nobody), and the
/// word it sleeps on, whose lower half becomes 1 when the time has come.
pub const SLEEPERS_AT: usize = 35;
/// How many of them have ever been used.
pub const SLEEPERS_USED: usize = 36;
/// When an unmodified program wants an alarm (SIGALRM) [ns]; 0 for none.
pub const ALARM_NS: usize = 37;
/// After how long the next one, and so on [ns]; 0 for one only.
pub const ALARM_EVERY_NS: usize = 38;
/// Alarms given so far.
pub const ALARMS: usize = 39;
/// What a client that has asked waits for, in the lower half: one of the `GO_…`.
pub const GO: usize = 40;
/// 1 while the coordinator finds a question without being rung for: the client has its priority and lets it run.
pub const QUIET: usize = 41;
/// First word after the head.
pub const BODY_AT: usize = 64;

/// Entries in the client's log.
pub const LOG_ENTRIES: u64 = 256;
/// Numbers a plan can have.
pub const PLAN_NUMBERS: usize = 4096;
/// Threads of an unmodified program that can sleep at one time.
pub const SLEEPERS: usize = 256;

/// Asked, not yet answered, and not asleep.
pub const GO_NOT_YET: u32 = 0;
/// Answered: it goes on.
pub const GO_ON: u32 = 1;
/// It sleeps on the word (a futex) and must be woken.
pub const GO_ASLEEP: u32 = 2;

/// CPU time is metered against simulated time.
pub const MODE_CONSISTENT: u64 = 0;
/// The world stands still while the client computes.
pub const MODE_CALLBACK: u64 = 1;
/// Every answer comes from a recorded schedule.
pub const MODE_REPLAY: u64 = 2;

/// Ready to begin.
pub const ASK_HELLO: u64 = 1;
/// Wait for the next activation (periodic) or the next step of the dynamics (best effort).
pub const ASK_WAIT: u64 = 2;
/// Wait until a virtual time, the argument [ns].
pub const ASK_WAIT_UNTIL: u64 = 3;
/// Take my log and let me go on.
pub const ASK_FLUSH: u64 = 4;
/// Take my plan of so many numbers, the argument, and let me go on.
pub const ASK_PLAN: u64 = 5;
/// In a replay: which time was it when I asked?
pub const ASK_TIME: u64 = 6;
/// In a replay: let me see what I saw.
pub const ASK_OBSERVE: u64 = 7;
/// In a replay: take my command.
pub const ASK_COMMAND: u64 = 8;
/// An unmodified program is about to start a thread where threads are not supported: in a callback.
pub const ASK_THREAD: u64 = 9;

/// Log: it looked at the observation of the step in the stamp.
pub const LOG_OBSERVE: u64 = 1;
/// Log: it asked the time and was told the stamp.
pub const LOG_TIME: u64 = 2;
/// Log: it commanded the values at the stamp.
pub const LOG_COMMAND: u64 = 3;

/// Sizes and places of everything behind the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Of the names.
    pub names: usize,
    /// Of the observation's values.
    pub values: usize,
    /// Of their stamps.
    pub stamps: usize,
    /// Of the log.
    pub log: usize,
    /// Words of a log entry.
    pub entry: usize,
    /// Of the plan that arrives.
    pub plan_in: usize,
    /// Of the plan that is published.
    pub plan_out: usize,
    /// Of the sleepers.
    pub sleepers: usize,
    /// Of the end: words in all.
    pub end: usize,
}

impl Places {
    /// For so many numbers.
    pub fn new(names_bytes: usize, observed: usize, commanded: usize) -> Self {
        let names = BODY_AT;
        let values = names + names_bytes.div_ceil(8);
        let stamps = values + observed;
        let log = stamps + observed;
        let entry = 2 + commanded;
        let plan_in = log + entry * LOG_ENTRIES as usize;
        let plan_out = plan_in + PLAN_NUMBERS;
        let sleepers = plan_out + PLAN_NUMBERS;
        Self { names, values, stamps, log, entry, plan_in, plan_out, sleepers, end: sleepers + 2 * SLEEPERS }
    }
}
