//! A large study stays small: few files, constant memory, and every record can be read back.

mod support;

use support::{Folder, full_size, run_in, study};
use veracity_lab::{Store, TrialKey};
use veracity_model::Overrides;

#[test]
fn ten_thousand_pendulums_make_few_files_and_take_little_memory() {
    let count = if full_size() { 10_000 } else { 600 };
    let mut many = study(&["simple_pendulum"], &["native"]);
    let mut short = (*many.scenarios[0]).clone();
    short.duration_ns = 100_000_000;
    // Without references or checks at instants that are no longer reached: this test is about storing.
    short.checks.clear();
    many.scenarios[0] = std::sync::Arc::new(short);
    let mass = |i: usize| Overrides::new().set("world/pendulum/bodies/bob/mass", 1.0 + 1e-4 * i as f64);
    many.variations = (0..count).map(mass).collect();
    let folder = Folder::new("many");
    let before = resident_mib();
    let result = run_in(folder.path(), &many, 2);
    let grown = resident_mib() - before;
    assert_eq!(result.rows.len(), count);
    let files = files_below(folder.path());
    println!("ACCEPT lab-large-study: {count} trials, {files} files, memory grew by {grown:.0} MiB");
    assert!(files <= 50, "{files} files");
    // The rows themselves are about 2 KiB each; records, tens of KiB each, must not be kept in memory.
    assert!(grown < 200.0, "memory grew by {grown} MiB");

    let store = Store::open(folder.path()).unwrap();
    for row in result.rows.iter().step_by(count / 20) {
        let record = store.record(TrialKey(row.key)).unwrap().unwrap();
        assert_eq!(Some(record.digest()), row.digest);
        assert_eq!(record.head.overrides, row.overrides);
    }
}

fn files_below(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries.map(|p| if p.is_dir() { files_below(&p) } else { 1 }).sum()
}

/// Resident memory of this process, from the kernel [MiB].
fn resident_mib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
