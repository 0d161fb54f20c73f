//! The shared page: an array of 64-bit words, each read and written atomically, so that neither side can see a torn
//! value or be made to misbehave by the other. Numbers are `i64`, `u64` or the bits of an `f64`, little endian.
//!
//! Virtual time of the client, computed in the same way on both sides:
//!
//! ```text
//! (1)  p = WAIT_NS + (c - CPU0_NS) · CPU_FACTOR
//! ```
//!
//! with `c` the CPU time of the client's process tree [ns]: the sum of the CPU clocks of its processes (`MEMBERS_AT`) and
//! of what those that were reaped had used (`ENDED_CPU_NS`). Only the coordinator writes `WAIT_NS`, `CPU0_NS` and
//! `CPU_FACTOR`.

/// First word of a page: "VERTEMP6".
pub const MAGIC_VALUE: u64 = u64::from_le_bytes(*b"VERTEMP6");

/// Environment variable with the descriptors: `VERACITY_TEMPO=PAGE,NOTIFY`, two numbers.
pub const ENVIRONMENT: &str = "VERACITY_TEMPO";

/// Environment variable with a path of the page: for processes of the client whose parent has closed the descriptors.
pub const ENVIRONMENT_PAGE: &str = "VERACITY_TEMPO_PAGE";

/// Environment variable with a path of the reading end of a pipe that closes when the client's guard ends.
pub const ENVIRONMENT_GUARD: &str = "VERACITY_TEMPO_GUARD";

/// [`MAGIC_VALUE`].
pub const MAGIC: usize = 0;
/// Words in the page.
pub const WORDS: usize = 1;
/// One of the `MODE_…`.
pub const MODE: usize = 2;
/// Wait granted so far [ns].
pub const WAIT_NS: usize = 3;
/// CPU time of the process tree at time zero [ns].
pub const CPU0_NS: usize = 4;
/// Virtual nanoseconds per nanosecond of CPU time (f64): 1 / cpu-scale.
pub const CPU_FACTOR: usize = 5;
/// Step of the dynamics [ns].
pub const STEP_NS: usize = 6;
/// Period of a periodic client [ns]; 0 for a best-effort one.
pub const PERIOD_NS: usize = 7;
/// One of the `ASK_…`, written before a notification.
pub const ASK: usize = 8;
/// Its argument.
pub const ASK_ARGUMENT: usize = 9;
/// The answer, in a replay.
pub const ANSWER: usize = 10;
/// Total number of log entries the client has written.
pub const LOG_WRITTEN: usize = 11;
/// Total number of log entries the coordinator has read.
pub const LOG_TAKEN: usize = 12;
/// Number of values in an observation.
pub const OBSERVED: usize = 13;
/// Number of values in a command.
pub const COMMANDED: usize = 14;
/// Odd while the coordinator writes; afterwards twice the number of the step.
pub const OBSERVATION_SEQUENCE: usize = 15;
/// Time of the observation [ns].
pub const OBSERVATION_NS: usize = 16;
/// Number of the activation.
pub const ACTIVATION: usize = 17;
/// When it was due [ns].
pub const ACTIVATION_NS: usize = 18;
/// First word of the names.
pub const NAMES_AT: usize = 19;
/// Length of the names in bytes.
pub const NAMES_BYTES: usize = 20;
/// First word of the observation's values.
pub const VALUES_AT: usize = 21;
/// First word of their stamps.
pub const STAMPS_AT: usize = 22;
/// First word of the client's log.
pub const LOG_AT: usize = 23;
/// Words per log entry: kind, stamp [ns], values.
pub const ENTRY_WORDS: usize = 24;
/// First word of the plan that arrived.
pub const PLAN_IN_AT: usize = 25;
/// Number of values of that plan; changes together with the observation.
pub const PLAN_IN_COUNT: usize = 26;
/// Number of plans that have arrived.
pub const PLAN_IN_ORDINAL: usize = 27;
/// First word of the plan to publish.
pub const PLAN_OUT_AT: usize = 28;
/// Duration of the run [ns].
pub const DURATION_NS: usize = 29;
/// 1 once the run is over.
pub const OVER: usize = 30;
/// When the plan that arrived was published [ns].
pub const PLAN_IN_NS: usize = 31;
/// Seed of the run.
pub const SEED: usize = 32;
/// Number of threads and processes the client has started, including the first, counted by the preloaded library; 0 or
/// 1: one process with one thread.
pub const THREADS: usize = 33;
/// Process id of the first process of the client, if it has loaded the preloaded library.
pub const OWNER: usize = 34;
/// First word of the slots in which threads of the client sleep: for each, its wake-up time [ns] (0: unused, -1: woken),
/// the word it sleeps on, whose lower half becomes 1 when the time has come, and its process id.
pub const SLEEPERS_AT: usize = 35;
/// Number of slots that have ever been used.
pub const SLEEPERS_USED: usize = 36;
/// When an unmodified program is to get an alarm (SIGALRM) [ns]; 0 for none.
pub const ALARM_NS: usize = 37;
/// Interval of further alarms [ns]; 0 for a single alarm.
pub const ALARM_EVERY_NS: usize = 38;
/// Number of alarms sent so far.
pub const ALARMS: usize = 39;
/// Word that a client waits on for its answer; the lower half is one of the `GO_…`.
pub const GO: usize = 40;
/// 1 in a yield handoff: the client has the coordinator's priority and yields instead of notifying.
pub const QUIET: usize = 41;
/// 1 once the run has begun for this client: from then on its clocks show virtual time.
pub const STARTED: usize = 42;
/// 1 if the preloaded library connects when it is loaded; 0 if the program connects by the client library.
pub const CONNECTS_AT_LOAD: usize = 43;
/// Time at the start, on clocks that count from 1970 [ns].
pub const ZERO_REAL_NS: usize = 44;
/// Time at the start, on clocks that count from start-up [ns].
pub const ZERO_MONOTONIC_NS: usize = 45;
/// CPU time that processes of the tree had used when they were reaped [ns].
pub const ENDED_CPU_NS: usize = 46;
/// First word of the members: process ids of the tree, 0 for an unused place; the first process is the first member.
pub const MEMBERS_AT: usize = 47;
/// Number of members' places that have ever been used.
pub const MEMBERS_USED: usize = 48;
/// Number of times a process of the tree was about to start another.
pub const FORKS: usize = 49;
/// When the next message on the client's link is due [ns]; 0 without a link.
pub const NEXT_MESSAGE_NS: usize = 50;
/// 1 if the C library's standard output is to be written at each end of a line: it is the client's link.
pub const PRINTS_LINES: usize = 51;
/// The latest virtual time any process of the tree has read [ns].
pub const LATEST_NS: usize = 54;
/// How late the latest wake-up of a sleeping thread was [ns].
pub const LATE_NS: usize = 52;
/// Wall time of the last question [ns].
pub const ASKED_NS: usize = 53;
/// 1 if the preloaded library logs every reading of a clock, for a replay.
pub const LOGS_READINGS: usize = 55;
/// Rate of the processor's time stamp counter [Hz]; 0 if it is not known.
pub const COUNTER_HZ: usize = 56;
/// The time stamp counter at the start of the run.
pub const ZERO_COUNTER: usize = 57;
/// 1 if readings of the time stamp counter are to show virtual time.
pub const WATCHES_COUNTER: usize = 58;
/// 1 if the counter may have been read before its readings were seen.
pub const COUNTER_SEEN: usize = 59;
/// First word after the head.
pub const BODY_AT: usize = 64;

/// Entries in the client's log.
pub const LOG_ENTRIES: u64 = 256;
/// Largest number of values of a plan.
pub const PLAN_NUMBERS: usize = 4096;
/// Largest number of threads of a client that sleep at one time.
pub const SLEEPERS: usize = 256;
/// Words of a sleeper's slot.
pub const SLEEPER_WORDS: usize = 3;
/// Largest number of processes of a client at one time.
pub const MEMBERS: usize = 256;

/// Asked, not yet answered, client not asleep.
pub const GO_NOT_YET: u32 = 0;
/// Answered: the client continues.
pub const GO_ON: u32 = 1;
/// The client sleeps on the word (a futex) and must be woken.
pub const GO_ASLEEP: u32 = 2;

/// CPU time is metered against simulated time.
pub const MODE_CONSISTENT: u64 = 0;
/// The world stands still while the client computes.
pub const MODE_CALLBACK: u64 = 1;
/// Every answer comes from a recorded schedule.
pub const MODE_REPLAY: u64 = 2;

/// Connected and ready to run.
pub const ASK_HELLO: u64 = 1;
/// Wait for the next activation (periodic) or the next step of the dynamics (best effort).
pub const ASK_WAIT: u64 = 2;
/// Wait until a virtual time, the argument [ns].
pub const ASK_WAIT_UNTIL: u64 = 3;
/// Read the log and continue.
pub const ASK_FLUSH: u64 = 4;
/// Deliver the plan, whose number of values is the argument, and continue.
pub const ASK_PLAN: u64 = 5;
/// In a replay: read the recorded time.
pub const ASK_TIME: u64 = 6;
/// In a replay: observe.
pub const ASK_OBSERVE: u64 = 7;
/// In a replay: command.
pub const ASK_COMMAND: u64 = 8;
/// An unmodified program is about to start a thread where threads are not supported: in a callback.
pub const ASK_THREAD: u64 = 9;
/// Sleep until a virtual time, the argument [ns], in the middle of an activation or outside of one.
pub const ASK_SLEEP: u64 = 10;

/// Wait for descriptors until a virtual time, the argument [ns].
pub const ASK_POLL: u64 = 20;

/// Log: it observed; the stamp is the step of the observation.
pub const LOG_OBSERVE: u64 = 1;
/// Log: it read the time; the stamp is the time.
pub const LOG_TIME: u64 = 2;
/// Log: it commanded the values; the stamp is the time.
pub const LOG_COMMAND: u64 = 3;

/// Word offsets and sizes of everything after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Names.
    pub names: usize,
    /// Values of the observation.
    pub values: usize,
    /// Stamps of the observation.
    pub stamps: usize,
    /// Log.
    pub log: usize,
    /// Words of a log entry.
    pub entry: usize,
    /// Plan that arrived.
    pub plan_in: usize,
    /// Plan to publish.
    pub plan_out: usize,
    /// Slots of sleeping threads.
    pub sleepers: usize,
    /// Process ids of the tree.
    pub members: usize,
    /// End: the total number of words.
    pub end: usize,
}

impl Places {
    /// The layout for these numbers of bytes and values.
    pub fn new(names_bytes: usize, observed: usize, commanded: usize) -> Self {
        let names = BODY_AT;
        let values = names + names_bytes.div_ceil(8);
        let stamps = values + observed;
        let log = stamps + observed;
        let entry = 2 + commanded;
        let plan_in = log + entry * LOG_ENTRIES as usize;
        let plan_out = plan_in + PLAN_NUMBERS;
        let sleepers = plan_out + PLAN_NUMBERS;
        let members = sleepers + SLEEPER_WORDS * SLEEPERS;
        Self { names, values, stamps, log, entry, plan_in, plan_out, sleepers, members, end: members + MEMBERS }
    }
}
