//! One worker process: starting, requests, supervision.
//!
//! Every failure becomes a message, [`Death`]: the signal or exit code, the step it was in and the last line it
//! printed. A process that is no longer needed, or no longer understood, is killed together with everything it started;
//! nothing of it has a name that could be left behind.
//!
//! Steps that a worker reports count only if it used CPU time meanwhile: a worker that sleeps and counts is treated
//! like one that only sleeps.
#![allow(clippy::disallowed_methods)] // How long a worker is waited for decides no number of a record.

use crate::channel::{Bounds, Channel, Silence, tell_gone};
use crate::host::family::Family;
use crate::host::one_line::line;
use crate::message::{NOT_UNDERSTOOD, Operation};
use crate::shared::{MAGIC, Region};
use crate::wire::{Reader, Writer};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit};
use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a worker may use before it is ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Without a step or an answer.
    pub patience: Duration,
    /// Until it stops when asked to.
    pub grace: Duration,
    /// For one request, however many steps it reports.
    pub request: Duration,
    /// Address space [bytes].
    pub memory: u64,
    /// Of one answer [bytes].
    pub message: u64,
}

impl Default for Limits {
    /// 60 s, 5 s, an hour, 4 GiB, 1 GiB; all but the second and the last can be set in the environment.
    fn default() -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        Self {
            patience: Duration::from_secs(number("VERACITY_WORKER_PATIENCE_S").unwrap_or(60)),
            grace: Duration::from_secs(5),
            request: Duration::from_secs(number("VERACITY_WORKER_REQUEST_S").unwrap_or(3600)),
            memory: number("VERACITY_WORKER_MEMORY_MIB").unwrap_or(4096).min(u64::MAX >> 20) << 20,
            // A worker must hold its rows and the answer within its own memory limit.
            message: 1 << 30,
        }
    }
}

/// The worker is gone; why, in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Death(pub String);

/// A running worker.
pub struct Process {
    child: Child,
    family: Family,
    control: UnixStream,
    channel: Channel,
    tail: Arc<Mutex<Vec<u8>>>,
    drain: Option<std::thread::JoinHandle<()>>,
    limits: Limits,
    name: String,
    request: Writer,
    reply: Vec<u8>,
    /// Number of the last world that was loaded.
    pub worlds: u64,
    /// What the next state need not contain, see [`Region::spared`].
    pub spared: u64,
    dead: Option<Death>,
    /// Requests so far, and the first of the present trial: older answers belong to earlier trials.
    requests: u64,
    first_of_trial: u64,
    /// It sent an unrequested answer: it is ended after its trial.
    is_tainted: bool,
}

/// Length of a half of the shared memory: larger than most messages, small enough to stay in the caches.
const HALF: usize = 1 << 20;
/// How often a wait checks the stop flag and the progress.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes kept of a worker's output.
const TAIL: usize = 4096;
/// Bytes still read after its end: a surviving child may print for ever.
const AFTER_END: usize = 1 << 20;
/// Fraction of the time that a worker must compute for its steps to count. A step takes microseconds to seconds of CPU
/// time; a worker that waits for another program still exchanges messages with it.
const LEAST_CPU: f64 = 1e-3;
/// Most answers from before the trial that are skipped.
const MOST_STALE: usize = 8;
/// How long to wait for an executable that is still being written, and how often to retry: a linker is done by then,
/// and so is any process that another thread has just forked, which until its exec has all our files open.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);
const WRITTEN_LOOK: Duration = Duration::from_millis(2);

/// Starts a program; waits for one that is open for writing.
fn spawn_once_written(command: &mut Command) -> std::io::Result<(Child, Family)> {
    let begun = Instant::now();
    let mark = Family::prepare(command);
    loop {
        match command.spawn() {
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy && begun.elapsed() < WRITTEN_WITHIN => {
                std::thread::sleep(WRITTEN_LOOK);
            }
            done => {
                let child = done?;
                let family = Family::of(&child, &mark);
                return Ok((child, family));
            }
        }
    }
}

impl Process {
    /// Starts an executable.
    pub fn start(path: &Path, name: &str, limits: Limits) -> Result<Self, String> {
        let failed = |what: &str| {
            let what = what.to_string();
            move |e: std::io::Error| format!("cannot start the worker {}: {what}: {e}", path.display())
        };
        let (control, theirs) = UnixStream::pair().map_err(failed("no socket"))?;
        let (said, says) = std::io::pipe().map_err(failed("no pipe"))?;
        let says_too = says.try_clone().map_err(failed("no pipe"))?;
        // Sent before the process exists: a program that ends at once is then reported by its exit status, not by a
        // broken pipe.
        let (channel, watched) = greet(&control, limits).map_err(failed("no greeting"))?;
        // Nine bytes to stop it: a worker that reads none of them must not hold its host.
        control.set_write_timeout(Some(limits.grace)).map_err(failed("no socket"))?;
        let mut command = Command::new(path);
        command
            .stdin(std::os::fd::OwnedFd::from(theirs))
            .stdout(says)
            .stderr(says_too)
            // The last line it prints should be the reason, not a stack frame.
            .env("RUST_BACKTRACE", "0");
        let (child, family) = spawn_once_written(&mut command).map_err(failed("it cannot be executed"))?;
        // Only the worker holds its ends of the socket and the pipe now: they close when it ends.
        drop(command);
        limit(&child, limits);
        let tail: Arc<Mutex<Vec<u8>>> = Arc::default();
        let drain = drain(said, Arc::clone(&tail), end_of(&child), watched);
        let name = name.to_string();
        let (request, reply) = (Writer::default(), Vec::new());
        let drain = Some(drain);
        Ok(Self {
            child,
            family,
            control,
            channel,
            tail,
            drain,
            limits,
            name,
            request,
            reply,
            worlds: 0,
            spared: 0,
            dead: None,
            requests: 0,
            first_of_trial: 0,
            is_tainted: false,
        })
    }

    /// Whether it still answers, as far as is known.
    pub fn is_alive(&mut self) -> bool {
        if self.dead.is_none() && matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
            self.dead = Some(self.bury("it ended between requests"));
        }
        self.dead.is_none()
    }

    /// Whether the next trial may use it: alive, and without an unrequested answer.
    pub fn is_fit(&mut self) -> bool {
        self.is_alive() && !self.is_tainted && !self.channel.is_pending()
    }

    /// A trial begins: earlier requests do not belong to it.
    pub fn begin_trial(&mut self) {
        self.first_of_trial = self.requests + 1;
    }

    /// Why it died, if it did.
    pub fn death(&self) -> Option<&Death> {
        self.dead.as_ref()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The worker and all processes it started.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Sends a request and waits for the answer. `stop_wanted` is checked while waiting.
    pub fn ask(
        &mut self,
        operation: Operation,
        world: u64,
        write: impl FnOnce(&mut Writer),
        stop_wanted: impl Fn() -> bool,
    ) -> Result<Reader<'_>, Death> {
        if let Some(death) = &self.dead {
            return Err(death.clone());
        }
        self.request.clear();
        self.request.whole(operation as u64);
        self.request.whole(world);
        write(&mut self.request);
        self.channel.region().progress().store(0, Ordering::Relaxed);
        self.channel.region().spared().store(self.spared, Ordering::Relaxed);
        self.requests += 1;
        let number = self.requests;
        self.channel.number = number;
        if let Err(silence) = self.exchange(number, &stop_wanted) {
            let death = match silence {
                Silence::Gone => self.bury(""),
                Silence::Timeout => {
                    self.bury(&format!("it took no step for {} s", self.limits.patience.as_secs_f64()))
                }
                Silence::TooLong(what) => self.bury(&what),
                Silence::Nonsense(what) => self.bury(&format!("it sent an invalid message ({what})")),
            };
            self.dead = Some(death.clone());
            return Err(death);
        }
        let answer = Reader::new(&self.reply);
        let mut look = answer;
        if look.whole() == Ok(NOT_UNDERSTOOD) {
            let why = line(look.text().unwrap_or("it did not say why"));
            return Err(Death(format!("the worker of {} did not understand a request: {why}", self.name)));
        }
        Ok(Reader::new(&self.reply))
    }

    /// An invalid reply ends the worker.
    pub fn nonsense(&mut self, what: &str) -> Death {
        let death = self.bury(&format!("it sent an invalid message ({what})"));
        self.dead = Some(death.clone());
        death
    }

    fn exchange(&mut self, number: u64, stop_wanted: &impl Fn() -> bool) -> Result<(), Silence> {
        self.channel.send(self.request.bytes())?;
        // Most answers come soon; clocks are only read when one does not.
        let mut slow: Option<Slow> = None;
        for _ in 0..MOST_STALE {
            while let Err(silence) = self.channel.wait(LOOK) {
                if silence != Silence::Timeout {
                    return Err(silence);
                }
                // A pipe that a child of the worker holds open does not end with the worker.
                let has_ended = matches!(self.child.try_wait(), Ok(Some(_)) | Err(_));
                if has_ended && !self.channel.is_pending() {
                    return Err(Silence::Gone);
                }
                let progress = self.channel.region().progress().load(Ordering::Relaxed);
                let slow = slow.get_or_insert_with(|| Slow::new(progress, &self.family));
                if slow.asked.is_none() && stop_wanted() {
                    let mut stop = [b'S'; 9];
                    stop[1..].copy_from_slice(&number.to_le_bytes());
                    self.control.write_all(&stop).map_err(|_| Silence::Gone)?;
                    slow.asked = Some(Instant::now());
                }
                slow.look(progress, &self.family, &self.limits)?;
            }
            self.channel.receive(&mut self.reply)?;
            self.channel.go_over_to_bells();
            match self.channel.number {
                answered if answered == number => return Ok(()),
                // An answer for an earlier trial must not affect this one.
                answered if answered < self.first_of_trial => self.is_tainted = true,
                answered => {
                    return Err(Silence::Nonsense(format!("an answer to request {answered} instead of {number}")));
                }
            }
        }
        Err(Silence::Nonsense("only answers to earlier requests".to_string()))
    }

    /// Makes sure that it is dead and returns the cause.
    fn bury(&mut self, why: &str) -> Death {
        // A process that lost its connection is ending; one that the host ends has its reason in `why`.
        let ended = if why.is_empty() { self.await_end() } else { None };
        let lives = ended.is_none();
        let status = ended.or_else(|| {
            self.family.kill();
            self.child.wait().ok()
        });
        self.family.kill_survivors();
        if let Some(drain) = self.drain.take() {
            // The thread ends with the pipe; a panic in it would only lose the last line.
            let _ = drain.join();
        }
        let how = if why.is_empty() && lives {
            "it closed its connection, and was ended".to_string()
        } else if why.is_empty() {
            status.map_or("it ended".to_string(), describe)
        } else {
            format!("{why}, and was ended")
        };
        let step = self.channel.region().progress().load(Ordering::Relaxed);
        let place = if step > 0 { format!(" after step {step}") } else { String::new() };
        let said = self.last_line();
        let said = if said.is_empty() { said } else { format!("; its last output: {said}") };
        Death(format!("the worker of {} died{place}: {how}{said}", self.name))
    }

    fn await_end(&mut self) -> Option<ExitStatus> {
        for _ in 0..200 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn last_line(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(|p| p.into_inner());
        let text = String::from_utf8_lossy(&tail);
        let says = |line: &&str| !line.is_empty() && !line.starts_with("note: ");
        line(text.lines().rev().map(str::trim).find(says).unwrap_or(""))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.dead.is_none() {
            self.family.kill();
            // It was killed: its exit status says nothing.
            let _ = self.child.wait();
            self.family.kill_survivors();
        }
        if let Some(drain) = self.drain.take() {
            let _ = drain.join();
        }
    }
}

/// A request that takes long.
struct Slow {
    begun: Instant,
    /// When steps last counted, how many there were, and the CPU time used until then [s].
    since: Instant,
    progress: u64,
    cpu_s: f64,
    asked: Option<Instant>,
}

impl Slow {
    fn new(progress: u64, family: &Family) -> Self {
        let now = Instant::now();
        Self { begun: now, since: now, progress, cpu_s: family.cpu_s(), asked: None }
    }

    /// Checks the limits; `Err` if the worker must be ended.
    fn look(&mut self, progress: u64, family: &Family, limits: &Limits) -> Result<(), Silence> {
        if self.asked.is_some_and(|at| at.elapsed() > limits.grace) {
            return Err(Silence::TooLong(format!("it did not stop within {} s", limits.grace.as_secs_f64())));
        }
        if self.begun.elapsed() > limits.request {
            let most = limits.request.as_secs_f64();
            let what = format!("one request took more than {most} s; raise VERACITY_WORKER_REQUEST_S to allow more");
            return Err(Silence::TooLong(what));
        }
        let quiet = self.since.elapsed();
        if quiet <= limits.patience {
            return Ok(());
        }
        let cpu_s = family.cpu_s();
        if progress == self.progress {
            return Err(Silence::Timeout);
        }
        if cpu_s - self.cpu_s < LEAST_CPU * quiet.as_secs_f64() {
            let what = format!("it reported steps for {:.0} s but used no CPU time", quiet.as_secs_f64());
            return Err(Silence::TooLong(what));
        }
        (self.since, self.progress, self.cpu_s) = (Instant::now(), progress, cpu_s);
        Ok(())
    }
}

fn limit(child: &Child, limits: Limits) {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let at_most = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // A host that may not set limits runs without them: they protect the machine, not the result.
    let _ = rustix::process::prlimit(Some(pid), Resource::As, at_most(limits.memory));
    let _ = rustix::process::prlimit(Some(pid), Resource::Core, at_most(0));
}

/// A descriptor that can be read when the process has ended.
fn end_of(child: &Child) -> Option<OwnedFd> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Reads the worker's output and keeps the end of it, so that printing never blocks the worker. When the worker has
/// ended, wakes the host that waits for it.
fn drain(
    mut said: std::io::PipeReader,
    tail: Arc<Mutex<Vec<u8>>>,
    end: Option<OwnedFd>,
    region: Region,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0u8; 4096];
        let mut prints = true;
        let mut left = AFTER_END;
        while prints || end.is_some() {
            let says = prints.then(|| PollFd::new(&said, PollFlags::IN));
            let ends = end.as_ref().map(|end| PollFd::new(end, PollFlags::IN));
            let mut both: Vec<PollFd> = says.into_iter().chain(ends).collect();
            if rustix::event::poll(&mut both, None).is_err() {
                continue;
            }
            let has_ended = end.is_some() && both.last().is_some_and(|end| !end.revents().is_empty());
            if prints && !both[0].revents().is_empty() && left > 0 {
                drop(both);
                // The end of the pipe is not the end of the process: it may have closed its output.
                match said.read(&mut buffer) {
                    Ok(count @ 1..) => {
                        left -= if has_ended { count.min(left) } else { 0 };
                        let mut tail = tail.lock().unwrap_or_else(|p| p.into_inner());
                        tail.extend_from_slice(&buffer[..count]);
                        let surplus = tail.len().saturating_sub(TAIL);
                        tail.drain(..surplus);
                    }
                    _ => prints = false,
                }
            } else {
                // It has ended, and all it printed is read; a child of the worker may hold the pipe open for ever.
                break;
            }
        }
        tell_gone(&region);
    })
}

/// Hands over the memory and the pipes. The memory is mapped a second time, for the thread that waits for the end.
fn greet(control: &UnixStream, limits: Limits) -> std::io::Result<(Channel, Region)> {
    let (region, memory) = Region::create(HALF)?;
    let again = Region::map(&memory, HALF)?;
    let (their_requests, requests) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let (replies, their_replies) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let words = [*MAGIC, crate::PROTOCOL.to_le_bytes(), (HALF as u64).to_le_bytes()];
    let descriptors = [memory.as_fd(), their_requests.as_fd(), their_replies.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let parts = [IoSlice::new(words.as_flattened())];
    rustix::net::sendmsg(control, &parts, &mut ancillary, SendFlags::NOSIGNAL)?;
    let bounds = Bounds { patience: Some(limits.patience), longest: limits.message };
    Ok((Channel::host(region, replies, requests, bounds), again))
}

fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = match signal {
                4 => " (SIGILL)",
                6 => " (SIGABRT)",
                7 => " (SIGBUS)",
                8 => " (SIGFPE)",
                9 => " (SIGKILL)",
                11 => " (SIGSEGV)",
                15 => " (SIGTERM)",
                _ => "",
            };
            format!("it was ended by signal {signal}{name}")
        }
        (None, Some(code)) => format!("it exited with code {code}"),
        (None, None) => "it ended".to_string(),
    }
}
