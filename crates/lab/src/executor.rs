//! Executors of jobs: threads here, worker processes or a cluster elsewhere, behind one trait.

use std::sync::atomic::{AtomicBool, Ordering};

/// Runs numbered jobs, each at most once, in any order.
pub trait Executor: Sync {
    /// Calls `job` once for every number below `count` until `stop` is set; jobs already started are finished. One job
    /// that panics does not stop the others: the panic's text goes to `lost`.
    fn run(
        &self,
        count: usize,
        job: &(dyn Fn(usize) + Sync),
        lost: &(dyn Fn(usize, String) + Sync),
        stop: &AtomicBool,
    );
}

/// Threads of this process.
pub struct Threads {
    pool: rayon::ThreadPool,
}

impl Threads {
    /// Uses `threads` threads; 0 means one for each core.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let name = |i| format!("trial-{i}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?;
        Ok(Self { pool })
    }
}

impl Executor for Threads {
    fn run(
        &self,
        count: usize,
        job: &(dyn Fn(usize) + Sync),
        lost: &(dyn Fn(usize, String) + Sync),
        stop: &AtomicBool,
    ) {
        let next = std::sync::atomic::AtomicUsize::new(0);
        // One long task for each thread, which fetches the next number: in order, and with no queue that an
        // interruption would have to wait for.
        self.pool.broadcast(|_| {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(number)));
                if let Err(panic) = caught {
                    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
                    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                    lost(number, text.unwrap_or_else(|| "it panicked without a message".to_string()));
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_job_is_run_once_and_a_panic_costs_its_own_job_only() {
        let (done, lost) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let job = |i: usize| {
            assert!(i != 7, "job seven is bad");
            done.lock().unwrap().push(i);
        };
        let gone = |i: usize, text: String| lost.lock().unwrap().push((i, text));
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        Threads::new(3).unwrap().run(50, &job, &gone, &AtomicBool::new(false));
        std::panic::set_hook(hook);
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..50).filter(|i| *i != 7).collect::<Vec<_>>());
        assert_eq!(lost.into_inner().unwrap(), [(7, "job seven is bad".to_string())]);
    }

    #[test]
    fn nothing_new_begins_after_a_stop() {
        let stop = AtomicBool::new(false);
        let done = Mutex::new(0);
        let job = |_: usize| {
            *done.lock().unwrap() += 1;
            stop.store(true, Ordering::Relaxed);
        };
        Threads::new(2).unwrap().run(1000, &job, &|_, _| (), &stop);
        assert!(*done.lock().unwrap() <= 2);
    }
}
