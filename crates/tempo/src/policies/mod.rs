//! How an inner node of the scheduler tree picks among its children: one file and one line in [`POLICIES`] each.

pub mod fixed_priority;
pub mod least_progress;
pub mod round_robin;

/// A child as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// When it can run next in virtual time [ns]: now for one that computes, its wake-up for one that waits.
    pub ready_ns: i64,
    /// Higher goes first.
    pub priority: i32,
    /// What it has computed so far [ns].
    pub executed_ns: i64,
    /// Whether it wakes up then, or has been computing.
    pub wakes: bool,
    /// Whether nobody has run since: letting it go on costs no change of programs.
    pub ran_last: bool,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Index among the candidates.
    pub child: usize,
    /// Until when at most [ns].
    pub until_ns: i64,
}

/// A policy.
pub trait Policy: Sync {
    /// As it is written in files.
    fn name(&self) -> &'static str;
    /// What it models, in a line.
    fn about(&self) -> &'static str;
    /// Whether the children share one processor: while one computes, the others wait.
    fn shares_processor(&self) -> bool;
    /// Picks among children, of which there is at least one, for the time up to `end_ns`. `now_ns` is how far the shared
    /// processor has come.
    fn pick(&self, children: &[Candidate], now_ns: i64, end_ns: i64) -> Pick;
}

/// Every policy there is.
pub const POLICIES: &[&dyn Policy] =
    &[&least_progress::LeastProgress, &fixed_priority::FixedPriority, &round_robin::RoundRobin];

/// By its name.
pub fn policy(name: &str) -> Option<&'static dyn Policy> {
    POLICIES.iter().find(|p| p.name() == name).copied()
}

/// Those that can run first: ready by `now`, or if none is, the first to become so. The time at which that is.
fn ready(children: &[Candidate], now_ns: i64) -> i64 {
    children.iter().map(|c| c.ready_ns).min().unwrap_or(now_ns).max(now_ns)
}
