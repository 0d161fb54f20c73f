//! Stops trials that reach their cap of CPU time, and all trials on request.
//!
//! A trial runs on one thread. The watchdog reads that thread's CPU time from the kernel twenty times a second and sets
//! the trial's stop flag; the engine checks the flag before every step. No computed value depends on it: a trial either
//! finishes or its outcome is "too slow".

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Watches trials from its own thread.
pub struct Watchdog {
    watched: Arc<Mutex<Vec<Watched>>>,
    ended: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Watched {
    task: String,
    limit_s: f64,
    stop: Arc<AtomicBool>,
}

/// A trial under watch; dropping it ends the watch.
pub struct Watch {
    watched: Arc<Mutex<Vec<Watched>>>,
    stop: Arc<AtomicBool>,
}

impl Watchdog {
    /// Starts the watchdog. When `everything` is set (Ctrl-C), every trial in progress is stopped.
    pub fn new(everything: Arc<AtomicBool>) -> Self {
        let watched: Arc<Mutex<Vec<Watched>>> = Arc::default();
        let ended = Arc::new(AtomicBool::new(false));
        let (list, end) = (Arc::clone(&watched), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                let all = everything.load(Ordering::Relaxed);
                for w in lock(&list).iter() {
                    if all || cpu_time_s(&w.task).is_some_and(|used| used > w.limit_s) {
                        w.stop.store(true, Ordering::Relaxed);
                    }
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        Self { watched, ended, thread: Some(thread) }
    }

    /// Watches the calling thread from now on: at most `cap_s` more seconds of CPU time.
    pub fn watch(&self, cap_s: f64) -> Watch {
        let task = veracity_engine::helpers::this_task();
        let limit_s = cpu_time_s(&task).unwrap_or(0.0) + cap_s;
        let stop = Arc::new(AtomicBool::new(false));
        lock(&self.watched).push(Watched { task, limit_s, stop: Arc::clone(&stop) });
        Watch { watched: Arc::clone(&self.watched), stop }
    }
}

impl Watch {
    /// Set when the trial must end.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&self.watched).retain(|w| !Arc::ptr_eq(&w.stop, &self.stop));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the watchdog has already been printed and changes no result.
            let _ = thread.join();
        }
    }
}

/// A poisoned list is still valid: no code panics in the middle of a change.
fn lock(list: &Mutex<Vec<Watched>>) -> std::sync::MutexGuard<'_, Vec<Watched>> {
    list.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// CPU time of a thread and of the processes that work for it [s]; `None` where the kernel does not report it.
fn cpu_time_s(task: &str) -> Option<f64> {
    if task.is_empty() {
        return None;
    }
    // The first number of schedstat is nanoseconds on a CPU.
    let text = std::fs::read_to_string(format!("{task}/schedstat")).ok()?;
    let own_s = text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9;
    Some(own_s + veracity_engine::helpers::cpu_s_of(task))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not a timing test: the loop ends only because the watchdog counts its CPU time.
    #[test]
    fn a_busy_thread_is_stopped_at_its_cap() {
        let dog = Watchdog::new(Arc::new(AtomicBool::new(false)));
        let watch = dog.watch(0.02);
        let flag = watch.flag();
        let mut x = 1.0f64;
        while !flag.load(Ordering::Relaxed) {
            x = (x + 1.0).sqrt();
        }
        assert!(x > 0.0);
    }

    #[test]
    fn everything_stops_on_request() {
        let all = Arc::new(AtomicBool::new(false));
        let dog = Watchdog::new(Arc::clone(&all));
        let watch = dog.watch(f64::INFINITY);
        all.store(true, Ordering::Relaxed);
        while !watch.flag().load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
    }
}
