//! Storage of a large study: few files, constant memory, and one trial read without reading all.
//!
//! Alone in its program, because the memory of the program is measured.

mod support;

use std::fs;
use std::sync::Arc;
use support::{Folder, assert_same, pendulum, swing};
use veracity_record::segment::{Limits, SegmentReader, SegmentWriter};

/// Ten thousand trials of ten seconds at 100 Hz; a tenth of the trials, of their rows and of what a segment holds unless
/// VERACITY_FULL is set.
#[test]
fn ten_thousand_pendulum_trials_fit_into_fifty_files_with_flat_memory() {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let (trials, rows) = if full { (10_000, 1000) } else { (1000, 100) };
    let limits = if full { Limits::default() } else { Limits { records: 102, ..Limits::default() } };
    let world = Arc::new(pendulum());
    let trial = |seed: u32| swing(&world, u64::from(seed), rows);
    let folder = Folder::new();
    let mut writer = SegmentWriter::open_with(folder.root(), limits).unwrap();
    let mut locations = Vec::new();
    let mut peak_after_two_segments = None;
    for seed in 0..trials {
        locations.push(writer.append(&trial(seed)).unwrap());
        if seed == trials / 4 {
            peak_after_two_segments = peak_memory_bytes();
        }
    }
    writer.finish().unwrap();
    let reader = SegmentReader::open(folder.root());
    for seed in [0, 1, trials / 2, trials - 1] {
        assert_same(&reader.read(locations[seed as usize]).unwrap(), &trial(seed));
    }
    let files = folder.names().len();
    assert!(files <= 50, "{:?}", folder.names());
    let bytes: u64 = fs::read_dir(folder.root()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    let each = bytes / u64::from(trials);
    // By then two segments were full and turned into tables; the rest must not need more memory. The allocator's
    // reserve may differ by a row group (4 MiB) and its compressed pages.
    if let (Some(before), Some(after)) = (peak_after_two_segments, peak_memory_bytes()) {
        assert!(after - before <= 8 << 20, "peak memory went from {before} to {after} bytes");
        println!(
            "ACCEPT large-study: {trials} trials, {files} files, {each} bytes a trial, {} MiB at most",
            after >> 20
        );
    }
}

/// Peak memory of this program [bytes]; `None` where the system does not report it.
fn peak_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
}
