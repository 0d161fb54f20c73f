//! Threads of a client, in all processes of its tree: they have the real-time class of its first thread, take turns, and
//! sleep in slots of the shared page.
//!
//! The kernel keeps a preempted `SCHED_FIFO` thread at the head of its queue, so the other threads would never run. At
//! the end of a slice the thread that used most of it is therefore moved to the back, by lowering and raising its
//! priority. Only that one: moving every thread that ran to the back would restore the old order. The order of a slot's
//! thread list is the order of their turns.

use crate::client_slot::{ClientSlot, Wait};
use crate::coordinator::Coordinator;
use crate::pinned_core::{CLIENT, PARKED};
use crate::sys::{Class, set_class, stop_thread};
use rustix::process::{Pid, Signal};
use rustix::thread::{CpuSet, futex, sched_getaffinity, sched_setaffinity};
use std::sync::atomic::Ordering;
use veracity_client::wire;

/// A thread of a client: its process, its id, and the CPU time it had used when last checked [ns].
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    process: u32,
    id: i32,
    used_ns: u64,
}

impl ClientSlot {
    /// The earliest wake-up time of its sleepers or its alarm [ns]; `None` if there is none.
    pub(crate) fn earliest_wakeup_ns(&self) -> Option<i64> {
        let (page, at) = (&self.process.page, self.process.places.sleepers);
        let used = (page.get(wire::SLEEPERS_USED) as usize).min(wire::SLEEPERS);
        let wants = (0..used).map(|n| page.get_i64(at + wire::SLEEPER_WORDS * n));
        let wants = wants.chain([page.get_i64(wire::ALARM_NS)]).filter(|want| *want > 0);
        wants.chain(self.asked.map(|(until, _)| until)).min()
    }

    /// Wakes the sleepers whose time has come, and sends the alarm signal.
    pub(crate) fn wake_sleepers(&mut self, now_ns: i64) {
        let (page, at) = (&self.process.page, self.process.places.sleepers);
        let used = (page.get(wire::SLEEPERS_USED) as usize).min(wire::SLEEPERS);
        for n in 0..used {
            let slot = at + wire::SLEEPER_WORDS * n;
            let want = page.get_i64(slot);
            if want > 0 && want <= now_ns {
                // Woken, and in use until its thread has noticed.
                page.set_i64(slot, -1);
                if let Some(word) = page.lower_half(slot + 1) {
                    word.store(1, Ordering::Release);
                    let _ = futex::wake(word, futex::Flags::empty(), 1);
                }
            }
        }
        let alarm = page.get_i64(wire::ALARM_NS);
        if alarm > 0 && alarm <= now_ns {
            let every = page.get_i64(wire::ALARM_EVERY_NS).max(0);
            // Missed alarms are merged into one, as in the kernel.
            let missed = if every > 0 { (now_ns - alarm) / every + 1 } else { 0 };
            page.set_i64(wire::ALARM_NS, if every > 0 { alarm.saturating_add(missed * every) } else { 0 });
            page.add(wire::ALARMS, 1);
            self.process.signal(Signal::ALARM);
        }
    }

    /// Keeps it from running while the detector is on: by its priority, which no system call of it notices, or without
    /// real-time classes by a stop signal.
    pub(crate) fn park(&mut self) {
        self.process.set_handoff(false);
        if !self.process.real_time {
            return self.stop();
        }
        if self.has_threads() {
            self.adopt_threads();
            let first = self.process.id() as i32;
            self.threads.iter().filter(|t| t.id != first).for_each(|t| drop(set_class(t.id, Class::Fifo(PARKED))));
        }
        self.process.park();
    }

    /// Returns its threads to a core; returns whether one of them was allowed on another.
    pub(crate) fn put_back_on_core(&mut self, core: usize) -> bool {
        let mut one = CpuSet::new();
        one.set(core);
        let first = self.process.id() as i32;
        let others = self.threads.iter().map(|t| t.id).filter(|id| *id != first);
        let mut moved = false;
        for id in [first].into_iter().chain(others).filter_map(Pid::from_raw) {
            if sched_getaffinity(Some(id)).is_ok_and(|set| set != one) {
                moved |= sched_setaffinity(Some(id), &one).is_ok();
            }
        }
        moved
    }

    /// Stops all its threads.
    pub(crate) fn stop(&mut self) {
        if self.has_threads() {
            self.adopt_threads();
            self.threads.iter().for_each(|t| stop_thread(t.process, t.id));
        }
        self.process.stop();
    }

    /// Whether it has more than one thread.
    pub(crate) fn has_threads(&self) -> bool {
        self.process.page.get(wire::THREADS) > 1 || self.threads.len() > 1
    }

    /// Finds new threads and gives them the class of the first. Returns whether there were any.
    pub(crate) fn adopt_threads(&mut self) -> bool {
        let threads_of = |process: u32| {
            let folder = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            let ids = folder.filter_map(|e| e.file_name().to_string_lossy().parse().ok());
            ids.map(move |id: i32| (process, id)).collect::<Vec<_>>()
        };
        let ids: Vec<(u32, i32)> = self.process.processes().flat_map(threads_of).collect();
        self.threads.retain(|t| ids.contains(&(t.process, t.id)));
        let mut any = false;
        for (process, id) in ids {
            if !self.threads.iter().any(|t| t.id == id) {
                let first = id as u32 == self.process.id();
                any |= !first && self.process.real_time && set_class(id, Class::Fifo(CLIENT)).is_ok();
                self.threads.push(Thread { process, id, used_ns: 0 });
            }
        }
        self.stats.threads = self.stats.threads.max(self.threads.len());
        any
    }

    /// Moves the thread that used most CPU time since the last call to the back.
    pub(crate) fn rotate_threads(&mut self) {
        let mut top = (0, None);
        for (place, thread) in self.threads.iter_mut().enumerate() {
            let path = format!("/proc/{}/task/{}/schedstat", thread.process, thread.id);
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let Some(used) = text.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()) else { continue };
            let since = used.saturating_sub(thread.used_ns);
            thread.used_ns = used;
            if since > top.0 {
                top = (since, Some(place));
            }
        }
        if let Some(place) = top.1 {
            let thread = self.threads.remove(place);
            self.threads.push(thread);
            thread.move_to_back();
        }
    }

    /// Lets it continue after [`ClientSlot::park`] or [`ClientSlot::stop`]. The kernel queues threads that were stopped in their order of
    /// creation: unless their order is restored, the first one that computes gets every slice.
    pub(crate) fn resume(&mut self) {
        let held = self.process.is_only_parked();
        if (self.process.resume() || held) && self.process.real_time && self.threads.len() > 1 {
            self.threads.iter().for_each(|t| t.move_to_back());
        }
    }
}

impl ClientSlot {
    /// Adds to the unexplained time what a part of a slice took in wall time beyond CPU time and waiting for the core. Not
    /// with threads, which do either at the same time.
    pub(crate) fn explain(&mut self, wall_ns: i64, cpu_before_ns: i64) {
        if let Some(delay) = self.process.run_delay_since_ns().filter(|_| !self.has_threads()) {
            self.unexplained_ns += wall_ns - (self.account.cpu_ns - cpu_before_ns) - delay;
        }
    }
}

impl Thread {
    fn move_to_back(self) {
        let _ = set_class(self.id, Class::Fifo(CLIENT - 1));
        let _ = set_class(self.id, Class::Fifo(CLIENT));
    }
}

impl Coordinator {
    /// Adopts new threads and, if asked, ends the turn of the current one. Returns whether new ones were found.
    pub(crate) fn update_threads(&mut self, i: usize, rotate: bool) -> bool {
        let real_time = self.core.real_time;
        let slot = &mut self.slots[i];
        let begun = slot.process.page.get(wire::THREADS) as usize;
        if !real_time || begun <= 1 && slot.threads.len() <= 1 {
            return false;
        }
        let found = slot.adopt_threads();
        if rotate && slot.threads.len() > 1 {
            slot.rotate_threads();
        }
        found
    }

    /// Adopts threads of a program without the preloaded library, which does not report them: called at intervals.
    pub(crate) fn check_for_threads(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        if self.core.real_time && !slot.has_ended() && !slot.has_virtual_clocks() && slot.process.threads() > 1 {
            slot.adopt_threads();
            // Its first thread is parked below the detector, but the new ones are not.
            if slot.process.is_only_parked() {
                slot.park();
            }
        }
    }

    /// No thread of it can run: if one sleeps until a time, the program waits until then. Returns whether one does.
    pub(crate) fn starts_sleeping(&mut self, i: usize) -> bool {
        let Some(until_ns) = self.slots[i].earliest_wakeup_ns() else { return false };
        let until_ns = self.message_or(i, until_ns);
        self.set_wait(i, until_ns, Wait::Sleep);
        // Another client may wake a thread that sleeps in a system call, or on a word they share: not before its turn.
        if self.core.real_time {
            self.slots[i].park();
        }
        true
    }
}
