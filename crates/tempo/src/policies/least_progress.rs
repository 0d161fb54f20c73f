//! Each child has a processor of its own; whoever is furthest behind in virtual time goes first.
//!
//! One that wakes goes before one that has been computing and is behind by no more than what is carried from step to step:
//! it is soon done, and both then run up to one end, which the timer is armed for once.

use super::{Candidate, Pick, Policy};

/// See the file's head.
pub struct LeastProgress;

/// At most so much is carried [ns].
const CARRIED_NS: i64 = 30_000;

impl Policy for LeastProgress {
    fn name(&self) -> &'static str {
        "least_progress"
    }

    fn about(&self) -> &'static str {
        "each child has a processor of its own; whoever is furthest behind goes first"
    }

    fn shares_processor(&self) -> bool {
        false
    }

    fn pick(&self, children: &[Candidate], _now_ns: i64, end_ns: i64) -> Pick {
        let behind = |c: &Candidate| if c.wakes { c.ready_ns - CARRIED_NS } else { c.ready_ns };
        // The first of equals: the order of the file decides, and nothing else.
        let child = children.iter().enumerate().min_by_key(|(i, c)| (behind(c), *i)).map_or(0, |(i, _)| i);
        Pick { child, until_ns: end_ns }
    }
}
