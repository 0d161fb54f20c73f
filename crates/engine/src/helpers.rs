//! CPU time of processes that work for a thread: a trial's cost and cap count what its worker uses.
//!
//! A host that assigns a process to the calling thread registers it here; the code that measures the thread reads what its
//! helpers used since. Only for accounting, and to know that this thread sleeps while another process computes: no
//! result depends on it.

use std::sync::Mutex;

struct Helper {
    /// The thread it works for: its folder in `/proc`.
    task: String,
    process: u32,
    /// CPU time used when it was assigned [s].
    before_s: f64,
}

static HELPERS: Mutex<Vec<Helper>> = Mutex::new(Vec::new());

/// Registers a process that works for the calling thread from now on.
pub fn lend(process: u32) {
    let before_s = used_s(&format!("/proc/{process}"));
    lock().push(Helper { task: this_task(), process, before_s });
}

/// Ends one registration of a process; call once for each [`lend`].
pub fn give_back(process: u32) {
    let mut list = lock();
    if let Some(at) = list.iter().position(|h| h.process == process) {
        list.remove(at);
    }
}

/// CPU time that the helpers of a thread (`/proc/…/task/…`) have used for it [s].
pub fn cpu_s_of(task: &str) -> f64 {
    let list = lock();
    let of_task = list.iter().filter(|h| h.task == task);
    of_task.map(|h| (used_s(&format!("/proc/{}", h.process)) - h.before_s).max(0.0)).sum()
}

/// The same of the calling thread.
pub fn cpu_s_here() -> f64 {
    if lock().is_empty() { 0.0 } else { cpu_s_of(&this_task()) }
}

/// Whether another process works for the calling thread, which then sleeps while that one computes.
pub fn any_here() -> bool {
    let list = lock();
    !list.is_empty() && {
        let task = this_task();
        list.iter().any(|h| h.task == task)
    }
}

/// The folder of the calling thread in `/proc`; empty where there is none.
pub fn this_task() -> String {
    let link = std::fs::read_link("/proc/thread-self").ok();
    link.map_or(String::new(), |l| format!("/proc/{}", l.display()))
}

/// The first number of schedstat is nanoseconds on a CPU; zero where the kernel does not report it, or the process is
/// gone.
fn used_s(folder: &str) -> f64 {
    let text = std::fs::read_to_string(format!("{folder}/schedstat")).unwrap_or_default();
    text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// A panic while the lock was held leaves the list valid.
fn lock() -> std::sync::MutexGuard<'static, Vec<Helper>> {
    HELPERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This process registers itself: its CPU time counts for this thread and no other.
    #[test]
    fn cpu_time_of_a_helper_counts_for_its_thread_until_given_back() {
        let me = std::process::id();
        // The main thread of a test binary only waits; `schedstat` of a process is that of its main thread.
        lend(me);
        assert!(cpu_s_here() >= 0.0 && any_here());
        let elsewhere = std::thread::spawn(|| (cpu_s_here(), any_here())).join().unwrap();
        assert_eq!(elsewhere, (0.0, false));
        give_back(me);
        assert_eq!((cpu_s_here(), any_here()), (0.0, false));
    }
}
