//! The program's connection to the coordinator: made when the library is loaded, only in the process the coordinator
//! started.

use rustix::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use veracity_client::shared::{Words, inherited};
use veracity_client::wire;

/// The connection and what is known about the run.
pub struct Link {
    pub(crate) page: Words,
    notify: OwnedFd,
    latest_ns: AtomicI64,
    /// First word of the sleepers' slots in the page.
    pub(crate) sleepers_at: usize,
    /// Process id it belongs to; a forked child is not connected.
    owner: u64,
}

static LINK: OnceLock<Option<Link>> = OnceLock::new();
static CONNECTING: AtomicU64 = AtomicU64::new(0);

/// The connection, if this process has one and the run has begun for it.
pub fn link() -> Option<&'static Link> {
    opened().filter(|link| link.page.get(wire::STARTED) == 1)
}

/// The connection, if this process has one, also before the run has begun for it.
pub fn opened() -> Option<&'static Link> {
    let link = LINK.get()?.as_ref()?;
    (own_id() == link.owner).then_some(link)
}

fn own_id() -> u64 {
    rustix::process::getpid().as_raw_nonzero().get() as u64
}

/// Connects; an unmodified program also waits for the run to begin. One that uses the client library does so when it
/// connects by itself. Returns whether standard output is the program's link to the robot.
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

fn open() -> Option<Link> {
    let text = std::env::var(wire::ENVIRONMENT).ok()?;
    let numbers: Vec<i32> = text.split(',').filter_map(|n| n.parse().ok()).collect();
    let [page, notify] = numbers[..] else { return None };
    let (file, mut notify) = (inherited(page).ok()?, inherited(notify).ok()?);
    let head = Words::map(file.as_fd(), wire::BODY_AT).ok()?;
    if head.get(wire::MAGIC) != wire::MAGIC_VALUE {
        return None;
    }
    let page = Words::map(file.as_fd(), head.get(wire::WORDS) as usize).ok()?;
    // The page's descriptor stays open for a program that replaces this one by exec.
    std::mem::forget(file);
    let (owner, sleepers_at) = (own_id(), page.get(wire::SLEEPERS_AT) as usize);
    let latest_ns = AtomicI64::new(0);
    // The client library closes the descriptors it was given: this one stays.
    let own = rustix::io::fcntl_dupfd_cloexec(&notify, 3).ok()?;
    std::mem::forget(std::mem::replace(&mut notify, own));
    let link = Link { page, notify, latest_ns, sleepers_at, owner };
    match link.page.get(wire::OWNER) {
        0 => {
            link.page.set(wire::OWNER, owner);
            if link.page.get(wire::CONNECTS_AT_LOAD) == 1 {
                link.ask(wire::ASK_HELLO, 0);
            }
            Some(link)
        }
        // The same process after an exec, which leaves one thread: the run continues.
        same if same == owner => {
            link.page.set(wire::THREADS, 1);
            Some(link)
        }
        // A child process: it is not metered. Its parent still needs the descriptors it inherited.
        _ => {
            std::mem::forget(link);
            None
        }
    }
}

impl Link {
    /// Virtual time since the start of the run [ns]; never decreases.
    pub fn now_ns(&self, cpu_ns: i64) -> i64 {
        let cpu = cpu_ns - self.page.get_i64(wire::CPU0_NS);
        let now = self.page.get_i64(wire::WAIT_NS) + (cpu as f64 * self.page.get_f64(wire::CPU_FACTOR)) as i64;
        self.latest_ns.fetch_max(now, Ordering::AcqRel).max(now)
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

    /// Whether it has started threads besides the first.
    pub fn has_threads(&self) -> bool {
        self.page.get(wire::THREADS) > 1
    }

    /// Counts a thread that is about to start.
    pub fn count_thread(&self) {
        if self.page.get(wire::MODE) != wire::MODE_CONSISTENT && self.page.get(wire::STARTED) == 1 {
            self.ask(wire::ASK_THREAD, 0);
        }
        if self.page.add(wire::THREADS, 1) == 0 {
            self.page.add(wire::THREADS, 1);
        }
    }

    /// Asks the coordinator and sleeps until it answers; only while there is one thread.
    pub(crate) fn ask(&self, what: u64, argument: u64) {
        // Without a coordinator there is no answer, and the error cannot be reported.
        let _ = self.page.ask(self.notify.as_fd(), what, argument);
    }
}
