//! Policies by which an inner node of the scheduler tree picks among its children: one file and one line in
//! [`POLICIES`] each.

pub mod fixed_priority;
pub mod least_progress;
pub mod round_robin;

/// A child as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// When it can run next in virtual time [ns]: now for one that computes, its wake-up for one that waits.
    pub ready_ns: i64,
    /// The higher goes first.
    pub priority: i32,
    /// Virtual time it has computed so far [ns].
    pub executed_ns: i64,
    /// Whether it wakes up at `ready_ns`, instead of having been computing.
    pub wakes: bool,
    /// Whether it was the last to run: letting it continue costs no context switch.
    pub ran_last: bool,
}

/// The child to run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Index among the candidates.
    pub child: usize,
    /// Latest end [ns].
    pub until_ns: i64,
}

/// A scheduling policy.
pub trait Policy: Sync {
    /// Its name in configuration files.
    fn name(&self) -> &'static str;
    /// What it models, in one line.
    fn about(&self) -> &'static str;
    /// Whether the children share one processor: while one computes, the others wait.
    fn shares_processor(&self) -> bool;
    /// Picks among children, of which there is at least one, for the time up to `end_ns`. `now_ns` is the time the
    /// shared processor has reached.
    fn pick(&self, children: &[Candidate], now_ns: i64, end_ns: i64) -> Pick;
}

/// All policies.
pub const POLICIES: &[&dyn Policy] =
    &[&least_progress::LeastProgress, &fixed_priority::FixedPriority, &round_robin::RoundRobin];

/// The policy with this name.
pub fn policy(name: &str) -> Option<&'static dyn Policy> {
    POLICIES.iter().find(|p| p.name() == name).copied()
}

/// The time at which the first child can run: `now_ns`, or if none is ready by then, the earliest time one becomes
/// ready.
fn ready(children: &[Candidate], now_ns: i64) -> i64 {
    children.iter().map(|c| c.ready_ns).min().unwrap_or(now_ns).max(now_ns)
}
