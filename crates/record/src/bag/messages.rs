//! The message types of ROS 2 and Foxglove that carry joint states and poses.

use crate::mcap::CdrReader;
use serde_json::Value;

/// What a message states about one joint or frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    Joint { stamp_ns: i64, name: String, position: f64, velocity: f64, effort: f64 },
    Pose { stamp_ns: i64, frame: String, child: String, pose: [f64; 7], twist: [f64; 6] },
}

const NO_TWIST: [f64; 6] = [f64::NAN; 6];

/// The samples of a message; `None` for a type that is not read.
pub fn decode(schema: &str, encoding: &str, data: &[u8]) -> Result<Option<Vec<Sample>>, String> {
    // `sensor_msgs/JointState` is how older bags name `sensor_msgs/msg/JointState`.
    let schema = schema.replace("/msg/", "/");
    let samples = match (encoding, schema.as_str()) {
        ("cdr", "sensor_msgs/JointState") => joint_state(&mut CdrReader::new(data)?)?,
        ("cdr", "geometry_msgs/PoseStamped") => vec![pose_stamped(&mut CdrReader::new(data)?)?],
        ("cdr", "nav_msgs/Odometry") => vec![odometry(&mut CdrReader::new(data)?)?],
        ("cdr", "tf2_msgs/TFMessage") => transforms(&mut CdrReader::new(data)?)?,
        ("cdr", "geometry_msgs/TransformStamped") => vec![transform(&mut CdrReader::new(data)?)?],
        ("json", "foxglove.PoseInFrame") => vec![pose_in_frame(&json(data)?)?],
        ("json", "foxglove.FrameTransform") => vec![frame_transform(&json(data)?)?],
        ("json", "foxglove.FrameTransforms") => {
            let message = json(data)?;
            let list = message["transforms"].as_array().ok_or("`transforms` is not a list")?;
            list.iter().map(frame_transform).collect::<Result<_, _>>()?
        }
        _ => return Ok(None),
    };
    Ok(Some(samples))
}

struct Header {
    stamp_ns: i64,
    frame: String,
}

fn header(message: &mut CdrReader) -> Result<Header, String> {
    let (seconds, nanoseconds) = (message.i32()?, message.u32()?);
    let stamp_ns = i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds);
    Ok(Header { stamp_ns, frame: message.text()?.to_string() })
}

fn joint_state(message: &mut CdrReader) -> Result<Vec<Sample>, String> {
    let Header { stamp_ns, .. } = header(message)?;
    let names = message.text_list()?;
    let (positions, velocities, efforts) = (message.f64_list()?, message.f64_list()?, message.f64_list()?);
    for (what, values) in [("positions", &positions), ("velocities", &velocities), ("efforts", &efforts)] {
        // Each list may be missing as a whole.
        if !values.is_empty() && values.len() != names.len() {
            return Err(format!("{} {what} for {} joints", values.len(), names.len()));
        }
    }
    let value = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(f64::NAN);
    let sample = |(i, name): (usize, &&str)| Sample::Joint {
        stamp_ns,
        name: name.to_string(),
        position: value(&positions, i),
        velocity: value(&velocities, i),
        effort: value(&efforts, i),
    };
    Ok(names.iter().enumerate().map(sample).collect())
}

/// Position, then quaternion x y z w as in ROS.
fn pose(message: &mut CdrReader) -> Result<[f64; 7], String> {
    let [x, y, z, qx, qy, qz, qw] = message.f64s()?;
    Ok([x, y, z, qw, qx, qy, qz])
}

fn pose_stamped(message: &mut CdrReader) -> Result<Sample, String> {
    let Header { stamp_ns, frame } = header(message)?;
    Ok(Sample::Pose { stamp_ns, frame, child: String::new(), pose: pose(message)?, twist: NO_TWIST })
}

fn odometry(message: &mut CdrReader) -> Result<Sample, String> {
    let Header { stamp_ns, frame } = header(message)?;
    let child = message.text()?.to_string();
    let pose = pose(message)?;
    let _covariance: [f64; 36] = message.f64s()?;
    let [vx, vy, vz, wx, wy, wz] = message.f64s()?;
    let _covariance: [f64; 36] = message.f64s()?;
    Ok(Sample::Pose { stamp_ns, frame, child, pose, twist: [wx, wy, wz, vx, vy, vz] })
}

fn transform(message: &mut CdrReader) -> Result<Sample, String> {
    let Header { stamp_ns, frame } = header(message)?;
    let child = message.text()?.to_string();
    Ok(Sample::Pose { stamp_ns, frame, child, pose: pose(message)?, twist: NO_TWIST })
}

fn transforms(message: &mut CdrReader) -> Result<Vec<Sample>, String> {
    // A transform has at least seven numbers.
    let count = message.length(56)?;
    (0..count).map(|_| transform(message)).collect()
}

fn json(data: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(data).map_err(|e| format!("invalid JSON: {e}"))
}

fn pose_in_frame(message: &Value) -> Result<Sample, String> {
    let pose = json_pose(&message["pose"]["position"], &message["pose"]["orientation"])?;
    let (stamp_ns, frame) = (json_stamp(message)?, json_text(message, "frame_id")?);
    Ok(Sample::Pose { stamp_ns, frame, child: String::new(), pose, twist: NO_TWIST })
}

fn frame_transform(message: &Value) -> Result<Sample, String> {
    let pose = json_pose(&message["translation"], &message["rotation"])?;
    let (frame, child) = (json_text(message, "parent_frame_id")?, json_text(message, "child_frame_id")?);
    Ok(Sample::Pose { stamp_ns: json_stamp(message)?, frame, child, pose, twist: NO_TWIST })
}

fn json_stamp(message: &Value) -> Result<i64, String> {
    let part =
        |name: &str| message["timestamp"][name].as_i64().ok_or_else(|| format!("`timestamp.{name}` is missing"));
    let stamp = part("sec")?.checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(part("nsec").ok()?));
    stamp.ok_or_else(|| "`timestamp` is out of range".to_string())
}

fn json_text(message: &Value, name: &str) -> Result<String, String> {
    message[name].as_str().map(str::to_string).ok_or_else(|| format!("`{name}` is missing"))
}

fn json_pose(position: &Value, orientation: &Value) -> Result<[f64; 7], String> {
    let number =
        |from: &Value, name: &str| from[name].as_f64().ok_or_else(|| format!("the number `{name}` is missing"));
    let (p, o) = (position, orientation);
    let place = [number(p, "x")?, number(p, "y")?, number(p, "z")?];
    let turn = [number(o, "w")?, number(o, "x")?, number(o, "y")?, number(o, "z")?];
    Ok([place[0], place[1], place[2], turn[0], turn[1], turn[2], turn[3]])
}
