//! Clients that end, hang up, block, write garbage or start processes.

use crate::client_slot::{State, Wait};
use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::schedule::{Event, EventKind};
use crate::sys::monotonic_ns;
use crate::system_call::{EndsBy, SystemCall};
use veracity_client::wire;
use veracity_model::Severity;

/// A client that sleeps uninterruptibly for longer than this is left to the kernel, and its verdict is doubtful [ns].
const DEVICE_NS: i64 = 1_000_000_000;

impl Coordinator {
    /// Reads a client's log; garbage terminates the client.
    pub(crate) fn drain_log(&mut self, i: usize) {
        let (step, client) = (self.step, i as u16);
        let before = self.events.len();
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
        self.count_readings(i, before);
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
        slot.record(progress, Severity::Error, "client-terminated", what.clone());
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
        // Its guard waits until its processes have ended, and parked ones cannot while the detector is on.
        self.switch_detector(false);
        let status = self.slots[i].process.ended();
        let how = status.map_or("it ended".to_string(), |s| format!("it ended by itself with {s}"));
        self.drain_log(i);
        if self.slots[i].has_ended() {
            return;
        }
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        if !status.is_some_and(|s| s.success()) {
            slot.record(progress, Severity::Error, "client-ended", how.clone());
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

    /// Finds processes a client has started, which are metered with it; `thoroughly`: also where nothing says that it has.
    /// Returns whether there are new ones.
    pub(crate) fn find_processes(&mut self, i: usize, thoroughly: bool) -> bool {
        let (progress, slot) = (self.leaves[i].progress_ns, &mut self.slots[i]);
        if slot.has_ended() || !(thoroughly || slot.process.tree.has_started_more(&slot.process.page)) {
            return false;
        }
        let found = slot.process.find_processes();
        if slot.process.tree.is_empty() {
            return false;
        }
        slot.adopt_threads();
        if slot.process.is_only_parked() {
            slot.park();
        }
        if slot.process.tree.too_many {
            let what = format!("it has more than {} processes at one time: not all are metered", wire::MEMBERS);
            slot.record(progress, Severity::Warning, "too-many-processes", what);
        }
        let library = slot.process.library.clone();
        if let Some(what) = slot.process.tree.without_library(library.as_deref()) {
            slot.record(progress, Severity::Warning, "process-without-library", what);
        }
        found
    }

    /// Ends a client that occupies too much memory or prints too much.
    pub(crate) fn check_limits(&mut self, i: usize) {
        const MIB: u64 = 1 << 20;
        let slot = &self.slots[i];
        if slot.has_ended() {
            return;
        }
        let (memory, output) = (slot.process.memory_bytes() / MIB, slot.process.output_bytes() / MIB);
        let config = &slot.config;
        let most = config.memory_limit_mib.unwrap_or_else(|| self.machine_memory_mib / 4 * 3);
        if memory > most {
            let what = format!("its processes occupy {memory} MiB of memory, more than its limit of {most} MiB");
            self.terminate(i, format!("{what} (memory_limit_mib)"));
        } else if output > config.output_limit_mib {
            let limit = config.output_limit_mib;
            self.terminate(
                i,
                format!("it has printed {output} MiB, more than its limit of {limit} MiB (output_limit_mib)"),
            );
        }
    }

    /// Finds out why a client does not run: the detector ran, at `idle_ns` in wall time, or the timer fired and nothing was
    /// charged.
    pub(crate) fn diagnose_idle_client(&mut self, i: usize, idle_ns: Option<i64>) -> Result<(), TempoError> {
        if self.find_processes(i, true) || self.update_threads(i, false) {
            return Ok(());
        }
        // The most active state of all threads decides.
        let letter = self.slots[i].process.most_active_state();
        match letter {
            // Ready, and only kept from the core by others, or just stopped and continued, or on another core.
            'R' | 'T' => {
                // It slept so shortly that it has ended meanwhile: a disk's answer, say. The time has passed for it.
                let moved = self.put_back_on_core(i);
                if let Some(since_ns) = idle_ns.filter(|_| !moved && letter == 'R') {
                    let to_ns = self.leaves[i].progress_ns + monotonic_ns() - since_ns;
                    self.grant(i, to_ns);
                }
            }
            'Z' | 'X' => self.on_exit(i),
            // It has continued meanwhile, and may have asked: the next check sees what it sleeps in now.
            'D' if self.wait_for_device(i, idle_ns) => {}
            // Without real-time classes it may have run since the timer fired, asked, and gone to sleep in its question:
            // that is the library's wait.
            _ if self.poll_for_question(i)? || self.slots[i].has_ended() => {}
            // Preempted in the middle of asking during a yield handoff, it did not notify.
            _ if !self.slots[i].has_asked() && self.slots[i].process.page.get(wire::ASK) != 0 => {
                self.charge(i, None);
                self.answer(i);
            }
            // All its threads may be in sleeps in virtual time, or in a question.
            _ if self.starts_sleeping(i) => {}
            _ if letter == 'S' && self.starts_waiting_for_message(i) => {}
            _ => self.mark_blocked(i, letter),
        }
        Ok(())
    }

    /// Waits until a client that sleeps uninterruptibly, as for a disk, has continued, and charges it the time: on the
    /// robot it would wait as well. Returns `false` if that takes too long.
    fn wait_for_device(&mut self, i: usize, idle_ns: Option<i64>) -> bool {
        let begun = idle_ns.unwrap_or_else(monotonic_ns);
        let calls = self.slots[i].process.system_calls();
        self.switch_detector(false);
        let ended = loop {
            std::thread::sleep(std::time::Duration::from_micros(30));
            if self.slots[i].process.most_active_state() != 'D' {
                break true;
            }
            if monotonic_ns() - begun > DEVICE_NS {
                break false;
            }
        };
        let ns = monotonic_ns() - begun;
        let to_ns = self.leaves[i].progress_ns + ns;
        self.grant(i, to_ns);
        let slot = &mut self.slots[i];
        slot.stats.device_ns += ns;
        slot.stats.worst_device_ns = slot.stats.worst_device_ns.max(ns);
        let name = calls.iter().find(|c| c.number >= 0).map(SystemCall::name);
        match name {
            Some(name) if slot.device_calls.contains(&name) => {}
            Some(name) => slot.device_calls.push(name),
            // In a page fault the program asked for nothing: a disk of this machine is not its own.
            None => {
                slot.stats.suspect_ns += ns;
                if let Some(activation) = &mut slot.activation {
                    activation.suspect_ns += ns;
                }
            }
        }
        self.log_event(i, EventKind::Device { ns });
        ended
    }

    fn mark_blocked(&mut self, i: usize, letter: char) {
        let progress = self.leaves[i].progress_ns;
        let calls = self.slots[i].process.system_calls();
        let slot = &mut self.slots[i];
        // The call that says most about how the sleep ends.
        let worst = calls.iter().min_by_key(|call| match call.ends_by() {
            EndsBy::WallTime => 0,
            EndsBy::Outside => 1,
            EndsBy::Others => 2,
        });
        let (call, ends_by) = worst.map_or((-1, EndsBy::Outside), |call| (call.number, call.ends_by()));
        let name = worst.map_or("unknown".to_string(), SystemCall::name);
        if letter == 'D' {
            slot.record(
                progress,
                Severity::Warning,
                "blocked-in-system-call",
                format!("it sleeps uninterruptibly in system call {name} for more than a second"),
            );
        } else if ends_by != EndsBy::Others {
            let what = format!(
                "it sleeps in system call {name} instead of the library's wait; it is granted the time as wait"
            );
            slot.record(progress, Severity::Warning, "blocked-in-system-call", what);
        }
        slot.state = State::Blocked;
        slot.blocked_in = Some(name);
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
                State::Waiting(Wait::Sleep) => slot.process.real_time,
                _ => false,
            };
            if !may_wake {
                continue;
            }
            let letter = slot.process.most_active_state();
            if letter == 'R' || letter == 'T' && slot.state == State::Blocked {
                match sender_ns {
                    Some(ns) => {
                        self.slots[i].blocked_in = None;
                        self.grant(i, ns);
                    }
                    None => self.was_woken_from_outside(i),
                }
                self.slots[i].state = State::Parked;
                (self.leaves[i].alive, self.leaves[i].waits_until_ns) = (true, None);
                self.log_event(i, EventKind::Unblocked);
            }
        }
    }

    /// No client ran, and yet something woke one that waited for others.
    fn was_woken_from_outside(&mut self, i: usize) {
        let (progress, slot) = (self.leaves[i].progress_ns, &mut self.slots[i]);
        if let Some(name) = slot.blocked_in.take() {
            let what = format!(
                "it waited in system call {name} and was woken by something that is no program of this run: when that \
                 would have come on the robot is not known"
            );
            slot.record(progress, Severity::Warning, "blocked-in-system-call", what);
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
            slot.record(progress, Severity::Note, "core-changed", what);
        }
        moved
    }
}
