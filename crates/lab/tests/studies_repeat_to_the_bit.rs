//! The deterministic part of every record is the same for two runs, for any number of threads, and for a run that was
//! interrupted and resumed; and no trial runs twice.

mod support;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{Folder, engines, run_in, study};
use veracity_lab::{Lab, Progress, Row, Store, Threads};

fn small() -> veracity_scenario::Study {
    study(
        &["simple_pendulum", "free_fall", "double_pendulum"],
        &["native", "native:integrator=euler", "rapier", "rapier:multibody"],
    )
}

#[test]
fn one_thread_and_two_and_a_second_run_give_the_same_bytes() {
    let folders = [Folder::new("one"), Folder::new("two"), Folder::new("again")];
    let results: Vec<_> =
        folders.iter().zip([1, 2, 2]).map(|(folder, threads)| run_in(folder.path(), &small(), threads)).collect();
    assert_eq!(results[0].digest(), results[1].digest());
    assert_eq!(results[1].digest(), results[2].digest());
    // Verdicts, reasons and numbers follow from the records: everything but the cost is equal.
    let without_cost = |mut rows: Vec<Row>| {
        rows.iter_mut().for_each(|r| r.cpu_s = 0.0);
        rows
    };
    let [a, b, _] = <[_; 3]>::try_from(results).unwrap();
    println!("ACCEPT repeats: {} trials, digest {}", a.rows.len(), a.digest().short());
    assert_eq!(without_cost(a.rows), without_cost(b.rows));
}

/// Counts the trials that ran and interrupts after a few.
struct Interrupt {
    stop: Arc<AtomicBool>,
    after: usize,
    ran: AtomicUsize,
    names: Mutex<Vec<String>>,
}

impl Progress for Interrupt {
    fn finished(&self, row: &Row, ran: bool) {
        if !ran {
            return;
        }
        self.names.lock().unwrap().push(format!("{} {} {}", row.scenario, row.full_spec, row.step_s));
        if self.ran.fetch_add(1, Ordering::Relaxed) + 1 == self.after {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interrupted_study_goes_on_where_it_was_and_runs_nothing_twice() {
    let (whole, parts) = (Folder::new("whole"), Folder::new("parts"));
    let expected = run_in(whole.path(), &small(), 2);
    let mut names = Vec::new();
    let mut last = None;
    for _ in 0..20 {
        let store = Store::open(parts.path()).unwrap();
        let executor = Threads::new(1).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let progress =
            Interrupt { stop: Arc::clone(&stop), after: 3, ran: AtomicUsize::new(0), names: Mutex::new(Vec::new()) };
        let lab = Lab { engines: engines(), store: &store, executor: &executor, stop, fresh: false };
        let result = lab.run(&small(), &progress).unwrap();
        names.extend(progress.names.into_inner().unwrap());
        store.close().unwrap();
        let complete = result.complete;
        last = Some(result);
        if complete {
            break;
        }
    }
    let last = last.unwrap();
    assert!(last.complete);
    assert_eq!(last.digest(), expected.digest());
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "a trial was run twice");
    assert_eq!(all, expected.rows.len());
}
