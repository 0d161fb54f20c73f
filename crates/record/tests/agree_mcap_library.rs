//! The `mcap` library from PyPI and its ROS 2 decoder, an independent implementation, read our files channel by channel
//! and find every number; and we read what they write.
//!
//! Needs a Python with `mcap` and `mcap-ros2-support`, named by `VERACITY_PYTHON`; without it the tests print a note
//! and pass.

mod support;

use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use support::{Folder, menagerie, pendulum, swing};
use veracity_model::Digest;
use veracity_record::{ContactSample, Event, EventKind, LogEntry, Record, Track, read_ros2_bag, write_mcap};

/// A swing with contacts, events, a warning and a non-finite pose.
fn eventful() -> Record {
    let mut record = swing(&Arc::new(pendulum()), 7, 40);
    let contact = |time, body_b| ContactSample {
        time,
        body_a: Some(0),
        body_b,
        point: [0.1, -0.2, 1e-300],
        normal: [0.0, 0.6, 0.8],
        gap: -1e-6,
        impulse: [0.0, 0.25, f64::MIN_POSITIVE],
    };
    record.contacts = vec![contact(0.05, None), contact(0.05, Some(0)), contact(0.123456789, None)];
    record.events.push(Event {
        time: 0.1234,
        time_error: 1e-9,
        substep: 2,
        pair: "bob/µ".to_string(),
        ordinal: 1,
        kind: EventKind::NearMiss,
        normal_speed: f64::NAN,
        tangential_speed: -0.0,
        normal_impulse: f64::INFINITY,
        tangential_impulse: 1.0 / 3.0,
        gap: 2e-3,
    });
    record.log.push(LogEntry { time: 0.2, warning: true, text: "the joint came apart".to_string() });
    record.track.signals[0].values[3] = f64::NAN;
    record.track.poses[30 * 7] = f64::NAN;
    record
}

fn python(script: &str, arguments: &[OsString]) -> Option<Vec<u8>> {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        println!("VERACITY_PYTHON is not set: not compared with the mcap library");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
    let output = Command::new(python).arg(script).args(arguments).output().expect("VERACITY_PYTHON can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// What the library reads from the file of a record.
fn found_in_file_of(record: &Record) -> Option<Value> {
    let folder = Folder::new();
    let path = folder.path("a.mcap");
    write_mcap(record, &path).unwrap();
    let answer = python("mcap_channels.py", &[path.into()])?;
    Some(serde_json::from_slice(&answer).expect("the script prints JSON"))
}

fn bits(values: &[f64]) -> Vec<String> {
    let hex = |value: &f64| value.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    values.iter().map(hex).collect()
}

fn nanoseconds(time: f64) -> u64 {
    (time * 1e9).round() as u64
}

fn row(values: &[f64], width: usize, row: usize) -> &[f64] {
    &values[row * width..(row + 1) * width]
}

#[test]
fn every_channel_reads_back_equal() {
    let record = eventful();
    let Some(found) = found_in_file_of(&record) else { return };
    let channels = &found["channels"];
    let track = &record.track;
    let rows = 0..track.rows();
    let times: Vec<u64> = track.times.iter().map(|t| nanoseconds(*t)).collect();

    assert_eq!(found["profile"], "ros2");
    for topic in ["/tf", "/joint_states", "/veracity/instants"] {
        assert_eq!(found["times"][topic], json!(times), "{topic}");
    }
    let shown = rows.clone().filter(|row| *row != 30);
    let transforms: Vec<Value> = shown.map(|r| json!([times[r], "pendulum/bob", bits(track.pose(r, 0))])).collect();
    assert_eq!(channels["/tf"], json!(transforms));
    let joints = rows.clone().map(|r| {
        json!([times[r], ["pendulum/hinge"], bits(track.q(r)), bits(track.v(r)), bits(row(&track.efforts, 1, r))])
    });
    assert_eq!(channels["/joint_states"], json!(joints.collect::<Vec<_>>()));
    let energy = &track.signals[0].values;
    assert_eq!(channels["/veracity/instants"], json!(rows.clone().map(|r| instant(track, r)).collect::<Vec<_>>()));
    let signal: Vec<_> = energy.iter().filter(|x| !x.is_nan()).map(|x| bits(&[*x])).collect();
    assert_eq!(channels["/signals/engine/energy_J"], json!(signal));

    let contact = |c: &ContactSample| {
        let name = |body: Option<u32>| if body.is_some() { "pendulum/bob" } else { "world" };
        let slot = |body: Option<u32>| body.map_or(-1, i64::from);
        let numbers = [&[c.time][..], &c.point, &c.normal, &[c.gap], &c.impulse].concat();
        json!([name(c.body_a), name(c.body_b), slot(c.body_a), slot(c.body_b), bits(&numbers)])
    };
    assert_eq!(channels["/veracity/contacts"], json!(record.contacts.iter().map(contact).collect::<Vec<_>>()));
    let e = &record.events[0];
    let numbers =
        [e.time, e.time_error, e.normal_speed, e.tangential_speed, e.normal_impulse, e.tangential_impulse, e.gap];
    assert_eq!(channels["/veracity/events"], json!([[e.substep, e.pair, e.ordinal, "near_miss", bits(&numbers)]]));
    let log = json!([
        [0, 20, "veracity", "small angles"],
        [123_400_000, 20, "events", "near_miss 1 of bob/µ at 0.1234 s (± 0.000000001 s)"],
        [200_000_000, 30, "veracity", "the joint came apart"],
    ]);
    assert_eq!(channels["/rosout"], log);
    // Every channel is compared, here or, if it holds shapes to be drawn, in the next test.
    let compared = [
        "/tf",
        "/joint_states",
        "/veracity/instants",
        "/signals/engine/energy_J",
        "/veracity/contacts",
        "/veracity/events",
        "/rosout",
    ];
    let drawn = ["/veracity/markers", "/veracity/surface/pendulum/bob"];
    for topic in channels.as_object().unwrap().keys() {
        assert!(compared.contains(&topic.as_str()) || drawn.contains(&topic.as_str()), "{topic} is not compared");
    }
    let messages: usize = compared.iter().map(|topic| found["times"][*topic].as_array().unwrap().len()).sum();
    println!("ACCEPT mcap-library: {} channels of numbers, {messages} messages equal", compared.len());
}

fn instant(track: &Track, r: usize) -> Value {
    let signals: Vec<f64> = track.signals.iter().map(|signal| signal.values[r]).collect();
    json!([
        bits(&[track.times[r]]),
        bits(track.q(r)),
        bits(track.v(r)),
        bits(row(&track.efforts, track.nv, r)),
        bits(track.pose(r, 0)),
        bits(track.twist(r, 0)),
        bits(row(&track.gaps, track.pairs, r)),
        bits(&signals),
    ])
}

#[test]
fn shapes_metadata_and_attachments_are_there() {
    let record = eventful();
    let Some(found) = found_in_file_of(&record) else { return };
    let unturned = |z: f64| bits(&[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]);
    let markers = json!([
        ["pendulum/bob", "shape0", 2, unturned(-1.0), bits(&[0.2, 0.2, 0.2]), 0],
        ["pendulum/bob", "shape1", 3, unturned(-0.5), bits(&[0.04, 0.04, 1.0]), 0],
    ]);
    assert_eq!(found["channels"]["/veracity/markers"], markers);
    let cloud = &found["channels"]["/veracity/surface/pendulum/bob"][0];
    assert_eq!(cloud[0], "pendulum/bob");
    for point in cloud[1].as_array().unwrap() {
        let [x, y, z] = [0, 1, 2].map(|axis| point[axis].as_f64().unwrap());
        let (from_axis, from_ball) = (x.hypot(y), x.hypot(y).hypot(z + 1.0));
        // On the ball, on the side of the rod or on its ends; single precision rounds a metre by 6e-8.
        let on_rod = (from_axis - 0.02).abs() < 1e-7 && (-1.0 - 1e-7..1e-7).contains(&z);
        let on_end = from_axis < 0.02 && (z.abs() < 1e-7 || (z + 1.0).abs() < 1e-7);
        assert!((from_ball - 0.1).abs() < 1e-7 || on_rod || on_end, "{point}");
    }
    let head = &found["metadata"]["veracity"];
    assert_eq!(head["digest"], record.digest().to_string());
    assert_eq!((&head["engine"], &head["step_s"]), (&json!("native:integrator=rk4"), &json!("0.001")));
    assert_eq!(found["metadata"]["veracity/host"]["cpu_s"], "0.25");
    assert_eq!(found["attachments"]["veracity/world"], Digest::of(&record.world.to_bytes()).to_string());
}

#[test]
fn every_kind_of_joint_and_shape_can_be_decoded() {
    let world = Arc::new(menagerie());
    let layout = veracity_model::Layout::new(&world);
    let mut record = swing(&Arc::new(pendulum()), 1, 0);
    record.head.world = world.digest();
    record.world = world;
    let (nq, nv, bodies) = (layout.position_count, layout.dof_count(), layout.bodies.len());
    let mut track = Track::new(nq, nv, bodies, layout.pairs.len(), 1);
    track.times.push(0.0);
    track.q = (0..nq).map(|i| i as f64).collect();
    track.v = (0..nv).map(|i| 100.0 + i as f64).collect();
    track.efforts = vec![0.0; nv];
    track.poses = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].repeat(bodies);
    track.twists = vec![0.0; bodies * 6];
    track.gaps = vec![0.5];
    record.track = track;
    let Some(found) = found_in_file_of(&record) else { return };
    let state = &found["channels"]["/joint_states"][0];
    let free = json!(["menagerie/free/x", "menagerie/free/y", "menagerie/free/z", "menagerie/slide"]);
    assert_eq!(json!(state[1].as_array().unwrap()[..4]), free);
    assert_eq!(state[1].as_array().unwrap().last(), Some(&json!("clock/hinge")));
    // The last velocity is that of the last joint; the first one shown is the free joint's fourth.
    assert_eq!(state[3][0], bits(&[103.0])[0]);
    assert_eq!(state[3].as_array().unwrap().last(), Some(&json!(bits(&[99.0 + nv as f64])[0])));
    // Box, capsule (three pieces), ellipsoid, disc, plane, hull of twelve triangles; then the pendulum's two.
    let kinds: Vec<u64> =
        found["channels"]["/veracity/markers"].as_array().unwrap().iter().map(|m| m[2].as_u64().unwrap()).collect();
    assert_eq!(kinds, [1, 2, 3, 2, 2, 3, 1, 11, 2, 3]);
    assert_eq!(found["channels"]["/veracity/markers"][7][5], 36);
}

#[test]
fn bags_the_library_writes_are_read() {
    for compression in ["ZSTD", "LZ4", "NONE"] {
        let folder = Folder::new();
        let path = folder.path("bag.mcap");
        if python("write_bag.py", &[path.clone().into(), compression.into()]).is_none() {
            return;
        }
        let recording = read_ros2_bag(&path, &[]).unwrap();
        let begin = 1_700_000_000_000_000_001;
        let hinge = &recording.joints[0];
        assert_eq!(hinge.times_ns, [begin, begin + 1_000_000, begin + 2_000_000]);
        assert_eq!(hinge.positions, [0.0, 0.1, 0.2]);
        assert_eq!(hinge.velocities, [1.0, 0.5, 1.0 / 3.0]);
        let [odometry, transform] = &recording.poses[..] else { panic!("{:?}", recording.poses) };
        assert_eq!((odometry.frame.as_str(), odometry.child.as_str()), ("map", "base"));
        assert_eq!(odometry.poses[2], [0.0, 2.0, 0.0, 0.5, 0.5, 0.5, 0.5]);
        assert_eq!(odometry.twists[0], [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
        assert_eq!((transform.child.as_str(), transform.poses[1][0]), ("bob", 1.0));
    }
}
