//! Clients that end, hang up, block, write garbage or start processes.

use crate::client_slot::{State, Wait};
use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::schedule::{Event, EventKind};
use crate::sys::monotonic_ns;
use veracity_client::wire;

impl Coordinator {
    /// Reads a client's log; garbage terminates the client.
    pub(crate) fn drain_log(&mut self, i: usize) {
        let (step, client) = (self.step, i as u16);
        // In a replay the recorded events are logged, not these.
        let live = self.mode != Mode::Replay;
        let (events, mut last) = (&mut self.events, None);
        let result = self.slots[i].drain(|what| {
            if live {
                events.push(Event { step, client, what });
            } else if let EventKind::Command { values, .. } = what {
                last = Some(values);
            }
        });
        if last.is_some() {
            self.slots[i].commanded = last;
        }
        self.take_commands(i);
        if let Err(what) = result {
            self.terminate(i, format!("it wrote garbage into shared memory: {what}"));
        }
    }

    /// Kills a client that cannot continue, and records why.
    pub(crate) fn terminate(&mut self, i: usize, what: String) {
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        if slot.has_ended() {
            return;
        }
        slot.record_trouble(progress, what.clone());
        slot.stats.ended = Some(format!("terminated: {what}"));
        slot.stats.failed = true;
        slot.process.kill();
        self.mark_ended(i);
    }

    pub(crate) fn on_exit(&mut self, i: usize) {
        if self.slots[i].has_ended() {
            return;
        }
        self.charge(i, None);
        let status = self.slots[i].process.ended();
        let how = status.map_or("it ended".to_string(), |s| format!("it ended by itself with {s}"));
        self.drain_log(i);
        if self.slots[i].has_ended() {
            return;
        }
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        if !status.is_some_and(|s| s.success()) {
            slot.record_trouble(progress, how.clone());
            slot.stats.failed = true;
        }
        slot.stats.ended = Some(how);
        slot.process.kill();
        self.mark_ended(i);
    }

    fn mark_ended(&mut self, i: usize) {
        self.slots[i].state = State::Ended;
        self.leaves[i].alive = false;
        self.leaves[i].waits_until_ns = None;
        self.log_event(i, EventKind::End);
    }

    pub(crate) fn on_hangup(&mut self, i: usize) {
        // A process that ends closes its channels first: wait a moment for its exit status, which says more.
        self.switch_detector(false);
        let deadline = monotonic_ns() + 20_000_000;
        loop {
            if self.slots[i].has_ended() || self.slots[i].process.ended().is_some() {
                return self.on_exit(i);
            }
            if monotonic_ns() > deadline {
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        self.terminate(i, "it closed its channels".to_string());
    }

    /// Records a fault for each client that has started processes; they are killed with it.
    pub(crate) fn check_for_children(&mut self) {
        for i in 0..self.slots.len() {
            let (progress, slot) = (self.leaves[i].progress_ns, &mut self.slots[i]);
            if !slot.has_ended() && slot.process.has_children() {
                slot.record_trouble(
                    progress,
                    "it started processes of its own, whose CPU time is not metered; they are killed with it"
                        .to_string(),
                );
            }
        }
    }

    /// Finds out why a client does not run: the detector ran, or the timer fired and nothing was charged.
    pub(crate) fn diagnose_idle_client(&mut self, i: usize) -> Result<(), TempoError> {
        let deadline = monotonic_ns() + 20_000_000;
        let mut slept = false;
        loop {
            if self.update_threads(i, false) {
                return Ok(());
            }
            // The most active state of all threads decides.
            let letter = self.slots[i].process.most_active_state();
            match letter {
                // Ready, and only kept from the core by others, or just stopped and continued, or on another core.
                'R' | 'T' => {
                    self.put_back_on_core(i);
                    return Ok(());
                }
                'Z' | 'X' => {
                    self.on_exit(i);
                    return Ok(());
                }
                // A short wait for the disk is the host's, not the client's: it costs wall time only.
                'D' if monotonic_ns() < deadline => {
                    self.switch_detector(false);
                    std::thread::sleep(std::time::Duration::from_micros(200));
                    slept = true;
                }
                // It has continued meanwhile, and may have asked: the next check sees what it sleeps in now.
                _ if slept => return Ok(()),
                _ => {
                    // Without real-time classes it may have run since the timer fired, asked, and gone to sleep in its
                    // question: that is the library's wait.
                    if self.poll_for_question(i)? || self.slots[i].has_ended() {
                        return Ok(());
                    }
                    // Preempted in the middle of asking during a yield handoff, it did not notify.
                    if !self.slots[i].has_asked() && self.slots[i].process.page.get(wire::ASK) != 0 {
                        self.charge(i, None);
                        self.answer(i);
                        return Ok(());
                    }
                    // An unmodified program may be in its own sleep, in virtual time.
                    if self.slots[i].has_virtual_clocks() && self.starts_sleeping(i) {
                        return Ok(());
                    }
                    if letter == 'S' && self.starts_waiting_for_message(i) {
                        return Ok(());
                    }
                    self.mark_blocked(i, letter);
                    return Ok(());
                }
            }
        }
    }

    fn mark_blocked(&mut self, i: usize, letter: char) {
        let call = self.slots[i].process.system_call();
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        let how = if letter == 'D' { "sleeps uninterruptibly" } else { "sleeps" };
        slot.record_trouble(
            progress,
            format!("it {how} in system call {call} instead of the library's wait; it is granted the time as wait"),
        );
        slot.state = State::Blocked;
        // What wakes it must not let it run before its turn.
        if slot.process.real_time {
            slot.park();
        }
        self.leaves[i].alive = false;
        self.log_event(i, EventKind::Blocked { call });
    }

    /// Marks clients as runnable that slept in a system call of their own and can run again. `sender_ns`: progress of
    /// the client that has just run, before which nothing it sent can arrive.
    pub(crate) fn check_blocked(&mut self, sender_ns: Option<i64>) {
        for i in 0..self.slots.len() {
            let slot = &self.slots[i];
            // A program with threads may be woken while some of them sleep until a time.
            let may_wake = match slot.state {
                State::Blocked | State::Waiting(Wait::Message) => true,
                State::Waiting(Wait::Sleep) => slot.process.real_time && slot.has_threads(),
                _ => false,
            };
            if !may_wake {
                continue;
            }
            let letter = slot.process.most_active_state();
            if letter == 'R' || letter == 'T' && slot.state == State::Blocked {
                if let Some(ns) = sender_ns {
                    self.grant(i, ns);
                }
                self.slots[i].state = State::Parked;
                (self.leaves[i].alive, self.leaves[i].waits_until_ns) = (true, None);
                self.log_event(i, EventKind::Unblocked);
            }
        }
    }

    /// Returns a client's threads to the coordinator's core and to their class, if it has changed either. Returns
    /// whether it had left the core.
    pub(crate) fn put_back_on_core(&mut self, i: usize) -> bool {
        let (core, progress) = (self.core.core, self.leaves[i].progress_ns);
        let slot = &mut self.slots[i];
        let moved = slot.put_back_on_core(core);
        if moved {
            let what = format!(
                "it changed the cores it may run on: clients share one core, so it was put back on core {core}; what it \
                 computed elsewhere is charged"
            );
            slot.note(progress, what);
        }
        moved
    }
}
