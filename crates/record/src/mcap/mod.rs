//! MCAP files: one record, to be viewed in Foxglove and rerun and read back bit for bit.
//!
//! | channel | message | content |
//! |---|---|---|
//! | `/tf` | `tf2_msgs/msg/TFMessage` | every body in the frame `world` |
//! | `/joint_states` | `sensor_msgs/msg/JointState` | position, velocity and effort of every joint coordinate that is one number |
//! | `/veracity/markers` | `visualization_msgs/msg/MarkerArray` | the shapes, once, locked to the bodies' frames |
//! | `/veracity/surface/BODY` | `sensor_msgs/msg/PointCloud2` | points on the shapes, once: rerun draws these, not markers |
//! | `/signals/NAME` | `std_msgs/msg/Float64` | one for each signal; no message where there is no value |
//! | `/rosout` | `rcl_interfaces/msg/Log` | log and events as text |
//! | `/veracity/instants` | `veracity_msgs/msg/Instant` | every number of every row; the channel's metadata names them |
//! | `/veracity/contacts` | `veracity_msgs/msg/Contact` | contacts |
//! | `/veracity/events` | `veracity_msgs/msg/Event` | the event log |
//! | `/host/solver/residual` | `std_msgs/msg/Float64` | largest residual of the engine's solver since the row before |
//!
//! Messages are CDR with `ros2msg` schemas; log time is simulated time in nanoseconds. The metadata record `veracity`
//! describes the run as text. The attachments `veracity/record` and `veracity/world` hold the rest of the record
//! exactly. The metadata record `veracity/host` and the channel `/host/solver/residual` are the host part: without them,
//! repetitions give the same bytes.
//!
//! [`read_mcap`] reads the last four channels, the attachments and the host part, and verifies the digest.

mod cdr;
mod drawing;
mod messages;
mod read;
mod schemas;
mod surface;
mod walk;
mod write;

pub use read::read_mcap;
pub use write::{JsonChannel, write_mcap, write_mcap_beside, write_mcap_without_host};

pub(crate) use cdr::CdrReader;
pub(crate) use walk::{Item, cut_off, walk_to_cut};

/// Names shared by reader and writer.
mod channels {
    pub const INSTANTS: &str = "/veracity/instants";
    pub const CONTACTS: &str = "/veracity/contacts";
    pub const EVENTS: &str = "/veracity/events";
    pub const MARKERS: &str = "/veracity/markers";
    pub const SURFACE: &str = "/veracity/surface/";
    pub const LOG: &str = "/rosout";
    pub const RESIDUAL: &str = "/host/solver/residual";
    pub const HEAD: &str = "veracity";
    pub const HOST: &str = "veracity/host";
    pub const RECORD_PART: &str = "veracity/record";
    pub const WORLD_PART: &str = "veracity/world";
    pub const SCHEMA_LINE: &str = "schema";
    pub const DIGEST_LINE: &str = "digest";
}
