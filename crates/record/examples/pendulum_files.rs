//! Writes a swinging pendulum in every format: `cargo run -p veracity-record --example pendulum_files -- FOLDER`.
//!
//! docs/records.md describes each file and how to open it.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Shape, Vec3, World};
use veracity_record::{
    Head, Host, LogEntry, Outcome, Record, SegmentWriter, Signal, Track, write_csv, write_mcap, write_track,
};

const LENGTH_M: f64 = 1.0;
const AMPLITUDE_RAD: f64 = 0.2;
const INTERVAL_S: f64 = 0.01;
const ROWS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("name a folder for the files")?;
    let record = small_swing()?;
    write_mcap(&record, &folder.join("pendulum.mcap"))?;
    write_track(&record, &folder.join("pendulum.parquet"))?;
    write_csv(&record, &folder.join("pendulum.csv"))?;
    let mut segments = SegmentWriter::open(&folder.join("segments"))?;
    let location = segments.append(&record)?;
    segments.finish()?;
    println!("{} is also {location}", record.digest());
    Ok(())
}

fn pendulum() -> Result<World, Box<dyn Error>> {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::new(0.0, 0.0, -LENGTH_M)))
        .with_shape(Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, -LENGTH_M))
        .with_shape(Shape::Cylinder { radius: 0.02, length: LENGTH_M }, at(0.0, 0.0, -0.5 * LENGTH_M));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    Ok(World::with_model(builder.build().map_err(|findings| findings.to_string())?))
}

/// The closed form for small angles, q = A cos(ω t) with ω² = g / l.
fn small_swing() -> Result<Record, Box<dyn Error>> {
    let world = Arc::new(pendulum()?);
    let rate = (-world.gravity.z / LENGTH_M).sqrt();
    let mut track = Track::new(1, 1, 1, 0, ROWS);
    let mut energy_j = Vec::new();
    for row in 0..ROWS {
        let time = row as f64 * INTERVAL_S;
        let (sine, cosine) = libm::sincos(rate * time);
        let (q, v) = (AMPLITUDE_RAD * cosine, -AMPLITUDE_RAD * rate * sine);
        let (half_sine, half_cosine) = libm::sincos(0.5 * q);
        track.times.push(time);
        track.q.push(q);
        track.v.push(v);
        track.efforts.push(0.0);
        track.poses.extend([0.0, 0.0, 0.0, half_cosine, 0.0, half_sine, 0.0]);
        track.twists.extend([0.0, v, 0.0, 0.0, 0.0, 0.0]);
        energy_j.push(0.5 * LENGTH_M * LENGTH_M * v * v + world.gravity.z * LENGTH_M * libm::cos(q));
    }
    track.signals.push(Signal { name: "energy".to_string(), unit: "J".to_string(), values: energy_j });
    let head = Head {
        schema: veracity_record::head::SCHEMA,
        scenario: "small swing".to_string(),
        key: None,
        engine: String::new(),
        engine_version: String::new(),
        veracity_version: env!("CARGO_PKG_VERSION").to_string(),
        step_s: INTERVAL_S,
        duration_s: (ROWS - 1) as f64 * INTERVAL_S,
        seed: 0,
        overrides: Vec::new(),
        world: world.digest(),
        events: None,
    };
    let text = "the closed form for small angles, not a simulation".to_string();
    Ok(Record {
        head,
        world,
        track,
        contacts: Vec::new(),
        events: Vec::new(),
        log: vec![LogEntry { time: 0.0, warning: false, text }],
        outcome: Outcome::Finished,
        host: Host::default(),
    })
}
