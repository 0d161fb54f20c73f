//! Sensors: description only; sampling, noise and latency are added by `control`.

use crate::finding::Source;
use crate::geometry::Pose;
use crate::model::{BodyId, JointId};
use serde::{Deserialize, Serialize};

/// The measured quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SensorKind {
    /// Position and speed of a joint.
    Encoder {
        /// The joint.
        joint: JointId,
    },
    /// Specific force and angular velocity at a frame.
    Imu,
    /// Force and torque through a joint, expressed in a frame.
    ForceTorque {
        /// The joint.
        joint: JointId,
    },
    /// Contact of the body it is mounted on.
    Contact,
    /// Distance along +x of the frame.
    Range {
        /// Maximum range [m].
        max: f64,
    },
    /// Pose and velocity of a frame.
    Pose,
    /// A sensor that the model only carries along: kind and attributes, kept verbatim.
    Other {
        /// The kind as named in the file.
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
    /// The measured quantity.
    pub kind: SensorKind,
    /// The body it is mounted on; `None` is the model frame.
    pub body: Option<BodyId>,
    /// Its frame in that body.
    pub body_from_sensor: Pose,
    /// Sampling rate [Hz]; `None` samples every step.
    pub rate_hz: Option<f64>,
    /// Standard deviation of its noise, in the unit of the measurement.
    pub noise_std: f64,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}
