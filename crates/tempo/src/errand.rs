//! Errands: the short way for a controller while nobody else computes.
//!
//! ```text
//! (1)  the client has the coordinator's own priority, and waits for its answer at the end of that line
//! (2)  the coordinator answers and goes to the end of the line itself: the client runs
//! (3)  the client asks, and goes to the end of the line: the coordinator runs
//! ```
//!
//! Nobody sleeps and nobody is woken, which is most of what a cycle costs otherwise. Who blocks in a system call of its own, or ends,
//! leaves the line, and the coordinator finds no question. For who does not come back there is the [`Preemptor`]: it puts the client
//! below the coordinator. In all these cases the slice goes on as any other.
//!
//! Only for programs of one thread that know of it (`wire::QUIET`), and begun only while they wait for an answer: one that is in the
//! middle of asking may have decided to ring already.
//!
//! [`Preemptor`]: crate::preemptor::Preemptor

use crate::coordinator::Coordinator;
use crate::core_of_ours::{CLIENT, COORDINATOR};
use crate::error::TempoError;
use crate::seat::Seat;
use crate::sys::{Class, set_class};
use veracity_client::wire;

impl Seat {
    /// Takes it into the coordinator's line, or puts it back among the clients.
    pub(crate) fn set_errands(&mut self, on: bool) {
        if self.errands == on {
            return;
        }
        let priority = if on { COORDINATOR } else { CLIENT };
        let set = set_class(self.process.id() as i32, Class::Fifo(priority)).is_ok();
        self.errands = on && set;
        self.process.page.set(wire::QUIET, u64::from(self.errands));
    }

    /// The preemptor has already put it back.
    fn was_taken_off(&mut self) {
        self.errands = false;
        self.process.page.set(wire::QUIET, 0);
    }
}

impl Coordinator {
    /// Whether a client that waits for its answer may go on errands: it is a controller of one thread, and nobody else computes.
    pub(crate) fn may_go_on_errands(&self, i: usize) -> bool {
        let others = self.leaves.iter().zip(&self.seats).enumerate().filter(|(k, _)| *k != i);
        let seat = &self.seats[i];
        self.preemptor.is_some()
            && seat.is_periodic()
            && !seat.has_threads()
            && others.into_iter().all(|(_, (leaf, seat))| leaf.waits_until_ns.is_some() || seat.ended)
    }

    /// One errand of at most `needed_ns` of CPU time: what the client used is charged, and what it asked dealt with.
    pub(crate) fn errand(&mut self, i: usize, needed_ns: i64) -> Result<(), TempoError> {
        let Some(preemptor) = &mut self.preemptor else { return Ok(()) };
        let window = preemptor
            .ensure(needed_ns)
            .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
        let taken_off = preemptor.send(self.seats[i].process.id());
        let asked = self.seats[i].process.page.get(wire::ASK) != 0;
        if taken_off {
            self.seats[i].was_taken_off();
        } else if !asked {
            self.seats[i].set_errands(false);
        }
        self.charge(i, Some(window));
        if asked {
            self.answer(i);
        }
        Ok(())
    }
}
