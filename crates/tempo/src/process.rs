//! A client's first process, its shared page and its channels.

use crate::config::{ClientConfig, ClientKind};
use crate::error::TempoError;
use crate::link::Link;
use crate::linkage;
use crate::pinned_core::{CLIENT, COORDINATOR, PARKED, on_ordinary_thread};
use crate::process_tree::ProcessTree;
use crate::sys::{ChildSetup, Class, CpuClock, Spawned, add_client, counter_hz, remove_client, set_class, spawn};
use crate::system_call::SystemCall;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use veracity_client::shared::Words;
use veracity_client::wire::{self, Places};
use veracity_control::ChannelLayout;

/// Environment variable that marks the processes of a client.
const MARK: &str = "VERACITY_TEMPO_CLIENT";
static STARTED: AtomicU64 = AtomicU64::new(0);

/// A running client.
pub struct Process {
    guard: Child,
    /// Closed to let the guard end the program and all processes it has started.
    guard_lifeline: Option<OwnedFd>,
    pid: Pid,
    /// Entry of its environment that its processes inherit.
    mark: String,
    /// Readable when the process has ended.
    pub exit: OwnedFd,
    /// The shared page.
    pub page: Words,
    /// Word offsets in the page.
    pub places: Places,
    /// Eventfd written by the client.
    pub notify: OwnedFd,
    /// Hangs up when the client has closed its channels.
    pub lifeline: OwnedFd,
    /// CPU time of the first process.
    clock: CpuClock,
    /// The other processes of its tree.
    pub(crate) tree: ProcessTree,
    /// The page and the reading end of the guard's pipe: processes of the tree open them by their paths.
    _by_path: [OwnedFd; 2],
    /// Where the guard reports the CPU time of the tree.
    report: File,
    /// CPU time of the tree when it was reaped, as metered and as the kernel counted what the guard waited for [ns].
    final_cpu: Option<(i64, Option<i64>)>,
    /// Folder in /proc of its threads and file of its waits for the core: kept open, so that a check is one system call.
    tasks: Option<OwnedFd>,
    waits: Option<OwnedFd>,
    /// Time it had waited for the core when last checked [ns].
    run_delay_ns: i64,
    /// Files of its output.
    outputs: Vec<File>,
    /// Whether, and how, it is kept from running.
    hold: Hold,
    /// Whether its threads run under real-time classes.
    pub real_time: bool,
    /// Whether the preloaded library keeps its clocks and sleeps in virtual time.
    pub has_virtual_clocks: bool,
    /// The preloaded library.
    pub library: Option<String>,
    reaped: Option<std::process::ExitStatus>,
}

/// How a process is scheduled by the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It may run, with the priority of clients.
    Free,
    /// It may run, with the coordinator's priority: see [`crate::yield_handoff`].
    Handoff,
    /// Its priority is below the detector's.
    Parked,
    /// A signal has stopped it.
    Stopped,
}

/// Contents of the head of a page.
pub struct PageHead<'a> {
    /// Observation channels.
    pub observation: &'a ChannelLayout,
    /// Command channels.
    pub command: &'a ChannelLayout,
    /// One of the wire's mode numbers.
    pub mode: u64,
    /// Step [ns].
    pub step_ns: i64,
    /// Period [ns], 0 for none.
    pub period_ns: i64,
    /// Duration [ns].
    pub duration_ns: i64,
    /// Seed of the run.
    pub seed: u64,
    /// Virtual time for each unit of CPU time.
    pub cpu_factor: f64,
}

impl Process {
    /// Starts a program. Its output goes to `FOLDER/NAME.stdout` and `.stderr`, or is discarded.
    pub fn start(
        config: &ClientConfig,
        program: &Path,
        head: &PageHead<'_>,
        setup: ChildSetup,
        preload: Option<&Path>,
        output: Option<&Path>,
        link: Option<&mut Link>,
    ) -> Result<Self, TempoError> {
        let place = format!("clients/{}", config.name);
        let failed = |doing: &str, e: std::io::Error| TempoError::system(place.clone(), doing, e);
        let system = |doing: &'static str| {
            let place = place.clone();
            move |e: rustix::io::Errno| TempoError::system(place, doing, e)
        };
        let (page_file, page, places) = make_page(head).map_err(|e| failed("shared memory cannot be created", e))?;
        let notify = eventfd(0, EventfdFlags::CLOEXEC).map_err(system("its channels cannot be created"))?;
        let (lifeline, its_end) = pipe_with(PipeFlags::CLOEXEC).map_err(system("its channels cannot be created"))?;
        let (guards, watched) = pipe_with(PipeFlags::CLOEXEC).map_err(system("its channels cannot be created"))?;
        let keep: Vec<i32> = [&page_file, &notify, &its_end].iter().map(|f| f.as_raw_fd()).collect();
        let mut command = Command::new(program);
        command.args(&config.arguments).envs(&config.environment).stdin(Stdio::null());
        let value = format!("{}.{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let mark = format!("{MARK}={value}");
        command.env(MARK, value);
        command.env(wire::ENVIRONMENT, format!("{},{}", keep[0], keep[1]));
        for (name, file) in [(wire::ENVIRONMENT_PAGE, &page_file), (wire::ENVIRONMENT_GUARD, &guards)] {
            command.env(name, format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
        }
        let unmodified = config.kind == ClientKind::Unmodified;
        let refusal = linkage::refusal(program);
        if unmodified && preload.is_none() {
            let what = "unmodified programs need libveracity_preload.so; `cargo build --release -p veracity-preload` builds it next to veracity";
            return Err(TempoError::new(place, what));
        }
        if let Some(why) = refusal.as_ref().filter(|_| unmodified) {
            return Err(TempoError::new(place, why));
        }
        // A program with the client library needs virtual clocks only where its time is metered.
        let wanted = unmodified || head.mode == wire::MODE_CONSISTENT;
        let library = preload.filter(|_| wanted && refusal.is_none());
        if let Some(library) = library {
            command.env("LD_PRELOAD", library);
        }
        page.set(wire::CONNECTS_AT_LOAD, u64::from(unmodified && link.is_none()));
        page.set(wire::WATCHES_COUNTER, u64::from(unmodified));
        page.set_f64(wire::COUNTER_HZ, counter_hz());
        let has_virtual_clocks = library.is_some();
        let library = library.map(|path| path.display().to_string());
        let mut outputs = Vec::new();
        for (ending, stream) in [("stdout", 1), ("stderr", 2)] {
            let to = match output {
                Some(folder) => {
                    let path = folder.join(format!("{}.{ending}", config.name));
                    let file = File::create(path).map_err(|e| failed("its output cannot be saved", e))?;
                    outputs.push(file.try_clone().map_err(|e| failed("its output cannot be saved", e))?);
                    Stdio::from(file)
                }
                None => Stdio::null(),
            };
            if stream == 1 {
                command.stdout(to)
            } else {
                command.stderr(to)
            };
        }
        if let Some(link) = link {
            page.set(wire::PRINTS_LINES, 1);
            link.prepare(&mut command).map_err(|what| TempoError::new(place.clone(), what))?;
        }
        let Spawned { guard, program: id, lifeline: guard_lifeline, report } =
            spawn(&mut command, &ChildSetup { keep, ..setup.clone() }, watched)
                .map_err(|e| failed(&format!("{} cannot be started{}", program.display(), hint(program)), e))?;
        let Some(pid) = Pid::from_raw(id) else {
            return Err(TempoError::new(place, "it has no process id"));
        };
        add_client(id as u32);
        page.join(id as u32);
        let exit = pidfd_open(pid, PidfdFlags::empty()).map_err(system("it ended at once, or cannot be watched"))?;
        let clock = CpuClock::of(id as u32).map_err(|e| failed("its CPU clock cannot be read", e))?;
        let about = |what: &str, flags: OFlags| {
            let flags = flags | OFlags::CLOEXEC;
            rustix::fs::open(format!("/proc/{id}/{what}"), flags, Mode::empty()).ok()
        };
        let tasks = about("task", OFlags::PATH | OFlags::DIRECTORY);
        let waits = about("schedstat", OFlags::RDONLY);
        let (hold, real_time, reaped) = (Hold::Free, matches!(setup.class, Class::Fifo(_)), None);
        let guard_lifeline = Some(guard_lifeline);
        Ok(Self {
            guard,
            guard_lifeline,
            pid,
            mark,
            exit,
            page,
            places,
            notify,
            lifeline,
            clock,
            tree: ProcessTree::default(),
            _by_path: [page_file, guards],
            report,
            final_cpu: None,
            tasks,
            waits,
            run_delay_ns: 0,
            outputs,
            hold,
            real_time,
            has_virtual_clocks,
            library,
            reaped,
        })
    }

    /// Its process id, which is also that of its process group.
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get() as u32
    }

    /// Lets it continue after a question.
    pub fn go(&self) {
        self.page.go();
    }

    fn set_priority(&self, priority: i32) -> bool {
        set_class(self.id() as i32, Class::Fifo(priority)).is_ok()
    }

    /// Puts its first thread below the detector, which is always ready while clients run. This keeps it from running at
    /// a fifth of the cost of a stop signal and its undoing, and none of that is charged to it.
    pub fn park(&mut self) {
        if matches!(self.hold, Hold::Free | Hold::Handoff) {
            if self.set_priority(PARKED) {
                self.hold = Hold::Parked;
            } else {
                self.stop();
            }
        }
    }

    /// Whether only its priority keeps it from running: this holds only while the detector is on.
    pub fn is_only_parked(&self) -> bool {
        self.hold == Hold::Parked
    }

    /// Stops it by a signal.
    pub fn stop(&mut self) {
        if self.hold != Hold::Stopped && kill_process(self.pid, Signal::STOP).is_ok() {
            self.hold = Hold::Stopped;
        }
    }

    /// Undoes [`Process::park`] and [`Process::stop`]; returns whether it was stopped.
    pub fn resume(&mut self) -> bool {
        let was_stopped = self.hold == Hold::Stopped;
        self.unpark();
        if was_stopped {
            let _ = kill_process(self.pid, Signal::CONT);
            self.tree.signal(Signal::CONT);
        }
        was_stopped
    }

    /// Returns it to the priority of clients, which a process stopped by a signal may have lost before.
    fn unpark(&mut self) {
        if matches!(self.hold, Hold::Parked | Hold::Stopped) {
            if self.real_time {
                self.set_priority(CLIENT);
            }
            self.hold = Hold::Free;
        }
    }

    /// Whether it has the coordinator's priority.
    pub fn is_in_handoff(&self) -> bool {
        self.hold == Hold::Handoff
    }

    /// Gives it the coordinator's priority, or returns it to that of clients.
    pub fn set_handoff(&mut self, on: bool) {
        if self.is_in_handoff() == on || on && self.hold != Hold::Free {
            return;
        }
        let set = self.set_priority(if on { COORDINATOR } else { CLIENT });
        self.hold = if on && set { Hold::Handoff } else { Hold::Free };
        self.page.set(wire::QUIET, u64::from(self.is_in_handoff()));
    }

    /// The preemptor has already returned it to the priority of clients.
    pub fn was_preempted(&mut self) {
        self.hold = Hold::Free;
        self.page.set(wire::QUIET, 0);
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid, signal);
    }

    /// Kills it and its tree.
    pub fn kill(&mut self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
        // Once it has been reaped, its process id may belong to another process.
        if self.reaped.is_none() {
            // Below the detector it would not get the core to exit on.
            self.unpark();
            let _ = kill_process(self.pid, Signal::KILL);
            self.tree.signal(Signal::KILL);
            if self.real_time && (!self.tree.is_empty() || self.threads() > 1) {
                let threads = self.tasks().filter_map(|(_, path)| path.rsplit('/').next()?.parse().ok());
                threads.for_each(|id| drop(set_class(id, Class::Fifo(CLIENT))));
            }
        }
    }

    /// Its exit status, if it has ended. Every process it has started is killed then.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        if self.reaped.is_none() {
            let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
            let mut exit = [PollFd::new(&self.exit, PollFlags::IN)];
            if rustix::event::poll(&mut exit, Some(&now)).is_ok_and(|ready| ready > 0) {
                self.reap();
            }
        }
        self.reaped
    }

    /// CPU time of the tree [ns]: its processes' clocks, and what the reaped ones had used. `None` if it is not known.
    pub fn cpu_ns(&mut self) -> Option<i64> {
        if let Some((metered, _)) = self.final_cpu {
            return Some(metered);
        }
        let first = self.clock.read_ns()?;
        if !self.page.has_started_processes() {
            return Some(first);
        }
        let ids = (self.id(), self.guard.id());
        Some(first + self.tree.cpu_ns(&self.page, self.places.sleepers, ids))
    }

    /// Finds processes of the tree; returns whether there are new ones.
    pub fn find_processes(&mut self) -> bool {
        let ids = (self.id(), self.guard.id());
        self.reaped.is_none() && self.tree.find(&self.page, ids)
    }

    /// Ends the tree, and returns its CPU time as metered and as the kernel counted it [ns].
    pub fn settle(&mut self) -> Option<(i64, Option<i64>)> {
        self.kill();
        if self.reaped.is_none() {
            // Its CPU time is final when it has ended, and cannot be read any more when the guard has.
            let limit = rustix::time::Timespec { tv_sec: 5, tv_nsec: 0 };
            let _ = rustix::event::poll(&mut [PollFd::new(&self.exit, PollFlags::IN)], Some(&limit));
            self.reap();
        }
        self.final_cpu
    }

    /// Lets the guard kill what is left of the program and its processes, and waits for it.
    fn reap(&mut self) {
        let metered = self.cpu_ns();
        remove_client(self.id());
        drop(self.guard_lifeline.take());
        let guard = &mut self.guard;
        self.reaped = on_ordinary_thread(self.real_time, || guard.wait().ok());
        let mut us = [0u8; 8];
        let counted = std::io::Read::read_exact(&mut self.report, &mut us).ok();
        let counted = counted.map(|()| i64::from_ne_bytes(us) * 1000);
        self.final_cpu = metered.map(|metered| (metered, counted));
        // If the guard was killed, this process has inherited what the guard had to end.
        if self.reaped.and_then(|s| s.signal()) == Some(Signal::KILL.as_raw()) {
            on_ordinary_thread(self.real_time, || kill_orphans(&self.mark));
        }
    }

    /// Number of threads: folders under its tasks, which the kernel counts as links in addition to the folder's own
    /// two.
    pub fn threads(&self) -> usize {
        let about = self.tasks.as_ref().and_then(|tasks| rustix::fs::fstat(tasks).ok());
        about.map_or(0, |about| (about.st_nlink as usize).saturating_sub(2))
    }

    /// Time its first thread has waited for the core since the last call [ns].
    pub fn run_delay_since_ns(&mut self) -> Option<i64> {
        let mut text = [0u8; 64];
        let read = rustix::io::pread(self.waits.as_ref()?, &mut text, 0).ok()?;
        let now = std::str::from_utf8(&text[..read]).ok()?.split_whitespace().nth(1)?.parse::<i64>().ok()?;
        Some(now - std::mem::replace(&mut self.run_delay_ns, now))
    }

    /// Bytes it has written to its output.
    pub fn output_bytes(&self) -> u64 {
        self.outputs.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum()
    }

    /// Memory its processes occupy [bytes].
    pub fn memory_bytes(&self) -> u64 {
        let pages = |id: u32| -> Option<u64> {
            let text = std::fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
            text.split_whitespace().nth(1)?.parse().ok()
        };
        self.processes().filter_map(pages).sum::<u64>() * rustix::param::page_size() as u64
    }

    /// Process ids of its tree, its own first.
    pub fn processes(&self) -> impl Iterator<Item = u32> + '_ {
        [self.id()].into_iter().chain(self.tree.ids())
    }

    /// The most active state of all threads of the tree as the kernel reports it: R running or runnable, T stopped, D
    /// uninterruptible, S sleeping, Z ended.
    pub fn most_active_state(&self) -> char {
        if self.tree.is_empty() {
            let first = state(&format!("/proc/{}", self.id()));
            if first == 'R' || self.threads() <= 1 {
                return waits_for_child(self.id(), first);
            }
        }
        let letters: Vec<char> = self.tasks().map(|(process, path)| waits_for_child(process, state(&path))).collect();
        let found = ['R', 'T', 'D', 'S'].into_iter().find(|l| letters.contains(l));
        found.unwrap_or_else(|| state(&format!("/proc/{}", self.id())))
    }

    /// All threads of the tree: the process, and the thread's folder in /proc.
    fn tasks(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        self.processes().flat_map(|id| {
            let folder = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
            folder.map(move |entry| (id, entry.path().display().to_string()))
        })
    }

    /// The system calls that the threads of the tree sleep in.
    pub(crate) fn system_calls(&self) -> Vec<SystemCall> {
        self.tasks().filter_map(|(process, path)| SystemCall::read(process, &path)).collect()
    }
}

/// State of a thread by its folder in /proc.
fn state(path: &str) -> char {
    let text = std::fs::read_to_string(format!("{path}/stat")).unwrap_or_default();
    // The name in parentheses may itself contain parentheses and blanks.
    text.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?')
}

/// The state of a thread, but an ordinary sleep where it sleeps uninterruptibly until a process it has started executes
/// a program.
fn waits_for_child(process: u32, letter: char) -> char {
    let path = format!("/proc/{process}");
    if letter == 'D' && SystemCall::read(process, &path).is_some_and(|call| call.starts_process()) {
        'S'
    } else {
        letter
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if self.reaped.is_none() {
            self.reap();
        }
    }
}

/// Kills the children of this process whose environment has a mark, until there are none.
fn kill_orphans(mark: &str) {
    let children = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).ok();
    // Killed and not yet reaped: a process that is about to end has no environment any more, and its children are not
    // yet ours.
    let mut killed: Vec<Pid> = Vec::new();
    for _ in 0..10_000 {
        killed.retain(|id| {
            let reaped = rustix::process::waitpid(Some(*id), rustix::process::WaitOptions::NOHANG);
            matches!(reaped, Ok(None))
        });
        let pending = !killed.is_empty();
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let all = tasks.filter_map(children).collect::<Vec<_>>().join(" ");
        // One that is just executing a program has no environment yet, and no longer when it has ended.
        let mut unknown = false;
        let marked = |id: &i32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            unknown |= environment.is_empty() && !matches!(state(&format!("/proc/{id}")), 'Z' | 'X' | '?');
            environment.split(|b| *b == 0).any(|one| one == mark.as_bytes())
        };
        let found: Vec<i32> = all.split_whitespace().filter_map(|id| id.parse().ok()).filter(marked).collect();
        if found.is_empty() && !pending && !unknown {
            return;
        }
        let found: Vec<Pid> = found.into_iter().filter_map(Pid::from_raw).collect();
        for id in found.into_iter().filter(|id| !killed.contains(id)).collect::<Vec<_>>() {
            let _ = kill_process(id, Signal::KILL);
            killed.push(id);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn hint(program: &Path) -> &'static str {
    if program.to_str() == Some("tempo-client") {
        " (`cargo build --release -p veracity-tempo` builds it)"
    } else if program.is_absolute() || program.exists() {
        ""
    } else {
        " (it is neither next to the file, nor next to veracity, nor on the PATH)"
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
        (wire::MEMBERS_AT, places.members as u64),
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
