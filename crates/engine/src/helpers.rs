//! CPU time of processes that work for a thread: a trial's cost and cap count what its worker uses.
//!
//! A host that lends a process to the calling thread says so; who measures the thread asks for what its helpers used since.
//! For the accounts, and for who must know that this thread sleeps while another process computes: nothing computed depends on it.

use std::sync::Mutex;

struct Helper {
    /// The thread it works for, as the kernel's accounts name it.
    task: String,
    process: u32,
    /// What it had used when it was lent [s].
    before_s: f64,
}

static HELPERS: Mutex<Vec<Helper>> = Mutex::new(Vec::new());

/// From now on a process works for the calling thread.
pub fn lend(process: u32) {
    let before_s = used_s(&format!("/proc/{process}"));
    lock().push(Helper { task: this_task(), process, before_s });
}

/// It works for this thread no more; once for each time it was lent.
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

/// The folder of the calling thread in the kernel's accounts; empty where there is none.
pub fn this_task() -> String {
    let link = std::fs::read_link("/proc/thread-self").ok();
    link.map_or(String::new(), |l| format!("/proc/{}", l.display()))
}

/// The first number of schedstat is nanoseconds on a CPU; zero where the kernel does not tell, or the process is gone.
fn used_s(folder: &str) -> f64 {
    let text = std::fs::read_to_string(format!("{folder}/schedstat")).unwrap_or_default();
    text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// A list that somebody panicked over is still a list.
fn lock() -> std::sync::MutexGuard<'static, Vec<Helper>> {
    HELPERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This very process lends itself: what it burns is counted, on this thread and no other.
    #[test]
    fn what_a_helper_burns_is_counted_for_its_thread_until_it_is_given_back() {
        let me = std::process::id();
        // The main thread of a test binary only waits; the accounts of a process are those of its main thread.
        lend(me);
        assert!(cpu_s_here() >= 0.0 && any_here());
        let elsewhere = std::thread::spawn(|| (cpu_s_here(), any_here())).join().unwrap();
        assert_eq!(elsewhere, (0.0, false));
        give_back(me);
        assert_eq!((cpu_s_here(), any_here()), (0.0, false));
    }
}
