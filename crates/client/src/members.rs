//! The processes of a client, and the CPU time of all of them.
//!
//! ```text
//! (1)  c = ENDED_CPU_NS + sum of the CPU clocks of the members
//! ```
//!
//! A process joins when it is forked, when it has loaded the preloaded library, or when the coordinator finds it. Before
//! it is reaped its final CPU time is added to `ENDED_CPU_NS` and its place is cleared: first the place, so that no
//! reader counts it twice. A reader between the two sees less, and virtual time never decreases by it.

use crate::shared::Words;
use crate::wire;
use std::sync::atomic::Ordering;

/// CPU time of a process [ns], also of one that has ended and was not reaped; `None` if there is no such process.
pub fn process_cpu_ns(id: u32) -> Option<i64> {
    // The kernel's clock id of a process: its number inverted, and 2 for what the scheduler has counted.
    let clock = !(id as libc::clockid_t) << 3 | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec to the place given.
    let code = unsafe { libc::clock_gettime(clock, &mut time) };
    (code == 0).then_some(time.tv_sec * 1_000_000_000 + time.tv_nsec)
}

impl Words {
    fn members_used(&self) -> usize {
        (self.get(wire::MEMBERS_USED) as usize).min(wire::MEMBERS)
    }

    /// Process ids of the tree, the first process first.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        let at = self.get(wire::MEMBERS_AT) as usize;
        (0..self.members_used()).map(move |n| self.get(at + n) as u32).filter(|id| *id != 0)
    }

    /// Whether there has ever been more than one process.
    pub fn has_started_processes(&self) -> bool {
        self.members_used() > 1
    }

    /// Adds a process; returns whether it is a member now, which it is not if there are too many.
    pub fn join(&self, id: u32) -> bool {
        if self.members().any(|member| member == id) {
            return true;
        }
        let at = self.get(wire::MEMBERS_AT) as usize;
        let place = (0..wire::MEMBERS).find(|n| {
            let word = self.all().get(at + n);
            word.is_some_and(|w| w.compare_exchange(0, u64::from(id), Ordering::AcqRel, Ordering::Acquire).is_ok())
        });
        if let (Some(place), Some(used)) = (place, self.all().get(wire::MEMBERS_USED)) {
            used.fetch_max(place as u64 + 1, Ordering::AcqRel);
        }
        place.is_some()
    }

    /// Removes a process that is about to be reaped, or was, and had used this much CPU time.
    pub fn leave(&self, id: u32, cpu_ns: i64) {
        let at = self.get(wire::MEMBERS_AT) as usize;
        for n in 0..self.members_used() {
            let word = self.all().get(at + n);
            if word.is_some_and(|w| w.compare_exchange(u64::from(id), 0, Ordering::AcqRel, Ordering::Acquire).is_ok())
            {
                self.add(wire::ENDED_CPU_NS, cpu_ns.max(0) as u64);
                return;
            }
        }
    }

    /// (1), for a process of the tree that has used `own_ns` itself.
    pub fn tree_cpu_ns(&self, own_ns: i64) -> i64 {
        if !self.has_started_processes() {
            return own_ns;
        }
        let own = rustix::process::getpid().as_raw_nonzero().get() as u32;
        let others: i64 = self.members().filter(|id| *id != own).filter_map(process_cpu_ns).sum();
        self.get_i64(wire::ENDED_CPU_NS) + own_ns + others
    }

    /// Virtual time of a process of the tree that has used `own_ns` itself, equation (1) of [`wire`]; never decreases.
    pub fn virtual_ns(&self, own_ns: i64) -> i64 {
        let cpu = self.tree_cpu_ns(own_ns) - self.get_i64(wire::CPU0_NS);
        let now = self.get_i64(wire::WAIT_NS) + (cpu as f64 * self.get_f64(wire::CPU_FACTOR)) as i64;
        let latest = self.all().get(wire::LATEST_NS);
        latest.map_or(now, |latest| (latest.fetch_max(now.max(0) as u64, Ordering::AcqRel) as i64).max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;
    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

    fn page() -> Words {
        let places = wire::Places::new(0, 0, 0);
        let file = memfd_create("members", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, places.end as u64 * 8).unwrap();
        let page = Words::map(file.as_fd(), places.end).unwrap();
        page.set(wire::MEMBERS_AT, places.members as u64);
        page.set_f64(wire::CPU_FACTOR, 1.0);
        page
    }

    #[test]
    fn what_a_process_used_stays_when_it_is_reaped() {
        let page = page();
        let own = std::process::id();
        assert!(page.join(own) && page.join(own) && page.members().eq([own]));
        assert_eq!(page.tree_cpu_ns(5), 5);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        assert!(page.join(child.id()));
        assert!(page.members().eq([own, child.id()]));
        // Ended and not reaped: its clock can be read.
        while std::fs::read_to_string(format!("/proc/{}/stat", child.id())).is_ok_and(|s| !s.contains(") Z")) {}
        let used = process_cpu_ns(child.id()).unwrap();
        assert!(used > 0);
        assert_eq!(page.tree_cpu_ns(5), 5 + used);
        page.leave(child.id(), used);
        child.wait().unwrap();
        assert_eq!(process_cpu_ns(child.id()), None);
        assert_eq!(page.tree_cpu_ns(5), 5 + used);
        // Leaving twice changes nothing.
        page.leave(child.id(), used);
        assert_eq!(page.tree_cpu_ns(5), 5 + used);
    }

    #[test]
    fn virtual_time_never_decreases() {
        let page = page();
        assert_eq!(page.virtual_ns(1000), 1000);
        assert_eq!(page.virtual_ns(900), 1000);
        page.set_i64(wire::WAIT_NS, 500);
        assert_eq!(page.virtual_ns(900), 1400);
    }
}
