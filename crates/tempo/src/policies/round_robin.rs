//! The children share one processor fairly: among those ready, the child that has computed least runs, for at most 1
//! ms.

use super::{Candidate, Pick, Policy, ready};

/// Policy `round_robin`.
pub struct RoundRobin;

/// Longest slice [ns]: that of an ordinary kernel, within a factor of a few.
const SLICE_NS: i64 = 1_000_000;

impl Policy for RoundRobin {
    fn name(&self) -> &'static str {
        "round_robin"
    }

    fn about(&self) -> &'static str {
        "the children share one processor; among those ready, the one that has computed least runs, for at most 1 ms"
    }

    fn shares_processor(&self) -> bool {
        true
    }

    fn pick(&self, children: &[Candidate], now_ns: i64, end_ns: i64) -> Pick {
        let begin = ready(children, now_ns);
        let able = children.iter().enumerate().filter(|(_, c)| c.ready_ns <= begin);
        let child = able.min_by_key(|(i, c)| (c.executed_ns, *i)).map_or(0, |(i, _)| i);
        Pick { child, until_ns: end_ns.min(begin + SLICE_NS) }
    }
}
