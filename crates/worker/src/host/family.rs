//! A worker with all processes it started: they end with it.
//!
//! A worker is the leader of its own session and adopts its orphans (`PR_SET_CHILD_SUBREAPER`), so while it lives its
//! descendants are a tree below it. When it dies first, they are adopted by the host, which is a subreaper too; they
//! are recognised by the worker's session, or, if they began a new session as a daemon does, by a variable in their
//! environment.
#![allow(unsafe_code)]

use rustix::process::{Pid, Signal, WaitOptions};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The variable that marks a worker and all processes it starts.
const MARK: &str = "VERACITY_WORKER_MARK";

/// The processes of one worker.
#[derive(Clone, Debug)]
pub struct Family {
    /// The worker: first of its session.
    worker: u32,
    /// Value of [`MARK`], as written in an environment.
    mark: String,
    /// Members that were killed: as zombies they carry no mark, and this process may adopt them later.
    killed: BTreeSet<u32>,
}

/// A process in `/proc`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u32,
    parent: u32,
    session: u32,
    is_zombie: bool,
    cpu_s: f64,
}

/// How often `/proc` is read again until no process is left, and the pause: a process takes a moment to die.
const LOOKS: usize = 200;
const BETWEEN: Duration = Duration::from_millis(2);

impl Family {
    /// Prepares a program to be the first process of a family. Returns the mark of the family.
    pub fn prepare(command: &mut Command) -> String {
        static ADOPT: Once = Once::new();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let host = rustix::process::getpid();
        // If the kernel refuses, daemons are adopted by another process; nothing else depends on it.
        ADOPT.call_once(|| {
            let _ = rustix::process::set_child_subreaper(Some(host));
        });
        let mark = format!("{}-{}", host.as_raw_nonzero(), COUNT.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark);
        // SAFETY: between fork and exec the closure makes two system calls: no allocation, no lock, nothing of another
        // thread.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
                Ok(())
            });
        }
        mark
    }

    /// The family of a program that was prepared and started.
    pub fn of(child: &Child, mark: &str) -> Self {
        Self { worker: child.id(), mark: format!("{MARK}={mark}"), killed: BTreeSet::new() }
    }

    /// CPU time of all of them, as the kernel counts it: in hundredths of a second [s].
    pub fn cpu_s(&self) -> f64 {
        let all = entries();
        let members = self.members(&all);
        all.iter().filter(|e| e.id == self.worker || members.contains(&e.id)).map(|e| e.cpu_s).sum()
    }

    /// Every process of the family at this moment, the worker first.
    pub fn ids(&self) -> Vec<u32> {
        let members = self.members(&entries());
        std::iter::once(self.worker).chain(members).collect()
    }

    /// Kills all of them. The worker must not have been waited for yet: until then its process id is not reused.
    pub fn kill(&mut self) {
        // While stopped, it cannot start new processes.
        signal(self.worker, Signal::STOP);
        self.kill_members();
        signal(self.worker, Signal::KILL);
    }

    /// Kills the processes that outlived the worker, after it was waited for.
    pub fn kill_survivors(&mut self) {
        self.kill_members();
    }

    fn kill_members(&mut self) {
        for _ in 0..LOOKS {
            let all = entries();
            let mut members = self.members(&all);
            // A killed process is a zombie until its parent waits for it; this process waits for those it adopted.
            members.extend(all.iter().filter(|e| e.is_zombie && self.killed.contains(&e.id)).map(|e| e.id));
            let host = std::process::id();
            let mut alive = false;
            for entry in all.iter().filter(|e| members.contains(&e.id)) {
                if !entry.is_zombie {
                    signal(entry.id, Signal::KILL);
                    alive = true;
                } else if entry.parent == host {
                    let pid = i32::try_from(entry.id).ok().and_then(Pid::from_raw);
                    // Another thread may have waited for it: it is gone either way.
                    let _ = rustix::process::waitpid(pid, WaitOptions::NOHANG);
                }
                self.killed.insert(entry.id);
            }
            if !alive {
                return;
            }
            std::thread::sleep(BETWEEN);
        }
    }

    /// All processes except the worker.
    fn members(&self, all: &[Entry]) -> BTreeSet<u32> {
        let host = std::process::id();
        let own =
            |e: &&Entry| e.id != self.worker && (e.session == self.worker || (e.parent == host && self.marks(e.id)));
        let mut members: BTreeSet<u32> = all.iter().filter(own).map(|e| e.id).collect();
        loop {
            let below = |e: &&Entry| e.parent == self.worker || members.contains(&e.parent);
            let more: Vec<u32> = all.iter().filter(below).map(|e| e.id).filter(|id| !members.contains(id)).collect();
            if more.is_empty() {
                return members;
            }
            members.extend(more);
        }
    }

    /// Whether a process carries the mark of this family.
    fn marks(&self, id: u32) -> bool {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|entry| entry == self.mark.as_bytes())
    }
}

fn signal(id: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It is not an error if it is already dead.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Every process of the system.
fn entries() -> Vec<Entry> {
    let Ok(folders) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = folders.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter_map(entry).collect()
}

/// `pid (name) state ppid pgrp session …`: a name may hold blanks and brackets.
fn entry(id: u32) -> Option<Entry> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
    // User and system time of the process and of children it waited for: fields 14 to 17 of proc(5), in ticks.
    let ticks: f64 = fields.get(11..15)?.iter().filter_map(|x| x.parse::<f64>().ok()).sum();
    let per_s = rustix::param::clock_ticks_per_second() as f64;
    let is_zombie = matches!(fields.first(), Some(&"Z" | &"X"));
    Some(Entry { id, parent: number(1)?, session: number(3)?, is_zombie, cpu_s: ticks / per_s })
}
