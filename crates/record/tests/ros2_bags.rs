//! ROS 2 bags: joint states and poses are read in either byte order and with any compression, and damage is an error
//! and never a panic.

mod support;

use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use support::{Folder, pendulum};
use veracity_record::bag::Mapping;
use veracity_record::{Recording, read_ros2_bag};

/// CDR written here from the standard, in both byte orders: the library's own writer is not used.
struct Cdr {
    bytes: Vec<u8>,
    big: bool,
}

impl Cdr {
    fn new(big: bool) -> Self {
        Self { bytes: vec![0, u8::from(!big), 0, 0], big }
    }

    fn raw<const N: usize>(&mut self, little: [u8; N]) -> &mut Self {
        while !(self.bytes.len() - 4).is_multiple_of(N) {
            self.bytes.push(0);
        }
        let mut bytes = little;
        if self.big {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(value.to_le_bytes())
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32 + 1);
        self.bytes.extend(text.bytes().chain([0]));
        self
    }

    fn f64s(&mut self, values: &[f64]) -> &mut Self {
        for value in values {
            self.raw(value.to_le_bytes());
        }
        self
    }

    fn list(&mut self, values: &[f64]) -> &mut Self {
        self.u32(values.len() as u32).f64s(values)
    }

    fn header(&mut self, stamp_ns: u64, frame: &str) -> &mut Self {
        self.u32((stamp_ns / 1_000_000_000) as u32).u32((stamp_ns % 1_000_000_000) as u32).text(frame)
    }
}

const BEGIN_NS: u64 = 1_700_000_000_123_456_789;
const POSE: [f64; 7] = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0];

/// Joint states at 0 and 10 ms, odometry at 5 ms, a pose and a transform at 10 ms, and a type that is not read.
fn messages(big: bool) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let joint = |row: u64| {
        let mut m = Cdr::new(big);
        m.header(BEGIN_NS + row * 10_000_000, "").u32(2).text("hinge").text("gripper");
        m.list(&[0.1 + row as f64, 7.0]).list(&[]).list(&[-0.5, 0.0]);
        m.bytes
    };
    let mut odometry = Cdr::new(big);
    odometry.header(BEGIN_NS + 5_000_000, "map").text("bob");
    // A quarter turn about z: the child's x axis is the world's y axis.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    odometry.f64s(&[0.0, 0.0, -1.0, 0.0, 0.0, half, half]).f64s(&[0.0; 36]);
    odometry.f64s(&[2.0, 0.0, 0.0, 0.0, 0.0, 0.5]).f64s(&[0.0; 36]);
    let mut pose = Cdr::new(big);
    pose.header(BEGIN_NS + 10_000_000, "map").f64s(&POSE);
    let mut transforms = Cdr::new(big);
    transforms.u32(1).header(BEGIN_NS + 10_000_000, "bob").text("camera").f64s(&POSE);
    vec![
        ("/joint_states", "sensor_msgs/msg/JointState", joint(0)),
        ("/odom", "nav_msgs/msg/Odometry", odometry.bytes),
        ("/joint_states", "sensor_msgs/msg/JointState", joint(1)),
        ("/target", "geometry_msgs/msg/PoseStamped", pose.bytes),
        ("/tf", "tf2_msgs/msg/TFMessage", transforms.bytes),
        ("/scan", "sensor_msgs/msg/LaserScan", vec![0, 1, 0, 0]),
    ]
}

fn write_bag(path: &Path, options: WriteOptions, big: bool) {
    let mut writer = options.profile("ros2").create(fs::File::create(path).unwrap()).unwrap();
    for (i, (topic, schema, data)) in messages(big).into_iter().enumerate() {
        let schema = writer.add_schema(schema, "ros2msg", b"").unwrap();
        let channel_id = writer.add_channel(schema, topic, "cdr", &BTreeMap::new()).unwrap();
        let log_time = BEGIN_NS + i as u64;
        let header = MessageHeader { channel_id, sequence: 0, log_time, publish_time: log_time };
        writer.write_to_known_channel(&header, &data).unwrap();
    }
    writer.finish().unwrap();
}

fn packings() -> [WriteOptions; 4] {
    let packed = |compression| WriteOptions::new().compression(compression);
    [packed(Some(Compression::Zstd)), packed(Some(Compression::Lz4)), packed(None), packed(None).use_chunks(false)]
}

#[test]
fn every_packing_and_both_byte_orders_give_the_same_recording() {
    let folder = Folder::new();
    let path = folder.path("bag.mcap");
    let mut first: Option<Recording> = None;
    for big in [false, true] {
        for options in packings() {
            write_bag(&path, options, big);
            let recording = read_ros2_bag(&path, &[]).unwrap();
            assert_eq!(recording.skipped, [("/scan".to_string(), "sensor_msgs/msg/LaserScan".to_string())]);
            let hinge = recording.joints.iter().find(|joint| joint.name == "hinge").unwrap();
            assert_eq!(hinge.times_ns, [BEGIN_NS as i64, BEGIN_NS as i64 + 10_000_000]);
            assert_eq!((&hinge.positions[..], &hinge.efforts[..]), (&[0.1, 1.1][..], &[-0.5, -0.5][..]));
            assert!(hinge.velocities.iter().all(|v| v.is_nan()));
            assert_eq!(recording.poses.iter().map(|p| p.child.as_str()).collect::<Vec<_>>(), ["bob", "", "camera"]);
            assert_eq!(recording.poses[1].poses, [[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]]);
            // NaN is not equal to itself; its text is.
            let known = first.get_or_insert_with(|| recording.clone());
            assert_eq!(format!("{recording:?}"), format!("{known:?}"));
        }
    }
}

#[test]
fn a_recording_fills_the_rows_of_a_world_and_leaves_the_rest_nan() {
    let folder = Folder::new();
    let path = folder.path("bag.mcap");
    write_bag(&path, WriteOptions::new(), false);
    let world = Arc::new(pendulum());
    let recording = read_ros2_bag(&path, &["/joint_states", "/odom", "/tf"]).unwrap();
    let mapping = Mapping { name: "bench".to_string(), fixed_frame: "map".to_string(), ..Mapping::default() };
    let record = recording.to_record(&world, &mapping).unwrap();
    let track = &record.track;
    assert_eq!(track.fault(), None);
    // Whole nanoseconds become seconds by one product: half a unit in the last place.
    assert_eq!(track.times, [0.0, 0.005, 0.01]);
    assert_eq!((track.q[0], track.q[2]), (0.1, 1.1));
    assert!(track.q[1].is_nan() && track.pose(0, 0)[0].is_nan());
    assert_eq!(track.pose(1, 0)[2], -1.0);
    // 2 m/s along the child's x is 2 m/s along the world's y; a quarter turn of unit quaternions rounds twice.
    let twist = track.twist(1, 0);
    assert!((twist[4] - 2.0).abs() < 1e-15 && twist[3].abs() < 1e-15 && twist[2] == 0.5, "{twist:?}");
    let log: Vec<&str> = record.log.iter().map(|entry| entry.text.as_str()).collect();
    assert!(log.contains(&"joint gripper of /joint_states is not in the world"), "{log:?}");
    assert!(log.contains(&"the frame camera of /tf is not in the world"), "{log:?}");
    assert!(log.contains(&"time zero is 1700000000123456789 ns of the recording's clock"), "{log:?}");
}

#[test]
fn missing_names_are_errors_that_list_the_known_ones() {
    let folder = Folder::new();
    let path = folder.path("bag.mcap");
    write_bag(&path, WriteOptions::new(), false);
    let said = read_ros2_bag(&path, &["/joints"]).unwrap_err().to_string();
    assert!(said.contains("channel /joints: no messages"), "{said}");
    let recording = read_ros2_bag(&path, &[]).unwrap();
    let world = Arc::new(pendulum());
    let mut mapping = Mapping { fixed_frame: "map".to_string(), ..Mapping::default() };
    mapping.joints.insert("elbow".to_string(), "hinge".to_string());
    let said = |mapping: &Mapping| recording.to_record(&world, mapping).unwrap_err().to_string();
    assert_eq!(said(&mapping), "the bag has no joint elbow; it has: gripper, hinge");
    mapping.joints.clear();
    mapping.bodies.insert("/target".to_string(), "nobody".to_string());
    assert_eq!(said(&mapping), "the world has no body nobody; it has: pendulum/bob");
    mapping.bodies.insert("/target".to_string(), "bob".to_string());
    assert_eq!(said(&mapping), "/odom and /target both measure pendulum/bob; name the topics to be read");
}

#[test]
fn a_broken_message_is_named_with_channel_and_byte() {
    let folder = Folder::new();
    let path = folder.path("bag.mcap");
    let mut writer = WriteOptions::new().use_chunks(false).create(fs::File::create(&path).unwrap()).unwrap();
    let schema = writer.add_schema("sensor_msgs/msg/JointState", "ros2msg", b"").unwrap();
    let channel_id = writer.add_channel(schema, "/joint_states", "cdr", &BTreeMap::new()).unwrap();
    let header = MessageHeader { channel_id, sequence: 0, log_time: 0, publish_time: 0 };
    let mut message = Cdr::new(false);
    message.header(0, "").u32(0xffff_ffff);
    writer.write_to_known_channel(&header, &message.bytes).unwrap();
    writer.finish().unwrap();
    let said = read_ros2_bag(&path, &[]).unwrap_err().to_string();
    let expected = "bag.mcap: channel /joint_states, byte ";
    assert!(
        said.contains(expected) && said.contains("announces 4294967295 elements, but only 0 bytes follow"),
        "{said}"
    );
}

#[test]
fn foxglove_poses_in_json_are_read() {
    let folder = Folder::new();
    let path = folder.path("bag.mcap");
    let mut writer = WriteOptions::new().create(fs::File::create(&path).unwrap()).unwrap();
    let schema = writer.add_schema("foxglove.FrameTransform", "jsonschema", b"{}").unwrap();
    let channel_id = writer.add_channel(schema, "/tf", "json", &BTreeMap::new()).unwrap();
    let header = MessageHeader { channel_id, sequence: 0, log_time: 0, publish_time: 0 };
    let message = r#"{"timestamp":{"sec":2,"nsec":5},"parent_frame_id":"map","child_frame_id":"bob",
        "translation":{"x":1,"y":2.5,"z":3},"rotation":{"x":0,"y":0,"z":0,"w":1}}"#;
    writer.write_to_known_channel(&header, message.as_bytes()).unwrap();
    writer.finish().unwrap();
    let recording = read_ros2_bag(&path, &[]).unwrap();
    assert_eq!(recording.poses[0].times_ns, [2_000_000_005]);
    assert_eq!(recording.poses[0].poses, [[1.0, 2.5, 3.0, 1.0, 0.0, 0.0, 0.0]]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is cut or flipped: an error that names the file, or a recording; no panic and no memory beyond the
    /// file's.
    #[test]
    fn damaged_bags_never_panic(
        packing in 0..4usize,
        big in any::<bool>(),
        flips in proptest::collection::vec(any::<(prop::sample::Index, u8)>(), 0..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let folder = Folder::new();
        let path = folder.path("bag.mcap");
        write_bag(&path, packings()[packing].clone(), big);
        let mut bytes = fs::read(&path).unwrap();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << (bit % 8);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&path, bytes).unwrap();
        if let Err(error) = read_ros2_bag(&path, &[]) {
            prop_assert!(error.to_string().contains("bag.mcap: "), "{}", error);
        }
    }
}
