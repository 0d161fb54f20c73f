//! Many records in few files: only the record being written can be lost, and every other is read back bit for bit.

mod support;

use proptest::prelude::*;
use std::fs;
use std::sync::Arc;
use support::{Folder, any_record, assert_same, pendulum, swing};
use veracity_record::segment::{Limits, Location, SegmentReader, SegmentWriter};

const SMALL: Limits = Limits { records: 3, bytes: 1 << 30 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_records_are_read_back_bit_for_bit_from_logs_and_tables(records in proptest::collection::vec(any_record(), 1..8)) {
        let folder = Folder::new();
        let mut writer = SegmentWriter::open_with(folder.root(), SMALL).unwrap();
        let reader = SegmentReader::open(folder.root());
        let locations: Vec<Location> = records.iter().map(|r| writer.append(r).unwrap()).collect();
        let check = || for (location, record) in locations.iter().zip(&records) {
            assert_same(&reader.read(*location).unwrap(), record);
        };
        check();
        writer.finish().unwrap();
        check();
        let keys: Vec<_> = records.iter().map(|r| r.head.key).collect();
        let contents = reader.contents().unwrap();
        prop_assert_eq!(contents, locations.iter().copied().zip(keys).collect::<Vec<_>>());
        prop_assert!(folder.names().iter().all(|name| name.ends_with(".parquet")));
    }
}

#[test]
fn a_log_cut_anywhere_loses_only_the_record_that_was_cut() {
    let world = Arc::new(pendulum());
    let records: Vec<_> = (0..4).map(|seed| swing(&world, seed, 2)).collect();
    let folder = Folder::new();
    let mut writer = SegmentWriter::open(folder.root()).unwrap();
    let log = folder.path("segment-00000.log");
    let mut ends = vec![fs::metadata(&log).unwrap().len()];
    for record in &records {
        writer.append(record).unwrap();
        ends.push(fs::metadata(&log).unwrap().len());
    }
    drop(writer);
    let whole = fs::read(&log).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&log, &whole[..cut]).unwrap();
        let survivors = ends[1..].iter().filter(|end| **end <= cut as u64).count();
        let mut writer = SegmentWriter::open(folder.root()).unwrap();
        assert_eq!(writer.recovered().records as usize, survivors, "cut at {cut}");
        // The next record replaces the lost one.
        let location = writer.append(&records[3]).unwrap();
        assert_eq!(location, Location { segment: 0, index: survivors as u32 });
        let reader = SegmentReader::open(folder.root());
        assert_same(&reader.read(location).unwrap(), &records[3]);
        for (index, record) in records[..survivors].iter().enumerate() {
            assert_same(&reader.read(Location { segment: 0, index: index as u32 }).unwrap(), record);
        }
    }
}

#[test]
fn a_writer_stopped_between_table_and_log_leaves_one_segment() {
    let world = Arc::new(pendulum());
    let folder = Folder::new();
    let mut writer = SegmentWriter::open(folder.root()).unwrap();
    let location = writer.append(&swing(&world, 1, 3)).unwrap();
    let log = fs::read(folder.path("segment-00000.log")).unwrap();
    writer.finish().unwrap();
    fs::write(folder.path("segment-00000.log"), log).unwrap();
    fs::write(folder.path(".segment-00001.parquet.7-0.unfinished"), b"half a table").unwrap();

    let mut writer = SegmentWriter::open(folder.root()).unwrap();
    assert_eq!(writer.append(&swing(&world, 2, 3)).unwrap(), Location { segment: 1, index: 0 });
    writer.finish().unwrap();
    assert_eq!(folder.names(), ["segment-00000.parquet", "segment-00001.parquet"]);
    assert_same(&SegmentReader::open(folder.root()).read(location).unwrap(), &swing(&world, 1, 3));
}

#[test]
fn a_second_writer_is_rejected() {
    let folder = Folder::new();
    let _first = SegmentWriter::open(folder.root()).unwrap();
    let said = SegmentWriter::open(folder.root()).err().unwrap().to_string();
    assert!(said.contains("another process is writing it; wait for it or choose another folder"), "{said}");
}

#[test]
fn missing_and_damaged_records_are_errors() {
    let world = Arc::new(pendulum());
    let folder = Folder::new();
    let mut writer = SegmentWriter::open(folder.root()).unwrap();
    let location = writer.append(&swing(&world, 1, 3)).unwrap();
    writer.finish().unwrap();
    let reader = SegmentReader::open(folder.root());
    let said = |l| reader.read(l).unwrap_err().to_string();
    assert!(said(Location { segment: 0, index: 1 }).ends_with("segment-00000.parquet: record 1: no such record"));
    assert!(said(Location { segment: 9, index: 0 }).contains("segment-00009.log: could not be read"));

    let table = folder.path("segment-00000.parquet");
    let whole = fs::read(&table).unwrap();
    let newer = replace_once(&whole, b"veracity.schema\x18\x013", b"veracity.schema\x18\x019");
    fs::write(&table, newer).unwrap();
    let said = SegmentReader::open(folder.root()).read(location).unwrap_err().to_string();
    assert!(said.ends_with("has schema 9; this version reads up to 3: update veracity"), "{said}");

    for cut in (0..whole.len()).step_by(97) {
        fs::write(&table, &whole[..cut]).unwrap();
        assert!(SegmentReader::open(folder.root()).read(location).is_err(), "cut at {cut}");
    }
    // A flipped bit is an error, or was in bytes that the index does not need, or in the host part.
    for at in (0..whole.len()).step_by(11) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&table, bytes).unwrap();
        if let Ok(back) = SegmentReader::open(folder.root()).read(location) {
            assert_eq!(back.digest(), swing(&world, 1, 3).digest(), "flip at {at}");
        }
    }
}

fn replace_once(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|w| w == from).expect("it is in the file");
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}
