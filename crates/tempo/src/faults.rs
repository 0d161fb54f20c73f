//! Clients that end, hang up, block, write garbage or start processes.

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
        let events = &mut self.events;
        let result = self.slots[i].drain(|what| {
            if live {
                events.push(Event { step, client, what });
            }
        });
        if let Err(what) = result {
            self.terminate(i, format!("it wrote garbage into shared memory: {what}"));
        }
    }

    /// Kills a client that cannot continue, and records why.
    pub(crate) fn terminate(&mut self, i: usize, what: String) {
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        if slot.ended {
            return;
        }
        slot.record_trouble(progress, what.clone());
        slot.stats.ended = Some(format!("terminated: {what}"));
        slot.process.kill();
        self.mark_ended(i);
    }

    pub(crate) fn on_exit(&mut self, i: usize) {
        if self.slots[i].ended {
            return;
        }
        self.charge(i, None);
        let status = self.slots[i].process.ended();
        let how = status.map_or("it ended".to_string(), |s| format!("it ended by itself with {s}"));
        self.drain_log(i);
        if self.slots[i].ended {
            return;
        }
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        if !status.is_some_and(|s| s.success()) {
            slot.record_trouble(progress, how.clone());
        }
        slot.stats.ended = Some(how);
        slot.process.kill();
        self.mark_ended(i);
    }

    fn mark_ended(&mut self, i: usize) {
        self.slots[i].ended = true;
        self.slots[i].blocked = false;
        self.slots[i].yield_handoff = false;
        self.leaves[i].alive = false;
        self.leaves[i].waits_until_ns = None;
        if self.running == Some(i) {
            self.running = None;
        }
        self.log_event(i, EventKind::End);
    }

    pub(crate) fn on_hangup(&mut self, i: usize) {
        // A process that ends closes its channels first: wait a moment for its exit status, which says more.
        self.switch_detector(false);
        let deadline = monotonic_ns() + 20_000_000;
        loop {
            if self.slots[i].ended || self.slots[i].process.ended().is_some() {
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
            if !slot.ended && slot.process.has_children() {
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
                // Ready, and only kept from the core by others, or just stopped and continued.
                'R' | 'T' => return Ok(()),
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
                    if self.poll_for_question(i)? || self.slots[i].ended {
                        return Ok(());
                    }
                    // Preempted in the middle of asking during a yield handoff, it did not notify.
                    if !self.slots[i].asked && self.slots[i].process.page.get(wire::ASK) != 0 {
                        self.charge(i, None);
                        self.answer(i);
                        return Ok(());
                    }
                    // An unmodified program may be in its own sleep, in virtual time.
                    if self.slots[i].is_unmodified() && self.starts_sleeping(i) {
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
        slot.blocked = true;
        self.leaves[i].alive = false;
        if self.running == Some(i) {
            self.running = None;
        }
        self.log_event(i, EventKind::Blocked { call });
    }

    /// Marks blocked clients that can run again as runnable.
    pub(crate) fn check_blocked(&mut self) {
        for i in 0..self.slots.len() {
            if self.slots[i].blocked && matches!(self.slots[i].process.most_active_state(), 'R' | 'T') {
                self.slots[i].blocked = false;
                self.leaves[i].alive = true;
                self.log_event(i, EventKind::Unblocked);
            }
        }
    }
}
