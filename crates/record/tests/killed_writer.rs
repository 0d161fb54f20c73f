//! `kill -9` in the middle of a study: every record whose `append` had returned is still there.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use support::{Folder, assert_same, pendulum, swing};
use veracity_model::World;
use veracity_record::Record;
use veracity_record::segment::{Limits, Location, SegmentReader, SegmentWriter};

const FOLDER: &str = "VERACITY_TEST_KILLED_WRITER";
/// Few records, so that the writer is also stopped while it turns a log into a table.
const LIMITS: Limits = Limits { records: 5, bytes: 1 << 30 };

fn trial(world: &Arc<World>, seed: u64) -> Record {
    swing(world, seed, 20)
}

#[test]
fn every_record_that_was_added_survives_and_the_next_writer_goes_on() {
    let world = Arc::new(pendulum());
    let folder = Folder::new();
    let mut kept: Vec<Location> = Vec::new();
    for round in 0..8 {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args(["--exact", "child_that_adds_records_until_it_is_killed", "--nocapture"])
            .env(FOLDER, folder.root())
            .env("VERACITY_TEST_FIRST_SEED", kept.len().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        // Each round is stopped at another point between and within records.
        let added = lines.by_ref().filter_map(|line| location(&line)).take(3 + 2 * round);
        kept.extend(added.collect::<Vec<_>>());
        child.kill().unwrap();
        // Records added between the last line read and the end are there too.
        kept.extend(lines.filter_map(|line| location(&line)));
        child.wait().unwrap();

        let reader = SegmentReader::open(folder.root());
        for (seed, location) in kept.iter().enumerate() {
            assert_same(&reader.read(*location).unwrap(), &trial(&world, seed as u64));
        }
        // One more may be complete although its `append` had not yet returned.
        let contents = reader.contents().unwrap();
        assert!((kept.len()..=kept.len() + 1).contains(&contents.len()), "{} of {}", kept.len(), contents.len());
        kept = contents.into_iter().map(|(location, _)| location).collect();
    }
    assert!(kept.len() > 50);
}

fn location(line: &str) -> Option<Location> {
    let (segment, index) = line.strip_prefix("added ")?.split_once(' ')?;
    Some(Location { segment: segment.parse().ok()?, index: index.parse().ok()? })
}

/// Does nothing unless the test above runs it.
#[test]
fn child_that_adds_records_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let first: u64 = std::env::var("VERACITY_TEST_FIRST_SEED").unwrap().parse().unwrap();
    let world = Arc::new(pendulum());
    let mut writer = SegmentWriter::open_with(Path::new(&folder), LIMITS).unwrap();
    let mut out = std::io::stdout();
    println!();
    for seed in first.. {
        let Location { segment, index } = writer.append(&trial(&world, seed)).unwrap();
        writeln!(out, "added {segment} {index}").unwrap();
        out.flush().unwrap();
    }
}
