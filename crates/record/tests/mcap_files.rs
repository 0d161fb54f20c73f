//! MCAP files: a record is read back bit for bit, repetitions give the same bytes, damage is an error and never a
//! panic.

mod support;

use proptest::prelude::*;
use std::fs;
use std::sync::Arc;
use support::{Folder, any_record, assert_same, menagerie, pendulum, swing};
use veracity_record::{Host, Record, read_mcap, write_mcap, write_mcap_without_host};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_record_is_read_back_bit_for_bit(record in any_record()) {
        let folder = Folder::new();
        let path = folder.path("a.mcap");
        write_mcap(&record, &path).unwrap();
        assert_same(&read_mcap(&path).unwrap(), &record);
        write_mcap_without_host(&record, &path).unwrap();
        assert_same(&read_mcap(&path).unwrap(), &Record { host: Host::default(), ..record });
    }

    /// Truncated and with flipped bits: an error, or exactly the same record, never a panic.
    #[test]
    fn damage_is_an_error_or_harmless(record in any_record(), flips in proptest::collection::vec(any::<(prop::sample::Index, u8)>(), 1..4), cut in proptest::option::of(any::<prop::sample::Index>())) {
        let folder = Folder::new();
        let path = folder.path("a.mcap");
        write_mcap(&record, &path).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << (bit % 8);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&path, bytes).unwrap();
        match read_mcap(&path) {
            Ok(back) => prop_assert_eq!(back.digest(), record.digest()),
            Err(error) => prop_assert!(error.to_string().contains("a.mcap: ")),
        }
    }
}

#[test]
fn repetitions_give_the_same_bytes_whatever_the_host() {
    let world = Arc::new(pendulum());
    let folder = Folder::new();
    let (a, b) = (folder.path("a.mcap"), folder.path("b.mcap"));
    let record = swing(&world, 1, 300);
    let elsewhere =
        Record { host: Host { cpu_s: 7.0, machine: "another".to_string(), ..Host::default() }, ..record.clone() };
    write_mcap_without_host(&record, &a).unwrap();
    write_mcap_without_host(&elsewhere, &b).unwrap();
    assert_eq!(fs::read(&a).unwrap(), fs::read(&b).unwrap());

    // With the host part, everything before it is the same.
    write_mcap(&record, &a).unwrap();
    write_mcap(&elsewhere, &b).unwrap();
    let (a, b) = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
    let host = b"veracity/host";
    let at = a.windows(host.len()).position(|w| w == host).unwrap();
    assert_eq!(a[..at - 20], b[..at - 20]);
    assert_ne!(a, b);
}

#[test]
fn every_cut_of_a_file_is_an_error_that_names_the_byte() {
    let folder = Folder::new();
    let path = folder.path("a.mcap");
    write_mcap(&swing(&Arc::new(pendulum()), 1, 3), &path).unwrap();
    let whole = fs::read(&path).unwrap();
    for cut in (0..whole.len()).step_by(7) {
        fs::write(&path, &whole[..cut]).unwrap();
        let said = read_mcap(&path).unwrap_err().to_string();
        assert!(said.contains("a.mcap: byte "), "cut at {cut}: {said}");
    }
}

#[test]
fn a_newer_file_is_rejected() {
    let folder = Folder::new();
    let path = folder.path("a.mcap");
    let mut record = swing(&Arc::new(pendulum()), 1, 3);
    record.head.schema = 9;
    write_mcap(&record, &path).unwrap();
    let said = read_mcap(&path).unwrap_err().to_string();
    assert!(said.ends_with("a.mcap: has schema 9; this version reads up to 2: update veracity"), "{said}");
}

#[test]
fn files_that_are_not_records_are_errors() {
    let folder = Folder::new();
    let path = folder.path("a.mcap");
    fs::write(&path, "time,x\n0,1\n").unwrap();
    assert!(read_mcap(&path).unwrap_err().to_string().contains("not an MCAP file"));
    assert!(read_mcap(&folder.path("b.mcap")).unwrap_err().to_string().contains("b.mcap: could not be read"));
    let out = mcap::Writer::new(fs::File::create(&path).unwrap()).and_then(|mut w| w.finish().map(drop));
    out.unwrap();
    let said = read_mcap(&path).unwrap_err().to_string();
    assert!(said.contains("this file was not written by veracity"), "{said}");
}

#[test]
fn a_track_that_does_not_fit_its_world_is_not_written() {
    let folder = Folder::new();
    let mut record = swing(&Arc::new(pendulum()), 1, 3);
    record.world = Arc::new(menagerie());
    let said = write_mcap(&record, &folder.path("a.mcap")).unwrap_err().to_string();
    assert!(said.contains("its track does not fit its world"), "{said}");
    assert!(folder.names().is_empty());
}
