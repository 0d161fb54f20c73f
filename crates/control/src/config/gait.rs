//! `gait` of a controller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a robot with any number of legs walks: footholds from the commanded motion of its body, feet on splines between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaitConfig {
    /// The body that carries the legs. Feet are placed in its frame, x forward, y left, z up.
    pub body: String,
    /// Time of one cycle [s].
    pub period_s: f64,
    /// Share of a cycle for which a foot stands.
    pub duty: f64,
    /// Height of the two inner points of the path of a swinging foot [m]; its highest point is 1.25 times as high.
    pub step_height_m: f64,
    /// Commanded speed forward [m/s].
    #[serde(default)]
    pub forward_m_s: f64,
    /// Commanded speed to the left [m/s].
    #[serde(default)]
    pub left_m_s: f64,
    /// Commanded rate of turning to the left [rad/s].
    #[serde(default)]
    pub turn_rad_s: f64,
    /// Until then it stands [s].
    #[serde(default)]
    pub start_s: f64,
    /// Whether gains act on feet or on joints.
    #[serde(default)]
    pub space: GaitSpace,
    /// [N/m] on feet, [N m/rad] on joints.
    pub kp: f64,
    /// [N s/m] on feet, [N m s/rad] on joints.
    pub kd: f64,
    /// Adds the efforts with which standing feet carry the weight of the expected robot.
    #[serde(default)]
    pub support: bool,
    /// The legs.
    pub legs: Vec<LegConfig>,
}

/// Where a feedback law is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GaitSpace {
    /// A force on each foot, as joint efforts through the transposed Jacobian.
    #[default]
    Foot,
    /// Inverse kinematics, then a law of each joint.
    Joint,
}

/// One leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegConfig {
    /// The body with the foot.
    pub body: String,
    /// The foot in that body [m].
    #[serde(default)]
    pub point_m: [f64; 3],
    /// Joints of the leg, from the robot's body outwards.
    pub joints: Vec<String>,
    /// Where the foot is in the middle of its stance, in the frame of the robot's body [m].
    pub home_m: [f64; 3],
    /// When it touches down, as a share of the cycle.
    pub touchdown: f64,
}
