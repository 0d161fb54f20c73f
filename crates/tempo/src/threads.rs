//! Threads of a client: they are real-time like its first, take turns, and sleep in places of the shared page.
//!
//! The kernel lets a preempted thread of this class go on where its turn comes again, for ever: the others would never run.
//! So at the end of a slice the thread that used most of it goes behind the others, by lowering and raising its priority.
//! Only that one: sending everybody who ran to the back brings back the old order. The order of a seat's list is that of
//! their turns.

use crate::coordinator::Coordinator;
use crate::core_of_ours::CLIENT;
use crate::schedule::What;
use crate::seat::Seat;
use crate::sys::{Class, set_class, stop_thread};
use rustix::process::Signal;
use rustix::thread::futex;
use std::sync::atomic::Ordering;
use veracity_client::wire;

/// A thread of a client: its number, and what it had used when last seen [ns].
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    id: i32,
    used_ns: u64,
}

impl Seat {
    /// Until when the first of its sleepers sleeps, or its alarm is due [ns]; `None` if there is none.
    pub(crate) fn earliest_want_ns(&self) -> Option<i64> {
        let (page, at) = (&self.process.page, self.process.places.sleepers);
        let used = (page.get(wire::SLEEPERS_USED) as usize).min(wire::SLEEPERS);
        let wants = (0..used).map(|n| page.get_i64(at + 2 * n)).chain([page.get_i64(wire::ALARM_NS)]);
        wants.filter(|want| *want > 0).min()
    }

    /// Wakes the sleepers whose time has come, and gives the alarm.
    pub(crate) fn wake_sleepers(&mut self, now_ns: i64) {
        let (page, at) = (&self.process.page, self.process.places.sleepers);
        let used = (page.get(wire::SLEEPERS_USED) as usize).min(wire::SLEEPERS);
        for n in 0..used {
            let want = page.get_i64(at + 2 * n);
            if want > 0 && want <= now_ns {
                page.set(at + 2 * n, 0);
                if let Some(word) = page.lower_half(at + 2 * n + 1) {
                    word.store(1, Ordering::Release);
                    let _ = futex::wake(word, futex::Flags::empty(), 1);
                }
            }
        }
        let alarm = page.get_i64(wire::ALARM_NS);
        if alarm > 0 && alarm <= now_ns {
            let every = page.get_i64(wire::ALARM_EVERY_NS).max(0);
            // Alarms that were missed are one, as the kernel's are.
            let missed = if every > 0 { (now_ns - alarm) / every + 1 } else { 0 };
            page.set_i64(wire::ALARM_NS, if every > 0 { alarm.saturating_add(missed * every) } else { 0 });
            page.add(wire::ALARMS, 1);
            self.process.signal(Signal::ALARM);
        }
    }

    /// Keeps it from running while the detector is on.
    pub(crate) fn park(&mut self) {
        self.set_errands(false);
        if self.real_time && !self.has_threads() { self.process.park() } else { self.stop() }
    }

    /// Keeps it from running, every thread of it.
    pub(crate) fn stop(&mut self) {
        if self.has_threads() {
            self.adopt_threads();
            self.threads.iter().for_each(|t| stop_thread(self.process.id(), t.id));
        }
        self.process.stop();
    }

    /// More than one.
    pub(crate) fn has_threads(&self) -> bool {
        self.process.page.get(wire::THREADS) > 1 || self.threads.len() > 1
    }

    /// Finds threads that have begun and gives them the class of the first. Whether there were any.
    pub(crate) fn adopt_threads(&mut self) -> bool {
        let folder = format!("/proc/{}/task", self.process.id());
        let ids = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let ids: Vec<i32> = ids.filter_map(|e| e.file_name().to_string_lossy().parse().ok()).collect();
        self.threads.retain(|t| ids.contains(&t.id));
        let mut any = false;
        for id in ids {
            if !self.threads.iter().any(|t| t.id == id) {
                let first = id as u32 == self.process.id();
                any |= !first && self.real_time && set_class(id, Class::Fifo(CLIENT)).is_ok();
                self.threads.push(Thread { id, used_ns: 0 });
            }
        }
        self.stats.threads = self.stats.threads.max(self.threads.len());
        any
    }

    /// Sends the thread that used most since the last time behind the others.
    pub(crate) fn rotate_threads(&mut self) {
        let folder = format!("/proc/{}/task", self.process.id());
        let mut top = (0, None);
        for (place, thread) in self.threads.iter_mut().enumerate() {
            let text = std::fs::read_to_string(format!("{folder}/{}/schedstat", thread.id)).unwrap_or_default();
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
            thread.goes_last();
        }
    }

    /// Lets it go on after [`Seat::stop`]. The kernel lines up threads that were stopped as they were begun: without putting
    /// them in their order again the first that computes would have every slice.
    pub(crate) fn resume(&mut self) {
        if self.process.resume() && self.real_time && self.threads.len() > 1 {
            self.threads.iter().for_each(|t| t.goes_last());
        }
    }
}

impl Thread {
    fn goes_last(self) {
        let _ = set_class(self.id, Class::Fifo(CLIENT - 1));
        let _ = set_class(self.id, Class::Fifo(CLIENT));
    }
}

impl Coordinator {
    /// Threads have begun, or it is time for another one's turn. Whether new ones were found.
    pub(crate) fn look_at_threads(&mut self, i: usize, rotate: bool) -> bool {
        let real_time = self.core.real_time;
        let seat = &mut self.seats[i];
        let begun = seat.process.page.get(wire::THREADS) as usize;
        if !real_time || begun <= 1 && seat.threads.len() <= 1 {
            return false;
        }
        let found = seat.adopt_threads();
        if rotate && seat.threads.len() > 1 {
            seat.rotate_threads();
        }
        found
    }

    /// Threads of a program that was not preloaded: nobody tells of them, so that we look now and then.
    pub(crate) fn look_for_threads(&mut self, i: usize) {
        let seat = &mut self.seats[i];
        if self.core.real_time && !seat.ended && !seat.is_unmodified() && seat.process.threads() > 1 {
            seat.adopt_threads();
            // Its first thread is below the detector, the others now are not.
            if seat.process.is_only_parked() {
                seat.stop();
            }
        }
    }

    /// No thread of it can run: if one sleeps until a time, that is until when the program waits.
    pub(crate) fn sleeps(&mut self, i: usize) -> bool {
        let Some(until_ns) = self.seats[i].earliest_want_ns() else { return false };
        self.seats[i].sleeps = true;
        self.leaves[i].waits_until_ns = Some(until_ns);
        self.tell(i, What::Wait { until_ns });
        true
    }
}
