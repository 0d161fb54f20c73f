//! Each child has a processor of its own; whoever is furthest behind in virtual time goes first.
//!
//! Who is behind by no more than what is carried from step to step is not behind. Among those the one that ran last goes first, so
//! that it need not be stopped and let go again: of two clients every other step is lived through the other way round. Then whoever
//! wakes: it is soon done, and the others then run up to one end with it, which the timer is armed for once.

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
        let behind = |c: &Candidate| c.ready_ns - CARRIED_NS * (i64::from(c.wakes) + 2 * i64::from(c.ran_last));
        // The first of equals: the order of the file decides, and nothing else.
        let child = children.iter().enumerate().min_by_key(|(i, c)| (behind(c), *i)).map_or(0, |(i, _)| i);
        Pick { child, until_ns: end_ns }
    }
}
