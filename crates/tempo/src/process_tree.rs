//! The processes that a client's first process has started, and theirs: a client is a tree of processes with one account.
//!
//! Which processes belong to it is written in the shared page, by the processes themselves and by the coordinator, which
//! also finds those that have not loaded the preloaded library. A process is only believed to belong to the tree if its
//! ancestors lead to the client's guard.

use crate::linkage;
use crate::sys::CpuClock;
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use veracity_client::shared::Words;
use veracity_client::wire;

/// A process of a tree, besides the first.
struct Member {
    id: u32,
    clock: CpuClock,
    /// Its CPU time when last read [ns].
    cpu_ns: i64,
    /// The program it was last seen to execute.
    program: Option<PathBuf>,
}

/// The processes of a tree besides the first.
#[derive(Default)]
pub(crate) struct ProcessTree {
    members: Vec<Member>,
    /// Value of `wire::FORKS` when processes were last looked for.
    forks_seen: u64,
    /// Whether there were more processes than places.
    pub too_many: bool,
    /// Largest number of processes at one time, the first one included.
    pub most: usize,
}

impl ProcessTree {
    /// Whether there is no process besides the first.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Process ids.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.members.iter().map(|m| m.id)
    }

    /// Sends a signal to each.
    pub fn signal(&self, signal: Signal) {
        for id in self.ids().filter_map(|id| Pid::from_raw(id as i32)) {
            let _ = kill_process(id, signal);
        }
    }

    /// Whether a process was started since processes were last looked for.
    pub fn has_started_more(&self, page: &Words) -> bool {
        page.get(wire::FORKS) != self.forks_seen
    }

    /// CPU time of all of them, and of those that were reaped [ns]. `ids`: the first process and the guard.
    pub fn cpu_ns(&mut self, page: &Words, sleepers_at: usize, ids: (u32, u32)) -> i64 {
        self.follow_page(page, ids);
        let mut sum = 0;
        self.members.retain_mut(|member| match member.clock.read_ns() {
            Some(ns) => {
                (member.cpu_ns, sum) = (ns, sum + ns);
                true
            }
            None => {
                // Reaped where this library could not read its clock before: what it used since is in the kernel's
                // account only, which is compared at the end.
                page.leave(member.id, member.cpu_ns);
                free_sleepers(page, sleepers_at, member.id);
                false
            }
        });
        sum + page.get_i64(wire::ENDED_CPU_NS)
    }

    /// Takes over the members of the page.
    fn follow_page(&mut self, page: &Words, (first, guard): (u32, u32)) {
        let listed: Vec<u32> = page.members().filter(|id| *id != first).collect();
        self.members.retain(|m| listed.contains(&m.id));
        for id in listed {
            if self.members.iter().any(|m| m.id == id) {
                continue;
            }
            match CpuClock::of(id).ok().filter(|_| descends_from(id, guard)) {
                Some(clock) => self.members.push(Member { id, clock, cpu_ns: 0, program: None }),
                None => page.leave(id, 0),
            }
        }
        self.most = self.most.max(1 + self.members.len());
    }

    /// Finds processes that are not in the page; returns whether there are any.
    pub fn find(&mut self, page: &Words, (first, guard): (u32, u32)) -> bool {
        self.forks_seen = page.get(wire::FORKS);
        let mut to_visit = vec![first, guard];
        to_visit.extend(page.members().filter(|id| *id != first));
        let mut found = false;
        while let Some(id) = to_visit.pop() {
            for child in children(id) {
                if child == first || page.members().any(|member| member == child) {
                    continue;
                }
                self.too_many |= !page.join(child);
                if !self.too_many {
                    to_visit.push(child);
                    found = true;
                }
            }
        }
        if found && page.get(wire::THREADS) < 2 {
            page.set(wire::THREADS, 2);
        }
        self.follow_page(page, (first, guard));
        found
    }

    /// A program that one of them executes and that does not see virtual time, with the reason.
    pub fn without_library(&mut self, library: Option<&str>) -> Option<String> {
        for member in &mut self.members {
            let Ok(program) = std::fs::read_link(format!("/proc/{}/exe", member.id)) else { continue };
            if member.program.as_ref() == Some(&program) {
                continue;
            }
            let environment = std::fs::read(format!("/proc/{}/environ", member.id)).unwrap_or_default();
            let loads = |one: &[u8]| one.starts_with(b"LD_PRELOAD=") && library.is_some_and(|l| contains(one, l));
            let why = linkage::refusal(&program).or_else(|| {
                let loaded = environment.split(|b| *b == 0).any(loads);
                // While it executes a program its environment is empty.
                (!loaded && !environment.is_empty())
                    .then(|| "its environment does not name the preloaded library, so it sees wall time".to_string())
            });
            let shown = program.display().to_string();
            member.program = Some(program).filter(|_| !environment.is_empty());
            if let Some(why) = why {
                return Some(format!("it started {shown}: {why}"));
            }
        }
        None
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Frees the slots in which threads of a process slept that has been killed.
fn free_sleepers(page: &Words, at: usize, id: u32) {
    for n in 0..(page.get(wire::SLEEPERS_USED) as usize).min(wire::SLEEPERS) {
        let slot = at + wire::SLEEPER_WORDS * n;
        if page.get(slot + 2) == u64::from(id) {
            page.set(slot + 2, 0);
            page.set(slot, 0);
        }
    }
}

/// Processes that a process has started and not reaped.
fn children(id: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Whether the ancestors of a process lead to another one.
fn descends_from(id: u32, ancestor: u32) -> bool {
    let parent = |id: u32| -> Option<u32> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        text.rsplit_once(") ")?.1.split_whitespace().nth(1)?.parse().ok()
    };
    // A chain is finite: a process that is its own ancestor cannot be, but ids are reused while it is read.
    std::iter::successors(parent(id), |id| parent(*id)).take(64).any(|id| id == ancestor)
}
