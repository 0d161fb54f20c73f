//! The children share one processor; the ready child with the highest priority runs and is preempted by higher ones.

use super::{Candidate, Pick, Policy, ready};

/// Policy `fixed_priority`.
pub struct FixedPriority;

impl Policy for FixedPriority {
    fn name(&self) -> &'static str {
        "fixed_priority"
    }

    fn about(&self) -> &'static str {
        "the children share one processor; the ready child with the highest priority runs and is preempted by higher ones"
    }

    fn shares_processor(&self) -> bool {
        true
    }

    fn pick(&self, children: &[Candidate], now_ns: i64, end_ns: i64) -> Pick {
        let begin = ready(children, now_ns);
        let able = children.iter().enumerate().filter(|(_, c)| c.ready_ns <= begin);
        let Some((child, chosen)) = able.max_by_key(|(i, c)| (c.priority, std::cmp::Reverse(*i))) else {
            return Pick { child: 0, until_ns: end_ns };
        };
        let higher = children.iter().filter(|c| c.priority > chosen.priority && c.ready_ns > begin);
        Pick { child, until_ns: higher.map(|c| c.ready_ns).fold(end_ns, i64::min) }
    }
}
