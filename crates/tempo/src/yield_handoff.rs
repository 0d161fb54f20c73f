//! Yield handoff: a cheaper way to run a controller while no other client computes.
//!
//! ```text
//! (1)  the client has the coordinator's priority, and waits for its answer at the end of that run queue
//! (2)  the coordinator answers and yields (`sched_yield`): the client runs
//! (3)  the client asks a question and yields: the coordinator runs
//! ```
//!
//! Neither side sleeps or is woken, which is most of the cost of a cycle otherwise. A client that blocks in a system
//! call of its own, or ends, leaves the run queue, and the coordinator finds no question. A client that never yields is
//! demoted below the coordinator by the [`Preemptor`]. In all these cases the slice continues like any other.
//!
//! Only for single-threaded programs whose library supports it (`wire::QUIET`), and started only while they wait for an
//! answer: a client in the middle of asking may already have decided to notify.
//!
//! [`Preemptor`]: crate::preemptor::Preemptor

use crate::coordinator::Coordinator;
use crate::error::TempoError;
use veracity_client::wire;

impl Coordinator {
    /// Whether a client that waits for its answer may run by yield handoff: it must be a single-threaded controller,
    /// and no other client may be computing.
    pub(crate) fn may_yield_handoff(&self, i: usize) -> bool {
        let others = self.leaves.iter().zip(&self.slots).enumerate().filter(|(k, _)| *k != i);
        let slot = &self.slots[i];
        self.preemptor.is_some()
            && slot.is_periodic()
            && slot.link.is_none()
            && !slot.has_threads()
            && others.into_iter().all(|(_, (leaf, slot))| leaf.waits_until_ns.is_some() || slot.has_ended())
    }

    /// Runs a client by yield handoff for at most `needed_ns` of CPU time, charges it what it used, and answers its
    /// question.
    pub(crate) fn yield_handoff(&mut self, i: usize, needed_ns: i64) -> Result<(), TempoError> {
        let Some(preemptor) = &mut self.preemptor else { return Ok(()) };
        let window = preemptor
            .ensure(needed_ns)
            .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
        let preempted = preemptor.run_client(self.slots[i].process.id());
        let asked = self.slots[i].process.page.get(wire::ASK) != 0;
        if preempted {
            self.slots[i].process.was_preempted();
        } else if !asked {
            self.slots[i].process.set_handoff(false);
        }
        self.charge(i, Some(window));
        if asked {
            self.answer(i);
        }
        Ok(())
    }
}
