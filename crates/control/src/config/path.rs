//! `path` of a controller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A tool that moves along straight lines from waypoint to waypoint, and a gripper that opens and closes on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathConfig {
    /// The body in whose frame waypoints are given; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// The body with the tool.
    pub body: String,
    /// The tool's point in that body [m].
    #[serde(default)]
    pub point_m: [f64; 3],
    /// Joints that move it, from the base outwards.
    pub joints: Vec<String>,
    /// [N m/rad or N/m]; with `inverse_dynamics` [1/s²]
    pub kp: f64,
    /// [N m s/rad or N s/m]; with `inverse_dynamics` [1/s]
    pub kd: f64,
    /// Gains give accelerations, and efforts are those that the expected robot needs for them, gravity included.
    #[serde(default)]
    pub inverse_dynamics: bool,
    /// Until then it stays where it is [s].
    #[serde(default)]
    pub start_s: f64,
    /// Where the tool goes, in order.
    pub waypoints: Vec<WaypointConfig>,
    /// Its gripper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gripper: Option<GripperConfig>,
}

/// A place the tool goes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaypointConfig {
    /// The tool's position [m].
    pub position_m: [f64; 3],
    /// The orientation of its body, roll, pitch, yaw [rad]; free unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy_rad: Option<[f64; 3]>,
    /// Speed on the way there [m/s].
    pub speed_m_s: f64,
    /// Time it stays there [s].
    #[serde(default)]
    pub wait_s: f64,
    /// Whether the gripper closes on arrival, or opens; as before unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close: Option<bool>,
}

/// Joints that open and close.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GripperConfig {
    /// Positions of each joint, open and closed [rad or m].
    pub joints: BTreeMap<String, [f64; 2]>,
    /// Speed of the target [rad/s or m/s].
    pub speed: f64,
    /// [N m/rad or N/m]
    pub kp: f64,
    /// [N m s/rad or N s/m]
    pub kd: f64,
}
