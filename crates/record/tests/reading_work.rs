//! The cost of reading records is proportional to the records read, not to the folder's content: work is counted, not
//! timed.

mod support;

use std::sync::Arc;
use support::{Folder, assert_same, pendulum, swing};
use veracity_record::segment::{Limits, Location, ReadWork, SegmentReader, SegmentWriter};

const TRIALS: u64 = 400;

fn filled(folder: &Folder) -> (SegmentWriter, Vec<Location>) {
    let world = Arc::new(pendulum());
    let limits = Limits { records: 200, ..Limits::default() };
    let mut writer = SegmentWriter::open_with(folder.root(), limits).unwrap();
    let locations = (0..TRIALS).map(|seed| writer.append(&swing(&world, seed, 20)).unwrap()).collect();
    (writer, locations)
}

fn read_all(reader: &SegmentReader, locations: &[Location]) -> ReadWork {
    let world = Arc::new(pendulum());
    for (seed, location) in locations.iter().enumerate() {
        assert_same(&reader.read(*location).unwrap(), &swing(&world, seed as u64, 20));
    }
    reader.work()
}

/// Regression: every record used to open each of its sixty columns and skip to its row: 400 records, 400 times the
/// columns.
#[test]
fn a_group_of_a_table_is_decoded_once() {
    let folder = Folder::new();
    let (writer, locations) = filled(&folder);
    writer.finish().unwrap();
    let work = read_all(&SegmentReader::open(folder.root()), &locations);
    // Two segments of 200 small records are one group each.
    assert_eq!(work, ReadWork { groups: 2, frames: 0 });
}

/// Regression: every record used to scan the whole log: n records, n² frames.
#[test]
fn a_frame_of_a_log_is_read_once() {
    let folder = Folder::new();
    let (writer, locations) = filled(&folder);
    let work = read_all(&SegmentReader::open(folder.root()), &locations);
    // The first segment became a table; the second is a log, with a frame for its world.
    assert_eq!(work, ReadWork { groups: 1, frames: 201 });
    drop(writer);
}

/// A reader that keeps a log open sees what is added to it, and that it becomes a table.
#[test]
fn a_log_that_grows_and_becomes_a_table_is_read_all_along() {
    let world = Arc::new(pendulum());
    let folder = Folder::new();
    let reader = SegmentReader::open(folder.root());
    let mut writer = SegmentWriter::open_with(folder.root(), Limits { records: 5, ..Limits::default() }).unwrap();
    let mut locations = Vec::new();
    for seed in 0..23 {
        locations.push(writer.append(&swing(&world, seed, 3)).unwrap());
        for (seed, location) in locations.iter().enumerate() {
            assert_same(&reader.read(*location).unwrap(), &swing(&world, seed as u64, 3));
        }
    }
    writer.finish().unwrap();
    for (seed, location) in locations.iter().enumerate() {
        assert_same(&reader.read(*location).unwrap(), &swing(&world, seed as u64, 3));
    }
}
