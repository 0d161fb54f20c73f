//! The program's connection to the coordinator: made when the library is loaded, in every process of a client.
//!
//! The first process talks to the coordinator while it is alone and has one thread. Every other process, and every
//! thread, sleeps in a slot of the shared page (`sleeping`) and shares the page's clock.

use crate::guard_pipe;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use veracity_client::shared::{Words, inherited};
use veracity_client::wire;

/// The connection and what is known about the run.
pub struct Link {
    pub(crate) page: Words,
    /// To notify the coordinator; only in the first process.
    notify: Option<OwnedFd>,
    /// First word of the sleepers' slots in the page.
    pub(crate) sleepers_at: usize,
}

static LINK: OnceLock<Option<Link>> = OnceLock::new();
static CONNECTING: AtomicU64 = AtomicU64::new(0);
/// 1 in a process that was forked where only the first process has virtual time: in a callback or a replay.
static LEFT: AtomicU64 = AtomicU64::new(0);

/// The connection, if this process has one and the run has begun for it.
pub fn link() -> Option<&'static Link> {
    connected().filter(|link| link.page.get(wire::STARTED) == 1)
}

/// The connection, if this process has one.
pub fn connected() -> Option<&'static Link> {
    LINK.get()?.as_ref().filter(|_| LEFT.load(Ordering::Acquire) == 0)
}

fn own_id() -> u32 {
    rustix::process::getpid().as_raw_nonzero().get() as u32
}

/// Connects; the first process of an unmodified program also waits for the run to begin. One that uses the client
/// library does so when it connects by itself. Returns whether standard output is the program's link to the robot.
pub fn connect() -> bool {
    // Until the connection is made, the time is read from the real clock.
    if CONNECTING.swap(1, Ordering::AcqRel) != 0 {
        return false;
    }
    let link = open();
    let prints = link.as_ref().is_some_and(|link| link.page.get(wire::PRINTS_LINES) == 1);
    let _ = LINK.set(link);
    prints
}

/// Maps the page, if a descriptor is of one.
fn map(file: BorrowedFd<'_>) -> Option<Words> {
    let head = Words::map(file, wire::BODY_AT).ok()?;
    if head.get(wire::MAGIC) != wire::MAGIC_VALUE {
        return None;
    }
    Words::map(file, head.get(wire::WORDS) as usize).ok()
}

/// The page by its path: the parent of this process may have closed the descriptor, or given its number to another file.
fn page_by_path() -> Option<Words> {
    let path = std::env::var(wire::ENVIRONMENT_PAGE).ok()?;
    let file = rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).ok()?;
    map(file.as_fd())
}

fn open() -> Option<Link> {
    let text = std::env::var(wire::ENVIRONMENT).ok()?;
    let numbers: Vec<i32> = text.split(',').filter_map(|n| n.parse().ok()).collect();
    let [page_number, notify_number] = numbers[..] else { return None };
    let page = page_by_path().or_else(|| {
        let file = inherited(page_number).ok()?;
        let page = map(file.as_fd());
        // The descriptor stays open for the client library, and for a program that replaces this one by exec.
        std::mem::forget(file);
        page
    })?;
    let (own, owner) = (u64::from(own_id()), page.get(wire::OWNER));
    let first = owner == 0 || owner == own;
    if !first && page.get(wire::MODE) != wire::MODE_CONSISTENT {
        return None;
    }
    guard_pipe::watch();
    // The client library closes the descriptors it was given: a copy stays.
    let notify = if first {
        let given = inherited(notify_number).ok()?;
        let own = rustix::io::fcntl_dupfd_cloexec(&given, 3).ok()?;
        std::mem::forget(given);
        Some(own)
    } else {
        None
    };
    let sleepers_at = page.get(wire::SLEEPERS_AT) as usize;
    let link = Link { page, notify, sleepers_at };
    if !first {
        link.join();
    } else if owner == 0 {
        link.page.set(wire::OWNER, own);
        if link.page.get(wire::CONNECTS_AT_LOAD) == 1 {
            link.ask(wire::ASK_HELLO, 0);
        }
    } else if link.page.members().all(|id| u64::from(id) == own) {
        // The same process after an exec, which leaves one thread: the run continues.
        link.page.set(wire::THREADS, 1);
    }
    Some(link)
}

impl Link {
    /// The current time [ns], as every clock of the program shows it; in a replay the recorded one.
    pub fn reading(&self, cpu_ns: impl Fn() -> i64) -> i64 {
        if self.page.get(wire::MODE) == wire::MODE_REPLAY {
            self.ask(wire::ASK_TIME, 0);
            return self.page.get_i64(wire::ANSWER);
        }
        let now_ns = self.now_ns(cpu_ns());
        // The log has one writer: readings of a program with threads are not recorded.
        if self.page.get(wire::LOGS_READINGS) == 1 && !self.has_threads() {
            self.log_reading(now_ns);
        }
        now_ns
    }

    fn log_reading(&self, now_ns: i64) {
        let written = self.page.get(wire::LOG_WRITTEN);
        if written.saturating_sub(self.page.get(wire::LOG_TAKEN)) >= wire::LOG_ENTRIES {
            self.ask(wire::ASK_FLUSH, 0);
        }
        let entry = self.page.get(wire::ENTRY_WORDS);
        let at = (self.page.get(wire::LOG_AT) + written % wire::LOG_ENTRIES * entry) as usize;
        self.page.set(at, wire::LOG_TIME);
        self.page.set_i64(at + 1, now_ns);
        self.page.set(wire::LOG_WRITTEN, written + 1);
    }

    /// Virtual time since the start of the run [ns]; never decreases.
    pub fn now_ns(&self, cpu_ns: i64) -> i64 {
        self.page.virtual_ns(cpu_ns)
    }

    /// Real time at the start of the run, on clocks that count from 1970 [ns].
    pub fn real_zero_ns(&self) -> i64 {
        self.page.get_i64(wire::ZERO_REAL_NS)
    }

    /// Real time at the start of the run, on clocks that count from start-up [ns].
    pub fn monotonic_zero_ns(&self) -> i64 {
        self.page.get_i64(wire::ZERO_MONOTONIC_NS)
    }

    /// Step of the dynamics [ns].
    pub fn step_ns(&self) -> i64 {
        self.page.get_i64(wire::STEP_NS).max(1)
    }

    /// When the next message of the robot is due [ns]; never without a link.
    pub fn next_message_ns(&self) -> i64 {
        Some(self.page.get_i64(wire::NEXT_MESSAGE_NS)).filter(|ns| *ns > 0).unwrap_or(i64::MAX)
    }

    /// Whether the client has threads or processes besides the first.
    pub fn has_threads(&self) -> bool {
        self.page.get(wire::THREADS) > 1
    }

    /// Counts a thread that is about to start.
    pub fn count_thread(&self) {
        if self.page.get(wire::MODE) != wire::MODE_CONSISTENT && self.page.get(wire::STARTED) == 1 {
            self.ask(wire::ASK_THREAD, 0);
        }
        self.count();
    }

    fn count(&self) {
        if self.page.add(wire::THREADS, 1) == 0 {
            self.page.add(wire::THREADS, 1);
        }
    }

    /// This process, which another one of the client has started, becomes a member.
    fn join(&self) {
        self.page.join(own_id());
        self.count();
        self.page.add(wire::FORKS, 1);
    }

    /// Asks the coordinator and sleeps until it answers; only while there is one thread.
    pub(crate) fn ask(&self, what: u64, argument: u64) {
        // Without a coordinator there is no answer, and the error cannot be reported.
        let _ = self.notify.as_ref().map(|notify| self.page.ask(notify.as_fd(), what, argument));
    }
}

/// Before this process starts another one.
pub fn before_fork() {
    if let Some(link) = connected().filter(|link| link.page.get(wire::MODE) == wire::MODE_CONSISTENT) {
        // From now on it sleeps as if it had threads: the new process may run meanwhile.
        link.count();
        link.page.add(wire::FORKS, 1);
    }
}

/// In a process that has just been forked.
pub fn after_fork_in_child() {
    match connected() {
        Some(link) if link.page.get(wire::MODE) == wire::MODE_CONSISTENT => {
            guard_pipe::watch();
            link.join();
        }
        Some(_) => LEFT.store(1, Ordering::Release),
        None => {}
    }
}

/// Before a process is reaped: what it used stays in the account of the client.
pub fn before_reaping(id: u32) {
    if let Some(link) = connected()
        && let Some(cpu_ns) = veracity_client::members::process_cpu_ns(id)
    {
        link.page.leave(id, cpu_ns);
    }
}
