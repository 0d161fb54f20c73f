//! The fields of every message written, in the language of ROS 2 (`ros2msg`), by which viewers decode them.

/// A message type.
pub struct Schema {
    /// `package/msg/Name`.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static str,
    /// The types it contains, including nested ones.
    pub parts: &'static [&'static Part],
}

/// A type contained in others.
pub struct Part {
    name: &'static str,
    fields: &'static str,
}

impl Schema {
    /// Text of the schema in a file: the fields, then each part after a line of `=`.
    pub fn text(&self) -> String {
        let line = "=".repeat(80);
        let parts = self.parts.iter().map(|part| format!("{line}\nMSG: {}\n{}\n", part.name, part.fields));
        format!("{}\n{}", self.fields, parts.collect::<String>())
    }
}

const TIME: Part = Part { name: "builtin_interfaces/Time", fields: "int32 sec\nuint32 nanosec" };
const DURATION: Part = Part { name: "builtin_interfaces/Duration", fields: "int32 sec\nuint32 nanosec" };
const HEADER: Part = Part { name: "std_msgs/Header", fields: "builtin_interfaces/Time stamp\nstring frame_id" };
const COLOUR: Part = Part { name: "std_msgs/ColorRGBA", fields: "float32 r\nfloat32 g\nfloat32 b\nfloat32 a" };
const VECTOR: Part = Part { name: "geometry_msgs/Vector3", fields: "float64 x\nfloat64 y\nfloat64 z" };
const POINT: Part = Part { name: "geometry_msgs/Point", fields: "float64 x\nfloat64 y\nfloat64 z" };
const QUATERNION: Part =
    Part { name: "geometry_msgs/Quaternion", fields: "float64 x\nfloat64 y\nfloat64 z\nfloat64 w" };
const POSE: Part =
    Part { name: "geometry_msgs/Pose", fields: "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation" };
const TRANSFORM: Part = Part {
    name: "geometry_msgs/Transform",
    fields: "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation",
};
const TRANSFORM_STAMPED: Part = Part {
    name: "geometry_msgs/TransformStamped",
    fields: "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform",
};
const POINT_FIELD: Part =
    Part { name: "sensor_msgs/PointField", fields: "string name\nuint32 offset\nuint8 datatype\nuint32 count" };
const MARKER: Part = Part {
    name: "visualization_msgs/Marker",
    fields: "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose
geometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\nbool frame_locked
geometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\nstring text\nstring mesh_resource
bool mesh_use_embedded_materials",
};

/// Poses of all bodies.
pub const TRANSFORMS: Schema = Schema {
    name: "tf2_msgs/msg/TFMessage",
    fields: "geometry_msgs/TransformStamped[] transforms",
    parts: &[&TRANSFORM_STAMPED, &HEADER, &TIME, &TRANSFORM, &VECTOR, &QUATERNION],
};

/// Positions, velocities and efforts of joints.
pub const JOINT_STATE: Schema = Schema {
    name: "sensor_msgs/msg/JointState",
    fields: "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort",
    parts: &[&HEADER, &TIME],
};

/// A line of text.
pub const LOG: Schema = Schema {
    name: "rcl_interfaces/msg/Log",
    fields: "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\nbuiltin_interfaces/Time stamp
uint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line",
    parts: &[&TIME],
};

/// One number.
pub const NUMBER: Schema = Schema { name: "std_msgs/msg/Float64", fields: "float64 data", parts: &[] };

/// Shapes.
pub const MARKERS: Schema = Schema {
    name: "visualization_msgs/msg/MarkerArray",
    fields: "visualization_msgs/Marker[] markers",
    parts: &[&MARKER, &HEADER, &TIME, &DURATION, &POSE, &POINT, &QUATERNION, &VECTOR, &COLOUR],
};

/// Points.
pub const POINTS: Schema = Schema {
    name: "sensor_msgs/msg/PointCloud2",
    fields: "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool is_bigendian
uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense",
    parts: &[&HEADER, &TIME, &POINT_FIELD],
};

/// A row of the track, every bit of it.
pub const INSTANT: Schema = Schema {
    name: "veracity_msgs/msg/Instant",
    fields: "float64 time # [s]
float64[] q # the channel's metadata names every number of these lists
float64[] v
float64[] effort
float64[] pose # world_from_body of each body: x y z, quaternion w x y z
float64[] twist # of each body, in world axes: angular, linear
float64[] gap
float64[] signal",
    parts: &[],
};

/// A contact point of two bodies.
pub const CONTACT: Schema = Schema {
    name: "veracity_msgs/msg/Contact",
    fields: "float64 time # [s]
string name_a
string name_b
int64 body_a # slot of the body; -1 is the ground
int64 body_b
geometry_msgs/Point point # in the world [m]
geometry_msgs/Vector3 normal # from b to a
float64 gap # negative when they overlap [m]
geometry_msgs/Vector3 impulse # on a, over the step [N s]",
    parts: &[&POINT, &VECTOR],
};

/// An entry of the event log.
pub const EVENT: Schema = Schema {
    name: "veracity_msgs/msg/Event",
    fields: "float64 time # [s]
float64 time_error # half the width of the bracket around it [s]
uint32 substep
string pair
uint32 ordinal
string kind
float64 normal_speed # [m/s]
float64 tangential_speed # [m/s]
float64 normal_impulse # [N s]
float64 tangential_impulse # [N s]
float64 gap # [m]",
    parts: &[],
};
