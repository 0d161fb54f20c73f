//! Files of older schemas are read. `data/schema_1` was written by the version before heads had thresholds of events:
//! one record in each of the three kinds of file, its digest in [`DIGEST`].

use std::path::{Path, PathBuf};
use veracity_record::{EventKind, Location, Record, SegmentReader, read_mcap};

const DIGEST: &str = "2f8302605f0fad13202d2ece7d7df58fc1eb7ad8d0fbabd01f6a00ca53e95f93";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/schema_1")
}

fn is_the_one(record: &Record) {
    assert_eq!(record.digest().to_string(), DIGEST);
    assert_eq!((record.head.schema, record.head.events), (1, None));
    assert_eq!(record.events[0].kind, EventKind::NearMiss);
    assert_eq!(record.track.rows(), 2);
}

#[test]
fn records_of_schema_1_are_read_from_all_files() {
    is_the_one(&read_mcap(&folder().join("swing.mcap")).unwrap());
    let reader = SegmentReader::open(&folder());
    for segment in [0, 1] {
        is_the_one(&reader.read(Location { segment, index: 0 }).unwrap());
    }
}

/// An old record that is copied keeps its schema.
#[test]
fn an_old_record_written_again_keeps_its_digest() {
    let old = read_mcap(&folder().join("swing.mcap")).unwrap();
    let again = std::env::temp_dir().join(format!("veracity-older-{}", std::process::id()));
    std::fs::create_dir_all(&again).unwrap();
    let mut writer = veracity_record::SegmentWriter::open(&again).unwrap();
    let location = writer.append(&old).unwrap();
    is_the_one(&SegmentReader::open(&again).read(location).unwrap());
    writer.finish().unwrap();
    is_the_one(&SegmentReader::open(&again).read(location).unwrap());
    veracity_record::write_mcap(&old, &again.join("again.mcap")).unwrap();
    is_the_one(&read_mcap(&again.join("again.mcap")).unwrap());
    std::fs::remove_dir_all(&again).unwrap();
}
