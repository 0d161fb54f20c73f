//! `[[controllers]]`.

use super::{CommandNoise, GaitConfig, PathConfig, Profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use veracity_engine::DriveForm;

/// One controller. Each kind lists the keys it accepts besides name, kind and timing in its entry in
/// [`CONTROLLERS`](crate::CONTROLLERS); any other is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControllerConfig {
    /// Unique in the scenario.
    pub name: String,
    /// `constant`, `schedule`, `sinusoid`, `pd`, `pid`, `gait`, `path` or `recorded`.
    pub kind: String,

    /// Activations per second [Hz]. Without it and `period_s` the controller acts at every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_hz: Option<f64>,
    /// From one activation to the next [s]; instead of `rate_hz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_s: Option<f64>,
    /// The first activation [s].
    #[serde(default)]
    pub phase_s: f64,
    /// Delay from an activation until its command acts [s].
    #[serde(default)]
    pub latency_s: f64,
    /// Deadline after an activation [s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_s: Option<f64>,
    /// Errors between what it commands and what arrives, drawn anew at each activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<CommandNoise>,

    /// Laws of joints it drives directly, by joint name (`pd`, `pid`). Efforts are clamped to the joint's effort limit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joints: BTreeMap<String, JointLaw>,
    /// Laws of joints it drives through the model's effort actuators, by actuator name (`pd`, `pid`): the actuator's
    /// own range and speed rule apply.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub actuators: BTreeMap<String, JointLaw>,
    /// Efforts by joint name [N m or N] (`constant`, `schedule`, `sinusoid`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub efforts: BTreeMap<String, Profile>,
    /// Commands by actuator name, in the actuator's own unit (`constant`, `schedule`, `sinusoid`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, Profile>,
    /// Forces and torques on bodies (`constant`, `schedule`, `sinusoid`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrenches: Vec<WrenchConfig>,

    /// Where the law is computed (`pd`, `pid`); default `sampled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<PdForm>,
    /// Forms of joint drives an engine may have with `form = "drive"`; by default any form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    pub drive_forms: Option<Vec<DriveForm>>,
    /// Adds the efforts that hold the observed configuration against gravity (`pd`, `pid`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity_compensation: Option<bool>,

    /// How a robot with legs walks (`gait`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gait: Option<GaitConfig>,
    /// Where a tool goes (`path`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathConfig>,

    /// Times of the recorded rows, increasing [s] (`recorded`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times_s: Vec<f64>,
    /// Recorded columns by command channel, e.g. `efforts/arm/elbow` (`recorded`), one value for each time, held until
    /// the next.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Vec<f64>>,
}

/// `effort = kp (target - q) + kd (target' - q') + feed_forward + ki ∫(target - q) dt`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointLaw {
    /// [N m/rad or N/m]
    pub kp: f64,
    /// [N m s/rad or N s/m]
    #[serde(default)]
    pub kd: f64,
    /// [N m/(rad s) or N/(m s)]; `pid` only.
    #[serde(default)]
    pub ki: f64,
    /// Bound of the integral part, against wind-up [N m or N]; by default the joint's effort limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integral_limit: Option<f64>,
    /// Position of the joint [rad or m].
    #[serde(default)]
    pub target: Profile,
    /// Added to the effort [N m or N].
    #[serde(default, skip_serializing_if = "Profile::is_zero")]
    pub feed_forward: Profile,
}

/// Where a PD law is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PdForm {
    /// At each activation from the observation, and held: a digital controller.
    #[default]
    Sampled,
    /// As a joint drive inside the engine, which evaluates it according to its drive form (often implicitly): an ideal
    /// analogue servo whose targets are sampled.
    Drive,
}

/// A force and a torque on a body, held in world axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrenchConfig {
    /// Name of the body.
    pub body: String,
    /// On the centre of mass, world axes [N].
    #[serde(default)]
    pub force_n: [Profile; 3],
    /// World axes [N m].
    #[serde(default)]
    pub torque_nm: [Profile; 3],
}

impl ControllerConfig {
    /// Keys beyond name, kind and timing that are set.
    pub(crate) fn keys_given(&self) -> Vec<&'static str> {
        let all = [
            ("joints", !self.joints.is_empty()),
            ("actuators", !self.actuators.is_empty()),
            ("efforts", !self.efforts.is_empty()),
            ("commands", !self.commands.is_empty()),
            ("wrenches", !self.wrenches.is_empty()),
            ("form", self.form.is_some()),
            ("drive_forms", self.drive_forms.is_some()),
            ("gravity_compensation", self.gravity_compensation.is_some()),
            ("gait", self.gait.is_some()),
            ("path", self.path.is_some()),
            ("times_s", !self.times_s.is_empty()),
            ("values", !self.values.is_empty()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect()
    }
}
