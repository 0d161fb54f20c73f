//! `[[sensors]]`.

use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One sensor. Each kind lists the keys it accepts besides name, kind, timing and noise in its entry in
/// [`SENSORS`](crate::SENSORS).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorConfig {
    /// Unique in the scenario; its noise is keyed by it.
    pub name: String,
    /// `encoder`, `effort`, `imu`, `gps`, `attitude`, `force_torque`, `contact`, `range`, `pose` or `sight`.
    pub kind: String,

    /// Samples per second [Hz]; by default every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_hz: Option<f64>,
    /// The first sample [s].
    #[serde(default)]
    pub phase_s: f64,
    /// Delay from sample to delivery [s].
    #[serde(default)]
    pub latency_s: f64,

    /// Standard deviation of the noise: one number for all channels in their own units, or one for each group of
    /// channels as the kind lists them.
    #[serde(default, skip_serializing_if = "PerGroup::is_zero")]
    pub noise_std: PerGroup,
    /// Standard deviation that grows with the reading: this times its size, added to `noise_std`; as above.
    #[serde(default, skip_serializing_if = "PerGroup::is_zero")]
    pub noise_relative: PerGroup,
    /// Time over which the noise stays alike [s], as above: first-order correlation; zero for white noise.
    #[serde(default, skip_serializing_if = "PerGroup::is_zero")]
    pub correlation_s: PerGroup,
    /// Constant error, as above.
    #[serde(default, skip_serializing_if = "PerGroup::is_zero")]
    pub bias: PerGroup,
    /// Quantisation step of the reading, as above; zero for none.
    #[serde(default, skip_serializing_if = "PerGroup::is_zero")]
    pub resolution: PerGroup,

    /// A sensor of the model that supplies the pose, and rate and noise where not given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sensor: Option<String>,
    /// Joints it measures (`encoder`, `effort`; by default all).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
    /// The joint it sits in (`force_torque`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// The body it sits on (`imu`, `gps`, `attitude`, `contact`, `range`, `pose`, `sight`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Its position in the body [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xyz_m: Option<[f64; 3]>,
    /// Its orientation in the body: roll, pitch, yaw [rad].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy_rad: Option<[f64; 3]>,
    /// Farthest distance seen [m] (`range`, `sight`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_m: Option<f64>,
    /// The body it looks for (`sight`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The point of that body it looks for [m]; by default the body's origin (`sight`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_xyz_m: Option<[f64; 3]>,
    /// Half angle of the cone about +x of its frame in which it sees [rad]; by default all directions (`sight`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_view_rad: Option<f64>,
    /// Reads 1 while the body touches something and 0 otherwise, instead of the mean normal force [N] over the last
    /// step (`contact`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<bool>,
}

/// One number for every group of channels, or one for each.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PerGroup {
    /// For all.
    Same(f64),
    /// For each group in order.
    Each(Vec<f64>),
}

impl Default for PerGroup {
    fn default() -> Self {
        PerGroup::Same(0.0)
    }
}

impl PerGroup {
    /// Whether it is zero throughout.
    pub fn is_zero(&self) -> bool {
        match self {
            PerGroup::Same(x) => *x == 0.0,
            PerGroup::Each(list) => list.iter().all(|x| *x == 0.0),
        }
    }

    /// The number of a group; `None` if the list is too short.
    pub fn of_group(&self, group: usize) -> Option<f64> {
        match self {
            PerGroup::Same(x) => Some(*x),
            PerGroup::Each(list) => list.get(group).copied(),
        }
    }
}

impl<'de> Deserialize<'de> for PerGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = PerGroup;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a list with one for each group of channels")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<PerGroup, E> {
                Ok(PerGroup::Same(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<PerGroup, E> {
                Ok(PerGroup::Same(x as f64))
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<PerGroup, E> {
                Ok(PerGroup::Same(x as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PerGroup, A::Error> {
                let mut list = Vec::new();
                while let Some(x) = seq.next_element()? {
                    list.push(x);
                }
                Ok(PerGroup::Each(list))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl SensorConfig {
    /// Keys beyond name, kind, timing and noise that are set.
    pub(crate) fn keys_given(&self) -> Vec<&'static str> {
        let all = [
            ("model_sensor", self.model_sensor.is_some()),
            ("joints", !self.joints.is_empty()),
            ("joint", self.joint.is_some()),
            ("body", self.body.is_some()),
            ("xyz_m", self.xyz_m.is_some()),
            ("rpy_rad", self.rpy_rad.is_some()),
            ("max_m", self.max_m.is_some()),
            ("target", self.target.is_some()),
            ("target_xyz_m", self.target_xyz_m.is_some()),
            ("half_view_rad", self.half_view_rad.is_some()),
            ("binary", self.binary.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect()
    }
}
