//! What a robot measures: the description only; sampling, noise and latency are added by `control`.

use crate::finding::Source;
use crate::geometry::Pose;
use crate::model::{BodyId, JointId};
use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SensorKind {
    /// Position and speed of a joint.
    Encoder {
        /// Which joint.
        joint: JointId,
    },
    /// Specific force and angular velocity at a frame.
    Imu,
    /// Force and torque through a joint, seen at a frame.
    ForceTorque {
        /// Which joint.
        joint: JointId,
    },
    /// Contact of the body it sits on.
    Contact,
    /// Distance along +x of the frame.
    Range {
        /// Farthest distance seen [m].
        max: f64,
    },
    /// Pose and velocity of a frame.
    Pose,
    /// Something the file names and the model only carries: kind and attributes, kept word for word.
    Other {
        /// The file's word for it.
        kind: String,
        /// Its attributes.
        attributes: Vec<(String, String)>,
    },
}

/// A sensor on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    /// Unique in the model.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// Body it sits on; `None` is the model frame.
    pub body: Option<BodyId>,
    /// Its frame in that body.
    pub body_from_sensor: Pose,
    /// How often it samples [Hz]; `None` is every step.
    pub rate_hz: Option<f64>,
    /// Standard deviation of its noise, in its own unit.
    pub noise_std: f64,
    /// Where the file describes it.
    #[serde(skip)]
    pub source: Option<Source>,
}
