//! Each child has a processor of its own; the child furthest behind in virtual time runs first.
//!
//! A child that is behind by no more than what is carried from step to step counts as level. Among level children the
//! one that ran last goes first, so that it need not be parked and resumed: with two clients, their order alternates
//! from step to step. Next is a child that wakes: it is soon done, and the others then run up to the same end, for
//! which the timer is armed once.

use super::{Candidate, Pick, Policy};

/// Policy `least_progress`.
pub struct LeastProgress;

/// Largest amount carried [ns].
const CARRIED_NS: i64 = 30_000;

impl Policy for LeastProgress {
    fn name(&self) -> &'static str {
        "least_progress"
    }

    fn about(&self) -> &'static str {
        "each child has a processor of its own; the child furthest behind runs first"
    }

    fn shares_processor(&self) -> bool {
        false
    }

    fn pick(&self, children: &[Candidate], _now_ns: i64, end_ns: i64) -> Pick {
        let behind = |c: &Candidate| c.ready_ns - CARRIED_NS * (i64::from(c.wakes) + 2 * i64::from(c.ran_last));
        // Ties are decided by the order in the configuration file.
        let child = children.iter().enumerate().min_by_key(|(i, c)| (behind(c), *i)).map_or(0, |(i, _)| i);
        Pick { child, until_ns: end_ns }
    }
}
