//! One client: its process, its page, its channels.

use crate::config::{ClientConfig, ClientKind};
use crate::core_of_ours::{CLIENT, PARKED};
use crate::error::TempoError;
use crate::linkage;
use crate::sys::{Birth, Class, CpuClock, set_class, spawn};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use veracity_client::shared::Words;
use veracity_client::wire::{self, Places};
use veracity_control::ChannelLayout;

/// A running client.
pub struct Process {
    child: Child,
    pid: Pid,
    /// Readable when it has ended.
    pub exit: OwnedFd,
    /// What it shares with us.
    pub page: Words,
    /// Of the page.
    pub places: Places,
    /// Written by it.
    pub notify: OwnedFd,
    /// Hangs up when it has closed what it was given.
    pub lifeline: OwnedFd,
    /// Its CPU time.
    pub clock: CpuClock,
    /// Where the kernel tells of its threads and, if it does, of processes it has started: kept open, one system call each.
    tasks: Option<OwnedFd>,
    started: Option<OwnedFd>,
    /// Kept from running by a signal, and by its priority.
    stopped: bool,
    parked: bool,
    reaped: Option<std::process::ExitStatus>,
}

/// What goes into the head of a page.
pub struct PageHead<'a> {
    /// What it sees.
    pub observation: &'a ChannelLayout,
    /// What it commands.
    pub command: &'a ChannelLayout,
    /// One of the wire's modes.
    pub mode: u64,
    /// [ns]
    pub step_ns: i64,
    /// [ns], 0 for none.
    pub period_ns: i64,
    /// [ns]
    pub duration_ns: i64,
    /// Of the run.
    pub seed: u64,
    /// Virtual time for each unit of CPU time.
    pub cpu_factor: f64,
}

impl Process {
    /// Starts a program. Its output goes to `FOLDER/NAME.stdout` and `.stderr`, or nowhere.
    pub fn start(
        config: &ClientConfig,
        program: &Path,
        head: &PageHead<'_>,
        birth: Birth,
        preload: Option<&Path>,
        output: Option<&Path>,
    ) -> Result<Self, TempoError> {
        let place = format!("clients/{}", config.name);
        let failed = |doing: &str, e: std::io::Error| TempoError::system(place.clone(), doing, e);
        let system = |doing: &'static str| {
            let place = place.clone();
            move |e: rustix::io::Errno| TempoError::system(place, doing, e)
        };
        let (page_file, page, places) = make_page(head).map_err(|e| failed("no page can be shared with it", e))?;
        let notify = eventfd(0, EventfdFlags::CLOEXEC).map_err(system("no channel can be made"))?;
        let (lifeline, its_end) = pipe_with(PipeFlags::CLOEXEC).map_err(system("no channel can be made"))?;
        let keep: Vec<i32> = [&page_file, &notify, &its_end].iter().map(|f| f.as_raw_fd()).collect();
        let mut command = Command::new(program);
        command.args(&config.arguments).envs(&config.environment).stdin(Stdio::null());
        command.env(wire::ENVIRONMENT, format!("{},{}", keep[0], keep[1]));
        match (config.kind, preload) {
            (ClientKind::Unmodified, Some(library)) => drop(command.env("LD_PRELOAD", library)),
            (ClientKind::Unmodified, None) => {
                let what = "unmodified programs need libveracity_preload.so; `cargo build --release -p veracity-preload` puts it beside veracity";
                return Err(TempoError::new(place, what));
            }
            _ => {}
        }
        if let Some(why) = linkage::refusal(program).filter(|_| config.kind == ClientKind::Unmodified) {
            return Err(TempoError::new(place, why));
        }
        for (ending, stream) in [("stdout", 1), ("stderr", 2)] {
            let to = match output {
                Some(folder) => {
                    let path = folder.join(format!("{}.{ending}", config.name));
                    Stdio::from(File::create(path).map_err(|e| failed("its output cannot be kept", e))?)
                }
                None => Stdio::null(),
            };
            if stream == 1 {
                command.stdout(to)
            } else {
                command.stderr(to)
            };
        }
        let child = spawn(&mut command, &Birth { keep, ..birth })
            .map_err(|e| failed(&format!("{} cannot be started{}", program.display(), hint(program)), e))?;
        let Some(pid) = Pid::from_raw(child.id() as i32) else { return Err(TempoError::new(place, "it has no id")) };
        let exit = pidfd_open(pid, PidfdFlags::empty()).map_err(system("it cannot be watched"))?;
        let clock = CpuClock::of(child.id()).map_err(|e| failed("its CPU clock cannot be read", e))?;
        let watched = |what: &str, flags: OFlags| {
            let flags = flags | OFlags::CLOEXEC;
            rustix::fs::open(format!("/proc/{}/{what}", child.id()), flags, Mode::empty()).ok()
        };
        let tasks = watched("task", OFlags::PATH | OFlags::DIRECTORY);
        let started = watched(&format!("task/{}/children", child.id()), OFlags::RDONLY);
        let (stopped, parked, reaped) = (false, false, None);
        Ok(Self { child, pid, exit, page, places, notify, lifeline, clock, tasks, started, stopped, parked, reaped })
    }

    /// Its process id, which is that of its group, too.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it go on after a question.
    pub fn go(&self) {
        self.page.go();
    }

    /// Puts its one thread below the detector, which is always ready while clients run: it stays where it is, at a fifth of what
    /// stopping by signal and going on cost, and is charged none of it.
    pub fn park(&mut self) {
        if !self.stopped && !self.parked {
            self.parked = set_class(self.child.id() as i32, Class::Fifo(PARKED)).is_ok();
            if !self.parked {
                self.stop();
            }
        }
    }

    /// Whether its priority alone keeps it from running: only as long as the detector is on.
    pub fn is_only_parked(&self) -> bool {
        self.parked && !self.stopped
    }

    /// Stops it where it stands.
    pub fn stop(&mut self) {
        if !self.stopped {
            self.stopped = kill_process(self.pid, Signal::STOP).is_ok();
        }
    }

    /// Undoes [`Process::park`] and [`Process::stop`]; whether it was stopped.
    pub fn resume(&mut self) -> bool {
        self.unpark();
        if self.stopped {
            let _ = kill_process(self.pid, Signal::CONT);
        }
        std::mem::take(&mut self.stopped)
    }

    fn unpark(&mut self) {
        if std::mem::take(&mut self.parked) {
            let _ = set_class(self.child.id() as i32, Class::Fifo(CLIENT));
        }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid, signal);
    }

    /// Kills it and all that is left of its group.
    pub fn kill(&mut self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
        // Once its end has been taken notice of, its number may be another's.
        if self.reaped.is_none() {
            // Below the detector it would not be given the core to die on.
            self.unpark();
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// How it ended, if it has; never waits.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        if self.reaped.is_none() {
            self.reaped = self.child.try_wait().ok().flatten();
        }
        self.reaped
    }

    /// Whether it has started processes itself that are still there.
    pub fn has_children(&self) -> bool {
        let mut first = [0u8; 1];
        let Some(started) = &self.started else { return false };
        rustix::io::pread(started, &mut first, 0).is_ok_and(|read| read > 0)
    }

    /// How many threads it has: folders under its tasks, which the kernel counts as links beside the folder's own two.
    pub fn threads(&self) -> usize {
        let about = self.tasks.as_ref().and_then(|tasks| rustix::fs::fstat(tasks).ok());
        about.map_or(0, |about| (about.st_nlink as usize).saturating_sub(2))
    }

    /// State of its threads by the kernel's account, the liveliest of them: R runs or could, T stopped, D cannot be woken,
    /// S sleeps, Z has ended.
    pub fn liveliest_letter(&self) -> char {
        let of = |path: String| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            // The name in parentheses may itself have parentheses and blanks.
            text.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?')
        };
        let first = of(format!("/proc/{}/stat", self.id()));
        if first == 'R' || self.threads() <= 1 {
            return first;
        }
        let folder = std::fs::read_dir(format!("/proc/{}/task", self.id())).into_iter().flatten().flatten();
        let letters: Vec<char> = folder.map(|entry| of(format!("{}/stat", entry.path().display()))).collect();
        ['R', 'T', 'D', 'S'].into_iter().find(|l| letters.contains(l)).unwrap_or(first)
    }

    /// The system call it is in; -1 if in none or unknown.
    pub fn system_call(&self) -> i64 {
        let text = std::fs::read_to_string(format!("/proc/{}/syscall", self.id())).unwrap_or_default();
        text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(-1)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        // Killed processes end at once, but for those in an uninterruptible sleep: they are left to the kernel, killed.
        for _ in 0..200 {
            if self.ended().is_some() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

fn hint(program: &Path) -> &'static str {
    if program.to_str() == Some("tempo-client") {
        " (`cargo build --release -p veracity-tempo` makes it)"
    } else if program.is_absolute() || program.exists() {
        ""
    } else {
        " (it is neither beside the file, nor beside veracity, nor on the PATH)"
    }
}

fn make_page(head: &PageHead<'_>) -> std::io::Result<(OwnedFd, Words, Places)> {
    let mut names = String::new();
    for (name, unit) in head.observation.channels.iter().chain(&head.command.channels) {
        names.push_str(&format!("{name}\t{unit}\n"));
    }
    let places = Places::new(names.len(), head.observation.len(), head.command.len());
    let file = memfd_create("veracity-tempo", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    ftruncate(&file, places.end as u64 * 8)?;
    // A client that shrank the file would make our reads fault.
    fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW)?;
    let page = Words::map(file.as_fd(), places.end)?;
    for (place, value) in [
        (wire::MAGIC, wire::MAGIC_VALUE),
        (wire::WORDS, places.end as u64),
        (wire::MODE, head.mode),
        (wire::STEP_NS, head.step_ns as u64),
        (wire::PERIOD_NS, head.period_ns as u64),
        (wire::DURATION_NS, head.duration_ns as u64),
        (wire::SEED, head.seed),
        (wire::OBSERVED, head.observation.len() as u64),
        (wire::COMMANDED, head.command.len() as u64),
        (wire::NAMES_AT, places.names as u64),
        (wire::NAMES_BYTES, names.len() as u64),
        (wire::VALUES_AT, places.values as u64),
        (wire::STAMPS_AT, places.stamps as u64),
        (wire::LOG_AT, places.log as u64),
        (wire::ENTRY_WORDS, places.entry as u64),
        (wire::PLAN_IN_AT, places.plan_in as u64),
        (wire::PLAN_OUT_AT, places.plan_out as u64),
        (wire::SLEEPERS_AT, places.sleepers as u64),
    ] {
        page.set(place, value);
    }
    page.set_f64(wire::CPU_FACTOR, head.cpu_factor);
    for (i, eight) in names.as_bytes().chunks(8).enumerate() {
        let mut word = [0u8; 8];
        word[..eight.len()].copy_from_slice(eight);
        page.set(places.names + i, u64::from_le_bytes(word));
    }
    Ok((file, page, places))
}
