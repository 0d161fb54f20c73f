//! A full disk: an error, no partial file, and the previous content still complete.
//!
//! A shell limits the file size of the test program: the system then refuses further writes, as on a full disk, without
//! special rights. (`SIGXFSZ`, which would end the program, is ignored.)

#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use support::{Folder, assert_same, pendulum, swing};
use veracity_record::{
    FileError, Location, Record, SegmentReader, SegmentWriter, read_mcap, write_csv, write_mcap, write_track,
};

const FOLDER: &str = "VERACITY_TEST_FULL_DISK";
/// In blocks of 512 bytes: 8 kB.
const LIMIT_BLOCKS: &str = "16";

/// A small and a large record, on either side of the limit.
fn records() -> (Record, Record) {
    let world = Arc::new(pendulum());
    (swing(&world, 1, 3), swing(&world, 2, 3000))
}

type Writing = fn(&Record, &Path) -> Result<(), FileError>;
const WRITERS: [(&str, Writing); 3] = [("a.mcap", write_mcap), ("a.parquet", write_track), ("a.csv", write_csv)];

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let folder = Folder::new();
    let (small, large) = records();
    for (name, write) in WRITERS {
        fs::write(folder.path(name), "the old file").unwrap();
        write(&small, &folder.path(&format!("fits-{name}"))).unwrap();
    }
    let limited =
        format!("trap '' XFSZ; ulimit -f {LIMIT_BLOCKS}; exec \"$0\" --exact child_with_a_full_disk --nocapture");
    let program = std::env::current_exe().unwrap();
    let child = Command::new("sh").args(["-c", &limited]).arg(program).env(FOLDER, folder.root()).output().unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains("1 passed"), "{said}");

    for (name, _) in WRITERS {
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "the old file");
    }
    assert_same(&read_mcap(&folder.path("fits-a.mcap")).unwrap(), &small);
    let leftovers: Vec<String> = folder.names().into_iter().filter(|name| name.ends_with(".unfinished")).collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");

    // The store is intact, and appending continues when there is space again.
    let store = folder.path("segments");
    let mut writer = SegmentWriter::open(&store).unwrap();
    assert_eq!(writer.recovered().records, 1);
    assert_eq!(writer.recovered().lost_bytes, 0);
    let location = writer.append(&large).unwrap();
    writer.finish().unwrap();
    let reader = SegmentReader::open(&store);
    assert_same(&reader.read(Location { segment: 0, index: 0 }).unwrap(), &small);
    assert_same(&reader.read(location).unwrap(), &large);
}

/// Does nothing unless the test above runs it.
#[test]
fn child_with_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let (small, large) = records();
    for (name, write) in WRITERS {
        let said = write(&large, &folder.join(name)).unwrap_err().to_string();
        let expected =
            format!("{name}: could not be written: the file grows larger than the file system or the limit");
        assert!(said.contains(&expected), "{said}");
    }
    let mut writer = SegmentWriter::open(&folder.join("segments")).unwrap();
    writer.append(&small).unwrap();
    let said = writer.append(&large).unwrap_err().to_string();
    assert!(said.contains("segment-00000.log: could not be written: the file grows larger"), "{said}");
}
