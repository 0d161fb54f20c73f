//! A stored trial is reused as long as its engine is unchanged; other engines do not matter.

#[path = "support/hostile.rs"]
mod hostile;
mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{Folder, study};
use veracity_engine::Engine;
use veracity_lab::{Engines, Lab, Progress, Row, Store, Threads};
use veracity_worker::WorkerEngine;

/// Counts trials found in the store.
#[derive(Default)]
struct Found(AtomicUsize);

impl Progress for Found {
    fn planned(&self, _trials: usize, stored: usize, _estimate_cpu_s: f64) {
        self.0.store(stored, Ordering::Relaxed);
    }
    fn reference(&self, _scenario: &str) {}
    fn finished(&self, _row: &Row, _ran: bool) {}
}

/// Number of trials found in the store when native and workers run, each started anew as by a new command.
fn found(folder: &Path, workers: &[PathBuf]) -> usize {
    let worker = |path: &PathBuf| -> &'static dyn Engine {
        Box::leak(Box::new(WorkerEngine::new(path.clone(), hostile::limits())))
    };
    let list: Vec<&'static dyn Engine> =
        support::ENGINES[..1].iter().copied().chain(workers.iter().map(worker)).collect();
    let store = Store::open(folder).unwrap();
    let executor = Threads::new(1).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab {
        engines: Engines { list: &list, build: "test" },
        store: &store,
        executor: &executor,
        stop,
        fresh: false,
    };
    let counted = Found::default();
    let specs: Vec<&str> = list.iter().map(|engine| engine.name()).collect();
    let result = lab.run(&study(&["simple_pendulum"], &specs), &counted).unwrap();
    assert!(result.complete);
    store.close().unwrap();
    counted.0.load(Ordering::Relaxed)
}

fn replace(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(new, path).unwrap();
}

#[test]
fn another_program_behind_the_same_launcher_runs_again_and_others_do_not() {
    let folder = Folder::new("stale");
    let workers = folder.path().join("workers");
    let program = workers.join("engine");
    let sound = hostile::program(&workers, "source");
    replace(&program, &std::fs::read(sound).unwrap());
    let launcher = workers.join("veracity-engine-sound");
    replace(&launcher, format!("#!/bin/sh\nexec '{}'\n", program.display()).as_bytes());
    let (store, launchers) = (folder.path().join("results"), [launcher]);
    assert_eq!(found(&store, &launchers), 0);
    assert_eq!(found(&store, &launchers), 2, "nothing changed: both are taken from the store");
    // A second worker next to it: its own trial is new, the others are found.
    let other = hostile::program(&workers, "truncates");
    let both = [launchers[0].clone(), other];
    assert_eq!(found(&store, &both), 2, "an engine of no concern to them");
    // The program behind the launcher is upgraded.
    let mut bytes = std::fs::read(&program).unwrap();
    bytes.push(0);
    replace(&program, &bytes);
    assert_eq!(found(&store, &both), 2, "the upgraded engine's trial runs again, the other two do not");
    assert_eq!(found(&store, &both), 3);
}
