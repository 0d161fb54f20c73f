"""Writes a small ROS 2 bag with the `mcap` library and its ROS 2 encoder: joint states, odometry and transforms."""

import sys

from mcap.writer import CompressionType
from mcap_ros2.writer import Writer

TIME = "int32 sec\nuint32 nanosec"
HEADER = "builtin_interfaces/Time stamp\nstring frame_id"
VECTOR = "float64 x\nfloat64 y\nfloat64 z"
QUATERNION = "float64 x\nfloat64 y\nfloat64 z\nfloat64 w"
LINE = "\n" + "=" * 80 + "\nMSG: "


def schema(fields, *parts):
    return fields + "".join(f"{LINE}{name}\n{text}" for name, text in parts)


STAMPED = (("std_msgs/Header", HEADER), ("builtin_interfaces/Time", TIME))
SPACE = (("geometry_msgs/Vector3", VECTOR), ("geometry_msgs/Point", VECTOR), ("geometry_msgs/Quaternion", QUATERNION))
JOINT_STATE = schema(
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort", *STAMPED)
TF = schema(
    "geometry_msgs/TransformStamped[] transforms",
    ("geometry_msgs/TransformStamped",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform"),
    ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation"),
    *STAMPED, *SPACE)
ODOMETRY = schema(
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
    "geometry_msgs/TwistWithCovariance twist",
    ("geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance"),
    ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation"),
    ("geometry_msgs/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance"),
    ("geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular"),
    *STAMPED, *SPACE)


def header(stamp, frame):
    return {"stamp": {"sec": stamp // 1_000_000_000, "nanosec": stamp % 1_000_000_000}, "frame_id": frame}


def point(x, y, z):
    return {"x": x, "y": y, "z": z}


TURN = {"x": 0.5, "y": 0.5, "z": 0.5, "w": 0.5}
BEGIN = 1_700_000_000_000_000_001

with open(sys.argv[1], "wb") as file:
    writer = Writer(file, compression=CompressionType[sys.argv[2]])
    joint = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
    tf = writer.register_msgdef("tf2_msgs/msg/TFMessage", TF)
    odometry = writer.register_msgdef("nav_msgs/msg/Odometry", ODOMETRY)
    for row in range(3):
        stamp = BEGIN + row * 1_000_000
        message = {"header": header(stamp, ""), "name": ["hinge"], "position": [0.1 * row], "velocity": [1.0 / (row + 1)],
                   "effort": [float(row)]}
        writer.write_message("/joint_states", joint, message, log_time=stamp)
        transform = {"translation": point(row, 2.0, 3.0), "rotation": TURN}
        message = {"transforms": [{"header": header(stamp, "map"), "child_frame_id": "bob", "transform": transform}]}
        writer.write_message("/tf", tf, message, log_time=stamp)
        message = {
            "header": header(stamp, "map"), "child_frame_id": "base",
            "pose": {"pose": {"position": point(0.0, row, 0.0), "orientation": TURN}, "covariance": [0.0] * 36},
            "twist": {"twist": {"linear": point(1.0, 2.0, 3.0), "angular": point(4.0, 5.0, 6.0)}, "covariance": [0.0] * 36},
        }
        writer.write_message("/odom", odometry, message, log_time=stamp)
    writer.finish()
