//! A trial that reached its cap of CPU time is not run again when its study is resumed: a study with many slow cells would
//! spend the cap of each once more. Another cap, or `fresh`, runs it again.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{Folder, engines, study};
use veracity_lab::{Lab, Progress, Row, Store, Threads, TrialVerdict};
use veracity_model::Overrides;

/// Counts the trials that were run, not read.
#[derive(Default)]
struct Ran(AtomicUsize);

impl Progress for Ran {
    fn finished(&self, _row: &Row, ran: bool) {
        self.0.fetch_add(usize::from(ran), Ordering::Relaxed);
    }
}

/// A pendulum for a simulated year: no machine finishes it within the cap.
fn run(folder: &Folder, cap_s: f64, fresh: bool) -> (TrialVerdict, usize) {
    let mut one = study(&["simple_pendulum"], &["native"]);
    let mut scenario = one.scenarios[0].with(&Overrides::new().set("duration_s", 1e6)).unwrap();
    scenario.cpu_cap_s = cap_s;
    // Few rows: the memory for them is set aside at the start.
    scenario.record_every_ns = 1_000_000_000_000;
    scenario.references.clear();
    scenario.checks.clear();
    one.scenarios = vec![Arc::new(scenario)];
    let store = Store::open(folder.path()).unwrap();
    let executor = Threads::new(1).unwrap();
    let lab =
        Lab { engines: engines(), store: &store, executor: &executor, stop: Arc::new(AtomicBool::new(false)), fresh };
    let ran = Ran::default();
    let result = lab.run(&one, &ran).unwrap();
    store.close().unwrap();
    (result.rows[0].verdict, ran.0.into_inner())
}

#[test]
fn a_trial_that_was_too_slow_runs_again_only_with_another_cap() {
    let folder = Folder::new("too-slow");
    assert_eq!(run(&folder, 0.05, false), (TrialVerdict::TooSlow, 1));
    assert_eq!(run(&folder, 0.05, false), (TrialVerdict::TooSlow, 0));
    assert_eq!(run(&folder, 0.06, false), (TrialVerdict::TooSlow, 1));
    assert_eq!(run(&folder, 0.05, true), (TrialVerdict::TooSlow, 1));
}
