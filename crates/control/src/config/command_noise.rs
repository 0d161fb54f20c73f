//! `noise` of a controller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Errors between what a controller commands and what arrives, drawn anew at each activation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandNoise {
    /// Standard deviation added to every commanded effort, force, torque and actuator command, in its own unit; of a drive, to its
    /// feed-forward effort.
    #[serde(default)]
    pub std: f64,
    /// Standard deviation that grows with the command: this times its size.
    #[serde(default)]
    pub relative: f64,
    /// Time over which the error stays alike [s]: first-order correlation; zero for white noise.
    #[serde(default)]
    pub correlation_s: f64,
    /// Step to which commands are rounded; zero for none.
    #[serde(default)]
    pub resolution: f64,
    /// Standard deviation of the delay from one activation to the next [s], cut off at three times this, at no delay, and at the arrival of
    /// the command before; rounded to whole steps.
    #[serde(default)]
    pub latency_jitter_s: f64,
}

impl CommandNoise {
    /// Its numbers by key.
    pub(crate) fn numbers(&self) -> [(&'static str, f64); 5] {
        let Self { std, relative, correlation_s, resolution, latency_jitter_s } = *self;
        [
            ("std", std),
            ("relative", relative),
            ("correlation_s", correlation_s),
            ("resolution", resolution),
            ("latency_jitter_s", latency_jitter_s),
        ]
    }
}
