//! A loop as text, for another process that builds the same one.

use crate::config::{ControllerConfig, SensorConfig};
use crate::control_loop::ControlLoop;
use crate::error::ControlError;
use crate::setup::Setup;
use serde::{Deserialize, Serialize};
use veracity_engine::Capabilities;
use veracity_model::{Layout, World};

/// Everything that defines a loop besides the world and the engine: built-in controllers and sensors, the step, and
/// what keys their noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopTables {
    /// The engine's step [ns].
    pub step_ns: i64,
    /// Seed of the study.
    pub seed: u64,
    /// Number of the trial in the study.
    pub trial: u64,
    /// As in a scenario.
    pub controllers: Vec<ControllerConfig>,
    /// As in a scenario.
    pub sensors: Vec<SensorConfig>,
}

impl LoopTables {
    /// As JSON; `None` if JSON cannot represent every number to the last bit, such as an infinite one.
    pub fn to_text(&self) -> Option<String> {
        let text = serde_json::to_string(self).ok()?;
        (Self::from_text(&text).as_ref() == Ok(self)).then_some(text)
    }

    /// Reads the text of [`LoopTables::to_text`].
    pub fn from_text(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// Builds the loop.
    pub fn build(
        &self,
        world: &World,
        layout: &Layout,
        capabilities: Capabilities,
    ) -> Result<ControlLoop, ControlError> {
        let Self { step_ns, seed, trial, .. } = *self;
        let setup = Setup { world, layout, capabilities, step_ns, seed, trial };
        ControlLoop::new(&setup, &self.controllers, &self.sensors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PerGroup;

    #[test]
    fn numbers_are_read_back_to_the_bit_or_not_written() {
        let sensor = |max_m| SensorConfig {
            name: "eye".to_string(),
            kind: "range".to_string(),
            noise_std: PerGroup::Each(vec![0.1 + 0.2, 1e-308]),
            max_m: Some(max_m),
            ..Default::default()
        };
        let tables = |max_m| LoopTables {
            step_ns: 1,
            seed: u64::MAX,
            trial: 3,
            controllers: vec![],
            sensors: vec![sensor(max_m)],
        };
        let text = tables(2.0 / 3.0).to_text().unwrap();
        assert_eq!(LoopTables::from_text(&text), Ok(tables(2.0 / 3.0)));
        // JSON has no infinity: it would be read back as a sensor without a range.
        assert_eq!(tables(f64::INFINITY).to_text(), None);
    }
}
