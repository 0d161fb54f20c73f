//! Hostile workers in one study with correct engines: the other trials give the same results as without them, the study
//! ends, and no failed trial is stored.

#[path = "support/hostile.rs"]
mod hostile;
mod support;

use hostile::{End, KINDS, worker};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{Folder, run_in, study};
use veracity_engine::Engine;
use veracity_lab::{Engines, Lab, Silent, Store, Threads, TrialKey, TrialVerdict};

#[test]
fn a_study_outlives_its_hostile_workers() {
    let folder = Folder::new("hostile-study");
    let alone = run_in(&folder.path().join("alone"), &study(&["simple_pendulum"], &["native", "rapier"]), 2);
    // Kinds that only sleep are tested individually elsewhere: each takes twice its timeout.
    let sleeps = ["sleep", "count", "drips", "part", "half", "living"];
    let kinds: Vec<_> = KINDS.iter().filter(|(kind, _)| !sleeps.iter().any(|word| kind.contains(word))).collect();
    let list: Vec<&'static dyn Engine> = support::ENGINES
        .iter()
        .copied()
        .chain(kinds.iter().map(|(kind, _)| -> &'static dyn Engine {
            // Leaked for the life of the test, as in the program.
            Box::leak(Box::new(worker(&folder.path().join("workers"), kind)))
        }))
        .collect();
    let mut specs = vec!["native"];
    specs.extend(kinds.iter().map(|(kind, _)| *kind));
    specs.push("rapier");
    let mut study = study(&["simple_pendulum"], &specs);
    study.name = "hostile".to_string();
    let store = Store::open(folder.path()).unwrap();
    let executor = Threads::new(2).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab {
        engines: Engines { list: &list, build: "test" },
        store: &store,
        executor: &executor,
        stop,
        fresh: false,
    };
    let result = lab.run(&study, &Silent).unwrap();
    assert!(result.complete && result.rows.len() == specs.len());
    let row = |spec: &str| result.rows.iter().find(|row| row.engine == spec).unwrap();
    for sound in ["native", "rapier"] {
        let other = alone.rows.iter().find(|row| row.engine == sound).unwrap();
        assert_eq!((row(sound).digest, row(sound).verdict), (other.digest, other.verdict), "{sound}");
    }
    for (kind, end) in kinds {
        let row = row(kind);
        let stored = store.has(TrialKey(row.key)).unwrap();
        match end {
            End::Failed(words) => {
                assert!(row.verdict == TrialVerdict::Failed && row.reason.contains(words), "{kind}: {}", row.reason);
                assert!(!stored, "{kind}: a failed trial is stored");
            }
            End::NotExpressible(_) => assert_eq!(row.verdict, TrialVerdict::NotExpressible, "{kind}"),
            _ => assert_ne!(row.verdict, TrialVerdict::Failed, "{kind}: {}", row.reason),
        }
    }
}
