//! Slices: a client runs until its time is used up, it waits, or one of its threads wakes; it is charged what it used.
//!
//! Equations (1) to (3) of the coordinator.

use crate::client_slot::{State, Wait};
use crate::coordinator::{
    Coordinator, DETECTED, EXIT, HANG_NS, KIND, LEAST_SLICE_NS, LIFELINE, LINK, NOTIFY, STALL_NS, TIMER,
};
use crate::error::TempoError;
use crate::outcome::Stall;
use crate::schedule::EventKind;
use crate::sys::monotonic_ns;
use crate::timer;
use crate::tree::ScheduledSlice;
use rustix::time::Timespec;
use veracity_client::wire;

/// What ended a wait for events, besides clients.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wakeup {
    /// The timer fired.
    pub timer: bool,
    /// The detector ran: no client could run.
    pub detected: bool,
}

impl Coordinator {
    /// Charges a client what its clock shows. `armed`: when the timer was armed and when it was to fire.
    pub(crate) fn charge(&mut self, i: usize, armed: Option<(i64, i64)>) {
        let slot = &mut self.slots[i];
        let Some(cpu) = slot.process.cpu_ns() else { return };
        let used = cpu - slot.account.cpu_ns;
        // Less: a process of the tree is just being reaped, and its time moves from its clock to the sum.
        if used <= 0 {
            return;
        }
        slot.account.cpu_ns = cpu;
        if let Some((from, fires)) = armed.filter(|_| self.core.real_time) {
            let excess = used - (fires - from);
            // A client that has left the core was not preempted by the timer: it has computed all that time.
            if excess > STALL_NS && !self.put_back_on_core(i) {
                let slot = &mut self.slots[i];
                let ns = (excess as f64 * slot.account.factor) as i64;
                slot.stats.suspect_ns += ns;
                if let Some(activation) = &mut slot.activation {
                    activation.suspect_ns += ns;
                }
                self.stalls.push(Stall {
                    time_ns: self.leaves[i].progress_ns,
                    client: slot.config.name.clone(),
                    charged_ns: used,
                    armed_ns: fires - from,
                    wall_ns: monotonic_ns() - from,
                });
                self.log_event(i, EventKind::Stall { ns });
            }
        }
        let slot = &self.slots[i];
        let at_ns = slot.account.progress_ns();
        let ns = at_ns - self.leaves[i].progress_ns;
        (self.leaves[i].progress_ns, self.leaves[i].executed_ns) = (at_ns, slot.account.executed_ns());
        self.log_event(i, EventKind::Charge { ns, at_ns });
    }

    /// Without real-time classes no detector sees a client sleep in its slices: such time is suspect, and neither charged
    /// nor forgotten. The host may have caused it.
    fn suspect_unexplained(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        let ns = std::mem::take(&mut slot.unexplained_ns);
        if ns <= STALL_NS {
            return;
        }
        slot.stats.suspect_ns += ns;
        if let Some(activation) = &mut slot.activation {
            activation.suspect_ns += ns;
        }
    }

    /// Runs a client for one slice: (2).
    pub(crate) fn slice(&mut self, turn: ScheduledSlice) -> Result<(), TempoError> {
        let i = turn.leaf;
        let waits = self.leaves[i].waits_until_ns.is_some();
        self.dispatch(turn);
        if waits {
            let may = self.may_yield_handoff(i);
            self.slots[i].process.set_handoff(may);
        }
        loop {
            let progress = self.leaves[i].progress_ns;
            let mut left = turn.until_ns - progress;
            self.deliver(i, progress, self.dynamics_ns);
            if let Some(next) = self.slots[i].next_message_ns().filter(|_| left >= LEAST_SLICE_NS) {
                left = left.min((next - progress).max(LEAST_SLICE_NS));
            }
            self.answer_in_time(i);
            let slot = &mut self.slots[i];
            if slot.has_virtual_clocks() || slot.asked.is_some() {
                slot.wake_sleepers(progress);
                if let Some(want) = slot.earliest_wakeup_ns().filter(|_| left >= LEAST_SLICE_NS) {
                    left = left.min((want - progress).max(LEAST_SLICE_NS));
                }
            }
            let executed = slot.account.executed_ns();
            let budget = slot.timing.budget_ns;
            if let Some((budget, activation)) = budget.zip(slot.activation.as_mut().filter(|a| !a.over_budget)) {
                let rest = budget - (executed - activation.executed_at_wake_ns);
                if rest <= 0 {
                    activation.over_budget = true;
                    slot.stats.overruns += 1;
                    self.log_event(i, EventKind::OverBudget);
                } else {
                    left = left.min(rest.max(LEAST_SLICE_NS));
                }
            }
            if left < LEAST_SLICE_NS {
                self.slots[i].stats.preemptions += 1;
                self.log_event(i, EventKind::Preempt);
                self.update_threads(i, true);
                break;
            }
            let slot = &self.slots[i];
            let needed = (left as f64 / slot.account.factor) as i64;
            if slot.process.is_in_handoff() {
                self.yield_handoff(i, needed)?;
                if self.slots[i].state != State::Running {
                    break;
                }
                continue;
            }
            let (from, fires) = self
                .timer
                .ensure(needed, slot.is_periodic())
                .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
            let before = slot.account.cpu_ns;
            if !self.core.real_time {
                self.slots[i].process.run_delay_since_ns();
            }
            self.switch_detector(true);
            let wakeup = self.wait_for_events(Some((i, (from, fires))))?;
            let seen_ns = monotonic_ns();
            if self.slots[i].state != State::Running {
                break;
            }
            self.charge(i, Some((from, fires)));
            if !self.core.real_time {
                self.slots[i].explain(monotonic_ns() - from, before);
            }
            if wakeup.detected || (wakeup.timer && self.slots[i].account.cpu_ns == before) {
                self.diagnose_idle_client(i, Some(seen_ns).filter(|_| wakeup.detected))?;
                if self.slots[i].state != State::Running {
                    break;
                }
            } else if wakeup.timer {
                self.put_back_on_core(i);
                // A thread that wakes now is queued before the thread that is moved to the back.
                let progress = self.leaves[i].progress_ns;
                if self.slots[i].has_virtual_clocks() {
                    self.slots[i].wake_sleepers(progress);
                }
                self.find_processes(i, false);
                self.update_threads(i, true);
            }
        }
        self.drain_log(i);
        let progress = self.leaves[i].progress_ns;
        let (tree, leaves) = (&mut self.tree, &self.leaves);
        let mut granted = Vec::new();
        tree.ran(i, progress, leaves, |other, to| granted.push((other, to)));
        for (other, to) in granted {
            self.grant(other, to);
        }
        // What it sent to a client that sleeps arrives now, not earlier.
        self.check_blocked(Some(progress));
        Ok(())
    }

    /// Parks the client that ran before and lets this one run.
    fn dispatch(&mut self, turn: ScheduledSlice) {
        let i = turn.leaf;
        // A client that waits in a question need not be parked.
        for (k, other) in self.slots.iter_mut().enumerate() {
            if k != i && other.state == State::Running {
                other.state = State::Parked;
                other.park();
            }
        }
        self.grant(i, turn.from_ns);
        self.deliver(i, turn.from_ns, self.dynamics_ns);
        match self.slots[i].state {
            State::Waiting(Wait::Message) => self.continue_after_wait(i),
            State::Waiting(Wait::Sleep) => {
                self.leaves[i].waits_until_ns = None;
                let progress = self.leaves[i].progress_ns;
                self.slots[i].wake_sleepers(progress);
                self.slots[i].state = State::Running;
                self.log_event(i, EventKind::Wake { due_ns: progress, activation: 0 });
            }
            State::Waiting(_) => self.wake(i),
            _ => self.slots[i].state = State::Running,
        }
        self.slots[i].resume();
    }

    /// Answers the question of a client with threads when its time has come.
    fn answer_in_time(&mut self, i: usize) {
        let due = self.slots[i].asked.filter(|(until, _)| *until <= self.leaves[i].progress_ns);
        if let Some((_, what)) = due {
            self.slots[i].asked = None;
            self.slots[i].state = State::Waiting(what);
            self.wake(i);
        }
    }

    /// Answers the question a client waits in.
    pub(crate) fn wake(&mut self, i: usize) {
        self.leaves[i].waits_until_ns = None;
        let (mut due_ns, mut activation) = (self.leaves[i].progress_ns, self.slots[i].activations_begun);
        if self.slots[i].state == State::Waiting(Wait::Activation) {
            (activation, due_ns) = self.begin_activation(i);
        }
        self.slots[i].state = State::Running;
        self.slots[i].process.go();
        self.log_event(i, EventKind::Wake { due_ns, activation });
    }

    /// Handles pending events without waiting; returns whether this client has asked a question.
    pub(crate) fn poll_for_question(&mut self, i: usize) -> Result<bool, TempoError> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        timer::wait(&self.set, &mut self.ready, Some(&at_once))
            .map_err(|e| TempoError::system("coordinator", "cannot poll for events", e))?;
        let asked = self.ready.contains(&(NOTIFY | i as u64));
        self.deal_with_events(None);
        Ok(asked)
    }

    /// Waits for events and handles those of clients. `armed`: the client whose slice it is, and its timer window.
    fn wait_for_events(&mut self, armed: Option<(usize, (i64, i64))>) -> Result<Wakeup, TempoError> {
        // The timer is always armed here; a time limit of the wait itself would arm another one each time.
        timer::wait(&self.set, &mut self.ready, None)
            .map_err(|e| TempoError::system("coordinator", "cannot wait for events", e))?;
        Ok(self.deal_with_events(armed))
    }

    pub(crate) fn deal_with_events(&mut self, armed: Option<(usize, (i64, i64))>) -> Wakeup {
        let mut wakeup = Wakeup::default();
        for e in 0..self.ready.len() {
            let key = self.ready[e];
            let i = (key & !KIND) as usize;
            match key & KIND {
                TIMER => {
                    wakeup.timer = true;
                    self.timer.fired();
                }
                DETECTED => wakeup.detected = true,
                NOTIFY => {
                    let window = armed.filter(|(whose, _)| *whose == i).map(|(_, window)| window);
                    let before = self.slots[i].account.cpu_ns;
                    self.charge(i, window);
                    if let Some((from, _)) = window.filter(|_| !self.core.real_time) {
                        let asked_ns = self.slots[i].process.page.get_i64(wire::ASKED_NS);
                        self.slots[i].explain(asked_ns - from, before);
                        self.suspect_unexplained(i);
                    }
                    self.answer(i);
                }
                LINK => {
                    let window = armed.filter(|(whose, _)| *whose == i).map(|(_, window)| window);
                    self.charge(i, window);
                    self.drain_log(i);
                }
                EXIT => self.on_exit(i),
                LIFELINE => self.on_hangup(i),
                _ => {}
            }
        }
        wakeup
    }

    /// Stops the running client until [`Coordinator::run_to`], because the coordinator sleeps while the dynamics
    /// computes in another process on this core.
    pub(crate) fn stop_all_clients(&mut self) {
        self.switch_detector(false);
        for slot in self.slots.iter_mut().filter(|s| s.state == State::Running) {
            slot.state = State::Parked;
            slot.stop();
        }
    }

    /// Switches the detector on or off. Without it, parked clients would run whenever the coordinator sleeps: they are
    /// stopped by a signal first.
    pub(crate) fn switch_detector(&mut self, on: bool) {
        let Some(detector) = &self.detector else { return };
        if !on {
            self.slots.iter_mut().filter(|s| s.process.is_only_parked()).for_each(|s| s.stop());
        }
        detector.set(on);
    }

    /// Waits, in a callback or a replay, until a client asks a question or has ended. Returns `false` if it has ended.
    pub(crate) fn wait_for_question(&mut self, i: usize) -> Result<bool, TempoError> {
        let begun = self.slots[i].account.cpu_ns;
        loop {
            if self.slots[i].has_ended() {
                return Ok(false);
            }
            if self.slots[i].has_asked() {
                return Ok(true);
            }
            let needed = HANG_NS;
            self.timer
                .ensure(needed, true)
                .map_err(|e| TempoError::system("coordinator", "the timer cannot be armed", e))?;
            let before = self.slots[i].account.cpu_ns;
            let wakeup = self.wait_for_events(None)?;
            self.charge(i, None);
            let (slot, slept) = (&self.slots[i], wakeup.timer && self.slots[i].account.cpu_ns == before);
            // A client that is only kept from the core by others is ready all the time: it is not terminated for that.
            let idle = slept && !matches!(slot.process.most_active_state(), 'R' | 'T');
            if !slot.has_asked() && !slot.has_ended() && (idle || slot.account.cpu_ns - begun > 12 * HANG_NS) {
                self.terminate(
                    i,
                    "it sleeps, or has computed for two minutes, without waiting for its next activation, so the world cannot continue".to_string(),
                );
            }
        }
    }
}
