//! Readers only read: they create, change and lock nothing, and a writer is not affected by them.

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use support::{Folder, run_in, study};
use veracity_lab::{Store, StoreReader, TrialKey};
use veracity_model::Overrides;

/// A reader used to open the store as a writer does: whichever of the two came second was rejected, and a study that
/// started while a reader was open ended before its first trial.
#[test]
fn studies_run_to_their_end_beside_readers_that_poll() {
    let mut many = study(&["simple_pendulum"], &["native"]);
    let mut short = (*many.scenarios[0]).clone();
    short.duration_ns = 20_000_000;
    short.checks.clear();
    many.scenarios[0] = std::sync::Arc::new(short);
    let folder = Folder::new("polled");
    let (done, looks) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // Before the first study there is nothing to open.
                    let Ok(reader) = StoreReader::open(folder.path()) else { continue };
                    for run in reader.runs().unwrap() {
                        if let Some((_, result)) = reader.result(Some(run.id)).unwrap() {
                            let row = &result.rows[result.rows.len() / 2];
                            let record = reader.record(TrialKey(row.key)).unwrap().unwrap();
                            assert_eq!(Some(record.digest()), row.digest);
                        }
                    }
                    looks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..6 {
            let mass = |i: usize| {
                Overrides::new().set("world/pendulum/bodies/bob/mass", 1.0 + round as f64 + 1e-3 * i as f64)
            };
            many.variations = (0..40).map(mass).collect();
            // `run_in` opens and closes the store each time, as a command does.
            let result = run_in(folder.path(), &many, 2);
            assert_eq!((result.rows.len(), result.complete), (40, true));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(looks.load(Ordering::Relaxed) > 0, "nobody looked");
    assert_eq!(StoreReader::open(folder.path()).unwrap().runs().unwrap().len(), 6);
}

#[test]
fn a_writer_keeps_its_store_while_readers_hold_it_open() {
    let folder = Folder::new("held");
    let pendulum = study(&["simple_pendulum"], &["native"]);
    run_in(folder.path(), &pendulum, 1);
    let reader = StoreReader::open(folder.path()).unwrap();
    let before = reader.runs().unwrap();
    run_in(folder.path(), &pendulum, 1);
    assert_eq!((before.len(), reader.runs().unwrap().len()), (1, 2));
    // A second writer is still rejected, with a message.
    let _writer = Store::open(folder.path()).unwrap();
    let said = Store::open(folder.path()).err().unwrap().to_string();
    assert!(said.contains("another process is writing it"), "{said}");
}

#[test]
fn what_a_reader_leaves_is_what_it_found() {
    let folder = Folder::new("untouched");
    let result = run_in(folder.path(), &study(&["simple_pendulum"], &["native"]), 1);
    let before = contents(folder.path());
    let reader = StoreReader::open(folder.path()).unwrap();
    assert_eq!(reader.result(None).unwrap().unwrap().1, result);
    assert!(reader.record(TrialKey(result.rows[0].key)).unwrap().is_some());
    drop(reader);
    let mut after = contents(folder.path());
    // Files that readers of a write-ahead log share; they hold no data.
    after.retain(|name, bytes| !(name.ends_with("-shm") || (name.ends_with("-wal") && bytes.is_empty())));
    assert_eq!(before, after);
}

#[test]
fn a_folder_without_results_is_not_made_into_one() {
    let folder = Folder::new("none");
    std::fs::create_dir_all(folder.path()).unwrap();
    let said = StoreReader::open(folder.path()).err().unwrap().to_string();
    assert!(said.contains("there are no results"), "{said}");
    assert!(contents(folder.path()).is_empty());
}

/// Every file below a folder, by its path.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(path) = todo.pop() {
        for entry in std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                todo.push(entry);
            } else {
                let name = entry.strip_prefix(folder).unwrap().display().to_string();
                out.insert(name, std::fs::read(entry).unwrap());
            }
        }
    }
    out
}
