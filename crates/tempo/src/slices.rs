//! Slices: a client runs until its time is used up, it waits, or somebody in it wakes; what it used is charged.
//!
//! Equations (1) to (3) of the coordinator.

use crate::coordinator::{
    Coordinator, DETECTED, EXIT, HANG_NS, KIND, LEAST_SLICE_NS, LIFELINE, NOTIFY, STALL_NS, TIMER,
};
use crate::error::TempoError;
use crate::outcome::Stall;
use crate::schedule::What;
use crate::sys::monotonic_ns;
use crate::timer;
use crate::tree::Turn;
use rustix::time::Timespec;
use veracity_client::wire;

/// What came of waiting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Happened {
    /// The timer fired.
    pub timer: bool,
    /// Nobody could run.
    pub detected: bool,
}

impl Coordinator {
    /// Charges a client what its clock says. `armed`: when the timer was armed and when it was to fire.
    pub(crate) fn charge(&mut self, i: usize, armed: Option<(i64, i64)>) {
        let seat = &mut self.seats[i];
        let Some(cpu) = seat.process.clock.read_ns() else { return };
        let used = cpu - seat.cpu_ns;
        if used == 0 {
            return;
        }
        seat.cpu_ns = cpu;
        if let Some((from, fires)) = armed.filter(|_| self.core.real_time) {
            let excess = used - (fires - from);
            if excess > STALL_NS {
                let off = (excess as f64 * seat.factor) as i64;
                seat.take_off(off);
                self.stalls.push(Stall {
                    time_ns: self.leaves[i].progress_ns,
                    client: seat.config.name.clone(),
                    charged_ns: used,
                    armed_ns: fires - from,
                    wall_ns: monotonic_ns() - from,
                });
                self.tell(i, What::Stall { ns: off });
            }
        }
        let seat = &self.seats[i];
        // A stall that was taken off must not take the client back.
        let at_ns = seat.progress_ns().max(self.leaves[i].progress_ns);
        let ns = at_ns - self.leaves[i].progress_ns;
        (self.leaves[i].progress_ns, self.leaves[i].executed_ns) = (at_ns, seat.executed_ns());
        self.tell(i, What::Charge { ns, at_ns });
    }

    /// Lets a client run: (2).
    pub(crate) fn slice(&mut self, turn: Turn) -> Result<(), TempoError> {
        let i = turn.leaf;
        let waits = self.leaves[i].waits_until_ns.is_some();
        self.let_go(turn);
        if waits {
            let may = self.may_go_on_errands(i);
            self.seats[i].set_errands(may);
        }
        loop {
            let progress = self.leaves[i].progress_ns;
            let mut left = turn.until_ns - progress;
            let seat = &mut self.seats[i];
            if seat.is_unmodified() {
                seat.wake_sleepers(progress);
                if let Some(want) = seat.earliest_want_ns().filter(|_| left >= LEAST_SLICE_NS) {
                    left = left.min((want - progress).max(LEAST_SLICE_NS));
                }
            }
            if let Some(budget) = seat.budget_ns.filter(|_| seat.active && !seat.over_budget) {
                let rest = budget - (seat.executed_ns() - seat.executed_at_wake_ns);
                if rest <= 0 {
                    seat.over_budget = true;
                    seat.stats.overruns += 1;
                    self.tell(i, What::OverBudget);
                } else {
                    left = left.min(rest.max(LEAST_SLICE_NS));
                }
            }
            if left < LEAST_SLICE_NS {
                self.seats[i].stats.preemptions += 1;
                self.tell(i, What::Preempt);
                self.look_at_threads(i, true);
                break;
            }
            let seat = &self.seats[i];
            let needed = (left as f64 / seat.factor) as i64;
            if seat.errands {
                self.errand(i, needed)?;
                if self.seats[i].ended || self.leaves[i].waits_until_ns.is_some() {
                    break;
                }
                continue;
            }
            let (from, fires) = self
                .timer
                .ensure(needed, seat.is_periodic())
                .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
            let before = seat.cpu_ns;
            self.switch_detector(true);
            let happened = self.wait_for_events(Some((i, (from, fires))))?;
            if self.seats[i].ended || self.leaves[i].waits_until_ns.is_some() {
                break;
            }
            self.charge(i, Some((from, fires)));
            if happened.detected || (happened.timer && self.seats[i].cpu_ns == before) {
                self.look_why_it_does_not_run(i)?;
                if self.seats[i].blocked || self.seats[i].ended || self.leaves[i].waits_until_ns.is_some() {
                    break;
                }
            } else if happened.timer {
                // Whoever wakes now stands before the one that is sent behind all others.
                let progress = self.leaves[i].progress_ns;
                if self.seats[i].is_unmodified() {
                    self.seats[i].wake_sleepers(progress);
                }
                self.look_at_threads(i, true);
            }
        }
        self.drained(i);
        let progress = self.leaves[i].progress_ns;
        let (tree, leaves) = (&mut self.tree, &self.leaves);
        let mut granted = Vec::new();
        tree.ran(i, progress, leaves, |other, to| granted.push((other, to)));
        for (other, to) in granted {
            self.grant(other, to);
        }
        Ok(())
    }

    /// Stops whoever ran before and lets this one go.
    fn let_go(&mut self, turn: Turn) {
        let i = turn.leaf;
        if let Some(before) = self.running.replace(i).filter(|r| *r != i) {
            // Whoever sleeps in a question needs no stopping.
            if !self.seats[before].ended && !self.seats[before].asked {
                self.seats[before].park();
            }
        }
        self.grant(i, turn.from_ns);
        if self.leaves[i].waits_until_ns.take().is_some() {
            if std::mem::take(&mut self.seats[i].sleeps) {
                let progress = self.leaves[i].progress_ns;
                self.seats[i].wake_sleepers(progress);
                self.tell(i, What::Wake { due_ns: progress, activation: 0 });
            } else {
                self.wake(i);
            }
        }
        self.seats[i].resume();
    }

    /// Answers the question a client sleeps in.
    pub(crate) fn wake(&mut self, i: usize) {
        let progress = self.leaves[i].progress_ns;
        let seat = &mut self.seats[i];
        let mut due_ns = progress;
        if seat.active {
            due_ns = seat.due_ns;
            seat.stats.worst_jitter_ns = seat.stats.worst_jitter_ns.max(progress - due_ns);
            seat.activation += 1;
            seat.executed_at_wake_ns = seat.executed_ns();
            seat.over_budget = false;
            seat.process.page.set(wire::ACTIVATION, seat.activation);
            seat.process.page.set_i64(wire::ACTIVATION_NS, due_ns);
        }
        seat.asked = false;
        seat.process.go();
        let activation = seat.activation;
        self.tell(i, What::Wake { due_ns, activation });
    }

    /// Deals with what has happened meanwhile; whether this client has asked something.
    pub(crate) fn asked_meanwhile(&mut self, i: usize) -> Result<bool, TempoError> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        timer::wait(&self.set, &mut self.ready, Some(&at_once))
            .map_err(|e| TempoError::system("coordinator", "it cannot look", e))?;
        let asked = self.ready.contains(&(NOTIFY | i as u64));
        self.deal_with_events(None);
        Ok(asked)
    }

    /// Waits until something happens and deals with all that has to do with clients. `armed`: whose slice it is.
    fn wait_for_events(&mut self, armed: Option<(usize, (i64, i64))>) -> Result<Happened, TempoError> {
        // The timer is armed whenever we come here; a limit of the wait itself would arm another one each time.
        timer::wait(&self.set, &mut self.ready, None)
            .map_err(|e| TempoError::system("coordinator", "it cannot wait", e))?;
        Ok(self.deal_with_events(armed))
    }

    fn deal_with_events(&mut self, armed: Option<(usize, (i64, i64))>) -> Happened {
        let mut happened = Happened::default();
        for e in 0..self.ready.len() {
            let key = self.ready[e];
            let i = (key & !KIND) as usize;
            match key & KIND {
                TIMER => {
                    happened.timer = true;
                    self.timer.fired();
                }
                DETECTED => happened.detected = true,
                NOTIFY => {
                    let window = armed.filter(|(whose, _)| *whose == i).map(|(_, window)| window);
                    self.charge(i, window);
                    self.answer(i);
                }
                EXIT => self.has_ended(i),
                LIFELINE => self.has_hung_up(i),
                _ => {}
            }
        }
        happened
    }

    /// Nobody runs until [`Coordinator::run_to`], although we sleep: the dynamics is another process on this core.
    pub(crate) fn hold_everybody(&mut self) {
        self.switch_detector(false);
        if let Some(i) = self.running.take().filter(|i| !self.seats[*i].ended && !self.seats[*i].asked) {
            self.seats[i].stop();
        }
    }

    /// Without the detector above them, clients whose turn it is not would run whenever we sleep: then a signal stops them.
    pub(crate) fn switch_detector(&mut self, on: bool) {
        let Some(detector) = &self.detector else { return };
        if !on {
            self.seats.iter_mut().filter(|s| s.process.is_only_parked()).for_each(|s| s.process.stop());
        }
        detector.set(on);
    }

    /// Waits, in a callback or a replay, until a client asks something or is gone. `false` if it is gone.
    pub(crate) fn wait_for_question(&mut self, i: usize) -> Result<bool, TempoError> {
        let begun = self.seats[i].cpu_ns;
        loop {
            if self.seats[i].ended {
                return Ok(false);
            }
            if self.seats[i].asked {
                return Ok(true);
            }
            let needed = HANG_NS;
            self.timer
                .ensure(needed, true)
                .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
            let before = self.seats[i].cpu_ns;
            let happened = self.wait_for_events(None)?;
            self.charge(i, None);
            let (seat, slept) = (&self.seats[i], happened.timer && self.seats[i].cpu_ns == before);
            // One that others keep from the core is ready all the time: that is nothing to be put out for.
            let idle = slept && !matches!(seat.process.liveliest_letter(), 'R' | 'T');
            if !seat.asked && !seat.ended && (idle || seat.cpu_ns - begun > 12 * HANG_NS) {
                self.put_out(
                    i,
                    "it sleeps, or has computed for two minutes, without waiting for its next activation; the world cannot go on without it".to_string(),
                );
            }
        }
    }
}
