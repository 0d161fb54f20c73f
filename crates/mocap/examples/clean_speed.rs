//! Speed of cleaning a recording: `cargo xtask bench mocap` runs this.
//!
//! Writes a synthetic Vicon text stream of SAMPLES samples into FOLDER, reads and cleans it ROUNDS times without the
//! smoother, and prints one line of JSON with the best round and the snaps found, so that the speed is reported with
//! its result.
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::path::Path;
use std::time::Instant;
use veracity_mocap::pipeline::{Centre, CleanOptions, clean};
use veracity_mocap::readers::{self, ReadOptions};
use veracity_mocap::synthetic::ball::{Ball, roll};
use veracity_mocap::synthetic::capture::{Tracker, capture};
use veracity_mocap::synthetic::{files, truth};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, samples, rounds] = arguments.as_slice() else {
        return Err("usage: clean_speed FOLDER SAMPLES ROUNDS".into());
    };
    let (samples, rounds): (usize, usize) = (samples.parse()?, rounds.parse()?);
    let record = roll(&Ball::default(), (samples - 1) as f64 / 100.0, 1)?;
    let motion = truth(&record, "body", 100.0).ok_or("the record has a body")?;
    drop(record);
    let tracker = Tracker {
        place_noise: 5e-4,
        turn_noise: 0.3f64.to_radians(),
        centre: [-1.2e-3, 3.4e-3, 1.8e-3],
        snaps: 6.0,
        hidden: 10.0,
        losses: 1.0,
        delay_s: 0.0016,
        ..Tracker::default()
    };
    let captured = capture(&motion, &tracker, 1);
    let path = Path::new(folder).join("clean_speed.txt");
    files::vicon(&path, &captured.stream.samples)?;
    let bytes = std::fs::metadata(&path)?.len();
    let options = CleanOptions { centre: Centre::FromHeight, radius: 0.041, ..CleanOptions::default() };
    let (mut best, mut read_s, mut found) = (f64::INFINITY, 0.0, 0.0);
    for _ in 0..rounds {
        let begun = Instant::now();
        let stream = readers::read(&path, None, &ReadOptions::default())?;
        let read = begun.elapsed().as_secs_f64();
        let cleaned = clean(stream, &options).map_err(|(error, _)| error)?;
        let all = begun.elapsed().as_secs_f64();
        if all < best {
            (best, read_s) = (all, read);
        }
        let snaps = cleaned.reports.iter().find(|r| r.step == "snaps, robust").and_then(|r| r.find("snaps"));
        found = snaps.map_or(0.0, |n| n.value);
    }
    std::fs::remove_file(&path)?;
    let count = captured.stream.samples.len();
    println!(
        "{{\"samples\": {count}, \"bytes\": {bytes}, \"samples_per_s\": {:.0}, \"read_s\": {read_s:.4}, \"all_s\": {best:.4}, \
         \"snaps_put_in\": {}, \"snaps_found\": {found}}}",
        count as f64 / best,
        captured.snaps.len()
    );
    Ok(())
}
