//! Where a client stands when it does not do what it should: it has ended, hung up, blocks, writes garbage or starts others.

use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::schedule::{Event, What};
use crate::sys::monotonic_ns;
use veracity_client::wire;

impl Coordinator {
    /// Takes the log; garbage ends the client.
    pub(crate) fn drained(&mut self, i: usize) {
        let (step, client) = (self.step, i as u16);
        // In a replay the recorded events are told, not what is logged on the way.
        let live = self.mode != Mode::Replay;
        let events = &mut self.events;
        let result = self.seats[i].drain(|what| {
            if live {
                events.push(Event { step, client, what });
            }
        });
        if let Err(what) = result {
            self.put_out(i, format!("it wrote garbage into shared memory: {what}"));
        }
    }

    /// Ends a client that cannot be dealt with any more.
    pub(crate) fn put_out(&mut self, i: usize, what: String) {
        let progress = self.leaves[i].progress_ns;
        let seat = &mut self.seats[i];
        if seat.ended {
            return;
        }
        seat.name_trouble(progress, what.clone());
        seat.stats.ended = Some(format!("put out: {what}"));
        seat.process.kill();
        self.is_gone(i);
    }

    pub(crate) fn has_ended(&mut self, i: usize) {
        if self.seats[i].ended {
            return;
        }
        self.charge(i, None);
        let status = self.seats[i].process.ended();
        let how = status.map_or("it ended".to_string(), |s| format!("it ended by itself with {s}"));
        self.drained(i);
        if self.seats[i].ended {
            return;
        }
        let progress = self.leaves[i].progress_ns;
        let seat = &mut self.seats[i];
        if !status.is_some_and(|s| s.success()) {
            seat.name_trouble(progress, how.clone());
        }
        seat.stats.ended = Some(how);
        seat.process.kill();
        self.is_gone(i);
    }

    fn is_gone(&mut self, i: usize) {
        self.seats[i].ended = true;
        self.seats[i].blocked = false;
        self.seats[i].errands = false;
        self.leaves[i].alive = false;
        self.leaves[i].waits_until_ns = None;
        if self.running == Some(i) {
            self.running = None;
        }
        self.tell(i, What::End);
    }

    pub(crate) fn has_hung_up(&mut self, i: usize) {
        // The end of a process closes its channels first: it gets a moment to come to its end, which tells more.
        self.switch_detector(false);
        let deadline = monotonic_ns() + 20_000_000;
        loop {
            if self.seats[i].ended || self.seats[i].process.ended().is_some() {
                return self.has_ended(i);
            }
            if monotonic_ns() > deadline {
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        self.put_out(i, "it closed the channels it was given".to_string());
    }

    /// Processes a client has started are named and end with the run.
    pub(crate) fn look_for_children(&mut self) {
        for i in 0..self.seats.len() {
            let (progress, seat) = (self.leaves[i].progress_ns, &mut self.seats[i]);
            if !seat.ended && seat.process.has_children() {
                seat.name_trouble(
                    progress,
                    "it started processes of its own, whose CPU time is not metered; they are ended with it"
                        .to_string(),
                );
            }
        }
    }

    /// Nobody could run, or the timer fired and nothing was charged.
    pub(crate) fn look_why_it_does_not_run(&mut self, i: usize) -> Result<(), TempoError> {
        let deadline = monotonic_ns() + 20_000_000;
        let mut slept = false;
        loop {
            if self.look_at_threads(i, false) {
                return Ok(());
            }
            // Of all threads, the first one included: whoever runs or could comes first.
            let letter = self.seats[i].process.liveliest_letter();
            match letter {
                // Ready, and only kept from the core by others, or just stopped and gone on.
                'R' | 'T' => return Ok(()),
                'Z' | 'X' => {
                    self.has_ended(i);
                    return Ok(());
                }
                // A short wait for the disk is the host's affair, not the client's: wall time, nothing else.
                'D' if monotonic_ns() < deadline => {
                    self.switch_detector(false);
                    std::thread::sleep(std::time::Duration::from_micros(200));
                    slept = true;
                }
                // Meanwhile it has gone on, and may have asked: what it sleeps in now is for the next look.
                _ if slept => return Ok(()),
                _ => {
                    // Without real-time classes it may have been given the core since the timer fired, asked, and gone to sleep
                    // in its question: that is the library's wait.
                    if self.asked_meanwhile(i)? || self.seats[i].ended {
                        return Ok(());
                    }
                    // Taken off an errand in the middle of asking, it did not ring.
                    if !self.seats[i].asked && self.seats[i].process.page.get(wire::ASK) != 0 {
                        self.charge(i, None);
                        self.answer(i);
                        return Ok(());
                    }
                    // What an unmodified program sleeps in may be its own sleep, in virtual time.
                    if self.seats[i].is_unmodified() && self.sleeps(i) {
                        return Ok(());
                    }
                    self.is_blocked(i, letter);
                    return Ok(());
                }
            }
        }
    }

    fn is_blocked(&mut self, i: usize, letter: char) {
        let call = self.seats[i].process.system_call();
        let progress = self.leaves[i].progress_ns;
        let seat = &mut self.seats[i];
        let how = if letter == 'D' { "sleeps uninterruptibly" } else { "sleeps" };
        seat.name_trouble(
            progress,
            format!("it {how} in system call {call} instead of the library's wait; it is granted the time as wait"),
        );
        seat.blocked = true;
        self.leaves[i].alive = false;
        if self.running == Some(i) {
            self.running = None;
        }
        self.tell(i, What::Blocked { call });
    }

    /// Whoever was blocked and can run again, does.
    pub(crate) fn look_at_blocked(&mut self) {
        for i in 0..self.seats.len() {
            if self.seats[i].blocked && matches!(self.seats[i].process.liveliest_letter(), 'R' | 'T') {
                self.seats[i].blocked = false;
                self.leaves[i].alive = true;
                self.tell(i, What::Unblocked);
            }
        }
    }
}
